"""Scenarios that name files are saved, and used as bases, in other folders."""

import shutil
from pathlib import Path

import pytest
from test_structures import with_file, with_nastran, write_modes_file, write_nastran_files

import softdock
from softdock.robot.bundled import bundled_robots
from softdock.scenario.loading import load
from softdock.scenario.yaml_text import yaml_text


def write_case(folder: Path, kind: str) -> Path:
    """Write a scenario with files beside it."""
    folder.mkdir()
    if kind == "robot":
        shutil.copy(bundled_robots()["lwr4plus"], folder / "own.urdf")
        data = load("peg-flat", {"arm.file": str(folder / "own.urdf")}).to_data()
        data["moves"] = data["moves"][:1]
        text = yaml_text(data)
        text = text.replace(str(folder / "own.urdf"), "own.urdf")
    else:
        (write_modes_file if kind == "modes" else write_nastran_files)(folder)
        text = with_file() if kind == "modes" else with_nastran()
    (folder / "case.yaml").write_text(text, encoding="utf-8")
    return folder / "case.yaml"


def test_a_bundled_scenario_with_cad_files_is_saved_to_a_working_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scenario = softdock.Scenario("assist-soft-docking")
    scenario.save("mine.yaml")
    assert softdock.simulate("mine.yaml").metrics == softdock.simulate(scenario).metrics


@pytest.mark.parametrize("kind", ["modes", "nastran", "robot"])
def test_files_are_found_from_a_saved_scenario_and_from_a_base(tmp_path: Path, kind: str) -> None:
    scenario = load(write_case(tmp_path / "given", kind))
    (tmp_path / "other").mkdir()
    scenario.save(tmp_path / "other" / "copy.yaml")
    (tmp_path / "derived.yaml").write_text("softdock: 1\nbase: given/case.yaml\n", encoding="utf-8")
    metrics = softdock.simulate(scenario).metrics
    assert softdock.simulate(tmp_path / "other" / "copy.yaml").metrics == metrics
    assert softdock.simulate(tmp_path / "derived.yaml").metrics == metrics


def test_files_below_the_folder_of_the_new_file_have_relative_paths(tmp_path: Path) -> None:
    load(write_case(tmp_path / "given", "modes")).save(tmp_path / "copy.yaml")
    assert "file: given/modes.npz" in (tmp_path / "copy.yaml").read_text(encoding="utf-8")
    (tmp_path / "copy.yaml").rename(tmp_path / "given.yaml")
    tmp_path = tmp_path.rename(tmp_path.with_name(f"{tmp_path.name}-moved"))
    load(tmp_path / "given.yaml").save(tmp_path / "given" / "copy.yaml")
    assert "file: modes.npz" in (tmp_path / "given" / "copy.yaml").read_text(encoding="utf-8")


def test_names_of_bundled_robots_are_kept(tmp_path: Path) -> None:
    load("peg-flat").save(tmp_path / "copy.yaml")
    assert load(tmp_path / "copy.yaml") == load("peg-flat")
