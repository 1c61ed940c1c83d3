"""Values as written, with file, line and source."""

from pathlib import Path

import pytest

from softdock import simulate
from softdock.errors import InputError
from softdock.result import Result
from softdock.scenario.loading import from_data, load, read_scenario_text
from softdock.scenario.provenance import WrittenValue, written_values
from softdock.scenario.source import parse

BASE = """\
softdock: 1
kind: multibody
title: Base
duration: 1 s
bodies:
  probe: {mass: 12 kg, inertia: [1, 2, 3 kg*m^2]}
  rod:
    parent: probe
    joint: {type: revolute}
    mass: 3 lb
    inertia: [0.1, 0.1, 0.1]
sources:
  bodies.probe: {kind: measured, reference: Weighing report 12}
  bodies.rod: assumed
"""
CHANGES = """\
softdock: 1
base: base.yaml
bodies:
  probe: {mass: 13 kg}
sources:
  bodies.rod.mass: {kind: literature, reference: "Table 2"}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "mine.yaml").write_text(CHANGES)
    return tmp_path


def by_path(values: tuple[WrittenValue, ...]) -> dict[str, WrittenValue]:
    return {value.path: value for value in values}


def test_every_written_value_has_its_text_and_line() -> None:
    """The line of the file contains the text of the value."""
    values = written_values(load("assist-soft-docking"))
    source = load("assist-soft-docking").source
    assert source is not None
    lines = (Path(source.directory) / "assist-soft-docking.yaml").read_text(encoding="utf-8").split("\n")
    assert len(values) > 200
    for value in values:
        assert value.file == "assist-soft-docking.yaml"
        assert value.line is not None
        if not value.text.startswith("[") and "tip" not in value.path and "layer" not in value.path:
            first = value.text.split()[0]
            assert (
                any(first in line for line in lines[value.line - 1 : value.line + 3])
                or "*" in lines[value.line - 1]
            )


def test_values_of_base_changes_and_overrides_are_distinguished(files: Path) -> None:
    values = by_path(written_values(load(files / "mine.yaml", ["bodies.rod.inertia=[1, 1, 1]"])))
    assert (values["bodies.probe.mass"].text, values["bodies.probe.mass"].line) == ("13 kg", 4)
    assert values["bodies.probe.mass"].file == str(files / "mine.yaml")
    assert (values["bodies.rod.mass"].text, values["bodies.rod.mass"].line) == ("3 lb", 10)
    assert values["bodies.rod.mass"].file == str(files / "base.yaml")
    assert (values["bodies.rod.inertia"].file, values["bodies.rod.inertia"].line) == ("--set", None)
    assert "title" not in values
    assert not any(path.startswith("sources") for path in values)


def test_the_nearest_source_applies_until_a_later_file_replaces_the_value(files: Path) -> None:
    values = by_path(written_values(load(files / "mine.yaml", ["bodies.rod.inertia=[1, 1, 1]"])))
    assert values["bodies.rod.mass"].kind == "literature"
    assert values["bodies.rod.mass"].reference == "Table 2"
    assert values["bodies.rod.joint.type"].kind == "assumed"
    assert values["bodies.probe.inertia"].kind == "measured"
    assert values["bodies.probe.mass"].kind == ""  # the weighing report is about the mass in the base
    assert values["bodies.rod.inertia"].kind == ""  # given on the command line
    base = by_path(written_values(load(files / "base.yaml")))
    assert base["bodies.probe.mass"].reference == "Weighing report 12"


def test_sources_of_a_base_for_removed_keys_do_not_apply(files: Path) -> None:
    """A file that removes a body of its base need not remove what the base says about its values."""
    (files / "less.yaml").write_text("softdock: 1\nbase: base.yaml\nbodies: {rod: null}\n")
    scenario = load(files / "less.yaml")
    assert "bodies.rod" in load(files / "base.yaml").sources
    assert "bodies.rod" not in scenario.sources
    assert from_data(scenario.to_data()).sources == scenario.sources


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bodies.prob.mass: measured", r"mine.yaml:5: sources.bodies.prob.mass: .* no such key.*bodies.probe.mass"),
        ("bodies..mass: measured", "has no such key"),
        ("nonsense: measured", "has no such key. Given: nonsense. Write the dotted path"),
        ("duration: guessed", r"mine.yaml:5: sources.duration: Must be 'measured', 'computed'"),
        ("duration: {reference: x}", r"mine.yaml:5: sources.duration.*kind"),
        ("duration: {kind: measured, page: 3}", r"sources.duration.*page"),
    ],
)  # fmt: skip
def test_wrong_sources_are_named_with_their_line(line: str, message: str) -> None:
    head = "softdock: 1\nkind: multibody\nduration: 1 s\n"
    text = f"{head}sources:\n  {line}\nbodies: {{probe: {{mass: 1, inertia: [1, 1, 1]}}}}\n"
    with pytest.raises(InputError, match=message):
        read_scenario_text(text, "mine")


def test_a_source_may_name_a_default_or_an_entry_of_a_list() -> None:
    text = "softdock: 1\nbase: impact-a\nsources: {chaser.masses.0: measured, target.velocity: assumed}\n"
    assert set(read_scenario_text(text, "mine").sources) == {"chaser.masses.0", "target.velocity"}


def test_scenarios_built_from_data_have_no_written_values() -> None:
    assert written_values(from_data(load("impact-a").to_data())) == ()


def test_sources_units_author_and_revision_do_not_change_a_run() -> None:
    notes = "author: A\nrevision: '2'\nunits: imperial\nsources: {speed: assumed}\n"
    one = simulate("impact-a")
    two = simulate(read_scenario_text(f"softdock: 1\nbase: impact-a\n{notes}", "mine"))
    assert dict(one.metrics) == dict(two.metrics)


def test_a_saved_result_keeps_written_values(files: Path) -> None:
    result = simulate(load(files / "mine.yaml"))
    result.save(files / "out")
    assert Result.load(files / "out").inputs == result.inputs != ()


def test_lines_of_aliases_are_those_of_their_keys() -> None:
    source = parse("a: &one [1 m, 2 m]\nb: *one\n", file="x")
    assert source.where(("b",)).line == 2
