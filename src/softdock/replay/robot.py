"""The scene of a robot's run: its links as the URDF file shows them, everything else as in a multibody run."""

from pathlib import Path

import numpy as np

from softdock.errors import InputError, Problem
from softdock.quantities.model import FieldError
from softdock.replay import solids
from softdock.replay.multibody import build_system
from softdock.replay.scene import Mesh, Scene
from softdock.replay.scenes import REMEDY, scenario_of
from softdock.result import Result
from softdock.robot.bodies import body_name
from softdock.robot.urdf import Form, Shape
from softdock.scenario.robot import RobotScenario


def build(result: Result) -> Scene:
    """Return the scene of a robot's run."""
    scenario = scenario_of(result).with_origin(result.scenario, Path(result.directory))
    assert isinstance(scenario, RobotScenario)
    try:
        robot, whole = scenario.read_arm(), scenario.whole()
    except FieldError as error:
        raise InputError(Problem(field="arm.file", message=str(error), hint=REMEDY)) from None
    looks = {
        body_name(link.name): [mesh for shape in link.visual if (mesh := _mesh(shape)) is not None]
        for link in robot.links.values()
    }
    return build_system(result, whole, {name: meshes for name, meshes in looks.items() if meshes})


def _mesh(shape: Shape) -> Mesh | None:
    """Return a shape in link axes; None for a mesh file, in whose place the link's stand-in is drawn."""
    if shape.form is Form.BOX:
        mesh = solids.box(np.array(shape.size))
    elif shape.form is Form.SPHERE:
        mesh = solids.ball(shape.size[0])
    elif shape.form is Form.CYLINDER:
        radius, length = shape.size
        mesh = solids.transformed(solids.rod(radius, length), np.eye(3), np.array([0.0, 0.0, -0.5 * length]))
    else:
        return None
    return solids.transformed(mesh, shape.X_LS.R, shape.X_LS.p)
