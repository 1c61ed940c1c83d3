"""Flat blocks at rest on a plate: few steps, exact balance, and a start whose contact is wide."""

import math

import pytest

from softdock import simulate
from softdock.contact.kernels.cut_cell import SMALLEST_SLOPE, magnitude, smooth_sign
from softdock.model.surfaces import Contact, Friction, Layer, Surface
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.tree.joints import Free

GRAVITY, RADIUS = 9.81, 0.04  # m/s2, m
FLAT = ((-0.2, 0.0), (-0.2, 2.0), (0.0, 2.0), (0.0, 0.0))
FOOT = ((0.0, 0.0), (0.0, RADIUS), (0.05, RADIUS), (0.05, 0.0))


def resting_block(
    mass: float, stiffness: float, friction: float, offset: float = 0.0, **more
) -> MultibodyScenario:
    """Return a free block that begins at the depth of its weight, or above it by an offset [m]."""
    # The side of the foot touches over the depth, too: W = c pi (R^2 d + R d^2).
    depth = math.sqrt(0.25 * RADIUS**2 + mass * GRAVITY / (stiffness * math.pi * RADIUS)) - 0.5 * RADIUS
    joint = Free(position=(0.0, 0.0, offset - depth))
    return MultibodyScenario(
        duration=20.0,
        gravity=(0.0, 0.0, -GRAVITY),
        bodies={"block": Body(mass=mass, inertia=(2e-3 * mass,) * 3, joint=joint)},
        surfaces={"floor": Surface(body="world", profile=FLAT), "foot": Surface(body="block", profile=FOOT)},
        contacts={
            "touch": Contact(
                a="floor",
                b="foot",
                layer=Layer(stiffness=stiffness, damping=3e-3 * stiffness, damping_depth=1e-5),
                friction=Friction(coefficient=friction),
            )
        },
        **more,
    )


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize(("mass", "stiffness"), [(3.5, 9.7e9), (7.0, 2e9), (85.0, 1.7e9)])
def test_a_flat_block_at_rest_takes_few_steps(mass, stiffness, friction):
    """With a kink of the energy at parallel faces a block rocked about it, at the limit of stability: 20,000 steps."""
    result = simulate(resting_block(mass, stiffness, friction), with_prediction=False)
    assert result.timing.steps <= 100
    load = next(load for load in result.loads if load.kind == "contact")
    assert load.peak_force == pytest.approx(mass * GRAVITY, rel=1e-3)


def test_the_balance_of_a_wide_contact_is_exact_from_the_start():
    """The first near list has more blocks than there is memory for at first; its energy is that of the start."""
    result = simulate(resting_block(85.0, 1.7e9, 0.3, offset=2e-6), with_prediction=False)
    assert result.audit.energy_residual < 1e-3
    finer = Integrator(accuracy={"length": 1e-8, "speed": 1e-7, "angle": 1e-8, "rate": 1e-7})
    result = simulate(resting_block(85.0, 1.7e9, 0.3, offset=2e-6, integrator=finer), with_prediction=False)
    assert result.audit.energy_residual < 1e-5


@pytest.mark.plain_python
@pytest.mark.parametrize("slope", [-1e-3, -2e-8, -1e-8, -3e-9, 0.0, 5e-9, 1e-8, 4e-7])
def test_the_smooth_sign_is_the_derivative_of_the_magnitude(slope):
    step = 1e-11
    above, below = slope + step, slope - step
    difference = magnitude(above, smooth_sign(above)) - magnitude(below, smooth_sign(below))
    assert difference / (2.0 * step) == pytest.approx(smooth_sign(slope), abs=1e-3)
    assert magnitude(slope, smooth_sign(slope)) >= max(abs(slope), 0.5 * SMALLEST_SLOPE)
