"""The figures of the station paper, drawn from Softdock runs."""

import pytest
from typer.testing import CliRunner

import softdock
from softdock.cli import app
from softdock.report.figures import figure_set, station

NAMES = {f"station-figure-{n}" for n in range(10, 21)} | {"station-convergence"}


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
