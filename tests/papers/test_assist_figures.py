"""The figures of the ASSIST paper are drawn from our own runs."""

import pytest

from softdock.report.figures import figure_set

NAMES = {
    "assist-figure-2",
    "assist-compliance",
    "assist-figure-5",
    "assist-figure-9",
    "assist-figure-10",
    "assist-figure-11",
    "assist-capture",
    "assist-motion",
    "assist-section-4-1",
    "assist-figure-12",
}


@pytest.mark.slow
def test_every_figure_is_drawn(tmp_path):
    fractions = []
    paths = figure_set("assist").draw(tmp_path, lambda what, fraction: fractions.append(fraction), runs=4)
    assert {path.stem for path in paths} == NAMES
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
