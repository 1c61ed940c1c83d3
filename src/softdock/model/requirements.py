"""Requirements: a limit on a metric, allowed outcomes, or limits on the conditions at the first contact."""

import functools
import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from softdock.model.contact_conditions import PRESETS, ContactBox, preset_box
from softdock.model.metrics import MetricText
from softdock.quantities.fields import Quantity
from softdock.quantities.model import FieldError, Model
from softdock.quantities.units import parse_quantity

METRIC_NAME = re.compile(r"[a-z][a-z0-9_]*")
"""Name of a metric; any other text is an expression."""
CRITERIA = ("metric", "outcome", "conditions")
LIMITS = ("at_most", "at_least", "within")


def _limit(given: Any) -> Any:
    """Accept a number or a text; the scenario checks its unit against that of the metric."""
    if isinstance(given, str):
        return given
    if isinstance(given, int | float) and not isinstance(given, bool):
        return parse_quantity(given, "1")
    raise ValueError("must be a number in SI or a text with a unit, for example '80 N'")


def _as_tuple(given: Any) -> Any:
    return (given,) if isinstance(given, str) else given


RequirementId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
"""Letters, digits, - and _; no dots, because they separate the keys of a field path."""
Limit = Annotated[
    Any, BeforeValidator(_limit), WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]})
]
Probability = Annotated[float, Quantity("1", gt=0, lt=1)]


Outcomes = Annotated[
    tuple[str, ...],
    Field(min_length=1),
    BeforeValidator(_as_tuple),
    WithJsonSchema(
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
    ),
]
"""One outcome, or a list of them."""


class Requirement(Model):
    """A requirement on a run; it has exactly one of `metric`, `outcome` and `conditions`.

    Limits have the unit of their metric.

    >>> from softdock import Requirement
    >>> Requirement(text="Load of the latch.", metric="peak_force_latch", at_most="300 N", factor=1.5)
    Requirement(text='Load of the latch.', metric='peak_force_latch', at_most='300 N', factor=1.5)
    >>> Requirement(outcome="captured", probability=0.99)
    Requirement(outcome=('captured',), probability=0.99)
    """

    text: str = ""
    """The requirement in words."""
    source: str = ""
    """Document and section of the requirement; `assumed` where there is none."""
    metric: MetricText | None = None
    """Name of a metric of the run, or an expression as under `metrics`."""
    at_most: Limit | None = None
    """Largest allowed value of the metric, with the unit of the metric."""
    at_least: Limit | None = None
    """Smallest allowed value of the metric."""
    within: tuple[Limit, Limit] | None = None
    """Smallest and largest allowed value of the metric; instead of `at_least` and `at_most`."""
    outcome: Outcomes | None = None
    """Allowed outcomes."""
    conditions: str | ContactBox | None = None
    """Limits at the first contact of chaser and target: a name or own limits."""
    factor: Annotated[float, Quantity("1", ge=1)] = 1.0
    """Factor of safety: the value is multiplied by it before it is compared with its limit."""
    probability: Probability | None = None
    """Fraction of all possible runs of a campaign that must comply; left out: all runs of the campaign."""
    confidence: Probability = 0.95
    """Confidence with which a campaign must show the probability."""

    @model_validator(mode="after")
    def _one_criterion(self) -> Self:
        given = [key for key in CRITERIA if getattr(self, key) is not None]
        if len(given) != 1:
            has = f"; it has {' and '.join(given)}" if given else ""
            raise FieldError("", f"must have exactly one of {', '.join(CRITERIA)}{has}")
        limits = [key for key in LIMITS if getattr(self, key) is not None]
        if limits and self.metric is None:
            raise FieldError(limits[0], f"goes with metric, not with {given[0]}")
        if self.metric is not None and not limits:
            raise FieldError("", "needs a limit of its metric: at_most, at_least or within")
        if self.within is not None and len(limits) > 1:
            raise FieldError("within", f"cannot be given together with {limits[0]}")
        if self.outcome is not None and self.factor != 1.0:
            raise FieldError("factor", "does not go with outcome: an outcome has no size")
        if isinstance(self.conditions, str) and self.conditions not in PRESETS:
            names = ", ".join(PRESETS)
            raise FieldError("conditions", f"must be limits of contact conditions, or one of {names}")
        return self

    @property
    def box(self) -> ContactBox | None:
        """Limits of the contact conditions."""
        return preset_box(self.conditions) if isinstance(self.conditions, str) else self.conditions

    def bounds(self, unit: str) -> tuple[float | None, float | None]:
        """Return smallest and largest allowed value of a metric with an SI unit [SI], before the factor of safety.

        Raises FieldError where a limit has another unit.
        """
        if self.within is not None:
            low, high = (self._bound(f"within.{i}", given, unit) for i, given in enumerate(self.within))
        else:
            low, high = (self._bound(key, getattr(self, key), unit) for key in ("at_least", "at_most"))
        if low is not None and high is not None and not low < high:
            key = "at_least" if self.within is None else "within"
            raise FieldError(key, "the smallest allowed value must be below the largest")
        return low, high

    def _bound(self, key: str, given: Any, unit: str) -> float | None:
        try:
            return None if given is None else _parse_limit(given, unit or "1")
        except ValueError as error:
            raise FieldError(key, str(error)) from None


_parse_limit = functools.lru_cache(maxsize=1024)(parse_quantity)
"""Limits in SI; parsed once, because every run of a campaign is compared with the same ones."""


def metric_names(requirements: Mapping[str, Requirement], metrics: Mapping[str, str]) -> dict[str, str]:
    """Return the name of the metric of every requirement with one: its own, or one made from the identifier.

    An expression that the scenario has under `metrics` already has the name that it has there.
    """
    known = {_spaced(text): name for name, text in metrics.items()}
    names: dict[str, str] = {}
    for key, requirement in requirements.items():
        text = requirement.metric
        if text is not None:
            is_name = METRIC_NAME.fullmatch(text.strip())
            names[key] = text.strip() if is_name else known.get(_spaced(text), requirement_metric_name(key))
    return names


def requirement_metric_name(key: str) -> str:
    """Return the name of the metric of a requirement with an expression, from its identifier."""
    return f"requirement_{key.replace('-', '_').lower()}"


def _spaced(text: str) -> str:
    return " ".join(text.split())
