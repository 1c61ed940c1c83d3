"""Scenarios with a base: merging, locations of values, and bases that are refused."""

import pytest
from toy_scenario import VALID

from softdock.errors import InputError
from softdock.scenario.inheritance import merge
from softdock.scenario.loading import check, from_data, load
from softdock.scenario.source import Location, parse


def with_base(base, text):
    return f"softdock: 1\nbase: {base}\n{text}"


def test_a_base_without_changes_is_the_base(write):
    base = write(VALID, "base.yaml")
    again = load(write(with_base("base.yaml", "")))
    assert again == load(base)
    assert again.name == "case"


def test_mappings_are_merged_and_lists_are_replaced(write):
    write(VALID, "base.yaml")
    changed = load(write(with_base("base.yaml", "chaser: {masses: [7]}\n")))
    assert changed.chaser.masses == (7.0,)
    assert changed.chaser.speed == 0.05


def test_merging_is_the_merge_patch_of_rfc_7396():
    """The cases of appendix A of the RFC whose patch is a mapping and removes only existing keys."""
    for base, patch, wanted in (
        ("{a: b}", "{a: c}", {"a": "c"}),
        ("{a: b}", "{b: c}", {"a": "b", "b": "c"}),
        ("{a: b}", "{a: null}", {}),
        ("{a: b, b: c}", "{a: null}", {"b": "c"}),
        ("{a: [b]}", "{a: c}", {"a": "c"}),
        ("{a: c}", "{a: [b]}", {"a": ["b"]}),
        ("{a: {b: c}}", "{a: {b: d}}", {"a": {"b": "d"}}),
        ("{a: [{b: c}]}", "{a: [1]}", {"a": [1]}),
        ("{e: null}", "{a: 1}", {"e": None, "a": 1}),
    ):
        assert merge(parse(base), parse(patch)).data == wanted


def test_every_value_keeps_its_file_and_line():
    base = parse("a: 1\nb:\n  c: 2\n  d: [3, 4]\n", file="base.yaml")
    merged = merge(base, parse("b:\n  d: 5\n", file="case.yaml"))
    assert merged.where(("a",)) == Location("base.yaml", 1, "1")
    assert merged.where(("b", "c")) == Location("base.yaml", 3, "2")
    assert merged.where(("b", "d")) == Location("case.yaml", 2, "5")
    assert ("b", "d", 0) not in merged.locations


def test_problems_name_the_file_in_which_they_are(write):
    base = write(VALID.replace("0.05 m/s", "5 kg"), "base.yaml")
    (problem,) = check(write(with_base("base.yaml", "")))
    assert problem.file == str(base)
    (problem,) = check(write(with_base("base.yaml", "chaser: {speed: 5 N}\n")))
    assert (problem.file, problem.line, problem.given) == (str(base.with_name("case.yaml")), 3, "5 N")


@pytest.mark.parametrize(
    ("base", "text", "message"),
    [
        ("case.yaml", "", "its own base"),
        ("missing.yaml", "", "no such file"),
        ("[1, 2]", "", "name of a bundled scenario"),
        ("impact-z", "", "no such file"),
        ("impact-a", "contcat: null", "here to delete"),
    ],
)
def test_bad_bases_are_refused(write, base, text, message):
    path = write(with_base(base, text))
    (problem,) = check(path)
    assert message in problem.message
    assert (problem.file, problem.line) == (str(path), 3 if text else 2)


def test_a_loop_of_bases_is_refused(write):
    write(with_base("two.yaml", ""), "one.yaml")
    with pytest.raises(InputError, match="its own base"):
        load(write(with_base("one.yaml", ""), "two.yaml"))


def test_overrides_apply_to_a_bundled_base_with_changes(write):
    path = write(with_base("impact-a", "speed: 0.06 m/s\n"))
    assert load(path).speed == 0.06
    assert load(path, {"speed": 0.07}).speed == 0.07
    assert from_data({"base": "impact-a", "speed": 0.06}) == load(path)


def test_files_of_the_base_are_found_from_another_folder(write):
    scenario = load(write(with_base("assist-soft-docking", "title: elsewhere\n")))
    assert scenario.surfaces["cavity"].file.endswith("drogue.step")
