"""Comparison of two runs: known offsets are found, known differences are reported."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import softdock
from softdock.errors import InputError
from softdock.recording import compare
from softdock.recording.alignment import align
from softdock.result import Audit, Channel, History, Result, Timing


def result(
    time: np.ndarray, units: dict[str, str] | None = None, name: str = "run", **channels: np.ndarray
) -> Result:
    units = units or {}
    return Result(
        scenario=name,
        outcome="made",
        message="Made by hand.",
        metrics={},
        audit=Audit(linear_momentum_drift=None, angular_momentum_drift=None, energy_residual=None),
        timing=Timing(simulated_s=1.0, wall_s=0.0, steps=1, evaluations=1),
        history=History(
            time=time,
            channels={
                key.replace("__", "."): Channel(values=values, unit=units.get(key, "rad"))
                for key, values in channels.items()
            },
        ),
    )


def bump(t: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * ((t - 4.0) / 0.4) ** 2) + 0.3 * np.sin(1.3 * t)


@pytest.mark.parametrize("shift", [0.0, 0.0137, -1.234, 2.5, 1000.0])
@pytest.mark.parametrize("step", [0.01, 0.0033])
def test_an_offset_between_samples_is_found(shift: float, step: float) -> None:
    a, b = np.arange(0.0, 10.0, 0.004), np.arange(1.0, 9.0, step)
    one = result(a, x=bump(a), y=np.cos(2.0 * a))
    two = result(b - shift, x=bump(b), y=np.cos(2.0 * b))
    found = align(one.history, two.history, ["x", "y"])
    assert found.offset == pytest.approx(shift, abs=0.05 * step)


def test_the_offset_is_found_despite_noise_and_gaps() -> None:
    random = np.random.default_rng(5)
    t = np.arange(0.0, 10.0, 0.005)
    noisy = bump(t) + random.normal(0.0, 0.05, len(t))
    noisy[random.random(len(t)) < 0.1] = np.nan
    found = align(result(t, x=bump(t)).history, result(t - 0.8, x=noisy).history, ["x"])
    assert found.offset == pytest.approx(0.8, abs=0.005)
    assert found.misfit < 0.3 * found.misfit_unshifted


def test_aligned_runs_are_not_shifted() -> None:
    t = np.arange(0.0, 10.0, 0.005)
    found = compare(result(t, x=bump(t)), result(t, x=1.3 * bump(t) + 0.1))
    assert found.alignment.offset == 0.0


def test_constant_channels_are_ignored_in_the_alignment() -> None:
    t = np.linspace(0.0, 1.0, 50)
    found = compare(result(t, x=0.0 * t), result(t, x=0.0 * t + 2.0))
    assert found.alignment.offset == 0.0
    assert found.channels["x"].largest == found.channels["x"].mean == 2.0
    assert found.channels["x"].deviation == 0.0


def test_the_deviation_of_a_sine_has_its_closed_form() -> None:
    """Amplitude A over whole periods: largest A, standard deviation A/sqrt(2), even with uneven samples."""
    t = np.sort(np.concatenate([np.linspace(0.0, 2.0 * np.pi, 2001), np.linspace(1.0, 1.1, 5000)]))
    found = compare(result(t, x=0.0 * t), result(t, x=0.02 * np.sin(3.0 * t) + 0.5), offset=0.0).channels["x"]
    assert found.largest == pytest.approx(0.52, rel=1e-6)
    assert found.deviation == pytest.approx(0.02 / np.sqrt(2.0), rel=1e-4)
    assert found.mean == pytest.approx(0.5, rel=1e-6)
    assert found.largest_at == pytest.approx(np.pi / 6, abs=0.01) or found.largest_at > 2.0


def test_joints_are_compared_by_angle_and_torque() -> None:
    t = np.linspace(0.0, 1.0, 200)
    channels = {"j1__position": t, "j1__torque": 5.0 * t, "j2__position": t, "base__x": t}
    units = {"j1__torque": "N*m", "base__x": "m"}
    moved = {name: values + 0.1 * t for name, values in channels.items()}
    found = compare(result(t, units, **channels), result(t, units, **moved), offset=0.0)
    assert {name: set(both) for name, both in found.joints.items()} == {"j1": {"angle", "torque"}}
    assert found.joints["j1"]["torque"].unit == "N*m"
    assert found.joints["j1"]["angle"].largest == pytest.approx(0.1)


def test_channels_with_different_units_are_not_compared() -> None:
    t = np.linspace(0.0, 1.0, 20)
    a, b = result(t, {"y": "m"}, x=t, y=t, only=t), result(t, {"y": "N"}, x=t, y=t)
    found = compare(a, b)
    assert found.other_unit == ("y",)
    assert found.only_a == ("only",)
    assert list(found.channels) == ["x"]


def test_runs_that_cannot_be_compared_are_refused() -> None:
    t = np.linspace(0.0, 1.0, 20)
    with pytest.raises(InputError, match=r"no channel in common\. The first has x; the second has y"):
        compare(result(t, x=t), result(t, y=t))
    with pytest.raises(InputError, match=r"do not overlap in time\. Given: 0 to 1 s and 5 to 6 s"):
        compare(result(t, x=t), result(t, x=t), offset=5.0)
    with pytest.raises(InputError, match="fewer than two rows"):
        compare(result(t, x=t), result(t[:1], x=t[:1]))


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    script = "from softdock.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", script, "compare", *arguments], capture_output=True, text=True, check=False
    )


def test_the_command_compares_a_run_with_a_delayed_recording_of_itself(tmp_path: Path) -> None:
    run = softdock.simulate(softdock.load("impact-a"))
    run.save(tmp_path / "run")
    name = next(name for name, channel in run.history.channels.items() if channel.unit == "m/s")
    late = 0.05
    rows = [f"{(t + late) * 1e3:.9g},{1e3 * v:.12g}" for t, v in zip(run.history.time, run.history[name])]
    (tmp_path / "log.csv").write_text("\n".join(["ms,v", *rows]), encoding="utf-8")
    (tmp_path / "map.yaml").write_text(
        "softdock: 1\nkind: recording\nfile: log.csv\ntime: {column: ms, unit: ms}\n"
        f"columns:\n  v: {{channel: {name}, unit: mm/s}}\n",
        encoding="utf-8",
    )
    done = command(
        str(tmp_path / "run"), str(tmp_path / "map.yaml"), "--json", "--out", str(tmp_path / "out")
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["alignment"]["offset"] == pytest.approx(-late, abs=1e-5)
    assert found["channels"][name]["largest"] < 1e-3 * found["channels"][name]["range"]
    assert (tmp_path / "out" / "velocity.png").stat().st_size > 10_000
    assert json.loads((tmp_path / "out" / "comparison.json").read_text(encoding="utf-8")) == found
    plain = command(str(tmp_path / "run"), str(tmp_path / "run"), "--offset", "0 s")
    assert "B is shifted by 0 s (given)" in plain.stdout
    wrong = command(str(tmp_path / "run"), str(tmp_path / "nowhere"))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "nowhere" in wrong.stderr
