"""Overrides of fields: accepted forms, and messages about bad ones."""

import pytest
from toy_scenario import VALID

from softdock.errors import InputError
from softdock.scenario.loading import load


def refusal(path, *overrides):
    with pytest.raises(InputError) as found:
        load(path, overrides)
    return str(found.value)


@pytest.mark.parametrize(
    ("override", "field", "value"),
    [
        ("chaser.speed=0.07 m/s", "speed", 0.07),
        ("chaser.speed=0.07", "speed", 0.07),
        ("chaser.speed= '70 mm/s' ", "speed", 0.07),
        ("chaser.masses.0=5 g", "masses", (0.005, 2 * 0.45359237)),
        ("chaser.masses=[1, 2 kg]", "masses", (1.0, 2.0)),
        ("chaser.preload=3", "preload", 3.0),
        ("chaser={masses: [7]}", "masses", (7.0,)),
    ],
)
def test_a_field_is_replaced_or_added(write, override, field, value):
    assert getattr(load(write(VALID), [override]).chaser, field) == value


def test_overrides_may_be_a_mapping_with_python_values(write):
    scenario = load(write(VALID), {"chaser.speed": 0.07, "chaser.masses": (1, "2 kg"), "damped": True})
    assert (scenario.chaser.speed, scenario.chaser.masses, scenario.damped) == (0.07, (1.0, 2.0), True)


def test_an_absent_part_is_added_key_by_key(write):
    scenario = load(write(VALID), ["target.masses=[3 kg]", "target.speed=1 ft/s", "spares.x={masses: [1]}"])
    assert scenario.target.masses == (3.0,)
    assert scenario.target.speed == 0.3048
    assert scenario.spares["x"].masses == (1.0,)


def test_a_field_of_an_unknown_entry_is_refused(write):
    """A misspelt name would otherwise add an entry."""
    message = refusal(write(VALID), "spares.x={masses: [1]}", "spares.x.speed=1", "spares.y.masses=[1]")
    assert message.splitlines() == [
        "--set: spares.y.masses: There is no spare 'y'. There are x. A new one is given as a whole: spares.y={...}."
    ]


def test_the_last_of_two_overrides_applies(write):
    assert load(write(VALID), ["count=1", "count=2"]).count == 2


def test_overrides_do_not_change_the_file(write):
    path = write(VALID)
    load(path, ["count=1"])
    assert path.read_text() == VALID
    assert load(path).count == 3


@pytest.mark.parametrize(
    ("override", "message"),
    [
        (
            "chaser.speeed=3",
            "--set: chaser.speeed: The key 'speeed' is not known here. Did you mean 'speed'?",
        ),
        ("chasr.speed=3", "--set: chasr: The key 'chasr' is not known here. Did you mean 'chaser'?"),
        ("chaser.speed=1 kg", "--set: chaser.speed: Is a mass [kg], but a speed is needed"),
        ("chaser.masses.0=-1", "--set: chaser.masses.0: Must be above 0 kg. Given: -1."),
        ("chaser.masses.7=3", "'chaser.masses' has 2 entries"),
        ("chaser.masses.99999999999999999999=3", "'chaser.masses' has 2 entries"),
        ("chaser.masses.x=3", "'chaser.masses' is a list; 'x' is not an index."),
        ("chaser.masses.-1=3", "'-1' is not an index."),
        ("title.x=3", "'title' is a single value"),
        ("chaser.speed=[1", "The value cannot be read"),
        ("chaser.speed=&a [*a]", "The value cannot be read"),
        ("chaser.speed", "is not of the form path=value"),
        ("=3", "is not of the form path=value"),
        ("chaser..speed=3", "joined by dots"),
        ("restitution=.nan", "--set: restitution: Must be a finite number"),
        ("target.speed=3", "--set: target.masses: The key 'masses' is missing in 'target'."),
        ("kind=tyo", "--set: kind: There is no such kind of scenario. Given: tyo. Did you mean 'toy'?"),
        ("softdock=2", "--set: softdock: "),
    ],
)
def test_overrides_are_checked_like_the_file(write, override, message):
    assert message in refusal(write(VALID), override)


def test_problems_of_the_file_name_the_file(write):
    path = write(VALID + "cuont: 3\n")
    text = refusal(path, "restitution=2")
    assert f"{path}:7: cuont" in text
    assert "--set: restitution" in text


def test_an_override_can_replace_a_wrong_value_of_the_file(write):
    path = write(VALID.replace("0.05 m/s", "5 kg"))
    assert load(path, ["chaser.speed=5 m/s"]).chaser.speed == 5.0


@pytest.mark.parametrize("keys", [41, 500, 50_000])
def test_a_path_of_more_keys_than_data_are_deep_is_refused(write, keys):
    message = refusal(write(VALID), ".".join("a" * keys) + "=3")
    assert f"A path has at most 40 keys; this one has {keys:,}." in message
    assert len(message) < 500


def nested(levels, value=1):
    for _ in range(levels):
        value = {"a": value}
    return value


def test_values_that_are_nested_too_deep_are_refused(write):
    circle = {}
    circle["a"] = circle
    for value in (nested(50), nested(500), nested(100_000), circle):
        with pytest.raises(InputError, match="nested deeper than 40 levels"):
            load(write(VALID), {"chaser": value})


def test_whole_numbers_of_thousands_of_digits_are_refused_by_a_message(write):
    with pytest.raises(InputError, match=r"chaser\.speed: .*Given: a whole number of thousands of digits"):
        load(write(VALID), {"chaser.speed": 10**5000})
