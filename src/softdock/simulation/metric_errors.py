"""Estimated numerical errors of metrics that are peaks of reactions, from their expressions."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from softdock.assembly.reaction_channels import ReactionChannels
from softdock.model.expressions import MetricExpression
from softdock.model.formulas import Constant, Formula, constant_value, observations_in
from softdock.model.observations import Observation
from softdock.simulation.reactions import Peak

Source = tuple[str, str, str]
"""Kind and name of a reaction, and the field of its peak with the error."""
ChannelErrors = Mapping[Observation, float]
"""Estimated errors of channels [SI]; a channel without an entry has no estimate."""


class MetricErrors:
    """Errors of the metrics of a scenario, prepared once for all runs: which of them follow from peaks of reactions."""

    def __init__(
        self, channels: Iterable[ReactionChannels], expressions: Mapping[str, MetricExpression]
    ) -> None:
        of_max, of_min = _sources(channels)
        self._own = frozenset(expressions)
        self._formulas: list[tuple[str, Formula, dict[Observation, Source]]] = []
        for name, metric in expressions.items():
            known = {"max": of_max, "min": of_min}.get(metric.statistic)
            if known is None or metric.formula is None:
                continue
            needed = list(observations_in(metric.formula))
            if all(observation in known for observation in needed):
                self._formulas.append((name, metric.formula, {o: known[o] for o in needed}))

    def of_run(self, peaks: Sequence[Peak], metrics: Mapping[str, Any]) -> dict[str, float]:
        """Return the errors of the metrics of a run that have a value, from its peak reactions [SI]."""
        errors = {name: error for name, error in _peak_errors(peaks) if name not in self._own}
        if self._formulas:
            found = {(peak.names.kind, peak.names.name): peak for peak in peaks}
            for name, formula, sources in self._formulas:
                errors[name] = formula_error(formula, _known_errors(sources, found))
        return {
            name: error
            for name, error in errors.items()
            if error is not None and metrics.get(name) is not None
        }


def _known_errors(
    sources: Mapping[Observation, Source], found: Mapping[tuple[str, str], Peak]
) -> dict[Observation, float]:
    """Return the errors of channels from the peak reactions of a run that have an error."""
    errors = {}
    for observation, (kind, name, field) in sources.items():
        peak = found.get((kind, name))
        error = None if peak is None else getattr(peak, field)
        if error is not None:
            errors[observation] = error
    return errors


def formula_error(formula: Formula, errors: ChannelErrors) -> float | None:
    """Return the error of a formula of channels with errors; None where one has none or it is not nearly linear."""
    if isinstance(formula, Constant):
        return 0.0
    if isinstance(formula, Observation):
        return errors.get(formula)
    parts = [formula_error(operand, errors) for operand in formula.operands]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    match formula.name:
        case "abs" | "negate":
            return known[0]
        case "+" | "-":
            return sum(known)
        case "min" | "max":
            return max(known)
        case "norm":  # the triangle inequality
            return math.hypot(*known)
        case "*" | "/":
            return _scaled_error(formula.name, formula.operands, known)
    return None


def _scaled_error(name: str, operands: tuple[Formula, ...], errors: list[float]) -> float | None:
    """Return the error of a product or quotient of which one operand is constant; None for others."""
    first, second = (constant_value(operand) for operand in operands)
    if second is not None:
        return abs(second) * errors[0] if name == "*" else errors[0] / abs(second)
    return abs(first) * errors[1] if first is not None and name == "*" else None


def _peak_errors(peaks: Sequence[Peak]) -> Iterator[tuple[str, float | None]]:
    """Yield names and errors of the metrics that every run has: `peak_force_NAME` and so on."""
    largest, error = -1.0, None
    for peak in peaks:
        names = peak.names
        yield names.force_metric, peak.force_error
        yield names.moment_metric, peak.moment_error
        if names.contact_metric is not None:
            yield names.contact_metric, peak.force_error
            if (peak.force or 0.0) > largest:
                largest, error = peak.force or 0.0, peak.force_error
    if largest >= 0.0:
        yield "peak_contact_force", error


def _sources(
    channels: Iterable[ReactionChannels],
) -> tuple[dict[Observation, Source], dict[Observation, Source]]:
    """Return where the errors of the channels of reactions are: of their largest values, and of their smallest ones.

    The size of a vector is smallest where nothing acts, which is no peak. Components have the error of their vector.
    """
    of_max: dict[Observation, Source] = {}
    of_min: dict[Observation, Source] = {}
    for channel in channels:
        for size, word, letter in ((channel.force, "force", "f"), (channel.moment, "moment", "t")):
            if size is None:
                continue
            prefix, source = size.field.removesuffix(word), (channel.kind, channel.name, f"{word}_error")
            components = [replace(size, field=f"{prefix}{letter}{axis}") for axis in "xyz"]
            # On a joint that turns, the `force` of an element is its `moment`.
            sizes = [size] if channel.force is not None else [size, replace(size, field="force")]
            of_max |= dict.fromkeys((*sizes, *components), source)
            of_min |= dict.fromkeys((*(sizes if channel.signed else ()), *components), source)
    return of_max, of_min
