"""The scene of a docking with a flexible station: its beams bent by the recorded modes, the visitor as a box."""

import numpy as np

from softdock.model.joints import Free
from softdock.replay.multibody import draw
from softdock.replay.scene import Scene
from softdock.replay.scenes import scenario_of
from softdock.result import Result
from softdock.scenario.station import StationScenario


def build(result: Result) -> Scene:
    """Return the scene of a station's run; the start of the visitor is in the history."""
    scenario = scenario_of(result)
    assert isinstance(scenario, StationScenario)
    system = scenario.system(scenario.flexible(), np.zeros(3), Free())
    return draw(result, system)
