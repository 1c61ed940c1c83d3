"""Tables and sentences about campaigns, the same in terminal, report and studio."""

from collections.abc import Mapping, Sequence
from typing import Any

from softdock.presentation.labels import axis_label, label
from softdock.presentation.numbers import display_unit, format_duration, format_number, format_share
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem


def stiffness_unit(turning: bool) -> str:
    """Return the SI unit of the stiffness of a spring: rotational or linear."""
    return "N*m/rad" if turning else "N/m"


def spring_table(rows: Sequence[Mapping[str, Any]], turning: bool, system: UnitSystem = AUTOMATIC) -> Table:
    """Return the energy and stiffness that a share of runs needs; rows as from `SpringSize.by_quantile`.

    Stiffnesses that no repeated run has verified are estimates.
    """
    stiffness = display_unit(stiffness_unit(turning), 1.0, system)
    energy = display_unit("J", max((row["energy"] for row in rows), default=0.0), system)
    header = (
        "share of runs",
        axis_label("energy", energy.symbol),
        axis_label("linear stiffness", stiffness.symbol),
        "largest energy exceeds it by",
        "status",
    )
    cells = [
        (
            f"{row['share']:.0%}",
            format_number(energy.factor * row["energy"]),
            format_number(stiffness.factor * row["stiffness"]),
            f"{row['excess']:.0%}",
            "verified" if row["verified"] else "estimate",
        )
        for row in rows
    ]
    return Table(header=header, rows=cells)


def success_text(share: float, low: float, high: float) -> str:
    """Return a success rate with its 95 % confidence interval."""
    return f"Success rate {format_share(share)}, 95 % confidence interval {format_share(low)} to {format_share(high)}."


def stop_rule_text(state: Mapping[str, Any], runs: int) -> str:
    """Return the sentence about a stop rule that did not end its campaign; empty where it did."""
    if state["reached"]:
        return ""
    present, demanded = (format_number(100.0 * state[key]) for key in ("present_half_width", "half_width"))
    needed = state["runs_needed"]
    estimate = (
        f"about {needed:,} runs are needed at this success rate"
        if needed
        else "the runs it needs are not known"
    )
    return (
        f"The stop rule was not reached: after {runs:,} runs the half-width of the interval is {present} %, and "
        f"{demanded} % is demanded; {estimate}."
    )


def remaining_runs_texts(
    stop_rule: Mapping[str, Any] | None, done: int, additional: Sequence[int]
) -> list[str]:
    """Return how many more runs the stop rule and undecided requirements need, as estimates at the present rates."""
    texts = []
    needed = (stop_rule or {}).get("runs_needed")
    if needed and needed > done:
        texts.append(f"The stop rule needs about {needed - done:,} more at this success rate.")
    if additional:
        texts.append(f"About {max(additional):,} more decide the undecided requirements.")
    return texts


def outcome_counts(counts: Mapping[str, int]) -> list[str]:
    """Return the number of runs of each outcome as texts."""
    return [f"{label(outcome)} {count:,}" for outcome, count in counts.items()]


def progress_text(done: int, total: int, rate: float | None) -> str:
    """Return the progress of a campaign: runs, runs per second and remaining time where a rate is known."""
    text = f"{done:,} of {total:,} runs"
    if not rate or not done:
        return text
    return f"{text}, {rate:.3g} runs/s, about {format_duration((total - done) / rate)} left"
