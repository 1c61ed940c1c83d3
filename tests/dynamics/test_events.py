"""Events: the instants at which they occur, and the effects of their actions."""

import math

import numpy as np
import pytest

import softdock
from dynamics.systems import EPS, simulate
from softdock import simulate as run_scenario
from softdock.dynamics.kernels.integration.stepping import INSTANT_WIDTH
from softdock.dynamics.run_results import Ending
from softdock.elements.drive.model import Drive
from softdock.elements.spring.model import Spring
from softdock.elements.strut.model import Strut
from softdock.elements.weld.model import Weld
from softdock.errors import InputError
from softdock.model.events import Action, Event
from softdock.model.system import Body, System
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy, Integrator
from softdock.tree.frames import Anchor
from softdock.tree.joints import Fixed, Free, Prismatic, Revolute

MASS, FREQUENCY = 2.0, 5.0
TIGHT = Accuracy(length=1e-10, angle=1e-10, speed=1e-10, rate=1e-10)
INTEGRATORS = {
    "adaptive": Integrator(accuracy=TIGHT),
    "fixed": Integrator(step=0.01),
    "rk4": Integrator(step=0.002, method="rk4"),
}
every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def oscillator(position=0.1, duration=2.0, integrator="adaptive", **more) -> MultibodyScenario:
    """Return a mass on a spring: x = position * cos(FREQUENCY t)."""
    defaults = {
        "bodies": {"mass": Body(mass=MASS, joint=Prismatic(position=position))},
        "springs": {"spring": Spring(joint="mass", stiffness=MASS * FREQUENCY**2)},
        "duration": duration,
        "integrator": INTEGRATORS[integrator],
    }
    return MultibodyScenario(**{**defaults, **more})


def times(result, name):
    return [event.time for event in result.events if event.name == name]


@every_integrator
@pytest.mark.parametrize(
    ("when", "time"),
    [
        ("mass.joint < 0.05 m", math.acos(0.5) / FREQUENCY),
        ("mass.joint_rate > 0 m/s", math.pi / FREQUENCY),
        ("spring.energy < 0.125 J", math.acos(math.sqrt(0.5)) / FREQUENCY),
        ("mass.z < -99.99 mm", math.acos(-0.9999) / FREQUENCY),
        ("time > 0.3217 s", 0.3217),
    ],
)
def test_event_occurs_when_its_condition_becomes_true(when, time, integrator):
    """The time is that of the closed form; the row of the event is at the threshold to rounding."""
    result = run_scenario(oscillator(events={"now": Event(when=when)}, integrator=integrator))
    (t,) = times(result, "now")
    # Positions and speeds have errors of 1e-9; the error of the time is that over the rate of the quantity.
    allowed = 1e-6 if "-99.99" in when else 1e-8
    assert t == pytest.approx(time, abs=allowed)
    row = int(np.flatnonzero(result.history.time == t)[0])
    if not when.startswith("time"):
        name, _, threshold, _ = when.split()
        value = result.history[name][row]
        size = float(threshold) * (1e-3 if "mm" in when else 1.0)
        assert value == pytest.approx(size, abs=8 * EPS * max(abs(size), 0.5))


def test_repeated_event_occurs_once_per_crossing():
    """Rounding at the restart after an event does not repeat it."""
    up = Event(when="mass.joint > 0 m", once=False)
    down = Event(when="mass.joint < 0 m", once=False)
    result = run_scenario(oscillator(duration=10.0, events={"up": up, "down": down}))
    expected = np.arange(0.5 * math.pi, 10.0 * FREQUENCY, math.pi) / FREQUENCY
    assert times(result, "down") == pytest.approx(expected[::2], abs=1e-7)
    # The condition is true at the start, where the event occurs.
    assert times(result, "up") == pytest.approx([0.0, *expected[1::2]], abs=1e-7)


@pytest.mark.plain_python
def test_event_whose_condition_is_true_occurs_when_it_is_armed():
    armed = Event(when="mass.joint > 0.05 m", armed=False)
    trigger = Event(when="time > 0.1 s", then=(Action(arm="armed"),))
    result = run_scenario(oscillator(events={"armed": armed, "trigger": trigger}))
    assert times(result, "armed") == times(result, "trigger") == pytest.approx([0.1], abs=EPS)


def test_disarmed_event_does_not_occur():
    watched = Event(when="mass.joint < 0 m")
    off = Event(when="time > 0.1 s", then=(Action(disarm="watched"),))
    result = run_scenario(oscillator(events={"watched": watched, "off": off}))
    assert times(result, "watched") == []


def test_all_events_at_the_same_instant_occur():
    """None of three events with the same condition hides another one."""
    when = "mass.joint < 0.05 m"
    result = run_scenario(oscillator(events={name: Event(when=when) for name in ("one", "two", "three")}))
    assert times(result, "one") == times(result, "two") == times(result, "three")
    assert times(result, "one") == pytest.approx([math.acos(0.5) / FREQUENCY], abs=1e-8)


def test_events_at_the_same_instant_are_located_once():
    """Further events at an instant need no search, so they cost no evaluations."""

    def evaluations(count):
        events = {f"event-{i}": Event(when="mass.joint < 0.05 m") for i in range(count)}
        return run_scenario(oscillator(events=events)).timing.evaluations

    assert evaluations(6) == evaluations(1)


def test_opposite_conditions_with_one_threshold_hide_no_event():
    """One must hold for a time and ends where the other becomes true; values there differ by rounding."""
    ship = Body(
        mass=2.0, inertia=(1.0, 2.0, 3.0), joint=Free(rate=(0.3, 1.0, -0.4), position=(3.0, 1.0, 0.0))
    )
    tip = Body(parent="ship", joint=Fixed(at=(0.3, 0.2, 0.1)))
    for threshold in np.random.default_rng(4).uniform(2.9, 3.1, 60):
        events = {
            "holds": Event(when=f"tip.x > {threshold} m for 10 s"),
            "passes": Event(when=f"tip.x < {threshold} m"),
        }
        scenario = MultibodyScenario(bodies={"ship": ship, "tip": tip}, duration=3.0, events=events)
        result = run_scenario(scenario, with_prediction=False)
        assert len(times(result, "passes")) == 1


@pytest.mark.parametrize("order", [(0.3, 0.5, 0.7), (0.7, 0.5, 0.3), (0.5, 0.7, 0.3), (0.7, 0.3, 0.5)])
def test_events_in_one_step_are_found_in_the_order_of_time(order):
    body = {"ship": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Free(velocity=(1.0, 0.0, 0.0)))}
    events = {f"at-{10 * x:.0f}": Event(when=f"ship.x > {x} m") for x in order}
    result = run_scenario(
        MultibodyScenario(bodies=body, duration=1.0, events=events, integrator=Integrator(step=1.0))
    )
    assert [event.time for event in result.events] == pytest.approx(
        sorted(order), abs=INSTANT_WIDTH + 4 * EPS
    )
    assert [event.name for event in result.events] == [f"at-{10 * x:.0f}" for x in sorted(order)]


@pytest.mark.plain_python
def test_events_in_one_step_act_in_the_order_of_time():
    """With one step over the whole run, both events are found in order, and the second one stops the run."""
    body = {"ship": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Free(velocity=(1.0, 0.0, 0.0)))}
    second = Event(when="ship.x > 0.7 m", then=(Action(stop=True),))
    first = Event(when="ship.x > 0.6 m")
    result = run_scenario(
        MultibodyScenario(
            bodies=body,
            duration=1.0,
            events={"second": second, "first": first},
            integrator=Integrator(step=1.0),
        )
    )
    assert [(e.name, e.time) for e in result.events] == [
        ("first", pytest.approx(0.6, abs=4 * EPS)),
        ("second", pytest.approx(0.7, abs=4 * EPS)),
    ]
    assert result.outcome == "second"
    assert result.timing.simulated_s == pytest.approx(0.7, abs=4 * EPS)


@pytest.mark.parametrize("rate", [0.0, 100.0, 1000.0])
def test_energy_of_a_spring_that_is_disabled_counts_as_dissipated(rate):
    """The dissipated energy is that at the event for any rate of the record."""
    off = Event(when="mass.joint < 0.05 m", then=(Action(disable="spring"),))
    result = run_scenario(oscillator(events={"off": off}, record={"rate": rate}))
    stored = 0.5 * MASS * FREQUENCY**2 * 0.05**2
    assert result.history["spring.energy"][-1] == 0.0
    kinetic = 0.5 * MASS * result.history["mass.joint_rate"][-1] ** 2
    whole = 0.5 * MASS * FREQUENCY**2 * 0.1**2
    assert kinetic == pytest.approx(whole - stored, abs=1e-9)
    assert result.audit.energy_residual <= 1e-8


def test_energy_of_a_spring_that_is_enabled_counts_as_work():
    system = oscillator().springs["spring"].model_copy(update={"active": False})
    on = Event(when="time > 0.5 s", then=(Action(enable="spring"),))
    result = run_scenario(oscillator(springs={"spring": system}, events={"on": on}))
    x = 0.1 * np.cos(FREQUENCY * (result.history.time - 0.5))
    expected = np.where(result.history.time < 0.5, 0.1, x)
    assert result.history["mass.joint"] == pytest.approx(expected, abs=1e-8)
    assert result.audit.energy_residual <= 1e-8


def test_command_to_a_new_target_starts_at_the_present_position():
    drive = Drive(joint="mass", target=0.0, rate=0.2, stiffness=1e4, damping=400.0)
    go = Event(when="time > 0.5 s", then=(Action(drive="motor", target=0.3),))
    result = run_scenario(
        oscillator(position=0.0, springs={}, drives={"motor": drive}, events={"go": go}, duration=1.0)
    )
    t, x = result.history.time, result.history["mass.joint"]
    assert np.abs(x[t <= 0.5]).max() == 0.0
    # The drive is critically damped, 1/50 s, and lags only at the start of the ramp: the rate is fed forward.
    assert x[-1] == pytest.approx(0.2 * 0.5, abs=1e-3)
    assert result.history["motor.deflection"][np.argmin(np.abs(t - 0.51))] == pytest.approx(
        -0.002 + 0.001, abs=1e-3
    )


def test_a_drive_that_is_switched_on_later_starts_its_ramp_then():
    drive = Drive(joint="mass", target=-0.1, rate=0.1, stiffness=1e4, damping=400.0, active=False)
    go = Event(when="time > 0.5 s", then=(Action(enable="motor"),))
    result = run_scenario(oscillator(position=0.2, springs={}, drives={"motor": drive}, events={"go": go}))
    at = np.argmin(np.abs(result.history.time - 1.5))
    assert result.history["mass.joint"][at] == pytest.approx(0.2 - 0.1, abs=1e-3)


def test_a_weld_holds_the_pose_at_which_it_was_switched_on():
    """Capture of a drifting, tumbling body: momentum is conserved and the pose at capture is held."""
    weld = Weld(
        a=Anchor(body="chaser", at=(0.5, 0.0, 0.0)),
        b=Anchor(body="target"),
        stiffness=500.0,
        angular_stiffness=300.0,
        damping=200.0,
        angular_damping=100.0,
    )
    bodies = {
        "chaser": Body(mass=5.0, inertia=(2.0, 3.0, 4.0), joint=Free(velocity=(0.2, 0.0, 0.0))),
        "target": Body(
            mass=3.0, inertia=(1.0, 1.5, 2.0), joint=Free(position=(0.8, 0.1, 0.0), rate=(0.1, 0.2, 0.3))
        ),
    }
    capture = Event(when="target.x in chaser < 0.7 m", then=(Action(enable="weld"),))
    result = run_scenario(
        MultibodyScenario(bodies=bodies, welds={"weld": weld}, duration=20.0, events={"capture": capture})
    )
    (t,) = times(result, "capture")
    assert t == pytest.approx(0.5, abs=1e-9)
    at = int(np.flatnonzero(result.history.time == t)[0])
    h = result.history
    for body in ("chaser", "target"):
        assert np.isfinite(h[f"{body}.x"]).all()
    apart = [np.array([h[f"target.{c}"][i] - h[f"chaser.{c}"][i] for c in "xyz"]) for i in (at, -1)]
    assert np.linalg.norm(apart[1]) == pytest.approx(np.linalg.norm(apart[0]), abs=1e-3)
    assert h["target.wz"][-1] == pytest.approx(h["chaser.wz"][-1], abs=1e-4)
    assert result.audit.linear_momentum_drift <= 1e-12
    assert result.audit.angular_momentum_drift <= 1e-12
    assert result.audit.energy_residual <= 1e-4  # implicit steps of the strongly damped weld


@pytest.mark.plain_python
def test_peaks_before_an_event_in_the_same_step_are_kept():
    """A step in which an event ends the run may contain a peak before the event."""
    stop = Event(when="mass.joint_rate < -0.2 m/s", then=(Action(stop=True),))
    mass = {"mass": Body(mass=MASS, joint=Prismatic(position=0.08, speed=0.06 * FREQUENCY))}
    result = run_scenario(
        oscillator(
            bodies=mass,
            events={"stop": stop},
            metrics={"reach": "max mass.joint"},
        ).model_copy(update={"integrator": Integrator(step=0.25)})
    )
    # A step is 1.25 rad: the interpolation has errors of about 1e-3; without peaks inside steps: 0.092.
    assert result.metrics["reach"] == pytest.approx(0.1, rel=5e-3)


# Ends of runs.


def test_run_that_reaches_its_maximum_of_steps_ends_early():
    run = simulate(oscillator(), 10.0, max_steps=7)
    assert (run.ending, run.steps) == (Ending.STEPS_USED_UP, 7)
    assert 0.0 < run.time < 10.0


def test_run_that_overflows_ends_with_its_last_finite_state():
    """A strut repels two points that approach each other at 1e100 m/s."""
    bodies = {
        "a": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Free(velocity=(1e100, 0.0, 0.0))),
        "b": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Free(position=(1.0, 0.0, 0.0))),
    }
    strut = Strut(a=Anchor(body="a"), b=Anchor(body="b"), stiffness=1e100)
    run = simulate(System(bodies=bodies, struts={"s": strut}), 1.0, step=0.1)
    assert run.ending is Ending.NOT_FINITE
    assert np.isfinite(run.state).all()


def test_rate_of_the_record_that_exceeds_max_rows_is_refused():
    body = {"top": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(rate=1.0))}
    with pytest.raises(InputError, match="at most 50"):
        MultibodyScenario(bodies=body, duration=10.0, record={"rate": 1000.0, "max_rows": 50})


def test_final_values_do_not_depend_on_the_record():
    body = {"top": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(rate=1.0))}
    scenario = MultibodyScenario(
        bodies=body, duration=10.0, record={"rate": 0.0}, metrics={"turned": "final top.joint"}
    )
    assert run_scenario(scenario).metrics["turned"] == pytest.approx(10.0, rel=1e-12)


def test_a_state_that_is_not_finite_ends_the_run():
    body = {"top": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(angle=1.0))}
    scenario = MultibodyScenario(
        bodies=body,
        duration=500.0,
        springs={"wall": {"joint": "top", "stiffness": 1e6}},
        integrator={
            "method": "rk4",
            "step": 0.5,
        },  # unstable: the state grows by (omega h)^4 / 24 in each step
    )
    result = run_scenario(scenario)
    assert (result.outcome, result.completed) == ("not_finite", False)


def test_message_reports_a_failed_conservation_check():
    body = {"top": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(angle=0.1))}
    scenario = MultibodyScenario(
        bodies=body,
        duration=1.0,
        springs={"stiff": {"joint": "top", "stiffness": 1e5}},
        integrator={"method": "rk4", "step": 0.008},
    )
    result = softdock.simulate(scenario)
    assert result.audit.energy_residual > 0.9
    assert "The conservation check failed" in result.message


def test_samples_are_recorded_at_the_given_rate():
    result = run_scenario(oscillator(record={"rate": 8.0, "peaks": False}))
    assert result.history.time == pytest.approx(np.arange(17) / 8.0, abs=4 * EPS)
    assert result.history["mass.joint"] == pytest.approx(
        0.1 * np.cos(FREQUENCY * result.history.time), abs=1e-8
    )
