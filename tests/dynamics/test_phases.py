"""Phases: a sequence of steps against closed forms of a body under a constant force."""

import math

import pytest

import softdock
from dynamics.systems import EPS
from softdock import simulate
from softdock.errors import InputError
from softdock.model.events import Action, Event, Outcome
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy, Integrator
from softdock.tree.joints import Prismatic

MASS, FORCE = 2.0, 3.0
ACCELERATION = FORCE / MASS
INTEGRATORS = {
    "adaptive": Integrator(accuracy=Accuracy(length=1e-10, angle=1e-10, speed=1e-10, rate=1e-10)),
    "implicit": Integrator(method="rosenbrock"),
    "fixed": Integrator(step=0.013),
    "rk4": Integrator(step=0.013, method="rk4"),
    "coarse": Integrator(step=0.1),
}

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def pushed_cart(phases, integrator="adaptive", **more) -> MultibodyScenario:
    """Return a cart at rest on a rail that the load `push` accelerates when it is enabled."""
    data = {
        "bodies": {"cart": Body(mass=MASS, joint=Prismatic(axis="x"))},
        "loads": {"push": {"body": "cart", "force": (FORCE, 0.0, 0.0), "active": False}},
        "duration": 20.0,
        "integrator": INTEGRATORS[integrator],
        "phases": phases,
    }
    return MultibodyScenario.model_validate({**data, **more})


def spans(result):
    return [(phase.name, phase.start, phase.end, phase.ended) for phase in result.phases]


def time_to(x):
    return math.sqrt(2.0 * x / ACCELERATION)


@every_integrator
def test_phases_begin_and_end_at_the_times_of_the_closed_form(integrator):
    """Push to 0.5 m, coast for 1 m: the times follow from the force, and the statistics from the motion."""
    result = simulate(
        pushed_cart(
            [
                {"name": "pushing", "do": [{"enable": "push"}], "until": "cart.x > 0.5 m"},
                {"name": "coasting", "do": [{"disable": "push"}], "until": "cart.x > 1.5 m"},
            ],
            integrator,
            metrics={
                "push_mean": "mean cart.x during pushing",
                "push_rms": "rms cart.vx during pushing",
                "push_speed": "max cart.vx during pushing",
                "coast_start": "start cart.x during coasting",
                "coast_final": "final cart.x during coasting",
                "coast_integral": "integral cart.vx during coasting",
                "coast_least": "min cart.ax during coasting",
                "coast_time": "duration of coasting",
                "pushed": "time of pushing",
                "between": "time from pushing to coasting",
                "after": "max cart.ax after pushing",
            },
        )
    )
    t, v = time_to(0.5), ACCELERATION * time_to(0.5)
    assert spans(result) == [
        ("pushing", 0.0, pytest.approx(t, abs=1e-9), "condition"),
        ("coasting", pytest.approx(t, abs=1e-9), pytest.approx(t + 1.0 / v, abs=1e-8), "condition"),
    ]
    assert result.phases[0].end == result.phases[1].start
    assert result.timing.simulated_s == result.phases[1].end
    assert result.outcome == "completed"
    assert "'coasting'" in result.message
    m = result.metrics
    assert m["push_mean"] == pytest.approx(0.5 / 3.0, rel=1e-6)
    assert m["push_rms"] == pytest.approx(v / math.sqrt(3.0), rel=1e-6)
    assert m["push_speed"] == pytest.approx(v, rel=1e-8)
    assert (m["coast_start"], m["coast_final"]) == pytest.approx((0.5, 1.5), abs=1e-9)
    assert m["coast_integral"] == pytest.approx(1.0, rel=1e-7)
    assert (m["coast_least"], m["after"]) == (0.0, 0.0)
    assert m["coast_time"] == m["between"] == result.phases[1].end - result.phases[1].start
    assert m["pushed"] == result.phases[0].end


@every_integrator
def test_phase_ends_exactly_at_its_time_limit(integrator):
    """The limit counts from the beginning of its phase; the run ends there with the outcome of the phase."""
    result = simulate(
        pushed_cart(
            [
                {"name": "waiting", "until": "time > 0.371 s"},
                {
                    "name": "pushing",
                    "do": [{"enable": "push"}],
                    "until": "cart.x > 100 m",
                    "within": "1.7 s",
                    "otherwise": "too_slow",
                    "message": "The cart did not arrive.",
                },
                {"name": "never", "until": "cart.x > 200 m"},
            ],
            integrator,
            outcomes=[Outcome(name="arrived", message="Arrived.", happened=("waiting",))],
            metrics={
                "x": "final cart.x during pushing",
                "none": "max cart.x during never",
                "t": "duration of never",
            },
        )
    )
    (_, waited), (start, end) = ((phase.start, phase.end) for phase in result.phases)
    assert waited == start == pytest.approx(0.371, abs=2 * EPS)
    assert end == start + 1.7
    assert [phase.ended for phase in result.phases] == ["condition", "timeout"]
    assert result.timing.simulated_s == end
    assert result.outcome == "too_slow"
    assert result.message == "The phase 'pushing' did not end within 1.7 s. The cart did not arrive."
    assert result.completed
    assert result.metrics["x"] == pytest.approx(0.5 * ACCELERATION * 1.7**2, rel=1e-8)
    assert result.metrics["none"] is None
    assert result.metrics["t"] is None


@pytest.mark.plain_python
def test_conditions_that_are_true_at_entry_end_their_phases_at_once():
    """Three phases end at the same instant; an action in between takes effect there."""
    push = {"enable": "push"}
    result = simulate(
        pushed_cart(
            [
                {"name": "one", "do": [push], "until": "cart.x > 0.2 m"},
                {
                    "name": "two",
                    "do": [{"disable": "push"}],
                    "until": "cart.x > 0.1 m",
                    "within": "1 s",
                    "otherwise": "no",
                },
                {"name": "three", "until": "cart.ax < 1 m/s^2"},
                {"name": "four", "until": "cart.x > 0.3 m"},
            ],
            metrics={"v": "max cart.vx during two", "mean": "mean cart.vx during two"},
            integrator="coarse",
        )
    )
    t, v = time_to(0.2), ACCELERATION * time_to(0.2)
    ends = [phase.end for phase in result.phases]
    assert ends[:3] == pytest.approx([t] * 3, abs=1e-9)
    assert ends[0] == ends[1] == ends[2]
    assert ends[3] == pytest.approx(t + 0.1 / v, abs=1e-9)
    assert [phase.ended for phase in result.phases] == ["condition"] * 4
    assert result.metrics["v"] == pytest.approx(v, rel=1e-9)
    assert result.metrics["mean"] is None


@pytest.mark.parametrize("once", [True, False])
def test_an_event_that_occurred_before_ends_a_phase_only_if_it_cannot_occur_again(once):
    """The cart oscillates about 0, which it crosses at 1/4, 3/4, 5/4 ... of its period in both directions."""
    period = 2.0 * math.pi * math.sqrt(MASS / 50.0)
    scenario = pushed_cart(
        [
            {"name": "one", "until": f"time > {0.5 * period:.17g} s"},
            {"name": "two", "until": "down"},
            {"name": "three", "until": "time > 0 s for 0.1 s"},
        ],
        bodies={"cart": Body(mass=MASS, joint=Prismatic(axis="x", position=0.1))},
        springs={"spring": {"joint": "cart", "stiffness": 50.0}},
        events={"down": Event(when="cart.x < 0 m", once=once)},
    )
    result = simulate(scenario)
    end = 0.5 * period if once else 1.25 * period
    assert result.phases[1].end == pytest.approx(end, abs=1e-8)
    assert result.phases[1].ended == "condition"
    assert result.phases[2].end == pytest.approx(end + 0.1, abs=1e-8)


def test_an_event_of_the_first_phase_may_occur_at_the_start():
    for once in (True, False):
        result = simulate(
            pushed_cart(
                [{"name": "one", "until": "there"}, {"name": "two", "until": "time > 1 s"}],
                events={"there": Event(when="cart.x < 1 m", once=once)},
            )
        )
        assert spans(result) == [
            ("one", 0.0, 0.0, "condition"),
            ("two", 0.0, pytest.approx(1.0), "condition"),
        ]


def test_an_armed_event_with_actions_ends_a_phase_after_its_actions():
    """A phase arms an event, which acts and ends the phase at the same instant."""
    result = simulate(
        pushed_cart(
            [
                {"name": "push", "do": [{"enable": "push"}, {"arm": "far"}], "until": "far"},
                {"name": "coast", "until": "cart.x > 1 m"},
            ],
            events={"far": Event(when="cart.x > 0.5 m", armed=False, then=(Action(disable="push"),))},
            loads={"push": {"body": "cart", "force": (FORCE, 0.0, 0.0), "active": False}},
        )
    )
    t, v = time_to(0.5), ACCELERATION * time_to(0.5)
    assert [phase.end for phase in result.phases] == pytest.approx([t, t + 0.5 / v], abs=1e-9)


def test_a_stop_ends_the_phase_with_the_run():
    result = simulate(
        pushed_cart(
            [
                {
                    "name": "push",
                    "do": [{"enable": "push"}],
                    "until": "cart.x > 9 m",
                    "within": 9,
                    "otherwise": "slow",
                }
            ],
            events={"end": Event(when="time > 0.5 s", then=(Action(stop=True),))},
        )
    )
    assert spans(result) == [("push", 0.0, pytest.approx(0.5), "run_end")]
    assert result.outcome == "end"
    short = simulate(pushed_cart([{"name": "push", "until": "cart.x > 9 m"}], duration=0.25))
    assert spans(short) == [("push", 0.0, 0.25, "run_end")]
    assert short.outcome == "unfinished"
    assert "'push'" in short.message


def test_an_event_that_stops_the_run_ends_the_phase_that_waits_for_it():
    result = simulate(
        pushed_cart(
            [{"name": "a", "until": "end"}, {"name": "b", "until": "time > 9 s"}],
            events={"end": Event(when="time > 0.5 s", then=(Action(stop=True),))},
        )
    )
    assert spans(result) == [("a", 0.0, pytest.approx(0.5), "condition")]
    assert result.outcome == "end"


def test_stop_on_entry_of_a_phase_ends_the_run():
    result = simulate(
        pushed_cart(
            [
                {"name": "a", "until": "time > 1 s"},
                {"name": "b", "do": [{"stop": True}], "until": "time > 2 s"},
            ]
        )
    )
    assert spans(result)[1] == ("b", pytest.approx(1.0), pytest.approx(1.0), "run_end")
    assert result.outcome == "completed"


def test_end_condition_precedes_a_limit_at_the_same_instant():
    for until in ("time > -1 s for 2 s", "cart.x < 9 m for 2 s"):
        phase = {"name": "wait", "until": until, "within": "2 s", "otherwise": "late"}
        assert simulate(pushed_cart([phase])).phases[0].ended == "condition"


def test_conditions_with_dwell_windows_and_logic():
    """`for` counts from the later of entry and condition; a window of an event applies inside a phase."""
    result = simulate(
        pushed_cart(
            [
                {"name": "a", "do": [{"enable": "push"}], "until": "cart.x > 0.1 m for 0.3 s"},
                {"name": "b", "until": "cart.x > 0.2 m and not cart.x > 90 m for 0.25 s"},
                {"name": "c", "until": "cart.vx > 0 m/s within 1 s after late"},
            ],
            events={"late": Event(when="time > 3 s")},
        )
    )
    t = time_to(0.1) + 0.3
    assert [phase.end for phase in result.phases] == pytest.approx([t, t + 0.25, 3.0], abs=1e-9)


def test_next_changes_the_order_of_phases():
    result = simulate(
        pushed_cart(
            [
                {"name": "a", "until": "time > 1 s", "next": "c"},
                {"name": "b", "until": "time > 3 s", "next": "d"},
                {"name": "c", "until": "time > 2 s", "next": "b"},
                {"name": "d", "until": "time > 4 s"},
            ]
        )
    )
    assert [phase.name for phase in result.phases] == ["a", "c", "b", "d"]
    assert [phase.end for phase in result.phases] == pytest.approx([1.0, 2.0, 3.0, 4.0])


def test_events_during_a_phase_and_outcomes_by_phases():
    scenario = pushed_cart(
        [
            {"name": "push", "do": [{"enable": "push"}], "until": "cart.x > 0.5 m"},
            {"name": "coast", "do": [{"disable": "push"}], "until": "cart.x > 1 m"},
            {"name": "rest", "until": "cart.x > 2 m", "within": "1 s", "otherwise": "short_of_time"},
        ],
        events={
            "in-coast": Event(when="cart.x > 0.1 m during coast"),
            "after-push": Event(when="cart.x > 0.1 m after push"),
        },
        outcomes=[
            Outcome(name="arrived", message="It arrived.", happened=("rest", "in-coast")),
            Outcome(name="failed", message="It failed.", not_happened=("coast",)),
        ],
    )
    result = simulate(scenario)
    assert [event.time for event in result.events] == [result.phases[0].end] * 2
    assert result.outcome == "arrived"
    assert scenario.possible_outcomes() == [
        "arrived", "failed", "short_of_time", "unfinished", "completed",
    ]  # fmt: skip


def test_scenarios_without_phases_have_the_same_events_and_empty_phases():
    result = simulate(pushed_cart([], duration=1.0))
    assert result.phases == ()
    assert result.to_json()["phases"] == []


def test_phases_are_saved_and_loaded(tmp_path):
    result = simulate(
        pushed_cart([{"name": "a", "until": "time > 1 s"}, {"name": "b", "until": "time > 30 s"}])
    )
    result.save(tmp_path)
    assert softdock.Result.load(tmp_path).phases == result.phases
    assert result.to_json()["phases"] == [
        {"name": "a", "start": 0.0, "end": pytest.approx(1.0), "ended": "condition"},
        {"name": "b", "start": pytest.approx(1.0), "end": 20.0, "ended": "run_end"},
    ]


def test_a_first_phase_that_has_ended_at_the_start_is_refused():
    with pytest.raises(InputError) as caught:
        simulate(pushed_cart([{"name": "a", "until": "cart.x < 1 m"}]))
    assert "'a' is true at the start" in str(caught.value)
    assert "phases.0.until" in str(caught.value)
