"""The report of one run: what happened in time order, figures, numbers, audit and scenario in one HTML file."""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.campaign.manifest import versions
from softdock.errors import InputError
from softdock.files.atomic import write_together
from softdock.replay import scene as scene_of
from softdock.replay import sections
from softdock.replay.curves import curves_of, first_charts
from softdock.replay.scene import Curve, Scene
from softdock.report import svg
from softdock.report.numbers import number, shown_unit, with_unit
from softdock.result import CONSERVATION_LIMIT, Audit, Result, plain_data

GOOD, DOUBTFUL = 1e-4, CONSERVATION_LIMIT
"""Relative errors of the audit up to which its light is green, and yellow; a run above says so itself."""
PICTURES, MOMENTS = 6, 60  # at most
NOTHING = 1e-4  # of the size of a curve
DARK = """--back: #12161c; --panel: #1a2029; --ink: #e4e9ef; --soft: #98a5b3; --line: #35404d; --accent: #5cb0f0;
  --good: #2fc79a; --fair: #f0c24b; --bad: #ff6b5e; --c0: #56b4e9; --c1: #f08a3c; --c2: #2fc79a; --c3: #e39cc6;
  color-scheme: dark"""
PAGE = f"""
:root {{ --back: #f6f7f9; --panel: #fff; --ink: #1d2733; --soft: #5b6876; --line: #d5dbe2; --accent: #0b63a5;
  --good: #0a8f5b; --fair: #b57a00; --bad: #c62828; --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7;
  color-scheme: light }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}
body {{ font: 15px/1.55 system-ui, sans-serif; max-width: 1000px; margin: 2em auto; padding: 0 1.2em;
  background: var(--back); color: var(--ink) }}
h1 {{ font-size: 1.55em; margin-bottom: 0.2em }} h2 {{ margin-top: 2em; font-size: 1.2em }}
.outcome {{ background: var(--accent); color: var(--panel); border-radius: 1em; padding: 0.1em 0.8em;
  font-weight: 600 }}
.lead {{ font-size: 1.1em }} .soft {{ color: var(--soft) }}
table {{ border-collapse: collapse; margin: 0.8em 0; font-size: 14px }}
th, td {{ border-bottom: 1px solid var(--line); padding: 3px 14px 3px 0; text-align: right;
  font-variant-numeric: tabular-nums }}
th:first-child, td:first-child {{ text-align: left }} th {{ color: var(--soft); font-weight: 600 }}
ol.story {{ list-style: none; padding: 0; border-left: 2px solid var(--line); margin-left: 6px }}
ol.story li {{ position: relative; padding: 0 0 0.7em 1.3em }}
ol.story li::before {{ content: ""; position: absolute; left: -6px; top: 0.45em; width: 10px; height: 10px;
  border-radius: 50%; background: var(--accent) }}
ol.story time {{ color: var(--soft); font-variant-numeric: tabular-nums; margin-right: 0.8em }}
ol.story small {{ display: block; color: var(--soft) }}
.pictures {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(290px, 1fr)); gap: 14px }}
figure {{ margin: 0 }} figcaption {{ font-size: 13px; color: var(--soft) }}
.light {{ display: inline-block; width: 11px; height: 11px; border-radius: 50%; margin-right: 8px }}
.good {{ background: var(--good) }} .fair {{ background: var(--fair) }} .bad {{ background: var(--bad) }}
pre {{ background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.8em; overflow-x: auto;
  font-size: 12.5px; line-height: 1.4 }}
"""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One entry of the story."""

    time: float
    text: str
    details: str = ""


def write_run_report(result: Result, path: Path) -> None:
    """Write the report of a run; the file appears complete or not at all."""
    write_together(path.parent, {path.name: run_report(result).encode()})


def run_report(result: Result) -> str:
    """Return the report of a run as a page that needs nothing else."""
    shown = _scene(result)
    story = moments(result, shown)
    title = shown.title or result.scenario or "A run"
    outcome = html.escape(result.outcome.replace("_", " "))
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="lead"><span class="outcome">{outcome}</span> {html.escape(result.message)}</p>',
        _validity(result),
        f'<p class="soft">{html.escape(str(result.definition.get("description", "")))}</p>',
        "<h2>What happened</h2>",
        _story(story),
        *_pictures(result, shown, story),
        *_charts(shown),
        "<h2>Numbers</h2>",
        _numbers(result),
        "<h2>Audit</h2>",
        _audit(result),
        *_about(result),
    ]
    style = PAGE + svg.STYLE + sections.STYLE
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{html.escape(title)}</title><style>{style}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{"".join(parts)}</body></html>\n'


def _scene(result: Result) -> Scene:
    """Return the scene of a run; of one that has nothing to show in 3-D, its curves alone."""
    try:
        return scene_of(result)
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
            charts=first_charts(curves, []) if len(time) > 1 else (),
        )


def moments(result: Result, shown: Scene) -> list[Moment]:
    """Return the story of a run in time order: its start, what happened, the largest forces, its end."""
    curves = {curve.name: curve for curve in shown.curves}
    first = [curves[names[0]] for names in shown.charts]
    out = [Moment(time=shown.start, text=_start(result), details=_values(first, shown.start))]
    for event in result.events:
        text = event.message or f"{event.name.replace('_', ' ')}."
        out.append(Moment(time=event.time, text=text, details=_values(first, event.time)))
    for name, channel in result.history.channels.items():
        if (
            name.endswith(".force")
            and channel.unit == "N"
            and name.removesuffix(".force") in _contacts(result)
        ):
            at = int(np.nanargmax(channel.values)) if np.isfinite(channel.values).any() else 0
            if channel.values[at] > 0.0:
                who = name.removesuffix(".force")
                text = (
                    f"The contact {who} pushes hardest."
                    if who != "contact"
                    else "The contact pushes hardest."
                )
                force = f"force {with_unit(float(channel.values[at]), 'N')}"
                out.append(Moment(time=float(result.history.time[at]), text=text, details=force))
    ending = f"The run ends after {with_unit(shown.end - shown.start, 's')}."
    out.append(Moment(time=shown.end, text=ending, details=_values(first, shown.end)))
    out.sort(key=lambda moment: moment.time)
    left_out = len(out) - MOMENTS
    if left_out > 0:
        gap = Moment(
            time=out[-3].time, text=f"Before this, {left_out} more things happened that are not told here."
        )
        out = [*out[: MOMENTS - 3], gap, *out[-3:]]
    return out


def _contacts(result: Result) -> Sequence[str]:
    contacts = result.definition.get("contacts")
    return list(contacts) if isinstance(contacts, Mapping) else ["contact"]


def _start(result: Result) -> str:
    approach = result.definition.get("approach")
    if isinstance(approach, Mapping):
        aside = math.hypot(*approach["offset"])
        tilt = math.hypot(*approach["tilt"])
        text = (
            f"{approach['chaser']} approaches at {with_unit(approach['speed'], 'm/s')} "
            f"from {with_unit(approach['distance'], 'm')}"
        )
        text += f", {with_unit(aside, 'm')} beside the axis" if aside else ""
        text += f", tilted by {with_unit(tilt, 'rad')}" if tilt else ""
        return f"{text[0].upper()}{text[1:]}."
    if "speed" in result.definition:
        return f"The chaser approaches at {with_unit(result.definition['speed'], 'm/s')}."
    return "The run starts."


def _values(curves: Sequence[Curve], time: float) -> str:
    """Return what curves show at a time; what is nothing beside the size of its curve is written as nothing."""
    texts = []
    for curve in curves:
        size = float(np.abs(curve.values).max())
        value = float(np.interp(time, curve.time, curve.values))
        unit, factor = shown_unit(curve.unit, size)
        texts.append(f"{curve.name} {number(value * factor if abs(value) > NOTHING * size else 0.0)} {unit}")
    return "; ".join(texts)


def _story(story: Sequence[Moment]) -> str:
    items = [
        f"<li><time>{moment.time:.4g} s</time>{html.escape(moment.text)}"
        f"<small>{html.escape(moment.details)}</small></li>"
        for moment in story
    ]
    return f'<ol class="story">{"".join(items)}</ol>'


def _pictures(result: Result, shown: Scene, story: Sequence[Moment]) -> list[str]:
    chosen: dict[float, list[str]] = {}
    for moment in story:
        chosen.setdefault(moment.time, []).append(moment.text)
    times = sorted(chosen)
    if len(times) > PICTURES:  # the beginning, and of the rest those in which something new happens
        events = [event.time for event in result.events]
        rank = sorted(times, key=lambda t: (t != times[0], t not in events, t))
        times = sorted(rank[:PICTURES])
    drawn = sections.sections(result, shown, times)
    figures = [
        f"<figure>{picture}<figcaption>{time:.4g} s: {html.escape(' '.join(chosen[time]))}</figcaption></figure>"
        for time, picture in zip(times, drawn)
    ]
    note = "Outlines in the frame of the port, its axis to the right. Red: contact forces, as long as in the replay."
    body = f'<div class="pictures">{"".join(figures)}</div><p class="soft">{note}</p>'
    return ["<h2>In pictures</h2>", body] if figures else []


def _charts(shown: Scene) -> list[str]:
    curves = {curve.name: curve for curve in shown.curves}
    span = (shown.start, shown.end)
    charts = [svg.chart([curves[name] for name in names], shown.events, span) for names in shown.charts]
    return ["<h2>Over time</h2>", "<p class='soft'>Dotted: events.</p>", *charts] if charts else []


def _numbers(result: Result) -> str:
    predicted = result.prediction or {}
    rows = []
    for name in dict.fromkeys([*result.metrics, *predicted]):
        unit = result.units.get(name, "")
        cells = [
            _cell(values[name], unit) if name in values else "" for values in (result.metrics, predicted)
        ]
        if all(cell is not None for cell in cells):
            rows.append([name.replace("_", " "), *(cell or "" for cell in cells)])
    sentences = [text for text in predicted.values() if isinstance(text, str) and " " in text]
    theory = "".join(f"<p>Theory: {html.escape(text)}</p>" for text in sentences)
    return _table(["", "simulated", "predicted" if predicted else ""], rows) + theory


def _cell(value: Any, unit: str) -> str | None:
    """Return a value as text; None for lists and sentences, which are no numbers."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int() if not unit:
            return str(value)
        case int() | float():
            return with_unit(float(value), unit or "1") if math.isfinite(value) else "-"
        case str() if " " not in value:
            return value
        case _:
            return None


def _validity(result: Result) -> str:
    """Return whether the models held, with a light and every warning."""
    light = {"yes": "good", "no": "bad"}.get(result.valid, "fair")
    warnings = "".join(f"<li>{html.escape(text)}</li>" for text in result.warnings)
    listed = f"<ul>{warnings}</ul>" if warnings else ""
    return f'<p><span class="light {light}"></span>Valid: {result.valid}</p>{listed}'


def _audit(result: Result) -> str:
    laws = {
        "linear momentum": result.audit.linear_momentum_drift,
        "angular momentum": result.audit.angular_momentum_drift,
        "energy": result.audit.energy_residual,
    }
    rows = []
    for law, error in laws.items():
        if error is None:
            rows.append(f"<tr><td>{law}</td><td>does not apply</td></tr>")
        else:
            light = "good" if error <= GOOD else "fair" if error <= DOUBTFUL else "bad"
            rows.append(f'<tr><td><span class="light {light}"></span>{law}</td><td>{error:.1e}</td></tr>')
    rule = (
        f"Largest relative errors of what must be conserved: green up to {GOOD:g}, yellow up to {DOUBTFUL:g}."
    )
    return f'<table>{"".join(rows)}</table><p class="soft">{rule} {html.escape(Audit.COVERAGE)}</p>'


def _about(result: Result) -> list[str]:
    timing = result.timing
    work = (
        f"{timing.simulated_s:.4g} s simulated in {with_unit(timing.wall_s, 's')}, {timing.steps} steps, "
        f"{timing.evaluations} evaluations."
    )
    used = ", ".join(f"{name} {value}" for name, value in versions().items())
    return [
        "<h2>Scenario</h2>",
        f"<p>{html.escape(result.scenario)}, all of it in SI units:</p>",
        f"<pre>{html.escape(_yaml(result.definition))}</pre>",
        "<h2>Program</h2>",
        f"<p>{work}</p><p class='soft'>{html.escape(used)}</p>",
    ]


def _yaml(definition: Mapping[str, Any]) -> str:
    """Return a scenario's plain data as a file that loads again."""
    import io

    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = None
    yaml.width = 110
    yaml.representer.sort_base_mapping_type_on_output = False
    stream = io.StringIO()
    yaml.dump(plain_data(definition), stream)
    return stream.getvalue()


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"
