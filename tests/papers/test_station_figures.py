"""The figures of the station paper, drawn from Softdock runs."""

import numpy as np
import pytest
from typer.testing import CliRunner

import softdock
from softdock.cli import app
from softdock.flexible.welding import momentum, motion_about
from softdock.prediction.station import weld_visitor
from softdock.report.figures import figure_set, station
from softdock.report.figures.station_drawings import Tower, largest_deflection
from softdock.report.figures.station_vectors import impulses
from softdock.spatial.inertia import rigid_inertia_matrix

NAMES = {f"station-figure-{n}" for n in range(1, 21)} | {"station-convergence", "station-deflections"}


@pytest.mark.slow
def test_every_figure_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(station, "SIMULATED_MODES", 28)
    monkeypatch.setattr(station, "CLOSING_RATES", station.CLOSING_RATES[::2])
    fractions = []
    paths = figure_set("station").draw(tmp_path, lambda what, fraction: fractions.append(fraction))
    assert {path.stem for path in paths} == NAMES
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_figures_in_the_units_of_the_paper() -> None:
    short = {"before": "1 s", "after": "2 s", "modes": 8}
    slow = [
        softdock.simulate("power-tower-x", {**short, "closing_rate": v}) for v in station.CLOSING_RATES[:1]
    ]
    paper = softdock.simulate("power-tower-published", {"before": "1 s", "after": "2 s"})
    study = station.Study(by_rate=slow * len(station.CLOSING_RATES), few=paper)
    (ax,) = station.rate_change(study, "x", station.IMPERIAL).axes
    assert ax.get_xlabel() == "closing rate [ft/s]"
    assert ax.lines[0].get_xdata()[[0, -1]] == pytest.approx([0.5, 1.5])
    upper, _ = station.history(study, "x", station.IMPERIAL).axes
    assert upper.get_ylabel() == "deflection [ft]"
    largest = upper.lines[0].get_ydata().max() * 0.3048
    assert largest == pytest.approx(slow[0].metrics["max_deflection_a"], rel=1e-6)


def test_only_figures_of_the_station_take_units(tmp_path) -> None:
    done = CliRunner().invoke(app, ["figures", "impact", "--units", "imperial", "--out", str(tmp_path)])
    assert done.exit_code != 0  # the program turns the error into exit code 2
    assert "only `station` also takes --units" in str(done.exception)


def test_the_impulses_between_the_bodies_are_in_balance() -> None:
    """Of the Orbiter on the base and of the base on the members: together they are the momentum of the station."""
    tower = Tower.of("power-tower-xz")
    scenario, modes = tower.scenario, tower.modes
    on_base, on_members = impulses(tower)
    after = weld_visitor(scenario, modes)
    v = scenario.visitor
    orbiter = rigid_inertia_matrix(v.mass, np.asarray(v.centre), np.diag(v.inertia))
    lost = orbiter @ (motion_about(v.centre, scenario.velocity()) - after.motion)
    np.testing.assert_allclose(on_base, lost, rtol=1e-9, atol=1e-6 * np.abs(lost).max())
    base = modes.rigid_part_inertia @ after.motion
    np.testing.assert_allclose(base, on_base - on_members, rtol=1e-12, atol=1e-9)
    members = momentum(modes, after.motion, after.modal_rate) - base
    np.testing.assert_allclose(on_members, members, rtol=1e-6, atol=1e-6 * np.abs(on_base).max())


def test_the_drawn_deflections_are_those_of_the_run() -> None:
    run = softdock.simulate("power-tower-x", {"before": "1 s", "after": "4 s", "modes": 40})
    tower = Tower.of("power-tower-x")
    _, displacement = largest_deflection(run, tower)
    node = tower.modes.names.index("keel-top")
    assert np.linalg.norm(displacement[node, 3:]) == pytest.approx(run.metrics["max_deflection_a"], rel=1e-3)
    moved = tower.meshes(displacement)[0][0].points - tower.meshes()[0][0].points
    assert np.linalg.norm(moved, axis=1).max() == pytest.approx(run.metrics["max_deflection_a"], rel=0.01)
