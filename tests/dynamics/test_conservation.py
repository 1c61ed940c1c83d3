"""The conservation check passes correct runs and fails wrong ones."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import softdock
from dynamics.conservation_cases import (
    BRISK,
    CASES,
    LARGEST_CORRECT_ERROR,
    LONG_STEPS,
    ORBITAL,
    STILL,
    Case,
    colliding_balls,
    describe_answer,
    driven_slide,
    fixed_step,
    oscillator,
    spring_pair,
    thruster_pulses,
)
from softdock.result import CONSERVATION_LIMIT, Audit
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.multibody import PreparedMultibody

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "conservation.md"
ROW = re.compile(
    r"^\| (?P<name>[^|]+) \| (?P<kind>right|wrong[^|]*) \|.*\| (?P<verdict>passes|fails) \|$", re.M
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_check_passes_correct_runs_and_fails_wrong_ones(case: Case):
    audit, velocities = case.run()
    assert (case.error(velocities) <= LARGEST_CORRECT_ERROR) == case.right
    assert audit.passed == (case.right or not case.seen)


def test_documented_table_lists_the_cases_and_their_verdicts():
    """The verdicts of the cases are tested above."""
    shown = {row["name"]: (row["kind"], row["verdict"]) for row in ROW.finditer(PAGE.read_text("utf-8"))}
    expected = {
        case.name: (describe_answer(case), "passes" if case.right or not case.seen else "fails")
        for case in CASES
    }
    assert shown == expected
    assert sum(case.right for case in CASES) >= 15
    assert sum(case.seen and not case.right for case in CASES) >= 15


@pytest.mark.parametrize("drift", [BRISK, ORBITAL], ids=["20 m/s", "7 km/s"])
@pytest.mark.parametrize("build", [colliding_balls, spring_pair])
def test_error_does_not_depend_on_a_common_drift(build, drift):
    step = LONG_STEPS if build is colliding_balls else fixed_step(0.02)
    still, moving = (
        Case("", build, {"drift": v, "integrator": step}, False).run()[0].energy_residual
        for v in (STILL, drift)
    )
    assert moving == pytest.approx(still, rel=1e-3)


def test_the_largest_error_during_the_run_counts():
    """A speed is wrong for some time and correct again at the end."""
    session = PreparedMultibody(MultibodyScenario.model_validate(oscillator())).begin()
    session.advance(2.0)
    at = int(session.system.world[0].n_q)
    session.state[at] += 0.1
    session.finish()
    session.state[at] -= 0.1
    session.advance(6.0)
    done = session.finish()
    assert abs(done.end.balance - done.start.balance) < 1e-3 * done.start.balance
    assert done.conservation.energy_residual > 0.02


def test_angular_momentum_is_about_the_centre_of_mass():
    """A displaced body keeps the linear momentum but changes the angular momentum about the centre of mass."""
    session = PreparedMultibody(MultibodyScenario.model_validate(spring_pair(drift=BRISK))).begin()
    session.state[2] += 0.01  # along z, normal to the drift; the centre of mass moves by half of it
    done = session.finish()
    assert np.array_equal(done.end.linear_momentum, done.start.linear_momentum)
    assert done.conservation.angular_momentum_drift > CONSERVATION_LIMIT


def test_gross_work_is_the_sum_of_work_done_and_work_absorbed():
    """A drive that starts and stops a mass does its kinetic energy as work and absorbs it again; net work is zero."""
    scenario = MultibodyScenario.model_validate(driven_slide())
    session = PreparedMultibody(scenario).begin()
    session.advance(scenario.duration)
    done = session.finish()
    assert abs(done.end.work) < 1e-6
    assert done.conservation.gross_work > 2.0 * 0.5 * 1.0 * 0.3**2


@pytest.mark.plain_python
def test_gross_work_excludes_work_on_the_centre_of_mass():
    """A load through the centre of mass of a rigid body must not raise the scale of the energy error."""
    body = {"craft": {"mass": 5.0, "inertia": [1, 1, 1], "joint": {"type": "free", "velocity": [7000, 0, 0]}}}
    loads = {"thrust": {"body": "craft", "force": [9, 0, 0]}}
    scenario = MultibodyScenario.model_validate({"bodies": body, "loads": loads, "duration": 10.0})
    session = PreparedMultibody(scenario).begin()
    session.advance(10.0)
    done = session.finish()
    assert done.end.work == pytest.approx(9 * (7000 * 10 + 0.5 * 1.8 * 100), rel=1e-9)
    assert done.conservation.gross_work < 1e-4
    assert done.conservation.energy_residual < CONSERVATION_LIMIT


def test_message_and_summary_report_a_failed_check():
    wrong = softdock.simulate(MultibodyScenario.model_validate(colliding_balls(integrator=LONG_STEPS)))
    assert wrong.completed
    assert wrong.audit.passed is False
    assert "conservation check failed" in wrong.message
    assert "Conservation check failed" in wrong.summary()
    assert "phase" in Audit.COVERAGE
    right = softdock.simulate(MultibodyScenario.model_validate(thruster_pulses()))
    assert right.audit.passed is True
    assert "check" not in right.message
    assert replace(right.audit, energy_residual=None).passed is None


def test_diverged_run_is_not_completed():
    scenario = MultibodyScenario.model_validate(oscillator(integrator=fixed_step(0.15)))
    result = softdock.simulate(scenario)
    assert (result.outcome, result.completed) == ("diverged", False)


@pytest.mark.parametrize("drift", [0.0, 7000.0])
@pytest.mark.parametrize("rate", [0.0, 1e-3])
def test_check_accepts_thrust_that_only_moves_the_centre_of_mass(drift, rate):
    """The craft hardly turns: the work of the thrust must not count as an error of its small energy of rotation."""
    joint = {"type": "free", "velocity": [drift, 0, 0], "rate": [0, 0, rate]}
    data = {
        "bodies": {"craft": {"mass": 500.0, "inertia": [90, 90, 90], "joint": joint}},
        "loads": {
            "thrust": {"body": "craft", "force": [90, 0, 0], "pulses": [{"start": 1, "duration": 30}]},
            "back": {"body": "craft", "force": [-90, 0, 0], "pulses": [{"start": 61, "duration": 30}]},
        },
        "duration": 100.0,
    }
    result = softdock.simulate(MultibodyScenario.model_validate(data))
    assert result.audit.passed is not False


@pytest.mark.parametrize("speed", [1e-4, 3e-4, 1e-3])
def test_slow_runs_pass_where_they_are_as_accurate_as_requested(speed):
    case = Case("", colliding_balls, {"speed": speed, "duration": 0.015 / speed}, True)
    audit, velocities = case.run()
    assert case.error(velocities) * speed < 1e-5  # the default accuracy of speeds
    assert audit.passed


def test_slow_runs_fail_where_they_are_wrong():
    options = {"speed": 1e-3, "duration": 15.0, "integrator": fixed_step(0.05)}
    case = Case("", colliding_balls, options, False)
    audit, velocities = case.run()
    assert case.error(velocities) > 0.05
    assert not audit.passed


@pytest.mark.parametrize("time", [0.052, 0.054, 0.056])
def test_energy_of_a_contact_that_is_enabled_with_overlap_counts_as_work(time):
    """The near lists have to grow at that instant."""
    data = colliding_balls(speed=0.2)
    data["contacts"]["touch"] |= {"active": False, "resolved_force": 1e-4}
    data["events"] = {"on": {"when": f"time > {time} s", "then": [{"enable": "touch"}]}}
    result = softdock.simulate(MultibodyScenario.model_validate(data))
    assert result.outcome == "completed"
    assert result.metrics["peak_contact_force"] > 1.0
    assert result.audit.energy_residual < 1e-3
