"""Bundled approaches: outcome, limits of contact conditions, propellant, and strategies after contact."""

import functools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.gnc.chasers import chaser, controller
from typer.testing import CliRunner

import softdock
from softdock import Campaign
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions, run
from softdock.campaign.table import read_table
from softdock.cli import app
from softdock.model.contact_conditions import CONDITION_METRICS, CONDITION_UNITS
from softdock.report.figures import gnc as figures
from softdock.scenario.loading import from_data
from softdock.simulation import simulate


@functools.cache
def simulate_bundled(name: str, *changes: str) -> softdock.Result:
    return softdock.simulate(softdock.load(name, changes))


def event_names(result: softdock.Result) -> list[str]:
    return [event.name for event in result.events]


def test_bundled_approach_ends_with_capture() -> None:
    result = simulate_bundled("assist-approach")
    assert result.outcome == "captured"
    assert result.valid == "yes"
    assert 250.0 < result.metrics["t_first_contact"] < 300.0  # type: ignore[operator]
    verdicts = {found.id: found.verdict for found in result.requirements}
    assert {verdicts[key] for key in ("R-1", "R-5", "R-6", "R-7", "R-8")} == {"met"}
    assert result.audit.energy_residual < 1e-5
    mode, t = result.history["servicer.mode"], result.history.time
    drifting = t > result.metrics["t_first_contact"] + 0.5  # type: ignore[operator]
    assert (mode[drifting] == 0.0).all()
    assert (result.history["servicer.thrust"][drifting] == 0.0).all()


def test_conditions_are_those_of_the_motion_at_the_first_contact() -> None:
    """Offset and tilt equal the channels at the instant of the first contact."""
    result = simulate_bundled(
        "assist-approach", "record.also=['nose.x in drogue', 'nose.y in drogue', 'nose.tilt in drogue']"
    )
    found = result.contact_conditions
    assert found is not None
    assert list(found) == list(CONDITION_UNITS)
    t = result.history.time
    row = int(np.argmin(np.abs(t - result.metrics["t_first_contact"])))  # type: ignore[operator]
    offset = math.hypot(result.history["nose.x in drogue"][row], result.history["nose.y in drogue"][row])
    assert found["offset"] == pytest.approx(offset, abs=1e-6)
    assert found["tilt"] == pytest.approx(result.history["nose.tilt in drogue"][row], abs=1e-5)
    assert {result.metrics[name] for name in CONDITION_METRICS} == set(found.values())
    assert result.units["contact_offset"] == "m"


def test_thrust_after_contact_lasts_until_the_fingers_are_open() -> None:
    drift, thrust = simulate_bundled("assist-approach"), simulate_bundled("assist-approach-thrust")
    assert thrust.outcome == "captured"
    assert thrust.metrics["t_first_contact"] == drift.metrics["t_first_contact"]
    assert thrust.metrics["propellant"] > drift.metrics["propellant"]  # type: ignore[operator]
    opened = next(event.time for event in thrust.events if event.name == "opened")
    pushing = thrust.history.time[thrust.history["servicer.mode"] == 4.0]
    assert pushing.size
    assert opened - 2.0 < pushing.max() <= opened + 0.5


def test_the_visitor_docks_with_the_flexible_station_and_the_stack_is_stabilised() -> None:
    result = simulate_bundled("station-approach")
    assert result.outcome == "stabilised"
    assert event_names(result)[:5] == ["touch", "captured", "pulled", "guided", "docked"]
    verdicts = {found.id: found.verdict for found in result.requirements}
    assert set(verdicts.values()) == {"met"}  # among them the box of the international standard
    assert result.metrics["keel_top_max"] > 1e-3  # type: ignore[operator]
    assert result.metrics["propellant_station"] > 0.0  # type: ignore[operator]
    assert result.metrics["stack_rate_final"] < 0.1 * result.metrics["pitch_rate_after"]  # type: ignore[operator]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_stack_is_stabilised_with_other_noise_of_the_sensors(seed: int) -> None:
    assert simulate(softdock.load("station-approach", [f"gnc.visitor.seed={seed}"])).outcome == "stabilised"


@pytest.mark.parametrize(
    "change", ["translation.bandwidth=9 rad/s", "target.body=drog", "thrusters.plus-x-1.direction=[0, 0, 0]"]
)
def test_a_wrong_controller_causes_no_message_about_its_metrics(change: str) -> None:
    with pytest.raises(softdock.InputError) as refused:
        softdock.load("assist-approach", [f"gnc.servicer.{change}"])
    assert [problem.field for problem in refused.value.problems] == [f"gnc.servicer.{change.split('=')[0]}"]


def test_the_command_prints_contact_conditions() -> None:
    for changes, touches in (((), True), (("--set", "duration=1 s"), False)):
        done = CliRunner().invoke(app, ["run", "assist-soft-docking", "--json", *changes])
        printed = json.loads(done.stdout)
        if touches:
            assert list(printed["contact_conditions"]) == list(CONDITION_UNITS)
            assert printed["metrics"]["contact_offset"] == printed["contact_conditions"]["offset"]
        else:
            assert printed["contact_conditions"] is None
            assert printed["metrics"]["contact_offset"] is None


def test_a_campaign_of_approaches_has_contact_conditions_as_columns(tmp_path: Path) -> None:
    plan = read_campaign("assist-approach", runs=3)
    assert read_campaign("assist-approach").runs == 500
    run(plan, tmp_path / "three", ExecutionOptions(workers=1))
    table = read_table(tmp_path / "three")
    assert set(CONDITION_METRICS) <= set(table.metrics)
    assert np.isfinite(table.metrics["contact_offset"]).all()
    assert table.unit("contact_tilt_rate") == "rad/s"
    assert len(set(table.metrics["contact_offset"])) == 3
    figure = figures.contact_conditions(table)
    assert len(figure.axes) == 8
    figures.write_conditions(table, tmp_path / "conditions.csv")
    assert (tmp_path / "conditions.csv").read_text().count("\n") == 1 + len(CONDITION_UNITS)


def test_strategies_after_contact_differ_in_their_actions() -> None:
    plans = {
        label: figures.approach_plan(2, *what, figures.SPEEDS)
        for label, what in figures.AFTER_CONTACT.items()
    }
    actions = {
        label: plan.template.data["events"]["first-contact"]["then"][0] for label, plan in plans.items()
    }
    assert actions["free drift"]["mode"] == "drift"
    assert actions["thrust until captured"]["mode"] == "thrust"
    assert actions["control goes on"]["arm"] == "away"


GLIDE = {
    "time_constant": 30.0,
    "min_speed": 0.05,
    "max_speed": 0.2,
    "corridor": {"radius": 0.1},
    "retreat": 12.0,
}


def test_empty_tank_and_violated_corridor_are_outcomes() -> None:
    empty = simulate(chaser(controller(mode="thrust", thrust=20.0, propellant=0.01)))
    assert empty.outcome == "out_of_propellant"
    assert "0.01 kg" in empty.message
    assert empty.warnings == (empty.message,)
    assert empty.valid == "yes"
    assert empty.history["chaser.propellant_left"][-1] < 1e-12
    gnc = controller(mode="approach", guidance=GLIDE)
    outside = simulate(chaser(gnc, {"position": (0.3, 0.0, -10.0)}))
    assert outside.outcome == "aborted"
    assert outside.history["chaser.corridor"][1:].min() == pytest.approx(0.1 - 0.3, abs=0.01)
    inside = simulate(chaser(gnc, {"position": (0.05, 0.0, -10.0)}))
    assert inside.outcome == "completed"
    assert inside.history["chaser.corridor"][1:].min() > 0.0


def test_outcome_of_a_campaign_run_depends_on_its_own_propellant() -> None:
    scenario = chaser(controller(mode="thrust", thrust=20.0, propellant=4.0))
    campaign = Campaign(
        scenario=scenario,
        runs=3,
        dispersions={"gnc.chaser.propellant": {"uniform": ["5 g", "10 g"]}},
    ).run(progress=False)
    assert set(campaign.table()["outcome"]) == {"out_of_propellant"}


def test_controllers_with_the_same_seed_have_different_noise() -> None:
    sensor = {"rate": 10.0, "noise": 0.01, "angle_noise": 0.01}
    one = controller(navigation={"sensor": sensor}, seed=5)
    data = chaser(one, duration=2.0).to_data()
    data["bodies"]["other"] = data["bodies"]["chaser"]
    data["gnc"]["other"] = data["gnc"]["chaser"]
    result = simulate(from_data(data))
    own, other = (result.history[f"{name}.estimate_x"][1:] for name in ("chaser", "other"))
    assert np.corrcoef(own, other)[0, 1] < 0.9


def test_empty_tank_takes_precedence_over_a_missed_gate() -> None:
    drifted = simulate_bundled("assist-approach", "gnc.servicer.propellant=50 g")
    assert event_names(drifted)[0] == "empty"
    assert drifted.history["servicer.violations"][-1] > 0  # violation of a gate that it cannot pass
    assert drifted.outcome == "out_of_propellant"
    left = simulate_bundled(
        "assist-approach", "gnc.servicer.guidance.corridor={radius: 0.05 m}", "duration=20 s"
    )
    assert left.outcome == "aborted"


@pytest.mark.parametrize("field", ["propellant_left", "corridor"])
def test_channels_of_missing_parts_of_a_controller_are_refused(field: str) -> None:
    with pytest.raises(ValueError, match="give `"):
        chaser(controller(), events={"e": {"when": f"chaser.{field} < 0"}})
