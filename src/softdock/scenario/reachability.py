"""Warnings about parts of a multibody scenario that can have no effect: events, outcomes, elements, surfaces."""

from collections.abc import Iterator

from softdock.errors import Problem
from softdock.model.system import NAMED_APART
from softdock.scenario.multibody import MultibodyScenario


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
