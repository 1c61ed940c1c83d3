"""Edits of scenario texts: a value from the form changes only its own place; the studio limits runs."""

import math

import pytest

from softdock.errors import InputError
from softdock.quantities.units import parse_quantity
from softdock.scenario.loading import bundled, bundled_text, load, parse_with_base, read_scenario_text
from softdock.studio.form import build_form
from softdock.studio.limits import check, check_data
from softdock.studio.scenario_edits import differences, set_value
from softdock.studio.scenario_files import format_changes


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
    assert {"kg", "m", "m/s", "s"} <= {field["unit"] for field in measured}
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
