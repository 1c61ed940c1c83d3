"""Panels of a run: shown and omitted channels; their peaks equal those of the history."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.replay import runs

from softdock import load, simulate
from softdock.errors import InputError
from softdock.presentation.unit_systems import AUTOMATIC, IMPERIAL
from softdock.report.limits import limit_lines
from softdock.report.panels import MOST_CURVES, motion_panels, overview_panels, reaction_panels, visible_rows
from softdock.report.reaction_channels import history_reactions, peak_components, reaction_channels
from softdock.report.run_figures import draw_run
from softdock.result import Channel, History, Result

KINDS = ["assist-soft-docking", "latch-multibody", "impact-a", "power-tower-x", "pins-4"]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_scenario_has_four_panels_with_different_content(name: str) -> None:
    panels = overview_panels(runs.run(name))
    assert len(panels) == 4
    assert panels[0].unit == "N"
    assert len({panel.title for panel in panels}) == 4
    assert all(0 < len(panel.curves) <= MOST_CURVES for panel in panels)


def test_the_tip_in_the_port_is_the_recorded_quantity() -> None:
    """The derived insertion equals the channel that the scenario records for its metric."""
    result = runs.nominal()
    approach = next(panel for panel in motion_panels(result) if "insertion" in panel.curves)
    assert approach.curves["insertion"] == pytest.approx(result.history["nose.z in drogue"], abs=1e-12)
    x, y = (result.history[f"nose.{k}"] - result.history[f"drogue.{k}"] for k in "xy")
    start = approach.curves["lateral offset"][0]
    assert start == pytest.approx(np.hypot(x[0], y[0]), rel=1e-9)
    tilt = next(panel for panel in motion_panels(result) if "tilt" in panel.curves).curves["tilt"]
    assert tilt[0] == pytest.approx(np.radians(3.0), rel=1e-9)


def test_all_loads_are_drawn_or_named() -> None:
    result = runs.nominal()
    panels, silent = reaction_panels(result)
    drawn = {label for panel in panels for label in panel.labels.values()}
    omitted = {name for panel in panels for name in panel.omitted}
    assert drawn | omitted | set(silent) == {one.name for one in reaction_channels(result)}


def test_curves_of_a_chart_contain_their_extremes() -> None:
    result = runs.nominal()
    for panel in (*reaction_panels(result)[0], *motion_panels(result)):
        for curve, values in zip(panel.curves_over_time(visible_rows), panel.curves.values(), strict=True):
            assert (curve.values.max(), curve.values.min()) == (values.max(), values.min())
            assert len(curve.time) < 0.7 * len(values)


def test_charts_show_peaks_that_the_history_does_not_contain() -> None:
    """Histories without rows at peaks, as those of robots, have smaller values than the table of loads."""
    overrides = {"record.peaks": False, "record.contact_steps": False, "record.rate": "20 Hz"}
    result = simulate(load("probe-retraction", overrides))
    channels = {one.channel: one for one in reaction_channels(result) if one.peak > 0.0}
    hidden = [one for one in channels.values() if np.abs(result.history[one.channel]).max() < one.peak]
    assert len(hidden) > 3
    for panel in reaction_panels(result)[0]:
        assert (np.diff(panel.time) >= 0.0).all()
        for curve, (name, values) in zip(
            panel.curves_over_time(visible_rows), panel.curves.items(), strict=True
        ):
            # A sample may exceed a smooth peak by the resolution of the search.
            peak, sampled = channels[name].peak, np.abs(result.history[name]).max()
            assert sampled < (1.0 + 1e-4) * peak
            assert values.max() == curve.values.max() == max(peak, sampled)
            assert peak < sampled or panel.time[values.argmax()] == channels[name].time


def test_many_loads_are_split_and_the_smallest_are_named() -> None:
    time = np.linspace(0.0, 1.0, 9)
    names = [f"s{i}" for i in range(40)]
    channels = {f"{n}.force": Channel(values=(i + 1) * time, unit="N") for i, n in enumerate(names)}
    definition = {"springs": {key: {} for key in names}}
    result = replace(
        runs.nominal(), history=History(time=time, channels=channels), definition=definition, loads=()
    )
    panels, silent = reaction_panels(result)
    assert [len(panel.curves) for panel in panels] == [6, 6, 6, 6]
    assert len(panels[-1].omitted) == 16
    assert next(iter(panels[0].labels.values())) == "s39"
    assert silent == []


def test_components_are_taken_at_the_time_of_the_peak() -> None:
    result = runs.nominal()
    load = next(one for one in history_reactions(result) if one.name == "bumper-drogue")
    parts = peak_components(result, load, "N")
    assert np.linalg.norm(parts) == pytest.approx(load.peak_force, rel=1e-3)
    assert peak_components(result, replace(load, name="bumper-spring"), "N") == ()


def with_requirements(result: Result, requirements: dict[str, object]) -> Result:
    return replace(result, definition={**result.definition, "requirements": requirements})


@pytest.mark.parametrize(
    ("requirement", "channel", "value"),
    [
        (
            {"metric": "max bumper-drogue.force", "at_most": "400 N", "factor": 1.25},
            "bumper-drogue.force",
            320.0,
        ),
        ({"metric": "insertion_max", "at_least": "120 mm", "factor": 1.5}, "nose.z in drogue", 0.18),
        ({"metric": "peak_contact_force_bumper_drogue", "at_most": 400}, "bumper-drogue.force", 400.0),
        ({"metric": "peak_contact_force", "at_most": 400}, "contact.force", 400.0),
        ({"metric": "min nose.z in drogue", "at_least": "-30 mm", "factor": 2}, "nose.z in drogue", -0.015),
    ],
)
def test_limits_belong_to_channels_and_include_the_factor_of_safety(
    requirement: dict[str, object], channel: str, value: float
) -> None:
    (line,) = limit_lines(with_requirements(runs.nominal(), {"R-1": requirement}))
    assert (line.channel, line.id) == (channel, "R-1")
    assert line.value == pytest.approx(value)


def test_limits_without_a_channel_have_no_line() -> None:
    requirements = {"A": {"outcome": ["captured"]}, "B": {"metric": "t_entered", "at_most": "5 s"}}
    assert limit_lines(with_requirements(runs.nominal(), requirements)) == []


def test_a_range_has_two_lines_in_the_chosen_units() -> None:
    requirements = {"R": {"metric": "max nose.z in drogue", "within": ["1 in", "6 in"]}}
    low, high = limit_lines(with_requirements(runs.nominal(), requirements), IMPERIAL)
    assert (low.text, high.text) == ("R: at least 1 in", "R: at most 6 in")


@pytest.mark.parametrize(
    ("name", "count"), [("assist-soft-docking", 4), ("impact-a", 3), ("power-tower-x", 3)]
)
def test_figures_of_a_run_are_written_in_the_wanted_format(name: str, count: int, tmp_path: Path) -> None:
    paths = draw_run(runs.run(name), tmp_path, "svg", AUTOMATIC)
    assert [path.suffix for path in paths] == [".svg"] * count
    assert all(path.read_text(encoding="utf-8").startswith("<?xml") for path in paths)


def test_a_result_without_channels_cannot_be_drawn(tmp_path: Path) -> None:
    empty = replace(runs.nominal(), history=History(time=np.empty(0), channels={}))
    with pytest.raises(InputError, match="no recorded channels"):
        draw_run(empty, tmp_path, "png", AUTOMATIC)
