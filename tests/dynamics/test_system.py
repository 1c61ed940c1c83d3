"""Impossible models are refused with a message; valid ones are assembled as specified."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dynamics.systems import assemble, body_pose, evaluate
from softdock.elements.drive.model import Drive
from softdock.elements.load.model import Load, Pulse
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.elements.strut.model import Strut
from softdock.elements.weld.model import Weld
from softdock.errors import InputError
from softdock.model.system import Body, FullInertia, System
from softdock.tree.frames import Anchor
from softdock.tree.joints import (
    AxisAngle,
    Fixed,
    Free,
    Planar,
    Prismatic,
    Revolute,
    RollPitchYaw,
    Spherical,
    Universal,
)

BOX = {"mass": 2.0, "inertia": (1.0, 2.0, 2.5)}


def arm(joint, **more):
    return System(bodies={"arm": Body(**BOX, joint=joint)}, **more)


IMPOSSIBLE = {
    "triangle inequality": (
        lambda: Body(mass=1.0, inertia=(1.0, 1.0, 3.0)),
        "exceeds the sum of the other two",
    ),
    "negative moment": (lambda: Body(mass=1.0, inertia=(-1.0, 1.0, 1.0)), "negative principal moment"),
    "tilted negative moment": (
        lambda: Body(mass=1.0, inertia=FullInertia(xx=1.0, yy=1.0, zz=1.0, xy=2.0)),
        "negative principal moment",
    ),
    "inertia without mass": (lambda: Body(inertia=(1.0, 1.0, 1.0)), "must be above 0 kg"),
    "negative mass": (lambda: Body(mass=-1.0), "at least 0 kg"),
    "no bodies": (lambda: System(bodies={}), "at least 1 entries"),
    "leaf without mass": (
        lambda: System(bodies={"arm": Body(joint=Revolute())}),
        "moves nothing that has mass",
    ),
    "point that turns": (
        lambda: System(bodies={"p": Body(mass=1.0, joint=Revolute())}),
        "without any inertia",
    ),
    "free point": (lambda: System(bodies={"p": Body(mass=1.0)}), "without any inertia"),
    "loop": (
        lambda: System(
            bodies={
                "a": Body(**BOX, parent="b", joint=Revolute()),
                "b": Body(**BOX, parent="a", joint=Revolute()),
            }
        ),
        "closes a loop",
    ),
    "unknown parent": (
        lambda: System(bodies={"a": Body(**BOX, parent="bse", joint=Revolute())}),
        "no body called 'bse'",
    ),
    "free with a parent": (lambda: Body(**BOX, parent="base"), "a free body has no parent"),
    "body called world": (lambda: System(bodies={"world": Body(**BOX)}), "inertial frame"),
    "spring on a fixed joint": (
        lambda: arm(Fixed(), springs={"s": Spring(joint="arm", stiffness=1.0)}),
        "is fixed: nothing acts along it",
    ),
    "spring on a free body": (
        lambda: arm(Free(), springs={"s": Spring(joint="arm", stiffness=1.0)}),
        "is free: nothing acts along it",
    ),
    "spring on no joint": (
        lambda: arm(Revolute(), springs={"s": Spring(joint="leg", stiffness=1.0)}),
        "no body called 'leg'",
    ),
    "axis that is not there": (
        lambda: arm(Universal(), springs={"s": Spring(joint="arm", axis=2, stiffness=1.0)}),
        "no axis number 2",
    ),
    "mixed axes": (
        lambda: arm(Planar(), springs={"s": Spring(joint="arm", stiffness=1.0)}),
        "must be one axis",
    ),
    "preload on several axes": (
        lambda: arm(Universal(), springs={"s": Spring(joint="arm", stiffness=1.0, preload=1.0)}),
        "needs a single axis",
    ),
    "rest on several axes": (
        lambda: arm(Spherical(), springs={"s": Spring(joint="arm", stiffness=1.0, rest=1.0)}),
        "needs a single axis",
    ),
    "sliding unit on a hinge": (
        lambda: arm(Revolute(), springs={"s": Spring(joint="arm", stiffness="3 N/m")}),
        "unit of a sliding joint, but this one is turning",
    ),
    "drive of several axes": (
        lambda: arm(Universal(), drives={"d": Drive(joint="arm", target=1.0)}),
        "must be given: the axis",
    ),
    "stop without limits": (
        lambda: arm(Revolute(), stops={"s": Stop(joint="arm", stiffness=1.0)}),
        "needs lower or upper",
    ),
    "stop upside down": (
        lambda: arm(Revolute(), stops={"s": Stop(joint="arm", lower=1.0, upper=0.0, stiffness=1.0)}),
        "must be above lower",
    ),
    "one-sided cone": (
        lambda: arm(Universal(), stops={"s": Stop(joint="arm", upper=1.0, stiffness=1.0)}),
        "give `limit` instead",
    ),
    "strut to itself": (
        lambda: arm(Revolute(), struts={"s": Strut(a=Anchor(body="arm"), b=Anchor(body="arm"))}),
        "another body",
    ),
    "weld to nobody": (
        lambda: arm(
            Revolute(),
            welds={"w": Weld(a=Anchor(body="arm"), b=Anchor(body="x"), stiffness=1.0, angular_stiffness=1.0)},
        ),
        "no body called 'x'",
    ),
    "load on the world": (lambda: arm(Revolute(), loads={"l": Load(body="world")}), "no body called 'world'"),
    "name used twice": (
        lambda: arm(Revolute(), springs={"arm": Spring(joint="arm", stiffness=1.0)}),
        "taken already",
    ),
    "two schedules": (
        lambda: Load(body="a", pulses=(Pulse(start=0.0, duration=1.0),), table=((0.0, 1.0),)),
        "either pulses or a table",
    ),
    "table out of order": (
        lambda: Load(body="a", table=((1.0, 1.0), (0.5, 0.0))),
        "increase from row to row",
    ),
    "skew universal joint": (lambda: Universal(axes=("x", (1.0, 1.0, 0.0))), "right angles"),
    "axis of no length": (lambda: arm(Revolute(axis=(0.0, 0.0, 0.0))), "zero vector"),
    "turn that is none": (lambda: Spherical(turned=(1.0, 1.0, 0.0, 0.0)), "unit quaternion"),
    "anchor that is no frame": (lambda: Anchor(body="a", attitude=(2.0, 0.0, 0.0, 0.0)), "unit quaternion"),
    "turn about nothing": (
        lambda: Body(**BOX, joint=Free(attitude=AxisAngle(axis=(0.0, 0.0, 0.0), angle=1.0))),
        "zero vector",
    ),
    "quaternion of no length": (
        lambda: Body(**BOX, joint=Free(attitude=(0.0, 0.0, 0.0, 0.0))),
        "unit quaternion",
    ),
    "unknown key": (lambda: Body(**BOX, colour="red"), "is not known here"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_models_are_refused_with_a_sentence(case):
    build, sentence = IMPOSSIBLE[case]
    with pytest.raises(InputError, match=f"(?i){sentence}"):
        build()


def test_limiting_cases_are_accepted():
    Body(mass=1.0, inertia=(1.0, 1.0, 2.0))  # a flat plate
    System(bodies={"p": Body(mass=1.0, joint=Prismatic())})
    System(bodies={"p": Body(mass=1.0, centre_of_mass=(1.0, 0.0, 0.0), joint=Revolute())})
    System(
        bodies={
            "cross": Body(joint=Revolute()),
            "probe": Body(**BOX, parent="cross", joint=Revolute(axis="y")),
        }
    )


@pytest.mark.plain_python
def test_universal_joint_equals_two_revolute_joints():
    """The first axis is fixed in the parent, the second in the body."""
    system = arm(Universal(axes=("y", "x"), angles=(0.3, 0.5)))
    R_NB, _ = body_pose(assemble(system), assemble(system).y, "arm")

    def turn(axis, angle):
        system = arm(Revolute(axis=axis, angle=angle))
        return body_pose(assemble(system), assemble(system).y, "arm")[0]

    assert np.abs(R_NB - turn("y", 0.3) @ turn("x", 0.5)).max() <= 1e-15


@pytest.mark.plain_python
def test_a_planar_joint_slides_in_its_plane_and_turns():
    joint = Planar(
        at=(1.0, 0.0, 0.0), attitude=AxisAngle(axis="x", angle=math.pi / 2), position=(0.2, 0.3), angle=0.4
    )
    assembly = assemble(arm(joint))
    R_NB, p_NB = body_pose(assembly, assembly.y, "arm")
    assert p_NB == pytest.approx([1.2, 0.0, 0.3])
    assert R_NB[:, 0] == pytest.approx([math.cos(0.4), 0.0, math.sin(0.4)])


@pytest.mark.plain_python
def test_all_forms_of_an_attitude_agree():
    """Roll, pitch, yaw about fixed axes; axis and angle; quaternion wxyz."""

    def turn(attitude):
        system = System(bodies={"b": Body(**BOX, joint=Free(attitude=attitude))})
        return body_pose(assemble(system), assemble(system).y, "b")[0]

    about_x = [
        RollPitchYaw(roll=0.3),
        AxisAngle(axis="x", angle=0.3),
        AxisAngle(axis=(2.0, 0.0, 0.0), angle=0.3),
        (math.cos(0.15), math.sin(0.15), 0.0, 0.0),
    ]
    for attitude in about_x:
        assert turn(attitude)[:, 1] == pytest.approx([0.0, math.cos(0.3), math.sin(0.3)])
    roll, pitch, yaw = 0.3, -0.5, 0.8
    about_axes = [turn(AxisAngle(axis=axis, angle=angle)) for axis, angle in zip("xyz", (roll, pitch, yaw))]
    expected = about_axes[2] @ about_axes[1] @ about_axes[0]  # the roll is applied first
    rotation = Rotation.from_matrix(expected)
    vector, (x, y, z, w) = rotation.as_rotvec(), rotation.as_quat()
    general = [
        RollPitchYaw(roll=roll, pitch=pitch, yaw=yaw),
        AxisAngle(axis=tuple(vector), angle=float(np.linalg.norm(vector))),
        (w, x, y, z),
    ]
    for attitude in general:
        assert turn(attitude) == pytest.approx(expected, abs=1e-14)


@pytest.mark.plain_python
def test_fixed_bodies_have_the_inertia_of_one_body():
    """Two halves have the mass, centre of mass and inertia of the whole, by the parallel-axis theorem."""
    half = {"mass": 1.0, "inertia": (0.1, 0.2, 0.25)}
    joint = Free(rate=(0.3, -0.2, 0.5))
    whole = Body(mass=2.0, centre_of_mass=(0.5, 0.0, 0.0), inertia=(0.2, 0.4 + 0.5, 0.5 + 0.5), joint=joint)
    parts = {
        "a": Body(**half, joint=joint),
        "b": Body(
            **half, parent="a", joint=Fixed(at=(1.0, 0.0, 0.0), attitude=AxisAngle(axis="x", angle=math.pi))
        ),
    }
    one, two = (evaluate(assemble(System(bodies=bodies)))[0] for bodies in ({"a": whole}, parts))
    assert two == pytest.approx(one, abs=1e-15)


@pytest.mark.plain_python
def test_order_of_bodies_does_not_change_the_motion():
    """Children may precede their parents, and trees may be interleaved."""
    bodies = {
        "base": Body(**BOX, joint=Free(rate=(0.1, 0.2, 0.3))),
        "arm": Body(**BOX, parent="base", joint=Revolute(at=(1.0, 0.0, 0.0), rate=1.0)),
        "other": Body(**BOX, joint=Prismatic(speed=1.0)),
    }
    names = list(bodies)
    found = []
    for order in (names, names[::-1]):
        assembly = assemble(System(bodies={name: bodies[name] for name in order}))
        dy, _ = evaluate(assembly)
        found.append(dy[int(assembly.world[0].n_q) + assembly.joints["arm"].at_u])
    assert found[0] == pytest.approx(found[1], rel=1e-14)
    assert found[0] != 0.0
