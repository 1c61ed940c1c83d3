"""Loads of a run: peaks in results, metrics, history, summary and campaigns agree exactly."""

import json

import numpy as np
import pytest

from softdock import load, simulate
from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import read_campaign
from softdock.errors import InputError
from softdock.report.summary import summary
from softdock.result import Result
from softdock.scenario.loading import from_data


@pytest.fixture(scope="module")
def retraction() -> Result:
    return simulate(load("probe-retraction"))


def channel_of(result: Result, name: str, kind: str, what: str) -> str:
    own = kind in ("joint", "mount") and f"{name}.joint_{what}" in result.history.channels
    return f"{name}.joint_{what}" if own else f"{name}.{what}"


def assert_rows_at_peaks(result: Result) -> None:
    """The largest recorded value of every load is its peak, at its time."""
    for one in result.loads:
        for what in ("force", "moment"):
            peak, time = getattr(one, f"peak_{what}"), getattr(one, f"t_peak_{what}")
            if peak is None:
                continue
            values = np.abs(result.history[channel_of(result, one.name, one.kind, what)])
            at = int(values.argmax())
            assert values[at] == peak, (one.name, what)
            assert peak == 0.0 or result.history.time[at] == time, (one.name, what)
            assert result.metrics[f"peak_{what}_{one.name.replace('-', '_')}"] == peak


def test_largest_load_is_not_a_contact_and_all_numbers_agree(retraction):
    first = retraction.loads[0]
    contacts = [one.peak_force for one in retraction.loads if one.kind == "contact"]
    assert first.kind != "contact"
    assert first.peak_force > 5.0 * max(contacts)
    assert [one.peak_force for one in retraction.loads if one.peak_force is not None] == sorted(
        (one.peak_force for one in retraction.loads if one.peak_force is not None), reverse=True
    )
    assert_rows_at_peaks(retraction)
    assert retraction.metrics["latch_load"] == retraction.metrics["peak_force_latch"]
    assert retraction.metrics["bolt_moment"] == retraction.metrics["peak_moment_cup_bolts"]
    text = summary(retraction)
    assert f"in {first.kind} {first.name}" in text.split("Largest force")[1].splitlines()[0]
    assert json.dumps(retraction.to_json()["loads"])


def test_stop_carries_the_force_of_the_drive_that_pulls_against_it(retraction):
    """In the end the probe rests between drive and stop: the stop carries the drive's limit and the spring's rest."""
    history = retraction.history
    balance = history["retraction.force"] - history["shock-absorber.force"] + history["axial-stop.force"]
    inertia = history["probe.joint_fz"]
    np.testing.assert_allclose(inertia, balance, atol=1e-9 * np.abs(inertia).max())


def test_massless_cup_transmits_contact_and_latch_to_the_client(retraction):
    """Action and reaction: the mount of a massless body carries the sum of what acts on it."""
    history = retraction.history
    contact = -np.array([history[f"ball-cone.f{axis}"] for axis in "xyz"])  # on the cup, in its axes
    latch = -np.array([history[f"latch.f{axis}"] for axis in "xyz"])
    mount = np.array([history[f"cup.joint_f{axis}"] for axis in "xyz"])
    np.testing.assert_allclose(mount, -(contact + latch), atol=1e-9 * np.abs(mount).max())


def test_metrics_without_history_have_the_same_bits(retraction):
    bare = simulate(load("probe-retraction").without_history())
    assert bare.loads == retraction.loads
    assert bare.metrics == retraction.metrics
    assert len(bare.history.time) == 1


def test_columns_of_a_campaign_are_the_peaks_of_single_runs():
    plan = read_campaign("assist-table2", runs=2, seed=3)
    inputs = next(iter(plan.inputs(0, 1)))
    row, _ = run_one(plan.template, HistoryPolicy("none", ()), 0, inputs)
    metrics = json.loads(row.metrics)
    assert metrics["peak_force_bumper_drogue"] == metrics["peak_contact_force_bumper_drogue"]
    assert metrics["peak_force_pantograph"] > 0.0
    assert metrics["peak_moment_gimbal_spring"] > 0.0


def test_docking_has_a_row_at_every_peak():
    """Also at those of `max` and `min` metrics; the timeline shows 27.875 N, as the metric does."""
    result = simulate(load("assist-soft-docking"))
    assert_rows_at_peaks(result)
    history = result.history
    assert result.metrics["insertion_max"] == history["nose.z in drogue"].max()
    assert result.metrics["gimbal_angle_max"] == history["gimbal-spring.deflection"].max()
    assert result.metrics["peak_contact_force_pantograph_drogue"] == history["pantograph-drogue.force"].max()
    assert (np.diff(history.time) >= 0.0).all()


def slide_on_a_drive(**drive: object) -> Result:
    """A mass on a slide that a drive with little stiffness moves by 20 mm in 1 s, against a stop at 15 mm."""
    return simulate(
        from_data(
            {
                "softdock": 1,
                "kind": "multibody",
                "title": "Slide",
                "duration": 3.0,
                "bodies": {
                    "slide": {"mass": 4.0, "inertia": [1.0, 1.0, 1.0], "joint": {"type": "prismatic"}}
                },
                "stops": {
                    "stop": {
                        "joint": "slide",
                        "lower": -0.1,
                        "upper": 0.015,
                        "stiffness": 4e4,
                        "damping": 400.0,
                    }
                },
                "drives": {
                    "pull": {
                        "joint": "slide",
                        "target": 0.02,
                        "rate": 0.02,
                        "stiffness": 3e3,
                        "damping": 500.0,
                    }
                    | drive
                },
            }
        )
    )


def test_a_peak_before_a_jump_of_a_command_has_a_row_with_the_value_before_it():
    """At the end of the ramp the damping force of the drive, 500 N s/m times 20 mm/s, ends at once."""
    result = slide_on_a_drive()
    pull = next(one for one in result.loads if one.name == "pull")
    assert pull.t_peak_force == 1.0
    after = result.history["pull.force"][result.history.time > 1.0]
    assert after.max() < 0.8 * pull.peak_force
    assert_rows_at_peaks(result)


def test_the_time_of_a_load_that_is_reached_in_both_directions_is_the_first():
    """A drive at its limit accelerates the slide with +2 N and stops it with -2 N, or the other way round."""
    for target in (0.01, -0.01):
        result = slide_on_a_drive(target=target, max_force=2.0, damping=1000.0)
        force, time = result.history["pull.force"], result.history.time
        assert force.max() == 2.0
        assert force.min() == -2.0
        pull = next(one for one in result.loads if one.name == "pull")
        assert pull.t_peak_force == time[np.abs(force).argmax()]


def test_loads_can_be_left_out():
    scenario = load("probe-retraction", {"record.loads": False})
    result = simulate(scenario.without_history())
    assert {one.kind for one in result.loads} == {"contact"}
    assert "peak_force_latch" not in result.metrics
    full = simulate(load("probe-retraction").without_history())
    shared = {name for name in result.metrics if not name.startswith("peak_moment")}
    assert {name: full.metrics[name] for name in shared} == {name: result.metrics[name] for name in shared}


def test_zones_in_metrics_and_events_add_up_to_their_contact():
    """A zone that covers the whole cavity carries the contact; two halves share its force."""
    overrides = {
        "duration": "5 s",
        "metrics.throat": "max pantograph-drogue/throat.force",
        "metrics.whole": "max pantograph-drogue/all.force",
        "surfaces.cavity.zones.all": ["-1 m", "1 m"],
        "events.in-cone": {"when": "bumper-drogue/cone.force > 0 N"},
        "record.also": [
            f"pantograph-drogue/{zone}.fz" for zone in ("all", "cone", "throat", "chamber", "bottom")
        ],
    }
    result = simulate(load("assist-soft-docking", overrides))
    history, parts = result.history, ("cone", "throat", "chamber", "bottom")
    total = sum(history[f"pantograph-drogue/{zone}.fz"] for zone in parts)
    scale = np.abs(history["pantograph-drogue.fz"]).max()
    np.testing.assert_allclose(total, history["pantograph-drogue.fz"], atol=1e-9 * scale)
    np.testing.assert_allclose(history["pantograph-drogue/all.fz"], total, atol=1e-9 * scale)
    assert result.metrics["whole"] == pytest.approx(
        result.metrics["peak_contact_force_pantograph_drogue"], rel=1e-3
    )
    assert 0.0 <= result.metrics["throat"] <= result.metrics["whole"] * (1 + 1e-9)
    times = {event.name: event.time for event in result.events}
    assert times["first-contact"] < times["in-cone"] < times["entered"]  # it touches the rounded mouth first


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"reactions.cup-bolts.body": "servicer"}, "is free"),
        ({"reactions.cup-bolts.body": "nobody"}, "no body called 'nobody'"),
        ({"metrics.wrong": "max servicer.joint_force"}, "is free"),
        ({"metrics.wrong": "max axial-stop.moment"}, "has no 'moment'"),
        ({"metrics.wrong": "max cup-bolts.fw"}, "has no 'fw'"),
        ({"metrics.wrong": "max ball-cone/7.force"}, "has no zone '7'"),
    ],
)
def test_loads_that_do_not_exist_are_refused(overrides, message):
    with pytest.raises(InputError, match=message):
        load("probe-retraction", overrides)
