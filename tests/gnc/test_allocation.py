"""Allocation of impulses to thrusters: the optimum of SciPy's linear programming, and demands that cannot be met."""

import numpy as np
import pytest
from scipy.optimize import linprog

from softdock.gnc.entry_points import allocate_on_times
from softdock.gnc.kernels.allocation import EXTRA_COLUMNS, TABLEAU_ROWS

WEIGHT = np.array([1e3, 1e3, 1e3, 1e2, 1e2, 1e2])


def allocate(effect: np.ndarray, cost: np.ndarray, longest: np.ndarray, demand: np.ndarray) -> np.ndarray:
    n = effect.shape[1]
    out = np.empty(n)
    allocate_on_times(effect, cost, longest, demand, WEIGHT, np.empty((TABLEAU_ROWS, n + EXTRA_COLUMNS)), out)
    return out


def optimum_of_scipy(effect: np.ndarray, cost: np.ndarray, longest: np.ndarray, demand: np.ndarray) -> float:
    n = effect.shape[1]
    found = linprog(
        np.concatenate([cost, WEIGHT, WEIGHT]),
        A_eq=np.hstack([effect, np.eye(6), -np.eye(6)]),
        b_eq=demand,
        bounds=[(0, u) for u in longest] + [(0, None)] * 12,
        method="highs",
    )
    assert found.status == 0
    assert n == len(cost)
    return float(found.fun)


def cost_of(effect: np.ndarray, cost: np.ndarray, demand: np.ndarray, on_times: np.ndarray) -> float:
    return float(cost @ on_times + WEIGHT @ np.abs(demand - effect @ on_times))


def box_of_thrusters() -> np.ndarray:
    """Return torque and force (6, 24) of three thrusters at each corner of a box of 2 m."""
    columns = []
    for corner in np.ndindex(2, 2, 2):
        p = 2.0 * np.array(corner) - 1.0
        for axis in range(3):
            d = np.zeros(3)
            d[axis] = -p[axis]
            columns.append(np.concatenate([np.cross(p, d), d]))
    return np.array(columns).T.copy()


@pytest.mark.plain_python
@pytest.mark.parametrize("seed", range(12))
def test_cost_equals_that_of_linear_programming(seed: int) -> None:
    """Cases include active bounds, demands that cannot be met, and thrusters that are equal or without effect."""
    rng = np.random.default_rng(seed)
    effect = box_of_thrusters() if seed % 3 == 0 else rng.normal(size=(6, int(rng.integers(3, 28))))
    n = effect.shape[1]
    cost, longest = rng.uniform(0.5, 2.0, n), np.full(n, 0.1)
    if seed % 4 == 0:
        cost[:] = 1.0
    for scale in (0.0, 0.01, 0.1, 1.0):
        demand = scale * rng.normal(size=6)
        demand[rng.random(6) < 0.3] = 0.0
        x = allocate(effect, cost, longest, demand)
        assert ((x >= 0) & (x <= longest)).all()
        best = optimum_of_scipy(effect, cost, longest, demand)
        assert cost_of(effect, cost, demand, x) == pytest.approx(best, rel=1e-7, abs=1e-9)


@pytest.mark.plain_python
def test_a_feasible_demand_is_met_exactly() -> None:
    effect = box_of_thrusters()
    demand = np.array([0.01, -0.02, 0.005, 0.03, 0.0, -0.01])
    x = allocate(effect, np.ones(24), np.full(24, 0.1), demand)
    np.testing.assert_allclose(effect @ x, demand, atol=1e-14)


@pytest.mark.plain_python
def test_pure_torque_is_allocated_to_a_couple() -> None:
    """Two thrusters on opposite sides: half the impulse each, no force."""
    effect = np.zeros((6, 4))
    for j, (y, f) in enumerate([(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)]):
        effect[:, j] = [0, 0, -y * f, f, 0, 0]
    x = allocate(effect, np.ones(4), np.full(4, 0.1), np.array([0, 0, -0.04, 0, 0, 0]))
    np.testing.assert_allclose(x, [0.02, 0.02, 0, 0], atol=1e-14)


@pytest.mark.plain_python
def test_torque_has_priority_where_thrusters_saturate() -> None:
    effect = box_of_thrusters()
    demand = np.array([0.1, 0.0, 0.0, 5.0, 0.0, 0.0])
    x = allocate(effect, np.ones(24), np.full(24, 0.1), demand)
    out = effect @ x
    np.testing.assert_allclose(out[:3], demand[:3], atol=1e-13)
    assert 0.0 < out[3] < 5.0


def test_simplex_does_not_cycle_in_degenerate_programmes() -> None:
    """Many equal thrusters and zero demands: every pivot is degenerate."""
    effect = np.tile(box_of_thrusters(), 2)
    x = allocate(effect, np.ones(48), np.full(48, 0.1), np.zeros(6))
    np.testing.assert_array_equal(x, 0.0)
    demand = np.array([0.0, 0.0, 0.0, 0.8, 0.0, 0.0])  # exactly the capability of eight of sixteen thrusters
    x = allocate(effect, np.ones(48), np.full(48, 0.1), demand)
    np.testing.assert_allclose(effect @ x, demand, atol=1e-13)
