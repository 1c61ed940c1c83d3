"""Drawing of flexible structures: plates, trusses, rigid parts, modules and the visiting orbiter."""

import numpy as np
import pytest

import softdock
from softdock.flexible.structure import Beam, Panel, RigidPart, Section, Structure
from softdock.model.structures import Flexible
from softdock.replay.members import nearest_parallel, plate_width, truss_sides
from softdock.replay.orbiter import HALF_SPAN, NOSE, TAIL, module_meshes, orbiter_meshes
from softdock.replay.scene_builder import scene
from softdock.replay.structures import MEMBERS, PARTS, PLATES, structure_skins

SHORT = {"before": "1 s", "after": "2 s", "modes": 20}


def mesh_volume(mesh):
    """Return the volume of a closed mesh whose triangles face outwards [m3]."""
    corner = mesh.points[mesh.indices]
    return float(np.einsum("ij,ij->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))) / 6.0


def test_a_station_is_drawn_with_modules_panels_truss_and_orbiter():
    shown = scene(softdock.simulate("power-tower-x", SHORT))
    nodes = {node.name: node for node in shown.nodes}
    assert {"station", "visitor", "tower", "tower plates"} <= set(nodes)
    assert len(nodes["station"].parts) == len(module_meshes((1.4, 0.0, 10.0)))
    assert len(nodes["visitor"].parts) == len(orbiter_meshes())
    assert nodes["tower plates"].parent == nodes["tower"].parent == "station"
    assert any("magnified by a factor" in note for note in shown.notes)
    box = scene(softdock.simulate("power-tower-x", {**SHORT, "visitor": {"outline": "box"}}))
    visitor = next(node for node in box.nodes if node.name == "visitor")
    assert len(visitor.parts) < len(orbiter_meshes())


def test_a_station_of_ones_own_has_no_modules():
    structure = {
        "nodes": {"root": [0, 0, 0], "end": [0, 0, -20.0]},
        "sections": {
            "mast": {"axial": 1e8, "bending_y": 1e6, "bending_z": 1e6, "torsion": 1e6, "mass_per_length": 5}
        },
        "beams": {"mast": {"nodes": ["root", "end"], "section": "mast", "elements": 4}},
        "parts": {"bus": {"node": "root", "mass": 5000, "inertia": [8e3, 9e3, 7e3]}},
    }
    changes = {
        "structure": structure,
        "base_node": "root",
        "point_a": "end",
        "modes": 4,
        "visitor": {"outline": "box"},
    }
    shown = scene(softdock.simulate("power-tower-x", {"before": "1 s", "after": "2 s", **changes}))
    nodes = {node.name: node for node in shown.nodes}
    assert {"tower", "tower parts"} <= set(nodes)
    assert "Rigid parts of tower are boxes of equal inertia." in shown.notes


def test_drawn_solids_are_closed_and_have_their_size():
    meshes = orbiter_meshes()
    assert all(mesh_volume(mesh) > 0.0 for mesh in meshes)
    points = np.concatenate([mesh.points for mesh in meshes])
    assert points[:, 1].max() == pytest.approx(HALF_SPAN)
    assert points[:, 1].min() == pytest.approx(-HALF_SPAN)
    assert meshes[0].points[:, 2].min() == pytest.approx(NOSE)
    assert meshes[0].points[:, 2].max() == pytest.approx(TAIL)
    assert all(mesh_volume(mesh) > 0.0 for mesh in module_meshes((1.4, 2.0, 10.0)))


MAST = Section(axial=4e8, bending_y=4e8, bending_z=1e8, torsion=1e6, mass_per_length=5.0)
WING = {"side": (0.0, 1.0, 0.0), "width": 3.0, "mass": 40.0, "bending": 1e4, "in_plane": 1e5}
WING |= {"torsion": 1e3, "axial": 1e7, "elements": 3}
STRUCTURE = Structure(
    nodes={"root": (0, 0, 0), "end": (0, 0, -30), "a": (0, 10, 0), "a-end": (0, 10, -8), "b-end": (0, 10, 8)},
    sections={"mast": MAST, "thin": MAST.model_copy(update={"axial": 4e12})},
    beams={
        "mast": Beam(nodes=("root", "end"), section="mast", elements=6, side=(0.0, 1.0, 0.0)),
        "arm": Beam(nodes=("root", "a"), section="thin", elements=2, side=(1.0, 0.0, 0.0)),
    },
    panels={
        "up": Panel(nodes=("a", "a-end"), **WING),
        "down": Panel(nodes=("a", "b-end"), **WING),
    },
    parts={
        "bus": RigidPart(node="end", mass=90.0, inertia=(30.0, 30.0, 30.0), centre_of_mass=(0.0, 0.0, -1.0))
    },
)


def test_members_have_the_widths_of_their_stiffness_and_panels_their_own():
    assert truss_sides(MAST) == pytest.approx((1.0, 2.0))  # EI = EA side^2 / 4 of four longerons
    assert plate_width(STRUCTURE, "up", STRUCTURE.all_beams()["up"]) == 3.0
    assert plate_width(STRUCTURE, "mast", STRUCTURE.beams["mast"]) is None
    assert nearest_parallel(STRUCTURE, "up") == np.inf  # in one line with the other, not beside it
    flexible = Flexible(body="bus", base="root", members=STRUCTURE)
    skins = structure_skins(flexible, flexible.find_modes(None))
    assert set(skins) == {MEMBERS, PLATES, PARTS}
    assert np.ptp(skins[PLATES].points[:, 1]) == pytest.approx(3.0)
    assert skins[PARTS].points.mean(axis=0) == pytest.approx([0.0, 0.0, -31.0])
    assert PARTS not in structure_skins(flexible, flexible.find_modes(None), ["bus"])


def test_skins_follow_rigid_motions_of_all_nodes():
    flexible = Flexible(body="bus", base="root", members=STRUCTURE)
    modes = flexible.find_modes(None)
    turn, shift = np.array([1e-3, -2e-3, 3e-3]), np.array([0.1, 0.2, 0.3])
    shapes = np.concatenate(
        [np.tile(turn, (len(modes.names), 1)), shift + np.cross(turn, modes.positions)], axis=1
    )
    for skin in structure_skins(flexible, modes).values():
        moved = skin.deflected(modes.positions, shapes[:, :, None])[:, :, 0]
        np.testing.assert_allclose(moved, shift + np.cross(turn, skin.points), atol=1e-15)
