"""One prepared run: `softdock run FILE --out DIR --report FILE` does everything once."""

from collections import Counter

import pytest
from typer.testing import CliRunner

from softdock import load, simulate
from softdock.assembly import assembler
from softdock.cli import app
from softdock.dynamics.session import Session
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import prepare

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
    count(assembler._Assembler, "finish", "assemblies")
    count(assembler, "_update_numbers", "assemblies")
    count(Session, "advance", "simulations")
    return counted


# Without and with phases; with controllers, whose validation needs the assembled system.
@pytest.mark.parametrize("base", ["assist-soft-docking", "assist-hard-docking", "assist-approach"])
def test_a_run_with_files_and_report_does_each_step_once(base, tmp_path, calls):
    file = tmp_path / "own.yaml"
    file.write_text(SCENARIO.format(base))
    arguments = ["run", str(file), "--out", str(tmp_path / "out"), "--report", str(tmp_path / "report.html")]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output
    assert calls == {"validations": 1, "assemblies": 1, "simulations": 1}


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
