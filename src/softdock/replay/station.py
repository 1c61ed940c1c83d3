"""Scene of a docking with a flexible station: beams deformed by the recorded modes, the visitor as a box."""

import numpy as np

from softdock.replay.multibody import draw
from softdock.replay.scene import Scene
from softdock.replay.scene_builder import read_scenario
from softdock.result import Result
from softdock.scenario.station import StationScenario
from softdock.simulation.station import PreparedStation
from softdock.tree.joints import Free


def build(result: Result) -> Scene:
    """Return the scene of a station run; the visitor's motion is taken from the history."""
    if isinstance(result.prepared, PreparedStation):
        return draw(result, result.prepared.multibody.scenario)
    scenario = read_scenario(result)
    assert isinstance(scenario, StationScenario)
    system = scenario.system(scenario.flexible(), np.zeros(3), Free())
    return draw(result, system)
