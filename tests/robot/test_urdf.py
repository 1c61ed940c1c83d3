"""URDF files: reading, and error messages with file and line."""

import numpy as np
import pytest

from robot.robots import LWR, branched
from softdock.errors import InputError
from softdock.robot.urdf import JointType, ShapeKind, parse_urdf, read_urdf
from softdock.robot.xml_reader import MAX_BYTES, parse_xml


def problem(text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        parse_urdf(text, "arm.urdf")
    return str(caught.value)


def test_the_bundled_arm_has_the_data_of_its_maker():
    robot = read_urdf(LWR)
    joints = robot.moving
    assert len(joints) == 7
    np.testing.assert_allclose(np.degrees([j.upper for j in joints]), [170, 120, 170, 120, 170, 120, 170])
    np.testing.assert_allclose(np.degrees([j.max_speed for j in joints]), [110, 110, 128, 128, 204, 184, 184])
    assert [j.max_effort for j in joints] == [176, 176, 100, 100, 100, 38, 38]
    assert sum(link.mass for link in robot.links.values()) == pytest.approx(16.0)
    height = sum(joint.X_PC.p[2] for joint in robot.ordered())
    assert height == pytest.approx(0.3105 + 0.400 + 0.390 + 0.078)
    assert robot.links["link_2"].visual[0].form is ShapeKind.CYLINDER


def test_kinds_of_joints_shapes_and_defaults():
    robot = parse_urdf(
        """<robot name="a"><link name="base"/><link name="tip"><visual><geometry>
        <mesh filename="package://none/tip.stl" scale="0.001 0.001 0.001"/></geometry></visual>
        <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
        <joint name="j" type="continuous"><parent link="base"/><child link="tip"/>
        <dynamics damping="0.5" friction="0.2"/></joint></robot>"""
    )
    (joint,) = robot.moving
    assert joint.motion is JointType.CONTINUOUS
    np.testing.assert_array_equal(joint.axis, [1, 0, 0])  # the standard's default
    assert np.isinf([joint.upper, joint.max_effort, joint.max_speed]).all()
    assert (joint.damping, joint.friction) == (0.5, 0.2)
    assert robot.links["tip"].visual[0].file == "package://none/tip.stl"
    assert [j.name for j in parse_urdf(branched()).moving] == ["j_slide", "j_turn", "j_left", "j_right"]


JOINT = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{}</joint>'
LINKS = '<robot name="r">\n<link name="a"/>\n<link name="b"/>\n{}</robot>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no element found"),
        ("<robot><link></robot>", "arm.urdf:1: This is not well-formed XML: mismatched tag."),
        ("<mujoco/>", "must be <robot>. Given: <mujoco>."),
        ("<robot name='r'/>", "has no links"),
        ('<robot xmlns:xacro="x"><xacro:include/></robot>', "Expand it with xacro first."),
        (LINKS.format(JOINT.format("")), "arm.urdf:4: <joint>: Joint 'j' needs a <limit>."),
        (
            LINKS.format(JOINT.format('<limit lower="2" upper="1"/>')),
            "is above the upper one. Given: 2 > 1.",
        ),
        (LINKS.format(JOINT.format(LIMIT + '<axis xyz="0 0 0"/>')), "must not be zero"),
        (LINKS.format(JOINT.format(LIMIT + '<axis xyz="0 nan 1"/>')), "3 finite numbers separated by spaces"),
        (LINKS.format(JOINT.format(LIMIT + '<axis xyz="0 1"/>')), "Given: '0 1'."),
        (LINKS.format(JOINT.format(LIMIT).replace('"b"', '"bb"')), "Given: bb. Did you mean 'b'?"),
        (LINKS.format(JOINT.format(LIMIT) + JOINT.format(LIMIT)), "names must be unique. Given: j."),
        (LINKS.format(JOINT.format(LIMIT).replace("revolute", "planar")), "Given: planar. Allowed: fixed,"),
        (LINKS.format(JOINT.format(LIMIT + '<mimic joint="k"/>')), "mimics another"),
        (LINKS.format(""), "exactly one link must have no parent. Given: a, b."),
        (
            LINKS.format(
                JOINT.format(LIMIT)
                + '<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>'
            ),
            "form a loop",
        ),
        (
            LINKS.format(
                JOINT.format(LIMIT)
                + '<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint>'
            ),
            "is the child of two joints",
        ),
        ('<robot><link name="a"><inertial/></link></robot>', "The mass is missing."),
        ('<robot><link name="a"><inertial><mass value="-1"/></inertial></link></robot>', "at least 0 kg"),
        (
            '<robot><link name="a"><inertial><mass value="1"/>\n'
            '<inertia ixx="1" iyy="1" izz="3"/></inertial></link></robot>',
            "arm.urdf:2: <inertia>: The inertia is impossible",
        ),
        ('<robot><link name="a"><visual/></link></robot>', "needs a <geometry>"),
        ("<robot><link/></robot>", "The attribute 'name' is missing."),
        (b'<?xml version="1.0" encoding="nonsense"?><robot/>', "unknown encoding"),
        (b"\xff\xfe\x00", "well-formed"),
    ],
)
def test_invalid_files_give_a_message_with_the_line(text, said):
    assert said in problem(text)


BOMB = (
    """<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<robot name="&b;"/>"""
)
FILE = """<?xml version="1.0"?>\n<!DOCTYPE r SYSTEM "file:///etc/passwd">\n<robot name="r"/>"""


@pytest.mark.parametrize("text", [BOMB, FILE])
def test_document_types_and_entities_are_refused(text):
    assert "are refused" in problem(text)


def test_too_large_files_are_rejected(tmp_path):
    assert "nested more than" in problem("<robot>" + "<a>" * 100)
    with pytest.raises(InputError, match="larger than 10 MB"):
        parse_xml(b" " * (MAX_BYTES + 1), "arm.urdf")
    with pytest.raises(InputError, match="does not exist"):
        read_urdf(tmp_path / "none.urdf")
    with pytest.raises(InputError, match="is a folder"):
        read_urdf(tmp_path)
