"""The JSON schema of scenario files agrees with the loader."""

import json

import jsonschema
import pytest
from toy_scenario import VALID

from softdock.scenario.kinds import KINDS
from softdock.scenario.loading import _bundled_files, _read_bundled, bundled, load
from softdock.scenario.schema import json_schema
from softdock.scenario.source import parse


@pytest.fixture(scope="module")
def validator(_toy_kind):
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_schema_is_json_and_covers_every_kind(validator):
    assert json.loads(json.dumps(validator.schema, allow_nan=False)) == validator.schema
    assert len(validator.schema["oneOf"]) == len(KINDS) + 1  # and files with a base


@pytest.mark.parametrize("name", [scenario.name for scenario in bundled()])
def test_bundled_scenarios_agree_with_the_schema(validator, name):
    validator.validate(_read_bundled(name, _bundled_files()[name]).data)
    validator.validate(load(name).model_dump(mode="json"))


def test_a_valid_scenario_agrees_with_the_schema(validator, write):
    validator.validate(parse(VALID).data)
    validator.validate(load(write(VALID)).model_dump(mode="json"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("masses", "mases"),
        ("speed: 0.05 m/s", "speed: fast"),
        ("title: A toy", "titel: A toy"),
        ("[5 kg, 2 lb]", "[-1]"),
        ("kind: toy", "kind: tyo"),
        ("softdock: 1\n", ""),
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(validator, old, new):
    data = parse(VALID.replace(old, new)).data
    assert not validator.is_valid(data)


def test_fields_are_described_with_their_units(validator):
    speed = validator.schema["$defs"]["Side"]["properties"]["speed"]
    assert speed["description"] == "Speed at first contact. [m/s]"
