"""Refinement of boundaries against known shapes, through a latch with a closed form, and with bad input."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.campaign.conftest import rows
from tests.campaign.search_driver import refine_boundary

from softdock.campaign import runner, surrogate
from softdock.campaign.adaptive import boundary_axes
from softdock.campaign.boundary import BoundaryRefinement, initial_runs, level_of_runs
from softdock.campaign.export import export
from softdock.campaign.loading import read_campaign
from softdock.campaign.model import Boundary
from softdock.campaign.status import status_of
from softdock.campaign.subset import SearchError
from softdock.campaign.table import read_table
from softdock.errors import InputError
from softdock.report.campaign import write_report
from softdock.result import Array
from softdock.theory.latch import minimum_speed

EFFECTIVE_MASS = 15.0 * 17.0 / 32.0
LATCH = """\
softdock: 1
kind: campaign
scenario: latch-fast
set: {record.rate: 10 Hz, stop.time: 3 s}
runs: 120
seed: 4
method: boundary
margin: {metric: relative_velocity_before, at_least: minimum_speed}
boundary: {holdout: 20}
dispersions:
  speed: {uniform: [0.03 m/s, 0.12 m/s]}
  latch.stiffness: {log_uniform: [30 N/m, 300 N/m]}
metrics: [peak_contact_force]
"""


@pytest.fixture
def sklearn() -> None:
    pytest.importorskip("sklearn")


@pytest.fixture
def latch(tmp_path: Path) -> Path:
    path = tmp_path / "latch.yaml"
    path.write_text(LATCH, encoding="utf-8")
    return path


def ball(x: Array) -> Array:
    """Return the margin of a ball with the radius 0.4 in the middle of the unit cube."""
    return np.asarray(0.16 - ((x - 0.5) ** 2).sum(axis=1))


def error_share(search: BoundaryRefinement, inside: Array, x: Array) -> float:
    assert search.surrogate is not None
    return float(((search.surrogate.score(x) > 0.0) != inside).mean())


@pytest.mark.usefixtures("sklearn")
@pytest.mark.parametrize(
    ("dims", "volume"), [(2, np.pi * 0.16), (3, 4 / 3 * np.pi * 0.064), (4, np.pi**2 / 2 * 0.0256)]
)
def test_volume_and_boundary_of_a_ball_are_found(dims: int, volume: float) -> None:
    search = refine_boundary(ball, dims)
    assert search.reached
    found = search.to_json()
    assert found["uncertain_volume"] <= found["tolerance"]
    assert found["success_volume"] == pytest.approx(volume, abs=0.01)
    x = np.random.default_rng(1).random((5000, dims))
    assert error_share(search, ball(x) > 0.0, x) <= 0.01
    shape = search.shape()
    radius = np.linalg.norm(shape.points - 0.5, axis=1)
    assert len(radius) > 50
    assert np.abs(radius - 0.4).max() < 0.02  # linear interpolation on a grid of 13 points at least
    assert search.runs * 10 < shape.grid_runs


@pytest.mark.usefixtures("sklearn")
def test_boundaries_with_kinks_and_without_continuous_margins_are_found() -> None:
    def kink(x: Array) -> Array:
        return np.asarray(np.minimum(x[:, 0] - 0.3, 0.8 - x[:, 1]))

    x = np.random.default_rng(1).random((5000, 2))
    search = refine_boundary(kink, 2)
    assert error_share(search, kink(x) > 0.0, x) < 0.01
    partly = refine_boundary(lambda x: np.where(x[:, 0] < 0.2, -np.inf, kink(x)), 2, runs=150)
    assert partly.to_json()["surrogate"] == "classification"
    sides = refine_boundary(lambda x: np.sign(kink(x)), 2, runs=150, continuous=False)
    for found in (partly, sides):
        wrong = error_share(found, kink(x) > 0.0, x)
        assert wrong < 0.02
        assert wrong < found.to_json()["uncertain_volume"] + 0.01
        json.dumps(found.to_json(), allow_nan=False)


@pytest.mark.usefixtures("sklearn")
@pytest.mark.parametrize("continuous", [True, False])
@pytest.mark.parametrize("value", [1.0, -1.0])
def test_searches_in_which_all_runs_succeed_or_fail_are_refused(value: float, continuous: bool) -> None:
    with pytest.raises(SearchError, match="succeed" if value > 0.0 else "fail"):
        refine_boundary(lambda x: value * (2.0 + x[:, 0]), 2, runs=100, continuous=continuous)


def test_the_level_of_a_run_follows_from_its_number() -> None:
    settings = Boundary(initial=10, holdout=10, batch=3)
    levels = level_of_runs(settings, 2, np.arange(27)).tolist()
    assert levels == [0] * 10 + [-1] * 10 + [1] * 3 + [2] * 3 + [3]
    assert initial_runs(Boundary(), 3) == 30


@pytest.mark.usefixtures("sklearn")
def test_the_boundary_of_the_latch_agrees_with_its_closed_form(latch: Path, tmp_path: Path) -> None:
    """On the boundary the speed is the least one that latches."""
    folder = tmp_path / "out"
    assert runner.run(read_campaign(latch), folder).finished
    table = read_table(folder)
    assert table.boundary is not None
    speed, stiffness = np.array(table.boundary["points"]).T
    exact = np.asarray(minimum_speed(stiffness, np.pi / 4, 0.02, EFFECTIVE_MASS))
    assert np.abs(speed / exact - 1.0).max() < 0.02
    assert [axis["unit"] for axis in table.boundary["axes"]] == ["m/s", "N/m"]
    assert [axis["logarithmic"] for axis in table.boundary["axes"]] == [False, True]
    status = status_of(folder)
    assert status["boundary"]["reached"]
    assert status["boundary"]["grid_runs"] > 10 * status["done"]
    assert status["success"] is None  # runs near the boundary give no probability

    exported = pq.read_table(export(folder))
    assert exported.column_names[:2] == ["run", "level"]
    assert min(exported["level"].to_pylist()) == -1
    points = pq.read_table(folder / "boundary.parquet")
    assert points.column_names == ["speed", "latch.stiffness"]
    assert points.num_rows == len(speed)
    path, found = write_report(folder, folder / "report.html", lambda stage, done: None)
    assert found["method"] == "boundary"
    assert "hold-out runs" in path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("sklearn")
def test_the_table_is_the_same_after_an_interrupt(latch: Path, tmp_path: Path) -> None:
    plan = read_campaign(latch)
    runner.run(plan, tmp_path / "one")

    def stop(progress: runner.CampaignProgress) -> None:
        if progress.new >= 45:
            raise GeneratorExit

    with pytest.raises(GeneratorExit):
        runner.run(plan, tmp_path / "two", on_progress=stop)
    assert not status_of(tmp_path / "two")["complete"]
    assert runner.resume(tmp_path / "two").finished
    assert rows(tmp_path / "one") == rows(tmp_path / "two")
    assert read_table(tmp_path / "one").boundary == read_table(tmp_path / "two").boundary


def test_vectors_have_axes_for_length_and_direction(tmp_path: Path) -> None:
    path = tmp_path / "vector.yaml"
    path.write_text(
        "softdock: 1\nkind: campaign\nscenario: assist-soft-docking\nruns: 200\nmethod: boundary\n"
        "success: [captured]\ndispersions:\n"
        "  approach.offset: {magnitude: {uniform: [0 mm, 20 mm]}}\n"
        "  approach.speed: {normal: {mean: 0.03 m/s, deviation: 5 mm/s, high: 0.04 m/s}}\n",
        encoding="utf-8",
    )
    plan = read_campaign(path)
    axes = boundary_axes(plan)
    names = ["approach.offset.norm", "approach.offset.direction", "approach.speed"]
    assert [axis.name for axis in axes] == names
    ends = [axis.at(np.array([0.0, 1.0])) for axis in axes]
    np.testing.assert_allclose(ends, [[0.0, 0.02], [0.0, 2.0 * np.pi], [0.015, 0.04]])
    (inputs,) = plan.inputs_at(np.array([[0.5, 0.25, 1.0]]))
    np.testing.assert_allclose(inputs["approach.offset"], [0.0, 0.01], atol=1e-15)
    assert inputs["approach.speed"] == 0.04


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("  latch.stiffness: {log_uniform: [30 N/m, 300 N/m]}\n", "", 10, "2 to 4 inputs; here are 1"),
        (
            "  latch.stiffness",
            "  gap: {uniform: [1 mm, 2 mm]}\n  chaser.masses.0: {uniform: [14 kg, 16 kg]}\n"
            "  target.masses.0: {uniform: [16 kg, 18 kg]}\n  latch.stiffness",
            10,
            "2 to 4 inputs; here are 5",
        ),
        ("{log_uniform: [30 N/m, 300 N/m]}", "{choice: [30 N/m, 300 N/m]}", 12, "vary continuously"),
        ("runs: 120", "runs: 30", 5, "at least 40"),
        ("runs: 120", "runs: 5000", 5, "at most 2000"),
        (
            "margin: {metric: relative_velocity_before, at_least: minimum_speed}\n",
            "",
            None,
            "margin: .*needed",
        ),
        ("holdout: 20", "tolerance: 0", 9, "0"),
    ],
)
def test_bad_campaigns_are_refused(latch: Path, old: str, new: str, line: int | None, message: str) -> None:
    text = latch.read_text(encoding="utf-8")
    assert old in text
    latch.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        read_campaign(latch)
    assert "latch.yaml" in str(error.value)
    if line is not None:
        assert error.value.problems[0].line == line


@pytest.mark.usefixtures("sklearn")
def test_ranges_without_a_boundary_are_refused(latch: Path, tmp_path: Path) -> None:
    latch.write_text(LATCH.replace("0.03 m/s", "0.2 m/s").replace("0.12 m/s", "0.3 m/s"), encoding="utf-8")
    with pytest.raises(InputError, match=r"All .* runs succeed.*Widen the ranges") as error:
        runner.run(read_campaign(latch), tmp_path / "out")
    assert error.value.problems[0].line == 8


def test_a_missing_library_is_reported_before_the_first_run(
    latch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surrogate, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'softdock\[rare\]'"):
        runner.run(read_campaign(latch), tmp_path / "out")
    assert not (tmp_path / "out").exists()
