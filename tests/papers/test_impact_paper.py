"""The impact paper: its tables and examples as bundled scenarios."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from softdock.lumped.chain import Pad
from softdock.lumped.chain_run import run_chain
from softdock.prediction import predict
from softdock.report.figures import figure_set
from softdock.report.figures.impact_oscillation import elastic_case_a, impacts, swinging_chain
from softdock.report.figures.impact_zero_velocity import simulated_velocity_after
from softdock.scenario.loading import load
from softdock.simulation import simulate
from softdock.simulation.chain import chain_of
from softdock.theory import rmi

SIMULATED = {  # the paper's simulated row [m/s], and half its last printed digit
    "impact-a": (0.0402, 5e-5),
    "impact-b": (-0.000476, 2e-6),  # the paper integrates with a step; the exact value is -0.0004746
    "impact-c": (0.02715, 5e-6),
    "impact-d": (0.0412, 5e-5),
}
THEORY = {"impact-a": 0.0403, "impact-b": 0.0, "impact-c": 0.02728, "impact-d": 0.0413}
PAPER = [*SIMULATED, "latch-slow", "latch-paper", "latch-fast", "latch-multibody"]


@pytest.mark.parametrize("name", PAPER)
def test_momentum_and_energy_are_conserved(name):
    audit = simulate(name).audit
    assert audit.linear_momentum_drift <= 1e-12
    assert audit.energy_residual <= 1e-12
    assert audit.angular_momentum_drift is None


@pytest.mark.parametrize("name", SIMULATED)
def test_table_1_of_the_paper_is_reproduced(name):
    result = simulate(name)
    printed, tolerance = SIMULATED[name]
    assert result.outcome == "separated"
    assert result.metrics["impacts"] == 1
    assert abs(result.metrics["relative_velocity_after"] - printed) <= tolerance
    assert (
        abs(result.prediction["relative_velocity_after"] - THEORY[name]) < 1e-4 * (THEORY[name] > 0) + 1e-15
    )
    assert result.prediction == predict(name)


@pytest.mark.parametrize("name", SIMULATED)
def test_simulation_tends_to_theory_at_first_order_as_the_contact_stiffens(name):
    chain = chain_of(load(name))
    theory = rmi.predict_impact(*chain.mass, speed=chain.speed).relative_velocity_after
    factors = np.array([1.0, 10.0, 100.0])
    errors = []
    for factor in factors:
        stiff = replace(chain, pad=Pad(stiffness=15000.0 * factor))
        after = run_chain(stiff, end_time=0.2, impacts=1).velocities_after
        V_c, V_t = after @ stiff.system_weights
        errors.append(abs(V_c - V_t - theory))
    order = -np.diff(np.log(errors)) / np.diff(np.log(factors))
    # The next term is smaller by the stiffness ratio of spring to contact, 1/15 at first and 1/150 then.
    assert abs(order[0] - 1.0) < 1 / 15
    assert abs(order[1] - 1.0) < 1 / 150 * 2


def test_the_printed_table_has_two_rows_swapped():
    """With contact 1000 and chaser 15000 N/m, as printed, the simulated row is missed by far."""
    swapped = {
        "contact.stiffness": 1000.0,
        "chaser.stiffness": [15000.0],
        "stop.time": 0.5,
        "stop.impacts": 1,
    }
    result = simulate(load("impact-a", swapped))
    assert result.metrics["relative_velocity_after"] == pytest.approx(0.03254, abs=5e-6)


@pytest.mark.parametrize(
    ("name", "outcome", "insertion"),
    [
        ("latch-slow", "not_latched", 0.01411),
        ("latch-paper", "not_latched", 0.01976),
        ("latch-fast", "latched", 0.02),
    ],
)
def test_latch_examples_of_the_paper_are_reproduced(name, outcome, insertion):
    result = simulate(name)
    assert result.outcome == outcome
    assert result.metrics["insertion_max"] == pytest.approx(insertion, abs=5e-6)
    assert result.metrics["minimum_speed"] == pytest.approx(0.07085, abs=5e-6)
    assert result.prediction["latches"] == (outcome == "latched")


def test_latching_after_an_impulsive_impact_agrees_with_theory():
    result = simulate("latch-multibody")
    assert result.outcome == "latched"
    assert result.prediction["regime"] == "closing"
    # The impact is impulsive, so that theory and simulation agree to round-off.
    for name in ("relative_velocity_after", "impulse", "chaser_velocity_after"):
        assert result.metrics[name] == pytest.approx(result.prediction[name], rel=1e-14)
    slower = simulate(load("latch-multibody", {"speed": 0.8 * result.prediction["minimum_speed"]}))
    assert slower.outcome == "not_latched"


def test_history_has_the_velocities_of_both_systems():
    history = simulate("impact-a").history
    relative = history["chaser.velocity"] - history["target.velocity"]
    np.testing.assert_array_equal(relative, history["relative_velocity"])
    assert history.channels["contact.force"].unit == "N"
    assert history["overlap"][0] == pytest.approx(-1e-3)


FIGURES = {
    *(f"impact-figure-{number}" for number in range(1, 10)),
    "impact-fixed-ratios",
    "impact-second-impact",
}


@pytest.mark.slow
def test_every_figure_is_drawn(tmp_path):
    paths = figure_set("impact").draw(tmp_path, lambda what, fraction: None)
    assert {path.stem for path in paths} == FIGURES
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)


def test_equation_16_holds_at_every_impact_of_an_oscillating_chain():
    """Also for impacts in the middle of the oscillations that earlier ones have started."""
    for phase in (None, 0.3, 2.0, 4.4):
        chain = elastic_case_a() if phase is None else swinging_chain(elastic_case_a(), 4e-4, phase)
        found = impacts(run_chain(chain, end_time=1.0, rate=100.0))
        assert len(found) > 4
        e_star = rmi.ratio_star(rmi.effective_mass_ratio(*chain.mass))
        for impact in found:
            after = rmi.relative_velocity_after(e_star, speed=impact.speed, oscillation=impact.oscillation)
            assert impact.after == pytest.approx(after, abs=1e-13)
        for impact, following in itertools.pairwise(found):
            assert following.speed == pytest.approx(impact.after, abs=1e-14)  # nothing acts on the systems


@pytest.mark.parametrize("missing", ["interface", "chaser", "target"])
def test_simulated_systems_with_zero_velocity_ratios_move_on_together(missing):
    known = {"interface": 0.4, "chaser": 1.2, "target": 0.7}
    known.pop(missing)
    ratio = rmi.zero_velocity_ratio(**known)
    assert ratio > 0.0
    assert abs(simulated_velocity_after({**known, missing: ratio})) <= 1e-14
