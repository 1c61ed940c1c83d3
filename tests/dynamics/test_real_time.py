"""Real time: frames of fixed length do not change the run, and their timing is reported."""

import time
from dataclasses import replace

import numpy as np
import pytest

from softdock.dynamics.simulation import Simulation
from softdock.errors import InputError
from softdock.result import Result
from softdock.scenario.loading import from_data, load
from softdock.simulation import prepare, simulate
from softdock.simulation.multibody import PreparedMultibody
from softdock.simulation.real_time import Frames, RealTime, run_in_frames


@pytest.mark.parametrize("name", ["pins-1", "pins-4", "pins-20", "pins-200"])
def test_bundled_plates_reach_the_outcome_seated(name):
    result = simulate(load(name), with_prediction=False)
    assert result.outcome == "seated"
    assert result.audit.linear_momentum_drift < 1e-12
    assert result.audit.angular_momentum_drift < 1e-12
    assert result.audit.energy_residual < 1e-3


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        (["interfaces.berth.hole.clearance=-1 mm"], "expelled"),
        (["interfaces.berth.hole.clearance=0 mm"], "jammed"),
        (["approach.offset=[45 mm, 0 mm]"], "rejected"),
        (["approach.speed=0 m/s"], "missed"),
    ],
)
def test_pins_that_do_not_seat_have_distinct_outcomes(changes, outcome):
    assert simulate(load("pins-1", changes), with_prediction=False).outcome == outcome


def test_frames_do_not_change_the_outcome():
    """The outcome and its time are the same within the accuracy of the steps."""
    whole = simulate(load("pins-4"), with_prediction=False)
    framed = simulate(load("pins-4"), with_prediction=False, real_time=RealTime(paced=False))
    assert framed.outcome == whole.outcome
    assert framed.timing.simulated_s == pytest.approx(whole.timing.simulated_s, abs=1e-3)
    assert framed.timing.frames == -(-framed.timing.simulated_s // 0.01)
    assert framed.timing.worst_frame_s > 0.0
    assert whole.timing.frames is None


def test_substeps_are_steps_of_equal_length():
    how = RealTime(paced=False, substeps=5)
    result = simulate(load("pins-4", ["duration=0.2"]), with_prediction=False, real_time=how)
    assert (result.timing.frames, result.timing.steps) == (20, 100 + len(result.events))


def test_paced_frames_run_in_real_time():
    start = time.perf_counter()
    result = simulate(load("pins-4", ["duration=0.1"]), with_prediction=False, real_time=RealTime())
    assert time.perf_counter() - start >= 0.09
    assert result.timing.frames == 10


class SlowSession:
    """A session in which every second frame exceeds its time."""

    def __init__(self):
        self.calls = 0

    def advance(self, until):
        self.calls += 1
        time.sleep(0.004 * (self.calls % 2))


def test_missed_frames_are_counted():
    frames = run_in_frames(SlowSession(), 0.01, RealTime(frame=0.002, paced=False))  # type: ignore[arg-type]
    assert len(frames.wall) == 5
    assert frames.missed >= 3
    assert frames.worst >= 0.004
    assert Frames(wall=[0.1, 0.3], processor=[0.1, 0.1], frame=0.2).missed == 1


def test_timing_of_frames_is_saved_and_read(tmp_path):
    result = simulate(load("pins-1", ["duration=0.1"]), real_time=RealTime(paced=False))
    result.save(tmp_path)
    assert Result.load(tmp_path).timing == result.timing


@pytest.mark.parametrize("fields", [{"frame": 0.0}, {"frame": float("nan")}, {"substeps": 0}])
def test_impossible_frames_are_refused(fields):
    with pytest.raises(InputError):
        RealTime(**fields)


def test_other_kinds_of_scenarios_have_no_frames():
    with pytest.raises(InputError, match="kind multibody"):
        simulate(load("impact-a"), real_time=RealTime())


def test_too_many_frames_are_refused():
    scenario = load("pins-1")
    simulation = PreparedMultibody(scenario).simulation
    assert isinstance(simulation, Simulation)
    with pytest.raises(InputError, match="frames"):
        run_in_frames(simulation.begin(), 8.0, RealTime(frame=1e-9))


def test_frames_of_an_arm_are_the_cycles_of_its_control():
    changes = {"moves": [{"wait": 0.1}], "events": {}, "outcomes": [], "metrics": {}}
    arm = from_data({**load("peg-flat").to_data(), **changes}, "arm")
    plain = simulate(arm)
    paced = simulate(arm, real_time=RealTime())
    assert paced.timing.frames == 10
    assert paced.timing.frame_s == arm.control.period
    assert paced.timing.wall_s > 0.09
    assert plain.history["tip.z"][-1] == paced.history["tip.z"][-1]
    with pytest.raises(InputError, match=r"control\.period of 10 ms"):
        simulate(arm, real_time=RealTime(frame=0.02))
    fixed = simulate(arm, real_time=RealTime(substeps=40, paced=False))
    assert fixed.history["tip.z"][-1] == pytest.approx(plain.history["tip.z"][-1], abs=1e-6)


def test_targets_and_stiffness_may_change_while_an_arm_runs():
    changes = {"moves": [{"wait": 1.0}], "events": {}, "outcomes": [], "metrics": {}}
    prepared = prepare(from_data({**load("peg-flat").to_data(), **changes}, "arm"))

    def turn(setpoint, state):
        late = state is not None and state.t > 0.3
        return replace(setpoint, q=setpoint.q + 0.05 * np.eye(7)[0], qdot=None) if late else setpoint

    result = prepared.simulate(adjust=turn)
    moved = result.history["joint_1.position"][-1] - result.history["joint_1.position"][0]
    assert moved == pytest.approx(0.05, abs=5e-3)
    soft = prepared.simulate(adjust=lambda setpoint, _: replace(setpoint, stiffness=0.5 * setpoint.stiffness))
    assert soft.history["joint_1.position"][-1] == pytest.approx(
        result.history["joint_1.position"][0], abs=1e-3
    )
