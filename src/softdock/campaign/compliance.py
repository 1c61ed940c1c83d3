"""Verdicts on the requirements of a campaign: fraction of complying runs, tolerance bounds, runs to decide."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from softdock.campaign import store
from softdock.campaign.model import independent_runs
from softdock.campaign.statistics import (
    clopper_pearson,
    fewest_runs,
    lower_bound,
    runs_to_decide,
    tolerance_rank,
    upper_bound,
)
from softdock.campaign.stored_entries import check_manifest, check_state, decode_verdicts
from softdock.model.requirements import Requirement, metric_names
from softdock.presentation.numbers import format_confidence
from softdock.result import Verdict
from softdock.result.requirements import CampaignVerdict, read_bounds, read_requirements

RunVerdicts = Mapping[str, Mapping[str, Any]]
"""Verdict, value and margin of every requirement of one run."""
SAMPLING_NOTES = {
    "random": "",
    "latin-hypercube": "Bounds are those of independent runs; a Latin hypercube covers the inputs more evenly, and "
    "they are usually conservative.",
    "sobol": "Bounds are those of independent runs; a Sobol' sequence covers the inputs more evenly, and they are "
    "usually conservative.",
    "saltelli": "Runs of a Saltelli design depend on each other and give no confidence bounds; use sampling: random.",
}
"""What bounds mean for each kind of sampling."""
METHOD_NOTES = {
    "subset": "Bounds use the runs of the first level; those of later levels are chosen near failure.",
    "boundary": "Runs of the method boundary are chosen near the boundary and give no confidence bounds.",
}
"""What bounds mean for methods that choose runs by the results of others."""


@dataclass(frozen=True)
class RequirementData:
    """What the verdicts of a campaign are computed from."""

    manifest: Mapping[str, Any]
    units: Mapping[str, str]
    """SI units of metrics."""
    planned: int
    """Planned runs; the final number where the stop rule ended the campaign."""
    run: Sequence[int]
    """Numbers of the runs in the table."""
    status: Sequence[str]
    """Status of every run in the table."""
    verdicts: Sequence[RunVerdicts]

    @property
    def definition(self) -> Mapping[str, Any]:
        """The scenario as plain data."""
        data: Mapping[str, Any] = self.manifest["scenario"]["data"]
        return data

    @property
    def method(self) -> str:
        """Method of the campaign."""
        return str(self.manifest["campaign"].get("method", "monte-carlo"))

    def sample(self) -> "RequirementData":
        """Return the runs that do not depend on the results of others; none for the method `boundary`."""
        if self.method == "monte-carlo":
            return self
        size = independent_runs(self.manifest["campaign"])
        count = sum(number < size for number in self.run)  # rows are in the order of numbers
        return replace(
            self,
            planned=min(self.planned, size),
            run=self.run[:count],
            status=self.status[:count],
            verdicts=self.verdicts[:count],
        )


def read_requirement_data(folder: Path) -> RequirementData:
    """Read what the verdicts of a campaign need; also while the campaign runs."""
    with store.open_readonly(folder) as database:
        manifest = check_manifest(store.read_entry(database, "manifest"))
        state = check_state(store.read_entry(database, "state"))
        known = {str(row[1]) for row in database.execute("PRAGMA table_info(runs)")}
        column = "requirements" if "requirements" in known else "'{}'"  # tables of earlier versions
        rows = database.execute(f"SELECT run, status, {column} FROM runs ORDER BY run").fetchall()
        units = store.read_units(database)
        verdicts = [decode_verdicts(str(text)) for *_, text in rows]
    return RequirementData(
        manifest=manifest,
        units=units,
        planned=int(state.get("stopped_at") or manifest["runs"]),
        run=[int(row[0]) for row in rows],
        status=[str(row[1]) for row in rows],
        verdicts=verdicts,
    )


def assess_campaign(data: RequirementData) -> list[CampaignVerdict]:
    """Return the verdict on every requirement of a campaign, in their order."""
    requirements = read_requirements(data.definition)
    names = metric_names(requirements, data.definition.get("metrics") or {})
    return [
        _assess(key, requirement, data, data.units.get(names.get(key, ""), "1"))
        for key, requirement in requirements.items()
    ]


def _assess(key: str, requirement: Requirement, data: RequirementData, unit: str) -> CampaignVerdict:
    if requirement.probability is not None:
        data = data.sample()
    tally = _Tally.of(key, data)
    n, share, confidence = tally.runs, requirement.probability, requirement.confidence
    sampling = data.manifest["campaign"]["sampling"]
    has_bounds = n > 0 and sampling != "saltelli"
    lower = lower_bound(tally.complying, n, confidence) if has_bounds else None
    upper = upper_bound(tally.complying + tally.undecided, n, confidence) if has_bounds else None
    verdict = _verdict(tally, share, lower, upper, complete=n >= data.planned)
    bound, margin = _bound(key, requirement, data, unit) if has_bounds or share is None else (None, None)
    notes = _notes(requirement, n, sampling, data.method)
    return CampaignVerdict(
        id=key,
        verdict=verdict,
        value=tally.complying / n if n else None,
        limit=1.0 if share is None else share,
        margin=margin,
        fraction=tally.complying / n if n else None,
        interval=tally.interval(confidence) if has_bounds else None,
        bound=bound,
        additional_runs=_additional_runs(verdict, tally, requirement, data) if has_bounds else None,
        runs=n,
        complying=tally.complying,
        undecided_runs=tally.undecided,
        probability=share,
        confidence=confidence,
        lower=lower,
        upper=upper,
        verdict_text=verdict,
        note=" ".join(notes),
        notes=notes,
    )


@dataclass(frozen=True)
class _Tally:
    """Number of runs by verdict; failed and invalid runs do not comply."""

    runs: int
    complying: int
    undecided: int

    @classmethod
    def of(cls, key: str, data: RequirementData) -> "_Tally":
        verdicts = [
            str(run_verdicts.get(key, {}).get("verdict", "undecided")) if status == "done" else "violated"
            for status, run_verdicts in zip(data.status, data.verdicts, strict=True)
        ]
        return cls(len(verdicts), verdicts.count("met"), verdicts.count("undecided"))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the two-sided interval; undecided runs may or may not comply."""
        low, _ = clopper_pearson(self.complying, self.runs, confidence)
        _, high = clopper_pearson(self.complying + self.undecided, self.runs, confidence)
        return low, high


def _verdict(
    tally: _Tally, share: float | None, lower: float | None, upper: float | None, *, complete: bool
) -> Verdict:
    if share is None:
        if tally.complying + tally.undecided < tally.runs:
            return "violated"
        return "met" if tally.runs and complete and not tally.undecided else "undecided"
    if lower is None or upper is None:
        return "undecided"
    return "met" if lower >= share else "violated" if upper < share else "undecided"


def _additional_runs(
    verdict: Verdict, tally: _Tally, requirement: Requirement, data: RequirementData
) -> int | None:
    """Return the estimated number of runs that decide; None where runs without a value prevent a decision."""
    if verdict != "undecided":
        return None
    share = requirement.probability
    if share is None:
        return data.planned - tally.runs or None
    complying, possible = tally.complying, tally.complying + tally.undecided
    if complying / tally.runs < share <= possible / tally.runs:
        return None
    successes = complying if complying / tally.runs >= share else possible
    needed = runs_to_decide(successes, tally.runs, share, requirement.confidence)
    return None if needed is None else max(needed - tally.runs, 1)


def _bound(
    key: str, requirement: Requirement, data: RequirementData, unit: str
) -> tuple[float | None, float | None]:
    """Return the value that bounds the demanded share of all runs [SI], and its margin; Eq. (Q10).

    Without a demanded share it is the worst value of the runs that have one.
    """
    if requirement.outcome is not None:
        return None, None
    severity = _severity(requirement, unit)
    runs = [
        (
            severity(run_verdicts[key]) if status == "done" and key in run_verdicts else math.inf,
            run_verdicts.get(key, {}),
        )
        for status, run_verdicts in zip(data.status, data.verdicts, strict=True)
    ]
    ordered = sorted(runs, key=lambda run: run[0])
    if requirement.probability is None:
        ordered = [run for run in ordered if run[0] < math.inf]
        rank = len(ordered)
    else:
        rank = tolerance_rank(len(ordered), requirement.probability, requirement.confidence)
    if not 1 <= rank <= len(ordered) or ordered[rank - 1][0] == math.inf:
        return None, None
    at = ordered[rank - 1][1]
    return (at["value"] if requirement.metric is not None else None), at["margin"]


def _severity(requirement: Requirement, unit: str) -> Callable[[Mapping[str, Any]], float]:
    """Return the function that orders the runs of a requirement, the worst last; infinite without a value."""
    if requirement.metric is None:
        return lambda verdict: _margin_severity(verdict["verdict"], verdict["margin"])
    low, high = read_bounds(requirement, unit)
    factor = requirement.factor

    def severity(verdict: Mapping[str, Any]) -> float:
        value = verdict["value"]
        if not isinstance(value, int | float):
            return math.inf
        if low is None or high is None:
            return float(-value if high is None else value)
        above = value - (high / factor if high > 0.0 else high * factor)
        below = (low * factor if low > 0.0 else low / factor) - value
        return float(max(above, below))

    return severity


def _margin_severity(verdict: str, margin: float | None) -> float:
    if verdict == "undecided" or (verdict == "violated" and margin is None):
        return math.inf
    return -math.inf if margin is None else -margin


def _notes(requirement: Requirement, runs: int, sampling: str, method: str) -> tuple[str, ...]:
    if requirement.probability is None:
        return ()
    notes = [
        METHOD_NOTES.get(method, ""),
        SAMPLING_NOTES.get(sampling, "") if method == "monte-carlo" else "",
    ]
    fewest = fewest_runs(requirement.probability, requirement.confidence)
    if runs < fewest and sampling != "saltelli" and method != "boundary":
        share, confidence = map(format_confidence, (requirement.probability, requirement.confidence))
        notes.append(
            f"{share} with {confidence} confidence needs at least {fewest:,} runs, all of which comply."
        )
    return tuple(filter(None, notes))
