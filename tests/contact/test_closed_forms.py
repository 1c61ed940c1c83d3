"""Contact forces, restitution and friction against closed forms."""

import math

import numpy as np
import pytest

from softdock.bench.contact_kinds import STIFFNESS, ball, bowl, plate, rotation, state
from softdock.contact import ContactPair, CoulombFriction, ElasticLayer, FrictionLaw, Points
from softdock.geometry.profile import Line, Profile

RADIUS = 0.01


def pair_of(A, B, **options):
    return ContactPair(
        surface_A=A, surface_B=B, **({"layer": ElasticLayer(areal_stiffness=STIFFNESS)} | options)
    )


def punch(radius=0.01):
    """Return the flat face of a punch at z = 0, without its side."""
    return Profile(segments=(Line(start=(0.0, 0.0), end=(0.0, radius)),))


@pytest.mark.plain_python
@pytest.mark.parametrize("depth", [40e-6, 126e-6, 400e-6])
@pytest.mark.parametrize("turn", [0.0, 0.4, 1.3])
def test_force_of_a_sphere_on_a_flat_layer(depth, turn):
    """c pi R d^2 with B's areas and A's gradient; to the resolution of 1 % at 0.1 N, 0.5 % above 1 N."""
    contact = pair_of(plate(), ball(RADIUS)).contact(
        state(), state(r=(0.003, 0.001, RADIUS - depth), A=rotation((1.0, 2.0, 0.0), turn))
    )
    exact = STIFFNESS * math.pi * RADIUS * depth**2
    assert contact.wrench_B.F[2] == pytest.approx(exact, rel=5e-3 if exact > 0.9 else 1e-2)
    assert contact.wrench_B.F[:2] == pytest.approx([0.0, 0.0], abs=1e-12 * exact)
    assert contact.energy == pytest.approx(exact * depth / 3, rel=1e-2)
    assert contact.area == pytest.approx(math.tau * RADIUS * depth, rel=2e-2)
    assert contact.depth == pytest.approx(depth, rel=0.1)
    assert contact.pressure == pytest.approx(STIFFNESS * contact.depth)


@pytest.mark.plain_python
@pytest.mark.parametrize("depth", [40e-6, 126e-6, 400e-6])
def test_force_on_flat_cells_below_a_sphere(depth):
    """Roles exchanged: int c s n_z dA over the flat is c pi (R - d) d^2; the two differ by d / R."""
    contact = pair_of(ball(RADIUS), plate()).contact(state(), state(r=(0.003, 0.001, -RADIUS + depth)))
    exact = STIFFNESS * math.pi * (RADIUS - depth) * depth**2
    assert contact.wrench_B.F[2] == pytest.approx(-exact, rel=5e-3 if exact > 0.9 else 1e-2)


@pytest.mark.plain_python
def test_force_of_a_sphere_at_the_pole_of_a_hemisphere():
    """Integral of the exact depth over B's area: s = |x| - R_A as a function of the meridian angle t."""
    inner, outer, depth = 0.010, 0.030, 150e-6
    e = outer - inner + depth
    t = np.linspace(0.0, math.pi / 2, 400_001)
    x, z = inner * np.sin(t), -e - inner * np.cos(t)
    distance = np.hypot(x, z)
    stress = STIFFNESS * np.maximum(distance - outer, 0.0)
    exact = np.trapezoid(-stress * z / distance * math.tau * x * inner, t)
    contact = pair_of(bowl(outer), ball(inner)).contact(state(), state(r=(0.0, 0.0, -e)))
    assert contact.wrench_B.F[2] == pytest.approx(exact, rel=5e-3)


@pytest.mark.plain_python
def test_force_of_a_flat_punch_is_exact():
    depth = 30e-6
    contact = pair_of(plate(), punch()).contact(state(), state(r=(0.0, 0.0, -depth)))
    area = math.pi * 0.01**2
    assert contact.wrench_B.F[2] == pytest.approx(STIFFNESS * area * depth, rel=1e-12)
    assert contact.energy == pytest.approx(0.5 * STIFFNESS * area * depth**2, rel=1e-6)
    assert contact.area == pytest.approx(area, rel=1e-12)


def rebound_speed(pair, mass, speed, step):
    """Return the rebound speed of B after an impact on A along z (Runge-Kutta 4)."""

    def rate(y):
        return np.array(
            [y[1], pair.forces(state(), state(r=(0.0, 0.0, y[0]), v=(0.0, 0.0, y[1])))[1].F[2] / mass]
        )

    y = np.array([0.0, -speed])
    while y[0] <= 0.0:
        k1 = rate(y)
        k2 = rate(y + 0.5 * step * k1)
        k3 = rate(y + 0.5 * step * k2)
        k4 = rate(y + step * k3)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[1]


def test_restitution_of_the_damping_ramp():
    """e solves a v (1 + e) = ln((1 + a v)/(1 - a e v)) with a = d0/(c s0); a v = 0.25 gives 0.85685."""
    speed, s0 = 0.05, 1e-3
    layer = ElasticLayer(areal_stiffness=STIFFNESS, damping=0.25 / speed * STIFFNESS * s0, damping_depth=s0)
    mass, area = 20.0, math.pi * 0.01**2
    period = math.tau * math.sqrt(mass / (STIFFNESS * area))
    after = rebound_speed(pair_of(plate(), punch(), layer=layer), mass, speed, period / 400)
    assert after / speed == pytest.approx(
        0.85685, abs=1e-4
    )  # leaving within a step of 1/400 period: 4th order


@pytest.mark.plain_python
def test_damping_above_the_ramp_is_constant_and_never_tensile():
    d0, s0 = 1e8, 1e-5
    layer = ElasticLayer(areal_stiffness=STIFFNESS, damping=d0, damping_depth=s0)
    pair, area, depth = pair_of(plate(), punch(), layer=layer), math.pi * 0.01**2, 1e-4
    for v in (0.1, -0.1, -0.5, -5.0, -1e3):
        contact = pair.contact(state(), state(r=(0.0, 0.0, -depth), v=(0.0, 0.0, -v)))
        stress = max(STIFFNESS * depth + d0 * v, 0.0)
        assert contact.wrench_B.F[2] == pytest.approx(stress * area, rel=1e-6, abs=1e-9)
        assert contact.pressure == pytest.approx(stress, rel=1e-6, abs=1e-3)
        assert contact.dissipation >= 0.0


def slide_block(pair, mass, gravity, tilt, speed, seconds, step):
    """Slide B along x on A, pressed by gravity; return distance and speed at the end (midpoint rule)."""
    area = math.pi * 0.01**2
    depth = mass * gravity * math.cos(tilt) / (STIFFNESS * area)
    x, v = 0.0, speed
    for _ in range(round(seconds / step)):

        def pull(u):
            on_B = pair.forces(state(), state(r=(0.0, 0.0, -depth), v=(u, 0.0, 0.0)))[1]
            return on_B.F[0] / mass + gravity * math.sin(tilt)

        middle = v + 0.5 * step * pull(v)
        x, v = x + step * middle, v + step * pull(middle)
    return x, v


def test_sliding_block_stops_after_the_regularised_distance():
    """(v^2 + v0^2) / (2 mu g)."""
    mu, v0, g, v = 0.2, 0.01, 9.81, 0.1
    pair = pair_of(
        plate(), punch(), friction=CoulombFriction(coefficient=mu, threshold_speed=v0, law=FrictionLaw.RAMP)
    )
    rate = mu * g / v0  # of the exponential end
    distance, rest = slide_block(pair, 1.0, g, 0.0, v, v / (mu * g) + 14 / rate, 0.02 / rate)
    assert rest < v * 1e-6
    assert distance == pytest.approx((v**2 + v0**2) / (2 * mu * g), rel=1e-4)


@pytest.mark.parametrize(
    ("law", "creep"),
    [
        (FrictionLaw.RAMP, lambda v0, ratio: v0 * ratio),
        (FrictionLaw.SMOOTH, lambda v0, ratio: v0 * ratio / math.sqrt(1 - ratio**2)),
    ],
)
def test_block_creeps_on_an_incline(law, creep):
    mu, v0, g, tilt = 0.3, 1e-3, 9.81, 0.15
    pair = pair_of(plate(), punch(), friction=CoulombFriction(coefficient=mu, threshold_speed=v0, law=law))
    rate = mu * g / v0
    _, speed = slide_block(pair, 1.0, g, tilt, 0.0, 40 / rate, 0.1 / rate)
    assert speed == pytest.approx(creep(v0, math.tan(tilt) / mu), rel=1e-4)


@pytest.mark.plain_python
def test_points_converge_to_the_same_force():
    """The midpoint rule on a patch of radius a with points h apart errs by about (h/a)^1.5."""
    depth = 300e-6
    exact = STIFFNESS * math.pi * RADIUS * depth**2
    there = state(r=(0.003, 0.001, RADIUS - depth), A=rotation((1.0, 2.0, 0.0), 0.7))
    for spacing in (0.5e-3, 0.25e-3):
        force = (
            pair_of(plate(), ball(RADIUS), quadrature=Points(spacing=spacing)).forces(state(), there)[1].F[2]
        )
        assert force == pytest.approx(exact, rel=(spacing / math.sqrt(2 * RADIUS * depth)) ** 1.5)
