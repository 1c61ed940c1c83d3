"""Campaigns in Python: construction, execution, table of runs, probability and report."""

import os
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from softdock.campaign import runner
from softdock.campaign import store as campaign_store
from softdock.campaign.loading import find, plan_of_source, read_campaign
from softdock.campaign.manifest import differences, manifest_of
from softdock.campaign.plan import Plan
from softdock.campaign.run_table import RunTable, run_table
from softdock.campaign.statistics import wilson
from softdock.campaign.status import status_of
from softdock.campaign.stored_entries import check_manifest
from softdock.campaign.table import CampaignTable, read_table
from softdock.campaign.workers import Backend, check_workers
from softdock.errors import InputError, file_errors
from softdock.files.atomic import write_together
from softdock.files.regular_file import path_argument
from softdock.presentation.campaign import outcome_counts, progress_text
from softdock.presentation.numbers import format_confidence
from softdock.quantities.model import written_data
from softdock.scenario.base import ScenarioBase
from softdock.scenario.construction import ScenarioLike, as_scenario, python_values
from softdock.scenario.file_paths import with_absolute_files
from softdock.scenario.loading import bundled_names, from_data
from softdock.scenario.messages import did_you_mean
from softdock.scenario.overrides import apply_overrides
from softdock.scenario.source import VERSION, Location, Source
from softdock.scenario.yaml_text import yaml_text

CAMPAIGN_FILE = "campaign.yaml"
"""File of a campaign that was built in Python, in its folder, so that every command can read and resume it."""
PROGRESS_PERIOD = 0.2  # s between two updates of the progress


@dataclass(frozen=True)
class Probability:
    """An estimated probability with its confidence interval.

    >>> from softdock import Probability
    >>> print(Probability(event="success", value=0.9, low=0.79, high=0.96, confidence=0.95, runs=50))
    success: 0.9 (0.79 to 0.96 with 95 % confidence, 50 runs)
    """

    event: str
    """What it is the probability of: `success`, `failure` or outcomes."""
    value: float
    """Estimate, between 0 and 1."""
    low: float
    high: float
    """Limits of the interval: that of Wilson, or of subset simulation."""
    confidence: float
    """Confidence level of the interval."""
    runs: int
    """Number of runs that it is estimated from."""

    def __str__(self) -> str:
        return (
            f"{self.event}: {self.value:.3g} "
            f"({self.low:.3g} to {self.high:.3g} with {format_confidence(self.confidence)} confidence, "
            f"{self.runs} runs)"
        )


class Campaign:
    """Many runs of a scenario with dispersed values: Monte Carlo, subset simulation or refinement of a boundary.

    The first argument is the name of a bundled campaign, the path of a file, or a mapping with the keys of a campaign
    file; keys are also given, or replaced, as keyword arguments. `scenario` is a scenario as for `simulate`. Values of
    dispersions are SI numbers or texts with units. Raises `InputError` with all problems.

    `run` executes the campaign and returns it; then `table` has all runs, `probability` that of success, and `report`
    writes the report. The results are in `folder`, where `softdock campaign` finds them as well.

    >>> from softdock import Campaign
    >>> campaign = Campaign(
    ...     scenario="latch-paper",
    ...     runs=20,
    ...     dispersions={"speed": {"uniform": ["20 mm/s", "0.1 m/s"]}},
    ...     success=["latched"],
    ... )
    >>> campaign.run(progress=False)
    <Campaign: 20 of 20 runs of latch-paper>
    >>> campaign.table().units["speed"]
    'm/s'
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        /,
        *,
        scenario: ScenarioLike | None = None,
        name: str | None = None,
        **fields: Any,
    ) -> None:
        _check_sources(source, scenario)
        if isinstance(source, str | os.PathLike):
            written, stem, origin = find(source)
        else:
            given = dict(source or {})
            scenario = given.pop("scenario", None) if scenario is None else scenario
            _check_sources(source, scenario)
            data = {"softdock": VERSION, "kind": "campaign", **written_data(given)}
            written, stem, origin = Source(data, {(): Location("")}), "campaign", ""
        changes = {key: written_data(value) for key, value in fields.items()}
        self._scenario = None
        if isinstance(scenario, Mapping | ScenarioBase):
            self._scenario = as_scenario(scenario)
            changes["scenario"] = self._scenario.name or "scenario"
        elif scenario is not None:
            path = path_argument("scenario", scenario)
            is_path = not isinstance(scenario, str) or path.suffix or os.sep in scenario
            changes["scenario"] = str(path.resolve()) if is_path else scenario
        changed = apply_overrides(written, changes)
        with python_values(changed.data):
            self._plan = plan_of_source(changed, name or stem, "" if changes else origin, self._scenario)
        self._written = changed.data
        if changes and written.file and self._written["scenario"] not in bundled_names():
            self._written["scenario"] = str((written.directory / self._written["scenario"]).resolve())
        self._folder: Path | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """Return the campaign of a folder, which may be running; `run` completes it."""
        path = path_argument("folder", folder)
        campaign = cls.__new__(cls)
        with campaign_store.open_readonly(path) as database:
            check_manifest(campaign_store.read_entry(database, "manifest"))
        campaign._plan, campaign._scenario, campaign._written = runner.plan_of(path), None, {}
        campaign._folder, campaign._temporary = path, None
        return campaign

    @property
    def folder(self) -> Path | None:
        """Folder of the results; None before the first run."""
        return self._folder

    def run(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        workers: int | None = None,
        progress: bool = True,
    ) -> Self:
        """Execute all runs that are missing in the folder, and return the campaign.

        Without a folder the results are kept as long as this object. `workers` runs are executed at the same time, one
        per core by default; the results do not depend on it. `progress` prints the progress on one line.
        """
        check_workers(workers, "workers")
        path = self._choose_folder(folder)
        options = runner.ExecutionOptions(Backend.THREADS, workers)
        watch = _print_progress() if progress else lambda tally: None
        if (path / campaign_store.TABLE_FILE).exists():
            self._check_same(path)
            runner.resume(path, options, watch)
        else:
            runner.run(self._stored_plan(path), path, options, watch)
        if progress:
            print()
        return self

    def table(self) -> RunTable:
        """Return all finished runs: outcomes, inputs and metrics in SI."""
        return run_table(self._table())

    def probability(self, *outcomes: str, confidence: float = 0.95) -> Probability:
        """Return the probability of outcomes with its confidence interval; without outcomes that of success.

        Subset simulation estimates the probability of failure, with the confidence of its settings.
        """
        table = self._table()
        self._check_probability(outcomes, confidence)
        if table.method == "subset" and not outcomes:
            return _failure_probability(table)
        if table.method == "boundary":
            raise InputError(
                "The runs of a boundary do not follow the distributions; they have no probability."
            )
        wanted = outcomes or tuple(self._plan.campaign.success)
        if not wanted:
            raise InputError("Name outcomes, or those that count as success.", field="success")
        sample = table.random_sample()
        hits = sum(
            status == "done" and outcome in wanted for outcome, status in zip(sample.outcome, sample.status)
        )
        low, high = wilson(hits, len(sample.outcome), confidence)
        event = " or ".join(outcomes) if outcomes else "success"
        return Probability(
            event, hits / max(len(sample.outcome), 1), low, high, confidence, len(sample.outcome)
        )

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report with statistics and figures: HTML, or PDF through an installed browser, by the suffix."""
        from softdock.report.campaign import write_report

        write_report(self._finished_folder(), path_argument("path", path), lambda what, share: None)

    def __repr__(self) -> str:
        scenario = self._plan.template.name or "a scenario"
        if not self._has_runs():
            return f"<Campaign: 0 of {self._plan.runs} runs of {scenario}>"
        status = status_of(self._finished_folder())
        mark = ", not verified" if status["discrepancies"] else ""
        return f"<Campaign: {status['done']} of {self._plan.runs} runs of {scenario}{mark}>"

    def _repr_html_(self) -> str:
        from softdock.report.campaign_notebook import campaign_html

        return campaign_html(repr(self), self._table() if self._has_runs() else None)

    def _has_runs(self) -> bool:
        return self._folder is not None and (self._folder / campaign_store.TABLE_FILE).exists()

    def _check_probability(self, outcomes: tuple[str, ...], confidence: float) -> None:
        template = self._plan.template
        known = from_data(template.data, template.name, Path(template.directory)).possible_outcomes()
        for outcome in outcomes:
            if outcome not in known:
                message = "The scenario has no such outcome."
                hint = did_you_mean(str(outcome), known)[0]
                raise InputError(message, field="outcomes", given=str(outcome), hint=hint)
        if not isinstance(confidence, int | float) or not 0.0 < confidence < 1.0:
            message = "Must be above 0 and below 1, for example 0.95."
            raise InputError(message, field="confidence", given=str(confidence))

    def _finished_folder(self) -> Path:
        if self._folder is None or not self._has_runs():
            raise InputError("The campaign has no results yet: call its method `run` first.")
        return self._folder

    def _table(self) -> CampaignTable:
        return read_table(self._finished_folder())

    def _choose_folder(self, folder: str | os.PathLike[str] | None) -> Path:
        if folder is not None:
            self._folder = path_argument("folder", folder)
        elif self._folder is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="softdock-campaign-")
            self._folder = Path(self._temporary.name)
        return self._folder

    def _check_same(self, folder: Path) -> None:
        """Raise InputError where the folder contains another campaign."""
        with campaign_store.open_readonly(folder) as database:
            stored = check_manifest(campaign_store.read_entry(database, "manifest"))
        changes = [line for line in differences(stored, manifest_of(self._plan)) if not _is_place(line)]
        if changes:
            message = "The folder contains another campaign (stored -> this one): " + "; ".join(changes) + "."
            raise InputError(message, file=str(folder), hint="Choose another folder.")

    def _stored_plan(self, folder: Path) -> Plan:
        """Return the plan from files; those of a campaign that was built in Python are written to its folder."""
        if self._plan.origin:
            return self._plan
        with file_errors(folder, "create"):
            folder.mkdir(parents=True, exist_ok=True)
        files = {}
        data = dict(self._written)
        if self._scenario is not None:
            data["scenario"] = f"{_file_name(self._scenario.name)}.yaml"
            files[data["scenario"]] = yaml_text(
                with_absolute_files(self._scenario.to_data(), self._scenario.directory)
            )
        write_together(folder, files | {CAMPAIGN_FILE: yaml_text(data)})
        return read_campaign(folder / CAMPAIGN_FILE)


def _check_sources(source: object, scenario: object) -> None:
    """Raise InputError where campaign or scenario are given as objects of another type."""
    if isinstance(source, ScenarioBase):
        message = "The first argument is a campaign; give the scenario as keyword argument `scenario`."
        raise InputError(message, given=repr(source))
    if source is not None and not isinstance(source, str | os.PathLike | Mapping):
        message = "A campaign is given as a mapping, or the name of a bundled campaign or file."
        raise InputError(message, given=type(source).__name__)
    if scenario is not None and not isinstance(scenario, str | os.PathLike | Mapping | ScenarioBase):
        message = "Must be an object, a mapping, or the name of a bundled scenario or file."
        raise InputError(message, field="scenario", given=type(scenario).__name__)


def _is_place(line: str) -> bool:
    """Return whether a difference of two manifests is only about names and files of the scenario."""
    return line.startswith(("campaign.scenario:", "scenario.name:", "files.")) or ".file:" in line


def _file_name(name: str) -> str:
    """Return the stem of the file of a scenario."""
    return name if re.fullmatch(r"[\w-]+", name) and name != Path(CAMPAIGN_FILE).stem else "scenario"


def _failure_probability(table: CampaignTable) -> Probability:
    search = table.search or {}
    if search.get("probability") is None:
        raise InputError("Subset simulation has not finished its first level; there is no probability yet.")
    value, low, high, confidence = (
        float(search[key]) for key in ("probability", "low", "high", "confidence")
    )
    return Probability("failure", value, low, high, confidence, int(search["runs"]))


def _print_progress() -> Callable[[runner.CampaignProgress], None]:
    """Return a function that shows progress on one line."""
    width, last = 0, 0.0

    def show(tally: runner.CampaignProgress) -> None:
        nonlocal width, last
        if time.monotonic() - last < PROGRESS_PERIOD and tally.done < tally.total:
            return
        last = time.monotonic()
        counts = outcome_counts(dict(tally.outcomes.most_common(3)))
        text = ", ".join([progress_text(tally.done, tally.total, tally.rate), *counts])
        print(f"\r{text:<{width}}", end="", flush=True)
        width = len(text)

    return show
