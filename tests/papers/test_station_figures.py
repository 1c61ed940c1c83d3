"""The figures of the station paper, drawn from Softdock runs."""

import pytest

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
