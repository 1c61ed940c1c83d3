"""Peak loads of chains: closed forms of springs, dampers and latch, and rows of the history at every peak."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from lumped.chains import chains
from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import read_campaign
from softdock.lumped.chain import Chain, Pad, Wedge
from softdock.lumped.chain_run import run_chain
from softdock.report.summary import summary
from softdock.scenario.loading import from_data, load
from softdock.simulation import simulate

STIFFNESS, MU = 100.0, 3.0 * 2.0 / 5.0
STRUCK = Chain(  # the front mass rebounds; the spring behind it is alone with its two masses
    chaser_masses=(3.0, 2.0),
    target_masses=(4.0,),
    chaser_stiffness=(STIFFNESS,),
    speed=0.1,
    gap=0.02,
    restitution=0.5,
)


def closing_speed_of_spring(run):
    v = run.velocities_after
    return abs(v[0] - v[1])


@pytest.mark.plain_python
def test_spring_between_two_masses_reaches_its_closed_form():
    """The peak is v sqrt(k mu), a quarter period after the impulse, for any rate of the record."""
    run = run_chain(STRUCK, end_time=0.5, rate=3.0)
    sizes, times = run.link_peaks
    assert sizes[0] == pytest.approx(closing_speed_of_spring(run) * np.sqrt(STIFFNESS * MU), rel=1e-13)
    quarter = 0.5 * np.pi * np.sqrt(MU / STIFFNESS)
    assert times[0] == pytest.approx(run.touch_time + quarter, abs=1e-7)
    assert sizes[1:].tolist() == [0.0, 0.0]
    assert run.link_forces[:, 0].max() == sizes[0]  # in compression


@pytest.mark.plain_python
@pytest.mark.parametrize("zeta", [0.1, 0.4, 0.49, 0.6, 1.5])
def test_damper_counts_from_the_impulse_on(zeta):
    """Beyond a damping ratio of 1/2 the force falls from its jump d v on; below, it rises to a maximum first."""
    damping = 2.0 * zeta * np.sqrt(STIFFNESS * MU)
    run = run_chain(replace(STRUCK, chaser_damping=(damping,)), end_time=0.7, rate=3.0)
    peak, time = run.link_peaks[0][0], run.link_peaks[1][0]
    v, w = closing_speed_of_spring(run), np.sqrt(STIFFNESS / MU)
    if zeta > 0.5:
        assert peak == pytest.approx(damping * v, rel=1e-13)
        assert time == run.touch_time
        return
    # x = v / w_d exp(-zeta w t) sin(w_d t); the force -mu x'' is largest where its rate is zero.
    root = np.sqrt(1.0 - zeta**2)
    t = (np.arccos(zeta) - 2.0 * np.arcsin(zeta)) / (w * root)
    x = v / (w * root) * np.exp(-zeta * w * t) * np.sin(w * root * t)
    rate = v * np.exp(-zeta * w * t) * (np.cos(w * root * t) - zeta / root * np.sin(w * root * t))
    assert peak == pytest.approx(STIFFNESS * x + damping * rate, rel=1e-12)
    assert time - run.touch_time == pytest.approx(t, abs=1e-7)


@pytest.mark.plain_python
def test_damper_at_a_last_impulse_counts():
    chain = replace(STRUCK, chaser_damping=(50.0,))
    run = run_chain(chain, end_time=1.0, impacts=1, rate=3.0)
    assert run.link_peaks[0][0] == pytest.approx(50.0 * closing_speed_of_spring(run), rel=1e-13)
    assert abs(run.link_forces[-1, 0]) == run.link_peaks[0][0]


@pytest.mark.plain_python
def test_spring_to_the_wall():
    chain = Chain(
        chaser_masses=(2.0,),
        target_masses=(2.0,),
        target_stiffness=(800.0,),
        anchored=True,
        speed=0.3,
        restitution=1.0,
    )
    run = run_chain(chain, end_time=0.1)
    assert run.link_peaks[0][1] == pytest.approx(0.3 * np.sqrt(800.0 * 2.0), rel=1e-13)
    assert run.link_peaks[1][1] == pytest.approx(0.5 * np.pi * np.sqrt(2.0 / 800.0), abs=1e-8)


@settings(max_examples=15, deadline=None)
@given(chains())
def test_peaks_do_not_depend_on_the_recording_and_no_dense_row_exceeds_them(chain):
    coarse, dense = (run_chain(chain, end_time=0.5, rate=rate) for rate in (10.0, 20000.0))
    for a, b in zip(coarse.link_peaks, dense.link_peaks, strict=True):
        assert a.tolist() == b.tolist()
    assert coarse.peak_force == dense.peak_force
    raw = dense._link_forces(dense.rows)  # not limited to the peaks
    scale = np.abs(raw).max() + dense.peak_force
    for run in (coarse, dense):
        assert np.abs(run.link_forces).max(axis=0).tolist() == run.link_peaks[0].tolist()
        assert (np.diff(run.time) >= 0.0).all()
        assert (np.diff(run.dissipated) >= -1e-14 * run.energy_scale).all()
    np.testing.assert_allclose(np.abs(raw).max(axis=0), dense.link_peaks[0], rtol=1e-12, atol=1e-14 * scale)


@pytest.mark.plain_python
@pytest.mark.parametrize("friction_angle", [0.0, 0.3])
def test_latch_reaches_its_closed_form(friction_angle):
    """Two bodies in the wedge: insertion v / w, axial force K_in v / w, latch spring k tan(angle) v / w."""
    wedge = Wedge.of(stiffness=100.0, angle=0.6, tip_length=0.02, friction_angle=friction_angle)
    m = 15.0 * 17.0 / 32.0
    w = np.sqrt(wedge.inward / m)
    chain = Chain(chaser_masses=(15.0,), target_masses=(17.0,), speed=0.8 * w * 0.02, gap=0.01, wedge=wedge)
    run = run_chain(chain, end_time=4.0, rate=2.0)
    assert run.peak_wedge_force == pytest.approx(wedge.inward * 0.016, rel=1e-12)
    assert run.peak_latch_spring_force == pytest.approx(100.0 * np.tan(0.6) * 0.016, rel=1e-12)
    assert run.t_peak_wedge_force == pytest.approx(run.touch_time + 0.5 * np.pi / w, abs=1e-6)
    assert run.latch_spring_force.max() == run.peak_latch_spring_force
    assert run.wedge_force.max() == run.peak_wedge_force


@pytest.mark.plain_python
def test_latch_beside_a_pad_carries_its_share():
    wedge = Wedge.of(stiffness=100.0, angle=0.6, tip_length=0.02)
    pad = Pad(stiffness=3.0 * wedge.inward)
    chain = Chain(chaser_masses=(15.0,), target_masses=(17.0,), speed=0.02, wedge=wedge, pad=pad)
    run = run_chain(chain, end_time=0.4)
    assert run.peak_force == pytest.approx(4.0 * run.peak_wedge_force, rel=1e-12)
    np.testing.assert_allclose(run.force, 4.0 * run.wedge_force, atol=1e-12 * run.peak_force)


def assert_rows_and_metrics_agree(result):
    for one in result.loads:
        values = np.abs(result.history[f"{one.name}.force"])
        assert values.max() == one.peak_force == result.metrics[f"peak_force_{one.name.replace('-', '_')}"]
        if one.peak_force:
            at = result.history.time[values == one.peak_force]
            assert one.t_peak_force in at.tolist(), one.name
        assert result.history.channels[f"{one.name}.force"].unit == "N"
        assert result.units[f"peak_force_{one.name.replace('-', '_')}"] == "N"


@pytest.mark.parametrize("name", ["impact-a", "impact-d", "latch-paper", "latch-fast"])
def test_bundled_scenarios_report_every_load(name):
    scenario = load(name, {"record.rate": 50.0})
    result = simulate(scenario)
    assert {one.name for one in result.loads} == set(scenario.reaction_names())
    assert_rows_and_metrics_agree(result)
    assert result.metrics["peak_contact_force"] == result.metrics["peak_force_contact"]
    assert set(result.metrics) - {"velocities_after"} <= set(scenario.metric_units())


@pytest.mark.plain_python
def test_rigid_impact_has_loads_of_springs_only():
    data = {
        "kind": "chain",
        "speed": 0.05,
        "chaser": {"masses": [17, 2], "stiffness": [1000], "damping": [3]},
        "target": {"masses": [1.5, 15], "stiffness": [200, 300], "anchored": True},
        "contact": {"restitution": 0.4},
        "stop": {"time": 0.5},
    }
    result = simulate(from_data(data))
    assert {(one.name, one.kind) for one in result.loads} == {
        ("chaser-spring-1", "spring"), ("target-spring-1", "spring"), ("target-spring-2", "spring"),
    }  # fmt: skip
    assert_rows_and_metrics_agree(result)
    assert "in spring chaser-spring-1" in summary(result).split("Largest force")[1].splitlines()[0]


def test_requirements_and_campaigns_use_the_loads(tmp_path):
    file = tmp_path / "springs.yaml"
    file.write_text(
        "softdock: 1\nkind: campaign\nscenario: impact-b\nruns: 2\nseed: 1\n"
        "dispersions: {speed: {normal: {mean: 5 cm/s, deviation: 1 mm/s}}}\n",
        encoding="utf-8",
    )
    plan = read_campaign(file)
    row, _ = run_one(plan.template, HistoryPolicy("none", ()), 0, next(iter(plan.inputs(0, 1))))
    assert json.loads(row.metrics)["peak_force_chaser_spring_1"] > 0.0
    limit = {"R-1": {"text": "Spring", "metric": "peak_force_chaser_spring_1", "at_most": "1 N"}}
    assert simulate(load("impact-b", {"requirements": limit})).requirements[0].verdict == "violated"
