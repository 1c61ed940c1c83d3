"""Force laws of springs, stops, drives, struts, welds and loads."""

import math

import numpy as np
import pytest

from dynamics.systems import (
    EPS,
    INTEGRATORS,
    TIGHT,
    assemble,
    attitude,
    energy_and_momentum,
    evaluate,
    simulate,
    simulate_with_peaks,
    solid,
    vector,
)
from softdock.dynamics.system_records import system_records
from softdock.elements.drive.model import Drive
from softdock.elements.load.model import Load, Pulse
from softdock.elements.spring.model import Exponential, Spring
from softdock.elements.stop.model import Stop
from softdock.elements.strut.model import Strut
from softdock.elements.weld.model import Weld
from softdock.model.system import Body, System
from softdock.theory import restitution
from softdock.theory import rigid_body as theory
from softdock.tree.frames import Anchor
from softdock.tree.joints import Free, Prismatic, Revolute, Spherical, Universal

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def slider(position=0.0, speed=0.0, mass=2.0):
    return {"mass": Body(mass=mass, joint=Prismatic(position=position, speed=speed))}


def evaluate_element(system: System, name: str, t: float = 0.0):
    """Return the record of an element after one evaluation at the start, and the rate of the state."""
    assembly = assemble(system)
    dy, records = evaluate(assembly, t=t)
    return records.element_data[assembly.element_index[name]], dy


# Springs


@pytest.mark.plain_python
@pytest.mark.parametrize("exponent", [1.0, 2.5, 4.0])
@pytest.mark.parametrize("position", [0.03, -0.03, 0.0])
def test_exponential_spring_has_the_force_and_the_energy_of_its_law(exponent, position):
    law = (200.0, 0.02, exponent)
    grows = Exponential(reference=0.02, exponent=exponent)
    system = System(
        bodies=slider(position), springs={"s": Spring(joint="mass", stiffness=200.0, exponential=grows)}
    )
    spring, dy = evaluate_element(system, "s")
    force = theory.exponential_spring_force(position, *law)
    assert spring.force == pytest.approx(force, rel=8 * EPS)
    assert spring.energy == pytest.approx(theory.exponential_spring_energy(position, *law), rel=8 * EPS)
    assert dy[1] == pytest.approx(-force / 2.0, rel=8 * EPS)


@pytest.mark.plain_python
def test_preload_pushes_towards_negative_positions_and_stores_energy():
    spring = Spring(joint="mass", stiffness=100.0, rest=0.1, preload=5.0)
    record, dy = evaluate_element(System(bodies=slider(0.1), springs={"s": spring}), "s")
    assert (record.force, dy[1]) == (5.0, -2.5)
    record, dy = evaluate_element(System(bodies=slider(0.05), springs={"s": spring}), "s")
    assert dy[1] == pytest.approx(0.0, abs=EPS)  # the position where spring and preload balance
    assert record.energy == pytest.approx(0.5 * 100 * 0.05**2 - 5.0 * 0.05)


@pytest.mark.plain_python
@pytest.mark.parametrize("angle", np.linspace(0.0, math.pi, 5))
def test_spring_of_a_universal_joint_is_the_same_in_all_directions(angle):
    tilt = 0.2
    joint = Universal(angles=(tilt * math.cos(angle), tilt * math.sin(angle)))
    grows = Exponential(reference=0.1, exponent=3.0)
    system = System(
        bodies={"probe": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=joint)},
        springs={"gimbal": Spring(joint="probe", stiffness=7.0, exponential=grows)},
    )
    record, _ = evaluate_element(system, "gimbal")
    assert record.deflection == pytest.approx(tilt, rel=4 * EPS)
    assert record.force == pytest.approx(theory.exponential_spring_force(tilt, 7.0, 0.1, 3.0), rel=8 * EPS)
    _, records = evaluate(assemble(system))
    torque = np.array([axis.tau for axis in records.axes])
    assert torque == pytest.approx(
        -record.force * np.array([math.cos(angle), math.sin(angle)]), abs=8 * EPS * record.force
    )


@pytest.mark.plain_python
@pytest.mark.parametrize("turn", [1e-9, 0.3, 3.0])
def test_spring_of_a_ball_joint_turns_back_about_the_axis_of_the_deflection(turn):
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    turned = (math.cos(turn / 2), *(math.sin(turn / 2) * axis))
    system = System(
        bodies={"ball": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Spherical(turned=turned))},
        springs={"s": Spring(joint="ball", stiffness=7.0)},
    )
    record, dy = evaluate_element(system, "s")
    assert record.energy == pytest.approx(0.5 * 7.0 * turn**2, rel=1e-12)
    assert dy[4:7] == pytest.approx(-7.0 * turn * axis, rel=1e-12)


# Stops


def bounce_on_stop(damping_ratio, mass=2.0, stiffness=5000.0):
    damping = 2 * damping_ratio * math.sqrt(stiffness * mass)
    return System(
        bodies=slider(-0.1, 0.5, mass),
        stops={"stop": Stop(joint="mass", upper=0.0, lower=-10.0, stiffness=stiffness, damping=damping)},
    )


@pytest.mark.parametrize("zeta", [0.0, 0.1, 0.3, 0.9])
def test_stop_never_pulls_and_rebounds_by_its_damping(zeta):
    """The restitution is that of a spring and damper that is released at zero force."""
    run, seen = simulate_with_peaks(
        bounce_on_stop(zeta), ["stop.force", "mass.joint_rate"], 0.6, accuracy=TIGHT
    )
    assert seen["stop.force"].min() >= 0.0
    assert run.peaks[0].smallest >= 0.0
    e = restitution.kelvin_voigt_restitution(zeta)
    assert run.state[1] / -0.5 == pytest.approx(e, abs=1e-7)
    assert run.end.balance == pytest.approx(run.start.balance, abs=1e-8)
    assert run.end.dissipated == pytest.approx(0.5 * 2.0 * 0.5**2 * (1 - e**2), abs=1e-7)


def test_stop_works_on_both_sides():
    system = bounce_on_stop(0.0).model_copy(
        update={"stops": {"stop": Stop(joint="mass", lower=-0.2, upper=0.0, stiffness=5000.0)}}
    )
    run, _ = simulate_with_peaks(system, ["mass.joint"], 3.0, accuracy=TIGHT)
    reach = 0.5 * math.sqrt(2.0 / 5000.0)
    assert run.peaks[0].largest == pytest.approx(reach, abs=1e-7)
    assert run.peaks[0].smallest == pytest.approx(-0.2 - reach, abs=1e-7)


@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("limits", "position", "deflection"),
    [
        ({"lower": -0.02}, 0.05, -0.07),
        ({"lower": -0.02}, -0.03, 0.01),
        ({"upper": 0.03}, -0.05, -0.08),
        ({"upper": 0.03}, 0.04, 0.01),
        ({"lower": -0.02, "upper": 0.03}, -0.01, -0.01),  # the nearer limit
        ({"lower": -0.02, "upper": 0.03}, 0.025, -0.005),
        ({"lower": -0.02, "upper": 0.03}, -0.025, 0.005),
        ({"lower": -0.02, "upper": 0.03}, 0.035, 0.005),
    ],
)
def test_deflection_of_a_stop_is_measured_from_the_nearer_limit(limits, position, deflection):
    system = System(bodies=slider(position), stops={"stop": Stop(joint="mass", stiffness=5000.0, **limits)})
    stop, dy = evaluate_element(system, "stop")
    assert stop.deflection == pytest.approx(deflection, abs=EPS)
    force = 5000.0 * max(0.0, deflection)
    assert stop.force == pytest.approx(force, rel=1e-12)
    assert dy[1] == pytest.approx(-math.copysign(force, position) / 2.0, rel=1e-12)


def test_stop_of_a_universal_joint_is_a_cone():
    joint = Universal(rates=(0.6, 0.8))
    system = System(
        bodies={"probe": Body(mass=1.0, inertia=(1.0, 1.0, 1e-9), joint=joint)},
        stops={"cone": Stop(joint="probe", limit=0.3, stiffness=400.0)},
    )
    run, seen = simulate_with_peaks(system, ["cone.force", "cone.deflection"], 0.5, accuracy=TIGHT)
    assert seen["cone.force"].min() == 0.0
    assert run.peaks[1].largest > 0.0
    assert run.end.balance == pytest.approx(run.start.balance, abs=1e-8)


# Drives


@pytest.mark.plain_python
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_force_of_a_drive_at_its_force_limit_is_the_limit(integrator):
    drive = Drive(joint="mass", target=10.0, stiffness=1e4, damping=10.0, max_force=3.0)
    run, seen = simulate_with_peaks(
        System(bodies=slider(), drives={"motor": drive}),
        ["motor.force", "mass.joint"],
        1.0,
        **INTEGRATORS[integrator],
    )
    assert np.all(seen["motor.force"] == 3.0)
    assert run.state[0] == pytest.approx(0.5 * 3.0 / 2.0, rel=1e-12)
    assert run.end.work == pytest.approx(3.0 * run.state[0], rel=1e-12)


def test_power_of_a_drive_at_its_power_limit_is_the_limit():
    drive = Drive(joint="mass", follows="speed", target=50.0, damping=1e4, max_power=6.0)
    run = simulate(System(bodies=slider(speed=1.0), drives={"motor": drive}), 2.0, accuracy=TIGHT)
    assert run.end.work == pytest.approx(6.0 * 2.0, rel=1e-9)
    assert run.end.kinetic == pytest.approx(0.5 * 2.0 * 1.0**2 + 12.0, rel=1e-8)


@pytest.mark.plain_python
def test_a_braking_drive_is_not_limited_in_power():
    drive = Drive(joint="mass", follows="speed", target=0.0, damping=10.0, max_power=1e-3)
    record, _ = evaluate_element(System(bodies=slider(speed=2.0), drives={"motor": drive}), "motor")
    assert (record.force, record.power) == (-20.0, -40.0)


@pytest.mark.plain_python
@pytest.mark.parametrize(("target", "t", "command"), [(1.0, 0.5, 0.1), (-1.0, 0.5, -0.1), (1.0, 9.0, 1.0)])
def test_the_command_moves_at_its_rate(target, t, command):
    drive = Drive(joint="mass", target=target, rate=0.2, stiffness=100.0, damping=7.0)
    record, _ = evaluate_element(System(bodies=slider(), drives={"motor": drive}), "motor", t)
    moving = 0.2 * np.sign(target) if t < 5.0 else 0.0
    assert record.deflection == pytest.approx(-command)
    assert record.force == pytest.approx(100.0 * command + 7.0 * moving)


@pytest.mark.plain_python
@pytest.mark.parametrize("follows", ["position", "speed"])
def test_a_drive_without_rate_limit_jumps_to_its_target_at_once(follows):
    drive = Drive(joint="mass", follows=follows, target=0.3, stiffness=100.0, damping=7.0)
    record, _ = evaluate_element(System(bodies=slider(), drives={"motor": drive}), "motor", 0.0)
    assert record.force == pytest.approx(30.0 if follows == "position" else 2.1)


# Loads


@pytest.mark.plain_python
@every_integrator
def test_pulses_give_their_impulse_exactly(integrator):
    """Pulses that begin and end inside steps, overlap and have factors give force times time to rounding."""
    pulses = (
        Pulse(start=0.1234, duration=0.2, scale=2.0),
        Pulse(start=0.2, duration=0.3337),
        Pulse(start=0.71, duration=10.0, scale=-0.5),
    )
    load = Load(body="sat", force=(1.0, 2.0, -3.0), axes="world", pulses=pulses)
    body = Body(mass=2.0, inertia=(1.0, 1.0, 1.0), joint=Free())
    run = simulate(System(bodies={"sat": body}, loads={"jet": load}), 1.0, **INTEGRATORS[integrator])
    seconds = 2.0 * 0.2 + 0.3337 - 0.5 * (1.0 - 0.71)
    impulse = seconds * np.array([1.0, 2.0, -3.0])
    assert np.abs(run.end.linear_momentum - impulse).max() <= 100 * EPS * run.steps
    assert run.end.kinetic == pytest.approx(run.end.work, rel=1e-12)


@pytest.mark.plain_python
@every_integrator
def test_a_table_of_steps_holds_each_value_until_the_next(integrator):
    load = Load(body="sat", torque=(0.0, 0.0, 1.0), table=((0.1001, 1.0), (0.3003, -2.0), (0.5005, 0.0)))
    body = Body(mass=2.0, inertia=(1.0, 1.0, 1.0), joint=Free())
    run = simulate(System(bodies={"sat": body}, loads={"wheel": load}), 1.0, **INTEGRATORS[integrator])
    assert run.end.angular_momentum[2] == pytest.approx(0.2002 * (1.0 - 2.0), abs=100 * EPS * run.steps)


def test_force_in_body_axes_turns_with_the_body():
    """A force along a body axis, away from the centre of mass: the spin grows linearly and turns the force."""
    load = Load(body="sat", at=(0.0, 0.5, 0.0), force=(-2.0, 0.0, 0.0))
    body = Body(mass=4.0, inertia=(1.0, 1.0, 1.0), joint=Free())
    run, seen = simulate_with_peaks(
        System(bodies={"sat": body}, loads={"jet": load}), ["sat.wz", "sat.vx"], 1.0, accuracy=TIGHT
    )
    assert seen["sat.wz"][-1] == pytest.approx(1.0, rel=1e-9)
    t = np.linspace(0.0, 1.0, 2001)
    speed = np.trapezoid(-2.0 / 4.0 * np.cos(0.5 * t**2), t)  # the body has turned by t^2 / 2
    assert seen["sat.vx"][-1] == pytest.approx(speed, abs=1e-7)
    assert run.end.kinetic == pytest.approx(run.end.work, rel=1e-9)


# Struts and welds


def pair(rng, **elements) -> System:
    return System(
        bodies={name: Body(**solid(rng), joint=Free(position=vector(rng))) for name in "ab"}, **elements
    )


@pytest.mark.plain_python
def test_a_strut_pulls_along_its_line():
    strut = Strut(
        a=Anchor(body="a"), b=Anchor(body="b"), stiffness=10.0, length=0.5, preload=2.0, damping=3.0
    )
    bodies = {
        "a": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Free()),
        "b": Body(
            mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Free(position=(0.0, 0.8, 0.0), velocity=(9.0, 0.1, 0.0))
        ),
    }
    record, dy = evaluate_element(System(bodies=bodies, struts={"s": strut}), "s")
    assert record.force == pytest.approx(10.0 * 0.3 + 2.0 + 3.0 * 0.1)
    assert dy[17:20] == pytest.approx([0.0, record.force, 0.0])
    assert dy[23:26] == pytest.approx([0.0, -record.force, 0.0])


@pytest.mark.plain_python
def test_strut_of_zero_length_has_no_force():
    strut = Strut(a=Anchor(body="a"), b=Anchor(body="b"), stiffness=10.0)
    body = Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Free())
    _, dy = evaluate_element(System(bodies={"a": body, "b": body}, struts={"s": strut}), "s")
    assert not np.abs(dy).any()


def rate_of_energy(assembly, y):
    """Return the rate of kinetic and stored energy, power minus dissipation [W], and the rounding error."""
    dy, _ = evaluate(assembly, y)

    def energy(t):
        found = energy_and_momentum(system_records(assembly), y + t * dy)
        return found.kinetic + found.stored

    h = 2e-5  # step of fourth-order central differences; at rates of 10 rad/s rounding, eps / h, is the larger error
    rate = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h)
    return rate, dy[-1] - dy[-2], 20 * EPS / h * energy(0.0)


@pytest.mark.plain_python
@pytest.mark.parametrize("seed", range(6))
def test_force_of_a_weld_is_the_gradient_of_its_energy_at_any_deflection(seed):
    """At small and large rotations the energy changes by the power of the forces, and momentum is conserved."""
    rng = np.random.default_rng(seed)
    weld = Weld(
        a=Anchor(body="a", at=vector(rng), attitude=attitude(rng)),
        b=Anchor(body="b", at=vector(rng), attitude=attitude(rng)),
        stiffness=30.0,
        angular_stiffness=20.0,
        active=True,
    )
    assembly = assemble(pair(rng, welds={"weld": weld}))
    y = assembly.y.copy()
    assert evaluate(assembly)[1].element_data[0].energy <= 1e-20  # the weld holds the pose at the start
    y[3:7] = attitude(rng) if seed else y[3:7] + 1e-5 * rng.normal(size=4)
    y[7:10] += vector(rng, 0.2)
    y[14:26] = rng.normal(size=12)
    dy, records = evaluate(assembly, y)
    assert records.element_data[0].energy > 0.0
    forces = dy[14:20] + dy[20:26]
    assert np.abs(forces).max() <= 8 * EPS * np.abs(dy[14:26]).max()
    rate, power, rounding = rate_of_energy(assembly, y)
    assert rate == pytest.approx(power, abs=rounding)


@pytest.mark.plain_python
def test_a_weld_damps_relative_motion_only():
    rng = np.random.default_rng(1)
    weld = Weld(
        a=Anchor(body="a"),
        b=Anchor(body="b"),
        stiffness=30.0,
        angular_stiffness=20.0,
        damping=5.0,
        angular_damping=4.0,
        active=True,
    )
    system = pair(rng, welds={"weld": weld})
    a, b = (system.bodies[n].joint for n in "ab")
    w = np.array([0.3, -0.5, 0.2])
    velocity = np.array([0.1, 0.2, 0.3])

    def carried(joint):
        return joint.model_copy(
            update={"rate": tuple(w), "velocity": tuple(velocity + np.cross(w, joint.position))}
        )

    together = system.model_copy(
        update={
            "bodies": {
                n: system.bodies[n].model_copy(update={"joint": carried(j)}) for n, j in (("a", a), ("b", b))
            }
        }
    )
    record, _ = evaluate_element(together, "weld")
    assert record.loss <= 1e-25


def test_stiff_weld_tends_to_a_rigid_connection():
    """The difference from the motion of one rigid body falls with the stiffness of the weld."""

    def final(bodies, **elements):
        system = System(bodies=bodies, **elements)
        run, _ = simulate_with_peaks(
            system, ["a.x", "a.y", "a.z", "a.wx", "a.wy", "a.wz"], 1.0, accuracy=TIGHT
        )
        return run.history[-1, 1:]

    rng = np.random.default_rng(4)
    joint = Free(velocity=(0.1, 0.2, 0.0), rate=(0.3, 0.5, -0.2))
    a, b = solid(rng), solid(rng)
    at = np.array([0.5, 0.2, 0.1])
    one = final(
        {"a": Body(**a, joint=joint), "b": Body(**b, parent="a", joint={"type": "fixed", "at": tuple(at)})}
    )
    velocity = np.array(joint.velocity) + np.cross(joint.rate, at)
    other = Free(position=tuple(at), velocity=tuple(velocity), rate=joint.rate)
    errors = []
    for k in (1e3, 1e4):
        weld = Weld(
            a=Anchor(body="a"), b=Anchor(body="b"), stiffness=k, angular_stiffness=k, damping=k / 50,
            angular_damping=k / 50, active=True,
        )  # fmt: skip
        two = final({"a": Body(**a, joint=joint), "b": Body(**b, joint=other)}, welds={"weld": weld})
        errors.append(np.abs(two - one).max())
    assert errors[1] < 0.2 * errors[0]
    assert errors[1] < 1e-3


def test_elements_on_different_joints_do_not_disturb_each_other():
    """Two pendulums in one system move as each of them alone."""

    def bob(rate):
        return Body(mass=1.0, centre_of_mass=(0, -1, 0), inertia=(1, 1, 1), joint=Revolute(rate=rate))

    springs = {n + "s": Spring(joint=n, stiffness=3.0 + i) for i, n in enumerate("ab")}
    both = simulate(System(bodies={"a": bob(1.0), "b": bob(2.0)}, springs=springs), step=0.01)
    alone = [
        simulate(System(bodies={n: bob(1.0 + i)}, springs={n + "s": springs[n + "s"]}), step=0.01)
        for i, n in enumerate("ab")
    ]
    assert [both.state[0], both.state[1]] == [run.state[0] for run in alone]
