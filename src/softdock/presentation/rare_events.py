"""Tables and sentences about subset simulations and boundaries, the same in terminal, report and studio."""

from collections.abc import Mapping
from typing import Any

from softdock.presentation.labels import axis_label, label
from softdock.presentation.numbers import (
    display_unit,
    format_confidence,
    format_number,
    format_quantity,
    format_share,
)
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem


def format_probability(probability: float) -> str:
    """Return a probability with three significant digits."""
    return f"{probability:.3g}"


def search_sentences(
    method: str, search: Mapping[str, Any] | None, system: UnitSystem = AUTOMATIC
) -> list[str]:
    """Return what a subset simulation or the refinement of a boundary found; empty before the first level."""
    if not search or not (search.get("levels") or search.get("refinements")):
        return []
    return _subset_sentences(search, system) if method == "subset" else _boundary_sentences(search, system)


def search_table(
    method: str, search: Mapping[str, Any] | None, system: UnitSystem = AUTOMATIC
) -> Table | None:
    """Return the levels of a subset simulation, or the refinements of a boundary; None before the first."""
    if not search or not (search.get("levels") or search.get("refinements")):
        return None
    return _level_table(search, system) if method == "subset" else _refinement_table(search)


def margin_text(margin: Mapping[str, Any], system: UnitSystem = AUTOMATIC) -> str:
    """Return the condition of a good run."""
    if "metric" not in margin:
        return f"outcome {' or '.join(map(label, margin['success']))}"
    key, relation = ("at_least", ">") if "at_least" in margin else ("at_most", "<")
    limit = margin[key]
    text = label(limit) if isinstance(limit, str) else format_quantity(limit, margin["unit"], system)
    return f"{label(margin['metric'])} {relation} {text}"


def _subset_sentences(search: Mapping[str, Any], system: UnitSystem) -> list[str]:
    percent = format_confidence(search["confidence"])
    low, high = (format_probability(search[key]) for key in ("low", "high"))
    interval = f"{percent} confidence interval {low} to {high}"
    variation = search["coefficient_of_variation"]
    precision = "" if not variation else f", coefficient of variation {format_share(variation)}"
    sentences = [
        f"Failure probability {format_probability(search['probability'])} ({interval}{precision}); a run is good where "
        f"{margin_text(search['margin'], system)}.",
    ]
    count = len(search["levels"])
    work = f"{search['runs']:,} runs in {count} {'level' if count == 1 else 'levels'}"
    ratio = (search["monte_carlo_runs"] or 0.0) / search["runs"]
    if ratio > 1.0:
        work += (
            f"; plain Monte Carlo needs about {_rounded(search['monte_carlo_runs'])} runs for the same coefficient of "
            f"variation, {ratio:.2g} times as many"
        )
    sentences.append(f"{work}.")
    if not search["reached"]:
        sentences.append(
            "The last level has too few failures for a precise estimate. Increase 'runs' or 'subset.levels', so that "
            "another level follows."
        )
    return sentences


def _boundary_sentences(search: Mapping[str, Any], system: UnitSystem) -> list[str]:
    test, margin = search["holdout"], margin_text(search["margin"], system)
    state = "within" if search["reached"] else "not yet within"
    succeeds = format_share(search["success_volume"])
    uncertain, expected = (_small_share(search[key]) for key in ("uncertain_volume", "expected_error"))
    sentences = [
        f"Boundary of {margin}: {search['runs']:,} runs leave {uncertain} of the volume uncertain, {state} the "
        f"tolerance of {format_share(search['tolerance'])}. {succeeds} of the volume succeeds.",
        f"The surrogate puts {test['wrong']} of {test['runs']} hold-out runs on the wrong side (95 % confidence "
        f"interval {format_share(test['low'])} to {format_share(test['high'])} of the volume); it expects "
        f"{expected}.",
    ]
    if search.get("grid_runs"):
        sentences.append(f"A grid of the same resolution needs about {_rounded(search['grid_runs'])} runs.")
    if not search["reached"]:
        sentences.append("Increase 'runs' for a smaller uncertain volume.")
    return sentences


def _rounded(count: float) -> str:
    """Return a number of runs with two significant digits."""
    return f"{float(f'{count:.2g}'):,.0f}" if count < 1e9 else f"{count:.1e}"


def _small_share(share: float) -> str:
    return format_share(share) if share >= 0.0005 else "less than 0.1%"


def _level_table(search: Mapping[str, Any], system: UnitSystem) -> Table:
    largest = max(abs(level["threshold"]) for level in search["levels"])
    symbol, factor = display_unit(search["margin"]["unit"], largest, system)
    header = (
        "level", axis_label("margin at most", symbol), "probability", "runs", "accepted", "correlation factor",
        "coefficient of variation",
    )  # fmt: skip
    rows = [
        (
            str(level["level"]),
            format_number(factor * level["threshold"]),
            format_probability(level["probability"]),
            f"{level['runs']:,}",
            "" if level["acceptance"] is None else format_share(level["acceptance"]),
            format_number(level["correlation"]),
            ""
            if level["coefficient_of_variation"] is None
            else format_share(level["coefficient_of_variation"]),
        )
        for level in search["levels"]
    ]
    return Table(header=header, rows=rows)


def _refinement_table(search: Mapping[str, Any]) -> Table:
    header = ("level", "runs", "uncertain volume", "expected error", "hold-out error", "volume of success")
    rows = [
        (
            str(refinement["level"]),
            f"{refinement['runs']:,}",
            format_share(refinement["uncertain_volume"]),
            format_share(refinement["expected_error"]),
            format_share(refinement["holdout_error"]),
            format_share(refinement["success_volume"]),
        )
        for refinement in search["refinements"]
    ]
    return Table(header=header, rows=rows)
