"""One prepared run: `softdock run FILE --out DIR --report FILE` does everything once."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from softdock import load, simulate
from softdock.assembly import assembler
from softdock.cli import app
from softdock.dynamics.session import Session
from softdock.model import surfaces
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import chain, prepare, station

SCENARIO = """
softdock: 1
base: {}
duration: 3 s
"""


@pytest.fixture
def calls(monkeypatch):
    """Count validations of the model, assemblies, and steps of simulation that advance time."""
    counted = Counter()

    def count(owner, name, key):
        original = getattr(owner, name)

        def counting(*args, **kwargs):
            counted[key] += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, counting)

    count(MultibodyScenario, "_check_all", "validations")
    count(assembler, "write_numbers", "assemblies")
    count(Session, "advance", "simulations")
    count(chain, "run_chain", "chain runs")
    count(station, "as_multibody", "aimed visitors")
    count(surfaces, "read_meridian", "surface files")
    return counted


def run(file, tmp_path):
    arguments = ["run", str(file), "--out", str(tmp_path / "out"), "--report", str(tmp_path / "report.html")]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output


# Without and with phases; with controllers, whose validation needs the assembled system.
@pytest.mark.parametrize("base", ["assist-soft-docking", "assist-hard-docking", "assist-approach"])
def test_a_run_with_files_and_report_does_each_step_once(base, tmp_path, calls):
    file = tmp_path / "own.yaml"
    file.write_text(SCENARIO.format(base))
    run(file, tmp_path)
    del calls["surface files"]  # read by an earlier test or by this one
    assert calls == {"validations": 1, "assemblies": 1, "simulations": 1}


def test_a_surface_file_is_read_once_also_by_a_relative_path(tmp_path, calls, monkeypatch):
    scenario = load("assist-soft-docking", ["duration=1 s"])
    shutil.copytree(scenario.directory / "cad", tmp_path / "cad")
    (tmp_path / "own.yaml").write_text(json.dumps({"softdock": 1, **scenario.to_data()}))
    monkeypatch.chdir(tmp_path)
    calls.clear()
    run("own.yaml", tmp_path)
    assert calls["surface files"] == 3


def test_a_chain_runs_once(tmp_path, calls):
    run("latch-paper", tmp_path)
    assert calls == {"chain runs": 1}


def test_a_station_is_prepared_once(tmp_path, calls):
    """Storage, report and a second run use the system of the first; aiming the visitor simulates both craft alone."""
    file = tmp_path / "own.yaml"
    file.write_text("softdock: 1\nbase: power-tower-x\nmodes: 10\nbefore: 2 s\nafter: 2 s\n")
    run(file, tmp_path)
    assert calls["aimed visitors"] == 1
    assert (
        calls["validations"] == 3
    )  # of the file, to find the motion of the port, with the visitor aimed at it
    prepared = prepare(str(file))
    first, second = prepared.simulate(), prepared.simulate()
    assert calls["aimed visitors"] == 2
    assert first == second


def test_a_robot_is_prepared_once(tmp_path, calls):
    run(Path(__file__).parents[2] / "docs/cookbook/arm-held-tool.yaml", tmp_path)
    assert calls["validations"] == 2  # without and with the metrics of its requirements
    assert calls["assemblies"] == 2  # of the arm alone, and with the duration of the plan


def test_a_prediction_alone_simulates_until_the_first_contact(calls):
    prepared = prepare("assist-soft-docking")
    alone = prepared.predict()
    assert calls["simulations"] == 1
    with_run = simulate(load("assist-soft-docking")).prediction
    assert calls["simulations"] == 2
    assert alone == with_run


def test_a_prediction_does_not_change_the_run():
    scenario = load("assist-soft-docking", ["duration=4 s"])
    with_prediction, without = simulate(scenario), simulate(scenario, with_prediction=False)
    assert without.prediction is None
    assert with_prediction.metrics == without.metrics
    assert with_prediction.events == without.events
