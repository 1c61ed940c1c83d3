"""What closes a surface behind it lies in the material of its CAD solid: random rings, funnels, flanges and tubes."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from mechanism.step_text import step_text

import softdock
from softdock.geometry import cad
from softdock.geometry.cad import read_surface
from softdock.geometry.facets import ExactFace, Facets
from softdock.geometry.kernels import depth
from softdock.geometry.profile import Line, Profile
from softdock.geometry.profile_arrays import closed_chain, profile_array

SHAPES = 200
AROUND = 36
"""Facets around the axis; the tessellation departs from the solid by the sagitta of their chords."""


def random_loop(rng):
    """Return the corners (z, r) [m] of a solid with a through bore, outside towards +z, and how many are outer ones."""
    size = 10 ** rng.uniform(-1.7, 0.0)
    u = rng.uniform
    bore, wall, length = u(0.1, 0.4), u(0.02, 0.2), u(0.1, 1.0)
    kind = rng.choice(["tube", "ring", "funnel", "flange"])
    inner = [(0.0, bore), (length, bore)]
    outer = [(0.0, bore + wall), (length, bore + wall)]
    if kind == "ring":  # with chamfers
        c = 0.3 * min(wall, length)
        inner = [(0.0, bore + c), (c, bore), (length, bore)]
        outer = [(0.0, bore + wall), (length - c, bore + wall), (length, bore + wall - c)]
    elif kind == "funnel":  # straight, or with a back face that is wider or narrower than its mouth
        throat = length * u(0.3, 0.8)
        mouth = bore + u(0.1, 0.5)
        back = bore + wall + u(-0.9, 1.0) * (wall if rng.random() < 0.3 else mouth)
        inner = [(0.0, mouth), (throat, bore), (length, bore)]
        outer = [
            (0.0, mouth + wall),
            (throat, max(back, bore + wall)),
            (length, max(back, bore + 0.5 * wall)),
        ]
    elif kind == "flange":
        width, thick = u(0.1, 0.5), length * u(0.05, 0.4)
        foot = bore + wall
        outer = [(0.0, foot + width), (thick, foot + width), (thick, foot), (length, foot)]
    loop = [*outer, *reversed(inner)]
    if rng.random() < 0.5:  # towards -z, with the outside still towards +z
        loop = [(length - z, r) for z, r in [*reversed(outer), *inner]]
    return [(size * z, size * r) for z, r in loop], len(outer)


def tessellated(loop, outer, bulge):
    """Return the solid as facets with the exact faces of a STEP file; `bulge` widens every other outer vertex."""
    count = len(loop)
    phi = np.arange(AROUND) * math.tau / AROUND
    wide = np.where(np.arange(AROUND) % 2 == 0, 1.0 + bulge, 1.0)
    rings = [
        np.column_stack([r * w * np.cos(phi), r * w * np.sin(phi), np.full(AROUND, z)])
        for k, (z, r) in enumerate(loop)
        for w in [wide if k < outer else 1.0]
    ]
    triangles, face_of, faces = [], [], []
    for k in range(count):
        faces.append(exact_face(loop[k], loop[(k + 1) % count], bulge > 0.0 and k < outer - 1))
        for i in range(AROUND):
            a, b = k * AROUND + i, k * AROUND + (i + 1) % AROUND
            c, d = (k + 1) % count * AROUND + i, (k + 1) % count * AROUND + (i + 1) % AROUND
            triangles += [[a, b, c], [b, d, c]]
            face_of += [k, k]
    return Facets(
        name="solid", vertices=np.concatenate(rings), triangles=np.array(triangles), faces=tuple(faces),
        face_of=np.array(face_of), closed=True,
    )  # fmt: skip


def exact_face(start, end, is_spline):
    """Return the plane, cylinder or cone between two circles (z, r), or a spline."""
    (z, r), (z_end, r_end) = start, end
    up = np.array([0.0, 0.0, 1.0])
    if is_spline:
        return None
    if z == z_end:
        return ExactFace(kind="plane", point=np.array([0.0, 0.0, z]), axis=up)
    if r == r_end:
        bounds = (min(z, z_end), max(z, z_end))
        return ExactFace(kind="cylinder", point=np.zeros(3), axis=up, radius=r, bounds=bounds)
    (z_0, r_0), (z_1, r_1) = sorted([start, end])
    angle = math.atan((r_1 - r_0) / (z_1 - z_0))
    length = math.hypot(r_1 - r_0, z_1 - z_0)
    point = np.array([0.0, 0.0, z_0])
    return ExactFace(kind="cone", point=point, axis=up, radius=r_0, second=angle, bounds=(0.0, length))


def is_in_solid(facets, points):
    """Return whether points lie inside the tessellation, by its winding number: the sum of solid angles over 4 pi."""
    a, b, c = (facets.vertices[facets.triangles[:, k]] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    dot = lambda u, v: np.einsum("ijk,ijk->ij", u, v)  # noqa: E731
    below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return np.arctan2(dot(a, np.cross(b, c)), below).sum(axis=1) > math.pi  # half of 2 pi


def free_points(facets, profile, reach):
    """Return the largest distance [m] of the closure from the solid, where it lies in free space, beyond `reach`."""
    chain, before, after = closed_chain(profile)
    lines = [s for s in (*chain[:before], *chain[len(chain) - after :]) if s.point(0.5)[1] > 0.0]
    places = np.array([s.point(f) for s in lines for f in (0.03, 0.3, 0.5, 0.7, 0.97)]).reshape(-1, 2)
    worst = 0.0
    for angle in (0.0, math.tau / AROUND):  # at a bulge and between two of them
        z, r = places[:, 0], places[:, 1]
        points = np.column_stack([r * np.cos(angle), r * np.sin(angle), z])
        outside = points[~is_in_solid(facets, points)]
        worst = max(worst, float(distance_to_mesh(facets, outside).max(initial=0.0)))
    return worst if worst > reach else 0.0


def distance_to_mesh(facets, points):
    """Return the distance [m] of points from the facets."""
    if not len(points):
        return np.zeros(0)
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(facets.vertices, facets.triangles, process=False)
    triangles = np.tile(mesh.triangles, (len(points), 1, 1))
    queries = np.repeat(points, len(mesh.triangles), axis=0)
    nearest = trimesh.triangles.closest_point(triangles, queries)
    return np.linalg.norm(nearest - queries, axis=1).reshape(len(points), -1).min(axis=1)


def deepest_in_bore(profile, loop, reach):
    """Return the largest depth [m] of a rod in the bore."""
    rows = profile_array(profile)
    z, r = np.array(loop).T
    rod = r.min() - reach
    places = np.linspace(z.min() - np.ptp(z), z.max() + np.ptp(z), 31)
    return max(depth(rows, 0, len(rows) - 1, at, radius)[0] for at in places for radius in (0.0, rod))


def test_what_closes_a_surface_lies_in_the_solid_and_never_across_its_bore(monkeypatch):
    rng = np.random.default_rng(20260731)
    across, outside, known = [], [], 0
    for k in range(SHAPES):
        loop, outer = random_loop(rng)
        side = "inside" if rng.random() < 0.7 else "outside"
        bulge = 0.05 if side == "inside" and rng.random() < 0.5 else 0.0
        facets = tessellated(loop, outer, bulge)
        monkeypatch.setattr(cad, "read_bodies", lambda path, unit, facets=facets: [facets])
        profile = read_surface(Path("solid.step"), side=side).profile
        sagitta = (1.0 - math.cos(math.pi / AROUND)) * max(r for _, r in loop) * (1.0 + bulge)
        outside += [k] if free_points(facets, profile, sagitta + 1e-5 * facets.size) > 0.0 else []
        across += [k] if deepest_in_bore(profile, loop, sagitta) > 0.0 else []
        known += bulge == 0.0
    assert (len(across), len(outside)) == (0, 0)
    assert 0.4 * SHAPES < known < 0.9 * SHAPES  # the others have an outside that is not of revolution


def lines(corners):
    """Return the profile with these corners (z, r) [m]."""
    return Profile(segments=tuple(Line(start=a, end=b) for a, b in itertools.pairwise(corners)))


ROD = [[-0.06, 0], {"arc_to": [-0.05, 0.01], "radius": 0.01, "turn": "right"}, [0.05, 0.01],
       {"arc_to": [0.06, 0], "radius": 0.01, "turn": "right"}]  # fmt: skip


def test_a_rod_flies_through_a_funnel_whose_back_face_is_wider_than_its_mouth(tmp_path):
    """Nothing touches it, so that it moves 50 mm/s * 8 s = 400 mm."""
    loop = [
        (0, 0.09),
        (0.008, 0.09),
        (0.1, 0.12),
        (0.11, 0.12),
        (0.11, 0.025),
        (0.07, 0.025),
        (0, 0.08),
        (0, 0.09),
    ]
    funnel = lines(loop)
    (tmp_path / "funnel.step").write_text(step_text(funnel, "funnel"))
    start = {"type": "free", "position": [0, 0, -0.15], "velocity": [0, 0, 0.05]}
    scenario = {
        "softdock": 1, "kind": "multibody", "duration": 8,
        "bodies": {
            "rod": {"mass": 50, "inertia": [1, 1, 1], "joint": start}, "port": {"joint": {"type": "fixed"}},
        },
        "surfaces": {
            "funnel": {"body": "port", "file": str(tmp_path / "funnel.step"), "side": "inside"},
            "shaft": {"body": "rod", "profile": ROD},
        },
        "contacts": {"c": {"a": "funnel", "b": "shaft", "layer": {"stiffness": 5e9}}},
        "metrics": {"z": "final rod.z"},
    }  # fmt: skip
    result = softdock.simulate(scenario)
    assert result.metrics["peak_contact_force"] == 0.0
    assert result.metrics["z"] == pytest.approx(-0.15 + 0.05 * 8, rel=1e-9)
    surface = read_surface(tmp_path / "funnel.step", side="inside")
    assert surface.closure_known
    assert len(surface.profile.segments) + len(surface.profile.after) == len(funnel.segments)


def test_an_open_funnel_without_a_file_has_no_wall_across_its_bore():
    corners = [(0.11, 0.12), (0.11, 0.025), (0.07, 0.025), (0.0, 0.08), (0.0, 0.09)]
    funnel = lines(corners)
    assert deepest_in_bore(funnel, corners, 0.0) <= 0.0
    rows = profile_array(funnel)
    assert depth(rows, 0, len(rows) - 1, 0.105, 0.06)[0] == pytest.approx(0.005)  # behind its back face


def test_ends_that_cannot_be_joined_in_the_material_are_refused():
    spiral = [(0.0, 0.05), (0.1, 0.05), (0.1, 0.02), (0.02, 0.02), (0.02, 0.04), (0.08, 0.04), (0.08, 0.03)]
    with pytest.raises(softdock.InputError, match="cannot be joined behind it within its material"):
        profile_array(lines(spiral))
