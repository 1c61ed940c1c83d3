"""`softdock inspect`: lines, JSON, pictures, exit codes."""

import json
import sys
from pathlib import Path

import pytest

from softdock import cli

FILES = Path(__file__).parents[1] / "geometry/files"


@pytest.fixture
def inspect(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SOFTDOCK_CACHE_DIR", str(tmp_path / "cache"))

    def run(file, *options):
        monkeypatch.setattr(sys, "argv", ["softdock", "inspect", str(file), *map(str, options)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return run


def test_a_part_is_described_in_lines_and_a_table(inspect):
    code, out, err = inspect(FILES / "tube_inch.step")
    assert (code, err) == (0, "")
    assert "tube_inch.step: 1 body, unit in" in out
    assert "All faces are exact." in out
    assert "Thinnest wall 20 mm" in out
    assert "The outside is a surface of revolution, exact, axis (0, 0, 1) through (0, 0, 0) mm" in out
    assert "cylinder  exact" in out


def test_json_has_everything_in_si(inspect):
    code, out, _ = inspect(FILES / "box.step", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["usable"] is True
    assert data["bodies"][0]["volume"] == pytest.approx(6e-6)
    assert {face["kind"] for face in data["bodies"][0]["faces"]} == {"plane"}


def test_an_open_shell_is_described_and_not_usable(inspect):
    code, out, _ = inspect(FILES / "open_shell.step")
    assert code == 0
    assert "Problem: It is an open shell" in out
    assert json.loads(inspect(FILES / "open_shell.step", "--json")[1])["usable"] is False


def test_a_body_must_be_selected_for_its_faces(inspect, tmp_path):
    code, out, _ = inspect(FILES / "assembly.step")
    assert code == 0
    assert "1  bracket" in out
    assert "Select a body for its faces: --part NAME" in out
    assert "sphere" in inspect(FILES / "assembly.step", "--part", "half ball")[1]
    assert "sphere" in inspect(FILES / "assembly.step", "--part", "2")[1]
    code, _, err = inspect(FILES / "assembly.step", "--picture", tmp_path / "a.png")
    assert code == 2
    assert "holds 2 bodies" in err


@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_pictures_are_written(inspect, tmp_path, ending):
    path = tmp_path / f"picture.{ending}"
    code, out, _ = inspect(FILES / "slotted_drogue.step", "--picture", path)
    assert code == 0
    assert f"Written to {path}" in out
    assert path.stat().st_size > 20_000
    if ending == "html":
        assert "half angle 34.9915 deg" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("missing.step", (), "does not exist"),
        ("assembly.step", ("--part", "hook"), "no such body"),
        ("box.step", ("--unit", "mm"), "contains its unit"),
        ("box.step", ("--picture", "box.gif"), "must end in"),
        ("../make_files.py", (), "file extension"),
    ],
)
def test_what_cannot_be_inspected_is_refused(inspect, file, options, message):
    code, out, err = inspect(FILES / file, *options)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
