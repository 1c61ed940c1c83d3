"""The reference pages describe every key, every joint type and every channel, and their examples are valid."""

import sys
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML

from softdock.assembly.channels.registry import GROUPS
from softdock.quantities.model import field_docstrings
from softdock.scenario.kinds import KINDS
from softdock.scenario.loading import from_data, load
from softdock.simulation import simulate
from softdock.tree.joints import Joint

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
import reference  # noqa: E402
from joint_drawings import DRAWINGS  # noqa: E402

MODELS = list(reference.described_models().values())


@pytest.mark.parametrize("one", MODELS, ids=lambda one: one.anchor)
def test_every_field_has_a_docstring(one: reference.Described) -> None:
    described = field_docstrings(one.model)
    assert not [name for name in one.model.model_fields if not described.get(name, "").endswith((".", "..."))]


@pytest.mark.parametrize("page", reference.page_roots())
def test_every_key_is_on_its_page_with_its_type(page: str) -> None:
    text = reference.keys_text(page)
    assert "<class" not in text
    assert "typing." not in text
    for one in (one for one in MODELS if one.page == page):
        section = text.split(f"({one.anchor})=")[1].split("\n(")[0]
        for name in one.model.model_fields:
            assert f"\n| `{name}` | " in section
    assert f"```{{keys}} {page}" in (DOCS / "reference" / f"{page}.md").read_text(encoding="utf-8")


def test_every_kind_of_scenario_has_a_page() -> None:
    assert set(KINDS) <= set(reference.page_roots())


@pytest.mark.parametrize("one", MODELS, ids=lambda one: one.anchor)
def test_the_example_is_valid_and_a_whole_scenario_runs(one: reference.Described) -> None:
    assert one.anchor in reference.examples(), f"Add an example to {reference.EXAMPLES.name}."
    data = YAML(typ="safe").load(reference.examples()[one.anchor])
    if one.model in (kind.model for kind in KINDS.values()):
        assert simulate(from_data(data)).completed
    else:
        model: Any = one.model
        assert isinstance(model.model_validate(data), BaseModel)


def test_examples_stand_below_the_keys_that_lead_to_them() -> None:
    for one in MODELS:
        wrapped = reference.example_text(one)
        data = YAML(typ="safe").load(StringIO(wrapped))
        for k, key in enumerate(one.path):
            data = (
                data[0]
                if key == "-"
                else data[reference.NAMES.get(one.path[k - 1], "name") if key == "*" else key]
            )
        assert data == YAML(typ="safe").load(reference.examples()[one.anchor])


def test_every_joint_type_has_a_drawing() -> None:
    assert set(DRAWINGS) == {one.model_fields["type"].default for one in get_args(get_args(Joint)[0])}


def test_every_channel_has_a_unit_and_a_meaning() -> None:
    for group in GROUPS:
        for name, field in group.fields.items():
            assert field.unit, (group.title, name)
            assert field.meaning.endswith("."), (group.title, name)


def test_every_recorded_channel_is_in_the_reference_with_its_unit() -> None:
    listed: dict[str, set[str]] = {}
    for group in GROUPS:
        for name, field in group.fields.items():
            listed.setdefault(name, set()).update(field.unit.split(" or "))
    for name in ("assist-soft-docking", "pins-4"):
        for channel, recorded in simulate(load(name), with_prediction=False).history.channels.items():
            name_of_field = channel.split(".")[-1].split(" in ")[0]
            assert channel == "time" or recorded.unit in listed[name_of_field], channel
