"""Grazing contacts: a contact between two stages of a step is missed only below a negligible depth."""

import math

import numpy as np
import pytest

from softdock.dynamics.kernels.forces.contacts import MAX_SKINS_PER_STEP
from softdock.scenario.loading import load
from softdock.simulation import simulate

STIFFNESS, RADIUS, SPEED = 1e9, 0.010, 0.05
SKIN = 2.0 * math.sqrt(2.5 / (math.pi * STIFFNESS * 10e-3))  # skin of the pair, doubled by the multibody core
LARGEST_MISSED_DEPTH = (0.5 * MAX_SKINS_PER_STEP * SKIN) ** 2 / (
    8.0 * 2.0 * RADIUS
)  # Eq. (M37); two balls: radius 2 R along the path
QUARTERS = (
    "{arc_to: [0, 10 mm], radius: 10 mm, turn: right}, {arc_to: [10 mm, 0], radius: 10 mm, turn: right}"
)
BALL = f"[[-10 mm, 0], {QUARTERS}]"


def passing_ball(tmp_path, depth, start):
    """Return a ball that flies past another along x from `start` [m]; its free path is up to `depth` [m] inside it.

    The accuracy is a tenth of the depth.
    """
    height = 2.0 * RADIUS - depth
    text = f"""
softdock: 1
kind: multibody
duration: {2.0 * start / SPEED!r} s
bodies:
  post: {{mass: 1000 kg, inertia: [10, 10, 10], joint: {{type: free}}}}
  ball:
    mass: 1000 kg
    inertia: [10, 10, 10]
    joint: {{type: free, position: [{-start!r} m, {height!r} m, 0 m], velocity: [{SPEED!r} m/s, 0 m/s, 0 m/s]}}
surfaces:
  post: {{body: post, profile: {BALL}}}
  ball: {{body: ball, profile: {BALL}}}
contacts:
  touch: {{a: post, b: ball, layer: {{stiffness: {STIFFNESS} N/m^3}}, resolved_force: 1 mN}}
events:
  met: {{when: touch.force > 0 N, message: They met.}}
integrator: {{accuracy: {{length: 0.1 um, angle: 1e-7 rad, speed: 1 um/s, rate: 1e-6 rad/s}}}}
"""
    path = tmp_path / "graze.yaml"
    path.write_text(text, encoding="utf-8")
    return simulate(load(path), with_prediction=False)


@pytest.mark.parametrize("times", [1.5, 10.0])
def test_graze_deeper_than_the_bound_is_found(tmp_path, times):
    """For any phase of the steps; the peak is that of the free path, c pi R/2 d^2, because the balls are heavy."""
    depth = times * LARGEST_MISSED_DEPTH
    for start in np.random.default_rng(1).uniform(0.02, 0.06, 12):
        result = passing_ball(tmp_path, depth, float(start))
        assert [event.name for event in result.events] == ["met"]
        chord = math.sqrt(4.0 * RADIUS * depth)
        assert result.events[0].time == pytest.approx((start - chord) / SPEED, abs=0.3 * chord / SPEED)
        force = STIFFNESS * math.pi * 0.5 * RADIUS * depth**2
        assert result.metrics["peak_contact_force"] == pytest.approx(force, rel=0.3)


def test_contact_below_the_bound_is_negligible():
    """The bound is micrometres, and its force is less than a millinewton."""
    assert LARGEST_MISSED_DEPTH < 1e-5
    assert STIFFNESS * math.pi * 0.5 * RADIUS * LARGEST_MISSED_DEPTH**2 < 1e-3
