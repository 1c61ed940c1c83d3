"""Views of controllers: what charts show agrees with what the run did."""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.gnc.chasers import G0, box_of_thrusters, chaser, controller

from softdock.report.control_charts import control_figures
from softdock.report.control_views import ControlView, control_views
from softdock.report.run import run_report
from softdock.result import Result, plain_data
from softdock.simulation import simulate
from softdock.studio.folder import Folder
from softdock.studio.run_data import summarise_result
from softdock.studio.tasks import draw_controllers

TARGET = {
    "target": {"mass": 2000.0, "inertia": (900.0, 900.0, 900.0)},
}
ISP, THRUST = 200.0, 22.0


@cache
def simulate_approach() -> Result:
    """Return an approach from 10 m to 1 m with sensors and a hold point, then free drift."""
    gnc = controller(
        mode="approach", rate=4.0, target={"body": "target", "at": (0, 0, -1)}, tip={"body": "chaser", "at": (0, 0, 1)},
        guidance={
            "time_constant": 15.0, "min_speed": 0.05, "max_speed": 0.3, "acceleration": 0.02, "end": 0.2,
            "holds": [{"distance": 3.0, "duration": 5.0}], "corridor": {"radius": 0.3, "half_angle": 0.2},
        },
        navigation={
            "sensor": {"rate": 4.0, "noise": 0.01, "angle_noise": 0.001},
            "filter": {"position": 0.05, "speed": 0.02},
        },
        thrusters=box_of_thrusters(specific_impulse=ISP, minimum_on_time=0.02),
    )  # fmt: skip
    events = {"near": {"when": "chaser.z > -3 m", "then": [{"control": "chaser", "mode": "drift"}]}}
    return simulate(
        chaser(gnc, {"position": (0.4, 0.0, -12.0)}, duration=90.0, bodies=TARGET, events=events),
        with_prediction=False,
    )


@cache
def view() -> ControlView:
    (one,) = control_views(simulate_approach())
    return one


def test_propellant_is_thrust_times_on_time() -> None:
    total = sum(values[-1] for values in view().on_times.values())
    assert view().channels["propellant"][-1] == pytest.approx(THRUST * total / (ISP * G0), rel=1e-9)
    assert all((np.diff(values) >= -1e-12).all() for values in view().on_times.values())


def test_duties_contain_all_of_the_on_time() -> None:
    edges, duties = view().duties()
    assert set(duties) == set(box_of_thrusters())
    for name, duty in duties.items():
        on = view().on_times[name]
        assert float((duty * np.diff(edges)).sum()) == pytest.approx(on[-1] - on[0], rel=1e-9, abs=1e-9)


def test_range_and_speed_follow_the_commanded_glide_slope() -> None:
    panels = {panel.title: panel for panel in view().panels()}
    for title, allowed in (("Range to the port (chaser)", 0.15), ("Closing speed (chaser)", 0.06)):
        curves = panels[title].curves
        apart = np.abs(curves["tip"] - curves["commanded"])
        assert np.nanmax(apart[panels[title].time > 10.0]) < allowed
    assert panels["Closing speed (chaser)"].curves["tip"].max() == pytest.approx(0.3, abs=0.05)
    assert np.isnan(panels["Range to the port (chaser)"].curves["commanded"][-1]), (
        "nothing is commanded in free drift"
    )


def test_modes_cover_the_run() -> None:
    spans = view().mode_spans()
    assert [name for *_, name in spans] == ["approach", "drift"]
    assert spans[0][0] == 0.0
    assert spans[0][1] == spans[1][0] == pytest.approx(simulate_approach().events[0].time, abs=0.25 + 0.1)
    assert spans[1][1] == simulate_approach().history.time[-1]


def test_the_band_of_the_estimate_is_that_of_the_filter() -> None:
    """At the first sample it is the assumed deviation of three axes; later most errors lie inside."""
    sigma, error = (view().channels[f"position_{name}"] for name in ("sigma", "estimate_error"))
    first = int(np.flatnonzero(sigma > 0.0)[0])
    assert sigma[first] <= 0.05 * math.sqrt(3.0) * (1 + 1e-9)
    assert sigma[-1] < sigma[first]
    in_flight = (view().time > 5.0) & (view().channels["mode"] == 1)
    assert np.mean(error[in_flight] < 3.0 * sigma[in_flight]) > 0.95
    p = view().p
    assert p is not None
    estimated = np.stack([view().channels[f"estimate_{k}"] for k in "xyz"], axis=1)
    # The estimate is that of the last sample: the tip moves by at most 0.3 m/s for a quarter of a second since then.
    assert np.abs(estimated - p)[in_flight].max() < 0.3 * 0.25 + 0.05


def test_figures_are_in_the_report() -> None:
    figures = control_figures(simulate_approach())
    text = "".join(figures)
    for words in ("Path of the tip", "corridor", "hold", "Range to the port", "Closing speed", "Propellant",
                  "Modes and firings", "3 sigma of the filter", "drift"):  # fmt: skip
        assert words in text
    assert "nan" not in text
    assert all(figure in run_report(simulate_approach()) for figure in figures)


def test_runs_without_controllers_have_no_figures() -> None:
    plain = simulate("latch-multibody", with_prediction=False)
    assert control_figures(plain) == []
    assert "Guidance and control" not in run_report(plain)


def test_a_damaged_definition_gives_no_figures() -> None:
    data = plain_data(simulate_approach().definition)
    for broken in ({"chaser": {"rate": "<b>"}}, {"chaser": 3}, [1], "<script>"):
        assert control_figures(replace(simulate_approach(), definition={**data, "gnc": broken})) == []


def test_the_studio_draws_the_same_figures(tmp_path: Path) -> None:
    simulate_approach().save(tmp_path / "runs" / "one")
    content = draw_controllers(Folder(tmp_path), lambda stage: None, run="one", units="SI")
    assert content.count("<figure>") == len(control_figures(simulate_approach()))
    assert summarise_result(simulate_approach())["has_controllers"]
