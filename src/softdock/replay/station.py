"""Scene of a docking with a flexible station: members deformed by the recorded modes, its modules, the visitor."""

import numpy as np

from softdock.replay.multibody import draw
from softdock.replay.orbiter import module_meshes, orbiter_meshes
from softdock.replay.scene import Mesh, Scene
from softdock.replay.scene_builder import read_scenario
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.station import StationScenario
from softdock.simulation.station import PreparedStation
from softdock.tree.joints import Free

BASE = "base"
"""Rigid part of the Power Tower that its modules stand for."""
STAND_IN_NODE = "foot"
"""Base node of the Power Tower."""


def build(result: Result) -> Scene:
    """Return the scene of a station run; the visitor's motion is taken from the history."""
    if isinstance(result.prepared, PreparedStation) and result.prepared.scenario.method != "published":
        scenario, system = result.prepared.scenario, result.prepared.multibody.scenario
    else:
        read = read_scenario(result)
        assert isinstance(read, StationScenario)
        scenario, system = read, _drawn_system(read)
    meshes = solid_meshes(scenario)
    return draw(result, system, body_meshes=meshes, drawn_parts=[BASE] if "station" in meshes else [])


def solid_meshes(scenario: StationScenario) -> dict[str, list[Mesh]]:
    """Return the meshes of bodies that are drawn as solids: the base of the Power Tower, a visiting orbiter."""
    meshes = {}
    if scenario.structure is None and not scenario.has_imported_modes():
        meshes["station"] = module_meshes(scenario.visitor.port)
    if scenario.visitor.outline == "orbiter":
        meshes["visitor"] = orbiter_meshes()
    return meshes


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
