"""Checks of the phases of a scenario: names, order, end conditions, actions and targets of drives."""

import re
from typing import TYPE_CHECKING

from softdock.elements.drive.model import Drive
from softdock.elements.stop.model import Stop
from softdock.errors import no_such
from softdock.model.expressions import parse_condition
from softdock.model.phases import Phase, next_phase, phase_order
from softdock.quantities.model import FieldError, Findings
from softdock.scenario.drive_limits import exceeds, same_axis, stop_limits
from softdock.scenario.expressions import check_condition

if TYPE_CHECKING:
    from softdock.scenario.multibody import MultibodyScenario

_WORD = re.compile(r"[A-Za-z][\w-]*")


def check_phases(scenario: "MultibodyScenario", findings: Findings) -> None:
    """Collect the errors of the phases of a scenario."""
    for i, phase in enumerate(scenario.phases):
        findings.of(_check_name, scenario, i)
        findings.of(_check_next, scenario, i)
        findings.of(_check_end, scenario, f"phases.{i}", phase)
        for k, action in enumerate(phase.do):
            findings.of(scenario.check_action, f"phases.{i}.do.{k}", action)
    if findings.errors:  # the following needs valid names and conditions
        return
    findings.of(_check_order, scenario)
    for i, phase in enumerate(scenario.phases):
        findings.of(_check_targets, scenario, f"phases.{i}.do", phase)
    _check_ends_come(scenario, findings)


def _check_name(scenario: "MultibodyScenario", i: int) -> None:
    name = scenario.phases[i].name
    if name in scenario.phase_names[:i]:
        raise FieldError(f"phases.{i}.name", f"there is another phase called {name!r}: names must differ")


def _check_next(scenario: "MultibodyScenario", i: int) -> None:
    wanted, known = scenario.phases[i].next, scenario.phase_names
    if wanted is not None and wanted not in known:
        raise FieldError(f"phases.{i}.next", no_such("phase", wanted, known))


def _check_end(scenario: "MultibodyScenario", field: str, phase: Phase) -> None:
    """Check that `until` is an event or a condition, and that the time limit leaves enough time for it."""
    text = phase.until.strip()
    if phase.awaited_event(scenario.events):
        return
    if _WORD.fullmatch(text):
        what = no_such("event", text, scenario.events)
        raise FieldError(f"{field}.until", f"{what}; or write a condition, such as `finger-1.joint > 19 mm`")
    try:
        check_condition(scenario, scenario.names, phase.until)
    except ValueError as error:
        raise FieldError(f"{field}.until", str(error)) from None
    dwell = parse_condition(phase.until).dwell
    if phase.within is not None and dwell > phase.within:
        what = f"the phase can never end: its condition must be true for {dwell:g} s, longer than this limit allows"
        raise FieldError(f"{field}.within", what)


def _check_order(scenario: "MultibodyScenario") -> None:
    """Raise FieldError for phases that repeat or that no other phase leads to."""
    phases, order = scenario.phases, phase_order(scenario.phases)
    if not phases:
        return
    follower = next_phase(phases, order[-1])
    if follower is not None:
        cycle = [phases[i].name for i in order[order.index(follower) :]]
        path = " -> ".join([*cycle, phases[follower].name])
        raise FieldError(
            f"phases.{order[-1]}.next", f"the phases are cyclic ({path}): a sequence has a last phase"
        )
    reached = set(order)
    for i, phase in enumerate(phases):
        if i not in reached:
            message = f"the phase {phase.name!r} is unreachable: no phase that is reached continues with it"
            raise FieldError(f"phases.{i}", message)


def _check_targets(scenario: "MultibodyScenario", field: str, phase: Phase) -> None:
    """Raise FieldError for a commanded position beyond an end stop of the joint, which the drive never reaches."""
    actions = [action for event in scenario.events.values() for action in event.then]
    actions += [action for other in scenario.phases for action in other.do]
    disabled = {action.disable for action in actions}
    for i, action in enumerate(phase.do):
        drive = scenario.elements_of(Drive).get(action.drive or "")
        if drive is None or action.target is None or drive.follows != "position":
            continue
        for name, stop in scenario.elements_of(Stop).items():
            if not stop.active or name in disabled or not same_axis(drive, stop):
                continue
            for _, limit, beyond in stop_limits(stop):
                if exceeds(beyond * action.target, beyond * limit):
                    side = "above" if beyond > 0.0 else "below"
                    message = f"lies {side} {limit:g} (SI), where the stop {name!r} of the joint pushes back"
                    raise FieldError(f"{field}.{i}.target", message)


def _check_ends_come(scenario: "MultibodyScenario", findings: Findings) -> None:
    """Collect the errors of phases whose ends never come."""
    before: set[str] = set()
    armed = {name for name, event in scenario.events.items() if event.armed}
    _add_armed(scenario, armed, armed)
    for i in phase_order(scenario.phases):
        phase = scenario.phases[i]
        _add_armed(scenario, armed, {action.arm for action in phase.do if action.arm})
        findings.of(_check_end_comes, scenario, i, before, armed)
        before.add(phase.name)


def _add_armed(scenario: "MultibodyScenario", armed: set[str], new: set[str]) -> None:
    """Add events to those that can be armed, with all that their actions arm."""
    while new:
        armed |= new
        arming = (action.arm for name in new for action in scenario.events[name].then)
        new = {name for name in arming if name and name not in armed}


def _check_end_comes(scenario: "MultibodyScenario", i: int, before: set[str], armed: set[str]) -> None:
    """Raise FieldError if a phase never ends: nothing arms its event, or its window is not open during the phase.

    `before` are the phases before it, `armed` the events that can be armed until then.
    """
    phase, field = scenario.phases[i], f"phases.{i}.until"
    event = phase.awaited_event(scenario.events)
    if event and event not in armed:
        message = f"this phase can never end: nothing arms the event {event!r} before or when it begins"
        raise FieldError(field, message)
    window = (scenario.events[event].condition if event else parse_condition(phase.until)).window
    after = {*scenario.phase_names} - before
    # The end of this phase or of a later one, and any part of a later one, come after what they should cause.
    if window.phase in after - {phase.name} or window.begin in after:
        waits = window.phase or window.begin
        message = f"this phase can never end: it waits for the phase {waits!r}, which does not end before"
        raise FieldError(field, message)
    # An event may have occurred before the phase; a condition counts from the beginning of the phase.
    if not event and (window.phase in before or window.end in before):
        message = f"this phase can never end: the phase {window.phase or window.end!r} is over when it begins"
        raise FieldError(field, message)
