"""Panels: thin flat plates as beams of their width."""

import numpy as np
import pytest

from flexible.structures import ROUND
from softdock.errors import InputError
from softdock.flexible import Beam, Panel, RigidPart, Structure, base_modes, deflect, mesh

PANEL = Panel(
    nodes=("root", "end"),
    side=(0.0, 1.0, 0.0),
    width=7.0,
    mass=300.0,
    bending=5e5,
    in_plane=2e6,
    torsion=7e4,
    axial=1e8,
)
NODES = {"root": (1.0, 2.0, 3.0), "end": (1.0, 2.0, -17.0)}


def test_mass_properties_are_those_of_a_rectangular_plate() -> None:
    found = mesh(Structure(nodes=NODES, panels={"array": PANEL})).mass_properties()
    assert found.mass == pytest.approx(300.0)
    np.testing.assert_allclose(found.centre_of_mass, [1.0, 2.0, -7.0], rtol=1e-12)
    wide, long = 300.0 * 7.0**2 / 12.0, 300.0 * 20.0**2 / 12.0
    np.testing.assert_allclose(found.inertia, np.diag([wide + long, long, wide]), atol=1e-9 * long)


def test_panel_bends_out_of_plane_and_in_plane() -> None:
    meshed = mesh(Structure(nodes=NODES, panels={"array": PANEL}))
    for way, stiffness in ((3, 5e5), (4, 2e6)):
        push = np.eye(6)[way]
        moved = deflect(meshed, {"end": push}, ["root"]).motion[meshed.index("end")]
        assert moved[way] == pytest.approx(20.0**3 / (3.0 * stiffness), rel=1e-9)
    turned = deflect(meshed, {"end": np.eye(6)[2]}, ["root"]).motion[meshed.index("end")]
    assert turned[2] == pytest.approx(20.0 / 7e4, rel=1e-9)


def test_panel_is_part_of_a_structure_with_named_nodes() -> None:
    structure = Structure(
        nodes={**NODES, "foot": (0.0, 0.0, 0.0)},
        sections={"mast": ROUND},
        beams={"mast": Beam(nodes=("foot", "root"), section="mast", elements=2)},
        panels={"array": PANEL},
        parts={"base": RigidPart(node="foot", mass=100.0, inertia=(10.0, 10.0, 10.0))},
    )
    modes = base_modes(mesh(structure), "foot", 5)
    assert "array.4" in modes.names
    assert (np.diff(modes.frequency) >= 0.0).all()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"panels": {"array": PANEL.model_copy(update={"nodes": ("root", "tip")})}}, "no node called 'tip'"),
        ({"panels": {"array": PANEL.model_copy(update={"side": (0.0, 0.0, 1.0)})}}, "point along the beam"),
        ({"panels": {"array": PANEL}, "sections": {"array": ROUND}}, "already used"),
    ],
)
def test_invalid_panels_are_refused(changes: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Structure(nodes=NODES, **changes)
