"""Edits of scenario texts: a value from the form changes only its own place; the studio limits runs."""

import math
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from softdock.errors import InputError
from softdock.quantities.units import parse_quantity
from softdock.scenario.loading import bundled, bundled_text, load, parse_with_base, read_scenario_text
from softdock.scenario.source import parse
from softdock.studio import tasks
from softdock.studio.folder import Folder
from softdock.studio.form import build_form
from softdock.studio.limits import check, check_data
from softdock.studio.scenario_edits import differences, parse_document
from softdock.studio.scenario_files import format_changes


def set_value(text: str, path: str, value: str) -> str:
    return parse_document(text).with_value(path, value)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts that a YAML parser reads during the test."""
    texts: list[str] = []
    for name in ("parse", "load", "compose", "scan"):
        original = getattr(YAML, name)

        def count(yaml: YAML, text: str, original: Any = original) -> Any:
            texts.append(text)
            return original(yaml, text)

        monkeypatch.setattr(YAML, name, count)
    return texts


@pytest.mark.parametrize("name", ["assist-soft-docking", "below.yaml"])
def test_an_edit_parses_one_text_once(parsed: list[str], tmp_path: Path, name: str) -> None:
    folder = Folder(tmp_path)
    (tmp_path / "above.yaml").write_text("softdock: 1\nbase: assist-soft-docking\ntitle: Above\n")
    (tmp_path / "below.yaml").write_text("softdock: 1\nbase: above.yaml\ntitle: Below\n")
    text = tasks.read_text(folder, print, name=name)["text"]
    tasks.check_text(folder, print, text=text, name=name)
    for mass in ("101 kg", "102 kg"):
        parsed.clear()
        answer = tasks.change_value(
            folder, print, text=text, name=name, path="bodies.servicer.mass", value=mass
        )
        text = answer["text"]
        assert parsed == [text]
        assert not answer["problems"]
    parsed.clear()
    tasks.check_text(folder, print, text=f"{text}# more\n", name=name)
    assert parsed == [f"{text}# more\n"]


@pytest.mark.parametrize("name", [one.name for one in bundled()])
def test_an_edit_changes_no_other_line_of_a_bundled_scenario(name: str) -> None:
    text, folder = bundled_text(name)
    title = next(line for line in text.splitlines() if line.startswith("title: "))
    document = parse_document(text, directory=folder)
    assert document.source == parse(text, directory=folder)
    for value in ("Changed", "Changed again"):
        assert document.with_value("title", value) == text.replace(title, f"title: {value}")


def test_one_value_is_changed_and_comments_stay() -> None:
    text = "softdock: 1\nkind: chain\n# why\nspeed: 0.05 m/s  # fast\nchaser: {masses: [1 kg, 2 kg]}\n"
    new = set_value(set_value(text, "speed", "0.07 m/s"), "chaser.masses.1", "3 kg")
    assert new == text.replace("0.05 m/s", "0.07 m/s").replace("2 kg", "3 kg")


def test_a_value_shared_through_an_alias_changes_only_at_the_edited_path() -> None:
    text, folder = bundled_text("assist-soft-docking")
    new = set_value(text, "contacts.pantograph-drogue.layer.stiffness", "2e10 N/m^3")
    before, after = (parse_with_base(one, "x", folder).data for one in (text, new))
    assert differences(before, after) == [
        ("contacts.pantograph-drogue.layer.stiffness", "1.5e10 N/m^3", "2e10 N/m^3")
    ]


def test_missing_keys_are_added_and_empty_values_remove_them() -> None:
    text = "softdock: 1\nbase: impact-a\n"
    more = set_value(text, "target.velocity", "0.01 m/s")
    assert read_scenario_text(more).target.velocity == 0.01  # type: ignore[attr-defined]
    assert set_value(more, "target.velocity", "").replace(" {}", "") == f"{text}target:\n"


def test_text_with_yaml_tags_is_refused() -> None:
    with pytest.raises(InputError, match="tag"):
        set_value("softdock: 1\nx: !!python/object:os.system {}\n", "x", "1")


ALIASES = "a: &m {b: 1, c: &n [2, 3]}\nd: *m\ne: *m\nf: *n\nh: &o {i: &p [1], j: *p}\nk: *o\n"


@pytest.mark.parametrize(
    ("path", "value", "changed"),
    [
        ("a.b", "7", {"a": {"b": 7, "c": [2, 3]}}),
        ("a.c.0", "7", {"a": {"b": 1, "c": [7, 3]}}),
        ("d.b", "7", {"d": {"b": 7, "c": [2, 3]}}),
        ("d.c.1", "7", {"d": {"b": 1, "c": [2, 7]}}),
        ("e.g", "x: y # z", {"e": {"b": 1, "c": [2, 3], "g": "x: y # z"}}),
        ("a", "", {"a": None}),
        ("a", "[{b: '1'}, 2.5e-7, true, ~]", {"a": [{"b": "1"}, 2.5e-7, True, None]}),
        ("f.1", "", {"f": [2, None]}),
        ("g.h.i", "no", {"g": {"h": {"i": "no"}}}),
        ("h", "1", {"h": 1}),
    ],
)
def test_an_edit_changes_one_of_several_values_that_share_an_anchor(
    path: str, value: str, changed: dict[str, Any]
) -> None:
    before = parse_document(ALIASES).source.data
    after = parse_document(set_value(ALIASES, path, value)).source.data
    assert after == {key: one for key, one in {**before, **changed}.items() if one is not None}


def test_comments_blank_lines_and_empty_values_stay() -> None:
    text = (
        "# head\na: 1  # one\n\nb:\n# of c\nc: {d: '', e: [2, 3]}  # two\nf:\n  - 'x'\n  # of y\n  - \"y\"\n"
        "g: >-\n  p q\n  r\n\n  s\nh: |\n  t  # no comment\n# end\n"
    )
    document = parse_document(text)
    assert document.with_value("a", "5") == text.replace("a: 1", "a: 5")
    assert document.with_value("c.e.1", "5") == text.replace("[2, 3]", "[2, 5]")
    assert document.with_value("f.0", "z") == text.replace("'x'", "z")


def test_a_text_whose_comments_would_be_lost_is_only_edited_as_text() -> None:
    document = parse_document("a: # one\n  b\n\n# two\n")
    assert document.source.data == {"a": "b"}
    with pytest.raises(InputError, match="edit it as text"):
        document.with_value("a", "2")


@pytest.mark.parametrize("path", ["c.2", "c.x", "c.2.x", "b.x", "b.x.y"])
def test_an_edit_of_what_does_not_exist_is_refused(path: str) -> None:
    with pytest.raises(InputError, match=r"no such entry|single value"):
        set_value("b: 1\nc: [2, 3]\n", path, "5")


def test_a_list_of_the_base_is_copied_before_one_of_its_entries_changes() -> None:
    own = "softdock: 1\nbase: x\n"
    whole = {"stages": {"masses": ["1 kg", "2 kg"]}}
    assert parse_document(own).with_value("stages.masses.1", "5 kg", whole) == (
        f"{own}stages:\n  masses: [1 kg, 5 kg]\n"
    )


@pytest.mark.parametrize("name", [one.name for one in bundled()])
def test_a_saved_scenario_consists_of_its_base_and_changes(name: str) -> None:
    text, folder = bundled_text(name)
    data = parse_with_base(text, name, folder).data
    saved = format_changes(name, data, {**data, "title": "Changed"})
    assert saved == f"softdock: 1\nbase: {name}\ntitle: Changed\n"


@pytest.mark.parametrize("name", [one.name for one in bundled()])
def test_every_bundled_scenario_has_a_form_with_all_its_numbers(name: str) -> None:
    text, folder = bundled_text(name)
    data = parse_with_base(text, name, folder).data
    fields = {leaf["path"]: leaf for leaf in leaves(build_form(data))}
    measured = [field for field in fields.values() if field["kind"] == "quantity" and field["unit"]]
    assert {"kg", "m", "s"} <= {field["unit"] for field in measured}
    assert all(field["about"] for field in measured)
    given = [field for field in measured if field["given"] and field["value"]]
    assert given
    for field in given:  # raises ValueError where the unit of the field measures another quantity
        assert math.isfinite(parse_quantity(field["value"], field["unit"])), field["path"]
    for path, value in numbers(data):
        assert path in fields or any(path.startswith(f"{long}.") for long in fields), path
        if path in fields and fields[path]["kind"] == "quantity":
            assert fields[path]["value"] == (value if isinstance(value, str) else f"{value:.12g}")


def leaves(nodes):  # type: ignore[no-untyped-def]
    for node in nodes:
        if "children" in node:
            yield from leaves(node["children"])
        else:
            yield node


def numbers(data, path=""):  # type: ignore[no-untyped-def]
    """Yield path and value of every number of a scenario, except in profiles, layouts and actions of events."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in ("softdock", "profile", "then", "layout"):
                yield from numbers(value, f"{path}.{key}" if path else key)
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from numbers(value, f"{path}.{i}")
    elif isinstance(data, float | int) and not isinstance(data, bool):
        yield path, data


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"stop.time": "2 h", "record.rate": "1 Hz"}, "stop.time"),
        ({"stop.time": "10 s", "record.rate": "90 kHz"}, "record.rate"),
    ],
)
def test_the_studio_limits_duration_and_record_rate(changed: dict[str, str], field: str) -> None:
    check(load("impact-a"))
    with pytest.raises(InputError, match="The studio allows at most") as caught:
        check(load("impact-a", changed))
    assert caught.value.problems[0].field == field


@pytest.mark.parametrize("name", ["peg-rim", "pins-4", "power-tower-x"])
def test_bundled_scenarios_are_within_the_limits_of_the_studio(name: str) -> None:
    check_data(parse_with_base(bundled_text(name)[0], name, bundled_text(name)[1]).data)
    check(load(name))


def test_the_studio_limits_the_duration_of_the_moves_of_a_robot() -> None:
    with pytest.raises(InputError, match="3,600 s of simulated time") as caught:
        check(load("peg-rim", {"moves.0.wait": "2 h", "record.rate": "10 Hz"}))
    assert caught.value.problems[0].field == "moves"


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"modes": 100_000}, "modes"),
        ({"structures": {"boom": {"modes": 3000}}}, "structures.boom.modes"),
        (
            {"structure": {"beams": {"a": {"elements": 9000}, "b": {"elements": 1}}}},
            "structure.beams.a.elements",
        ),
    ],
)
def test_the_studio_limits_structures_before_their_modes_are_computed(
    data: dict[str, object], field: str
) -> None:
    with pytest.raises(InputError, match="The studio allows at most") as caught:
        check_data(data)
    assert caught.value.problems[0].field == field
