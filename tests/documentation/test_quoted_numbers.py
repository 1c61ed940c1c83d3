"""Numbers and messages quoted in the documentation are those of the program."""

import functools
import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from tests.documentation.quoted_numbers import assert_quoted, find_numbers

import softdock
from softdock.bench.contact import docking_table
from softdock.bench.docking import accuracy_table
from softdock.campaign.loading import bundled_campaigns, read_campaign
from softdock.campaign.runner import run as run_campaign
from softdock.campaign.table import read_table
from softdock.errors import InputError
from softdock.geometry.cad import read_surface
from softdock.lumped.chain_run import run_chain
from softdock.model.contact_conditions import CONDITION_UNITS, preset_box
from softdock.report.figures import FIGURES
from softdock.report.figures.gnc import (
    AFTER_CONTACT,
    BOXES,
    DISPLAY,
    SPEEDS,
    STRATEGY_RUNS,
    approach_plan,
)
from softdock.report.figures.impact_oscillation import elastic_case_a, impacts
from softdock.report.figures.station import correlation_of_points
from softdock.studio import limits
from softdock.theory.rmi import effective_mass_ratio, predict_impact, zero_velocity_ratio

DOCS = Path(__file__).parents[2] / "docs"
TUTORIALS = DOCS / "tutorials"

E_I = float(effective_mass_ratio(17.0, 2.0, 1.5, 15.0))

Values = Callable[[], Sequence[float]]


@functools.cache
def run(name: str, *changes: str) -> softdock.Result:
    return softdock.simulate(softdock.load(name, changes))


def second_impact():
    return impacts(run_chain(elastic_case_a(), end_time=0.2, rate=100.0))[1]


def metrics(names: str, scenario: str, *changes: str, factor: float = 1.0) -> Values:
    return lambda: [factor * run(scenario, *changes).metrics[name] for name in names.split()]


def predicted(names: str, scenario: str, *changes: str, factor: float = 1.0) -> Values:
    return lambda: [factor * run(scenario, *changes).prediction[name] for name in names.split()]


def time_of(event: str, scenario: str = "assist-soft-docking") -> Values:
    return lambda: [next(e.time for e in run(scenario).events if e.name == event)]


def phase_end(name: str) -> Values:
    return lambda: [next(phase.end for phase in run(SEQUENCE).phases if phase.name == name)]


SOFT, PASSIVE, RIGID = "assist-soft-docking", "assist-passive", "assist-rigid-probe"
SEQUENCE, TIP = "assist-hard-docking", "assist-tip-compliance"
APPROACH, DEGREES = "assist-approach", 180.0 / np.pi
FRICTION = ("latch-paper", "latch.friction=0.1")

QUOTED: list[tuple[str, str, Values]] = [
    ("docking", "| {} s | `first-contact`", time_of("first-contact")),
    ("docking", "| {} s | `entered`", time_of("entered")),
    ("docking", "| {} s | `bottom-contact`", time_of("bottom-contact")),
    ("docking", "| {} s | `opening`", time_of("opening")),
    ("docking", "| {} s | `opened`", time_of("opened")),
    ("docking", "effective mass of {} kg with free joints, and {} kg for a rigid probe",
     predicted("effective_mass_free effective_mass_locked", SOFT)),
    ("docking", "with a peak force of {} N", metrics("peak_contact_force", SOFT)),
    ("docking", "`opening_time`, {} s", metrics("opening_time", PASSIVE)),
    ("docking", "the peak force at the cone is {} N", metrics("peak_contact_force", RIGID)),
    *(
        ("sequence", f"| `{name}` | {what} | {{}} s |", phase_end(name))
        for name, what in (
            ("insertion", "the probe slides in, as in [soft docking](docking.md)"),
            ("pre-tension", "the carriage pulls the probe back"),
            ("clamping", "the collar extends along the probe"),
            ("turning", "drives on the universal joint turn the client upright"),
            ("retracting", "the carriage retracts the client"),
            ("mating", "the fluid plane moves forward"),
            ("latching", "three latches close"),
        )
    ),
    ("sequence", "The largest contact force is {} kN", metrics("peak_contact_force", SEQUENCE, factor=1e-3)),
    ("sequence", "With closed latches it is {} N/µm", metrics("stiffness_hard_dock_z", SEQUENCE, factor=1e-6)),
    ("sequence", "finds {} N/µm along the axis",
     metrics("stiffness_hard_dock_z", SEQUENCE, "duration=20 s", factor=1e-6)),
    ("sequence", "and {} kN m/rad about the lateral axes",
     metrics("stiffness_hard_dock_rx", SEQUENCE, "duration=20 s", factor=1e-3)),
    ("sequence", "with contact forces up to {} kN",
     metrics("peak_contact_force", "assist-hard-docking-extreme", factor=1e-3)),
    ("sequence", "Their energy of {} J", metrics("separation_energy", "assist-undocking")),
    ("sequence", "gives {} mm/s between the spacecraft", metrics("separation_speed", "assist-undocking", factor=1e3)),
    ("sequence", "the widest section of the probe and the throat, {} mm",
     metrics("throat_clearance", "assist-undocking", factor=1e3)),
    ("sequence", "The peak force is {} kN with the joint at the base",
     metrics("peak_contact_force", SOFT, "approach.offset=[20 mm, 0 mm]", factor=1e-3)),
    ("sequence", "base, {} kN with the joint at the tip", metrics("peak_contact_force", TIP, factor=1e-3)),
    ("sequence", "and {} kN without", metrics("peak_contact_force", RIGID, factor=1e-3)),
    ("impact", "*effective mass ratio*, here {}.", predicted("effective_mass_ratio", "impact-a")),
    ("impact", "keeps closing, at {} mm/s", predicted("relative_velocity_after", "impact-a", factor=1e3)),
    ("impact", "are {} mm/s in the simulation", metrics("relative_velocity_after", "impact-a", factor=1e3)),
    ("impact", "and {} mm/s in the prediction", predicted("relative_velocity_after", "impact-a", factor=1e3)),
    ("impact", "move on together: {}.", lambda: [zero_velocity_ratio(chaser=2.0, target=0.3)]),
    ("impact", "first one leaves {} mm/s", metrics("relative_velocity_after", "impact-oscillating", factor=1e3)),
    ("impact", "Centrally, {} mm/s remain", metrics("relative_velocity_after", "air-bearing-central", factor=1e3)),
    ("impact", "0.002 degrees, {} mm/s remain", metrics("relative_velocity_after", "air-bearing-offset", factor=1e3)),
    ("theory/impact", "with $\\delta U$ = {} mm/s at a", lambda: [1e3 * second_impact().oscillation]),
    ("theory/impact", "a closing speed of {} mm/s", lambda: [1e3 * second_impact().speed]),
    ("theory/impact", "(R9) gives {} mm/s, as", lambda: [1e3 * second_impact().after]),
    ("theory/impact", "as simulated, and {} mm/s without", lambda: [1e3 * (1 - 2 * E_I) * second_impact().speed]),
    ("approach", "| {} s | `first-contact`", metrics("t_first_contact", APPROACH)),
    ("approach", "| {} s | `entered`", metrics("t_entered", APPROACH)),
    ("approach", "| {} s | `bottom-contact`", time_of("bottom-contact", APPROACH)),
    ("approach", "| {} s | `opened`", time_of("opened", APPROACH)),
    ("approach", "with a peak force of {} N", metrics("peak_contact_force", APPROACH)),
    ("approach", "The approach uses {} kg of propellant", metrics("propellant", APPROACH)),
    ("approach", "its angle reaches {} degrees", metrics("gimbal_angle_in_flight", APPROACH, factor=DEGREES)),
    ("approach", "| axial speed | {} mm/s", metrics("contact_axial_speed", APPROACH, factor=1e3)),
    ("approach", "| lateral speed | {} mm/s", metrics("contact_lateral_speed", APPROACH, factor=1e3)),
    ("approach", "| offset | {} mm", metrics("contact_offset", APPROACH, factor=1e3)),
    ("approach", "| tilt (pitch and yaw) | {} deg", metrics("contact_tilt", APPROACH, factor=DEGREES)),
    ("approach", "| roll | {} deg", metrics("contact_roll", APPROACH, factor=DEGREES)),
    ("approach", "| tilt rate | {} deg/s", metrics("contact_tilt_rate", APPROACH, factor=DEGREES)),
    ("approach", "| roll rate | {} deg/s", metrics("contact_roll_rate", APPROACH, factor=DEGREES)),
    ("approach", "arrives with an offset of {} mm",
     metrics("contact_offset", APPROACH, "gnc.servicer.navigation.sensor.bias=[0, 0, 0]", factor=1e3)),
    ("approach", "touches at {} mm/s", metrics("contact_axial_speed", "station-approach", factor=1e3)),
    ("approach", "hooks close at {} s", metrics("t_docked", "station-approach")),
    ("approach", "keel top deflects by {} mm", metrics("keel_top_max", "station-approach", factor=1e3)),
    ("approach", "the stack is at rest at {} s", metrics("t_stable", "station-approach")),
    ("latch", "the tip stops at {} of 20 mm", metrics("insertion_max", "latch-paper", factor=1e3)),
    ("latch", "minimum speed, {} m/s", metrics("minimum_speed", "latch-paper")),
    ("latch", "minimum speed rises to {} m/s", metrics("minimum_speed", *FRICTION)),
]  # fmt: skip


@pytest.mark.parametrize(("page", "phrase", "values"), QUOTED, ids=[f"{q[0]}: {q[1][:40]}" for q in QUOTED])
def test_numbers_of_a_run(page: str, phrase: str, values: Values) -> None:
    assert_quoted(page, phrase, values())


def test_the_four_masses_of_the_impact_are_those_of_the_bundled_scenario() -> None:
    arguments = find_numbers("impact", "--m1 {} --m2 {} --m3 {} --m4 {} --speed '{} cm/s'")
    m1, m2, m3, m4, speed = map(float, arguments)
    impact = predict_impact(m1, m2, m3, m4, speed=0.01 * speed)
    assert impact.relative_velocity_after == pytest.approx(
        softdock.predict("impact-a")["relative_velocity_after"]
    )


def test_bounds_of_the_docking() -> None:
    result = run(SOFT)
    first = result.history["bumper-drogue.force"][result.history.time < result.metrics["t_entered"]]
    (force,) = find_numbers("docking", "the force of this contact stays below {} N")
    assert 0.5 * float(force) < first.max() < float(force)
    momentum, energy = find_numbers("docking", "errors of momentum below {}, of energy below {}")
    assert max(result.audit.linear_momentum_drift, result.audit.angular_momentum_drift) < float(momentum)
    assert result.audit.energy_residual < float(energy)


def test_bounds_of_the_impact() -> None:
    (error,) = find_numbers("impact", "errors of momentum and energy are below {}")
    audit = run("impact-a").audit
    assert max(audit.linear_momentum_drift, audit.energy_residual) < float(error)


def test_hold_point_and_empty_tank_of_the_approach() -> None:
    history = run(APPROACH).history
    waiting = history.time[history["servicer.reference"] == 2.0]
    phrase = "| {} s | Hold point at 2 m: at least 10 s; here {} s"
    assert_quoted("approach", phrase, [waiting[0], waiting[-1] - waiting[0]])
    assert run(APPROACH, "gnc.servicer.propellant=0.3 kg").outcome == "out_of_propellant"
    station = run("station-approach")
    box = preset_box("idss").limits()["axial_speed"]
    assert box[0] <= station.metrics["contact_axial_speed"] <= box[1]
    assert history.time[-1] < 300.0


@pytest.mark.long
def test_contact_conditions_of_500_approaches(tmp_path: Path) -> None:
    """The table of the tutorial and the sentences below it, from the bundled campaign."""
    run_campaign(read_campaign(APPROACH), tmp_path / "campaign")
    table = read_table(tmp_path / "campaign")
    assert_quoted("approach", "All {} are captured", [table.outcome.count("captured")])
    assert set(table.outcome) == {"captured"}
    for condition, unit in CONDITION_UNITS.items():
        shown, factor = DISPLAY[unit]
        values = np.abs(table.metrics[f"contact_{condition}"])
        row = f"| {condition.replace('_', ' ')} [{shown}] | {{}} | {{}} | {{}} |"
        found = [factor * x for x in (values.mean(), np.quantile(values, 0.95), values.max())]
        for box in BOXES:
            limits = preset_box(box).limits().get(condition)
            row += "  |" if limits is None else " {} % |"
            if limits is not None:
                found.append(100.0 * np.mean((values >= limits[0]) & (values <= limits[1])))
        assert_quoted("approach", row, found)
    propellant, offset = table.metrics["propellant"], table.metrics["contact_offset"]
    assert_quoted(
        "approach", "Only {} of them arrive more than 20 mm beside the axis", [np.sum(offset > 0.02)]
    )
    phrase = "The propellant is {} kg in the mean and {} kg at most"
    assert_quoted("approach", phrase, [propellant.mean(), propellant.max()])


@pytest.mark.long
def test_strategies_after_the_contact(tmp_path: Path) -> None:
    """Captures and loads of the strategies, from the campaigns of the figure."""
    tables = {}
    for i, (label, (scenario, changes)) in enumerate(AFTER_CONTACT.items()):
        run_campaign(approach_plan(STRATEGY_RUNS, scenario, changes, SPEEDS), tmp_path / str(i))
        tables[label] = read_table(tmp_path / str(i))
    drift, thrust, control = tables.values()
    phrase = "Of {} approaches each, free drift captures {}, thrust {}, continued control {}"
    captured = [table.outcome.count("captured") for table in (drift, thrust, control)]
    assert_quoted("approach", phrase, [STRATEGY_RUNS, *captured])
    low, high = map(
        float, find_numbers("approach", "peak contact force to {} to {} N in nine of ten captures")
    )
    force = thrust.metrics["peak_contact_force"][np.array(thrust.outcome) == "captured"]
    assert np.mean((force >= low) & (force <= high)) >= 0.9
    slow = drift.inputs["gnc.servicer.guidance.min_speed"] < 0.03
    assert np.median(drift.metrics["peak_contact_force"][slow]) < low
    angles = [np.median(table.metrics["gimbal_angle_max"]) for table in (drift, thrust)]
    assert angles[1] > angles[0]
    assert np.median(control.metrics["propellant"]) > np.median(drift.metrics["propellant"])


FINE = ("length=1e-8", "angle=1e-8", "speed=1e-7", "rate=1e-7")
RESOLUTIONS = {
    "cells for 6 N (as bundled)": (),
    "cells for 0.1 N (default)": ("resolved_force=0.1",),
    "the same, quartered": ("resolved_force=0.00625",),
    "plain points, 2 mm apart": ("quadrature=points", "spacing=0.002"),
    "plain points, 1 mm": ("quadrature=points", "spacing=0.001"),
    "plain points, 0.5 mm": ("quadrature=points", "spacing=0.0005"),
}
FINEST = {
    "quartered twice": ("resolved_force=0.000390625",),
    "plain points, 0.25 mm": ("quadrature=points", "spacing=0.00025"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", [*RESOLUTIONS, *(pytest.param(row, marks=pytest.mark.long) for row in FINEST)]
)
def test_convergence_of_the_contact_force(row: str) -> None:
    contacts = [f"contacts.{name}" for name in softdock.load(PASSIVE).contacts]
    changes = [f"integrator.accuracy.{change}" for change in FINE]
    changes += [f"{contact}.{change}" for contact in contacts for change in (RESOLUTIONS | FINEST)[row]]
    names = "peak_contact_force_bumper_drogue peak_contact_force_pantograph_drogue opening_time"
    assert_quoted("docking", f"| {row} | {{}} N | {{}} N | {{}} s |", metrics(names, PASSIVE, *changes)())


@pytest.mark.slow
def test_times_to_open_in_a_campaign() -> None:
    plan = read_campaign("assist-table2", runs=60)
    scenarios = [plan.template.build(inputs) for inputs in plan.inputs(0, 60)]
    results = [softdock.simulate(scenario, with_prediction=False) for scenario in scenarios]
    assert {result.outcome for result in results} == {"rebounded"}
    times = np.array([result.metrics["opening_time"] for result in results])
    fast = np.array([scenario.approach.speed for scenario in scenarios]) > 0.02
    band = (times[fast] >= 1.0) & (times[fast] <= 2.0)
    assert_quoted(
        "docking", "the time to open is between {} and {} s", [times[fast].min(), times[fast].max()]
    )
    assert_quoted("docking", "in {} of {} runs between 1 and 2 s", [band.sum(), fast.sum()])
    assert_quoted("docking", "as the speed falls, up to {} s", [times[~fast].max()])


@pytest.mark.long
def test_phases_reached_in_a_campaign() -> None:
    plan = read_campaign("assist-sequence", runs=24)
    scenarios = [plan.template.build(inputs).without_history() for inputs in plan.inputs(0, 24)]
    results = [softdock.simulate(scenario, with_prediction=False) for scenario in scenarios]
    for name in ("insertion", "clamping", "retracting", "mating", "latching"):
        reached = sum(name in [phase.name for phase in result.phases] for result in results)
        assert_quoted("sequence", f"| `{name}` | {{}} of {{}} |", [reached, 24])


@pytest.mark.slow
def test_rates_of_the_station() -> None:
    names = ("x", "y", "z", "xy", "xz")
    rate = {name: softdock.predict(f"power-tower-{name}") for name in names}
    paper = {name: softdock.predict("power-tower-published", {"direction": name}) for name in names}
    rigid = {name: 1e3 * found["delta_rate_rigid"] for name, found in rate.items()}
    full = {name: 1e3 * found["delta_rate_all_modes"] for name, found in rate.items()}
    few = {name: 1e3 * found["delta_rate"] for name, found in paper.items()}
    assert_quoted("station", "the angular rate changes by {} mrad/s, that of a rigid station by {} mrad/s",
                  [1e3 * rate["x"]["delta_rate"], rigid["x"]])  # fmt: skip
    row = "the same: {} against {} mrad/s at 1 ft/s | the same: {} against {} |"
    assert_quoted("station", row, [few["x"], rigid["x"], full["x"], rigid["x"]])
    both = "the hybrid one does: {} against {} and {} against {}"
    row = f"{both} mrad/s | {both} |"
    numbers = [value for model in (few, full) for key in "yz" for value in (model[key], rigid[key])]
    assert_quoted("station", row, numbers)
    row = "the same: {}, then XY {} and X {} mrad/s | the same: {}, then XY {} and X {} |"
    assert_quoted("station", row, [model[key] for model in (few, full) for key in ("xz", "xy", "x")])


@pytest.mark.slow
def test_deflections_of_the_station() -> None:
    full = {name: run(f"power-tower-{name}", "closing_rate=1 ft/s", "modes=60") for name in ("x", "xy", "xz")}
    few = {name: run("power-tower-published", f"direction={name}") for name in ("x", "xy", "xz")}
    a, b = (
        {key: [found[key].metrics[f"max_deflection_{point}"] for found in (few, full)] for key in few}
        for point in "ab"
    )
    assert_quoted("station", "keel deflects by {} m. `closing_rate`", [a["x"][1]])
    ratio = "{}, {} and {} times for X, XY and XZ | {}, {} and {} times |"
    assert_quoted("station", ratio, [b[key][i] / a[key][i] for i in (0, 1) for key in ("x", "xy", "xz")])
    few_modes = "the same: A {}, {} (XZ) and {} (XY) m, B {}, {} and {} m"
    phrase = f"{few_modes} | X the largest: A {{}}, XY {{}}, XZ {{}} m; B {{}}, {{}} and {{}} m"
    own = [p[key][0] for p in (a, b) for key in ("x", "xz", "xy")]
    assert_quoted("station", phrase, [*own, *(p[key][1] for p in (a, b) for key in ("x", "xy", "xz"))])
    phrase = "(they correlate by {} and {}), not for XY ({}) | in phase for all ({}, {} and {})"
    together = [correlation_of_points(runs[key]) for runs in (few, full) for key in ("x", "xz", "xy")]
    assert_quoted("station", phrase, together)


@pytest.mark.slow
def test_both_methods_side_by_side() -> None:
    for name in ("x", "xy", "xz"):
        values = []
        for found in (run("power-tower-published", f"direction={name}"), run(f"power-tower-{name}")):
            a, b = (found.metrics[f"max_deflection_{point}"] for point in "ab")
            values += [a, b, b / a]
        assert_quoted(
            "theory/flexible",
            f"| {name.upper()} | A {{}}, B {{}}, B/A {{}} | A {{}}, B {{}}, B/A {{}} |",
            values,
        )


def test_ratio_of_deflections_with_the_port_beside_the_modules() -> None:
    """By the paper's method with 0.08 Hz, the port at (-8, 0, 2.44) m."""
    place = ("panel_frequency=0.08 Hz", "visitor.centre=[-10.4, 0, 12.44]", "visitor.port=[-8, 0, 2.44]")
    values = []
    for name in ("x", "xy", "xz"):
        found = run("power-tower-published", f"direction={name}", *place).metrics
        values.append(found["max_deflection_b"] / found["max_deflection_a"])
    assert_quoted("theory/flexible", "panels of 0.08 Hz B/A is {}, {} and {}", values)


def test_static_coordinates_beside_table_1_of_the_station_paper() -> None:
    pound, slug = 0.45359237, 14.593903
    found = run("power-tower-published", "after=1 s")
    largest = max(map(abs, found.metrics["static_coordinates"]))
    units = [
        largest,
        *(
            largest / (mass**0.5 * length)
            for mass, length in ((slug, 0.3048), (pound, 0.3048), (pound, 0.0254))
        ),
    ]
    phrase = "at most {} √kg m ({} √slug ft, {} √lb ft, {} √lb in)"
    assert_quoted("theory/flexible", phrase, units)
    points = [
        found.history[f"tower/{node}.deflection"][0] * 1e6
        for node in ("keel-top", "panel-starboard-outer-upper.4")
    ]
    assert_quoted("theory/flexible", "the points A and B deflect by {} and {} um", points)
    # The momentum of a mode that gives 0.528 sqrt(slug) ft under the acceleration of the orbit, over sqrt(M_s).
    omega = 2.0 * np.pi * found.metrics["free_frequency_1"]
    weight = 3.986004418e14 / 6_878_137.0**2
    momentum = 0.52811 * slug**0.5 * 0.3048 * omega**2 / weight / found.metrics["mass"] ** 0.5
    assert_quoted("theory/flexible", "the whole weight of {} m/s²", [weight])
    assert momentum == pytest.approx(2.5e-5, rel=0.02)


def test_the_drogue_of_the_cad_tutorial() -> None:
    drogue = read_surface(
        files("softdock") / "scenario/bundled/cad/drogue.step", side="inside", density=2700.0
    )
    assert drogue.exact
    assert_quoted("cad", "# True, {}", [drogue.deviation])
    assert_quoted("cad", "print(drogue.mass_properties.mass) # {} kg", [drogue.mass_properties.mass])


@pytest.mark.slow
def test_table_of_accuracies_on_the_theory_page() -> None:
    """Work and residuals vary a little between processors; forces and times must agree."""
    page = (DOCS / "theory" / "multibody.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `assist.*$", accuracy_table(), re.M)
    shown = re.findall(r"^\| `assist.*$", page, re.M)
    assert len(rows) == len(shown) == 12
    for row, quoted_row in zip(rows, shown):
        now, then = (line.strip("| ").split(" | ") for line in (row, quoted_row))
        assert now[:2] == then[:2]
        assert float(now[2]) == pytest.approx(float(then[2]), rel=0.03)
        assert float(now[3]) == pytest.approx(float(then[3]), rel=1e-4)
        assert now[4] == then[4] or float(now[4]) == pytest.approx(float(then[4]), rel=1e-4)
        assert 1 / 3 < float(now[5]) / float(then[5]) < 3


def test_table_of_quadratures_on_the_theory_page() -> None:
    page = (DOCS / "theory" / "contact.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:cut cells|points).* \| [\d.]+ \| [\d.]+ \|$", docking_table(), re.M)
    assert len(rows) == 6
    for row in rows:
        name, *now = row.strip("| ").split(" | ")
        then = re.search(rf"^\| {re.escape(name)} \| ([\d.]+) \| ([\d.]+) \|$", page, re.M)
        assert then is not None, name
        assert [float(x) for x in then.groups()] == pytest.approx([float(x) for x in now], rel=1e-4)


def test_changes_between_quadratures_are_those_of_the_table() -> None:
    page = (DOCS / "theory" / "contact.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (cut cells.*?|points.*?) \| ([\d.]+) \| ([\d.]+) \|$", page, re.M)
    values = {name: np.array([float(force), float(time)]) for name, force, time in rows}
    changes = {name: np.abs(100.0 * (value / values["cut cells"] - 1.0)) for name, value in values.items()}
    quartered, bundled = changes["cut cells, quartered"], changes["cut cells for 6 N"]
    phrase = "Quartered cells change the peak by {} % and the opening time by {} %"
    assert_quoted("theory/contact", phrase, quartered)
    assert_quoted("theory/contact", "whose forces reach hundreds of newtons, by {} % and {} %", bundled)
    points = [change[1] for name, change in changes.items() if name.startswith("points")]
    assert_quoted("theory/contact", "which change the opening time by {} to {} %", [min(points), max(points)])


def test_limits_of_the_studio() -> None:
    page = re.sub(r"\s+", " ", (DOCS / "studio.md").read_text(encoding="utf-8"))
    assert (
        f"at most {limits.LONGEST:.0f} s of simulated time, {limits.MOST_ROWS // 1000} 000 recorded rows, "
        f"{limits.MOST_BODIES} bodies, {limits.MOST_MODES} modes of a structure, {limits.MOST_ELEMENTS} elements "
        f"of beams and panels, {limits.LONGEST_WALL / 60:.0f} minutes of computing time and "
        f"{limits.MEMORY / 1e9:.0f} GB of memory"
    ) in page


def test_messages_of_a_scenario_file(tmp_path: Path) -> None:
    page = (DOCS / "scenario-files.md").read_text(encoding="utf-8")
    messages = re.findall(r"^    my-case\.yaml:\d+: (.*)$", page, re.M)
    text = "softdock: 1\nkind: chain\ntitle: A case\nchaser:\n  mases: [1, 2]\nspeed: 5 kg\ntarget: {masses: [1]}\n"
    file = tmp_path / "my-case.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        softdock.load(file)
    found = [str(problem) for problem in refused.value.problems]
    assert len(messages) == 2
    assert all(any(one.endswith(message) for one in found) for message in messages)


def test_message_of_a_surface_with_a_hole() -> None:
    page = re.sub(r"\s+", " ", (TUTORIALS / "cad.md").read_text(encoding="utf-8"))
    with pytest.raises(InputError) as refused:
        read_surface(Path(__file__).parents[1] / "geometry" / "files" / "flange.step")
    message = str(refused.value)
    assert message[message.index("flange.step") :] in page


COMMAND = re.compile(r"^    softdock (?:run|predict|campaign run|figures) ([a-z][\w-]*)(?= |$)", re.M)


def test_scenarios_named_in_commands_exist() -> None:
    known = {scenario.name for scenario in softdock.bundled()} | set(bundled_campaigns()) | set(FIGURES)
    pages = [DOCS.parent / "README.md", *DOCS.rglob("*.md")]
    named = {name for page in pages for name in COMMAND.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 10
    assert named <= known
