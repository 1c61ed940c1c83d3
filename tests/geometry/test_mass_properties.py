"""Mass properties: closed forms, and the mesh against the profile."""

import itertools
import math

import numpy as np
import pytest

from softdock.errors import InputError
from softdock.geometry.mass_properties import (
    band_area,
    mesh_mass_properties,
    profile_mass_properties,
    surface_area,
)
from softdock.geometry.profile import Profile
from softdock.geometry.vertices import profile_from_list

R, H, RHO = 0.03, 0.08, 2700.0
Z = 0.5  # position of all bodies along the axis, away from the origin
ROUNDING = 1e-12


def quarter_circles(z, r, radius, turn):
    """Return the vertices of a full circle about (z, r) from its point of lowest z."""
    around = [(z, r + radius), (z + radius, r), (z, r - radius), (z - radius, r)]
    arcs = [{"arc_to": list(place), "radius": radius, "turn": turn} for place in around]
    return [[z - radius, r], *arcs]


CYLINDER = profile_from_list([[Z, 0], [Z, R], [Z + H, R], [Z + H, 0]])
CONE = profile_from_list([[Z, 0], [Z, R], [Z + H, 0]])
SPHERE = profile_from_list(
    [
        [Z - R, 0],
        {"arc_to": [Z, R], "radius": R, "turn": "right"},
        {"arc_to": [Z + R, 0], "radius": R, "turn": "right"},
    ]
)
TORUS = profile_from_list(quarter_circles(Z, 0.05, 0.01, "right"))


def cylinder():
    m = RHO * math.pi * R**2 * H
    return m, Z + H / 2, m * R**2 / 2, m * (3 * R**2 + H**2) / 12, 2 * math.pi * R * (R + H)


def cone():
    m = RHO * math.pi * R**2 * H / 3
    slant = math.hypot(R, H)
    return m, Z + H / 4, 0.3 * m * R**2, 3 / 80 * m * (4 * R**2 + H**2), math.pi * R * (R + slant)


def sphere():
    m = RHO * 4 / 3 * math.pi * R**3
    return m, Z, 0.4 * m * R**2, 0.4 * m * R**2, 4 * math.pi * R**2


def torus():
    a, c = 0.01, 0.05
    m = RHO * 2 * math.pi**2 * a**2 * c
    return m, Z, m * (c**2 + 0.75 * a**2), m * (c**2 / 2 + 0.625 * a**2), 4 * math.pi**2 * a * c


CASES = {
    "cylinder": (CYLINDER, cylinder),
    "cone": (CONE, cone),
    "sphere": (SPHERE, sphere),
    "torus": (TORUS, torus),
}


@pytest.mark.parametrize("name", CASES)
def test_mass_properties_equal_closed_forms(name):
    profile, closed_form = CASES[name]
    mass, z, axial, transverse, area = closed_form()
    found = profile_mass_properties(profile, RHO)
    assert found.mass == pytest.approx(mass, rel=ROUNDING)
    assert found.centre == pytest.approx([0, 0, z], rel=ROUNDING)
    np.testing.assert_allclose(np.diag(found.inertia), [transverse, transverse, axial], rtol=ROUNDING)
    assert surface_area(profile) == pytest.approx(area, rel=ROUNDING)


def revolved_mesh(profile, sectors, per_arc):
    """Return vertices and triangles of a profile that starts and ends on the axis, tessellated into chords."""
    row = [profile.segments[0].start]
    for segment in profile.segments:
        row += [segment.point((k + 1) / per_arc) for k in range(per_arc)]
    azimuth = np.arange(sectors) * math.tau / sectors
    inner = np.array(row[1:-1])
    rings = [
        np.column_stack([r * np.cos(azimuth), r * np.sin(azimuth), np.full(sectors, z)]) for z, r in inner
    ]
    vertices = np.vstack([[[0, 0, row[0][0]], [0, 0, row[-1][0]]], *rings])
    triangles = []
    for k in range(sectors):
        n, last = (k + 1) % sectors, 2 + (len(inner) - 1) * sectors
        triangles += [[0, 2 + n, 2 + k], [1, last + k, last + n]]
        for i in range(len(inner) - 1):
            a, b = 2 + i * sectors, 2 + (i + 1) * sectors
            triangles += [[a + k, a + n, b + n], [a + k, b + n, b + k]]
    return vertices, np.array(triangles)


@pytest.mark.parametrize("name", ["cylinder", "cone", "sphere"])
def test_meshes_converge_to_the_profile_with_the_square_of_the_facets(name):
    profile = CASES[name][0]
    exact = profile_mass_properties(profile, RHO)
    errors = []
    for n in (32, 64):
        found = mesh_mass_properties(*revolved_mesh(profile, n, n // 4), RHO)
        errors.append([1 - found.mass / exact.mass, *(1 - np.diag(found.inertia) / np.diag(exact.inertia))])
    np.testing.assert_allclose(np.divide(*errors), 4.0, rtol=0.02)


def test_mass_properties_of_a_polyhedron_are_exact_in_any_frame():
    corners = np.array([[x, y, z] for x in (0, 2.0) for y in (0, 3.0) for z in (0, 5.0)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    for shift in (0.0, 100.0):
        found = mesh_mass_properties(corners + shift, triangles, 2.0)
        assert found.mass == pytest.approx(60.0)
        assert found.centre == pytest.approx(np.array([1.0, 1.5, 2.5]) + shift)
        np.testing.assert_allclose(found.inertia, 60 / 12 * np.diag([34.0, 29.0, 13.0]), atol=1e-9)
    with pytest.raises(InputError, match="open shell"):
        mesh_mass_properties(corners, triangles[1:], 2.0)
    with pytest.raises(InputError, match="oriented inwards"):
        mesh_mass_properties(corners, triangles[:, ::-1], 2.0)


def test_areas_of_bands_add_up_to_the_surface():
    for profile, _ in CASES.values():
        for segment in profile.segments:
            cuts = np.linspace(0, 1, 8)
            parts = sum(band_area(segment, a, b) for a, b in itertools.pairwise(cuts))
            assert parts == pytest.approx(band_area(segment, 0.0, 1.0), rel=ROUNDING)


def test_mass_of_open_or_reversed_profiles_is_rejected():
    with pytest.raises(InputError, match="closed body"):
        profile_mass_properties(Profile(segments=CYLINDER.segments[:2]), RHO)
    with pytest.raises(InputError, match="wrong direction"):
        profile_mass_properties(profile_from_list([[Z + H, 0], [Z + H, R], [Z, R], [Z, 0]]), RHO)
    with pytest.raises(InputError, match="density"):
        profile_mass_properties(CYLINDER, 0.0)
