"""The soft docking of a probe in its drogue: sequence, conservation, laws, convergence and refused input."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from softdock import load, simulate
from softdock.dynamics.settings import StepTolerances
from softdock.errors import InputError

CONTACTS = ("bumper-drogue", "pantograph-drogue", "finger-drogue-1", "finger-drogue-2", "finger-drogue-3")
CAD = Path(str(load("assist-soft-docking").directory)) / "cad"
SPEED = (
    0.1 * StepTolerances().speed
)  # [m/s] a tenth of the error allowed in one step: errors of steps partly cancel
pytestmark = pytest.mark.slow


def run_passive(changes=None):
    return simulate(load("assist-passive", changes or {}))


@pytest.fixture(scope="module")
def nominal_run():
    return simulate("assist-soft-docking")


@pytest.fixture(scope="module")
def passive_run():
    return run_passive()


def event_names(result):
    return [event.name for event in result.events]


def relative_speed_error(result):
    """Return the sum of the speed errors of all steps, divided by the approach speed, if none of them cancel."""
    return SPEED * result.timing.steps / result.history["servicer.vz"][0]


def assert_shallow(result):
    """Assert that no contact is deeper than the smallest radius of its edges: 1.5 mm on the probe, 4 mm on a finger."""
    for name in CONTACTS:
        assert result.history[f"{name}.depth"].max() < (4e-3 if name.startswith("finger") else 1.5e-3)


# Sequence


def test_the_nominal_docking_is_captured(nominal_run):
    assert nominal_run.outcome == "captured"
    assert event_names(nominal_run) == ["first-contact", "entered", "bottom-contact", "opening", "opened"]
    times = [event.time for event in nominal_run.events]
    assert times == sorted(times)
    assert nominal_run.metrics["t_bottom_contact"] == nominal_run.events[2].time


def test_the_captured_probe_stays_behind_the_throat(nominal_run):
    """The widest section stays behind the throat, and the mechanism removes energy from the relative motion."""
    after = nominal_run.history.time > nominal_run.events[-1].time
    throat = 65.693623e-3
    assert nominal_run.history["waist.z in drogue"][after].min() > throat
    assert nominal_run.metrics["relative_speed_final"] < 0.03


def test_the_nominal_docking_conserves_momentum_and_energy(nominal_run):
    assert nominal_run.audit.linear_momentum_drift <= 1e-9
    assert nominal_run.audit.angular_momentum_drift <= 1e-9
    assert nominal_run.audit.energy_residual <= 1e-4


def test_the_contact_stays_shallower_than_the_smallest_edge(nominal_run):
    assert_shallow(nominal_run)


def test_metrics_have_the_names_of_the_mechanism(nominal_run):
    for name in ("bumper_drogue", "pantograph_drogue"):
        assert nominal_run.metrics[f"peak_contact_force_{name}"] > 0.0
    for name in ("bumper_spring", "gimbal_spring"):
        assert nominal_run.metrics[f"spring_energy_max_{name}"] > 0.0
    pole = 135.693623e-3
    depth = nominal_run.history["bumper-drogue.depth"].max()
    assert pole - 1e-3 < nominal_run.metrics["insertion_max"] < pole + depth + 1e-6


def test_the_prediction_finds_the_first_contact(nominal_run):
    """The prediction continues the approach up to the first force; the run finds that instant within step errors."""
    assert nominal_run.prediction["contact"] == "bumper-drogue"
    allowed = relative_speed_error(nominal_run) * nominal_run.metrics["t_first_contact"]
    assert abs(nominal_run.prediction["t_first_contact"] - nominal_run.metrics["t_first_contact"]) < allowed


def test_without_opening_the_probe_rebounds(passive_run):
    assert passive_run.outcome == "rebounded"
    assert event_names(passive_run) == ["first-contact", "entered", "bottom-contact", "left", "away"]
    assert 1.0 < passive_run.metrics["opening_time"] < 2.0  # the paper's band above 0.02 m/s


def test_fingers_change_nothing_before_they_open(nominal_run, passive_run):
    for name in ("t_first_contact", "t_entered", "t_bottom_contact"):
        assert nominal_run.metrics[name] == passive_run.metrics[name]


def test_the_opening_time_grows_as_the_speed_falls(passive_run):
    slow = [
        run_passive({"approach.speed": v, "duration": 0.5 / v}).metrics["opening_time"]
        for v in (0.015, 0.0075)
    ]
    assert passive_run.metrics["opening_time"] < slow[0] < slow[1] < 8.0


def test_a_rigid_probe_bounces_where_one_with_a_gimbal_docks():
    rigid = simulate("assist-rigid-probe")
    with_gimbal = simulate(load("assist-soft-docking", {"approach.offset": [0.02, 0.0]}))
    assert (rigid.outcome, with_gimbal.outcome) == ("bounced", "captured")
    assert event_names(rigid) == ["first-contact", "away"]
    cone = (with_gimbal.history.time < with_gimbal.metrics["t_bottom_contact"] - 1e-6).nonzero()[0]
    gentle = max(with_gimbal.history[f"{name}.force"][cone].max() for name in CONTACTS)
    assert rigid.metrics["peak_contact_force"] > 25.0 * gentle


def test_the_extreme_approach_is_captured():
    result = simulate("assist-extreme")
    assert result.outcome == "captured"
    assert_shallow(result)


def test_a_probe_beside_the_drogue_misses():
    result = run_passive({"approach.offset": [0.2, 0.0], "approach.speed": 0.1, "duration": 1.0})
    assert result.outcome == "missed"


def test_a_probe_that_is_too_slow_for_the_time_stalls():
    assert run_passive({"duration": 4.0}).outcome == "stalled"


# Laws and convergence


def test_results_converge_with_cells_of_a_quarter_of_the_area(passive_run):
    """A contact with a sixteenth of the force has half the width: its cells have a quarter of the area."""
    fine = run_passive({f"contacts.{name}.resolved_force": 0.1 / 16 for name in CONTACTS})
    for name, allowed in (("peak_contact_force", 0.01), ("opening_time", 0.005)):
        assert fine.metrics[name] == pytest.approx(passive_run.metrics[name], rel=allowed)


SKEW = {"approach.offset": [0.007, 0.004], "approach.tilt": [0.03, 0.02]}


@pytest.fixture(scope="module")
def skew_run():
    return run_passive(SKEW)


def assert_same_docking(one, other, allowed):
    assert event_names(one) == event_names(other)
    for name in ("opening_time", "peak_contact_force", "t_bottom_contact", "bumper_stroke_max"):
        assert other.metrics[name] == pytest.approx(one.metrics[name], rel=allowed), name


def test_the_mirrored_approach_gives_the_mirrored_docking(skew_run):
    """Mirrored in y: offsets along y change sign, and so do rotations about x."""
    mirrored = run_passive({"approach.offset": [0.007, -0.004], "approach.tilt": [-0.03, 0.02]})
    allowed = relative_speed_error(skew_run)
    assert_same_docking(skew_run, mirrored, allowed)
    at = skew_run.events[2].time
    y = [np.interp(at, r.history.time, r.history["nose.y"]) for r in (skew_run, mirrored)]
    assert y[0] == pytest.approx(-y[1], abs=allowed * 0.03 * at)


def test_the_opposite_approach_gives_the_same_docking(skew_run):
    """Half a turn about the axis: offset and tilt change sign; three fingers have the inertia of a ring."""
    opposite = run_passive({key: [-value for value in pair] for key, pair in SKEW.items()})
    assert_same_docking(skew_run, opposite, relative_speed_error(skew_run))


def test_the_docking_does_not_depend_on_the_pose_of_the_scene(passive_run):
    pose = {"type": "free", "position": [3, -2, 5], "attitude": {"axis": [1, 2, 3], "angle": 1.1}}
    moved = run_passive({"bodies.client.joint": pose})
    assert_same_docking(passive_run, moved, relative_speed_error(passive_run))


def test_the_docking_hardly_changes_if_surfaces_a_and_b_are_exchanged(passive_run):
    """Depth and area are then taken from the other surface: they differ by depth times the difference of curvature."""
    roles = {}
    for name, probe in (("bumper-drogue", "bumper-nose"), ("pantograph-drogue", "pantograph-outline")):
        roles |= {f"contacts.{name}.a": probe, f"contacts.{name}.b": "cavity"}
    depth = passive_run.history["bumper-drogue.depth"].max()
    assert_same_docking(passive_run, run_passive(roles), depth * (1 / 9e-3 - 1 / 30e-3))


# Input


def test_any_field_of_the_approach_can_be_set():
    scenario = load("assist-soft-docking", ["approach.speed=0.02 m/s", "approach.tilt.1=5 deg"])
    assert scenario.approach.speed == 0.02
    assert scenario.approach.tilt == (0.0, math.radians(5.0))
    early = simulate(load("assist-passive", {"approach.speed": 0.06, "duration": 2.0}))
    late = simulate(load("assist-passive", {"approach.speed": 0.03, "duration": 4.0}))
    assert late.metrics["t_first_contact"] == pytest.approx(2.0 * early.metrics["t_first_contact"], rel=1e-3)


def write(folder, text):
    path = folder / "mine.yaml"
    path.write_text(f"softdock: 1\nbase: assist-passive\n{text}", encoding="utf-8")
    return path


def test_cad_files_are_found_beside_the_scenario(tmp_path, passive_run):
    (tmp_path / "parts").mkdir()
    shutil.copy(CAD / "drogue.step", tmp_path / "parts" / "mine.step")
    path = write(tmp_path, "surfaces: {cavity: {file: parts/mine.step}}\n")
    assert simulate(load(path)).metrics == passive_run.metrics


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("surfaces: {cavity: {file: nowhere.step}}", "does not exist"),
        ("surfaces: {cavity: {file: text.step}}", "STEP"),
        ("surfaces: {cavity: {file: block.step, side: outside, shape: revolution}}", "revolution"),
        ("surfaces: {cavity: {file: two_bodies.step}}", "bodies"),
        ("contacts: {bumper-drogue: {layer: {stiffness: 0}}}", "stiffness"),
        (
            "contacts: {bumper-drogue: {layer: {stiffness: null, youngs_modulus: 70 GPa, poisson_ratio: 0.5, "
            "thickness: 6 mm}}}",
            "poisson_ratio",
        ),
        ("approach: {chaser: probe}", "no body called"),
        ("contacts: {bumper-drogue: {a: cone}}", "no surface called"),
    ],
)
def test_bad_input_gives_a_message_with_file_and_line(tmp_path, text, message):
    files = Path(__file__).parents[1] / "geometry" / "files"
    for name in ("block.step", "two_bodies.step"):
        shutil.copy(files / name, tmp_path)
    (tmp_path / "text.step").write_text("hello", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load(write(tmp_path, text))
    problem = refused.value.problems[0]
    assert message.lower() in f"{problem.field} {problem.message}".lower()
    assert (problem.file, problem.line) == (str(tmp_path / "mine.yaml"), 3)


def test_a_probe_that_starts_inside_the_wall_is_refused():
    changes = {"approach.port.at": [0.0, 0.0, 0.06], "approach.distance": 0.0, "approach.offset": [0.03, 0.0]}
    with pytest.raises(InputError, match="inside each other at the start"):
        run_passive(changes)


def test_recorded_steps_in_contact_replace_the_samples_between_them(passive_run):
    """Rows are never further apart than samples, and no sample is recorded between two recorded steps.

    Steps that are longer than the sampling period need one; a sample that would exceed a peak by the resolution of the
    search is left out. Two rows at the same time are those before and after a stop
    begins to push.
    """
    time, period = passive_run.history.time, 0.01
    assert (np.diff(time) >= 0.0).all()
    assert (np.diff(time) == 0.0).sum() < 0.01 * len(time)
    gaps = np.diff(time) > period * (1.0 + 1e-9)
    assert gaps.sum() <= 2
    assert np.diff(time).max() <= 2.0 * period
    pushing = passive_run.history.channels["contact.force"].values > 0.0
    kept = pushing[1:-1] & pushing[:-2] & pushing[2:]
    short = time[2:] - time[:-2] <= period
    sampled = np.abs(time / period - np.round(time / period)) < 1e-9
    assert kept.sum() > 250
    # A sample before a peak inside a step is recorded with the peak; there are as many as such peaks, about 2 %.
    assert sampled[1:-1][kept & short].sum() <= 0.03 * kept.sum()
    assert sampled[~pushing].sum() > 800


def test_recording_does_not_change_the_run(passive_run):
    """Campaigns store only metrics; a run that is repeated with its history must have the same metrics bit by bit."""
    lean = simulate(load("assist-passive").without_history(), with_prediction=False)
    assert len(lean.history.time) < 0.1 * len(passive_run.history.time)
    assert lean.metrics == passive_run.metrics
    assert lean.audit == passive_run.audit
    assert [(e.name, e.time) for e in lean.events] == [(e.name, e.time) for e in passive_run.events]


def test_a_probe_beside_the_drogue_has_not_entered():
    result = simulate("assist-soft-docking", {"approach.offset": ["300 mm", "0 mm"]})
    assert result.history["waist.z in drogue"][-1] > 0.0657
    assert result.outcome == "missed"
    assert event_names(result) == []
