"""Checks of metrics, conditions and recorded quantities against the system and the events of a scenario."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, TypeVar

from softdock.assembly.channels.registry import unit_of
from softdock.errors import no_such
from softdock.model.expressions import (
    Condition,
    MetricExpression,
    parse_condition,
    parse_formula,
    parse_metric,
)
from softdock.model.formula_parser import explain
from softdock.model.formulas import (
    Constant,
    ExpressionError,
    Formula,
    Operation,
    Quantity,
    constant_value,
    observations_in,
    unit_of_formula,
)
from softdock.model.observations import Observation
from softdock.model.system import System

SECOND = Constant("1 s", 1.0, "s")
Parsed = TypeVar("Parsed", Formula, Condition, MetricExpression)


class EventNames(NamedTuple):
    """Names to which windows and times refer."""

    events: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()

    def refuse_ambiguous(self, name: str) -> None:
        """Raise ValueError for the name of an event that a phase has too, where either could be meant."""
        if name in self.events and name in self.phases:
            raise ValueError(f"{name!r} is the name of an event and of a phase: rename one of them")


def check_condition(system: System, names: EventNames, text: str) -> Condition:
    """Return the parsed condition of an event or phase; raises ValueError with a sentence that names the place."""
    condition = _parsed(parse_condition, text)
    _check_formula(system, text, condition.formula)
    _check_names(text, condition.window.names, (condition.window.phase,), names)
    return condition


def check_metric(system: System, names: EventNames, text: str) -> MetricExpression:
    """Return the parsed metric; raises ValueError with a sentence that names the place."""
    metric = _parsed(parse_metric, text)
    if metric.formula is not None:
        _check_formula(system, text, metric.formula)
    _check_names(text, metric.event_names, metric.phase_names, names)
    return metric


def metric_unit(system: System, metric: MetricExpression) -> str:
    """Return the SI unit of a metric that was checked; `1` if it is a plain number."""
    if metric.formula is None:
        return "s"
    formula = metric.formula
    if metric.statistic == "integral":
        formula = Operation("*", (formula, SECOND))
    return unit_of_formula(formula, lambda part: unit_of(system, part))


def check_recorded(system: System, text: str) -> Quantity:
    """Return a parsed quantity or formula of the record; raises ValueError."""
    formula = _parsed(parse_formula, text)
    _check_formula(system, text, formula)
    assert not isinstance(formula, Constant)
    return formula


def check_order(name: str, conditions: Mapping[str, Condition]) -> None:
    """Raise ValueError if an event waits for itself through the windows of others, so that it can never occur."""
    chain = [name]
    while (begin := conditions[chain[-1]].window.begin if chain[-1] in conditions else "") and begin != name:
        if begin in chain:
            return
        chain.append(begin)
    if begin:
        waiting = " after ".join(f"{key!r}" for key in [*chain, name])
        raise ValueError(f"this event can never occur: {waiting}")


def _parsed(parse: Callable[[str], Parsed], text: str) -> Parsed:
    try:
        return parse(text)
    except ExpressionError as error:
        raise ValueError(explain(text, error)) from None


def _check_formula(system: System, text: str, formula: Formula) -> None:
    try:
        unit_of_formula(formula, lambda part: unit_of(system, part))
        if not any(True for _ in observations_in(formula)):
            constant_value(formula)
            raise ExpressionError("it has no quantity, such as `probe.z`, that changes during a run", 0)
        _check_constants(formula)
    except ExpressionError as error:
        raise ValueError(explain(text, error)) from None


def _check_constants(formula: Formula) -> None:
    """Raise ExpressionError for a part without quantities that has no value, such as `1 / 0`."""
    if constant_value(formula) is None and not isinstance(formula, Observation | Constant):
        for operand in formula.operands:
            _check_constants(operand)


def _check_names(text: str, instants: Collection[str], phases: Iterable[str], names: EventNames) -> None:
    """Raise ValueError for unknown names of events and phases at instants, and of phases as parts of the run."""
    what = "event or phase" if names.phases else "event"
    for name in instants:
        names.refuse_ambiguous(name)
    _check_known(text, instants, (*names.events, *names.phases), what)
    _check_known(text, filter(None, phases), names.phases, "phase")


def _check_known(text: str, given: Iterable[str], known: Collection[str], what: str) -> None:
    for name in given:
        if name not in known:
            error = ExpressionError(no_such(what, name, known), text.rfind(name))
            raise ValueError(explain(text, error))
