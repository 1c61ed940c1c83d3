"""Checks of a scenario before its first step: everything that a run refuses, and what is probably a mistake.

A mistake is for example a part that can have no effect: an event that nothing arms, an element without force.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from softdock.errors import Problem, collected, first_problems
from softdock.geometry.profile_arrays import sharp_edges
from softdock.model.system import NAMED_APART
from softdock.scenario.base import ScenarioBase
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.robot import RobotScenario
from softdock.simulation import prepare
from softdock.simulation.surface_checks import assumed_closures, left_out_faces, surfaces_facing_away

INSTANT = 1e-9
"""Duration of the run that evaluates the start [s]."""


@dataclass(frozen=True, kw_only=True)
class CheckFindings:
    """What the checks of a scenario found."""

    problems: tuple[Problem, ...] = ()
    """Why a run would refuse the scenario."""
    warnings: tuple[Problem, ...] = ()
    """What a run accepts and is probably a mistake."""
    notes: tuple[Problem, ...] = ()
    """What is assumed where the scenario leaves it open."""


def check_before_run(scenario: ScenarioBase) -> CheckFindings:
    """Return what a run of a valid scenario would refuse before its first step, and probable mistakes."""
    problems: list[Problem] = []
    warnings: list[Problem] = []
    notes: list[Problem] = []
    with collected(problems):
        if isinstance(scenario, MultibodyScenario):
            _check_multibody(scenario, problems, warnings)
            notes += _assumed_closures(scenario, from_files=False)
        else:
            prepare(scenario)
    return CheckFindings(
        problems=first_problems(_located(problems, scenario), "problems"),
        warnings=first_problems(_located(warnings, scenario), "warnings"),
        notes=_located(notes, scenario),
    )


def _check_multibody(scenario: MultibodyScenario, problems: list[Problem], warnings: list[Problem]) -> None:
    """Add what was found to problems and warnings; raises InputError where the system cannot be assembled."""
    warnings += effectless_parts(scenario)
    system = scenario
    if isinstance(scenario, RobotScenario):
        from softdock.simulation.robot import PreparedRobot

        prepared = prepare(scenario)
        assert isinstance(prepared, PreparedRobot)
        prepared.begin()  # plans the moves
        system = scenario.whole()
    for check in (surfaces_facing_away, _sharp_edges, _check_start):
        with collected(problems):
            warnings += check(system)
    warnings += _assumed_closures(system, from_files=True)
    warnings += [Problem(message=sentence) for sentence in left_out_faces(system)]


def _check_start(system: MultibodyScenario) -> list[Problem]:
    """Run for an instant: refuses overlaps; return events that are true at the start, and limits exceeded there."""
    instant = system.model_copy(update={"duration": INSTANT})
    result = prepare(instant).simulate()
    happened = dict.fromkeys(event.name for event in result.events if event.time == 0.0)
    messages = [
        Problem(field=f"events.{name}.when", message="Is true at the start: the event occurs at once.")
        for name in happened
    ]
    about_events = tuple(f"The condition of event {name!r} " for name in happened)
    others = [
        text for text in result.warnings if "at the start" in text and not text.startswith(about_events)
    ]
    return messages + [Problem(message=text) for text in others]


def _sharp_edges(system: MultibodyScenario) -> list[Problem]:
    """Return a warning for every surface a of a contact with a sharp convex edge, where its normal jumps."""
    problems = []
    for name in dict.fromkeys(contact.a for contact in system.contacts.values()):
        if system.surfaces[name].is_general(system.directory):
            continue  # its edges are followed exactly
        profile = system.surfaces[name].read(system.directory)[0]
        edges = [edge for edge in sharp_edges(profile) if edge.is_sharp]
        if edges:
            places = ", ".join(f"z = {1e3 * edge.z:.4g} mm" for edge in edges[:3])
            message = (
                f"Has a sharp edge at {places}: as surface a of a contact it should have a fillet there."
            )
            problems.append(Problem(field=f"surfaces.{name}", message=message))
    return problems


def _assumed_closures(system: MultibodyScenario, *, from_files: bool) -> list[Problem]:
    """Return a problem for every open surface in a contact, from a file or a profile, that is closed behind."""
    hint = "" if from_files else "Continue the profile along the rest of the solid."
    return [
        Problem(field=f"surfaces.{name}", message=f"Is {sentence}", hint=hint)
        for name, sentence in assumed_closures(system, from_files=from_files).items()
    ]


def _located(problems: Iterable[Problem], scenario: ScenarioBase) -> tuple[Problem, ...]:
    """Return problems once each, with file and line of their fields."""
    return tuple(dict.fromkeys(_with_line(problem, scenario) for problem in problems))


def _with_line(problem: Problem, scenario: ScenarioBase) -> Problem:
    """Return a problem with file and line of its field, where the scenario was read from a file."""
    if problem.file or scenario.source is None:
        return problem
    path = tuple(int(part) if part.isdecimal() else part for part in problem.field.split(".") if part)
    where = scenario.source.where(path)
    return replace(problem, file=where.file, line=where.line)


def effectless_parts(scenario: MultibodyScenario) -> list[Problem]:
    """Return a warning for everything that is described but can never act or apply."""
    return [*_events(scenario), *_outcomes(scenario), *_elements(scenario), *_surfaces(scenario)]


def _performed(scenario: MultibodyScenario, key: str) -> set[str]:
    """Return the names that actions of a kind refer to."""
    actions = [action for event in scenario.events.values() for action in event.then]
    actions += [action for phase in scenario.phases for action in phase.do]
    return {str(getattr(action, key)) for action in actions if getattr(action, key) is not None}


def _events(scenario: MultibodyScenario) -> Iterator[Problem]:
    armed = _performed(scenario, "arm")
    for name, event in scenario.events.items():
        if not event.armed and name not in armed:
            yield Problem(
                field=f"events.{name}",
                message="Can never occur: it is not armed, and no event or phase arms it.",
            )


def _outcomes(scenario: MultibodyScenario) -> Iterator[Problem]:
    armed = _performed(scenario, "arm")
    never = {name for name, event in scenario.events.items() if not event.armed and name not in armed}
    before: list[tuple[str, set[str], set[str]]] = []
    for i, outcome in enumerate(scenario.outcomes):
        needed, excluded = set(outcome.happened), set(outcome.not_happened)
        reason = ""
        if needed & excluded:
            reason = f"the event {min(needed & excluded)!r} must have happened and must not have happened"
        elif needed & never:
            reason = f"the event {min(needed & never)!r} never occurs"
        else:
            # An earlier outcome with fewer conditions applies whenever this one would.
            shadow = next((name for name, more, less in before if more <= needed and less <= excluded), "")
            reason = (
                f"the outcome {shadow!r} before it applies whenever its conditions hold" if shadow else ""
            )
        if reason:
            yield Problem(field=f"outcomes.{i}", message=f"{outcome.name!r} can never apply: {reason}.")
        before.append((outcome.name, needed, excluded))


def _elements(scenario: MultibodyScenario) -> Iterator[Problem]:
    enabled = _performed(scenario, "enable") | _performed(scenario, "drive")
    for group in NAMED_APART:
        for name, element in getattr(scenario, group).items():
            is_active = getattr(element, "active", True)  # bodies, structures and reactions always are
            if not is_active and name not in enabled:
                message = "Never acts: it is not active at the start, and no event or phase enables it."
                yield Problem(field=f"{group}.{name}", message=message)


def _surfaces(scenario: MultibodyScenario) -> Iterator[Problem]:
    used = {name for contact in scenario.contacts.values() for name in (contact.a, contact.b)}
    for name in scenario.surfaces:
        if name not in used:
            message = "Never touches anything: it is in no contact."
            yield Problem(field=f"surfaces.{name}", message=message)
