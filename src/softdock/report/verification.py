"""Verification of a stored run: its digests, its verdicts, and its peaks computed again from its history.

A recorded reaction or `peak_*` metric is compared at the row of its peak, which the history has with all digits. Where
was recorded (`record.peaks: false`), no recorded value may exceed the stored peak by more than `SEARCH_TOLERANCE`.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.recording.evaluation import AFTER_JUMP
from softdock.errors import InputError
from softdock.files.regular_file import read_regular_file
from softdock.model.requirements import metric_names
from softdock.presentation.reactions import noise_floor
from softdock.report.reaction_channels import history_reactions, reaction_channels
from softdock.result import Array, Result
from softdock.result.damaged_results import damaged_result_errors
from softdock.result.digest import NO_DIGEST, digest_discrepancy
from softdock.result.requirements import read_requirements
from softdock.result.step_errors import step_errors
from softdock.result.storage import HISTORY_FILE, LARGEST_FILE, RESULT_FILE, read_document

SEARCH_TOLERANCE = 1e-3
"""Relative excess over a stored peak that the search for peak reactions permits between recorded rows."""
ROUNDING = 1e-9
"""Relative difference of a peak and the row at its time, which hold the same number."""
SIGNS = {"max": 1.0, "min": -1.0}
"""Statistics that are computed again, with the sign that makes a smallest value a largest one."""
ROW_TIME = 8.0 * AFTER_JUMP
"""Largest difference of the time of a peak and that of its row [s]: rows of one instant follow at `AFTER_JUMP`."""


class Agreement(Enum):
    """Result of one check."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_RECORDED = "not recorded"
    """The history cannot show the value."""
    NO_DIGEST = "no digest"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check of a stored result."""

    name: str
    agreement: Agreement
    stored: float | None = None
    """Stored value [SI]; None where the check is not about a number."""
    found: float | None = None
    """Value computed again [SI]."""
    unit: str = ""
    text: str = ""
    """What was found, where the name does not say it."""

    def to_json(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {**asdict(self), "agreement": self.agreement.value}


def verify_run(folder: Path) -> list[Check]:
    """Return the checks of a stored run; raises InputError where there is none, or where it is damaged."""
    document = read_document(folder)
    text = digest_discrepancy(document)
    known = (
        discrepancy_check(RESULT_FILE, text) if text else Check(name=RESULT_FILE, agreement=Agreement.AGREES)
    )
    checks = [known, _history_check(folder, document)]
    if checks[1].agreement is Agreement.DIFFERS:
        return checks
    result = Result.load(folder)
    with damaged_result_errors(result):
        return [*checks, *_content_checks(result, text)]


def discrepancy_check(name: str, text: str) -> Check:
    """Return the check of a discrepancy of a stored result or campaign."""
    agreement = Agreement.NO_DIGEST if text == NO_DIGEST else Agreement.DIFFERS
    return Check(name=name, agreement=agreement, text=text)


def _history_check(folder: Path, document: dict[str, Any]) -> Check:
    """Return whether the history is the one with which the result was saved."""
    try:
        digest = hashlib.sha256(read_regular_file(folder / HISTORY_FILE, largest=LARGEST_FILE)).hexdigest()
    except InputError as error:
        return Check(name=HISTORY_FILE, agreement=Agreement.DIFFERS, text=error.problems[0].message)
    if digest == document.get("history_sha256"):
        return Check(name=HISTORY_FILE, agreement=Agreement.AGREES)
    text = "It is not the history with which this result was saved; nothing is compared with it."
    return Check(name=HISTORY_FILE, agreement=Agreement.DIFFERS, text=text)


def _content_checks(result: Result, known: str) -> Iterator[Check]:
    """Yield whether verdicts, validity and peaks follow from the other content of a result.

    `known` is the discrepancy of its digest. Others are of its verdicts, or were there when it was saved again.
    """
    others = [text for text in result.discrepancies if text != known]
    yield from (discrepancy_check("stored content", text) for text in others)
    if result.requirements and not others:
        text = f"Verdicts and margins of {len(result.requirements)} requirements follow from the metrics."
        yield Check(name="requirements", agreement=Agreement.AGREES, text=text)
    if result.audit.passed is False and result.valid != "no":
        text = f"The conservation check failed, and the result says 'valid: {result.valid}'."
        yield Check(name="validity", agreement=Agreement.DIFFERS, text=text)
    yield from _reaction_checks(result)
    yield from _metric_checks(result)
    yield from _statistic_checks(result)


def _reaction_checks(result: Result) -> Iterator[Check]:
    """Yield the comparison of every reaction with its recorded channel."""
    floor = noise_floor(history_reactions(result) or result.loads)
    channels = (
        {(quantity.name, quantity.kind, quantity.unit): quantity for quantity in reaction_channels(result)}
        if result.loads
        else {}
    )
    for reaction in result.loads:
        for what, unit, peak, time in (
            ("force", "N", reaction.peak_force, reaction.t_peak_force),
            ("moment", "N*m", reaction.peak_moment, reaction.t_peak_moment),
        ):
            if peak is None:
                continue
            channel = channels.get((reaction.name, reaction.kind, unit))
            name = f"peak {what} of {reaction.name}"
            if channel is None:
                yield Check(name=name, agreement=Agreement.NOT_RECORDED, stored=peak, unit=unit)
            else:
                yield _compare_peak(name, result, channel.channel, peak, time, floor)


def _metric_checks(result: Result) -> Iterator[Check]:
    """Yield the comparison of every metric `peak_*` with the channel of that name, or the reaction that it repeats.

    A metric of the scenario with such a name may be anything; `_statistic_checks` compares it where it can.
    """
    floor = noise_floor(history_reactions(result) or result.loads)
    own = result.definition.get("metrics") or {}
    channels, repeated = _metric_channels(result), _reaction_peaks(result)
    for name, value in result.metrics.items():
        if not name.startswith("peak_") or name in own or type(value) not in (int, float):
            continue
        unit = result.units.get(name, "")
        if name in repeated:
            agrees = repeated[name] == value
            agreement = Agreement.AGREES if agrees else Agreement.DIFFERS
            text = "" if agrees else "The reaction of the same name has another peak."
            yield Check(
                name=name, agreement=agreement, stored=value, found=repeated[name], unit=unit, text=text
            )
        elif name in channels and result.history.channels[channels[name]].unit == unit:
            yield _compare_peak(
                name, result, channels[name], value, None, floor if unit in ("N", "N*m") else 0.0
            )
        else:
            yield Check(name=name, agreement=Agreement.NOT_RECORDED, stored=value, unit=unit)


def _statistic_checks(result: Result) -> Iterator[Check]:
    """Yield the comparison of every metric that is the largest or smallest value of one recorded channel."""
    accuracy = step_errors(result.definition)
    for name, text in _metric_texts(result).items():
        how, _, quantity = text.strip().partition(" ")
        channel, stored = result.history.channels.get(quantity.strip()), result.metrics.get(name)
        if how not in SIGNS or channel is None or not isinstance(stored, float):
            continue
        values = SIGNS[how] * np.asarray(channel.values, dtype=float)
        largest = float(np.nanmax(values)) if np.isfinite(values).any() else -np.inf
        tolerance = SEARCH_TOLERANCE * abs(stored) + accuracy.get(channel.unit, 0.0)
        excess = largest - SIGNS[how] * stored
        agreement = Agreement.AGREES if abs(excess) <= tolerance else Agreement.DIFFERS
        if excess < -tolerance and not _records_peaks(result):
            agreement = Agreement.NOT_RECORDED
        yield Check(
            name=name, agreement=agreement, stored=stored, found=SIGNS[how] * largest, unit=channel.unit
        )


def _metric_texts(result: Result) -> dict[str, str]:
    """Return the expressions of metrics that the scenario and its requirements define, by the name of the metric."""
    own = result.definition.get("metrics") or {}
    requirements = read_requirements(result.definition)
    names = metric_names(requirements, own)
    return {**own, **{names[key]: requirements[key].metric or "" for key in names}}


def _metric_channels(result: Result) -> dict[str, str]:
    """Return the channels whose largest size a metric `peak_FIELD_OWNER` is, by the name of the metric."""
    channels = {}
    for channel in result.history.channels:
        owner, _, field = channel.rpartition(".")
        channels[f"peak_{field}_{owner.replace('-', '_').replace('.', '_')}"] = channel
    return channels


def _reaction_peaks(result: Result) -> dict[str, float]:
    """Return the peaks of reactions by the names of the metrics that repeat them."""
    peaks: dict[str, float] = {}
    contacts: list[float] = []
    for reaction in result.loads:
        flat = reaction.name.replace("-", "_")
        if reaction.peak_force is not None:
            peaks[f"peak_force_{flat}"] = reaction.peak_force
            if f"peak_contact_force_{flat}" in result.metrics or reaction.kind == "contact":  # no couplings
                peaks[f"peak_contact_force_{flat}"] = reaction.peak_force
                contacts.append(reaction.peak_force)
        if reaction.peak_moment is not None:
            peaks[f"peak_moment_{flat}"] = reaction.peak_moment
    return peaks | ({"peak_contact_force": max(contacts)} if contacts else {})


def _compare_peak(
    name: str, result: Result, channel: str, peak: float, time: float | None, floor: float
) -> Check:
    """Return the comparison of a peak [SI] at a time [s], if it has one, with the recorded values of a channel."""
    sizes = np.abs(np.asarray(result.history[channel], dtype=float))
    largest = float(np.nanmax(sizes)) if np.isfinite(sizes).any() else None
    at = None
    if time is not None and _records_peaks(result):
        at = np.abs(result.history.time - time) <= ROW_TIME
    agreement = _agreement(sizes, largest, peak, at, floor)
    unit = result.history.channels[channel].unit
    return Check(name=name, agreement=agreement, stored=peak, found=largest, unit=unit)


def _records_peaks(result: Result) -> bool:
    """Return whether the history has a row at every peak of a reaction; scenarios without `record` always do."""
    record = result.definition.get("record")
    return not isinstance(record, Mapping) or record.get("peaks", True) is True


def _agreement(
    sizes: Array, largest: float | None, peak: float, at: NDArray[np.bool_] | None, floor: float
) -> Agreement:
    """Return whether a peak agrees with the sizes of a channel; `at` selects the rows at its time, None if unknown.

    Differences below `floor` are rounding errors.
    """
    if largest is None:
        return Agreement.NOT_RECORDED
    if largest > peak * (1.0 + SEARCH_TOLERANCE) + floor:
        return Agreement.DIFFERS
    same = np.abs(sizes - peak) <= ROUNDING * abs(peak) + floor
    if at is None:
        return Agreement.AGREES if same.any() else Agreement.NOT_RECORDED
    if same[at].any():
        return Agreement.AGREES
    return Agreement.DIFFERS if at.any() or same.any() else Agreement.NOT_RECORDED
