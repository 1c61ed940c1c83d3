"""Phases of runs and campaigns as tables and bars, the same in terminal, report and studio."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from softdock.presentation.numbers import MISSING, format_share, format_time, format_with_error
from softdock.presentation.status import Status
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem

if TYPE_CHECKING:
    from softdock.result import RunPhase

ENDS = {"condition": "condition", "timeout": "time limit", "run_end": "end of the run"}
"""How a phase ended, in words."""
PHASE_STATUS = {"condition": Status.GOOD, "timeout": Status.FAILED, "run_end": Status.NEUTRAL}
"""Status of a phase by how it ended."""
SMALLEST_BAR = 0.4
"""Width of the bar of a phase without duration [% of the time axis]."""
PHASE_STYLE = """
.phases { display: grid; grid-template-columns: max-content minmax(120px, 1fr) max-content; gap: 3px 12px;
  align-items: center; font-size: 13px; margin: 0.6em 0 }
.phases .track { position: relative; height: 14px; border-radius: 3px;
  background: color-mix(in srgb, var(--line) 45%, transparent); print-color-adjust: exact }
.phases .bar { position: absolute; top: 0; bottom: 0; border-radius: 3px; print-color-adjust: exact }
.phases .bar.good { background: var(--good) } .phases .bar.neutral { background: var(--neutral) }
.phases .bar.failed { outline: 2px solid var(--failed);
  background: repeating-linear-gradient(135deg, var(--failed) 0 6px, transparent 6px 9px) }
.phases .axis { display: flex; justify-content: space-between; color: var(--soft) }
.phases .name { font-weight: 600; overflow-wrap: anywhere } .phases .how { color: var(--soft) }
@media (max-width: 600px) { .phases { grid-template-columns: 1fr; gap: 1px 0 } .phases .how { margin-bottom: 6px } }
"""
"""Style of `phase_bars_html`; needs the colours of `css_variables`."""


@dataclass(frozen=True, kw_only=True)
class PhasePeak:
    """Largest recorded force and moment during a phase, with the names of what transmits them."""

    force: float | None = None
    force_name: str = ""
    force_error: float | None = None
    """Estimated error of the peak of this reaction over the whole run [N]; None where it is unknown."""
    moment: float | None = None
    moment_name: str = ""
    moment_error: float | None = None


PEAK_NOTE = (
    "Peak reactions of phases are those of the recorded rows, with the error of the peak of the run; "
    "'max contact.force during NAME' is searched between them, too."
)
"""Where the peaks of `phase_table` come from."""


def phase_table(
    phases: "Sequence[RunPhase]", peaks: Sequence[PhasePeak], system: UnitSystem = AUTOMATIC
) -> Table:
    """Return name, start, duration, end and peak reactions of the phases of a run; no moments where all are zero."""
    has_moments = any(peak.moment for peak in peaks)
    rows = []
    for phase, peak in zip(phases, peaks, strict=True):
        cells = [_peak(peak.force, peak.force_error, "N", peak.force_name, system)]
        if has_moments:
            cells.append(_peak(peak.moment, peak.moment_error, "N*m", peak.moment_name, system))
        times = (format_time(phase.start), format_time(phase.end - phase.start))
        rows.append((phase.name, *times, ENDS[phase.ended], *cells))
    header = (
        "phase",
        "start",
        "duration",
        "ended by",
        "peak force",
        *(["peak moment"] if has_moments else []),
    )
    left = (0, 3, 4, 5) if has_moments else (0, 3, 4)
    return Table(
        header=header, rows=rows, left=left, statuses=[PHASE_STATUS[phase.ended] for phase in phases]
    )


def _peak(value: float | None, error: float | None, unit: str, name: str, system: UnitSystem) -> str:
    return MISSING if not value else f"{format_with_error(value, error, unit, system)} in {name}"


def phase_bars_html(phases: "Sequence[RunPhase]", span: tuple[float, float]) -> str:
    """Return one bar per phase over a span of time [s]; empty without phases."""
    if not phases:
        return ""
    start, length = span[0], (span[1] - span[0]) or 1.0
    rows = []
    for phase in phases:
        width = max(100.0 * (phase.end - phase.start) / length, SMALLEST_BAR)
        left = min(100.0 * (phase.start - start) / length, 100.0 - width)
        how = f"{format_time(phase.end - phase.start)}, {ENDS[phase.ended]}"
        where = f"{format_time(phase.start)} to {format_time(phase.end)}"
        status = PHASE_STATUS[phase.ended].value
        bar = f'<span class="bar {status}" style="left: {left:.2f}%; width: {width:.2f}%"></span>'
        rows.append(
            f'<span class="name">{html.escape(phase.name)}</span><span class="track" title="{where}">{bar}</span>'
            f'<span class="how">{how}</span>'
        )
    axis = f'<span></span><span class="axis"><span>{span[0]:g} s</span><span>{span[1]:.4g} s</span></span><span></span>'
    return f'<div class="phases" role="group" aria-label="Phases">{"".join(rows)}{axis}</div>'


def phase_share_table(shares: Sequence[Mapping[str, Any]]) -> Table:
    """Return the fraction of the runs of a campaign that reach each phase; entries as those of `PhaseShare`."""
    rows = [
        (
            phase["name"],
            f"{phase['reached']:,} of {phase['runs']:,}",
            MISSING if phase["share"] is None else format_share(phase["share"]),
            f"{format_share(phase['low'])} to {format_share(phase['high'])}",
            f"{phase['ended']:,}",
        )
        for phase in shares
    ]
    header = ("phase", "reached by", "share", "95 % interval (exact)", "ended by condition")
    return Table(header=header, rows=rows, left=(0,))
