"""Force of a pin: continuity, gradient of an energy, and dissipation by damping and friction."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from contact.pin_poses import (
    LAW,
    R_HOLE,
    SHAPES,
    STIFFNESS,
    PinKernel,
    direction,
    pair,
    rotate,
    touching_pose,
)
from softdock.contact import CoulombFriction, MotionState
from softdock.contact.kernels.pins import DISSIPATION, ENERGY, MAXIMUM_DEPTH
from softdock.contact.pins import Damping, PinLaw
from softdock.errors import InputError

UP = np.array([0.0, 0.0, 1.0])
LEVER = 50.0  # [1/m] a torque is compared as a force at 20 mm


def largest_jump(force, samples=201):
    """Return the largest jump of a function on [-1, 1], found by bisection."""
    u = np.linspace(-1.0, 1.0, samples)
    values = [force(x) for x in u]
    steps = [np.abs(b - a).max() for a, b in itertools.pairwise(values)]
    worst = 0.0
    for k in np.argsort(steps)[-4:]:
        low, high, f_low, f_high = u[k], u[k + 1], values[k], values[k + 1]
        for _ in range(34):
            middle = 0.5 * (low + high)
            f = force(middle)
            if np.abs(f - f_low).max() > np.abs(f_high - f).max():
                high, f_high = middle, f
            else:
                low, f_low = middle, f
        worst = max(worst, np.abs(f_high - f_low).max())
    return worst, max(np.abs(v).max() for v in values)


def wrench(touching, P, a):
    a = a / np.linalg.norm(a)
    return touching(P, a)[:6] * [1.0, 1.0, 1.0, LEVER, LEVER, LEVER]


def tilted(angle, about=0.0):
    return np.array([math.sin(angle) * math.cos(about), math.sin(angle) * math.sin(about), math.cos(angle)])


D = 1e-4  # [m] depth at the transition
TRANSITIONS = {
    "bottom to wall": (pair(), (0.0025 + D, 0.0, -0.04), UP, (0.0, 0.0, 0.004), (0, 0, 0)),
    "wall to rim, cap": (pair(L=0.0), (0.0025 + D, 0.0, 0.0), UP, (0.0, 0.0, 0.004), (0, 0, 0)),
    "body on rim to cap on rim": (pair(), (0.0025 + D, 0.0, 0.0), tilted(0.2), (0.0, 0.0, 0.004), (0, 0, 0)),
    "body to cap, steep": (pair(), (0.0025 + D, 0.0, 0.0), tilted(1.2), (0.0, 0.0, 0.004), (0, 0, 0)),
    "rim to face": (pair(), (R_HOLE, 0.0, 0.0175 - D), UP, (0.003, 0.0, 0.0), (0, 0, 0)),
    "rim to face, across": (pair(), (R_HOLE, 0.001, 0.0175 - D), tilted(0.7, 2.0), (0.003, 0.003, 0.0), (0, 0, 0)),
    "along the wall, tipping": (pair(), (0.0025 + D, 0.0, -0.03), UP, (0.0, 0.0, 0.0), (0.002, 0, 0)),
    "inside, tipping": (pair(L=0.02), (0.0025 + D, 0.0, -0.03), UP, (0.0, 0.0, 0.0), (0.01, 0, 0)),
    "trailing cap leaves": (pair(L=0.02), (0.0025 + D, 0.0, -0.02), UP, (0.0, 0.0, 0.004), (0, 0, 0)),
    "one place to two, by tilt": (pair(r=0.0199), (0.0, 0.0003, 0.0), tilted(0.1), (0.0, 0.0, 0.0), (0.2, 0, 0)),
    "one place to two, aside": (pair(r=0.0199), (0.0, 0.0008, 0.0), tilted(0.25), (0.0, 0.0006, 0.0), (0, 0, 0)),
    "side changes": (pair(r=0.0199), (0.0, 0.0006, 0.0), tilted(0.3), (0.001, 0.0, 0.0), (0, 0, 0)),
    "flat on the face": (pair(L=0.1), (-0.05, 0.0, 0.0175 - D), (1.0, 0, 0), (0.0, 0.03, 0.0), (0, 0, 0)),
    "flat, along its axis": (pair(L=0.05), (0.0, 0.003, 0.0175 - D), (1.0, 0, 0), (0.04, 0.0, 0.0), (0, 0, 0)),
    "chamfer, all of it": (
        pair(chamfer_width=0.003, chamfer_depth=0.004), (0.0035, 0.0, 0.0), UP, (-0.0005, 0.0, 0.01), (0, 0, 0)
    ),
    "chamfer, body": (
        pair(chamfer_width=0.003, chamfer_depth=0.004), (0.0, 0.0, -0.02), tilted(0.3), (0.004, 0.0, 0.01), (0, 0, 0)
    ),
    "through the other end": (
        pair(straight=0.03, through=True), (0.0025 + D, 0.0, -0.03), tilted(0.02), (0.0, 0.0, 0.006), (0, 0, 0)
    ),
    "over the outer edge": (pair(sides=(0.06, 0.06)), (0.03, 0.0, 0.0175 - D), UP, (0.004, 0.0, 0.0), (0, 0, 0)),
    "over the corner": (pair(sides=(0.06, 0.06)), (0.03, 0.03, 0.0175 - D), UP, (0.004, 0.002, 0.0), (0, 0, 0)),
    "edge to side": (pair(sides=(0.06, 0.06)), (0.0475 - D, 0.0, 0.0), UP, (0.0, 0.0, 0.004), (0, 0, 0)),
    "body over the outer edge": (
        pair(sides=(0.06, 0.08)), (0.02, 0.0, 0.0175 - D), (1.0, 0.3, 0.0), (0.015, 0.0, 0.0), (0, 0, 0)
    ),
    "body along the outer edge, turning": (
        pair(sides=(0.06, 0.3)), (0.031, -0.03, 0.0174 - D), (0.0, 1.0, 0.0), (0, 0, 0), (0.3, 0.0, 0.0)
    ),
    "body over the corner": (
        pair(sides=(0.06, 0.06)), (0.065, -0.01, 0.0174 - D), (-1.0, 1.0, 0.0), (0.005, 0.0, 0.0), (0, 0, 0)
    ),
    "body on an upright edge, over its end": (
        pair(sides=(0.06, 0.06)), (0.0703, 0.0143, -0.0356), (-0.7, 0.7, 0.14), (0.0, 0.0, 0.035), (0, 0, 0)
    ),
}  # fmt: skip


@pytest.mark.plain_python
@pytest.mark.parametrize("name", TRANSITIONS)
def test_the_force_is_continuous_at_every_transition(name):
    """After 34 bisections the interval is 1e-12 of the path, over which a continuous force is constant."""
    one, P, a, shift, turn = TRANSITIONS[name]
    if (
        "place" in name or "side changes" in name
    ):  # the body crosses the plane of the rim at the given position
        P = np.asarray(P) - 0.03 * np.asarray(a)
    touching = PinKernel(one)

    def force(u):
        return wrench(touching, np.asarray(P) + u * np.asarray(shift), np.asarray(a) + u * np.asarray(turn))

    jump, size = largest_jump(force)
    assert size > 0.1 * STIFFNESS * D
    assert jump < 1e-7 * size


def test_a_pin_wider_than_its_hole_slides_off_the_box_without_a_jump():
    touching = PinKernel(pair(r=0.0205, L=0.0, sides=(0.056, 0.072)))

    def force(u):
        return wrench(touching, np.array([0.028 + 0.002 * u, 0.001, 0.02]), UP)

    jump, size = largest_jump(force)
    assert size > 400.0  # 0.5 mm deep
    assert jump < 1e-7 * size


@pytest.mark.parametrize("name", SHAPES)
def test_the_force_is_continuous_along_random_paths(name):
    touching, rng = PinKernel(SHAPES[name]), np.random.default_rng(11)
    for _ in range(12):
        P, a, shift, turn = shallow_path(touching, rng)

        def force(u, P=P, a=a, shift=shift, turn=turn):
            return wrench(touching, P + u * shift, a + u * turn)

        jump, size = largest_jump(force, 101)
        assert size > 0.0
        assert jump < 1e-7 * size + 1e-9


def shallow_path(touching, rng, draws=100):
    """Return position and direction in the middle of a random path, and their changes, at most 4 mm deep.

    On deeper paths the centre of a cap would be inside the material. About two of three paths are shallow enough.
    """
    for _ in range(draws):
        P, a = touching_pose(touching, rng)
        shift, turn = 0.004 * rng.normal(size=3), rng.choice([0.0, 0.03]) * rng.normal(size=3)
        shift[2] *= rng.choice([0.0, 1.0])
        if not any(is_deep(touching, P + u * shift, a + u * turn) for u in np.linspace(-1, 1, 41)):
            return P, a, shift, turn
    raise AssertionError(f"none of {draws} paths is shallow enough")


def is_deep(touching, P, a):
    return touching(P, a / np.linalg.norm(a))[MAXIMUM_DEPTH] > 4e-3


@pytest.mark.parametrize("name", SHAPES)
def test_force_and_torque_are_the_gradient_of_the_energy(name):
    """Central differences: their own error is (step / radius)^2 and rounding / step."""
    touching, rng, h = PinKernel(SHAPES[name]), np.random.default_rng(5), 1e-8
    for _ in range(40):
        P, a = touching_pose(touching, rng)
        slope = np.zeros(6)
        for k in range(3):
            e = h * np.eye(3)[k]
            slope[k] = -(touching(P + e, a)[ENERGY] - touching(P - e, a)[ENERGY]) / (2 * h)
            e = 10.0 * e
            ahead, back = (touching(rotate(s * e, P), rotate(s * e, a))[ENERGY] for s in (1.0, -1.0))
            slope[3 + k] = -(ahead - back) / (20 * h)
        out = touching(P, a)
        assert np.allclose(slope, out[:6], rtol=0, atol=1e-7 * np.abs(out[:6]).max())


@pytest.mark.parametrize("law", [Damping.KELVIN_VOIGT, Damping.HUNT_CROSSLEY])
def test_contacts_are_never_tensile_and_only_dissipate(law):
    damping = 3e4 if law is Damping.KELVIN_VOIGT else 30.0
    friction = CoulombFriction(coefficient=0.3)
    one = dataclasses.replace(
        pair(), law=PinLaw(stiffness=STIFFNESS, damping=damping, damping_law=law, friction=friction)
    )
    touching, rng = PinKernel(one), np.random.default_rng(2)
    for _ in range(300):
        P, a = touching_pose(touching, rng)
        w, v = tuple(rng.normal(size=3)), tuple(0.05 * rng.normal(size=3))
        out = touching(P, a, w, v)
        assert out[DISSIPATION] >= -1e-9 * STIFFNESS * out[MAXIMUM_DEPTH]
        # Power of the forces: what goes into the elastic energy and what is lost.
        power = out[:3] @ v + out[3:6] @ w
        h = 1e-7
        ahead, back = (
            touching(rotate(s * h * np.array(w), P) + s * h * np.array(v), rotate(s * h * np.array(w), a))[
                ENERGY
            ]
            for s in (1.0, -1.0)
        )
        assert -power == pytest.approx((ahead - back) / (2 * h) + out[DISSIPATION], rel=1e-5, abs=1e-6)


def falling_ball(law, v, mass=1.0, steps=40_000):
    """Return the rebound speed of a ball on the face, integrated with small steps."""
    touching = PinKernel(pair(L=0.0, law=law))
    half_turn = math.pi * math.sqrt(mass / STIFFNESS)
    dt, z, r = 1.5 * half_turn / steps, 0.0175, 0.0175
    while True:
        # Velocity Verlet with the force at the middle speed: order 2.
        f = touching((0.1, 0.0, z), (0.0, 0.0, 1.0), v=(0.0, 0.0, v))[2]
        v_half = v + 0.5 * dt * f / mass
        z += dt * v_half
        f = touching((0.1, 0.0, z), (0.0, 0.0, 1.0), v=(0.0, 0.0, v_half))[2]
        v = v_half + 0.5 * dt * f / mass
        if z > r and v > 0.0:
            return v


def test_kelvin_voigt_restitution():
    """Released at zero force: e = exp(-zeta theta / sqrt(1 - zeta^2))."""
    zeta = 0.2
    law = PinLaw(
        stiffness=STIFFNESS,
        damping=2 * zeta * math.sqrt(STIFFNESS),
        damping_law=Damping.KELVIN_VOIGT,
    )
    root = math.sqrt(1 - zeta**2)
    theta = math.atan2(2 * zeta * root, 2 * zeta**2 - 1)
    assert falling_ball(law, -0.1, steps=4000) / 0.1 == pytest.approx(
        math.exp(-zeta * theta / root), rel=2e-3
    )


def test_hunt_crossley_restitution():
    """e solves a v (1 + e) = ln((1 + a v) / (1 - a e v)); a v = 0.25 gives e = 0.85685."""
    law = PinLaw(stiffness=STIFFNESS, damping=2.5)
    assert falling_ball(law, -0.1, steps=4000) / 0.1 == pytest.approx(0.85685, rel=1e-3)


def test_stribeck_friction_is_larger_at_rest():
    law = PinLaw(
        stiffness=STIFFNESS,
        friction=CoulombFriction(coefficient=0.2, threshold_speed=1e-5),
        static_friction=0.5,
        stribeck_speed=1e-2,
    )
    touching = PinKernel(pair(L=0.0, law=law))
    for v, mu in {1e-3: 0.2 + 0.3 * math.exp(-0.01), 1e-2: 0.2 + 0.3 / math.e, 1.0: 0.2}.items():
        out = touching((0.1, 0.0, 0.0174), (0.0, 0.0, 1.0), v=(v, 0.0, 0.0))
        assert -out[0] / out[2] == pytest.approx(mu, rel=1e-4)


def test_action_equals_reaction_in_any_frame():
    """Rotate and move the whole scene: the wrenches rotate with it, and their sum vanishes."""
    rng = np.random.default_rng(8)
    one = dataclasses.replace(pair(), law=dataclasses.replace(LAW, friction=CoulombFriction(coefficient=0.2)))
    P, a = touching_pose(PinKernel(one), rng)
    side = np.cross(a, direction(rng) + UP)
    side /= np.linalg.norm(side)
    R_HP = np.column_stack([side, np.cross(a, side), a])
    still, v, w = np.zeros(3), 0.1 * rng.normal(size=3), rng.normal(size=3)
    there = one.contact(
        MotionState(r=still, v=still, omega=still, A=np.eye(3)), MotionState(r=P, v=v, omega=w, A=R_HP)
    )
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    place, drift, spin = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    p = turn @ P
    moved = one.contact(
        MotionState(r=place, v=drift, omega=spin, A=turn),
        MotionState(
            r=place + p, v=drift + np.cross(spin, p) + turn @ v, omega=spin + turn @ w, A=turn @ R_HP
        ),
    )
    assert pytest.approx(turn @ there.wrench_pin.F, rel=1e-9) == moved.wrench_pin.F
    assert pytest.approx(turn @ there.wrench_pin.T, rel=1e-9) == moved.wrench_pin.T
    assert pytest.approx(-moved.wrench_pin.F) == moved.wrench_hole.F
    about_hole = moved.wrench_pin.T + np.cross(p, moved.wrench_pin.F) + moved.wrench_hole.T
    assert np.abs(about_hole).max() < 1e-9 * np.abs(moved.wrench_pin.T).max()


@pytest.mark.parametrize(
    ("field", "value"),
    [("stiffness", 0.0), ("damping", -1.0), ("stribeck_speed", 0.0), ("static_friction", -0.1)],
)
def test_invalid_laws_are_rejected(field, value):
    with pytest.raises(InputError, match=field):
        PinLaw(**{"stiffness": STIFFNESS, field: value})
