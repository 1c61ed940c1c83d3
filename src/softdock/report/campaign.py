"""The report of a campaign: one HTML file that needs nothing else."""

import base64
import html
import io
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from softdock.campaign.summary import QUANTILES, CampaignSummary, summarise
from softdock.campaign.table import Table, read_table
from softdock.errors import InputError, Problem, file_errors
from softdock.files.atomic import write_atomic
from softdock.report import Progress
from softdock.report import campaign_figures as figures

DOTS_PER_INCH = 100
NUMBER = re.compile(r"(?<![\w-])[-+]?\d+(\.\d+)?(e[-+]?\d+)?")
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0; font-size: 14px }
th, td { border-bottom: 1px solid #ccc; padding: 3px 10px; text-align: right }
th:first-child, td:first-child { text-align: left }
img { max-width: 100% } code { background: #f3f3f3; padding: 1px 4px } h2 { margin-top: 2em }
"""


def write_report(folder: Path, path: Path, progress: Progress) -> tuple[Path, dict[str, Any]]:
    """Write the report of a campaign's folder; return its path and the findings as plain data."""
    progress("reading the table", 0.0)
    table = read_table(folder)
    if not table.run.size:
        raise InputError(Problem(message="No run is done yet; there is nothing to report.", file=str(folder)))
    progress("statistics", 0.2)
    findings = summarise(table)
    progress("figures", 0.4)
    text = _page(table, findings, folder)
    with file_errors(path, "write"):
        write_atomic(path, text)
    progress("done", 1.0)
    return path, findings.to_json()


def _page(table: Table, findings: CampaignSummary, folder: Path) -> str:
    campaign = table.manifest["campaign"]
    title = campaign["title"] or table.manifest["name"]
    parts = [
        f"<h1>{_text(title)}</h1>",
        f"<p>{_text(campaign['description'])}</p>",
        *(f"<p>{_text(sentence)}</p>" for sentence in findings.sentences),
        *_about(table),
        *_outcomes(table),
        *_quantiles(table, findings),
        *_assist(table),
        *_springs(findings),
        *_correlations(findings),
        *_sobol(findings),
        *_envelope(table, findings),
        *_predictions(findings),
        *_scatter(table, findings),
        *_worst(findings, folder),
    ]
    head = f'<meta charset="utf-8"><title>{_text(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(parts)}</body></html>\n'


def _about(table: Table) -> list[str]:
    manifest, campaign = table.manifest, table.manifest["campaign"]
    rows = [
        ["scenario", manifest["scenario"]["name"]],
        ["runs done, planned", f"{table.run.size}, {table.planned}"],
        ["sampling, seed", f"{campaign['sampling']}, {campaign['seed']}"],
        ["work", f"{table.wall_s.sum():.4g} s of workers, {1e3 * np.median(table.wall_s):.3g} ms a run"],
        ["versions", ", ".join(f"{name} {value}" for name, value in manifest["versions"].items())],
    ]
    return ["<h2>Campaign</h2>", _table(["", ""], rows)]


def _outcomes(table: Table) -> list[str]:
    sentences = dict(zip(table.outcome, table.message))
    failed = table.failures()
    rows = [
        [
            f"{outcome} (failure)" if outcome in failed else outcome,
            str(count),
            f"{count / table.run.size:.1%}",
            sentences[outcome],
        ]
        for outcome, count in table.counts().items()
    ]
    return ["<h2>Outcomes</h2>", _table(["outcome", "runs", "share", "for example"], rows), *_validity(table)]


def _validity(table: Table) -> list[str]:
    """Return how many runs are valid, and how often each warning occurred."""
    counts = Counter(table.valid)
    rows = [[name, str(count), f"{count / table.run.size:.1%}"] for name, count in counts.most_common()]
    # Runs differ in their numbers: what is equal between them is the sentence around these.
    said = Counter(NUMBER.sub("..", text) for warnings in table.warnings for text in set(warnings))
    parts = ["<h2>Validity</h2>", _table(["valid", "runs", "share"], rows)]
    if said:
        parts.append(
            _table(["warning", "runs"], [[text, str(count)] for text, count in said.most_common(20)])
        )
    return parts


def _quantiles(table: Table, findings: CampaignSummary) -> list[str]:
    head = ["metric", "runs", "smallest", "5 %", "median", "95 %", "99 %", "largest"]
    rows = []
    for name, (count, values) in findings.quantiles.items():
        between = findings.intervals[name]
        cells = [_number(value) for value in values]
        for place, key in enumerate(QUANTILES, 1):
            low, high = ("" if end is None else _number(end) for end in between[key])
            cells[place] += f" ({low} ... {high})"
        rows.append([table.label(name), str(count), *cells])
    note = (
        "In brackets: where the quantile of all possible runs is with a confidence of 95 %, from order statistics, "
        "whatever the distribution; an end is missing where there are too few runs for it."
    )
    return ["<h2>Metrics</h2>", _table(head, rows), f"<p>{note}</p>"]


def _assist(table: Table) -> list[str]:
    if "opening_time" not in table.metrics:
        return []
    drawn = figures.opening_time_figures(table)
    parts = [
        "<h2>Available opening time</h2>",
        "<p>Grey: the band of 1 to 2 s that the ASSIST paper found.</p>",
    ]
    for title, figure in drawn:
        parts += [f"<h3>{_text(title)}</h3>", _image(figure)]
    return parts if drawn else []


def _springs(findings: CampaignSummary) -> list[str]:
    text = "Energy of every run, and the linear stiffness that stores it (as in ASSIST, Figure 15)."
    parts = [f"<h2>Spring sizing</h2><p>{text}</p>"] if findings.springs else []
    for size in findings.springs:
        stroke = f"{np.degrees(size.stroke):.4g} deg" if size.turning else f"{1e3 * size.stroke:.4g} mm"
        unit = "N m/rad" if size.turning else "N/m"
        rows = [
            [f"{row['share']:.0%}", _number(row["energy"]), _number(row["stiffness"]), f"{row['excess']:.0%}"]
            for row in size.by_quantile()
        ]
        head = ["of runs within", "energy [J]", f"linear stiffness [{unit}]", "largest energy exceeds it by"]
        parts += [f"<h3>{_text(size.name)}, stroke {stroke}</h3>", _table(head, rows)]
        parts.append(_image(figures.spring_figure(size)))
    return parts


def _correlations(findings: CampaignSummary) -> list[str]:
    if not findings.correlations:
        return []
    inputs = list(dict.fromkeys(one.input for one in findings.correlations))
    metrics = list(dict.fromkeys(one.metric for one in findings.correlations))
    known = {(one.input, one.metric): f"{one.coefficient:+.2f}" for one in findings.correlations}
    rows = [[name, *(known.get((name, metric), "") for metric in metrics)] for name in inputs]
    return ["<h2>Rank correlations (Spearman)</h2>", _table(["input", *metrics], rows)]


def _sobol(findings: CampaignSummary) -> list[str]:
    parts = ["<h2>Sobol' indices</h2>"] if findings.sobol else []
    for metric, indices in findings.sobol.items():
        left = f"; {indices.left_out} points left out, where a run gave no value" if indices.left_out else ""
        parts.append(f"<h3>{_text(metric)}</h3><p>{indices.complete} base points{left}.</p>")
        parts.append(_image(figures.sobol_figure(indices, metric)))
    return parts


def _envelope(table: Table, findings: CampaignSummary) -> list[str]:
    if findings.envelope is None:
        return []
    x, y, envelope = findings.envelope
    text = (
        "Share of success in each cell over the two inputs that matter most, with the lower end of its 95 % "
        "Wilson interval. No model is fitted."
    )
    figure = figures.envelope_figure(envelope, table.label(x), table.label(y))
    return ["<h2>Capture envelope</h2>", f"<p>{text}</p>", _image(figure)]


def _predictions(findings: CampaignSummary) -> list[str]:
    many = findings.predictions
    if many is None:
        return []
    return [
        "<h2>Theory against simulation</h2>",
        _image(figures.prediction_figure(many.ratio, many.simulated, many.predicted)),
    ]


def _scatter(table: Table, findings: CampaignSummary) -> list[str]:
    parts = ["<h2>Metrics over inputs</h2>"]
    for metric in findings.metrics:
        parts += [f"<h3>{_text(metric)}</h3>", _image(figures.scatter_grid(table, metric, findings.inputs))]
    return parts if findings.metrics and findings.inputs else []


def _worst(findings: CampaignSummary, folder: Path) -> list[str]:
    parts = ["<h2>Worst cases</h2>"]
    place = shlex.quote(str(folder))
    for what, cases in findings.worst.items():
        rows = [[str(run), said, f"softdock campaign resume {place} --rerun {run}"] for run, said in cases]
        parts += [f"<h3>{_text(what)}</h3>", _table(["run", "", "repeat with full history"], rows, code=2)]
    return parts


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], code: int = -1) -> str:
    body = "".join(
        "<tr>"
        + "".join(
            f"<td>{f'<code>{_text(cell)}</code>' if i == code else _text(cell)}</td>"
            for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    top = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    return f"<table><tr>{top}</tr>{body}</table>" if any(head) else f"<table>{body}</table>"


def _image(figure: Figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH)
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def _text(value: object) -> str:
    return html.escape(str(value))


def _number(value: float) -> str:
    return f"{value:.5g}"
