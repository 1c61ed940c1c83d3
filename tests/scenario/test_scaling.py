"""Similarity scaling: factors follow from units, and scaled runs equal the full ones in dimensionless form."""

import json
import subprocess
import sys

import pytest
from ruamel.yaml import YAML

from softdock import load, simulate
from softdock.errors import InputError
from softdock.scenario.scaling import Scales, numbers, scaled_data, scaled_text, scaled_text_of

SCALES = Scales.of(1 / 256, 0.25, speed=0.5)


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "softdock", *arguments], capture_output=True, text=True, check=False
    )


def test_factors_are_products_of_powers():
    assert SCALES.time == 0.5
    assert SCALES.factor("N/m") == pytest.approx((1 / 256) / 0.5**2)
    assert SCALES.factor("N/m^3") == pytest.approx(SCALES.factor("N/m") / 0.25**2)
    assert SCALES.factor("N*m/rad") == pytest.approx(SCALES.factor("N*m"))
    assert SCALES.factor("Hz") == 2.0
    assert SCALES.factor("deg") == 1.0


def test_stiffness_determines_the_time():
    scales = Scales.of(0.01, 0.5, stiffness=0.04)
    assert scales.factor("N/m") == pytest.approx(0.04)
    assert scales.time == pytest.approx(0.5)


def test_two_of_speed_time_and_stiffness_are_refused():
    with pytest.raises(InputError, match="only one"):
        Scales.of(0.01, 0.5, speed=1.0, stiffness=1.0)
    with pytest.raises(InputError, match="factor"):
        Scales.of(-1.0, 0.5)


def test_quantities_in_expressions_are_scaled():
    text = "waist.z in drogue > 60 mm and norm(a.x, a.y) < 8 mm for 2 s or angle.joint > 5 deg"
    found = scaled_text(text, SCALES)
    assert found == "waist.z in drogue > 15 mm and norm(a.x, a.y) < 2 mm for 1 s or angle.joint > 5 deg"


@pytest.mark.parametrize("name", ["assist-passive", "assist-planar"])
def test_a_scaled_run_equals_the_full_one_in_dimensionless_form(name):
    """Surfaces of files become profiles without the solid behind them, which no contact here reaches."""
    scenario = load(name)
    full = simulate(scenario, with_prediction=False)
    scaled = simulate(scaled_data(scenario, SCALES), with_prediction=False)
    assert scaled.outcome == full.outcome
    assert [event.name for event in scaled.events] == [event.name for event in full.events]
    for before, after in zip(full.events, scaled.events):
        assert after.time == pytest.approx(before.time * SCALES.time, rel=1e-4)
    for metric, unit in {
        "peak_contact_force": "N",
        "bumper_stroke_max": "m",
        "gimbal_angle_max": "rad",
    }.items():
        assert scaled.metrics[metric] == pytest.approx(full.metrics[metric] * SCALES.factor(unit), rel=1e-3)


def test_the_table_gets_friction_and_tilt():
    text = scaled_text_of(load("assist-planar"), SCALES, "assist-planar", friction=3e-5, tilt=1e-3)
    data = YAML(typ="safe").load(text)
    weight = 3004.0 / 256 * 9.80665  # client, and what it carries: 3000 kg
    assert data["springs"]["client-table-bearing-x"]["friction"] == pytest.approx(3e-5 * weight, rel=2e-3)
    assert data["gravity"][0] == pytest.approx(9.80665e-3, rel=1e-3)
    with pytest.raises(InputError, match="planar"):
        scaled_text_of(load("assist-passive"), SCALES, "assist-passive", friction=3e-5)


def test_what_is_not_kept_is_listed():
    found = numbers(load("assist-planar"), SCALES, friction=3e-5, tilt=3.5e-5)
    assert [number.name for number in found if not number.kept] == [
        "gravity along the table",
        "friction of the air bearings",
    ]


def test_the_command_writes_a_scenario_that_is_valid(tmp_path):
    file = tmp_path / "table.yaml"
    end = command(
        "scale", "assist-planar", "--mass", "0.005", "--length", "0.5", "--out", str(file), "--json"
    )
    assert end.returncode == 0
    assert json.loads(end.stdout)["factors"]["N"] == pytest.approx(0.01)
    assert load(file).bodies["client"].mass == 15.0
    end = command("scale", "power-tower-x", "--mass", "0.005")
    assert end.returncode == 2
    assert "multibody" in end.stderr
