"""The report of a campaign: one self-contained HTML file."""

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
from softdock.presentation.assessment import validity_status
from softdock.presentation.campaign import spring_table
from softdock.presentation.labels import axis_label, label
from softdock.presentation.numbers import display_unit, format_number, format_quantity, format_share
from softdock.presentation.tables import Table as TextTable
from softdock.report import Progress
from softdock.report import campaign_figures as figures
from softdock.report.page import html_page

DOTS_PER_INCH = 100
NUMBER = re.compile(r"(?<![\w-])[-+]?\d+(\.\d+)?(e[-+]?\d+)?")


def write_report(
    folder: Path, path: Path, progress: Progress, campaign: Path | None = None
) -> tuple[Path, dict[str, Any]]:
    """Write the report of a campaign's folder; return its path and the findings as plain data.

    `campaign` is the campaign file, where it is not the one that the folder names.
    """
    progress("reading the table", 0.0)
    table = read_table(folder, campaign)
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
    return html_page(title, parts)


def _about(table: Table) -> list[str]:
    manifest, campaign = table.manifest, table.manifest["campaign"]
    rows = [
        ["scenario", manifest["scenario"]["name"]],
        ["runs done, planned", f"{table.run.size}, {table.planned}"],
        ["sampling, seed", f"{campaign['sampling']}, {campaign['seed']}"],
        [
            "computing time",
            f"{format_quantity(float(table.wall_s.sum()), 's')} over all workers, "
            f"median {format_quantity(float(np.median(table.wall_s)), 's')} per run",
        ],
        ["versions", ", ".join(f"{name} {value}" for name, value in manifest["versions"].items())],
    ]
    return ["<h2>Campaign</h2>", _table(["", ""], rows, left=(0, 1))]


def _outcomes(table: Table) -> list[str]:
    sentences = dict(zip(table.outcome, table.message))
    failed = table.failures()
    rows = [
        [
            f"{label(outcome)} (failure)" if outcome in failed else label(outcome),
            str(count),
            format_share(count / table.run.size),
            sentences[outcome],
        ]
        for outcome, count in table.counts().items()
    ]
    head = ["outcome", "runs", "share", "example"]
    return ["<h2>Outcomes</h2>", _table(head, rows, left=(0, 3)), *_validity(table)]


def _validity(table: Table) -> list[str]:
    """Return how many runs are valid, and how often each warning occurred."""
    counts = Counter(table.valid)
    rows = [[name, str(count), format_share(count / table.run.size)] for name, count in counts.most_common()]
    statuses = [validity_status(name) for name, _ in counts.most_common()]
    # Warnings of several runs are equal except for their numbers.
    warnings = Counter(NUMBER.sub("..", text) for texts in table.warnings for text in set(texts))
    validity = TextTable(header=["valid", "runs", "share"], rows=rows, statuses=statuses)
    parts = ["<h2>Validity</h2>", validity.to_html()]
    if warnings:
        parts.append(
            _table(["warning", "runs"], [[text, str(count)] for text, count in warnings.most_common(20)])
        )
    return parts


def _quantiles(table: Table, findings: CampaignSummary) -> list[str]:
    head = ["metric", "runs", "smallest", "5 %", "median", "95 %", "99 %", "largest"]
    rows = []
    for name, (count, values) in findings.quantiles.items():
        between = findings.intervals[name]
        symbol, factor = display_unit(table.unit(name), max(map(abs, values)))
        cells = [format_number(factor * value) for value in values]
        for place, key in enumerate(QUANTILES, 1):
            low, high = ("" if end is None else format_number(factor * end) for end in between[key])
            cells[place] += f" ({low} ... {high})"
        rows.append([axis_label(label(name), symbol), str(count), *cells])
    note = (
        "In brackets: 95 % confidence interval of the quantile, from order statistics, independent of the "
        "distribution; a limit is missing where there are too few runs for it."
    )
    return ["<h2>Metrics</h2>", _table(head, rows), f"<p>{note}</p>"]


def _assist(table: Table) -> list[str]:
    if "opening_time" not in table.metrics:
        return []
    found = figures.opening_time_figures(table)
    parts = [
        "<h2>Available opening time</h2>",
        "<p>Grey: the range of 1 to 2 s that the ASSIST paper reports.</p>",
    ]
    for title, figure in found:
        parts += [f"<h3>{_text(title)}</h3>", _image(figure)]
    return parts if found else []


def _springs(findings: CampaignSummary) -> list[str]:
    text = "Largest stored energy of each run, and the linear stiffness that stores it (as in ASSIST, Figure 15)."
    parts = [f"<h2>Spring sizing</h2><p>{text}</p>"] if findings.springs else []
    for size in findings.springs:
        stroke = format_quantity(size.stroke, "rad" if size.turning else "m")
        table = spring_table(size.by_quantile(), size.turning)
        parts += [f"<h3>{_text(size.name)}, stroke {stroke}</h3>", table.to_html()]
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
        omitted = f"; {indices.left_out} points with a run without value omitted" if indices.left_out else ""
        parts.append(f"<h3>{_text(label(metric))}</h3><p>{indices.complete} base points{omitted}.</p>")
        parts.append(_image(figures.sobol_figure(indices, metric)))
    return parts


def _envelope(table: Table, findings: CampaignSummary) -> list[str]:
    if findings.envelope is None:
        return []
    x, y, envelope = findings.envelope
    text = (
        "Success rate in each cell over the two inputs with the largest rank correlation with success, and the lower "
        "limit of its 95 % Wilson interval. No model is fitted."
    )
    figure = figures.envelope_figure(envelope, table.label(x), table.label(y))
    return ["<h2>Capture envelope</h2>", f"<p>{text}</p>", _image(figure)]


def _predictions(findings: CampaignSummary) -> list[str]:
    many = findings.predictions
    if many is None:
        return []
    return [
        "<h2>Theory and simulation</h2>",
        _image(figures.prediction_figure(many.ratio, many.simulated, many.predicted)),
    ]


def _scatter(table: Table, findings: CampaignSummary) -> list[str]:
    parts = ["<h2>Metrics over inputs</h2>"]
    for metric in findings.metrics:
        parts += [
            f"<h3>{_text(label(metric))}</h3>",
            _image(figures.scatter_grid(table, metric, findings.inputs)),
        ]
    return parts if findings.metrics and findings.inputs else []


def _worst(findings: CampaignSummary, folder: Path) -> list[str]:
    parts = ["<h2>Worst cases</h2>"]
    place = shlex.quote(str(folder))
    for what, cases in findings.worst.items():
        rows = [[str(run), text, f"softdock campaign resume {place} --rerun {run}"] for run, text in cases]
        table = TextTable(
            header=["run", "", "repeat with full history"], rows=rows, left=(0, 1, 2), code=(2,)
        )
        parts += [f"<h3>{_text(label(what))}</h3>", table.to_html()]
    return parts


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    return TextTable(header=header, rows=rows, left=left).to_html()


def _image(figure: Figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH)
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def _text(value: object) -> str:
    return html.escape(str(value))
