"""Export to MJCF: the model has the same motion in MuJoCo, and omitted elements are reported."""

import subprocess
import sys

import numpy as np
import pytest

from dynamics.systems import SCENE_NAMES, SCENES, assemble, evaluate, scene
from softdock.elements.drive.model import Drive
from softdock.elements.load.model import Load
from softdock.elements.spring.model import Exponential, Spring
from softdock.elements.stop.model import Stop
from softdock.elements.strut.model import Strut
from softdock.elements.weld.model import Weld
from softdock.errors import InputError
from softdock.model.mjcf import to_mjcf
from softdock.model.orbit import SystemOrbit
from softdock.model.system import Body, System
from softdock.tree.frames import Anchor
from softdock.tree.joints import Fixed, Free, Prismatic, Revolute

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")

from dynamics.trees import accelerations, mujoco_accelerations, mujoco_at_start  # noqa: E402

BOX = {"mass": 2.0, "inertia": (1.0, 2.0, 2.5)}


@pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
def test_accelerations_of_every_joint_equal_those_of_mujoco(kind, floating):
    system = scene(kind, floating, lossy=True)
    springs = {n: s.model_copy(update={"exponential": None}) for n, s in system.springs.items()}
    system = system.model_copy(
        update={"springs": springs, "welds": {}, "drives": {}, "gravity": (1.0, -2.0, -9.0)}
    )
    assert to_mjcf(system).left_out == ()
    ours = np.concatenate(list(accelerations(system, assemble(system)).values()))
    theirs = np.concatenate(list(mujoco_accelerations(system).values()))
    assert np.abs(ours - theirs).max() <= 1e-10 * np.abs(ours).max()


def test_keyframe_has_the_bits_of_the_initial_state():
    body = Body(
        **BOX, joint=Free(position=(0.1, 0.2, 1 / 3), velocity=(1e-17, 0.3, 0.7), rate=(0.1, -2 / 3, 3e5))
    )
    arm = Body(**BOX, parent="ship", joint=Prismatic(position=1 / 7, speed=-1 / 9))
    _, data = mujoco_at_start(System(bodies={"ship": body, "arm": arm}))
    assert list(data.qpos[:3]) == [0.1, 0.2, 1 / 3]
    assert list(data.qvel) == [1e-17, 0.3, 0.7, 0.1, -2 / 3, 3e5, -1 / 9]
    assert data.qpos[7] == 1 / 7


def test_springs_on_one_axis_add_up():
    """Two springs with rest positions and a preload become one spring with another rest position."""
    springs = {
        "a": Spring(joint="arm", stiffness=3.0, rest=0.2, damping=0.5),
        "b": Spring(joint="arm", stiffness=5.0, rest=-0.1, preload=0.7, damping=0.25),
    }
    system = System(bodies={"arm": Body(**BOX, joint=Revolute(angle=0.4, rate=-0.3))}, springs=springs)
    dy, _ = evaluate(assemble(system))
    assert mujoco_accelerations(system)["arm"][0] == pytest.approx(dy[1], rel=1e-14)


def test_elements_that_mjcf_cannot_express_are_reported():
    anchors = {"a": Anchor(body="arm"), "b": Anchor(body="world")}
    system = System(
        bodies={"arm": Body(**BOX, joint=Revolute())},
        springs={
            "growing": Spring(
                joint="arm", stiffness=1.0, exponential=Exponential(reference=0.1), damping=2.0
            ),
            "sleeping": Spring(joint="arm", stiffness=1.0, active=False),
        },
        stops={"stop": Stop(joint="arm", upper=1.0, stiffness=10.0)},
        drives={"motor": Drive(joint="arm", target=1.0, stiffness=1.0)},
        welds={"weld": Weld(**anchors, stiffness=1.0, angular_stiffness=1.0)},
        struts={"pull": Strut(**anchors, preload=3.0)},
        loads={"wind": Load(body="arm", force=(1.0, 0.0, 0.0))},
    )
    exported = to_mjcf(system)
    assert [line.split(":")[0] for line in exported.left_out] == [
        "springs.growing", "struts.pull", "springs.sleeping", "stops.stop", "drives.motor", "welds.weld", "loads.wind",
    ]  # fmt: skip
    for sentence in exported.left_out:
        assert sentence in exported.text
    model, _ = mujoco_at_start(system)
    assert (model.jnt_stiffness[0], model.dof_damping[0]) == (0.0, 2.0)


@pytest.mark.parametrize(("start", "frame"), [("hill", "Hill frame"), ("world", "world")])
def test_omitted_orbit_is_reported(start, frame):
    system = System(bodies={"box": Body(**BOX, joint=Free())}, orbit=SystemOrbit(altitude=500e3, start=start))
    (sentence,) = to_mjcf(system).left_out
    assert sentence.startswith("orbit: ")
    assert sentence.endswith(f"relative to the {frame}.")


def test_moving_body_without_inertia_is_refused():
    cardan = Body(parent="world", joint=Revolute(axis="x"))
    probe = Body(**BOX, parent="cardan", joint=Revolute(axis="y"))
    with pytest.raises(InputError, match="needs mass and three moments"):
        to_mjcf(System(bodies={"cardan": cardan, "probe": probe}))


def test_massless_body_may_carry_a_fixed_body_with_mass():
    frame = Body(parent="world", joint=Revolute(axis="x", rate=1.0))
    box = Body(**BOX, parent="frame", joint=Fixed(at=(0.0, 0.3, 0.0)))
    system = System(bodies={"frame": frame, "box": box}, gravity=(0.0, 0.0, -9.81))
    ours = accelerations(system, assemble(system))["frame"]
    assert mujoco_accelerations(system)["frame"] == pytest.approx(ours, rel=1e-12)


SCENARIO = """
softdock: 1
kind: multibody
duration: 1 s
bodies:
  arm:
    mass: 2 kg
    inertia: [1, 2, 2.5]
    joint: {type: revolute, axis: y, rate: 0.5 rad/s}
springs:
  spring: {joint: arm, stiffness: 3 N*m/rad}
loads:
  wind: {body: arm, force: [1, 0, 0]}
"""


def softdock(*arguments):
    command = [sys.executable, "-m", "softdock.cli", *map(str, arguments)]
    script = "from softdock.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", script, *command[3:]], capture_output=True, text=True, check=False
    )


def test_the_command_writes_the_model_and_warns(tmp_path):
    file = tmp_path / "arm.yaml"
    file.write_text(SCENARIO, encoding="utf-8")
    done = softdock("export", "mjcf", file)
    assert done.returncode == 0
    assert "Not exported: loads.wind" in done.stderr
    assert mujoco.MjModel.from_xml_string(done.stdout).nv == 1
    done = softdock("export", "mjcf", file, "--out", tmp_path / "arm.xml")
    assert done.returncode == 0
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml")).jnt_stiffness[0] == 3.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export", "urdf", "impact-a"), "formats"),
        (("export", "mjcf", "impact-a"), "kind multibody"),
        (("export", "mjcf", "no-such-thing"), "neither"),
    ],
)
def test_invalid_exports_are_refused(arguments, said):
    done = softdock(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
