"""Sentences and tables about sized springs, the same in terminal and report."""

from collections.abc import Mapping, Sequence

from softdock.campaign.sizing import SpringSize
from softdock.campaign.spring_checks import SpringCheck
from softdock.presentation.campaign import stiffness_unit
from softdock.presentation.numbers import format_quantity, format_share
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import UnitSystem

MOST_LISTED = 8
"""Repeated runs that a table lists."""


def spring_sentences(
    sizes: Sequence[SpringSize], checks: Mapping[str, SpringCheck], system: UnitSystem
) -> list[str]:
    """Return what every sized spring must store, the stiffness that does so, and how that was verified."""
    sentences = []
    for size in sizes:
        rows = size.by_quantile((0.99, 1.0))
        if rows:
            check, unit = checks[size.name], stiffness_unit(size.turning)
            stops = (
                f"; it reached a stop in {size.at_stop:,} runs, whose energy is counted"
                if size.at_stop
                else ""
            )
            needs = "needs" if check.verified else "would need, by these energies,"
            sentences.append(
                f"Spring '{size.name}' must store at most {format_quantity(rows[1]['energy'], 'J', system)}{stops}. A "
                f"linear spring {needs} {format_quantity(rows[1]['stiffness'], unit, system)} to store it within its "
                f"stroke of {stroke_text(size, system)} (estimate for 99 % of the runs: "
                f"{format_quantity(rows[0]['stiffness'], unit, system)}). {check_text(size, check)}"
            )
    return sentences


def check_text(size: SpringSize, check: SpringCheck) -> str:
    """Return whether runs were repeated with a sized spring, and what they showed."""
    if not check.verified:
        return f"NOT VERIFIED by repeating runs with it: {check.reason}"
    top = check.repeated[0]
    return (
        f"Verified: {len(check.repeated):,} runs, those that need most and any that failed, were repeated with it and "
        f"stay within the stroke; run {top.run} uses {format_share(top.deflection / top.available)} of it."
    )


def repeated_table(size: SpringSize, check: SpringCheck, system: UnitSystem) -> Table:
    """Return deflection and available stroke of the repeated runs that use the largest share of it."""
    unit, stiffness = ("rad" if size.turning else "m"), stiffness_unit(size.turning)
    rows = [
        (
            str(result.run),
            result.problem or format_quantity(result.deflection, unit, system),
            format_quantity(result.available, unit, system),
            format_quantity(result.needed, stiffness, system),
        )
        for result in check.repeated[:MOST_LISTED]
    ]
    return Table(
        header=("repeated run", "largest deflection", "available stroke", "needed stiffness"), rows=rows
    )


def stroke_text(size: SpringSize, system: UnitSystem) -> str:
    """Return the stroke of a spring as text."""
    return format_quantity(size.stroke, "rad" if size.turning else "m", system)
