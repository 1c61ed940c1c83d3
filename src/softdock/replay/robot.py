"""Scene of a robot run: links by their URDF shapes, everything else as in a multibody run."""

from pathlib import Path

import numpy as np

from softdock.replay import solids
from softdock.replay.multibody import draw
from softdock.replay.scene import Mesh, Scene
from softdock.replay.scene_builder import read_scenario
from softdock.result import Result
from softdock.robot.bodies import body_name
from softdock.robot.urdf import Shape, ShapeKind
from softdock.scenario.robot import RobotScenario
from softdock.simulation.robot import PreparedRobot


def build(result: Result) -> Scene:
    """Return the scene of a robot run; its URDF file must still exist."""
    if isinstance(result.prepared, PreparedRobot):
        whole, arm = result.prepared.setup.whole, result.prepared.setup.description
    else:
        scenario = read_scenario(result, {"directory": Path(result.directory)})
        assert isinstance(scenario, RobotScenario)
        whole, arm = scenario.whole(), scenario.read_arm()
    body_meshes = {
        body_name(link.name): [mesh for shape in link.visual if (mesh := _mesh(shape)) is not None]
        for link in arm.links.values()
    }
    channels = [name for name in result.history.channels if name.endswith((".torque", ".difference"))]
    return draw(result, whole, preferred_curves=channels, body_meshes=body_meshes)


def _mesh(shape: Shape) -> Mesh | None:
    """Return the mesh of a shape in link axes; None for a mesh file, which is replaced by rods and joints."""
    if shape.form is ShapeKind.BOX:
        mesh = solids.box(np.array(shape.size))
    elif shape.form is ShapeKind.SPHERE:
        mesh = solids.ball(shape.size[0])
    elif shape.form is ShapeKind.CYLINDER:
        radius, length = shape.size
        mesh = solids.transformed(solids.rod(radius, length), np.eye(3), np.array([0.0, 0.0, -0.5 * length]))
    else:
        return None
    return solids.transformed(mesh, shape.X_LS.R, shape.X_LS.p)
