"""The command line rejects unusable contact geometry and laws with a message."""

import shutil
import sys
from pathlib import Path

import pytest

from softdock import cli
from softdock.model.surfaces import _read_once

FILES = Path(__file__).parents[1] / "geometry" / "files"
CAD = Path(cli.__file__).parents[1] / "scenario" / "bundled" / "cad"
NOSE = "surfaces: {bumper-nose: {file: %s}}"
INLINE = "surfaces: {bumper-nose: {file: null, profile: %s}}"
LAYER = "contacts: {bumper-drogue: {layer: %s}}"
AT_FILE, AT_PROFILE, AT_LAYER = (
    "surfaces.bumper-nose.file",
    "surfaces.bumper-nose.profile",
    "contacts.bumper-drogue.layer",
)


def softdock(capsys, monkeypatch, folder, command, text):
    """Run a command on a scenario based on the nominal docking; return exit code and stderr."""
    path = folder / "mine.yaml"
    path.write_text(f"softdock: 1\nbase: assist-soft-docking\n{text}\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["softdock", command, str(path)])
    with pytest.raises(SystemExit) as end:
        cli.main()
    out, err = capsys.readouterr()
    return end.value.code, out, err


@pytest.mark.parametrize(
    ("text", "field", "sentence"),
    [
        (NOSE % "open_shell.step", AT_FILE, "open shell, so the side of its material is unknown"),
        (NOSE % "two_bodies.step", AT_FILE, "holds 2 bodies"),
        (NOSE % "two_bodies.step, part: 3", "surfaces.bumper-nose.part", "no such body"),
        (NOSE % "empty.step", AT_FILE, "The file is empty"),
        (NOSE % "text.step", AT_FILE, "not a STEP file"),
        (NOSE % "nowhere.step", AT_FILE, "does not exist"),
        (NOSE % "block.step, shape: revolution", AT_FILE, "departs by"),
        (
            INLINE % "[[0, 0], [0, 10 mm], [20 mm, 2 mm], [20 mm, 10 mm], [0, 2 mm]]",
            AT_PROFILE,
            "crosses itself",
        ),
        (INLINE % "[[0, 5 mm], [10 mm, -5 mm]]", f"{AT_PROFILE}.1.1", "Must be at least 0 m. Given: -5 mm"),
        (
            INLINE % "[[0, 1 mm], {arc_to: [10 mm, 1 mm], radius: 6 mm, turn: left}]",
            AT_PROFILE,
            "must not cross its axis",
        ),
        (
            INLINE % "[[0, 2 mm], {arc_to: [10 mm, 2 mm], through: [5 mm, -1 mm]}]",
            f"{AT_PROFILE}.1.through.1",
            "Must be at least 0 m",
        ),
        (LAYER % "{stiffness: 0 N/m^3}", f"{AT_LAYER}.stiffness", "Must be above 0 N/m^3"),
        (
            LAYER % "{stiffness: null, youngs_modulus: 70 GPa, poisson_ratio: 0.5, thickness: 1 mm}",
            f"{AT_LAYER}.poisson_ratio",
            "below 0.5. Given: 0.5",
        ),
    ],
)
def test_unusable_input_is_rejected_with_a_message(capsys, monkeypatch, tmp_path, text, field, sentence):
    for name in ("open_shell", "two_bodies", "block"):
        shutil.copy(FILES / f"{name}.step", tmp_path)
    (tmp_path / "empty.step").touch()
    (tmp_path / "text.step").write_text("Dear all,\n", encoding="utf-8")
    code, out, err = softdock(capsys, monkeypatch, tmp_path, "validate", text)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith(f"Error: {tmp_path / 'mine.yaml'}:3: {field}")
    assert sentence in err


@pytest.mark.parametrize(
    "text",
    [NOSE % "two_bodies.step, part: 1", NOSE % "tube_inch.step"],
)
def test_unambiguous_files_are_accepted(capsys, monkeypatch, tmp_path, text):
    """The files have one of two bodies, and units in inches."""
    for name in ("two_bodies", "tube_inch"):
        shutil.copy(FILES / f"{name}.step", tmp_path)
    code, _, err = softdock(capsys, monkeypatch, tmp_path, "validate", text)
    assert (code, err) == (0, "")


def test_a_shell_with_a_given_side_is_accepted_with_a_warning_of_its_closure(capsys, monkeypatch, tmp_path):
    shutil.copy(FILES / "open_shell.step", tmp_path)
    text = NOSE % "open_shell.step, side: outside"
    code, _, err = softdock(capsys, monkeypatch, tmp_path, "validate", text)
    assert code == 0
    assert "Is closed behind along (z, r) = (60, 20), " in err
    assert "which its file does not determine" in err
    _, out, _ = softdock(capsys, monkeypatch, tmp_path, "run", text)
    assert "closed behind along (z, r) = (60, 20), " in " ".join(out.split())  # also in the result of a run


def test_an_implausible_size_gives_a_warning_in_every_run(capsys, monkeypatch, tmp_path):
    """The size is in millimetres, read as metres; a cached profile gives the warning again."""
    text = (CAD / "bumper.step").read_text(encoding="utf-8")
    assert text.count("SI_UNIT(.MILLI.,.METRE.)") == 1
    text = text.replace("SI_UNIT(.MILLI.,.METRE.)", "SI_UNIT($,.METRE.)")
    (tmp_path / "large.step").write_text(text, encoding="utf-8")
    for _ in range(2):
        code, _, err = softdock(capsys, monkeypatch, tmp_path, "validate", NOSE % "large.step")
        assert code == 2
        assert "A surface would be divided into 4.6e+07 cells" in err
        assert err.count("Warning: large.step is") == 1
        assert "implausible for a docking mechanism. Check the unit with which it was exported." in err
        _read_once.cache_clear()
