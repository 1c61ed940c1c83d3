"""Bad input on the command line: a message with exit code 2, clean output and no folder left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from softdock.errors import MOST_PROBLEMS, InputError
from softdock.scenario.loading import load
from softdock.simulation import simulate

BUMPER = Path(__file__).parents[2] / "src/softdock/scenario/bundled/cad/bumper.step"
CAD = "softdock: 1\nbase: assist-soft-docking\nsurfaces: {bumper-nose: {file: part.step}}\n"


def softdock(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from softdock.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def assert_refused(folder: Path, file: str, words: str) -> None:
    done = softdock(folder, "run", file, "--out", "made/here", "--json")
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (folder / "made").exists()


def test_a_step_file_that_crashes_its_library_is_refused(tmp_path: Path) -> None:
    lines = BUMPER.read_text().splitlines(keepends=True)
    (tmp_path / "part.step").write_text("".join([*lines[:60], *lines[61:]]))
    (tmp_path / "case.yaml").write_text(CAD)
    assert_refused(tmp_path, "case.yaml", "part.step")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX only")
def test_a_pipe_as_cad_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "part.step")
    (tmp_path / "case.yaml").write_text(CAD)
    assert_refused(tmp_path, "case.yaml", "named pipe")


def test_characters_that_utf_8_cannot_encode_are_refused(tmp_path: Path) -> None:
    (tmp_path / "half.json").write_text(r'{"softdock": 1, "base": "impact-a", "title": "\ud83d"}')
    assert_refused(tmp_path, "half.json", "half.json:1: ")
    (tmp_path / "null.yaml").write_text('softdock: 1\nbase: "a\\0b"\n')
    assert_refused(tmp_path, "null.yaml", "null.yaml:2: ")
    (tmp_path / "emoji.json").write_text(r'{"softdock": 1, "base": "impact-a", "title": "\ud83d\ude00"}')
    done = softdock(tmp_path, "run", "emoji.json", "--out", "made", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"]
    assert "\N{GRINNING FACE}" in (tmp_path / "made/result.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("bodies.servicr.mass", "There is no body 'servicr'. Did you mean 'servicer'?"),
        ("springs.unheard.stiffness", "There is no spring 'unheard'. There are "),
        ("bodies.boom={mass: 1 lbf}", "It is new; there are "),
    ],
)
def test_a_misspelt_entry_of_an_override_has_a_hint(path: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        load("assist-soft-docking", [path if "=" in path else f"{path}=5"])
    assert hint in str(caught.value.problems[0])


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_a_long_run_at_once(tmp_path: Path) -> None:
    """The run would take hours in one call of a kernel; its empty folder is removed."""
    settings = ["duration=1e7 s", "record.rate=0.001 Hz", "integrator.max_steps=1000000000"]
    command = [sys.executable, "-c", "from softdock.cli import main; main()", "run", "assist-soft-docking"]
    command += [word for setting in settings for word in ("--set", setting)]
    process = subprocess.Popen(
        [*command, "--out", "made/here"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored below a background shell
    )
    for _ in range(600):  # until the run begins
        if (tmp_path / "made").exists() or process.poll() is not None:
            break
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    output, messages = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, ""), messages
    assert messages.strip() == "Interrupted."
    assert not (tmp_path / "made").exists()


def test_a_campaign_is_not_written_into_the_folder_of_a_run(tmp_path: Path) -> None:
    simulate("impact-a").save(tmp_path)
    done = softdock(tmp_path, "campaign", "run", "impact-masses", "--runs", "2", "--out", str(tmp_path))
    assert done.returncode == 2
    assert "There is the result of a run here." in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"result.json", "history.parquet"}


def test_a_missing_folder_of_the_studio_is_refused(tmp_path: Path) -> None:
    done = softdock(tmp_path, "studio", "--folder", "typo", "--no-browser", "--port", "0")
    assert done.returncode == 2
    assert "There is no such folder." in done.stderr
    assert not (tmp_path / "typo").exists()


def test_of_thousands_of_problems_the_first_are_listed(tmp_path: Path) -> None:
    """A file of another program has other keys; the parser lets 20,000 values pass."""
    keys = "".join(f"key{i}: {i}\n" for i in range(2_000))
    (tmp_path / "other.yaml").write_text(f"softdock: 1\nkind: multibody\n{keys}")
    done = softdock(tmp_path, "validate", "other.yaml")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == MOST_PROBLEMS + 1
    assert lines[0].endswith("The key 'bodies' is missing at the top level of the scenario.")
    assert lines[-1] == f"Error: There are {2_002 - MOST_PROBLEMS:,} more problems."
    assert len(done.stderr) < 500 * len(lines)


def test_of_many_warnings_the_first_are_listed(tmp_path: Path) -> None:
    springs = "".join(f"  s{i}: {{joint: b, stiffness: 1, active: false}}\n" for i in range(200))
    (tmp_path / "idle.yaml").write_text(
        "softdock: 1\nkind: multibody\nduration: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
        f"  b: {{parent: a, mass: 1, inertia: [1, 1, 1], joint: {{type: prismatic}}}}\nsprings:\n{springs}"
    )
    done = softdock(tmp_path, "validate", "idle.yaml")
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == MOST_PROBLEMS + 1
    assert lines[-1] == f"Warning: There are {200 - MOST_PROBLEMS} more warnings."


def test_an_error_lists_the_first_problems_and_counts_the_others() -> None:
    for count in (MOST_PROBLEMS, MOST_PROBLEMS + 1):
        assert len(InputError(*map(str, range(count))).problems) == count
    error = InputError(*map(str, range(3 * MOST_PROBLEMS)))
    assert str(error).endswith(f"\n{MOST_PROBLEMS - 1}\nThere are {2 * MOST_PROBLEMS} more problems.")
    assert InputError(*error.problems).problems == error.problems  # wrapped again
