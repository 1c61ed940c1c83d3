"""Simulated motions against closed forms."""

import math

import numpy as np
import pytest

from dynamics.systems import EPS, INTEGRATORS, TIGHT, assemble, body_pose, simulate, simulate_with_peaks
from softdock.dynamics.settings import Method, StepTolerances
from softdock.elements.spring.model import Exponential, Spring
from softdock.elements.strut.model import Strut
from softdock.model.system import Body, System
from softdock.theory import rigid_body as theory
from softdock.tree.frames import Anchor
from softdock.tree.joints import AxisAngle, Cylindrical, Free, Prismatic, Revolute

# Sum of the errors of all steps; each is below the accuracy, and far below it in smooth motion.
CLOSE = {"rel": 1e-8, "abs": 1e-8}
every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def settings_of(integrator):
    """Return settings with which the error of an integrator, of order h^3, h^4 or h^5, is below CLOSE."""
    return {
        "adaptive": {"accuracy": TIGHT},
        "fixed": {"step": 0.005},
        "rk4": {"step": 0.002, "method": Method.RUNGE_KUTTA_4},
        "bogacki-shampine": {"step": 0.0002, "method": Method.BOGACKI_SHAMPINE},
        "rosenbrock": {"step": 0.0002, "method": Method.ROSENBROCK},
    }[integrator]


@every_integrator
@pytest.mark.parametrize("rate", [(0.02, 1.5, 0.03), (1.2, 0.3, 0.4), (0.2, -0.5, -1.4)])
def test_torque_free_asymmetric_body(rate, integrator):
    """The rates are elliptic functions, and the angular momentum is constant in N."""
    inertia = (1.0, 2.0, 2.7)
    system = System(bodies={"racket": Body(mass=2.0, inertia=inertia, joint=Free(rate=rate))})
    names = ["racket.wx", "racket.wy", "racket.wz"]
    run, seen = simulate_with_peaks(system, names, 20.0, record_rate=2.0, **settings_of(integrator))
    allowed = CLOSE["abs"] * max(np.abs(rate)) / min(np.abs(rate))  # growth of a deviation from an axis
    for row, t in enumerate(seen["time"]):
        w_B = theory.torque_free_rate(t, inertia, rate)
        size = np.linalg.norm([seen[n][row] for n in names])  # the channels are in world axes
        assert size == pytest.approx(np.linalg.norm(w_B), abs=allowed)
    R_NB, _ = body_pose(assemble(system), run.state, "racket")
    w_B = R_NB.T @ [seen[n][-1] for n in names]
    assert w_B == pytest.approx(theory.torque_free_rate(20.0, inertia, rate), abs=allowed)
    assert R_NB @ (np.array(inertia) * w_B) == pytest.approx(np.array(inertia) * rate, rel=1e-12)


def test_spin_about_the_middle_axis_reverses_after_half_a_tumble():
    """A body that spins about its middle axis is unstable and flips over (Dzhanibekov effect)."""
    inertia, rate = (1.0, 2.0, 2.7), (1e-3, 1.0, 0.0)
    half = theory.tumble_period(inertia, rate) / 2
    system = System(bodies={"racket": Body(mass=2.0, inertia=inertia, joint=Free(rate=rate))})
    run = simulate(system, half, accuracy=TIGHT)
    R_NB, _ = body_pose(assemble(system), run.state, "racket")
    momentum_B = R_NB.T @ run.end.angular_momentum
    assert momentum_B == pytest.approx([1e-3, -2.0, 0.0], abs=1e-6)


@every_integrator
def test_torque_free_body_of_revolution(integrator):
    axial, transverse, rate = 2.0, 1.2, (0.3, -0.2, 1.5)
    system = System(bodies={"top": Body(mass=2.0, inertia=(1.2, 1.2, 2.0), joint=Free(rate=rate))})
    run = simulate(system, 10.0, **settings_of(integrator))
    R_NB, p_NB = body_pose(assemble(system), run.state, "top")
    expected = theory.symmetric_top_attitude(10.0, axial, transverse, rate)
    assert np.abs(R_NB - expected).max() <= CLOSE["abs"]
    assert np.abs(p_NB).max() == 0.0


def test_a_free_body_flies_straight_about_its_centre_of_mass():
    centre, velocity, rate = (
        np.array([0.3, -0.2, 0.5]),
        np.array([0.4, 0.1, -0.3]),
        np.array([0.5, 1.0, -0.7]),
    )
    body = Body(
        mass=3.0,
        centre_of_mass=tuple(centre),
        inertia=(1.0, 2.0, 2.5),
        joint=Free(velocity=tuple(velocity), rate=tuple(rate)),
    )
    system = System(bodies={"body": body})
    run = simulate(system, 5.0, accuracy=TIGHT)
    R_NB, p_NB = body_pose(assemble(system), run.state, "body")
    expected = centre + 5.0 * (velocity + np.cross(rate, centre))
    assert p_NB + R_NB @ centre == pytest.approx(expected, **CLOSE)


PENDULUM = {"mass": 2.0, "distance": 0.6, "inertia": 0.3, "gravity": 9.81}


def pendulum(amplitude):
    body = Body(
        mass=2.0,
        centre_of_mass=(0.0, -0.6, 0.0),
        inertia=(0.2, 0.2, 0.3),
        joint=Revolute(axis="z", angle=amplitude),
    )
    return System(bodies={"bob": body}, gravity=(0.0, -9.81, 0.0))


@every_integrator
@pytest.mark.parametrize("amplitude", [0.1, 1.5, 3.0])
def test_compound_pendulum_at_large_amplitude(amplitude, integrator):
    w0 = theory.pendulum_frequency(**PENDULUM)
    period = theory.pendulum_period(w0, amplitude)
    run, seen = simulate_with_peaks(
        pendulum(amplitude), ["bob.joint"], 2 * period, record_rate=10.0, **settings_of(integrator)
    )
    expected = theory.pendulum_angle(seen["time"], w0, amplitude)
    assert seen["bob.joint"] == pytest.approx(expected, rel=0, abs=1e-6 if integrator == "rk4" else 1e-7)
    assert run.state[0] == pytest.approx(amplitude, abs=1e-7)


@every_integrator
@pytest.mark.parametrize("zeta", [0.0, 0.05, 1.0, 2.5])
def test_mass_on_spring_and_damper(zeta, integrator):
    m, w = 2.0, 5.0
    system = System(
        bodies={"mass": Body(mass=m, joint=Prismatic(position=0.1, speed=-0.3))},
        springs={"spring": Spring(joint="mass", stiffness=m * w * w, damping=2 * zeta * m * w)},
    )
    run, seen = simulate_with_peaks(system, ["mass.joint", "mass.joint_rate"], 3.0, **settings_of(integrator))
    x, v = theory.oscillator(seen["time"], w, zeta, 0.1, -0.3)
    assert seen["mass.joint"] == pytest.approx(x, **CLOSE)
    assert seen["mass.joint_rate"] == pytest.approx(v, rel=1e-7, abs=1e-7)
    lost = 0.5 * m * (0.3**2 - v[-1] ** 2) + 0.5 * m * w * w * (0.1**2 - x[-1] ** 2)
    assert run.end.dissipated == pytest.approx(lost, **CLOSE)


@every_integrator
def test_two_free_bodies_on_a_strut(integrator):
    masses, k, length, speeds = (2.0, 3.0), 50.0, 0.8, (0.2, -0.3)
    direction = np.array([1.0, 2.0, -2.0]) / 3.0
    start = np.array([0.3, -0.2, 0.1])
    stretch = 0.05

    def body(mass, at, speed):
        joint = Free(position=tuple(at), velocity=tuple(speed * direction))
        return Body(mass=mass, inertia=(1.0, 1.0, 1.0), joint=joint)

    far = start + (length + stretch) * direction
    system = System(
        bodies={"a": body(masses[0], start, speeds[0]), "b": body(masses[1], far, speeds[1])},
        struts={"strut": Strut(a=Anchor(body="a"), b=Anchor(body="b"), stiffness=k, length=length)},
    )
    run = simulate(system, 3.0, **settings_of(integrator))
    u_a, u_b = theory.two_bodies(3.0, masses, k, stretch, speeds)
    assert body_pose(assemble(system), run.state, "a")[1] == pytest.approx(start + u_a * direction, **CLOSE)
    assert body_pose(assemble(system), run.state, "b")[1] == pytest.approx(far + u_b * direction, **CLOSE)


@pytest.mark.parametrize("exponent", [1.0, 2.5, 4.0])
def test_stroke_of_a_mass_on_an_exponential_spring(exponent):
    """Stroke, time of reversal and energy, from peaks on the dense output."""
    mass, speed, law = 3.0, 0.4, (200.0, 0.02, exponent)
    system = System(
        bodies={"mass": Body(mass=mass, joint=Prismatic(speed=speed))},
        springs={
            "spring": Spring(
                joint="mass", stiffness=law[0], exponential=Exponential(reference=law[1], exponent=exponent)
            )
        },
    )
    stroke, duration = theory.exponential_spring_stroke(mass, speed, *law)
    names = ["mass.joint", "spring.force", "spring.energy"]
    accuracy = StepTolerances(length=1e-7, angle=1e-7, speed=1e-6, rate=1e-6)
    run, _ = simulate_with_peaks(system, names, 1.5 * duration, record_rate=0.0, accuracy=accuracy)
    deflection, force, energy = run.peaks
    # Accuracy of one step, 1e-8 m and 1e-7 m/s; sensitivity of the stroke to the speed is about the duration.
    allowed = run.steps * (1e-8 + 1e-7 * duration)
    assert deflection.largest == pytest.approx(stroke, abs=allowed)
    assert force.largest == pytest.approx(theory.exponential_spring_force(stroke, *law), rel=1e-5)
    assert energy.largest == pytest.approx(0.5 * mass * speed**2, rel=1e-6)
    # At a peak of height S and curvature F/m an error of the height causes an error of the time.
    blur = math.sqrt(2 * allowed * mass / theory.exponential_spring_force(stroke, *law))
    assert deflection.t_largest == pytest.approx(duration, abs=blur)


def test_peaks_inside_steps_are_found():
    """With steps of a tenth of a period, peaks at the ends of steps alone would have errors of 5 %."""
    m, w = 1.0, 2 * math.pi
    system = System(
        bodies={"mass": Body(mass=m, joint=Prismatic(position=0.1, speed=0.03))},
        springs={"spring": Spring(joint="mass", stiffness=m * w * w)},
    )
    amplitude = math.hypot(0.1, 0.03 / w)
    errors = []
    for step in (0.1, 0.05):
        run, _ = simulate_with_peaks(system, ["mass.joint"], 1.0, step=step, record_rate=0.0)
        errors.append(abs(run.peaks[0].largest - amplitude))
        assert run.peaks[0].smallest == pytest.approx(-amplitude, abs=1e-2 * amplitude)
    # The vertex of the parabola has an error of h^2 in time; the peak and the interpolation have errors of h^4.
    assert errors[0] < 1e-3 * amplitude
    assert errors[1] < errors[0] / 2**3
    assert errors[1] > 10 * EPS


def test_free_body_under_gravity_follows_a_parabola():
    body = Body(mass=2.0, inertia=(1.0, 1.0, 1.0), joint=Free(velocity=(0.0, 0.0, 3.0)))
    system = System(bodies={"stone": body}, gravity=(0.0, 0.0, -9.81))
    run = simulate(system, 0.5)
    _, p_NB = body_pose(assemble(system), run.state, "stone")
    assert p_NB == pytest.approx([0.0, 0.0, 3.0 * 0.5 - 0.5 * 9.81 * 0.25], abs=1e-12)
    assert run.end.balance == pytest.approx(run.start.balance, abs=1e-12)


def test_a_turned_hinge_measures_its_own_angle():
    """The zero of a joint is where its attitude puts the body; the axis is that of the body."""
    joint = Revolute(at=(1.0, 0.0, 0.0), attitude=AxisAngle(axis="x", angle=math.pi / 2), axis="z", angle=0.3)
    system = System(bodies={"door": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=joint)})
    R_NB, p_NB = body_pose(assemble(system), assemble(system).y, "door")
    assert p_NB == pytest.approx([1.0, 0.0, 0.0])
    assert R_NB[:, 2] == pytest.approx([0.0, -1.0, 0.0], abs=1e-15)
    assert R_NB[:, 0] == pytest.approx([math.cos(0.3), 0.0, math.sin(0.3)])


@every_integrator
def test_a_cylindrical_joint_swings_along_and_about_its_axis_with_periods_of_their_own(integrator):
    """m x'' = -k x and I a'' = -c a: the slide and the turn do not see each other."""
    mass, inertia, stiffness, torsion = 2.0, 0.3, 18.0, 7.5
    joint = Cylindrical(axis=(0.0, 3.0, 4.0), position=0.1, rate=0.6)
    system = System(
        bodies={"probe": Body(mass=mass, inertia=(inertia, inertia, inertia), joint=joint)},
        springs={
            "along": Spring(joint="probe", axis=0, stiffness=stiffness),
            "about": Spring(joint="probe", axis=1, stiffness=torsion),
        },
    )
    names = ["probe.joint", "probe.joint1", "probe.y", "probe.z"]
    _, seen = simulate_with_peaks(system, names, 5.0, record_rate=4.0, **settings_of(integrator))
    slide = 0.1 * np.cos(math.sqrt(stiffness / mass) * seen["time"])
    rate = math.sqrt(torsion / inertia)
    assert seen["probe.joint"] == pytest.approx(slide, **CLOSE)
    assert seen["probe.joint1"] == pytest.approx(0.6 / rate * np.sin(rate * seen["time"]), **CLOSE)
    assert seen["probe.y"] == pytest.approx(0.6 * slide, **CLOSE)
    assert seen["probe.z"] == pytest.approx(0.8 * slide, **CLOSE)
