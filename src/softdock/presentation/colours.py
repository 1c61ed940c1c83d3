"""Colours of curves, outcomes and statuses, on light and on dark backgrounds."""

from collections.abc import Sequence

from softdock.presentation.status import Status

SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Curves; Okabe and Ito, "Color Universal Design" (2008), ordered so that neighbours differ most."""
SERIES_DARK = ("#56B4E9", "#F08A3C", "#2FC79A", "#E39CC6", "#F0C24B", "#9CC7F2")
"""The same on a dark background."""
STATUS_COLOURS = {
    Status.GOOD: ("#0A8F5B", "#2FC79A"),
    Status.DOUBTFUL: ("#B57A00", "#F0C24B"),
    Status.FAILED: ("#C62828", "#FF6B5E"),
    Status.NEUTRAL: ("#75808E", "#97A1AE"),
}
"""Colours of a status on light and on dark backgrounds."""
TERMINAL_STYLES = {
    Status.GOOD: "green",
    Status.DOUBTFUL: "yellow",
    Status.FAILED: "bold red",
    Status.NEUTRAL: "",
}
"""Style (rich) of text with a status."""
FAILURES = (STATUS_COLOURS[Status.FAILED][0], "#A259C4", "#E08A2E", "#8A6D3B")
"""Colours of several kinds of failure beside each other."""
STATUS_CSS = (
    ".status { width: 12px; height: 12px; border-radius: 50%; display: inline-block; flex: none; margin-right: 8px; "
    "print-color-adjust: exact }\n"
    # Shapes, so that colour is not the only difference: circle, triangle, diamond, small circle.
    ".status.doubtful { border-radius: 0; clip-path: polygon(50% 0, 100% 100%, 0 100%) }\n"
    ".status.failed { border-radius: 0; clip-path: polygon(50% 0, 100% 50%, 50% 100%, 0 50%) }\n"
    ".status.neutral { clip-path: circle(30%) }\n"
    + " ".join(f".status.{status.value} {{ background: var(--{status.value}) }}" for status in Status)
    + "\n"
)
"""Style of the mark `<span class="status good">`; needs `css_variables`."""


def css_variables(dark: bool = False) -> str:
    """Return CSS declarations of all colours: `--good`, `--doubtful` ... for statuses, `--c0` ... for curves."""
    statuses = [f"--{status.value}: {pair[dark]}" for status, pair in STATUS_COLOURS.items()]
    series = [f"--c{i}: {colour}" for i, colour in enumerate(SERIES_DARK if dark else SERIES)]
    return "; ".join([*statuses, *series])


def outcome_colours(outcomes: Sequence[str], success: Sequence[str]) -> dict[str, str]:
    """Return a colour for each outcome: one for all successes, one for each failure; of curves where none is known."""
    if not success:
        return {name: SERIES[i % len(SERIES)] for i, name in enumerate(outcomes)}
    failures = [name for name in outcomes if name not in success]
    colours = {name: FAILURES[i % len(FAILURES)] for i, name in enumerate(failures)}
    return {name: colours.get(name, STATUS_COLOURS[Status.GOOD][0]) for name in outcomes}
