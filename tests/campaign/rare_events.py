"""Print the accuracy of subset simulation over 20 seeds, as a table in Markdown for docs/campaigns.md.

    python -m tests.campaign.rare_events

The limit states are functions of known probability, and the bundled campaign `latch-failure` with its margin from the
theory of the latch, which the runs reproduce (`test_subset.py`). Its exact probability comes from plain Monte Carlo.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri
from tests.campaign.search_driver import MarginFunction, simulate_subset

from softdock.campaign.loading import read_campaign
from softdock.campaign.plan import Plan
from softdock.presentation.tables import Table
from softdock.result import Array
from softdock.theory.latch import minimum_speed

SEEDS = 20
LEVEL_RUNS = 15_000
ANGLE, TIP_LENGTH = np.pi / 4, 0.02  # of the scenario latch-fast [rad, m]
SAMPLES, BATCH = 40_000_000, 1_000_000


@dataclass(frozen=True)
class LimitState:
    """A margin of standard normal variables and its failure probability."""

    name: str
    margin: MarginFunction
    dims: int
    exact: float


def plane(exact: float, dims: int) -> LimitState:
    """Return a plane at the distance that gives the probability."""
    beta = -float(ndtri(exact))
    return LimitState(
        f"plane in {dims} dimensions", lambda z: np.asarray(beta - z.sum(axis=1) / np.sqrt(dims)), dims, exact
    )


def four_planes(exact: float) -> LimitState:
    """Return a series system of four planes, two and two opposite."""
    beta = -float(ndtri(0.5 * (1.0 - np.sqrt(1.0 - exact))))
    return LimitState("series system of four planes", lambda z: beta - np.abs(z).max(axis=1), 2, exact)


def latch_margin(plan: Plan, u: Array) -> Array:
    """Return the closing speed minus the least speed that latches [m/s] at points of the unit cube."""
    x = plan.values_at(u)
    m1, m2 = x["chaser.masses.0"], x["target.masses.0"]
    least = minimum_speed(
        x["latch.stiffness"], ANGLE, TIP_LENGTH, m1 * m2 / (m1 + m2), np.arctan(x["latch.friction"])
    )
    return np.asarray(x["speed"] - least)


def latch_failure() -> LimitState:
    """Return the bundled campaign; its probability has a coefficient of variation of about 2 %."""
    plan, rng = read_campaign("latch-failure"), np.random.default_rng(0)
    dims, failures = plan.sampler.dims, 0
    for _ in range(SAMPLES // BATCH):
        failures += int((latch_margin(plan, rng.random((BATCH, dims))) <= 0.0).sum())
    return LimitState(
        "`latch-failure`", lambda z: latch_margin(plan, np.asarray(ndtr(z))), dims, failures / SAMPLES
    )


def row(state: LimitState) -> list[str]:
    """Return a row of the table for one limit state."""
    found = [simulate_subset(state.margin, state.dims, seed, level_runs=LEVEL_RUNS) for seed in range(SEEDS)]
    p = np.array([one.probability for one in found])
    runs = float(np.mean([one.runs for one in found]))
    stated = float(np.mean([one.coefficient_of_variation for one in found]))
    needed = (1.0 - state.exact) / (state.exact * stated**2)
    close = int((np.abs(p / state.exact - 1.0) < 0.2).sum())
    return [
        state.name, f"{state.exact:.2e}", f"{p.mean():.2e}", f"{close} of {SEEDS}",
        f"{p.std(ddof=1) / state.exact:.1%}", f"{stated:.1%}", f"{runs:,.0f}", f"{needed:,.0f}", f"{needed / runs:.1f}",
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    states = [
        plane(1e-2, 2), plane(1e-3, 10), plane(1e-4, 2), plane(1e-4, 10), plane(1e-4, 50), plane(1e-6, 10),
        four_planes(1e-4), latch_failure(),
    ]  # fmt: skip
    header = [
        "limit state", "exact", "mean", "within 20 %", "scatter", "stated c.o.v.", "runs", "Monte Carlo", "ratio",
    ]  # fmt: skip
    print(Table(header=header, rows=[row(state) for state in states]).to_markdown())


if __name__ == "__main__":
    main()
