"""User-defined controllers in Python: closed forms, momentum and energy, measurements, links, messages."""

from typing import Any

import numpy as np
import pytest
from tests.gnc.chasers import chaser, controller

from softdock.elements.load.model import Load
from softdock.errors import InputError
from softdock.robot.link_local import LocalLink
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import RobotServer
from softdock.robot.simulated_network import Conditions, SimulatedNetwork
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.simulation.control import Actuation, ControlInterface, Measurement, UserController, Wrench
from softdock.simulation.control_link import (
    ActuatorLimits,
    ServedSystem,
    control_over_link,
    pack_measurement,
    unpack_measurement,
)
from softdock.simulation.real_time import RealTime
from softdock.spatial.rotations import matrix_from_quaternion

MASS, INERTIA = 20.0, (3.0, 4.0, 5.0)
ARM_MASS = 2.0


def servicer(duration: float = 2.0, *, joint: str = "prismatic", **start: Any) -> MultibodyScenario:
    """Return a free hub with an arm on one joint."""
    hub = {"mass": MASS, "inertia": INERTIA, "joint": {"type": "free", **start}}
    arm = {"mass": ARM_MASS, "inertia": (0.1, 0.1, 0.1), "parent": "hub", "joint": {"type": joint}}
    if joint in ("prismatic", "revolute"):
        arm["joint"]["axis"] = "x"
    return MultibodyScenario.model_validate(
        {"duration": duration, "record": {"rate": 20.0}, "bodies": {"hub": hub, "arm": arm}}
    )


class ConstantController(UserController):
    """Returns constant commands and stores the measurements."""

    def __init__(self, actuation: Actuation, interface: ControlInterface, period: float = 0.1) -> None:
        self.actuation, self.interface, self.period = actuation, interface, period
        self.seen: list[Measurement] = []

    def sample(self, measurement: Measurement) -> Actuation:
        self.seen.append(measurement)
        return self.actuation


HUB, BOTH = ControlInterface(bodies=("hub",)), ControlInterface(bodies=("hub",), joints=("arm",))


def test_a_constant_force_gives_a_parabola_and_its_work_is_counted() -> None:
    force, T = np.array([3.0, -2.0, 1.0]), 2.0
    result = simulate(
        servicer(T, joint="fixed"),
        controller=ConstantController(Actuation(wrenches={"hub": Wrench(force=force)}), HUB),
    )
    mass = MASS + ARM_MASS
    for axis, f in zip("xyz", force):
        assert result.history[f"hub.{axis}"][-1] == pytest.approx(f * T**2 / (2 * mass), rel=1e-9)
    assert result.audit.energy_residual < 1e-6


def test_a_torque_turns_with_the_body() -> None:
    """Torque about a principal axis of a spinning body: angle = w t + tau t^2 / 2J, also after many turns."""
    torque, rate, T = 6.0, 5.0, 3.0
    scenario = servicer(T, joint="fixed", rate=(0.0, 0.0, rate), attitude={"axis": "x", "angle": 0.7})
    hold = ConstantController(Actuation(wrenches={"hub": Wrench(torque=(0, 0, torque))}), HUB)
    result = simulate(scenario, controller=hold)
    inertia = INERTIA[2] + 0.1
    spin = np.linalg.norm([result.history[f"hub.w{k}"][-1] for k in "xyz"])
    assert spin == pytest.approx(rate + torque * T / inertia, rel=1e-6)
    assert result.audit.energy_residual < 1e-6


def test_joint_efforts_conserve_the_momentum_of_the_system() -> None:
    """A motor pushes an arm from its hub: x = f t^2 / 2 mu with the reduced mass, and the centre of mass stays."""
    effort, T = 1.5, 2.0
    result = simulate(
        servicer(T),
        controller=ConstantController(Actuation(efforts={"arm": effort}), ControlInterface(joints=("arm",))),
    )
    reduced = MASS * ARM_MASS / (MASS + ARM_MASS)
    assert result.history["arm.joint"][-1] == pytest.approx(effort * T**2 / (2 * reduced), rel=1e-9)
    assert result.audit.linear_momentum_drift is not None
    assert result.audit.linear_momentum_drift < 1e-12
    assert result.audit.energy_residual < 1e-12


def test_measurements_equal_the_motion_in_the_history() -> None:
    scenario = servicer(
        position=(1, 2, 3), velocity=(0.1, -0.2, 0.3), rate=(0.5, 0.4, -0.3), attitude={"axis": (1, 1, 0), "angle": 2}
    )  # fmt: skip
    push = ConstantController(Actuation(wrenches={"hub": Wrench(force=(1, 2, 3), torque=(0.3, 0, 0))}), BOTH)
    history = simulate(scenario, controller=push).history
    assert len(push.seen) == 20
    for one in push.seen:
        row, hub = int(np.argmin(np.abs(history.time - one.t))), one.bodies["hub"]
        wanted = [history[f"hub.{k}"][row] for k in ("x", "y", "z", "vx", "vy", "vz", "qw", "qx", "qy", "qz")]
        np.testing.assert_allclose([*hub.p, *hub.v, *hub.wxyz], wanted, atol=1e-6)
        # Channels of the angular velocity are in axes of the world.
        R = matrix_from_quaternion(hub.wxyz)
        np.testing.assert_allclose(R @ hub.w, [history[f"hub.w{k}"][row] for k in "xyz"], atol=1e-6)
        assert one.joints["arm"].position[0] == pytest.approx(history["arm.joint"][row], abs=1e-6)


def test_measurements_pass_a_link_unchanged() -> None:
    push = ConstantController(Actuation(), ControlInterface(observed=("hub",), joints=("arm",)))
    simulate(servicer(rate=(3.0, 2.0, 1.0)), controller=push)
    for one in push.seen:
        again = unpack_measurement(push.interface, one.t, *pack_measurement(push.interface, one))
        a, b = one.bodies["hub"], again.bodies["hub"]
        np.testing.assert_allclose(matrix_from_quaternion(a.wxyz), matrix_from_quaternion(b.wxyz), atol=1e-12)
        for before, after in ((a.p, b.p), (a.v, b.v), (a.w, b.w)):
            np.testing.assert_array_equal(before, after)


class SpringController(UserController):
    """Pulls the hub to the origin and the arm to its zero."""

    period, interface = 0.02, BOTH

    def sample(self, measurement: Measurement) -> Actuation:
        hub, arm = measurement.bodies["hub"], measurement.joints["arm"]
        force = matrix_from_quaternion(hub.wxyz).T @ (-30.0 * hub.p - 40.0 * hub.v)
        return Actuation(
            wrenches={"hub": Wrench(force=force)}, efforts={"arm": -5.0 * arm.position - 4.0 * arm.speed}
        )


def served() -> ServedSystem:
    return ServedSystem(servicer(100.0, position=(0.3, 0.0, 0.1)), BOTH)


def test_the_same_class_controls_a_system_in_process_and_behind_a_network() -> None:
    """A link without delay gives the same path; the first state on a network is that before the first cycle."""
    local = control_over_link(SpringController(), lambda: LocalLink(served(), 0.01), 2.0)
    server = RobotServer(served(), 0.01)
    remote = control_over_link(
        SpringController(), lambda: RemoteLink(SimulatedNetwork(server, Conditions()).transport()), 2.0
    )
    direct = simulate(servicer(2.0, position=(0.3, 0.0, 0.1)), controller=SpringController())
    assert local.completed
    assert remote.completed
    for name in ("hub.x", "hub.z", "arm.joint"):
        np.testing.assert_allclose(local.history[name], remote.history[name], atol=1e-9)
        sampled = np.interp(local.history.time, direct.history.time, direct.history[name])
        np.testing.assert_allclose(local.history[name], sampled, atol=1e-3 * 0.3)
    assert np.abs(local.history["hub.x"][-1]) < 0.1
    assert server.to_json()["refused"] == dict.fromkeys(server.to_json()["refused"], 0)


@pytest.mark.parametrize(
    ("interface", "words"),
    [
        (ControlInterface(bodies=("nobody",)), "allowed: hub"),
        (ControlInterface(bodies=("arm",)), "free body"),
        (ControlInterface(joints=("hub",)), "allowed: arm"),
        (ControlInterface(), "needs a body or a joint"),
    ],
)
def test_an_interface_that_the_scenario_does_not_have_is_refused(
    interface: ControlInterface, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        simulate(servicer(), controller=ConstantController(Actuation(), interface))


@pytest.mark.parametrize(
    ("actuation", "words"),
    [
        (Actuation(wrenches={"arm": Wrench()}), "not in its interface; allowed: hub"),
        (Actuation(efforts={"hub": 1.0}), "not in its interface; allowed: arm"),
        (Actuation(wrenches={"hub": Wrench(force=(1, 2))}), "three finite numbers"),
        (Actuation(wrenches={"hub": Wrench(torque=(0, np.nan, 0))}), "three finite numbers"),
        (Actuation(efforts={"arm": np.inf}), "must be finite"),
        (Actuation(efforts={"arm": (1.0, 2.0)}), "must be 1"),
        (Actuation(efforts={"arm": "much"}), "must be finite"),  # type: ignore[dict-item]
        (Actuation(wrenches={"hub": Wrench(force="up")}), "three finite numbers"),
        (None, "Sample must return an Actuation"),
    ],
)
def test_impossible_commands_are_refused(actuation: Actuation, words: str) -> None:
    with pytest.raises(InputError, match=words):
        simulate(servicer(), controller=ConstantController(actuation, BOTH))


def test_other_misuse_is_refused() -> None:
    nothing = ConstantController(Actuation(), None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must be a ControlInterface"):
        simulate(servicer(), controller=nothing)
    nothing = ConstantController(Actuation(), BOTH, period=0.0)
    with pytest.raises(InputError, match="above 0 s"):
        simulate(servicer(), controller=nothing)
    nothing.period = 0.1
    with pytest.raises(InputError, match="kind multibody"):
        simulate(load("impact-a"), controller=nothing)
    with pytest.raises(InputError, match="own samples"):
        simulate(servicer(), controller=nothing, real_time=RealTime())
    nothing.period = 0.015
    with pytest.raises(InputError, match=r"multiple of the cycle of the link, 0\.01 s"):
        control_over_link(nothing, lambda: LocalLink(served(), 0.01), 1.0)
    nothing.period, nothing.interface = 0.01, HUB
    with pytest.raises(InputError, match="has 7 values, the interface 6"):
        control_over_link(nothing, lambda: LocalLink(served(), 0.01), 1.0)


def test_commands_beyond_the_limits_of_a_served_system_are_refused() -> None:
    strong = ConstantController(Actuation(wrenches={"hub": Wrench(force=(6, 0, 0))}), HUB, period=0.01)
    system = ServedSystem(servicer(joint="fixed"), HUB, ActuatorLimits(force=5.0))
    with pytest.raises(InputError, match="exceeds the torque limit"):
        control_over_link(strong, lambda: LocalLink(system, 0.01), 1.0)


def test_an_element_with_the_name_of_an_actuator_is_refused() -> None:
    scenario = servicer().model_copy(update={"loads": {"command-hub": Load(body="hub")}})
    with pytest.raises(InputError, match="rename"):
        simulate(scenario, controller=ConstantController(Actuation(), HUB))


def test_a_body_or_wheel_with_a_controller_of_the_scenario_is_refused() -> None:
    wheel = {
        "mass": 1.0,
        "inertia": (0.1, 0.1, 0.1),
        "parent": "chaser",
        "joint": {"type": "revolute", "axis": "x"},
    }
    gnc = controller(wheels={"x": {"body": "spin", "max_torque": 1.0, "max_momentum": 5.0}})
    scenario = chaser(gnc, bodies={"spin": wheel})
    for interface in (ControlInterface(bodies=("chaser",)), ControlInterface(joints=("spin",))):
        with pytest.raises(
            InputError, match=r"`gnc.chaser` of the scenario acts on '(chaser|spin)', too, and two"
        ):
            simulate(scenario, controller=ConstantController(Actuation(), interface))
