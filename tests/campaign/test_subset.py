"""Subset simulation: closed forms, plain Monte Carlo, and resuming after the process was killed."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from scipy.special import ndtr, ndtri
from tests.campaign.conftest import rows
from tests.campaign.rare_events import latch_margin
from tests.campaign.search_driver import MarginFunction, drive, simulate_subset

from softdock.campaign import manifest, runner
from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.export import export
from softdock.campaign.loading import read_campaign
from softdock.campaign.margin import resolve_margin
from softdock.campaign.plan import Plan
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.status import status_of
from softdock.campaign.subset import SearchError, SubsetSimulation
from softdock.campaign.table import read_table
from softdock.campaign.workers import Backend
from softdock.errors import InputError
from softdock.report.campaign import write_report
from softdock.result import Array
from softdock.theory.latch import minimum_speed

# The digest of the sources is fixed, because they may be edited while the test runs.
SCRIPT = """
from softdock.campaign import manifest
manifest._source_digest = lambda: "fixed"
from softdock.cli import main
if __name__ == "__main__":
    main()
"""
COMMAND = [sys.executable, "-c", SCRIPT, "campaign"]
RARE = 1e-4
BETA = -float(ndtri(RARE))
LATCH = """\
softdock: 1
kind: campaign
scenario: latch-fast
set: {record.rate: 10 Hz, stop.time: 2 s}
runs: 4000
seed: 5
method: subset
margin: {metric: relative_velocity_before, at_least: minimum_speed}
subset: {level_runs: 400}
dispersions:
  speed: {normal: {mean: 0.08 m/s, deviation: 2.96 mm/s, low: 0.01 m/s}}
  gap: {uniform: [4 mm, 6 mm]}
metrics: [latch_time]
"""


@pytest.fixture
def latch(tmp_path: Path) -> Path:
    path = tmp_path / "latch.yaml"
    path.write_text(LATCH, encoding="utf-8")
    return path


def linear(dims: int) -> MarginFunction:
    """Return the margin of a plane at the distance `BETA`."""
    return lambda z: np.asarray(BETA - z.sum(axis=1) / np.sqrt(dims))


def series(z: Array) -> Array:
    """Return the margin of four failure modes in different directions, each with a quarter of the probability."""
    beta = -float(ndtri(RARE / 4.0))
    return beta - np.abs(z[:, :2]).max(axis=1)


SERIES = 1.0 - (1.0 - RARE / 2.0) ** 2  # |z1| or |z2| above beta; both are independent
CASES = [(linear(2), 2, RARE), (linear(60), 60, RARE), (series, 4, SERIES)]


@pytest.mark.parametrize(("margin", "dims", "exact"), CASES, ids=["plane-2", "plane-60", "series"])
def test_estimates_agree_with_exact_probabilities_and_stated_errors(
    margin: MarginFunction, dims: int, exact: float
) -> None:
    found = [simulate_subset(margin, dims, seed, level_runs=4000) for seed in range(60)]
    p = np.array([one.probability for one in found])
    stated = np.mean([one.coefficient_of_variation for one in found])
    # The mean of 60 estimates has an error of stated / sqrt(60); the estimator has a bias of the order of its variance.
    assert abs(p.mean() / exact - 1.0) < 3.0 * stated / np.sqrt(60) + 0.05
    assert p.std(ddof=1) / exact == pytest.approx(
        stated, rel=0.35
    )  # four standard errors of a deviation of 60
    inside = [low <= exact <= high for low, high in (one.interval() for one in found)]
    assert np.mean(inside) > 0.85


def test_rare_failure_within_a_fifth_with_a_tenth_of_the_runs() -> None:
    """19 of 20 seeds within 20 %; plain Monte Carlo needs 1e6 runs for a coefficient of variation of 10 %."""
    found = [simulate_subset(linear(6), 6, seed, level_runs=15_000) for seed in range(20)]
    assert sum(abs(one.probability / RARE - 1.0) < 0.2 for one in found) >= 19
    for one in found:
        assert one.runs <= 1e5
        assert one.to_json()["monte_carlo_runs"] > 10 * one.runs


def test_frequent_failure_is_estimated_by_plain_monte_carlo() -> None:
    search = simulate_subset(lambda z: 1.0 - z[:, 0], 1, 0, level_runs=2000)
    assert search.runs == 2000
    assert len(search.levels) == 1
    p = search.failures / 2000
    assert search.probability == p
    assert search.coefficient_of_variation == pytest.approx(np.sqrt((1 - p) / (p * 2000)))


def test_certain_and_impossible_failures_have_probabilities_1_and_0() -> None:
    certain = simulate_subset(lambda z: -1.0 - z[:, 0] ** 2, 1, 0, level_runs=100)
    assert (certain.probability, certain.interval()[1]) == (1.0, 1.0)
    never = simulate_subset(lambda z: 9.0 - z[:, 0], 2, 0, level_runs=1000, levels=3)
    assert not never.reached
    assert never.probability == 0.0
    low, high = never.interval()
    assert low == 0.0 < high < 1e-4
    json.dumps(never.to_json(), allow_nan=False)


def test_the_largest_number_of_runs_is_kept() -> None:
    search = simulate_subset(linear(2), 2, 0, runs=2000, level_runs=1000)
    assert search.runs == 1900
    assert not search.reached


@pytest.mark.parametrize(
    "margin",
    [lambda z: np.ones(len(z)), lambda z: np.where(z[:, 0] > 4.0, -1.0, 1.0)],
    ids=["constant", "step"],
)
def test_margins_without_direction_are_refused(margin: MarginFunction) -> None:
    with pytest.raises(SearchError, match="margin"):
        simulate_subset(margin, 2, 0, level_runs=500)


def test_correlated_fields_and_choices_agree_with_a_closed_form(tmp_path: Path) -> None:
    """The sum of two correlated normal fields, plus a step that a choice makes: a mixture of closed forms."""
    path = tmp_path / "sum.yaml"
    path.write_text(
        LATCH.split("dispersions:")[0]
        + "dispersions:\n"
        + "  chaser.masses.0: {normal: {mean: 15 kg, deviation: 1 kg}}\n"
        + "  target.masses.0: {normal: {mean: 17 kg, deviation: 1 kg}}\n"
        + "  latch.stiffness: {choice: [100 N/m, 200 N/m], weights: [9, 1]}\n"
        + "correlations: [{fields: [chaser.masses.0, target.masses.0], matrix: [[1, 0.6], [0.6, 1]]}]\n",
        encoding="utf-8",
    )
    plan = read_campaign(path)
    deviation = np.sqrt(2.0 + 2.0 * 0.6)

    def margin(z: Array) -> Array:
        columns = plan.values_at(ndtr(z))
        total = columns["chaser.masses.0"] + columns["target.masses.0"] - 32.0
        return np.asarray(4.0 * deviation - total - deviation * columns["latch.stiffness"])

    exact = 0.9 * ndtr(-4.0) + 0.1 * ndtr(-3.0)
    settings = plan.campaign.subset.model_copy(update={"level_runs": 4000})
    estimates = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        search = SubsetSimulation(settings, 10**9, 3, lambda a, b, rng=rng: rng.standard_normal((b - a, 3)))
        drive(search, margin)
        estimates.append(search.probability)
    assert np.mean(estimates) == pytest.approx(exact, rel=0.25)


def test_the_failure_probability_of_the_latch_agrees_with_its_closed_form(
    latch: Path, tmp_path: Path
) -> None:
    """The latch closes above a known speed, so the probability is that of a normal variable."""
    runner.run(read_campaign(latch), tmp_path / "out")
    table = read_table(tmp_path / "out")
    assert table.search is not None
    least = float(minimum_speed(100.0, np.pi / 4, 0.02, 15.0 * 17.0 / 32.0))
    exact = float(ndtr((least - 0.08) / 2.96e-3))
    assert exact == pytest.approx(1e-3, rel=0.02)
    assert table.search["reached"]
    assert table.search["low"] < exact < table.search["high"]
    margin = table.metrics["relative_velocity_before"] - table.metrics["minimum_speed"]
    assert [outcome == "latched" for outcome in table.outcome] == list(margin > 0.0)
    assert status_of(tmp_path / "out")["subset"]["probability"] == table.search["probability"]


def test_margin_of_the_bundled_campaign_is_that_of_theory() -> None:
    plan = read_campaign("latch-failure")
    margin = resolve_margin(plan)
    exact = latch_margin(plan, plan.sampler.points(0, 20))
    for number, inputs in enumerate(plan.inputs(0, 20)):
        row, _ = run_one(plan.template, HistoryPolicy("none", ()), number, inputs)
        assert margin.of(row) == pytest.approx(exact[number], abs=1e-12)
        assert (row.outcome == "latched") == (exact[number] > 0.0)


class _Stop(BaseException):
    """Ends a session immediately."""


def _run_some(plan: Plan, folder: Path, count: int) -> None:
    """Run or resume a campaign, and end the session without warning after some runs."""

    def stop(progress: runner.CampaignProgress) -> None:
        if progress.new >= count:
            raise _Stop

    options = ExecutionOptions(Backend.THREADS, 3)
    begin = partial(runner.resume, folder) if folder.exists() else partial(runner.run, plan, folder)
    with pytest.raises(_Stop):
        begin(options, stop)


def test_table_does_not_depend_on_workers_or_interrupts(latch: Path, tmp_path: Path) -> None:
    plan = read_campaign(latch)
    runner.run(plan, tmp_path / "one", ExecutionOptions(Backend.THREADS, 1))

    for count in (70, 400, 300):  # ends within the first level, in a later one, and again
        _run_some(plan, tmp_path / "two", count)
        assert not status_of(tmp_path / "two")["complete"]
    assert runner.resume(tmp_path / "two", ExecutionOptions(Backend.PROCESSES, 2)).finished
    assert rows(tmp_path / "one") == rows(tmp_path / "two")
    one, two = (status_of(tmp_path / name) for name in ("one", "two"))
    assert one["subset"] == two["subset"]
    assert runner.resume(tmp_path / "two").new == 0


@pytest.mark.slow
def test_sigkill_does_not_change_the_table(
    latch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "_source_digest", lambda: "fixed")
    folder = tmp_path / "killed"
    for done in (1, 450, 900):
        arguments = ["resume", folder] if folder.exists() else ["run", latch, "--out", folder]
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None and not (_count(folder) >= done):
            time.sleep(0.02)
        process.kill()
        assert process.wait() == -signal.SIGKILL, "the command ended before it was killed"
    assert runner.resume(folder).finished
    runner.run(read_campaign(latch), tmp_path / "undisturbed")
    assert rows(folder) == rows(tmp_path / "undisturbed")


def _count(folder: Path) -> int:
    try:
        return int(status_of(folder)["done"])
    except InputError:
        return 0


def test_levels_are_in_export_and_report_and_their_runs_can_be_repeated(latch: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    runner.run(read_campaign(latch), folder)
    table = read_table(folder)
    assert table.level is not None
    exported = pq.read_table(export(folder))
    assert exported.column_names[:2] == ["run", "level"]
    levels = exported["level"].to_pylist()
    assert levels == table.level.tolist()
    assert [levels.count(k) for k in range(max(levels) + 1)] == [400] + [360] * max(levels)
    assert table.random_sample().run.size == 400

    number = 700  # of a later level: its inputs depend on other runs
    _, _, same = runner.rerun(folder, number)
    assert same
    with pytest.raises(InputError, match="depends on runs before it"):
        runner.repeat_run(read_campaign(latch), number)

    path, found = write_report(folder, folder / "report.html", lambda stage, done: None)
    assert found["method"] == "subset"
    assert len(found["subset"]["levels"]) == max(levels) + 1
    assert "Subset simulation" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            "margin: {metric: relative_velocity_before, at_least: minimum_speed}\n",
            "",
            None,
            "margin: .*needed",
        ),
        ("metric: relative_velocity_before", "metric: relative_velocity", 8, "no such metric.*Did you mean"),
        (
            "metric: relative_velocity_before",
            "metric: velocities_after",
            8,
            "one of them, like velocities_after.0",
        ),
        ("metric: relative_velocity_before", "metric: latched", 8, "not a number"),
        ("at_least: minimum_speed", "at_least: 5 N", 8, "a speed is needed"),
        ("at_least: minimum_speed", "at_least: impulse", 8, "unit 'N\\*s'"),
        ("at_least: minimum_speed", "at_least: 0.05, at_most: 0.09", 8, "one limit"),
        ("at_least: minimum_speed", "at_least: minimum_sped", 8, "Did you mean 'minimum_speed'"),
        ("level_runs: 400", "level_runs: 405", 9, "multiple of 10"),
        ("level_runs: 400", "level_probability: 0.3", 9, "reciprocal"),
        ("runs: 4000", "runs: 300", 5, "at least the 400 runs"),
        ("seed: 5", "seed: 5\nstop: {half_width: 0.1}\nsuccess: [latched]", 7, "chooses its own runs"),
        ("seed: 5", "seed: 5\nsampling: sobol", 7, "Must be 'random'"),
        ("method: subset", "method: monte-carlo", 8, "Needs 'method: subset'"),
        (
            "metric: relative_velocity_before, at_least: minimum_speed",
            "metric: impacts",
            8,
            "same|all samples",
        ),
    ],
)
def test_bad_campaigns_are_refused(
    latch: Path, tmp_path: Path, old: str, new: str, line: int | None, message: str
) -> None:
    text = latch.read_text(encoding="utf-8")
    assert old in text
    latch.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        runner.run(read_campaign(latch), tmp_path / "out")
    assert "latch.yaml" in str(error.value)
    if line is not None:
        assert error.value.problems[0].line == line


def test_a_forged_table_is_refused(latch: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    runner.run(read_campaign(latch, runs=400), folder)
    good = status_of(folder)["subset"]
    for key, value in (("levels", 5), ("probability", "0.1"), ("margin", {}), ("levels", [{"level": 0}])):
        with sqlite3.connect(folder / "campaign.sqlite") as database:
            text = json.dumps({**good, key: value})
            database.execute("UPDATE manifest SET value = ? WHERE key = 'search'", (text,))
        with pytest.raises(InputError, match="damaged"):
            status_of(folder)
        with pytest.raises(InputError, match="damaged"):
            write_report(folder, folder / "report.html", lambda stage, done: None)
