"""When a result is good, doubtful or failed: thresholds of the conservation check, validity and outcomes."""

from collections.abc import Mapping, Sequence
from typing import Any

from softdock.presentation.status import Status
from softdock.result import CONSERVATION_LIMIT, DOUBTFUL_LIMIT, Audit

SUCCESSFUL = ("captured", "latched", "inserted", "docked", "welded", "seated")
"""Outcomes that are a success where neither campaign nor scenario names one."""


CONSERVATION_TEXTS = {
    Status.GOOD: "Conservation check passed",
    Status.DOUBTFUL: "Conservation check passed with doubtful accuracy",
    Status.FAILED: "Conservation check failed",
    Status.NEUTRAL: "Conservation check does not apply",
}
CONSERVATION_RULE = (
    f"Largest relative errors of conserved quantities, without what the stated errors of reactions explain: good up to "
    f"{DOUBTFUL_LIMIT:g}, doubtful up to {CONSERVATION_LIMIT:g}, failed above."
)
_SEVERITY = (Status.FAILED, Status.DOUBTFUL, Status.GOOD, Status.NEUTRAL)
_VALIDITY = {"yes": Status.GOOD, "warned": Status.DOUBTFUL, "no": Status.FAILED}


def error_status(error: float | None) -> Status:
    """Return the status of one relative error of the conservation check; None where the law does not apply."""
    if error is None:
        return Status.NEUTRAL
    if not abs(error) <= CONSERVATION_LIMIT:  # also an error that is not a number
        return Status.FAILED
    return Status.GOOD if abs(error) <= DOUBTFUL_LIMIT else Status.DOUBTFUL


def conservation_status(audit: Audit) -> Status:
    """Return the status of a conservation check: that of its largest error."""
    statuses = {error_status(error) for error in audit.errors.values()}
    return next(status for status in _SEVERITY if status in statuses)


def conservation_text(audit: Audit) -> str:
    """Return the verdict of a conservation check in words."""
    return CONSERVATION_TEXTS[conservation_status(audit)]


def validity_status(valid: str) -> Status:
    """Return the status of the validity of a run (`Validity`)."""
    return _VALIDITY.get(valid, Status.NEUTRAL)


def validity_text(valid: str) -> str:
    """Return the validity of a run in words."""
    return f"Valid: {valid}"


def named_outcomes(definition: Mapping[str, Any]) -> list[str]:
    """Return the outcomes that a scenario (plain data) names; the first is what it is made for."""
    listed = definition.get("outcomes")
    if not isinstance(listed, Sequence):
        return []
    return [str(outcome["name"]) for outcome in listed if isinstance(outcome, Mapping) and "name" in outcome]


def campaign_status(has_error: bool, running: bool, complete: bool) -> Status:
    """Return the status of a campaign: neutral while it runs, doubtful where it was stopped before its end."""
    if has_error:
        return Status.FAILED
    return Status.NEUTRAL if running else Status.GOOD if complete else Status.DOUBTFUL


def outcome_status(
    outcome: str, completed: bool, named: Sequence[str] = (), success: Sequence[str] = ()
) -> Status:
    """Return the status of an outcome.

    Where a campaign defines `success`, every other outcome is a failure. Else the first outcome that the scenario
    names and those in `SUCCESSFUL` are good, and all others are neutral.
    """
    if not completed:
        return Status.FAILED
    if success:
        return Status.GOOD if outcome in success else Status.FAILED
    return Status.GOOD if outcome in (*SUCCESSFUL, *named[:1]) else Status.NEUTRAL
