"""Vectorised prediction of the impacts of all samples of a campaign, without simulation."""

from pathlib import Path
from typing import Any

import numpy as np

from softdock.campaign.loading import read_origin
from softdock.campaign.plan import Plan
from softdock.campaign.template import value_at
from softdock.result import Array
from softdock.theory import rmi

MASSES = ("chaser.masses.0", "chaser.masses.1", "target.masses.0", "target.masses.1")
BATCH = 100_000  # samples drawn at a time


def predict_samples(
    manifest: dict[str, Any], folder: Path, count: int, campaign: Path | None = None
) -> tuple[Array, Array]:
    """Return ratio of effective masses and relative velocity after the impact [m/s] of samples 0 to count."""
    plan = read_origin(manifest, folder, campaign)
    return predict_plan(plan, max(count, plan.runs))


def predict_plan(plan: Plan, count: int) -> tuple[Array, Array]:
    """Return the same for a plan with random sampling of chains of two and two masses."""
    data = plan.template.data
    restitution = (data.get("contact") or {}).get("restitution")
    ratio, after = np.empty(count), np.empty(count)
    for start in range(0, count, BATCH):
        stop = min(start + BATCH, count)
        columns = plan.columns(start, stop)
        given = [columns.get(path, value_at(data, path)) for path in MASSES]
        many = rmi.predict_many(
            *given,
            speed=columns.get("speed", data["speed"]),
            restitution=1.0 if restitution is None else restitution,
        )
        ratio[start:stop], after[start:stop] = many.effective_mass_ratio, many.relative_velocity_after
    return ratio, after
