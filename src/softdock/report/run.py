"""The report of one run in one HTML file: verdict, reactions, charts, timeline, metrics, inputs, evidence, scenario."""

import html
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from softdock.campaign.manifest import digest_file, named_files, versions
from softdock.errors import InputError
from softdock.presentation import chart_svg
from softdock.presentation.assessment import named_outcomes, outcome_status
from softdock.presentation.chart import LimitLine, event_marks
from softdock.presentation.discrepancies import discrepancies_html
from softdock.presentation.labels import label
from softdock.presentation.numbers import display_resolutions, format_time
from softdock.presentation.phases import PEAK_NOTE, PHASE_STYLE, phase_bars_html, phase_table
from softdock.presentation.reactions import largest_reaction_text, reaction_table, without_reaction_metrics
from softdock.presentation.requirements import overall_verdict, requirement_table
from softdock.presentation.run import metric_table, prediction_sentences
from softdock.presentation.tables import status_mark
from softdock.presentation.unit_systems import UnitSystem, unit_system_of
from softdock.replay import sections
from softdock.replay.curves import curves_of, initial_charts
from softdock.replay.scene import Scene
from softdock.replay.scene_builder import scene as build_scene
from softdock.report import control_charts
from softdock.report.control_charts import control_figures
from softdock.report.evidence import evidence_parts, validity_paragraph
from softdock.report.imprint import Imprint, report_date
from softdock.report.inputs import input_parts
from softdock.report.limits import limit_lines
from softdock.report.page import collapsed, html_page, page_head, paragraph, scrolling
from softdock.report.panels import CurvePanel, motion_panels, reaction_panels
from softdock.report.reaction_channels import history_reactions, peak_components, phase_peaks
from softdock.report.timeline import TimelineEntry, build_timeline
from softdock.report.writing import write_report_file
from softdock.result import Result, plain_data
from softdock.result.damaged_results import damaged_result_errors
from softdock.result.digest import data_digest
from softdock.result.storage import history_digest
from softdock.scenario.yaml_text import yaml_text
from softdock.simulation.convergence import Refinement

MOST_SECTIONS = 6
STYLE = """
ol.timeline { list-style: none; padding: 0; border-left: 2px solid var(--line); margin-left: 6px }
ol.timeline li { position: relative; padding: 0 0 0.7em 1.3em }
ol.timeline li::before { content: ""; position: absolute; left: -6px; top: 0.45em; width: 10px; height: 10px;
  border-radius: 50%; background: var(--accent); print-color-adjust: exact }
ol.timeline time { color: var(--soft); font-variant-numeric: tabular-nums; margin-right: 0.8em }
ol.timeline small { display: block; color: var(--soft) }
.sections { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 290px), 1fr)); gap: 14px }
@media print { .sections { grid-template-columns: repeat(3, minmax(0, 1fr)) } }
"""


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What a report of a run contains beside the result."""

    author: str = ""
    """Overrides the author of the scenario."""
    revision: str = ""
    """Overrides the revision of the scenario."""
    system: UnitSystem | None = None
    """Units of values; those of the scenario if None."""
    paper: str = ""
    """Paper of a PDF (`PAPERS`); empty for HTML, where the browser chooses it."""
    refinements: Sequence[Refinement] | None = None
    """Runs with finer settings; None where convergence was not checked."""


def write_run_report(result: Result, path: Path, options: ReportOptions | None = None) -> None:
    """Write the report of a run as HTML or, by the suffix of its name, PDF; it appears complete or not at all."""
    options = options or ReportOptions()
    write_report_file(path, lambda paper: run_report(result, replace(options, paper=paper)), options.paper)


def run_report(result: Result, options: ReportOptions | None = None) -> str:
    """Return the report of a run as a self-contained page."""
    with damaged_result_errors(result):
        return _page(result, options or ReportOptions())


def _page(result: Result, options: ReportOptions) -> str:
    system = options.system or unit_system_of(result.definition)
    scene = _scene_or_curves(result)
    timeline = build_timeline(result, scene, system)
    title = scene.title or result.scenario or "Run"
    imprint = _imprint(result, options)
    parts = [
        *page_head(title, imprint),
        *_verdict(result, system),
        *_reactions(result, system),
        *_control(result, system),
        *_charts(result, system),
        *_phases(result, scene, system),
        "<h2>Timeline</h2>",
        _timeline(timeline, result),
        *_sections(result, scene, timeline),
        "<h2>Metrics and prediction</h2>",
        *_metrics(result, system),
        "<h2>Inputs</h2>",
        *input_parts(result),
        "<h2>Validity and convergence</h2>",
        *evidence_parts(result, options.refinements, system),
        "<h2>Identification</h2>",
        scrolling(imprint.table(), small=True),
        *_annex(result),
    ]
    styles = STYLE + chart_svg.STYLE + control_charts.STYLE + sections.STYLE + PHASE_STYLE
    return html_page(title, parts, styles, imprint, options.paper)


def _imprint(result: Result, options: ReportOptions) -> Imprint:
    digests = {}
    for name, path in named_files(plain_data(result.definition), Path(result.directory)):
        shown = "/".join(Path(name).parts[-2:]) if Path(name).is_absolute() else name
        try:
            digests[shown] = digest_file(path)
        except InputError:  # a result that was loaded on another computer
            digests[shown] = "file not found"
    if len(result.history.time):
        digests["history"] = history_digest(result.history)
    return Imprint(
        subject="scenario",
        digest=data_digest(plain_data(result.definition)),
        date=report_date(),
        author=options.author or str(result.definition.get("author", "")),
        revision=options.revision or str(result.definition.get("revision", "")),
        versions=versions(),
        digests=digests,
    )


def _scene_or_curves(result: Result) -> Scene:
    """Return the scene of a run; only its curves where the run has nothing to show in 3-D."""
    try:
        return build_scene(result)
    except InputError:
        time = result.history.time
        curves = curves_of(result)
        return Scene(
            name=result.scenario,
            title=str(result.definition.get("title", "")),
            outcome=result.outcome,
            message=result.message,
            start=float(time[0]) if len(time) else 0.0,
            end=float(time[-1]) if len(time) else 0.0,
            nodes=(),
            events=result.events,
            curves=curves,
            charts=initial_charts(curves, []) if len(time) > 1 else (),
        )


def _verdict(result: Result, system: UnitSystem) -> list[str]:
    """Return outcome, verdict on the requirements, largest reaction and requirement matrix."""
    status = outcome_status(result.outcome, result.completed, named_outcomes(result.definition))
    verdict, verdict_status = overall_verdict(result.requirements, "scenario")
    headline = largest_reaction_text(result.loads or history_reactions(result), system)
    parts = [
        discrepancies_html(result.discrepancies),
        f'<p class="lead">{status_mark(status)}<b>{html.escape(label(result.outcome))}</b> '
        f"{html.escape(result.message)}</p>",
        validity_paragraph(result),
        f'<p class="headline"><b>{html.escape(headline)}</b></p>' if headline else "",
        paragraph(str(result.definition.get("description", "")), "soft"),
        "<h2>Requirements</h2>",
        f"<p>{status_mark(verdict_status)}{html.escape(verdict)}</p>",
    ]
    if result.requirements:
        note = (
            "Margin: allowed over required value minus 1, with the factor of safety; negative where violated."
        )
        parts += [scrolling(requirement_table(result, system), css_class="matrix"), paragraph(note, "soft")]
    return parts


def _reactions(result: Result, system: UnitSystem) -> list[str]:
    reactions = result.loads or history_reactions(result)
    if not reactions:
        return []
    table = reaction_table(reactions, system, lambda reaction, unit: peak_components(result, reaction, unit))
    note = "Largest force and moment of every element with time; x, y, z: components at the peak, where recorded."
    if not result.loads:
        note += " Taken from the recorded rows: this result has no reactions of its own."
    return ["<h2>Reactions</h2>", paragraph(note, "soft keep"), scrolling(table, small=True)]


def _control(result: Result, system: UnitSystem) -> list[str]:
    figures = control_figures(result, system)
    if not figures:
        return []
    note = (
        "The tip moves to the right. Firings are darker where a thruster is on for a larger part of the time."
    )
    grid = f'<div class="charts">{"".join(figures)}</div>'
    return ["<h2>Guidance and control</h2>", paragraph(note, "soft keep"), grid]


def _charts(result: Result, system: UnitSystem) -> list[str]:
    if len(result.history.time) < 2:
        return []
    reactions, silent = reaction_panels(result)
    limits = limit_lines(result, system)
    panels = [*reactions, *motion_panels(result)]
    panels = [*_limited(result, limits, panels), *panels]
    span = (float(result.history.time[0]), float(result.history.time[-1]))
    charts = []
    for panel in panels:
        own = [limit for limit in limits if limit.channel in panel.curves]
        charts.append(
            chart_svg.draw_chart(panel.chart(span, events=result.events, limits=own, system=system))
        )
    notes = ["Dotted lines: events, with their numbers in the timeline."]
    notes += [f"Zero throughout: {', '.join(silent)}."] if silent else []
    notes += [
        f"Not drawn in '{panel.title}': {', '.join(panel.omitted)}." for panel in panels if panel.omitted
    ]
    grid = f'<div class="charts">{"".join(charts)}</div>'
    return ["<h2>Time histories</h2>", paragraph(" ".join(notes), "soft keep"), grid] if charts else []


def _limited(result: Result, limits: Sequence[LimitLine], panels: Sequence[CurvePanel]) -> list[CurvePanel]:
    """Return a panel for every channel with a limit that no other panel draws."""
    drawn = {name for panel in panels for name in panel.curves}
    return [
        CurvePanel(
            title=channel,
            unit=result.history.channels[channel].unit,
            curves={channel: result.history[channel]},
            time=result.history.time,
        )
        for channel in dict.fromkeys(limit.channel for limit in limits)
        if channel not in drawn
    ]


def _phases(result: Result, scene: Scene, system: UnitSystem) -> list[str]:
    """Return the phases as bars over the time of the run, and their table."""
    if not result.phases:
        return []
    bars = phase_bars_html(result.phases, (scene.start, max(scene.end, result.phases[-1].end)))
    table = phase_table(result.phases, phase_peaks(result), system)
    return ["<h2>Phases</h2>", bars, scrolling(table), paragraph(PEAK_NOTE, "soft")]


def _timeline(entries: Sequence[TimelineEntry], result: Result) -> str:
    """Return the timeline as a list; events have the numbers that they have in the charts."""
    numbers = {mark.x: mark.text for mark in event_marks(result.events)}
    items = []
    for entry in entries:
        number = f"{numbers[entry.time]}. " if entry.is_event and entry.time in numbers else ""
        items.append(
            f"<li><time>{format_time(entry.time)}</time>{number}{html.escape(entry.text)}"
            f"<small>{html.escape(entry.details)}</small></li>"
        )
    return f'<ol class="timeline">{"".join(items)}</ol>'


def _sections(result: Result, scene: Scene, entries: Sequence[TimelineEntry]) -> list[str]:
    """Return sections through the port, at most `MOST_SECTIONS`, at times of the timeline."""
    texts: dict[float, list[str]] = {}
    for entry in entries:
        texts.setdefault(entry.time, []).append(entry.text)
    changes = {event.time for event in result.events} | {phase.start for phase in result.phases}
    times = section_times(sorted(texts), changes)
    figures = [
        f"<figure>{picture}<figcaption>{format_time(time)}: {html.escape(' '.join(texts[time]))}</figcaption></figure>"
        for time, picture in zip(times, sections.sections(result, scene, times))
    ]
    note = (
        "Outlines in the frame of the port, its axis to the right. Arrows: contact forces, as in the replay."
    )
    body = f'<div class="sections">{"".join(figures)}</div><p class="soft">{note}</p>'
    return ["<h2>Sections</h2>", body] if figures else []


def section_times(times: Sequence[float], changes: Container[float]) -> list[float]:
    """Return the times of sections [s]: start and end, then events and phases, then peaks.

    Where there are more events and phases than sections, the sections are spread over all of them.
    """
    first = [t for t in times if t in (times[0], times[-1]) or t in changes]
    if len(first) > MOST_SECTIONS:
        last = len(first) - 1
        return [first[round(i * last / (MOST_SECTIONS - 1))] for i in range(MOST_SECTIONS)]
    others = [t for t in times if t not in first]
    return sorted([*first, *others[: MOST_SECTIONS - len(first)]])


def _metrics(result: Result, system: UnitSystem) -> list[str]:
    """Return the table of metrics beside their predictions, and sentences about these."""
    metrics = without_reaction_metrics(result.metrics, result.loads)
    resolutions = display_resolutions(result.definition)
    table = metric_table(
        metrics,
        result.prediction,
        result.units,
        system=system,
        resolutions=resolutions,
        errors=result.metric_errors,
    )
    return [scrolling(table), *map(paragraph, prediction_sentences(result.prediction))]


def _annex(result: Result) -> list[str]:
    """Return the full scenario as YAML, collapsed."""
    text = html.escape(yaml_text(plain_data(result.definition)))
    name = f"{result.scenario}, complete, in SI units" if result.scenario else "Complete, in SI units"
    return ['<h2 class="annex">Annex: full scenario</h2>', collapsed(name, f"<pre>{text}</pre>")]
