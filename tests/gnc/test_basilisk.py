"""Closed loops against Basilisk, an independent simulator with its own dynamics, integrator and feedback."""

import numpy as np
import pytest

pytest.importorskip("Basilisk", reason="Basilisk is not installed (pip install bsk)")

from tests.gnc import approach_law as law
from tests.gnc.basilisk_approach import simulate_in_basilisk

from softdock.bench import gnc as benchmark
from softdock.bench.gnc_basilisk import TwoCraft
from softdock.simulation import simulate

TIME = 120.0  # s


def attitude_difference(scale: float, monkeypatch: pytest.MonkeyPatch) -> tuple[float, float]:
    """Return the largest difference of both programs and the largest angle [rad] for a scaled initial state."""
    craft = {name: (p, axis, scale * angle) for name, (p, axis, angle) in benchmark.CRAFT.items()}
    with monkeypatch.context() as patch:
        patch.setattr(benchmark, "CRAFT", craft)
        patch.setattr(benchmark, "RATE_AT_START", tuple(scale * w for w in (0.002, -0.001, 0.003)))
        ours = benchmark.rotation_vectors(benchmark.two_craft(TIME))
        theirs = TwoCraft(TIME, wheels=True).rotation_vectors()
    assert ours.shape == theirs.shape == (121, 2, 3)
    angles = np.linalg.norm(ours, axis=2)
    assert angles[-1].max() < 0.01 * angles[0].min()
    return float(np.linalg.norm(ours - theirs, axis=2).max()), float(angles.max())


def test_attitude_feedback_with_wheels_differs_by_the_third_power_of_the_angle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Basilisk feeds back 4 tan(angle / 4) = angle + angle^3 / 48: a quarter of the angle, a 64th of the difference."""
    large, angle = attitude_difference(1.0, monkeypatch)
    small, _ = attitude_difference(0.25, monkeypatch)
    assert large < angle**3 / 48.0
    assert large / small == pytest.approx(64.0, rel=0.01)


def simulate_in_softdock(
    *, gnc: bool, period: float = law.PERIOD, duration: float = law.DURATION
) -> np.ndarray:
    """Return the path of the tip in Softdock [m], controlled by the kernels or by the law in Python."""
    controller = None if gnc else law.Approach(period)
    scenario = law.scenario(gnc=gnc, period=period, duration=duration)
    return law.path_of_tip(simulate(scenario, with_prediction=False, controller=controller).history)


def largest_distance(a: np.ndarray, b: np.ndarray) -> float:
    assert a.shape == b.shape
    return float(np.linalg.norm(a - b, axis=1).max())


def test_approach_in_orbit_agrees_with_basilisk() -> None:
    """The same law and samples: what remains is rounding of Basilisk's positions, 7000 km from the Earth's centre."""
    theirs, ours, kernels = (
        law.path_of_tip(simulate_in_basilisk()),
        simulate_in_softdock(gnc=False),
        simulate_in_softdock(gnc=True),
    )
    np.testing.assert_allclose(ours[-1], [0.0, 0.0, -law.END], atol=1e-3)
    assert largest_distance(ours, theirs) < 1e-7
    # The kernels command pulses at the beginning of a sample, which lead a constant force by half a sample at most.
    assert largest_distance(kernels, theirs) < 0.5 * law.PERIOD * law.FASTEST
    np.testing.assert_allclose(kernels[-1], theirs[-1], atol=1e-4)


def test_difference_of_pulses_and_constant_force_is_proportional_to_the_period() -> None:
    """Half of the period gives half of the difference, so both laws are the same."""
    apart = [
        largest_distance(
            *(simulate_in_softdock(gnc=gnc, period=period, duration=30.0) for gnc in (True, False))
        )
        for period in (0.25, 0.125)
    ]
    assert apart[0] / apart[1] == pytest.approx(2.0, rel=0.1)
