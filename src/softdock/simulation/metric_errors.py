"""Estimated numerical errors of metrics that are peaks of reactions, from their expressions."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from softdock.assembly.reaction_channels import ReactionChannels
from softdock.model.expressions import MetricExpression
from softdock.model.formulas import Constant, Formula, constant_value
from softdock.model.member_kinds import reactions_of
from softdock.model.observations import Observation
from softdock.result import PeakReaction

ChannelErrors = Mapping[Observation, float]
"""Estimated errors of channels [SI]; a channel without an entry has no estimate."""
TOUCHING = reactions_of("contact")
"""Kinds of reactions whose peaks are also metrics `peak_contact_force_NAME`."""


def metric_errors(
    reactions: Iterable[PeakReaction],
    channels: Iterable[ReactionChannels],
    expressions: Mapping[str, MetricExpression],
    metrics: Mapping[str, Any],
) -> dict[str, float]:
    """Return the errors of metrics with a value that are peaks of reactions, or follow from such peaks [SI].

    `channels` are those of the reactions, `expressions` the metrics that a scenario defines.
    """
    reactions = tuple(reactions)
    errors: dict[str, float | None] = dict(_peak_errors(reactions))
    if expressions:
        of_max, of_min = _channel_errors(reactions, channels)
        for name, metric in expressions.items():
            known = {"max": of_max, "min": of_min}.get(metric.statistic)
            is_peak = known is not None and metric.formula is not None
            errors[name] = formula_error(metric.formula, known) if is_peak else None  # type: ignore[arg-type]
    return {
        name: error for name, error in errors.items() if error is not None and metrics.get(name) is not None
    }


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


def _peak_errors(reactions: tuple[PeakReaction, ...]) -> Iterator[tuple[str, float | None]]:
    """Yield names and errors of the metrics that every run has: `peak_force_NAME` and so on."""
    for reaction in reactions:
        flat = reaction.name.replace("-", "_")
        yield f"peak_force_{flat}", reaction.force_error
        yield f"peak_moment_{flat}", reaction.moment_error
        if reaction.kind in TOUCHING:
            yield f"peak_contact_force_{flat}", reaction.force_error
    touching = [reaction for reaction in reactions if reaction.kind in TOUCHING]
    if touching:
        largest = max(touching, key=lambda reaction: reaction.peak_force or 0.0)
        yield "peak_contact_force", largest.force_error


def _channel_errors(
    reactions: tuple[PeakReaction, ...], channels: Iterable[ReactionChannels]
) -> tuple[dict[Observation, float], dict[Observation, float]]:
    """Return the errors of the channels of reactions: of their largest values, and of their smallest ones.

    The size of a vector is smallest where nothing acts, which is no peak. Components have the error of their vector.
    """
    found = {(reaction.kind, reaction.name): reaction for reaction in reactions}
    of_max: dict[Observation, float] = {}
    of_min: dict[Observation, float] = {}
    for channel in channels:
        reaction = found.get((channel.kind, channel.name))
        if reaction is None:
            continue
        for size, word, letter, error in (
            (channel.force, "force", "f", reaction.force_error),
            (channel.moment, "moment", "t", reaction.moment_error),
        ):
            if size is None or error is None:
                continue
            prefix = size.field.removesuffix(word)
            components = [replace(size, field=f"{prefix}{letter}{axis}") for axis in "xyz"]
            # On a joint that turns, the `force` of an element is its `moment`.
            sizes = [size] if channel.force is not None else [size, replace(size, field="force")]
            of_max |= dict.fromkeys((*sizes, *components), error)
            of_min |= dict.fromkeys((*(sizes if channel.signed else ()), *components), error)
    return of_max, of_min
