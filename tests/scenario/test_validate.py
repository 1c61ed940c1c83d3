"""The commands `validate` and `scenarios`."""

import json

import pytest
from toy_scenario import VALID
from typer.testing import CliRunner

from softdock.cli import app
from softdock.errors import InputError
from softdock.scenario.loading import bundled

runner = CliRunner()


def run(*arguments):
    return runner.invoke(app, [str(argument) for argument in arguments])


def test_a_valid_file_is_reported_as_valid(write):
    result = run("validate", write(VALID))
    assert result.exit_code == 0
    assert "is a valid scenario." in result.output


def test_all_problems_are_raised_at_once(write):
    result = run("validate", write(VALID + "cuont: 3\nrestitution: 2\n"))
    assert isinstance(result.exception, InputError)
    assert [problem.field for problem in result.exception.problems] == ["cuont", "restitution"]


def test_problems_are_printed_as_json(write):
    path = write(VALID + "cuont: 3\n")
    result = run("validate", path, "--json")
    assert result.exit_code == 2
    found = json.loads(result.stdout)
    assert not found["valid"]
    assert found["problems"] == [
        {
            "file": str(path),
            "line": 7,
            "field": "cuont",
            "message": "The key 'cuont' is not known here.",
            "given": "",
            "hint": "Did you mean 'count'?",
        }
    ]
    assert json.loads(run("validate", write(VALID), "--json").stdout)["valid"]


def test_validate_needs_a_file_or_the_option_for_the_schema():
    assert isinstance(run("validate").exception, InputError)


def test_the_schema_is_printed():
    assert json.loads(run("validate", "--schema").stdout)["$schema"].endswith("2020-12/schema")


def test_scenarios_are_listed():
    listed = json.loads(run("scenarios", "--json").stdout)
    assert [row["name"] for row in listed] == [scenario.name for scenario in bundled()]
    assert all(set(row) == {"name", "kind", "title"} for row in listed)
    plain = run("scenarios")
    assert plain.exit_code == 0
    assert all(row["name"] in plain.stdout for row in listed)


@pytest.mark.parametrize("name", [scenario.name for scenario in bundled()])
def test_bundled_scenarios_are_valid(name):
    assert run("validate", name).exit_code == 0
