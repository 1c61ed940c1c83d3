"""The reference mechanism meets the statements of the ASSIST paper; campaigns of section 4.1; orbits of its clients."""

import math

import numpy as np
import pytest
from mechanism.design_study import (
    ENERGY,
    STIFFNESS,
    STROKE,
    Design,
    largest_reference,
    least_lever,
    spring_energy,
)
from tests.documentation.quoted_numbers import assert_quoted

from softdock import Campaign, load, simulate
from softdock.orbit.kepler import SOLAR_PRESSURE


def test_the_lever_covers_the_largest_offset():
    """The travel of the joint moves the tip by 20 mm."""
    travel = load("assist-soft-docking").to_data()["stops"]["gimbal-stop"]["limit"]
    assert Design.bundled().lever * math.sin(travel) >= 0.020
    assert least_lever() == pytest.approx(0.2295, abs=5e-5)


def test_the_energy_of_an_exponential_spring_is_the_work_of_its_force():
    s = np.linspace(0.0, STROKE, 20_001)
    force = STIFFNESS * s * (1.0 + (s / 2.6e-3) ** 4)
    assert spring_energy(STROKE, STIFFNESS, 2.6e-3) == pytest.approx(np.trapezoid(force, s), rel=1e-6)


def test_the_softest_bumper_stores_the_energy_of_table_2():
    reference = largest_reference()
    assert spring_energy(STROKE, STIFFNESS, reference) == pytest.approx(ENERGY, rel=1e-12)
    assert Design.bundled().bumper_reference <= reference == pytest.approx(2.65e-3, abs=5e-6)


def test_the_scenario_of_the_study_is_the_bundled_one():
    """Its profiles come from the parameters, those of the scenario from STEP files."""
    study, bundled = (
        simulate(scenario, with_prediction=False)
        for scenario in (Design.bundled().scenario(), "assist-soft-docking")
    )
    for name in ("t_bottom_contact", "peak_contact_force", "gimbal_angle_max"):
        assert study.metrics[name] == pytest.approx(bundled.metrics[name], rel=1e-3)


@pytest.mark.slow
def test_runs_of_the_tables_stay_within_the_travel():
    table = Campaign("assist-table2", runs=60).run(progress=False).table()
    assert np.degrees(table["gimbal_angle_max"].max()) < 5.0
    assert table["bumper_stroke_max"].max() < STROKE
    assert table["opening_time"][table["approach.speed"] > 0.02].min() >= 1.0


@pytest.mark.slow
def test_the_place_of_the_compliance_decides_about_captures():
    """Section 4.1: the same approaches with the joint at the base, at the tip, and without."""
    tables = [
        Campaign(f"assist-compliance-{place}", runs=24).run(progress=False).table()
        for place in ("base", "tip", "rigid")
    ]
    for table in tables[1:]:
        assert (table["approach.speed"] == tables[0]["approach.speed"]).all()
    base, tip, rigid = (np.mean(table["outcome"] == "captured") for table in tables)
    assert base == 1.0
    assert rigid < tip < base


def test_alignment_pins_carry_load_in_the_nominal_hard_docking():
    result = simulate("assist-hard-docking", with_prediction=False)
    assert result.outcome == "mated"
    assert_quoted("sequence", "the pins turn it and carry {} kN", [1e-3 * result.metrics["pin_force"]])


def test_sunlight_moves_the_client_in_geostationary_orbit():
    """In 100 s without contact by half of acceleration times time squared; it hardly turns in that time."""
    dark = {"orbit.sun": None, "orbit.plates": {}}
    far = {"duration": "100 s", "approach.distance": "25 m"}
    lit, unlit = (
        simulate(load("assist-approach-geo", far | changes), with_prediction=False) for changes in ({}, dark)
    )
    moved = [lit.history[f"client.{axis}"][-1] - unlit.history[f"client.{axis}"][-1] for axis in "xyz"]
    scenario = load("assist-approach-geo")
    sun = np.array(scenario.orbit.sun) / np.linalg.norm(scenario.orbit.sun)
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # 90 deg about y
    force = np.zeros(3)
    for plate in scenario.orbit.plates.values():
        normal = turn @ np.array(plate.normal) / np.linalg.norm(plate.normal)
        facing = float(normal @ sun)
        if plate.body == "client" and facing > 0.0:
            light = (1.0 - plate.specular) * sun
            light += 2.0 * (plate.specular * facing + plate.diffuse / 3.0) * normal
            force -= SOLAR_PRESSURE * plate.area * facing * light
    mass = scenario.bodies["client"].mass
    # The pressure at the distance of the Earth, which varies by 3.3 % over the year; the client turns by some mrad.
    assert moved == pytest.approx((0.5 * force / mass * 100.0**2).tolist(), rel=0.01)


@pytest.mark.parametrize("name", ["assist-approach-geo", "assist-approach-leo", "module-exchange-geo"])
@pytest.mark.slow
def test_dockings_in_other_orbits_succeed(name):
    result = simulate(name, with_prediction=False)
    assert result.outcome == ("exchanged" if name == "module-exchange-geo" else "captured")
