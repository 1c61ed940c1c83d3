"""Mass properties of pins and of boxes with holes, against the same solids as meshes."""

import numpy as np
import pytest

from softdock.errors import InputError
from softdock.geometry.mass_properties import mesh_mass_properties
from softdock.geometry.pins import Hole, Pin

SIDES = 400


def revolve(profile):
    """Return the closed mesh of a profile (rho, z), from its lower to its upper point on the axis."""
    angles = np.arange(SIDES) * 2 * np.pi / SIDES
    rings = [
        np.column_stack([rho * np.cos(angles), rho * np.sin(angles), np.full(SIDES, z)]) for rho, z in profile
    ]
    triangles = []
    for i in range(len(profile) - 1):
        for k in range(SIDES):
            a, b = i * SIDES + k, i * SIDES + (k + 1) % SIDES
            triangles += [(a, b, b + SIDES), (a, b + SIDES, a + SIDES)]
    return merge_points(np.concatenate(rings), np.array(triangles))


def merge_points(vertices, triangles):
    """Return the mesh with merged points on the axis and without degenerate triangles."""
    _, first, same = np.unique(vertices.round(12), axis=0, return_index=True, return_inverse=True)
    triangles = same.ravel()[triangles]
    a, b, c = triangles.T
    return vertices[first], triangles[(a != b) & (b != c) & (c != a)]


def box_mesh(a, b, c):
    x, y, z = np.meshgrid([-a / 2, a / 2], [-b / 2, b / 2], [-c, 0.0], indexing="ij")
    vertices = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return vertices, np.array([t for p, q, r, s in quads for t in ((p, q, r), (p, r, s))])


def arc_points(radius, start, end, z, count=200):
    angles = np.linspace(start, end, count)
    return [(radius * np.cos(t), z + radius * np.sin(t)) for t in angles]


def hole_profile(hole):
    """Return the profile (rho, z) of the removed material, from the bottom up."""
    R, h, w, c = hole.radius, hole.straight, hole.chamfer_width, hole.chamfer_depth
    below = [(0.0, -h), (R, -h)] if hole.through else arc_points(R, -np.pi / 2, 0.0, -h)
    return [*below, (R, -c), (R + w, 0.0), (0.0, 0.0)]


def assert_same(exact, mesh, tolerance):
    assert exact.mass == pytest.approx(mesh.mass, rel=tolerance)
    assert exact.centre == pytest.approx(mesh.centre, abs=tolerance * 0.05)
    assert exact.inertia == pytest.approx(mesh.inertia, abs=tolerance * np.abs(mesh.inertia).max())


POLYGON = (2 * np.pi / SIDES) ** 2  # a polygon of n sides lacks 1/6 of this of a circle's area


@pytest.mark.parametrize(
    "hole",
    [
        Hole(radius=0.0175, straight=0.04, sides=(0.06, 0.08)),
        Hole(radius=0.0175, straight=0.04, sides=(0.06, 0.08), box_height=0.1),
        Hole(radius=0.01, straight=0.03, sides=(0.06, 0.05), through=True),
        Hole(radius=0.01, straight=0.03, sides=(0.06, 0.05), chamfer_width=0.004, chamfer_depth=0.006),
    ],
    ids=["paper", "higher box", "through", "chamfered"],
)
def test_a_box_with_a_hole_has_the_mass_of_its_mesh(hole):
    vertices, triangles = box_mesh(*hole.sides, hole.height)
    inner, inside = revolve(hole_profile(hole))
    turned_inside_out = inside[:, ::-1] + len(vertices)
    mesh = mesh_mass_properties(
        np.concatenate([vertices, inner]), np.concatenate([triangles, turned_inside_out]), 2700.0
    )
    assert_same(hole.mass_properties(2700.0), mesh, POLYGON)


@pytest.mark.parametrize("length", [0.0, 0.02, 0.3])
def test_a_pin_has_the_mass_of_its_mesh(length):
    pin = Pin(radius=0.0175, length=length)
    profile = [
        *arc_points(0.0175, -np.pi / 2, 0.0, -length / 2),
        *arc_points(0.0175, 0.0, np.pi / 2, length / 2),
    ]
    if length == 0.0:
        profile = arc_points(0.0175, -np.pi / 2, np.pi / 2, 0.0, 399)
    assert_same(pin.mass_properties(2700.0), mesh_mass_properties(*revolve(profile), 2700.0), POLYGON)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"radius": -1.0}, "radius"),
        ({"straight": 0.0}, "straight"),
        ({"chamfer_width": 0.001}, "chamfer_depth"),
        ({"chamfer_width": 0.001, "chamfer_depth": 0.1}, "chamfer_depth"),
        ({"sides": (0.02, 0.1)}, "sides"),
        ({"box_height": 0.01}, "box_height"),
    ],
)
def test_invalid_holes_are_rejected(fields, named):
    with pytest.raises(InputError) as error:
        Hole(**{"radius": 0.0175, "straight": 0.04, **fields})
    assert error.value.problems[0].field == named
