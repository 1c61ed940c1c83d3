"""The report of one run: timeline, figures, metrics, conservation check and scenario in one HTML file."""

import html
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from softdock.campaign.manifest import versions
from softdock.errors import InputError
from softdock.files.atomic import write_together
from softdock.presentation.assessment import (
    CONSERVATION_RULE,
    conservation_status,
    conservation_text,
    named_outcomes,
    outcome_status,
    validity_status,
    validity_text,
)
from softdock.presentation.labels import label
from softdock.presentation.numbers import format_time
from softdock.presentation.run import conservation_table, metric_table, prediction_sentences, timing_text
from softdock.presentation.tables import status_mark
from softdock.replay import scene as build_scene
from softdock.replay import sections
from softdock.replay.curves import curves_of, initial_charts
from softdock.replay.scene import Scene
from softdock.report import svg
from softdock.report.page import html_page
from softdock.report.timeline import TimelineEntry, build_timeline
from softdock.result import Audit, Result, plain_data

MOST_SECTIONS = 6
STYLE = """
ol.timeline { list-style: none; padding: 0; border-left: 2px solid var(--line); margin-left: 6px }
ol.timeline li { position: relative; padding: 0 0 0.7em 1.3em }
ol.timeline li::before { content: ""; position: absolute; left: -6px; top: 0.45em; width: 10px; height: 10px;
  border-radius: 50%; background: var(--accent) }
ol.timeline time { color: var(--soft); font-variant-numeric: tabular-nums; margin-right: 0.8em }
ol.timeline small { display: block; color: var(--soft) }
.sections { display: grid; grid-template-columns: repeat(auto-fill, minmax(290px, 1fr)); gap: 14px }
"""


def write_run_report(result: Result, path: Path) -> None:
    """Write the report of a run; the file appears complete or not at all."""
    write_together(path.parent, {path.name: run_report(result).encode()})


def run_report(result: Result) -> str:
    """Return the report of a run as a self-contained page."""
    scene = _scene_or_curves(result)
    timeline = build_timeline(result, scene)
    title = scene.title or result.scenario or "Run"
    status = outcome_status(result.outcome, result.completed, named_outcomes(result.definition))
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="lead">{status_mark(status)}<b>{html.escape(label(result.outcome))}</b> '
        f"{html.escape(result.message)}</p>",
        _validity(result),
        f'<p class="soft">{html.escape(str(result.definition.get("description", "")))}</p>',
        "<h2>Timeline</h2>",
        _timeline(timeline),
        *_sections(result, scene, timeline),
        *_charts(scene),
        "<h2>Metrics</h2>",
        _metrics(result),
        "<h2>Conservation check</h2>",
        _conservation(result.audit),
        *_scenario_and_program(result),
    ]
    return html_page(title, parts, STYLE + svg.STYLE + sections.STYLE)


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


def _validity(result: Result) -> str:
    warnings = "".join(f"<li>{html.escape(text)}</li>" for text in result.warnings)
    listed = f"<ul>{warnings}</ul>" if warnings else ""
    return f"<p>{status_mark(validity_status(result.valid))}{html.escape(validity_text(result.valid))}</p>{listed}"


def _timeline(entries: Sequence[TimelineEntry]) -> str:
    items = [
        f"<li><time>{format_time(entry.time)}</time>{html.escape(entry.text)}"
        f"<small>{html.escape(entry.details)}</small></li>"
        for entry in entries
    ]
    return f'<ol class="timeline">{"".join(items)}</ol>'


def _sections(result: Result, scene: Scene, entries: Sequence[TimelineEntry]) -> list[str]:
    """Return sections through the port at the start and at times of events, at most `MOST_SECTIONS`."""
    texts: dict[float, list[str]] = {}
    for entry in entries:
        texts.setdefault(entry.time, []).append(entry.text)
    times = sorted(texts)
    if len(times) > MOST_SECTIONS:
        events = [event.time for event in result.events]
        ranked = sorted(times, key=lambda t: (t != times[0], t not in events, t))
        times = sorted(ranked[:MOST_SECTIONS])
    figures = [
        f"<figure>{picture}<figcaption>{format_time(time)}: {html.escape(' '.join(texts[time]))}</figcaption></figure>"
        for time, picture in zip(times, sections.sections(result, scene, times))
    ]
    note = "Outlines in the frame of the port, its axis to the right. Red: contact forces, to the scale of the replay."
    body = f'<div class="sections">{"".join(figures)}</div><p class="soft">{note}</p>'
    return ["<h2>Sections</h2>", body] if figures else []


def _charts(scene: Scene) -> list[str]:
    curves = {curve.name: curve for curve in scene.curves}
    span = (scene.start, scene.end)
    charts = [svg.chart([curves[name] for name in names], scene.events, span) for names in scene.charts]
    return ["<h2>Time histories</h2>", "<p class='soft'>Dotted lines: events.</p>", *charts] if charts else []


def _metrics(result: Result) -> str:
    table = metric_table(result.metrics, result.prediction, result.units)
    sentences = prediction_sentences(result.prediction)
    return table.to_html() + "".join(f"<p>Theory: {html.escape(text)}</p>" for text in sentences)


def _conservation(audit: Audit) -> str:
    verdict = f"<p>{status_mark(conservation_status(audit))}{conservation_text(audit)}</p>"
    note = f'<p class="soft">{CONSERVATION_RULE} {html.escape(Audit.COVERAGE)}</p>'
    return verdict + conservation_table(audit).to_html() + note


def _scenario_and_program(result: Result) -> list[str]:
    used = ", ".join(f"{name} {value}" for name, value in versions().items())
    return [
        "<h2>Scenario</h2>",
        f"<p>{html.escape(result.scenario)}, complete, in SI units:</p>",
        f"<pre>{html.escape(_yaml(result.definition))}</pre>",
        "<h2>Program</h2>",
        f"<p>{timing_text(result.timing)}.</p><p class='soft'>{html.escape(used)}</p>",
    ]


def _yaml(definition: Mapping[str, Any]) -> str:
    """Return a scenario's plain data as the text of a file that can be loaded again."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = None
    yaml.width = 110
    yaml.representer.sort_base_mapping_type_on_output = False
    stream = io.StringIO()
    yaml.dump(plain_data(definition), stream)
    return stream.getvalue()
