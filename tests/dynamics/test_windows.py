"""Dwell of conditions, windows of events and metrics, and means and integrals over time."""

import math

import numpy as np
import pytest

from dynamics.systems import EPS
from softdock import simulate
from softdock.dynamics.kernels.search.quadrature import GAUSS, KRONROD, NODES
from softdock.elements.load.model import Load, Pulse
from softdock.elements.spring.model import Spring
from softdock.model.events import Action, Event
from softdock.model.system import Body
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy, Integrator
from softdock.simulation.multibody import PreparedMultibody
from softdock.tree.joints import Fixed, Free, Prismatic, Revolute

MASS, OMEGA, AMPLITUDE = 2.0, 5.0, 0.1
TIGHT = Accuracy(length=1e-10, angle=1e-10, speed=1e-10, rate=1e-10)
INTEGRATORS = {
    "adaptive": Integrator(accuracy=TIGHT),
    "implicit": Integrator(method="rosenbrock", accuracy=Accuracy(length=1e-8, speed=1e-8)),
    "long-steps": Integrator(step=0.05),
    "short-steps": Integrator(step=0.003),
    "rk4": Integrator(step=0.004, method="rk4"),
}
every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)
ALLOWED = {"adaptive": 1e-8, "implicit": 1e-5, "long-steps": 1e-5, "short-steps": 1e-9, "rk4": 1e-7}


def oscillator(integrator="adaptive", duration=2.0, **more):
    """Return the result of a mass on a spring: x = AMPLITUDE cos(OMEGA t)."""
    return simulate(
        MultibodyScenario(
            bodies={"mass": Body(mass=MASS, joint=Prismatic(position=AMPLITUDE))},
            springs={"spring": Spring(joint="mass", stiffness=MASS * OMEGA**2)},
            duration=duration,
            integrator=INTEGRATORS[integrator],
            **more,
        ),
        with_prediction=False,
    )


def times(result, name):
    return [event.time for event in result.events if event.name == name]


# Dwell.


@every_integrator
def test_event_occurs_when_its_condition_was_true_for_its_dwell(integrator):
    """x < 50 mm from the phase acos(1/2) on for 4/3 pi; a shorter dwell ends in it, a longer one never ends."""
    begin, length = math.acos(0.5) / OMEGA, 4.0 / 3.0 * math.pi / OMEGA
    dwells = {"tiny": 1e-6, "half": 0.5 * length, "nearly": 0.999 * length, "longer": 1.001 * length}
    events = {
        name: Event(when=f"mass.joint < 50 mm for {dwell!r} s", once=False) for name, dwell in dwells.items()
    }
    result = oscillator(integrator, duration=5.0, events=events)
    starts = begin + 2.0 * math.pi / OMEGA * np.arange(10)
    for name, dwell in dwells.items():
        expected = starts + dwell if dwell < length else np.array([])
        found = times(result, name)
        assert found == pytest.approx(expected[expected < 5.0], abs=ALLOWED[integrator]), name
        assert np.isin(found, result.history.time).all()


@pytest.mark.parametrize("duration", [0.5, 0.7, 0.7000000001])
def test_dwell_that_ends_with_the_run_counts(duration):
    """The condition is true from the start, so the event occurs exactly at 0.7 s."""
    result = oscillator(duration=duration, events={"held": Event(when="mass.joint < 1 m for 0.7 s")})
    assert times(result, "held") == ([0.7] if duration >= 0.7 else [])
    assert ["true at the start" in text for text in result.warnings] == [True]


def test_interruption_shorter_than_any_step_restarts_the_dwell():
    """A pulse of 1 ms interrupts the condition; the dwell counts from its end."""
    scenario = MultibodyScenario(
        bodies={"craft": Body(mass=10.0, inertia=(1.0, 1.0, 1.0), joint=Free())},
        loads={
            "thruster": Load(body="craft", force=(3.0, 0.0, 0.0), pulses=(Pulse(start=1.5, duration=1e-3),))
        },
        duration=10.0,
        events={"quiet": Event(when="not thruster.force > 1 N for 2 s", then=(Action(stop=True),))},
    )
    result = simulate(scenario, with_prediction=False)
    assert times(result, "quiet") == pytest.approx([3.501], abs=1e-12)
    assert result.outcome == "quiet"


def test_fly_by_within_a_step_restarts_the_dwell():
    """A craft is within 1 mm of the origin for 0.2 ms of a long step, which interrupts the condition."""
    bodies = {
        "craft": Body(mass=1.0, inertia=(1.0,) * 3, joint=Free(position=(-10.0, 0, 0), velocity=(10.0, 0, 0)))
    }
    event = Event(when="craft.distance > 1 mm for 1.5 s")
    result = simulate(
        MultibodyScenario(bodies=bodies, duration=5.0, events={"away": event}, record={"rate": 0.0}),
        with_prediction=False,
    )
    assert times(result, "away") == pytest.approx([1.0 + 1e-4 + 1.5], abs=1e-9)


def test_arming_restarts_the_dwell_and_disarming_ends_it():
    events = {
        "held": Event(when="mass.joint < 1 m for 0.5 s", then=(Action(stop=True),)),
        "off": Event(when="time > 0.3 s", then=(Action(disarm="held"),)),
        "on": Event(when="time > 0.9 s", then=(Action(arm="held"),)),
    }
    assert times(oscillator(events=events), "held") == pytest.approx([1.4], abs=1e-12)


def test_action_that_makes_the_condition_false_ends_the_dwell():
    """The spring is disabled before its force has lasted for the dwell."""
    events = {
        "loaded": Event(when="spring.force < -1 N for 0.2 s"),
        "off": Event(when="time > 0.15 s", then=(Action(disable="spring"),)),
    }
    assert times(oscillator(events=events), "loaded") == []
    assert times(oscillator(events={"loaded": events["loaded"]}), "loaded") != []


# Windows of events.


@every_integrator
def test_events_occur_only_inside_their_windows(integrator):
    """x < 0 at phases from pi/2 to 3/2 pi of every period."""
    windows = {
        "after": "after mark",
        "before": "before mark",
        "between": "between mark and late",
        "within": "within 0.1 s after mark",
        "at_once": "within 1 s after low",
    }
    events = {
        "low": Event(when="mass.joint < 0 m"),
        "mark": Event(when="time > 1.3 s"),
        "late": Event(when="time > 2 s"),
        **{
            name: Event(when=f"mass.joint < 0 m {text}", once=False, message=text)
            for name, text in windows.items()
        },
    }
    result = oscillator(integrator, duration=5.0, events=events)
    crossings = (0.5 * math.pi + 2.0 * math.pi * np.arange(5)) / OMEGA
    crossings = crossings[crossings < 5.0]
    allowed = ALLOWED[integrator]
    assert times(result, "after") == pytest.approx(crossings[crossings > 1.3], abs=allowed)
    assert times(result, "before") == pytest.approx(crossings[crossings < 1.3], abs=allowed)
    assert times(result, "between") == pytest.approx(
        crossings[(crossings > 1.3) & (crossings < 2.0)], abs=allowed
    )
    assert times(result, "within") == []
    # It is true when its window opens.
    assert times(result, "at_once") == times(result, "low")


def test_a_window_with_a_limit_opens_at_each_occurrence():
    """x falls below -50 mm within 0.15 s after each downward crossing, and never within 0.15 s after an upward one."""
    events = {
        "down": Event(when="mass.joint < 0 m", once=False),
        "up": Event(when="mass.joint > 0 m", once=False, armed=True),
        "deep": Event(when="mass.joint < -50 mm within 0.15 s after down", once=False),
        "never": Event(when="mass.joint < -50 mm within 0.15 s after up", once=False),
        "too_late": Event(when="mass.joint < -50 mm within 0.1 s after down", once=False),
    }
    result = oscillator(duration=5.0, events=events)
    expected = (2.0 / 3.0 * math.pi + 2.0 * math.pi * np.arange(5)) / OMEGA
    assert times(result, "deep") == pytest.approx(expected[expected < 5.0], abs=1e-8)
    assert times(result, "never") == times(result, "too_late") == []


def test_events_in_sequence_with_times():
    """Each event of a sequence has a window after the one before, as in the latching of a mechanism."""
    events = {
        "first": Event(when="mass.joint < 0 m"),
        "second": Event(when="mass.joint > 0 m for 0.1 s after first"),
        "third": Event(when="mass.joint < 0 m after second", then=(Action(stop=True),)),
    }
    result = oscillator(duration=5.0, events=events)
    phases = [0.5 * math.pi, 1.5 * math.pi + 0.1 * OMEGA, 2.5 * math.pi]
    assert [event.name for event in result.events] == list(events)
    assert [event.time for event in result.events] == pytest.approx(np.array(phases) / OMEGA, abs=1e-8)


def test_dwell_counts_from_the_opening_of_the_window():
    events = {
        "mark": Event(when="time > 0.5 s"),
        "held": Event(when="mass.joint < 1 m for 0.3 s after mark"),
        "short": Event(when="mass.joint < 1 m for 0.3 s within 0.2 s after mark"),
        "exact": Event(when="mass.joint < 1 m for 0.25 s within 0.25 s after mark"),
    }
    result = oscillator(events=events)
    assert times(result, "held") == pytest.approx([0.8], abs=4 * EPS)
    assert times(result, "short") == []
    assert times(result, "exact") == pytest.approx([0.75], abs=4 * EPS)


def test_a_run_in_pieces_has_the_same_events_and_metrics():
    """A session that is advanced by 37 ms at a time, as in real time."""
    scenario = MultibodyScenario(
        bodies={"mass": Body(mass=MASS, joint=Prismatic(position=AMPLITUDE))},
        springs={"spring": Spring(joint="mass", stiffness=MASS * OMEGA**2)},
        duration=3.0,
        integrator=INTEGRATORS["adaptive"],
        events={
            "low": Event(when="mass.joint < 0 m", once=False),
            "held": Event(when="mass.joint < 0 m and time > 0.2 s for 0.3 s", once=False),
            "next": Event(when="mass.joint > 50 mm within 0.5 s after held", once=False),
        },
        metrics={"mean": "mean mass.joint between low and held", "rms": "rms mass.joint"},
    )
    whole = simulate(scenario, with_prediction=False)
    prepared = PreparedMultibody(scenario)
    session = prepared.begin()
    for frame in range(1, 83):
        session.advance(0.037 * frame)
    pieces = prepared.result(session.finish())
    assert [event.name for event in pieces.events] == [event.name for event in whole.events]
    assert {event.name for event in whole.events} == set(scenario.events)
    assert [e.time for e in pieces.events] == pytest.approx([e.time for e in whole.events], abs=1e-8)
    for name in scenario.metrics:
        assert pieces.metrics[name] == pytest.approx(whole.metrics[name], abs=1e-9)
    assert not [name for name in whole.history.channels if "^" in name]


@pytest.mark.parametrize("record", [{"rate": 0.0, "contact_steps": False, "max_rows": 1}, {"rate": 500.0}])
def test_a_docking_with_windows_does_not_depend_on_the_record(record):
    """Events with times and windows end steps at the same instants, whatever is recorded."""
    scenario = load("assist-soft-docking")
    events = {
        **scenario.events,
        "pressed": Event(when="bumper-drogue.force > 2 N for 20 ms after first-contact", once=False),
    }
    metrics = {
        "side": "rms norm(pantograph-drogue.fx, pantograph-drogue.fy) between first-contact and entered",
        "force": "mean contact.force within 0.5 s after bottom-contact",
        "least": "min min(finger-1.joint, finger-2.joint) after opened",
    }
    scenario = scenario.model_copy(update={"events": events, "metrics": {**scenario.metrics, **metrics}})
    plain = simulate(scenario, with_prediction=False)
    other = simulate(
        scenario.model_copy(update={"record": scenario.record.model_copy(update=record)}),
        with_prediction=False,
    )
    assert other.metrics == plain.metrics
    assert other.events == plain.events
    assert len(times(plain, "pressed")) > 2
    assert all(plain.metrics[name] is not None for name in metrics)


# Windows of metrics, means and integrals.


def test_quadrature_rules_have_their_degree_of_exactness():
    """Kronrod's rule is exact for polynomials up to degree 11, that of Gauss up to 5."""
    for weights, degree in ((KRONROD, 11), (GAUSS, 5)):
        errors = [abs(weights @ NODES**n - 1.0 / (n + 1)) for n in range(degree + 2)]
        assert max(errors[:-1]) < 1e-15 < 1e-9 < errors[-1]


@every_integrator
def test_means_and_integrals_of_an_oscillator_equal_closed_forms(integrator):
    """Closed forms over 2 s, for every method and step size."""
    T = 2.0
    result = oscillator(
        integrator,
        metrics={
            "mean": "mean mass.joint",
            "rms": "rms mass.joint",
            "area": "integral mass.joint",
            "path": "integral abs mass.joint_rate",
            "power": "mean spring.force * mass.joint_rate",
            "clock": "integral time",
        },
    )
    s, s2 = math.sin(OMEGA * T), math.sin(2.0 * OMEGA * T)
    quarters = math.floor(OMEGA * T / math.pi)
    allowed = 30.0 * ALLOWED[integrator] * AMPLITUDE
    m = result.metrics
    assert m["area"] == pytest.approx(AMPLITUDE * s / OMEGA, abs=allowed)
    assert m["mean"] == pytest.approx(AMPLITUDE * s / OMEGA / T, abs=allowed)
    assert m["rms"] == pytest.approx(AMPLITUDE * math.sqrt(0.5 + s2 / (4.0 * OMEGA * T)), abs=allowed)
    turned = 2.0 * quarters + 1.0 - (-1) ** quarters * math.cos(OMEGA * T)
    assert m["path"] == pytest.approx(AMPLITUDE * turned, abs=allowed + 1e-6 * AMPLITUDE * OMEGA * T)
    assert m["clock"] == pytest.approx(0.5 * T * T, rel=1e-13)
    energy = 0.5 * MASS * OMEGA**2 * AMPLITUDE**2
    assert abs(m["power"]) == pytest.approx(energy * s * s / T, abs=1e3 * allowed)
    assert result.units == {**result.units, "mean": "m", "rms": "m", "area": "m*s", "path": "m", "power": "W"}


def spinning_tip(rate, **more):
    light = {"mass": 1e-3, "inertia": (1e-6, 1e-6, 1e-6)}
    return MultibodyScenario(
        bodies={
            "arm": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(rate=rate)),
            "tip": Body(**light, parent="arm", joint=Fixed(at=(0.5, 0.0, 0.0))),
        },
        duration=20.0,
        **more,
    )


@pytest.mark.parametrize("rate", [0.3, 3.0, 30.0])
def test_integrals_of_a_tip_that_turns_many_times_in_a_step(rate):
    metrics = {"x": "integral tip.x", "square": "rms tip.y", "abs": "mean abs tip.x * tip.y / (1 m)"}
    result = simulate(spinning_tip(rate, metrics=metrics), with_prediction=False)
    turned = 20.0 * rate
    assert result.timing.steps < 20
    assert result.metrics["x"] == pytest.approx(0.5 * math.sin(turned) / rate, abs=1e-9)
    assert result.metrics["square"] == pytest.approx(
        0.5 * math.sqrt(0.5 - math.sin(2.0 * turned) / (4.0 * turned)), abs=1e-9
    )
    quarters = math.floor(2.0 * turned / math.pi)
    rest = (2.0 * quarters + 1.0 - (-1) ** quarters * math.cos(2.0 * turned)) / (2.0 * turned)
    assert result.metrics["abs"] == pytest.approx(0.125 * rest, abs=2e-6 * 0.125)


@pytest.mark.parametrize("rate", [0.0, 7.0, 1000.0])
def test_integrals_do_not_depend_on_the_record(rate):
    """Same bits with and without a history, and at any rate."""
    metrics = {"x": "integral tip.x", "square": "rms tip.y", "most": "max tip.x - tip.y"}
    events = {"e": Event(when="tip.y > 0.3 m", once=False)}
    plain = simulate(
        spinning_tip(3.0, metrics=metrics, events=events).without_history(), with_prediction=False
    )
    record = {"rate": rate, "max_rows": 30_000}
    seen = simulate(spinning_tip(3.0, metrics=metrics, events=events, record=record), with_prediction=False)
    assert seen.metrics == plain.metrics
    assert [event.time for event in seen.events] == [event.time for event in plain.events]


@every_integrator
def test_statistics_of_windows(integrator):
    """Between an upward and a downward crossing, x is a half wave."""
    events = {
        "low": Event(when="mass.joint < 0 m"),
        "up": Event(when="mass.joint > 0 m after low"),
        "down": Event(when="mass.joint < 0 m after up"),
    }
    metrics = {
        "most": "max mass.joint between up and down",
        "least_before": "min mass.joint before low",
        "least_after": "min mass.joint after low",
        "begin": "start mass.joint_rate after low",
        "end": "final mass.joint_rate before low",
        "mean": "mean mass.joint between up and down",
        "rms": "rms mass.joint between up and down",
        "area": "integral mass.joint within 0.1 s after up",
        "last": "final mass.joint within 0.1 s after up",
        "none": "max mass.joint within 1 s after never",
        "whole": "max mass.joint after low",
    }
    events["never"] = Event(when="mass.joint > 1 m")
    result = oscillator(integrator, duration=3.0, events=events, metrics=metrics)
    m, allowed = result.metrics, 50.0 * ALLOWED[integrator]
    assert m["most"] == pytest.approx(AMPLITUDE, abs=allowed)
    assert m["least_before"] == pytest.approx(0.0, abs=1e-12)
    assert m["least_after"] == pytest.approx(-AMPLITUDE, abs=allowed)
    assert m["begin"] == m["end"] == pytest.approx(-AMPLITUDE * OMEGA, abs=allowed)
    assert m["mean"] == pytest.approx(AMPLITUDE * 2.0 / math.pi, abs=allowed)
    assert m["rms"] == pytest.approx(AMPLITUDE * math.sqrt(0.5), abs=allowed)
    assert m["area"] == pytest.approx(AMPLITUDE * (1.0 - math.cos(0.1 * OMEGA)) / OMEGA, abs=allowed)
    assert m["last"] == pytest.approx(AMPLITUDE * math.sin(0.1 * OMEGA), abs=allowed)
    assert m["none"] is None
    assert m["whole"] == pytest.approx(AMPLITUDE, abs=allowed)


def test_a_window_begins_with_the_values_after_the_actions_of_its_event():
    """The spring is released: its force before counts for `before`, none of it for `after`."""
    off = Event(when="mass.joint < 50 mm", then=(Action(disable="spring"),))
    metrics = {
        "before": "min spring.force before off",
        "at": "final spring.force before off",
        "after": "max abs spring.force after off",
        "begin": "start spring.force after off",
    }
    m = oscillator(events={"off": off}, metrics=metrics).metrics
    force = MASS * OMEGA**2
    assert abs(m["at"]) == pytest.approx(0.05 * force, rel=1e-9)
    assert max(abs(m["before"]), abs(m["at"])) == pytest.approx(abs(m["before"]))
    assert m["after"] == m["begin"] == 0.0


@pytest.mark.plain_python
def test_dwell_windows_and_integrals_in_plain_python():
    events = {
        "low": Event(when="mass.joint < 0 m"),
        "held": Event(when="abs(mass.joint) < 1 m and time > 0.1 s for 0.2 s within 1 s after low"),
    }
    result = oscillator(
        "long-steps", duration=0.8, events=events, metrics={"area": "integral mass.joint before low"}
    )
    assert times(result, "held") == pytest.approx([0.1 * math.pi + 0.2], abs=1e-5)
    assert result.metrics["area"] == pytest.approx(AMPLITUDE / OMEGA, abs=1e-6)


# True at the start.


@pytest.mark.parametrize("once", [True, False])
def test_an_event_that_is_true_at_the_start_is_reported(once):
    """With its time 0 and a sentence; the validity is that of the model."""
    events = {
        "high": Event(when="mass.joint > 50 mm", once=once),
        "low": Event(when="mass.joint < 50 mm", once=once),
    }
    result = oscillator(events=events)
    assert times(result, "high")[0] == 0.0
    assert times(result, "low")[0] > 0.0
    assert len(times(result, "high")) == (1 if once else 2)
    assert result.valid == "yes"
    assert len(result.warnings) == 1
    assert "'high' was true at the start" in result.warnings[0]
