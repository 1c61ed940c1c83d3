"""The report of a campaign in one HTML file: verdict, dispersions, statistics, sensitivities, worst cases."""

import html
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.campaign.spring_sentences import check_text, repeated_table, stroke_text
from softdock.campaign.summary import CampaignSummary, summarise
from softdock.campaign.table import CampaignTable, read_table
from softdock.errors import InputError
from softdock.presentation.assessment import validity_status
from softdock.presentation.campaign import spring_table, success_text
from softdock.presentation.discrepancies import discrepancies_html
from softdock.presentation.labels import input_label, label
from softdock.presentation.numbers import (
    format_quantity,
    format_share,
)
from softdock.presentation.phases import phase_share_table
from softdock.presentation.progress import Progress
from softdock.presentation.requirements import (
    CAMPAIGN_MATRIX_NOTE,
    campaign_notes,
    campaign_requirement_table,
    overall_verdict,
)
from softdock.presentation.tables import Table, status_mark
from softdock.presentation.unit_systems import UnitSystem, unit_system_of
from softdock.report import campaign_figures as figures
from softdock.report.campaign_quantiles import quantile_section, quantile_table
from softdock.report.dispersions import dispersion_table
from softdock.report.embedding import figure_image
from softdock.report.imprint import Imprint, report_date
from softdock.report.page import collapsed, html_page, page_head, paragraph, scrolling
from softdock.report.rare_events import search_section
from softdock.report.writing import write_report_file
from softdock.result import plain_data
from softdock.result.digest import data_digest
from softdock.scenario.yaml_text import yaml_text

NUMBER = re.compile(r"(?<![\w-])[-+]?\d+(\.\d+)?(e[-+]?\d+)?")
MOST_WARNINGS = 20
STYLE = """
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 470px), 1fr)); gap: 0 12px }
.picture { margin: 0.5em 0 }
@media (max-width: 600px) { .picture { overflow-x: auto } :not(.pictures) > .picture img { max-width: 760px } }
@media print { .pictures { grid-template-columns: 1fr 1fr } }
"""


@dataclass(frozen=True, kw_only=True)
class CampaignReportOptions:
    """Author, revision, unit system and paper size of a campaign report."""

    author: str = ""
    """Overrides the author of the campaign and of its scenario."""
    revision: str = ""
    """Overrides the revision of the campaign and of its scenario."""
    units: str | None = None
    """Name of a unit system; that of the campaign or its scenario if None."""
    paper: str = ""
    """Paper of a PDF (`PAPERS`); the default one if empty."""


def write_report(
    folder: Path,
    path: Path,
    progress: Progress,
    options: CampaignReportOptions | None = None,
    campaign: Path | None = None,
) -> tuple[Path, dict[str, Any]]:
    """Write the report of a campaign's folder as HTML or PDF; return its path and the findings as plain data.

    `campaign` is the campaign file, where it is not the one that the folder names.
    """
    options = options or CampaignReportOptions()
    progress("reading the table", 0.0)
    table = read_table(folder, campaign)
    if not table.run.size:
        raise InputError("No run is done yet; there is nothing to report.", file=str(folder))
    progress("statistics", 0.2)
    system = _unit_system(table, options)
    summary = summarise(table, system)
    progress("figures", 0.4)
    write_report_file(path, lambda paper: _page(table, summary, folder, options, paper), options.paper)
    progress("done", 1.0)
    return path, {**summary.to_json(), "discrepancies": list(table.discrepancies)}


def _unit_system(table: CampaignTable, options: CampaignReportOptions) -> UnitSystem:
    campaign, scenario = table.manifest["campaign"], table.manifest["scenario"]["data"]
    return unit_system_of(campaign if campaign.get("units") else scenario, options.units)


def _page(
    table: CampaignTable, summary: CampaignSummary, folder: Path, options: CampaignReportOptions, paper: str
) -> str:
    campaign, system = table.manifest["campaign"], _unit_system(table, options)
    title = campaign["title"] or table.manifest["name"]
    imprint, sample = _imprint(table, options), table.random_sample()
    parts = [
        *page_head(title, imprint),
        discrepancies_html(table.discrepancies),
        *_verdict(table, summary),
        paragraph(campaign.get("description", ""), "soft"),
        *_requirements(table, summary, system),
        *(paragraph(sentence) for sentence in summary.sentences if not _is_headline(summary, sentence)),
        *search_section(table, system),
        *_outcomes(table),
        *_phases(summary),
        *_dispersions(table, system),
        *quantile_section(table, summary, system),
        *_distributions(sample, summary, system),
        *_sensitivities(summary),
        *_correlations(summary),
        *_envelope(table, summary, system),
        *_springs(summary, system),
        *_opening_time_section(table, system),
        *_predictions(summary, system),
        *_scatter(sample, summary, system),
        *_worst_case_section(summary, folder),
        "<h2>Identification</h2>",
        scrolling(_identification_table(table)),
        scrolling(imprint.table(), small=True),
        *_annex(table, summary, system),
    ]
    return html_page(title, parts, STYLE, imprint, paper)


def _requirements(table: CampaignTable, summary: CampaignSummary, system: UnitSystem) -> list[str]:
    """Return the verdict on all requirements, their matrix and what limits its numbers."""
    verdict, status = overall_verdict(summary.requirements, "campaign")
    parts = ["<h2>Requirements</h2>", f"<p>{status_mark(status)}{html.escape(verdict)}</p>"]
    if not summary.requirements:
        return parts
    definition = table.manifest["scenario"]["data"]
    matrix = campaign_requirement_table(summary.requirements, definition, table.units, system)
    text = " ".join([CAMPAIGN_MATRIX_NOTE, *campaign_notes(summary.requirements, table.manifest)])
    return [*parts, scrolling(matrix, small=True, css_class="matrix"), paragraph(text, "soft")]


def _phases(summary: CampaignSummary) -> list[str]:
    """Return the fraction of the runs that reach each phase."""
    if not summary.phases:
        return []
    table = phase_share_table([asdict(phase) for phase in summary.phases])
    return ["<h2>Phases</h2>", scrolling(table)]


def _imprint(table: CampaignTable, options: CampaignReportOptions) -> Imprint:
    manifest, campaign = table.manifest, table.manifest["campaign"]
    scenario = manifest["scenario"]["data"]
    return Imprint(
        subject="campaign",
        digest=data_digest(plain_data({"campaign": campaign, "scenario": manifest["scenario"]})),
        date=report_date(),
        author=options.author or campaign.get("author") or scenario.get("author", ""),
        revision=options.revision or campaign.get("revision") or scenario.get("revision", ""),
        versions=manifest["versions"],
        digests={"scenario": data_digest(plain_data(scenario)), **manifest.get("files", {})},
    )


def _verdict(table: CampaignTable, summary: CampaignSummary) -> list[str]:
    """Return the capture probability with its interval, and what is missing of the campaign."""
    parts = []
    if summary.method != "monte-carlo":
        parts += [f'<p class="headline"><b>{html.escape(text)}</b></p>' for text in summary.sentences[:1]]
    elif summary.success is not None:
        names = ", ".join(label(name) for name in table.manifest["campaign"]["success"])
        text = success_text(summary.success["share"], summary.success["low"], summary.success["high"])
        parts.append(f'<p class="headline"><b>{html.escape(text)}</b> Success: {html.escape(names)}.</p>')
    if table.run.size < table.planned:
        missing = f"{table.run.size} of {table.planned} runs are done; the statistics are preliminary."
        parts.append(paragraph(missing))
    return parts


def _is_headline(summary: CampaignSummary, sentence: str) -> bool:
    """Return whether the headline of the report contains a sentence: the first one, or the success rate."""
    if summary.method != "monte-carlo":
        return sentence == summary.sentences[0]
    rate = summary.success
    return rate is not None and success_text(rate["share"], rate["low"], rate["high"]) in sentence


def _identification_table(table: CampaignTable) -> Table:
    manifest, campaign = table.manifest, table.manifest["campaign"]
    rows = [
        ("scenario", manifest["scenario"]["name"]),
        ("runs done, planned", f"{table.run.size}, {table.planned}"),
        ("method, sampling, seed", f"{table.method}, {campaign['sampling']}, {campaign['seed']}"),
        (
            "computing time",
            f"{format_quantity(float(table.wall_s.sum()), 's')} over all workers, "
            f"median {format_quantity(float(np.median(table.wall_s)), 's')} per run",
        ),
    ]
    return Table(header=("", ""), rows=rows, left=(0, 1))


def _outcomes(table: CampaignTable) -> list[str]:
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
    outcomes = Table(header=["outcome", "runs", "share", "example"], rows=rows, left=(0, 3))
    return ["<h2>Outcomes and validity</h2>", scrolling(outcomes), *_validity(table)]


def _validity(table: CampaignTable) -> list[str]:
    """Return how many runs are valid, and how often each warning occurred."""
    counts = Counter(table.valid)
    rows = [[name, str(count), format_share(count / table.run.size)] for name, count in counts.most_common()]
    statuses = [validity_status(name) for name, _ in counts.most_common()]
    # Warnings of several runs are equal except for their numbers.
    warnings = Counter(NUMBER.sub("..", text) for texts in table.warnings for text in set(texts))
    parts = [scrolling(Table(header=["valid", "runs", "share"], rows=rows, statuses=statuses))]
    if warnings:
        listed = [[text, str(count)] for text, count in warnings.most_common(MOST_WARNINGS)]
        parts.append(scrolling(Table(header=["warning", "runs"], rows=listed)))
    return parts


def _dispersions(table: CampaignTable, system: UnitSystem) -> list[str]:
    note = (
        "Distributions and limits as written in the campaign and its presets; nominal: value of the scenario; "
        "sampled: smallest and largest value of the runs."
    )
    content = dispersion_table(table, system)
    correlated = [
        f"Correlated: {', '.join(input_label(field) for field in group['fields'])}, matrix {group['matrix']}."
        for group in table.manifest["campaign"].get("correlations", ())
    ]
    texts = [paragraph(text) for text in correlated]
    return ["<h2>Dispersions</h2>", paragraph(note, "soft keep"), scrolling(content, small=True), *texts]


def _distributions(table: CampaignTable, summary: CampaignSummary, system: UnitSystem) -> list[str]:
    if not summary.metrics:
        return []
    text = "Share of runs of each outcome with at most this value; in brackets the number of runs."
    pairs = [summary.metrics[i : i + 2] for i in range(0, len(summary.metrics), 2)]
    return [
        "<h2>Cumulative distributions by outcome</h2>",
        paragraph(text, "soft keep"),
        *(
            figure_image(
                figures.distribution_figure(table, pair, system),
                f"Cumulative distributions of {' and '.join(map(label, pair))} by outcome",
            )
            for pair in pairs
        ),
    ]


def _sensitivities(summary: CampaignSummary) -> list[str]:
    """Return tornado charts of the rank correlations, and Sobol' indices where the design gives them."""
    metrics = list(dict.fromkeys(correlation.metric for correlation in summary.correlations))
    parts = []
    if metrics:
        note = (
            "Spearman's rank correlation of each metric with the inputs, largest first; +1 and -1 are monotonic "
            "relations, values near 0 do not exclude a relation that rises and falls."
        )
        parts += ["<h2>Sensitivities</h2>", paragraph(note, "soft keep")]
    charts = []
    for metric in metrics:
        own = [correlation for correlation in summary.correlations if correlation.metric == metric]
        charts.append(figure_image(figures.tornado_figure(own, metric), f"Sensitivities of {label(metric)}"))
    parts.append(f'<div class="pictures">{"".join(charts)}</div>')
    if summary.sobol:
        parts.append("<h2>Sobol' indices</h2>")
    for metric, indices in summary.sobol.items():
        omitted = f"; {indices.left_out} points with a run without value omitted" if indices.left_out else ""
        parts.append(f"<h3>{html.escape(label(metric))}</h3>")
        parts.append(paragraph(f"{indices.complete} base points{omitted}."))
        parts.append(
            figure_image(figures.sobol_figure(indices, metric), f"Sobol' indices of {label(metric)}")
        )
    return parts


def _correlations(summary: CampaignSummary) -> list[str]:
    if not summary.correlations:
        return []
    figure, omitted = figures.correlation_figure(summary.correlations)
    parts = ["<h2>Rank correlations (Spearman)</h2>", figure_image(figure, "Matrix of rank correlations")]
    if omitted:
        names = ", ".join(input_label(name) for name in omitted)
        parts.append(paragraph(f"Not shown, with smaller correlations: {names}.", "soft"))
    return parts


def _envelope(table: CampaignTable, summary: CampaignSummary, system: UnitSystem) -> list[str]:
    if summary.envelope is None:
        success = table.success
        if success is None:
            return []
        why = "all runs succeeded" if success.all() else "no run succeeded" if not success.any() else ""
        why = why or "fewer than two inputs have a rank correlation with success"
        text = f"There is no boundary to show in these runs: {why}."
        return ["<h2>Capture envelope</h2>", paragraph(text)]
    x, y, envelope = summary.envelope
    text = (
        "Success rate in each cell over the two inputs with the largest rank correlation with success, and the lower "
        "limit of its 95 % Wilson interval. No model is fitted."
    )
    figure = figures.envelope_figure(table, envelope, x, y, system)
    return ["<h2>Capture envelope</h2>", paragraph(text, "keep"), figure_image(figure, "Capture envelope")]


def _springs(summary: CampaignSummary, system: UnitSystem) -> list[str]:
    text = (
        "Energy that the spring must store in each run, and the linear stiffness that stores it (as in ASSIST, Figure "
        "15). What its stop took is counted; damping, friction and preload of the spring stay."
    )
    parts = [f"<h2>Spring sizing</h2>{paragraph(text, 'keep')}"] if summary.springs else []
    for size in summary.springs:
        check = summary.spring_checks[size.name]
        table = spring_table(size.by_quantile(), size.turning, system)
        parts += [f"<h3>{html.escape(size.name)}, stroke {stroke_text(size, system)}</h3>", scrolling(table)]
        parts.append(paragraph(check_text(size, check), "keep"))
        parts += [scrolling(repeated_table(size, check, system))] if check.repeated else []
        parts.append(
            figure_image(figures.spring_figure(size, system), f"Energy and stiffness of {size.name}")
        )
    return parts


def _opening_time_section(table: CampaignTable, system: UnitSystem) -> list[str]:
    if "opening_time" not in table.metrics:
        return []
    drawn = figures.opening_time_figures(table, system)
    parts = [
        "<h2>Available opening time</h2>",
        paragraph("Grey: the range of 1 to 2 s that the ASSIST paper reports.", "keep"),
    ]
    for title, figure in drawn:
        parts += [f"<h3>{html.escape(title)}</h3>", figure_image(figure, title)]
    return parts if drawn else []


def _predictions(summary: CampaignSummary, system: UnitSystem) -> list[str]:
    many = summary.predictions
    if many is None:
        return []
    figure = figures.prediction_figure(many.ratio, many.simulated, many.predicted, system)
    return ["<h2>Theory and simulation</h2>", figure_image(figure, "Theory against simulation")]


def _scatter(table: CampaignTable, summary: CampaignSummary, system: UnitSystem) -> list[str]:
    parts = ["<h2>Metrics over inputs</h2>"]
    if table.success is not None:
        parts.append(paragraph("Dots: successful runs; crosses: other runs.", "soft keep"))
    for metric in summary.metrics:
        figure = figures.scatter_grid(table, metric, summary.inputs, system)
        parts += [
            f"<h3>{html.escape(label(metric))}</h3>",
            figure_image(figure, f"{label(metric)} over inputs"),
        ]
    return parts if summary.metrics and summary.inputs else []


def _worst_case_section(summary: CampaignSummary, folder: Path) -> list[str]:
    parts = ["<h2>Worst cases</h2>"]
    parts.append(paragraph("Each command repeats the run with its full history and prints it.", "soft keep"))
    for what, cases in summary.worst.items():
        rows = [[str(run), text, rerun_command(folder, run)] for run, text in cases]
        table = Table(header=["run", "", "command"], rows=rows, left=(0, 1, 2), code=(2,))
        parts += [f"<h3>{html.escape(label(what))}</h3>", scrolling(table, small=True)]
    return parts


def rerun_command(folder: Path, run: int) -> str:
    """Return the command that repeats one run of a campaign with its full history."""
    return f"softdock campaign resume {shlex.quote(str(folder))} --rerun {run}"


def _annex(table: CampaignTable, summary: CampaignSummary, system: UnitSystem) -> list[str]:
    others = [name for name in summary.quantiles if name not in summary.metrics] if summary.metrics else []
    rest = scrolling(quantile_table(table, summary, others, system), small=True) if others else ""
    manifest: Mapping[str, Any] = table.manifest
    campaign = html.escape(yaml_text(manifest["campaign"]))
    scenario = html.escape(yaml_text(manifest["scenario"]["data"]))
    return [
        '<h2 class="annex">Annex: other metrics, campaign and scenario</h2>',
        *([collapsed(f"{len(others)} other metrics", rest)] if rest else []),
        collapsed("Campaign with the dispersions of its presets", f"<pre>{campaign}</pre>"),
        collapsed(f"{manifest['scenario']['name']}, complete, in SI units", f"<pre>{scenario}</pre>"),
    ]
