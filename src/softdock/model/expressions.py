"""Texts of metrics and of conditions of events: formulas with statistics, times and windows."""

import difflib
from dataclasses import dataclass
from functools import lru_cache

from softdock.model.formula_parser import OPERATORS, STATISTICS, WINDOWS, FormulaParser
from softdock.model.formulas import Formula, Operation

METRIC_FORMS = (
    "`max F`, `min F`, `start F`, `final F`, `mean F`, `rms F`, `integral F` of a formula F, `time of EVENT`, "
    "`time from EVENT to EVENT` or `duration of PHASE`"
)


@dataclass(frozen=True)
class Window:
    """Part of a run in which a metric is evaluated or an event may occur; without names it is the whole run."""

    begin: str = ""
    """Event or phase with which the window begins; empty: with the run. A phase stands for its end."""
    end: str = ""
    """Event or phase with which it ends; empty: with the run."""
    limit: float | None = None
    """Time after its beginning at which it ends [s]."""
    phase: str = ""
    """Phase that the window is."""

    @property
    def opens_later(self) -> bool:
        """Whether something must open it; otherwise it is open from the start of the run."""
        return bool(self.begin or self.phase)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the events and phases with which it begins and ends."""
        return tuple(name for name in (self.begin, self.end) if name)


@dataclass(frozen=True)
class Condition:
    """A condition, the time for which it must be true without a break [s], and the window in which it counts."""

    formula: Formula
    dwell: float = 0.0
    window: Window = Window()


@dataclass(frozen=True)
class MetricExpression:
    """A parsed metric: statistic of a formula in a window, a time of or between events, or the duration of a phase."""

    statistic: str
    """One of `STATISTICS`; empty for times."""
    formula: Formula | None = None
    window: Window = Window()
    begin: str = ""
    """Event from which a time is counted; empty: from the start of the run."""
    end: str = ""
    """Event whose time is returned."""
    phase: str = ""
    """Phase whose duration is returned."""

    @property
    def phase_names(self) -> tuple[str, ...]:
        """Names of phases that it refers to as parts of the run."""
        return tuple(name for name in (self.window.phase, self.phase) if name)

    @property
    def event_names(self) -> tuple[str, ...]:
        """Names of the events and phases at whose occurrence or end it looks."""
        return (*self.window.names, *(name for name in (self.begin, self.end) if name))


@lru_cache(maxsize=512)
def parse_formula(text: str) -> Formula:
    """Read a formula such as `nose.z in drogue - 20 mm`; raises ExpressionError."""
    parser = FormulaParser(text)
    formula = parser.number(parser.condition())
    parser.finish(OPERATORS)
    return formula


@lru_cache(maxsize=512)
def parse_condition(text: str) -> Condition:
    """Read a condition such as `probe.z in drogue > 80 mm for 0.2 s after touched`; raises ExpressionError."""
    parser = FormulaParser(text)
    formula = parser.truth(parser.condition())
    dwell = parser.duration() if parser.take("for") else 0.0
    window = _window(parser)
    parser.finish(OPERATORS, "a comparison (> <)", "`and`", "`or`", "`for`", *map("`{}`".format, WINDOWS))
    return Condition(formula, dwell, window)


@lru_cache(maxsize=512)
def parse_metric(text: str) -> MetricExpression:
    """Read a metric such as `max abs nose.x in drogue after touched`; raises ExpressionError."""
    parser = FormulaParser(text)
    word = parser.word()
    if word == "time" and parser.take("time"):
        if parser.take("of"):
            metric = MetricExpression("", end=parser.event())
        elif parser.take("from"):
            begin = parser.event()
            if not parser.take("to"):
                raise parser.error("`to` and an event are expected")
            metric = MetricExpression("", begin=begin, end=parser.event())
        else:
            raise parser.error("`of` or `from` is expected after `time`")
        parser.finish()
        return metric
    if word == "duration" and parser.take("duration"):
        if not parser.take("of"):
            raise parser.error("`of` and a phase are expected after `duration`")
        metric = MetricExpression("", phase=parser.event("a phase"))
        parser.finish()
        return metric
    if word not in STATISTICS:
        close = difflib.get_close_matches(word, [*STATISTICS, "time", "duration"], 1)
        meant = f" (did you mean `{close[0]}`?)" if close else ""
        raise parser.error(f"a metric is {METRIC_FORMS}{meant}")
    parser.take(word)
    at = parser.at
    with_abs = parser.word() == "abs" and not parser.is_called()
    if with_abs:
        parser.take("abs")
    formula = parser.number(parser.condition())
    if with_abs:
        formula = Operation("abs", (formula,), at=at)
    window = _window(parser)
    parser.finish(OPERATORS, *map("`{}`".format, WINDOWS))
    return MetricExpression(word, formula, window)


def _window(parser: FormulaParser) -> Window:
    """Read the window at the end of a text."""
    if parser.take("after"):
        return Window(begin=parser.event())
    if parser.take("before"):
        return Window(end=parser.event())
    if parser.take("between"):
        begin = parser.event()
        if not parser.take("and"):
            raise parser.error("`and` with the event that ends the window is expected")
        return Window(begin=begin, end=parser.event())
    if parser.take("within"):
        limit = parser.duration()
        if not parser.take("after"):
            raise parser.error("`after` with an event is expected")
        return Window(begin=parser.event(), limit=limit)
    if parser.take("during"):
        return Window(phase=parser.event("a phase"))
    return Window()
