"""Summary of a campaign: all statistics of its table, for the report and `--json`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from softdock.campaign.compliance import assess_campaign
from softdock.campaign.phases import PhaseShare, phase_shares
from softdock.campaign.sizing import Column, SpringSize, find_spring, size_spring
from softdock.campaign.spring_checks import SpringCheck, check_spring, with_check
from softdock.campaign.spring_sentences import spring_sentences
from softdock.campaign.statistics import (
    Envelope,
    RankCorrelation,
    SobolIndices,
    capture_envelope,
    quantile_interval,
    quantiles,
    rank_correlation,
    sobol_indices,
    stop_rule_state,
    tolerance_bound,
)
from softdock.campaign.table import CampaignTable
from softdock.errors import InputError
from softdock.model.requirements import metric_names
from softdock.presentation.campaign import stop_rule_text, success_text
from softdock.presentation.labels import input_label
from softdock.presentation.numbers import format_quantity, format_with_error
from softdock.presentation.rare_events import search_sentences
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.result import Array, plain_data
from softdock.result.requirements import CampaignVerdict, read_requirements

WORST_SHOWN = 5  # runs that are listed for each metric and kind of failure
MOST_METRICS = 6  # that are shown if the campaign does not name any
SAME_VALUES = 0.01
"""Root mean square difference of two metrics, relative to their size, up to which figures of both look the same."""
QUANTILES = {"q05": 0.05, "median": 0.5, "q95": 0.95, "q99": 0.99}
"""Quantiles with a confidence interval, by name."""
TOLERANCES = {"q95": 0.95, "q99": 0.99}
"""Quantiles with an upper tolerance bound, by name."""
FAST_APPROACH = 0.02
"""[m/s] Speed above which the ASSIST paper reports opening times mainly within `PAPER_OPENING_TIMES`."""
PAPER_OPENING_TIMES = (1.0, 2.0)
"""[s] Least and largest of these opening times."""


Interval = tuple[float | None, float | None]


@dataclass(frozen=True)
class BulkPredictions:
    """Impacts predicted by theory for many samples, and comparison with the simulated runs."""

    ratio: Array
    """Ratio of effective masses of every sample."""
    predicted: Array
    """Predicted relative velocity after the impact of the simulated runs [m/s]."""
    simulated: Array


@dataclass(frozen=True)
class CampaignSummary:
    """Statistics of a campaign."""

    sentences: list[str]
    success: dict[str, float] | None
    counts: dict[str, int]
    failures: dict[str, int]
    """Number of failed runs by outcome; they count in the success rate only."""
    inputs: list[str]
    metrics: list[str]
    quantiles: dict[str, tuple[int, list[float]]]
    """By metric: number of values; smallest, 5 %, median, 95 %, 99 %, largest."""
    intervals: dict[str, dict[str, Interval]]
    """By metric: confidence intervals (95 %) of the quantiles of the population, by name."""
    correlations: list[RankCorrelation]
    sobol: dict[str, SobolIndices]
    envelope: tuple[str, str, Envelope] | None
    springs: list[SpringSize]
    spring_checks: dict[str, SpringCheck]
    """By name of a sized spring: what repeating runs with it showed."""
    worst: dict[str, list[tuple[int, str]]]
    predictions: BulkPredictions | None
    requirements: list[CampaignVerdict]
    tolerance_bounds: dict[str, dict[str, float | None]]
    """By metric: upper bounds of quantiles of the population with 95 % confidence (one-sided), by name."""
    units: dict[str, str]
    """SI units of inputs and metrics by name; dimensionless ones have no entry."""
    method: str = "monte-carlo"
    search: dict[str, Any] | None = None
    """What the method `subset` or `boundary` found."""
    phases: Sequence[PhaseShare] = ()
    """Fraction of the runs that reach each phase of the scenario."""

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data, without the values of single runs."""
        names = ("smallest", "q05", "median", "q95", "q99", "largest")
        data = {
            "sentences": self.sentences,
            "success": self.success,
            "method": self.method,
            "subset": self.search if self.method == "subset" else None,
            "boundary": self.search if self.method == "boundary" else None,
            "outcomes": self.counts,
            "failures": self.failures,
            "quantiles": {
                metric: {
                    "runs": count,
                    **dict(zip(names, values)),
                    "intervals": self.intervals[metric],
                    "tolerance_bounds": self.tolerance_bounds[metric],
                }
                for metric, (count, values) in self.quantiles.items()
            },
            "rank_correlations": [asdict(correlation) for correlation in self.correlations],
            "requirements": [asdict(requirement) for requirement in self.requirements],
            "sobol": {
                metric: {"names": i.names, "first_order": i.first, "total": i.total, "points": i.complete}
                for metric, i in self.sobol.items()
            },
            "springs": {size.name: size.by_quantile() for size in self.springs},
            "spring_checks": {
                size.name: {
                    "at_stop": size.at_stop,
                    "stroke": size.stroke,
                    **asdict(self.spring_checks[size.name]),
                }
                for size in self.springs
            },
            "worst": {what: [run for run, _ in cases] for what, cases in self.worst.items()},
            "units": self.units,
            "phases": [asdict(phase) for phase in self.phases],
        }
        return {name: plain_data(value) for name, value in data.items()}


def summarise(whole: CampaignTable, system: UnitSystem = AUTOMATIC) -> CampaignSummary:
    """Return the summary of a table, with sentences in a unit system.

    Statistics use the runs that do not depend on each other.
    """
    table, campaign = whole.random_sample(), whole.manifest["campaign"]
    inputs = dispersed_inputs(table)
    metrics = chosen_metrics(table)
    correlations = _correlations(table, inputs, metrics)
    predictions = _predictions(table)
    springs, spring_checks = _springs(table)
    known = [name for name, values in table.metrics.items() if np.isfinite(values).any()]
    return CampaignSummary(
        sentences=[
            *search_sentences(whole.method, whole.search, system), *_sample_sentence(whole, table),
            *_success_sentence(table), *_stop_sentence(table), *_failure_sentence(whole),
            *_assist_sentences(table, inputs, system), *_prediction_sentences(predictions),
            *spring_sentences(springs, spring_checks, system),
        ],
        success=table.success_rate(),
        counts=whole.counts(),
        failures=whole.failures(),
        inputs=inputs,
        metrics=metrics,
        quantiles={
            name: (int(np.isfinite(table.metrics[name]).sum()), quantiles(table.metrics[name]))
            for name in known
        },
        intervals={
            name: {key: quantile_interval(table.metrics[name], share) for key, share in QUANTILES.items()}
            for name in known
        },
        correlations=correlations,
        sobol=_sobol(table, metrics) if campaign["sampling"] == "saltelli" else {},
        envelope=_envelope(table, inputs),
        springs=springs,
        spring_checks=spring_checks,
        worst=_worst(whole, metrics, system),
        predictions=predictions,
        requirements=assess_campaign(whole.requirement_data()),
        tolerance_bounds={
            name: {key: tolerance_bound(table.metrics[name], share) for key, share in TOLERANCES.items()}
            for name in known
        },
        units={name: unit for name in [*inputs, *table.metrics] if (unit := table.unit(name))},
        method=whole.method,
        search=whole.search,
        phases=[] if whole.method == "boundary" else phase_shares(table.manifest["scenario"]["data"], table.phases),
    )  # fmt: skip


def _sample_sentence(whole: CampaignTable, sample: CampaignTable) -> list[str]:
    """Return which runs the statistics use, where these are not all."""
    if whole.level is None:
        return []
    return [
        f"Rates, quantiles, correlations and indices use {sample.run.size:,} runs that do not depend on others."
    ]


def _failure_sentence(table: CampaignTable) -> list[str]:
    """Return how many runs failed, by outcome; nothing if there is none."""
    failures = table.failures()
    if not failures:
        return []
    parts = ", ".join(f"{name} {count}" for name, count in failures.items())
    return [
        f"{sum(failures.values())} of {table.run.size} runs failed ({parts}): they are no successes, and their metrics "
        "are left out."
    ]


def dispersed_inputs(table: CampaignTable) -> list[str]:
    """Return the names of the numeric inputs; norms instead of components where a magnitude is dispersed."""
    replaced: set[str] = set()
    for name in table.inputs:
        path, _, last = name.rpartition(".")
        replaced |= {f"{path}.{i}" for i in range({"norm": 3, "lateral": 2}.get(last, 0))}
    return [name for name in table.inputs if name not in replaced]


def chosen_metrics(table: CampaignTable) -> list[str]:
    """Return the metrics that the campaign names, or the first that vary, those with requirements before others.

    Metrics that repeat an earlier one up to `SAME_VALUES`, such as the reaction of a joint behind the only contact, are
    left out of the latter.
    """
    named = [name for name in table.manifest["campaign"]["metrics"] if name in table.metrics]
    varying = [
        name for name, values in table.metrics.items() if np.unique(values[np.isfinite(values)]).size > 1
    ]
    definition = table.manifest["scenario"]["data"]
    limited = metric_names(read_requirements(definition), definition.get("metrics") or {}).values()
    first = dict.fromkeys([*(name for name in limited if name in varying), *varying])
    return [name for name in named if name in varying] or _different(table.metrics, first)[:MOST_METRICS]


def _different(columns: Mapping[str, Array], names: Iterable[str]) -> list[str]:
    """Return the names whose columns differ from those of all names before."""
    kept: list[str] = []
    for name in names:
        values = columns[name]
        if not any(_same_values(values, columns[other]) for other in kept):
            kept.append(name)
    return kept


def _same_values(values: Array, other: Array) -> bool:
    """Return whether two columns have values in the same runs and are nearly equal there."""
    known = np.isfinite(values)
    if not np.array_equal(known, np.isfinite(other)):
        return False
    largest = max(np.abs(values[known]).max(initial=0.0), np.abs(other[known]).max(initial=0.0)) or 1.0
    values, other = values[known] / largest, other[known] / largest  # so that squares are finite
    return bool(np.linalg.norm(values - other) <= SAME_VALUES * np.linalg.norm(values))


def _correlations(table: CampaignTable, inputs: list[str], metrics: list[str]) -> list[RankCorrelation]:
    columns = {metric: table.metrics[metric] for metric in metrics}
    if table.success is not None:
        columns["success"] = table.success.astype(float)
    correlations = [
        rank_correlation(name, table.inputs[name], metric, values)
        for name in inputs
        for metric, values in columns.items()
    ]
    return [correlation for correlation in correlations if correlation is not None]


def _success_sentence(table: CampaignTable) -> list[str]:
    rate = table.success_rate()
    if rate is None:
        return []
    return [f"{table.run.size:,} runs: {success_text(rate['share'], rate['low'], rate['high'])}"]


def _stop_sentence(table: CampaignTable) -> list[str]:
    """Return whether the stop rule of a complete campaign was satisfied; nothing without a rule."""
    rule, success = table.manifest["campaign"].get("stop"), table.success
    if rule is None or success is None or table.run.size < table.planned:
        return []
    reached = bool(table.state.get("stopped_at"))
    state = stop_rule_state(rule, int(success.sum()), success.size, reached)
    return list(filter(None, [stop_rule_text(state, success.size)]))


def _assist_sentences(table: CampaignTable, inputs: list[str], system: UnitSystem) -> list[str]:
    """Return sentences with the numbers that the ASSIST paper reads from its Figures 12 to 14."""
    if "opening_time" not in table.metrics or "approach.speed" not in table.inputs:
        return []
    time, speed = table.metrics["opening_time"], table.inputs["approach.speed"]
    correlations = [rank_correlation(name, table.inputs[name], "opening_time", time) for name in inputs]
    known = sorted(
        (correlation for correlation in correlations if correlation),
        key=lambda correlation: -abs(correlation.coefficient),
    )
    by_speed = next((correlation for correlation in known if correlation.input == "approach.speed"), None)
    fast = np.isfinite(time) & (speed > FAST_APPROACH)
    if by_speed is None or not fast.any():
        return []
    low, high = PAPER_OPENING_TIMES
    within = float(((time[fast] >= low) & (time[fast] <= high)).mean())
    q05, median, q95 = np.quantile(time[fast], (0.05, 0.5, 0.95))
    sentences = [
        f"The rank correlation of the opening time with the approach speed is {by_speed.coefficient:+.2f} over "
        f"{by_speed.runs} runs: it {'grows' if by_speed.coefficient < 0 else 'falls'} as the speed falls.",
        f"Above {format_quantity(FAST_APPROACH, 'm/s', system)} {within:.0%} of the opening times lie between "
        f"{low:g} and {high:g} s "
        f"(median {median:.2f} s, 90 % between {q05:.2f} and {q95:.2f} s).",
    ]
    others = [correlation for correlation in known if correlation.input != "approach.speed"]
    if others:
        largest = others[0]
        verdict = (
            "no other input comes"
            if abs(largest.coefficient) < 0.5 * abs(by_speed.coefficient)
            else ("another input comes")
        )
        sentences.append(
            f"The largest rank correlation with any other input is {largest.coefficient:+.2f} "
            f"({input_label(largest.input)}): {verdict} within half of that of the speed."
        )
    return sentences


def _springs(table: CampaignTable) -> tuple[list[SpringSize], dict[str, SpringCheck]]:
    """Return the sized springs of the campaign, and what repeating runs with them showed, by name."""
    sizes, checks = [], {}
    for name, spring in table.manifest["campaign"]["springs"].items():
        values = table.metrics.get(spring["metric"])
        if values is None:
            continue
        sized = find_spring(table.manifest["scenario"]["data"], spring["metric"])
        try:
            size = size_spring(name, spring["stroke"], table.run, values, sized.turning if sized else None)
        except ValueError as error:
            field = f"springs.{name}.stroke"
            raise InputError(f"{error}.", field=field, given=str(spring["stroke"])) from None
        stroke = size.stroke
        size = size if sized is None else sized.count_stops(size, _column_of(table, size))
        checks[name] = check_spring(table, size, spring["metric"], stroke)
        sizes.append(with_check(size, checks[name]))
    return sizes, checks


def _column_of(table: CampaignTable, size: SpringSize) -> Column:
    """Return a function that returns inputs (`input PATH`) and metrics of the runs of a size."""
    rows = np.isin(table.run, size.runs)
    columns = {f"input {name}": values for name, values in table.inputs.items()} | table.metrics

    def column(name: str) -> Array | None:
        return columns[name][rows] if name in columns else None

    return column


def _sobol(table: CampaignTable, metrics: list[str]) -> dict[str, SobolIndices]:
    names = tuple(table.manifest["campaign"]["dispersions"])
    if not np.array_equal(table.run, np.arange(table.run.size)):
        return {}  # runs of the design are missing while the campaign runs
    computed = {metric: sobol_indices(names, table.metrics[metric]) for metric in metrics}
    return {metric: indices for metric, indices in computed.items() if indices is not None}


def _envelope(table: CampaignTable, inputs: list[str]) -> tuple[str, str, Envelope] | None:
    """Return the capture envelope over the two inputs with the largest rank correlation with success."""
    success = table.success
    if success is None or success.all() or not success.any():
        return None
    correlations = [rank_correlation(n, table.inputs[n], "success", success.astype(float)) for n in inputs]
    known = sorted(
        (correlation for correlation in correlations if correlation),
        key=lambda correlation: -abs(correlation.coefficient),
    )
    if len(known) < 2:
        return None
    x, y = known[0].input, known[1].input
    return x, y, capture_envelope(table.inputs[x], table.inputs[y], success)


def _worst(table: CampaignTable, metrics: list[str], system: UnitSystem) -> dict[str, list[tuple[int, str]]]:
    cases: dict[str, list[tuple[int, str]]] = {}
    bad = [i for i, status in enumerate(table.status) if status != "done"]
    if bad:
        cases["Not completed"] = [(int(table.run[i]), table.message[i]) for i in bad[:WORST_SHOWN]]
    success = table.success
    if success is not None and not success.all():
        failed = np.flatnonzero(~success)[:WORST_SHOWN]
        cases["Not successful (the first)"] = [(int(table.run[i]), table.message[i]) for i in failed]
    for metric in metrics:
        values = table.metrics[metric]
        errors = table.metric_errors.get(metric, np.full(values.size, np.nan)).tolist()
        order = np.argsort(np.where(np.isfinite(values), -values, np.inf), kind="stable")[:WORST_SHOWN]
        cases[f"Largest {metric}"] = [
            (int(table.run[i]), format_with_error(float(values[i]), errors[i], table.unit(metric), system))
            for i in order
            if np.isfinite(values[i])
        ]
    return cases


def _predictions(table: CampaignTable) -> BulkPredictions | None:
    """Return the predicted impacts of all samples, for chains of two and two masses."""
    count = table.manifest["campaign"]["predictions"]
    if count is None:
        return None
    from softdock.campaign.bulk_prediction import predict_samples

    ratio, after = predict_samples(table.manifest, table.folder, count, table.campaign_file)
    return BulkPredictions(
        ratio=ratio, predicted=after[table.run], simulated=table.metrics["relative_velocity_after"]
    )


def _prediction_sentences(predictions: BulkPredictions | None) -> list[str]:
    if predictions is None:
        return []
    before = max(float(np.nanmax(np.abs(predictions.predicted))), 1e-300)
    error = np.abs(predictions.simulated - predictions.predicted) / before
    known = error[np.isfinite(error)]
    median, q95, largest = np.quantile(known, (0.5, 0.95, 1.0))
    return [
        f"{predictions.ratio.size:,} impacts predicted, {known.size:,} of them simulated: relative to the largest "
        f"velocity after the impact, theory and simulation differ by {median:.2g} (median), {q95:.2g} (95 % of "
        f"runs) and at most {largest:.2g}."
    ]
