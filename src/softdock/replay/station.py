"""Scene of a docking with a flexible station: beams deformed by the recorded modes, the visitor as a box."""

import numpy as np

from softdock.replay.multibody import draw
from softdock.replay.scene import Scene
from softdock.replay.scene_builder import read_scenario
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.station import StationScenario
from softdock.simulation.station import PreparedStation
from softdock.tree.joints import Free

STAND_IN_NODE = "foot"
"""Base node of the Power Tower."""


def build(result: Result) -> Scene:
    """Return the scene of a station run; the visitor's motion is taken from the history."""
    if isinstance(result.prepared, PreparedStation) and result.prepared.scenario.method != "published":
        return draw(result, result.prepared.multibody.scenario)
    scenario = read_scenario(result)
    assert isinstance(scenario, StationScenario)
    return draw(result, _drawn_system(scenario))


def _drawn_system(scenario: StationScenario) -> MultibodyScenario:
    """Return the system whose recorded motion is drawn; bodies only where the station is known from files of modes."""
    if scenario.method != "published":
        return scenario.system(scenario.flexible(), np.zeros(3), Free())
    if not scenario.has_imported_modes():
        return scenario.system(scenario.drawn_flexible(), np.zeros(3), Free())
    # The names of nodes are those of the files; only bodies are drawn, whatever the structure.
    stand_in = scenario.model_copy(update=dict.fromkeys(("base_node", "point_a", "point_b"), STAND_IN_NODE))
    system = stand_in.system(stand_in.flexible(), np.zeros(3), Free())
    return system.model_copy(update={"structures": {}})
