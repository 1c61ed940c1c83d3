"""Scenes: size and orientation of solids, and arrows at the point of contact."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import trimesh
from tests.replay import runs

import softdock
from softdock.errors import InputError
from softdock.geometry.vertices import profile_from_list
from softdock.replay import forces, solids
from softdock.replay.equivalent_box import equivalent_box
from softdock.replay.keyframes import simplified_rows
from softdock.replay.scene import Mesh, Role
from softdock.replay.scene_builder import scene
from softdock.result import Result


def solid(mesh: Mesh) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.points, mesh.indices, process=False).merge_vertices() or trimesh.Trimesh(
        mesh.points, mesh.indices
    )


@pytest.mark.parametrize(
    ("mesh", "volume", "tolerance"),
    [
        (solids.box(np.array([1.0, 2.0, 3.0])), 6.0, 1e-12),
        (solids.ball(2.0), 4.0 / 3.0 * math.pi * 8.0, 0.03),
        (solids.rod(0.5, 2.0), math.pi * 0.5, 0.03),
        (solids.coil(1.0, 5, 0.1), math.pi * 0.01 * math.hypot(math.tau * 5, 1.0), 0.15),
    ],
    ids=["box", "ball", "rod", "coil"],
)
def test_solids_enclose_their_volume_facing_outwards(mesh: Mesh, volume: float, tolerance: float) -> None:
    assert trimesh.Trimesh(mesh.points, mesh.indices).volume == pytest.approx(volume, rel=tolerance)
    a, b, c = (mesh.points[mesh.indices[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    assert mesh.normals is not None
    given = mesh.normals[mesh.indices].mean(axis=1)
    assert (np.einsum("ij,ij->i", facing, given) >= -1e-12).all()


def test_cavity_faces_its_axis() -> None:
    cone = profile_from_list([[1.0, 0.2], [0.0, 1.0]])  # runs towards -z: the material is outside
    mesh = solids.revolve_profile(cone)
    assert mesh.normals is not None
    assert (np.einsum("ij,ij->i", mesh.points[:, :2], mesh.normals[:, :2]) < 0.0).all()


def test_shading_normals_keep_sharp_edges_and_smooth_curves() -> None:
    cube = solids.box(np.ones(3))
    points, index = np.unique(cube.points, axis=0, return_inverse=True)
    mesh = solids.shade_smoothly(points, index.reshape(-1)[cube.indices])
    assert mesh.normals is not None
    assert len(mesh.points) == 24
    assert np.abs(mesh.normals).max(axis=1) == pytest.approx(1.0)
    ball = solids.ball(1.0, 48)
    points, index = np.unique(ball.points.round(9), axis=0, return_inverse=True)
    smooth = solids.shade_smoothly(points, index.reshape(-1)[ball.indices])
    assert smooth.normals is not None
    assert np.einsum("ij,ij->i", smooth.normals, smooth.points).min() > 0.995


def test_equivalent_box_has_the_inertia_of_its_body() -> None:
    rng = np.random.default_rng(7)
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    inertia = rotation @ np.diag([3.0, 4.0, 5.0]) @ rotation.T
    solid_of = equivalent_box(12.0, inertia)
    assert solid_of is not None
    sides, R = solid_of
    own = 12.0 / 12.0 * np.diag((sides**2).sum() - sides**2)
    np.testing.assert_allclose(R @ own @ R.T, inertia, atol=1e-9)
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert equivalent_box(0.0, np.zeros((3, 3))) is None


def test_point_of_action_is_on_the_line_of_action_and_the_surface() -> None:
    cone = profile_from_list([[1.0, 0.2], [0.0, 1.0]])
    rng = np.random.default_rng(3)
    f, phi = rng.uniform(0.1, 0.9, 50), rng.uniform(0.0, math.tau, 50)
    z, r = 1.0 - f, 0.2 + 0.8 * f
    points = np.stack([r * np.cos(phi), r * np.sin(phi), z], axis=1)
    out = np.stack([-np.cos(phi), -np.sin(phi), np.full(50, -0.8)], axis=1) + 0.2 * rng.normal(size=(50, 3))
    force = out * rng.uniform(0.1, 50.0, 50)[:, None]
    found = forces.points_of_action(cone, force, np.cross(points, force), 0.98 * points)
    np.testing.assert_allclose(found, points, atol=1e-9)


@pytest.mark.plain_python
def test_simplified_rows_approximate_all_rows_within_the_tolerance() -> None:
    t = np.sort(np.random.default_rng(1).uniform(0.0, 10.0, 3000))
    values = np.stack([np.sin(t), np.exp(-((t - 5) ** 2) * 40)], axis=1)
    rows = simplified_rows(t, values, 1e-3)
    line = np.stack([np.interp(t, t[rows], column) for column in values[rows].T], axis=1)
    assert np.linalg.norm(line - values, axis=1).max() <= 1e-3
    assert len(rows) < 300


def test_drogue_is_transparent_and_bodies_without_geometry_are_placeholders() -> None:
    shown = scene(runs.nominal())
    roles = {node.name: [part.role for part in node.parts] for node in shown.nodes}
    assert roles["drogue"] == [Role.CAVITY]
    assert roles["client"] == [Role.PLACEHOLDER, Role.PLACEHOLDER]
    assert roles["bumper"] == [Role.CAD]
    drogue = next(node for node in shown.nodes if node.name == "drogue")
    assert 0.2 < drogue.parts[0].material.opacity < 0.6
    assert shown.focus is not None
    assert shown.focus.node == "drogue"
    assert (shown.events[0].name, shown.outcome) == ("first-contact", "captured")


def test_robot_stands_upright_and_shows_its_links() -> None:
    shown = scene(runs.reaching())
    assert sum(bool(node.parts) for node in shown.nodes) >= 7
    rod = next(node for node in scene(runs.spinning()).nodes if node.name == "rod")
    assert {part.role for part in rod.parts} == {Role.LINK}
    assert max(part.mesh.points[:, 2].max() for part in rod.parts) == pytest.approx(1.0), (
        "past its centre of mass"
    )
    w, x, y, z = shown.display_rotation_wxyz  # takes the world's z, against gravity, to the picture's y
    up = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
    np.testing.assert_allclose(up, [0.0, 1.0, 0.0], atol=1e-9)
    assert any("torque" in name for chart in shown.charts for name in chart)


def test_pins_stand_where_the_interface_says_and_fit_their_sockets() -> None:
    shown = scene(runs.run("pins-1", duration="2 s"))
    nodes = {node.name: node for node in shown.nodes}
    pin = next(part for part in nodes["module"].parts if part.role is Role.CAD)
    socket = next(part for part in nodes["port"].parts if part.role is Role.CAVITY)
    assert pin.mesh.points[:, 2].min() == pytest.approx(0.200)
    assert pin.mesh.points[:, 2].max() == pytest.approx(0.260)
    assert np.ptp(pin.mesh.points[:, 1]) == pytest.approx(0.035, rel=1e-3)
    assert socket.mesh.points[:, 2].min() == pytest.approx(-0.5)
    volume = trimesh.Trimesh(socket.mesh.points, socket.mesh.indices).volume
    assert volume > 0.0, "its faces look out of the material"
    assert shown.focus is not None
    assert shown.focus.node == "port"
    assert "force of berth" in nodes


def test_telescopic_rods_follow_the_fingers() -> None:
    result = runs.nominal()
    rod = next(node for node in scene(result).nodes if node.name == "slide of finger-2")
    assert rod.parent == "waist"
    w, x, y, z = rod.rotation_wxyz  # z of the rod along the finger's axis: x of the waist turned by 120 deg
    along = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
    np.testing.assert_allclose(along, [-0.5, math.sqrt(0.75), 0.0], atol=1e-9)
    grown = rod.tracks["scale"]
    recorded = np.interp(grown.time, result.history.time, result.history["finger-2.joint"])
    np.testing.assert_allclose(grown.values[:, 2], recorded, atol=1e-4)


def test_replay_works_without_its_cad_files(tmp_path: Path) -> None:
    runs.nominal().save(tmp_path)
    path = tmp_path / "result.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "directory": str(tmp_path / "gone")}))
    shown = scene(Result.load(tmp_path))
    assert any("meridian" in note for note in shown.notes)
    drogue = next(node for node in shown.nodes if node.name == "drogue")
    with_cad = next(node for node in scene(runs.nominal()).nodes if node.name == "drogue")
    deepest = [node.parts[0].mesh.points[:, 2].max() for node in (drogue, with_cad)]
    assert deepest[0] == pytest.approx(deepest[1], abs=0.02)


def test_an_old_folder_gives_a_message(tmp_path: Path) -> None:
    runs.nominal().save(tmp_path)
    path = tmp_path / "result.json"
    document = json.loads(path.read_text())
    del document["directory"], document["outlines"]
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"outlines of its surfaces.*Run the scenario again"):
        scene(Result.load(tmp_path))


def test_a_structure_of_one_place_is_not_drawn(tmp_path: Path) -> None:
    """Two nodes at one place: a rotor of 0.5 kg m^2 on a torsion spring."""
    shapes = np.zeros((2, 6, 1))
    shapes[1, 2] = 1.0 / math.sqrt(0.5)
    np.savez(
        tmp_path / "modes.npz", names=["base", "rotor"], positions=np.zeros((2, 3)), frequency=[2.0],
        shapes=shapes, mass=[[2.0, 2.0, 2.0, 5.0, 5.0, 5.0], [0.5, 0.5, 0.5, 3.0, 3.0, 3.0]],
    )  # fmt: skip
    bus = softdock.Body(mass=10.0, inertia=(3.0, 3.0, 3.0))
    rotor = softdock.Flexible(body="bus", base="base", file=str(tmp_path / "modes.npz"))
    scenario = softdock.Scenario(name="rotor", duration=0.1, bodies={"bus": bus}, structures={"rotor": rotor})
    shown = scene(softdock.simulate(scenario))
    assert "The structure rotor is not drawn: all of its nodes are at one place." in shown.notes
    assert not [node for node in shown.nodes if "rotor" in node.name]
