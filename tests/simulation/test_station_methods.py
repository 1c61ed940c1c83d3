"""Scenarios of kind `station`: the paper's own method beside the multibody core, modes from files, crew and payload."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softdock
from softdock.errors import InputError
from softdock.flexible import RigidPart, Structure, free_modes, mesh
from softdock.flexible.station import power_tower
from softdock.replay.station import build
from softdock.scenario.station import StationScenario
from softdock.scenario.station_crew import CrewMotion

MAST = (
    "softdock: 1\nkind: station\nclosing_rate: 0.1 m/s\npoint_a: top\nbefore: 1 s\nafter: 20 s\norbit: null\n"
    "damping: 0\nmodes: all\nsimulated_below: 1000 Hz\n"
    "structure:\n"
    "  nodes: {foot: [0, 0, 0], top: [0, 0, -40]}\n"
    "  sections: {mast: {axial: 1e7, bending_y: 2e6, bending_z: 2e6, torsion: 1e6, mass_per_length: 9, polar: 1}}\n"
    "  beams: {mast: {nodes: [foot, top], section: mast, elements: 2}}\n"
    "  parts: {bus: {node: foot, mass: 8 t, inertia: [2e4, 2e4, 1e4]}}\n"
    "visitor: {mass: 5 t, inertia: [9e3, 8e3, 7e3], centre: [-2, 0.5, 3], port: [-1, 0, 1]}\n"
)


def mast(folder: Path, text: str = MAST, **changes: Any) -> StationScenario:
    file = folder / "mast.yaml"
    file.write_text(text, encoding="utf-8")
    scenario = softdock.load(file, changes)
    assert isinstance(scenario, StationScenario)
    return scenario


def test_both_methods_agree_with_all_modes(tmp_path: Path) -> None:
    """All modes span the same motions: same frequencies, impulse and vibration; small angles, no damping."""
    slow = {"closing_rate": "1 mm/s", "direction": "xy"}
    core = softdock.simulate(mast(tmp_path, **slow)).metrics
    published = {"method": "published", "published.modes": "all", "published.step": "1 ms"}
    paper = softdock.simulate(mast(tmp_path, **slow, **published)).metrics
    for i in range(1, 9):
        for kind in ("free", "docked"):
            assert paper[f"{kind}_frequency_{i}"] == pytest.approx(core[f"{kind}_frequency_{i}"], rel=1e-6)
    for name in (
        "delta_rate",
        "delta_rate_rigid",
        "delta_velocity",
        "docking_impulse",
        "docking_angular_impulse",
        "docking_loss",
        "mass",
    ):
        assert paper[name] == pytest.approx(core[name], rel=1e-6), name
    assert paper["delta_rate_simulated"] == pytest.approx(core["delta_rate_simulated"], rel=1e-5)
    # Rows every 0.1 s of modes up to 0.2 Hz miss up to (omega h)^2 / 8 of a peak; higher ones hardly move.
    assert paper["max_deflection_a_from_base"] == pytest.approx(core["max_deflection_a"], rel=5e-3)


def test_the_published_run_is_consistent() -> None:
    result = softdock.simulate("power-tower-published", {"after": "20 s"})
    m = result.metrics
    assert (result.outcome, result.valid, m["modes"]) == ("docked", "yes", 8)
    assert m["delta_rate_simulated"] == pytest.approx(m["delta_rate"], rel=1e-9)
    assert result.audit.linear_momentum_drift is not None
    assert result.audit.linear_momentum_drift < 1e-12
    assert result.audit.energy_residual is not None
    assert result.audit.energy_residual < 1e-9  # (omega h)^6 / 72 per step, 7000 steps
    assert set(m) <= {*softdock.load("power-tower-published").metric_units(), "static_coordinates"}
    h = result.history
    jump = int(np.searchsorted(h["time"], 50.0000005))
    for node in ("keel-top", "panel-starboard-outer-upper.4"):  # deflections do not jump, rates do
        d = h[f"tower/{node}-from-base.dx"]
        assert abs(d[jump] - d[jump - 1]) < 1e-6
    assert h["station.x"][jump] == pytest.approx(h["station.x"][jump - 1], abs=1e-6)
    rate = np.array([h[f"station.w{a}"][jump] - h[f"station.w{a}"][jump - 1] for a in "xyz"])
    assert np.linalg.norm(rate) == pytest.approx(m["delta_rate"], rel=1e-6)


def test_runge_kutta_of_the_published_run_has_converged() -> None:
    runs = [
        softdock.simulate("power-tower-published", {"after": "60 s", "published.step": step}).metrics
        for step in ("10 ms", "5 ms")
    ]
    for name in ("max_deflection_a", "max_deflection_b"):
        assert runs[0][name] == pytest.approx(runs[1][name], rel=1e-8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "rigid"}, "model: Must be `hybrid`"),
        ({"contact_time": "1 s"}, "contact_time: Must be left out"),
        ({"crew": {"a": {"activity": "walk", "direction": [1, 0, 0]}}}, "crew: Must be left out"),
        ({"orbit.j2": True}, "orbit: Must be circular"),
        ({"published.step": "0.1 s", "published.modes": 200}, "published.step: Must be at most"),
        ({"published.modes": 9000}, "published.modes: Must be at most"),
        ({"point_a": "keel-tip"}, "no node 'keel-tip'"),
        ({"base_node": "nowhere"}, "no node 'nowhere'"),
        ({"published.docked": {"file": "d.npz"}}, "published.alone: Must be given together"),
        ({"published.alone": {"file": "no.npz"}}, "no.npz"),
    ],
)
def test_bad_input_of_the_published_method_is_refused(change: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        softdock.load("power-tower-published", change)


def write_free_modes(folder: Path, members: Structure, name: str, count: int) -> None:
    """Write free-free modes with their rigid-body modes in front, as other programs do."""
    meshed = mesh(members)
    modes = free_modes(meshed, count)
    R = meshed.rigid_motions(meshed.positions[0])
    rigid = np.linalg.solve(np.linalg.cholesky(R.T @ (meshed.mass @ R)), R.T).T
    elastic = modes.shapes.reshape(-1, count)
    np.savez(
        folder / name,
        names=np.array(meshed.names),
        positions=meshed.positions,
        frequency=np.concatenate([np.zeros(6), modes.frequency]),
        shapes=np.concatenate([rigid, elastic], axis=1).reshape(len(meshed.names), 6, -1),
        mass=meshed.mass.toarray(),
    )


def test_free_modes_of_another_program_give_the_same_run(tmp_path: Path) -> None:
    scenario = mast(tmp_path, method="published", **{"published.modes": 6})
    own = softdock.simulate(scenario).metrics
    members, v = scenario.members(), scenario.visitor
    visitor = RigidPart(node="foot", mass=v.mass, centre_of_mass=v.centre, inertia=v.inertia)
    write_free_modes(tmp_path, members, "alone.npz", 12)
    joined = members.model_copy(update={"parts": {**members.parts, "visitor": visitor}})
    write_free_modes(tmp_path, joined, "docked.npz", 12)
    text = MAST[: MAST.index("structure:")] + MAST[MAST.index("visitor:") :]
    text += "method: published\npublished: {modes: 6, alone: {file: alone.npz}, docked: {file: docked.npz}}\n"
    found = softdock.simulate(mast(tmp_path, text)).metrics
    for name in (
        "delta_rate",
        "docking_loss",
        "max_deflection_a",
        "docked_frequency_6",
        "mass",
        "inertia_xx",
    ):
        assert found[name] == pytest.approx(own[name], rel=1e-7), name
    # A replay draws the bodies: nodes that are joined by beams are not in the files.
    scene = build(softdock.simulate(mast(tmp_path, text)))
    assert {node.name for node in scene.nodes} >= {"station", "visitor"}
    # One set is enough: that of station and visitor follows, with errors of the modes that are not in the file.
    only = softdock.simulate(mast(tmp_path, text.replace(", docked: {file: docked.npz}", ""))).metrics
    assert only["docked_frequency_1"] == pytest.approx(own["docked_frequency_1"], rel=1e-3)
    with pytest.raises(InputError, match=r"Cannot be combined with `published\.alone`"):
        mast(tmp_path, text + "payload: {p: {node: foot, mass: 1 t}}\n")


def test_clamped_modes_are_refused_as_free_ones(tmp_path: Path) -> None:
    from softdock.flexible import base_modes

    meshed = mesh(mast(tmp_path).members())
    clamped = base_modes(meshed, "foot", 6)
    np.savez(
        tmp_path / "alone.npz", names=np.array(meshed.names), positions=meshed.positions,
        frequency=clamped.frequency, shapes=clamped.shapes, mass=meshed.mass.toarray(),
    )  # fmt: skip
    text = MAST[: MAST.index("structure:")] + MAST[MAST.index("visitor:") :]
    with pytest.raises(InputError, match="ust be modes of the free structure"):
        mast(tmp_path, text + "method: published\npublished: {alone: {file: alone.npz}}\n")


def test_payload_is_part_of_the_station() -> None:
    empty, loaded = (softdock.load(name) for name in ("power-tower-x", "power-tower-payload"))
    assert isinstance(loaded, StationScenario)
    assert isinstance(empty, StationScenario)
    change = mesh(loaded.members()).mass_properties().mass - mesh(empty.members()).mass_properties().mass
    assert change == pytest.approx(sum(part.mass for part in loaded.payload.values()), rel=1e-9)
    with pytest.raises(InputError, match=r"payload\.base: The name"):
        softdock.load("power-tower-x", {"payload": {"base": {"node": "foot", "mass": "1 t"}}})
    with pytest.raises(InputError, match="no node"):
        softdock.load("power-tower-x", {"payload": {"pod": {"node": "foo", "mass": "1 t"}}})
    assert set(mesh(power_tower()).names) == set(mesh(loaded.members()).names)


@pytest.mark.parametrize("activity", ["push-off", "walk", "console-kick"])
def test_crew_motion_moves_the_centre_of_mass_of_the_station_back(activity: str) -> None:
    """In free space: momentum stays zero, and the rigid station shifts by way times mass ratio, with its CM."""
    change = {
        "model": "rigid", "orbit": None, "closing_rate": 0, "before": "1 s", "after": "60 s",
        "crew": {"one": {"activity": activity, "direction": [0, 0, 2], "start": "2 s", "at": [0.3, 0, 0]}},
    }  # fmt: skip
    scenario = softdock.load("power-tower-x", {**change, "before": "59 s", "after": "2 s"})
    assert isinstance(scenario, StationScenario)
    motion = scenario.crew["one"]
    result = softdock.simulate(scenario)
    h = result.history
    last = int(np.searchsorted(h["time"], 58.0))
    way = h["crew-one.joint"][last]
    assert way == pytest.approx(motion.way(), rel=1e-6)
    station = 120_710.0
    shift = h["station.z"][last] - h["station.z"][0]
    # The station also turns by the offset of the line from its centre of mass, by way m d^2 / I: below 1e-4 of this.
    assert shift == pytest.approx(-way * motion.moving_mass() / (station + motion.moving_mass()), rel=1e-3)
    assert result.audit.linear_momentum_drift is None or result.audit.linear_momentum_drift < 1e-9
    assert result.metrics["peak_force_crew_one_motion"] == pytest.approx(motion.peak_force(), rel=0.1)
    assert set(result.metrics) <= set(scenario.metric_units())


def test_duration_of_a_crew_motion() -> None:
    coasting = CrewMotion(activity="walk", direction=(1, 0, 0), mass=80, force=40, speed=1, distance=10)
    assert coasting.duration() == pytest.approx(
        10.0 + 2.0
    )  # 2 s of acceleration and 2 s of deceleration at half speed
    short = CrewMotion(activity="walk", direction=(1, 0, 0), mass=80, force=40, speed=10, distance=2)
    assert short.duration() == pytest.approx(4.0)
    with pytest.raises(InputError, match="must end in the run"):
        softdock.load(
            "power-tower-x", {"crew": {"a": {"activity": "walk", "direction": [1, 0, 0], "start": "190 s"}}}
        )


def test_the_visitor_reaches_the_port_of_a_station_whose_crew_moves() -> None:
    change = {
        "modes": 20, "after": "1 s", "crew": {"one": {"activity": "push-off", "direction": [0, 0, 1], "start": "5 s"}},
    }  # fmt: skip
    result = softdock.simulate("power-tower-x", change)
    m = result.metrics
    assert m["delta_rate_simulated"] == pytest.approx(
        m["delta_rate"], rel=5e-3
    )  # the crew's mass is not in the weld
    h, v = result.history, softdock.load("power-tower-x").visitor
    at = int(np.searchsorted(h["time"], 50.0))
    q = np.array([h[f"station.q{a}"][at] for a in "wxyz"])
    from softdock.spatial.rotations import matrix_from_quaternion

    offset = np.array([h[f"visitor.{a}"][at] - h[f"station.{a}"][at] for a in "xyz"])
    np.testing.assert_allclose(matrix_from_quaternion(q).T @ offset, v.centre, atol=1e-6)


def test_a_published_run_can_be_replayed(tmp_path: Path) -> None:
    result = softdock.simulate("power-tower-published", {"after": "10 s"})
    scene = build(result)
    tower = next(node for node in scene.nodes if node.name == "tower")
    assert "weights" in tower.tracks


def test_the_published_run_is_repeated_with_half_the_step_to_check_convergence() -> None:
    from softdock.simulation.convergence import check_convergence

    (half,) = check_convergence(softdock.simulate("power-tower-published", {"after": "10 s"}))
    assert half.title == "half the step"
    assert abs(half.changes["max_deflection_b"]) < 1e-6
