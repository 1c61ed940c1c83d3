"""Contacts of pins: direct method, eight-point search and sampling find the same contacts."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contact.pin_poses import R_HOLE, SHAPES, PinKernel, pair, pose_on_rim, touching_pose
from softdock.bench.peg import rim_difference
from softdock.contact.kernels.pin_rows import FEATURE, NORMAL, PART, PENETRATION, POINT, WEIGHT
from softdock.contact.kernels.pins import MAXIMUM_DEPTH
from softdock.contact.pins import Feature, PinPart, Rim

ANGLES = np.linspace(0.0, 2 * np.pi, 20_001)
CIRCLE = np.column_stack([np.cos(ANGLES), np.sin(ANGLES), np.zeros_like(ANGLES)])
SAMPLING_ERROR = (
    R_HOLE**2 * (np.pi / 20_000) ** 2
)  # [m2] error of the depth between two samples, times the distance: |(d^2)''| <= 4 R^2


def with_search(one):
    return dataclasses.replace(one, rim=Rim.SEARCH)


def test_search_and_direct_find_the_same_contacts():
    """100 000 poses over all shapes: equal numbers of contacts and equal depths."""
    touched = 0
    for seed, one in enumerate(SHAPES.values()):
        with_body, unlike, largest = rim_difference(one, 12_500, seed)
        assert unlike == 0
        assert largest < 1e-9
        touched += with_body
    assert touched > 30_000


def rim_distances(one, rim_radius, height, P, a):
    """Return the distance of every sample of a rim from the axis of the pin between its caps."""
    X = rim_radius * CIRCLE + [0.0, 0.0, height]
    t = (X - P) @ a
    off = np.linalg.norm(X - P - t[:, None] * a, axis=1)
    return np.where((t > 0.0) & (t < one.pin.length), off, np.inf)


@pytest.mark.parametrize("rim", Rim)
@pytest.mark.parametrize(
    "name", ["loose", "as wide as the hole", "tight and short", "long", "chamfered", "through"]
)
def test_body_contacts_are_the_minima_of_a_sampled_rim(name, rim):
    one = dataclasses.replace(SHAPES[name], rim=rim)
    touching, rng, found = PinKernel(one), np.random.default_rng(3), 0
    hole = one.hole
    rims = [(hole.radius, -hole.chamfer_depth)]
    rims += [(hole.radius + hole.chamfer_width, 0.0)] if hole.chamfer_width else []
    rims += [(hole.radius, -hole.depth)] if hole.through else []
    for _ in range(40):
        P, a = pose_on_rim(one, rng)
        rows = touching.contacts(P, a)
        body = rows[(rows[:, PART] == PinPart.BODY.value) & (rows[:, WEIGHT] > 0.0)]
        sampled = []
        for rim_radius, height in rims:
            d = rim_distances(one, rim_radius, height, P, a)[:-1]
            valley = (d < np.roll(d, 1)) & (d <= np.roll(d, -1)) & np.isfinite(np.roll(d, 1) + np.roll(d, -1))
            sampled += list(one.pin.radius - d[valley & (d < one.pin.radius)])
        ours = sorted(body[:, PENETRATION])
        assert len(ours) == len(sampled), (P, a)
        for depth, seen in zip(ours, sorted(sampled)):
            assert 0.0 <= depth - seen + 1e-15 < SAMPLING_ERROR / (one.pin.radius - depth) + 1e-12
        found += len(ours)
    assert found > 40


def sampled_meridian(hole, reach=0.2):
    """Return points of the hole's meridian, a few um apart."""
    R, h, w, c = hole.radius, hole.straight, hole.chamfer_width, hole.chamfer_depth
    out = [np.column_stack([np.linspace(R + w, reach, 20_001), np.zeros(20_001)])]
    out.append(np.column_stack([np.linspace(R, R + w, 5001), np.linspace(-c, 0.0, 5001)]))
    out.append(np.column_stack([np.full(40_001, R), np.linspace(-h, -c, 40_001)]))
    if hole.through:
        out.append(np.column_stack([np.linspace(R, reach, 20_001), np.full(20_001, -h)]))
    else:
        angles = np.linspace(0.0, np.pi / 2, 40_001)
        out.append(np.column_stack([R * np.cos(angles), -h - R * np.sin(angles)]))
    return np.concatenate(out)


@pytest.mark.parametrize("name", ["loose", "as wide as the hole", "ball", "chamfered", "through"])
def test_caps_touch_at_the_nearest_point_of_a_sampled_hole(name):
    one = SHAPES[name]
    touching, rng, found = PinKernel(one), np.random.default_rng(4), set()
    meridian = sampled_meridian(one.hole)
    for _ in range(40):
        P, a = touching_pose(touching, rng)
        rows = touching.contacts(P, a)
        ends = (P, P + one.pin.length * a)[: 2 if one.pin.length > 0.0 else 1]
        for part, end in enumerate(ends):
            d = np.hypot(meridian[:, 0] - np.hypot(*end[:2]), meridian[:, 1] - end[2]).min()
            cap = [row for row in rows if row[PART] == part and row[WEIGHT] == touching.shape.cap_share]
            if one.pin.radius - d > 1e-8:
                assert cap[0][PENETRATION] == pytest.approx(one.pin.radius - d, abs=1e-8)
                found.add(Feature(int(cap[0][FEATURE])))
                assert end - cap[0][POINT : POINT + 3] == pytest.approx(
                    (one.pin.radius - cap[0][PENETRATION]) * cap[0][NORMAL : NORMAL + 3], abs=1e-12
                )
    assert found >= {Feature.WALL, Feature.RIM, Feature.FACE}


@pytest.mark.parametrize(
    ("P", "feature", "depth"),
    [
        ((0.0, 0.0, -0.0426), Feature.BOTTOM, 0.1e-3),
        ((0.0026, 0.0, -0.02), Feature.WALL, 0.1e-3),
        ((0.1, 0.0, 0.0174), Feature.FACE, 0.1e-3),
        ((0.02 - 0.0174 * 0.6, 0.0, 0.0174 * 0.8), Feature.RIM, 0.1e-3),
    ],
)
def test_contacts_of_an_upright_pin(P, feature, depth):
    first = pair().touches(P, (0.0, 0.0, 1.0))[0]
    assert (first.part, first.feature) == (PinPart.LEADING_CAP, feature)
    assert first.depth == pytest.approx(depth, abs=1e-12)


def test_a_pin_touches_face_edge_side_and_corner_of_its_box():
    one, reach = pair(sides=(0.06, 0.08), L=0.05), 0.0174
    diagonal = reach / np.sqrt(3)
    for P, features in {
        (0.025, 0.0, reach): {Feature.FACE},
        (0.03 + reach * 0.6, 0.0, reach * 0.8): {Feature.EDGE},
        (0.03 + reach, 0.0, -0.02): {Feature.SIDE},
        (0.03 + diagonal, 0.04 + diagonal, diagonal): {Feature.EDGE},
        (0.0, 0.0, -0.06 - reach): {Feature.UNDERSIDE},
    }.items():
        upright = (0.0, 0.0, 1.0 if P[2] > -0.05 else -1.0)
        found = {t.feature for t in one.touches(P, upright) if t.part is PinPart.LEADING_CAP}
        assert found == features, P


def test_pin_along_the_wall_touches_with_both_ends_or_with_one_end_and_the_rim():
    inside = pair(L=0.02).touches((0.0026, 0.0, -0.03), (0.0, 0.0, 1.0))
    assert [(t.part, t.feature) for t in inside] == [
        (PinPart.LEADING_CAP, Feature.WALL),
        (PinPart.TRAILING_CAP, Feature.WALL),
    ]
    out = pair(L=0.08).touches((0.0026, 0.0, -0.03), (0.0, 0.0, 1.0))
    assert [(t.part, t.feature) for t in out] == [
        (PinPart.LEADING_CAP, Feature.WALL),
        (PinPart.BODY, Feature.RIM),
    ]


def test_a_tilted_pin_touches_the_rim_at_two_points_on_one_side():
    tilt = 0.35
    one = pair(r=0.0199)
    touches = one.touches(
        np.array([0.0, 0.00042, 0.0]) - 0.03 * np.array([np.sin(tilt), 0.0, np.cos(tilt)]),
        (np.sin(tilt), 0.0, np.cos(tilt)),
    )
    body = [t for t in touches if t.part is PinPart.BODY]
    assert len(body) == 2
    assert body[0].point[0] == pytest.approx(-body[1].point[0])
    assert body[0].point[1] == pytest.approx(body[1].point[1])


def test_pin_wider_than_its_hole_is_supported_by_the_rim():
    """A ball over the centre of the hole is pushed upwards by contacts on both sides."""
    out = PinKernel(pair(r=0.025, L=0.0))((0.0, 0.0, 0.0149), (0.0, 0.0, 1.0))
    assert out[2] > 0.0
    assert abs(out[0]) + abs(out[1]) < 1e-9 * out[2]


LENGTHS = st.sampled_from([0.0, 1e-9, 1e-3, 0.02, 0.06, 0.2])
SMALL = st.sampled_from([0.0, 1e-300, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3, 2.5e-3])


@settings(max_examples=400, deadline=None)
@given(
    r=st.sampled_from([1e-3, 0.0175, 0.0199, R_HOLE]),
    L=LENGTHS,
    x=SMALL,
    y=SMALL,
    z=st.sampled_from([-0.061, -0.06, -0.0426, -0.04, -0.02, -1e-12, 0.0, 1e-12, 0.01, 0.0174]),
    lean=SMALL,
    turn=st.sampled_from([0.0, 0.25, 0.5, 0.123, 0.75]),
    flat=st.booleans(),
)
def test_degenerate_poses_give_finite_contacts(r, L, x, y, z, lean, turn, flat):
    """Parallel, centred, flat, long, short and ball-shaped pins: results are finite, and both methods agree."""
    a = np.array([lean * np.cos(2 * np.pi * turn), lean * np.sin(2 * np.pi * turn), 0.0 if flat else 1.0])
    if np.linalg.norm(a) < 1e-200:
        a = np.array([1.0, 0.0, 0.0])
    a /= np.linalg.norm(a)
    one = pair(r=r, L=L)
    direct, search = PinKernel(one), PinKernel(with_search(one))
    ours, theirs = direct((x, y, z), a), search((x, y, z), a)
    assert np.isfinite(ours).all()
    assert ours[MAXIMUM_DEPTH] == pytest.approx(theirs[MAXIMUM_DEPTH], abs=1e-9)
    assert ours[6] >= -1e-20
    rows = direct.contacts((x, y, z), a)
    assert np.allclose(np.linalg.norm(rows[:, NORMAL : NORMAL + 3], axis=1), 1.0, rtol=0, atol=1e-12)


def test_a_pin_across_an_edge_of_its_box_touches_the_edge():
    """One cap on the face, the other beyond the edge, the body across it."""
    one = pair(sides=(0.06, 0.08), L=0.05)
    touches = one.touches((0.01, 0.03, 0.0174), (1.0, 0.0, 0.0))
    found = {(t.part, t.feature) for t in touches}
    assert (PinPart.BODY, Feature.EDGE) in found
    edge = next(t for t in touches if t.feature is Feature.EDGE)
    assert edge.point == pytest.approx([0.03, 0.03, 0.0])
    assert edge.normal == pytest.approx([0.0, 0.0, 1.0])
    assert edge.depth == pytest.approx(1e-4)


def test_a_pin_larger_than_its_box_does_not_exceed_the_maximum_rows():
    """All rims, edges and corners are inside the pin: the number of rows does not exceed the maximum."""
    one = pair(
        r=0.2, L=0.01, sides=(0.06, 0.08), straight=0.03, through=True, chamfer_width=1e-3, chamfer_depth=1e-3
    )
    touching, rng = PinKernel(one), np.random.default_rng(6)
    longest = 0
    for _ in range(500):
        a = rng.normal(size=3)
        rows = touching.contacts(rng.uniform(-0.01, 0.01, 3), a / np.linalg.norm(a))
        longest = max(longest, len(rows))
        assert np.isfinite(rows).all()
    assert 40 < longest <= 85


def test_a_ball_has_one_contact():
    ball = SHAPES["ball"]
    for P in [(0.0026, 0.0, -0.02), (0.02 - 0.0174 * 0.6, 0.0, 0.0174 * 0.8), (0.1, 0.0, 0.0174)]:
        assert [t.part for t in ball.touches(P, (0.0, 0.6, 0.8))] == [PinPart.LEADING_CAP]


def test_pin_of_zero_length_has_the_force_of_a_ball():
    """For any axis it has the contact of one cap, with the full stiffness."""
    ball, rng = PinKernel(SHAPES["ball"]), np.random.default_rng(9)
    for _ in range(50):
        P, a = touching_pose(ball, rng)
        out = ball(P, a)
        depth = out[MAXIMUM_DEPTH]
        assert np.linalg.norm(out[:3]) == pytest.approx(1e6 * depth, rel=1e-9)
        assert out[:7] == pytest.approx(ball(P, (0.6, 0.0, 0.8))[:7], rel=1e-9, abs=1e-12)
