"""Robot descriptions (URDF)."""

from functools import cache
from importlib import resources
from pathlib import Path
from random import Random

from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import TEXT, mutate

from softdock.robot.urdf import parse_urdf

SMALL = b"""<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1" rpy="0 0.1 0"/><mass value="2.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0.001" iyy="0.02" iyz="0" izz="0.004"/></inertial>
    <visual><geometry><cylinder radius="0.05" length="0.3"/></geometry></visual>
    <collision><geometry><mesh filename="upper.stl" scale="1 1 1"/></geometry></collision>
  </link>
  <link name="tool"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><origin xyz="0 0 0.2"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="tool"/><axis xyz="1 0 0"/><limit lower="0" upper="0.5" effort="10" velocity="2"/>
    <mimic joint="shoulder" multiplier="0.1"/>
  </joint>
</robot>
"""


@cache
def _valid() -> tuple[bytes, ...]:
    folder = resources.files("softdock.robot") / "bundled"
    bundled = [file.read_bytes() for file in folder.iterdir() if file.name.endswith(".urdf")]
    return (*[SMALL] * (3 * len(bundled)), *bundled)


def make(random: Random) -> Files:
    """Return a mutated description."""
    return {"robot.urdf": mutate(random.choice(_valid()), random, TEXT)}


def read(files: Files, folder: Path) -> None:
    """Read a description."""
    parse_urdf(files["robot.urdf"])


FORMAT = Format(make=make, read=read, stored=False)
