"""Metrics as typed objects: statistics of formulas, times of events and durations of phases."""

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, StringConstraints, model_validator

from softdock.model.expressions import parse_formula, parse_metric
from softdock.model.formula_parser import STATISTICS, WINDOWS, explain
from softdock.model.formulas import ExpressionError
from softdock.quantities.fields import Flag, PositiveTime
from softdock.quantities.model import FieldError, Model

TIMES = ("time_of", "time_from", "duration_of")
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]


class Metric(Model):
    """One number of a run: a statistic of a formula in a window, a time of events, or the duration of a phase.

    It has exactly one of `max` to `integral`, `time_of`, `time_from` and `duration_of`. A statistic may have one
    window, `after` to `during`. Formulas are written as in scenario files; numbers in them are SI or have units. The
    metric has the unit of its formula (times s for an integral). Wherever a `Metric` is accepted, its text, which is
    `expression`, is accepted as well.

    >>> from softdock import Metric
    >>> Metric(max="rod.z in cone - 20 mm", within=("2 s", "touched")).expression
    'max rod.z in cone - 20 mm within 2 s after touched'
    >>> Metric(time_from=("touched", "captured")).expression
    'time from touched to captured'
    """

    max: str | None = None
    """Largest value of a formula, also between recorded instants."""
    min: str | None = None
    """Smallest value of a formula."""
    start: str | None = None
    """Value of a formula at the start of the run or of the window."""
    final: str | None = None
    """Value of a formula at the end."""
    mean: str | None = None
    """Mean of a formula over time."""
    rms: str | None = None
    """Root of the mean square of a formula over time."""
    integral: str | None = None
    """Integral of a formula over time."""
    absolute: Flag = False
    """Whether the statistic is that of the absolute value of the formula."""
    time_of: Name | None = None
    """Time of the first occurrence of an event, or of the end of a phase."""
    time_from: tuple[Name, Name] | None = None
    """Time from the first occurrence of one event to that of another."""
    duration_of: Name | None = None
    """Time from the beginning of a phase to its end."""
    after: Name | None = None
    """Event or phase with whose occurrence or end the window begins."""
    before: Name | None = None
    """Event or phase with whose occurrence or end the window ends."""
    between: tuple[Name, Name] | None = None
    """Events or phases with which the window begins and ends."""
    within: tuple[PositiveTime, Name] | None = None
    """Length of the window [s], and the event or phase with which it begins."""
    during: Name | None = None
    """Phase that is the window."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        kinds = [key for key in (*STATISTICS, *TIMES) if getattr(self, key) is not None]
        if len(kinds) != 1:
            raise FieldError("", f"must have exactly one of {', '.join((*STATISTICS, *TIMES))}")
        windows = [key for key in WINDOWS if getattr(self, key) is not None]
        if len(windows) > 1:
            raise FieldError(windows[1], f"does not go with `{windows[0]}`: a metric has one window")
        if kinds[0] in TIMES and (windows or self.absolute):
            wrong = windows[0] if windows else "absolute"
            raise FieldError(
                wrong, f"does not go with `{kinds[0]}`: windows and `absolute` belong to statistics"
            )
        if kinds[0] in STATISTICS:
            formula = getattr(self, kinds[0])
            try:
                parse_formula(formula)
            except ExpressionError as error:
                raise FieldError(kinds[0], explain(formula, error)) from None
        try:
            parse_metric(self.expression)
        except ExpressionError as error:  # keywords of the language as names of events
            raise FieldError("", explain(self.expression, error)) from None
        return self

    @property
    def expression(self) -> str:
        """Text of the metric, as in scenario files."""
        if self.time_of is not None:
            return f"time of {self.time_of}"
        if self.time_from is not None:
            return f"time from {self.time_from[0]} to {self.time_from[1]}"
        if self.duration_of is not None:
            return f"duration of {self.duration_of}"
        (statistic,) = [key for key in STATISTICS if getattr(self, key) is not None]
        sign = "abs " if self.absolute else ""
        return f"{statistic} {sign}{getattr(self, statistic)}{self._window()}"

    def _window(self) -> str:
        if self.between is not None:
            return f" between {self.between[0]} and {self.between[1]}"
        if self.within is not None:
            return f" within {self.within[0]:.12g} s after {self.within[1]}"
        (text,) = [f" {key} {getattr(self, key)}" for key in WINDOWS if getattr(self, key) is not None] or [
            ""
        ]
        return text

    def written(self) -> str:
        """Return the metric as it is written in scenario files."""
        return self.expression


def _text_of(given: Any) -> Any:
    return given.expression if isinstance(given, Metric) else given


MetricText = Annotated[str, BeforeValidator(_text_of)]
"""Text of a metric; a `Metric` is converted to its text."""
