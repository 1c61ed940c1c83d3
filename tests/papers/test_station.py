"""Bundled station scenarios: the paper's table, closed forms and mutual agreement."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import softdock
from softdock.cli import app
from softdock.dynamics.kernels.recording.evaluation import AFTER_JUMP
from softdock.errors import InputError
from softdock.flexible import base_modes, mesh
from softdock.flexible.station import APPROACHES, dock, power_tower

FEET = 0.3048
FREE = (0.05461, 0.05478, 0.05497, 0.05497, 0.05500, 0.05500, 0.06080, 0.06084)


@pytest.fixture(scope="module")
def docked() -> dict:
    done = CliRunner().invoke(app, ["run", "power-tower-x", "--set", "closing_rate=1 ft/s", "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_tables_of_the_paper_are_reproduced(docked: dict) -> None:
    m = docked["metrics"]
    for name, table in (
        ("mass", 120_710.0),
        ("inertia_xx", 8.5620e7),
        ("inertia_yy", 7.8819e7),
        ("inertia_zz", 1.0718e7),
        ("inertia_xz", 3.1455e5),
    ):
        assert m[name] == pytest.approx(table, rel=1e-3), name
    assert m["delta_rate_rigid"] == pytest.approx(3.712e-3, rel=1e-3)
    assert m["delta_rate"] == pytest.approx(9.72e-3, rel=1e-3)
    assert m["delta_rate_all_modes"] == pytest.approx(9.715e-3, rel=1e-3)
    assert m["modes"] == 200
    for i, frequency in enumerate(FREE, start=1):
        assert m[f"free_frequency_{i}"] == pytest.approx(frequency, rel=1e-3)
        assert m[f"coupled_frequency_{i}"] == pytest.approx(m[f"free_frequency_{i}"], rel=1e-6)
    assert docked["outcome"] == "docked"


def test_the_run_agrees_with_the_weld_impulse(docked: dict) -> None:
    """The change of rate in orbit after an approach of 50 s, compared with the weld of a station at rest."""
    m = docked["metrics"]
    assert m["delta_rate_simulated"] == pytest.approx(m["delta_rate"], rel=1e-4)
    assert docked["audit"]["energy_residual"] < 1e-5
    assert [event["name"] for event in docked["events"]] == ["docking"]
    assert docked["events"][0]["time"] == pytest.approx(50.0)


@pytest.mark.parametrize("direction", APPROACHES)
def test_every_approach_agrees_with_free_vibration(direction: str) -> None:
    """A run with few modes agrees with the exact propagation of small motions of base and modes in free space."""
    from softdock.flexible import propagate_free_vibration
    from softdock.flexible.station import Orbiter

    # Deflections along z are a tenth of the others: a faster docking keeps them far above the accuracy of lengths.
    speed = 0.02 if direction == "z" else 0.002
    change = {"modes": 28, "panel_elements": 4, "orbit": None, "after": "60 s", "closing_rate": speed}
    result = softdock.simulate(softdock.load(f"power-tower-{direction}", change))
    scenario = softdock.load("power-tower-x")
    orbiter = Orbiter(centre=scenario.visitor.centre)
    tower = power_tower(panel_elements=4, panel_frequency=scenario.panel_frequency)
    modes = base_modes(mesh(tower), "foot", 28)
    impulse = dock(modes, speed, np.array(APPROACHES[direction]), orbiter)
    free_vibration = propagate_free_vibration(
        modes, motion=impulse.motion, modal_rate=impulse.modal_rate, end=60.0, step=0.02, damping=0.01,
        body=orbiter.inertia_about_foot(),
    )  # fmt: skip
    assert result.metrics["delta_rate"] == pytest.approx(impulse.delta_rate, rel=1e-9)
    assert result.metrics["delta_rate_simulated"] == pytest.approx(impulse.delta_rate, rel=1e-5)
    for key, node in (("a", "keel-top"), ("b", "panel-starboard-outer-upper.2")):
        wanted = np.linalg.norm(free_vibration.deflection(node)[:, 3:], axis=1).max()
        assert result.metrics[f"max_deflection_{key}"] == pytest.approx(wanted, rel=1e-3)
    assert result.audit.linear_momentum_drift < 1e-12
    assert result.audit.angular_momentum_drift < 1e-12


def test_the_rigid_station_and_the_closing_rate() -> None:
    rigid, faster = (
        softdock.simulate(
            softdock.load("power-tower-y", {"model": "rigid", "closing_rate": rate, "after": "1 s"})
        )
        for rate in ("1 ft/s", "1.5 ft/s")
    )
    assert rigid.metrics["modes"] == 0
    assert rigid.metrics["delta_rate"] == rigid.metrics["delta_rate_rigid"]
    assert rigid.metrics["delta_rate_simulated"] == pytest.approx(rigid.metrics["delta_rate"], rel=1e-4)
    assert rigid.metrics["max_deflection_a"] == 0.0
    assert faster.metrics["delta_rate"] == pytest.approx(1.5 * rigid.metrics["delta_rate"], rel=1e-12)


def test_loads_at_the_docking_port_are_metrics(docked: dict) -> None:
    assert [(one["name"], one["kind"]) for one in docked["loads"]] == [("hard-dock", "lock")]
    lock, m = docked["loads"][0], docked["metrics"]
    assert m["peak_force_hard_dock"] == lock["peak_force"] > 0.0
    assert m["peak_moment_hard_dock"] == lock["peak_moment"] > 0.0
    assert set(m) <= set(softdock.load("power-tower-x").metric_units())


def test_impulse_of_docking_is_the_change_of_momentum_of_the_visitor() -> None:
    """Against the run of a rigid station; the angular impulse is about the port, from the change of spin."""
    change = {"model": "rigid", "orbit": None, "after": "1 s", "before": "1 s", "closing_rate": "0.1 m/s"}
    scenario = softdock.load("power-tower-xz", change)
    result = softdock.simulate(scenario)
    h, v = result.history, scenario.visitor
    before, after = (int(np.searchsorted(h.time, t)) for t in (0.5, 1.001))
    velocity, rate = (
        np.array([h[f"visitor.{name}{axis}"][after] - h[f"visitor.{name}{axis}"][before] for axis in "xyz"])
        for name in ("v", "w")
    )
    impulse = -v.mass * velocity  # on the station
    assert result.metrics["docking_impulse"] == pytest.approx(np.linalg.norm(impulse), rel=1e-3)
    about_port = -np.array(v.inertia) * rate + np.cross(np.subtract(v.centre, v.port), impulse)
    assert result.metrics["docking_angular_impulse"] == pytest.approx(np.linalg.norm(about_port), rel=1e-3)


def test_docking_by_contact_reports_the_load_of_the_catch() -> None:
    """At the touch the dampers of the catch carry 2 m (2 pi / T) v with the effective mass m; its springs act later."""
    change = {"model": "rigid", "orbit": None, "after": "3 s", "before": "1 s", "contact_time": "0.5 s"}
    scenario = softdock.load("power-tower-x", change)
    result = softdock.simulate(scenario)
    A = np.diag(scenario.flexible().find_modes(scenario.directory).articulated_inertia)
    mass = 1.0 / (1.0 / A[3:].mean() + 1.0 / scenario.visitor.mass)
    catch = next(one for one in result.loads if one.name == "catch")
    wanted = 2.0 * mass * (2.0 * np.pi / 0.5) * scenario.closing_rate
    assert catch.peak_force == pytest.approx(wanted, rel=1e-6)
    assert catch.t_peak_force == pytest.approx(1.0 + AFTER_JUMP, abs=1e-9)  # the catch is switched on at 1 s
    assert result.metrics["peak_force_catch"] == catch.peak_force
    assert result.units["peak_moment_catch"] == "N*m"
    assert set(result.metrics) <= set(scenario.metric_units())


def test_modes_are_chosen_by_their_residual_inertia() -> None:
    change = {"modes": {"residual": 0.1}, "panel_elements": 4, "after": "1 s", "before": "1 s"}
    result = softdock.simulate(softdock.load("power-tower-x", change))
    assert result.metrics["residual_inertia"] <= 0.1
    assert result.metrics["modes"] < 30


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"modes": 5000}, "modes: Must be at most 689"),
        ({"modes": 744}, "modes: Must be at most 689"),
        ({"orbit.altitude": "-10 km"}, "intersects the Earth"),
        ({"direction": [0, 0, 0]}, "zero vector"),
        ({"point_a": "keel-tip"}, "no node 'keel-tip'"),
        ({"closing_rate": "1 kg"}, "closing_rate"),
        ({"modes": {"residual": 0.01, "below": "1 Hz"}}, "exactly one of below, share and residual"),
        ({"modes": -1}, "with keys such as below, share, residual"),
        ({"closing_rate": "-1 ft/s"}, "closing_rate: Must be at least 0 m/s"),
        ({"visitor.inertia": [1, 1, 100]}, "visitor.inertia: Is impossible"),
        ({"visitor.inertia": [0, 0, 0]}, "visitor.inertia: Must not be zero"),
        ({"record_rate": "1 MHz"}, "record_rate: Would record 2e.08 rows"),
        ({"contact_time": "60 s"}, "after: Must be longer than it takes to join the two"),
        (
            {"orbit.plates": {"p": {"body": "nope", "normal": [1, 0, 0], "area": 3}}},
            "orbit.plates.p.body: .*'nope'",
        ),
    ],
)
def test_bad_input_is_refused(change: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        softdock.load("power-tower-x", change)


def test_the_prediction_agrees_with_the_run(docked: dict) -> None:
    expected = softdock.predict("power-tower-x")
    assert expected is not None
    assert expected["delta_rate_simulated"] == pytest.approx(
        docked["metrics"]["delta_rate_simulated"], rel=1e-4
    )
    assert docked["prediction"]["delta_rate_rigid"] == pytest.approx(3.712e-3, rel=1e-3)


def test_a_station_with_fewer_modes_than_are_shown(tmp_path: Path) -> None:
    """A mast of one beam has six modes on its base; the run shows all of them."""
    file = tmp_path / "mast.yaml"
    file.write_text(
        "softdock: 1\nkind: station\nclosing_rate: 0.1 m/s\npoint_a: top\nmodes: 3\nbefore: 1 s\nafter: 1 s\n"
        "structure:\n"
        "  nodes: {foot: [0, 0, 0], top: [0, 0, -40]}\n"
        "  sections: {mast: {axial: 1e7, bending_y: 2e6, bending_z: 2e6, torsion: 1e6, mass_per_length: 9, polar: 1}}\n"
        "  beams: {mast: {nodes: [foot, top], section: mast}}\n"
        "  parts: {bus: {node: foot, mass: 8 t, inertia: [2e4, 2e4, 1e4]}}\n",
        encoding="utf-8",
    )
    metrics = softdock.simulate(softdock.load(file)).metrics
    assert "free_frequency_6" in metrics
    assert "free_frequency_7" not in metrics


@pytest.mark.parametrize("modes", ["0", "all"])
def test_a_station_of_one_rigid_part(tmp_path: Path, modes: str) -> None:
    file = tmp_path / "bus.yaml"
    file.write_text(
        f"softdock: 1\nkind: station\nclosing_rate: 0.1 m/s\npoint_a: foot\nmodes: {modes}\nbefore: 1 s\nafter: 1 s\n"
        "structure: {nodes: {foot: [0, 0, 0]}, parts: {bus: {node: foot, mass: 8 t, inertia: [2e4, 2e4, 1e4]}}}\n",
        encoding="utf-8",
    )
    metrics = softdock.simulate(softdock.load(file)).metrics
    assert metrics["delta_rate"] == metrics["delta_rate_rigid"] > 0.0
    assert metrics["delta_rate_simulated"] == pytest.approx(metrics["delta_rate"], rel=1e-4)


def test_a_base_with_too_little_mass_gives_a_message(tmp_path: Path) -> None:
    """Deflected modes make the articulated inertia indefinite: the run ends with a message."""
    file = tmp_path / "light.yaml"
    file.write_text(
        "softdock: 1\nkind: station\nclosing_rate: 0.3 m/s\npoint_a: top\nmodes: all\nbefore: 1 s\nafter: 20 s\n"
        "structure:\n"
        "  nodes: {foot: [0, 0, 0], top: [0, 0, -40]}\n"
        "  sections: {mast: {axial: 1e7, bending_y: 2e6, bending_z: 2e6, torsion: 1e6, mass_per_length: 90,"
        " polar: 9}}\n"
        "  beams: {mast: {nodes: [foot, top], section: mast, elements: 6}}\n"
        "  parts: {bus: {node: foot, mass: 1 kg, inertia: [1, 1, 1]}}\n",
        encoding="utf-8",
    )
    result = softdock.simulate(softdock.load(file), with_prediction=False)
    assert (result.outcome, result.completed) == ("step_too_small", False)
    assert "more mass" in result.message
