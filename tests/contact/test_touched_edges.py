"""Sharp edges of surface A: a run in which one is touched says so, and only such a run."""

import itertools
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from softdock.bench.contact_kinds import STIFFNESS, ball, rotation, state
from softdock.cli import app
from softdock.contact import ContactPair, ElasticLayer
from softdock.geometry.profile import Line, Profile
from softdock.geometry.profile_arrays import sharp_edges
from softdock.model.surfaces import Contact, Layer, Surface
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.simulation.checks import check_before_run
from softdock.spatial.rotations import quaternion_from_matrix
from softdock.tree.joints import Fixed, Free

WORDS = "touched the sharp edge of its surface a"


def lines(*places):
    return Profile(segments=tuple(Line(start=a, end=b) for a, b in itertools.pairwise(places)))


def post(radius):
    """Return the profile of a post with a sharp rim at z = 0."""
    return ((-2.0 * radius, 0.0), (-2.0 * radius, radius), (0.0, radius), (0.0, 0.0))


def sphere(radius):
    arcs = [{"arc_to": to, "radius": radius, "turn": "right"} for to in ((0.0, radius), (radius, 0.0))]
    return ((-radius, 0.0), *arcs)


def scenario(a, b, joint, duration=1e-6, **more):
    """Return a fixed surface a, in a frame of its own, and a free body with a surface b."""
    return MultibodyScenario(
        kind="multibody",
        duration=duration,
        bodies={
            "post": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Fixed()),
            "other": Body(mass=1.0, inertia=(1e-2, 1e-2, 1e-2), joint=joint),
        },
        surfaces={"a": Surface(body="post", profile=a), "b": Surface(body="other", profile=b)},
        contacts={"hit": Contact(a="a", b="b", layer=Layer(stiffness=STIFFNESS))},
        **more,
    )


def touches_edge(given):
    warnings = simulate(given, with_prediction=False).warnings
    return any(WORDS in text for text in warnings)


@pytest.mark.parametrize(("rim", "radius"), [(0.02, 0.006), (0.2, 0.006), (0.02, 0.1), (2.0, 0.05)])
@pytest.mark.parametrize("azimuth_deg", [0.0, 123.4])
def test_a_ball_on_a_face_touches_its_rim_where_its_patch_reaches_it(rim, radius, azimuth_deg):
    """A ball pressed d deep into a face covers a circle of radius sqrt(2 R d - d^2) in it."""
    d = 1e-3 * radius
    patch = math.sqrt(2.0 * radius * d - d * d)
    azimuth = math.radians(azimuth_deg)
    for share, expected in ((0.97, True), (1.03, False), (2.0, False)):
        at = rim - share * patch
        place = (at * math.cos(azimuth), at * math.sin(azimuth), radius - d)
        assert touches_edge(scenario(post(rim), sphere(radius), Free(position=place))) is expected


def test_a_plate_that_lies_on_a_rim_touches_it_at_any_tilt():
    for tilt in (1e-3, 0.1, 0.7):
        lowest = 0.02 * math.tan(tilt)
        attitude = tuple(quaternion_from_matrix(np.array(rotation((0.0, 1.0, 0.0), tilt))).tolist())
        joint = Free(position=(0.0, 0.0, lowest - 2e-5), attitude=attitude)
        assert touches_edge(scenario(post(0.02), ((0.0, 0.0), (0.0, 0.05)), joint)), tilt


def test_an_edge_that_is_touched_in_the_middle_of_a_run_is_reported_everywhere(tmp_path):
    """A ball flies across a rim that it overlaps by 0.1 mm, and is far away at the start and at the end."""
    passing = Free(position=(0.02 + 0.006 - 1e-4, -0.02, 0.0), velocity=(0.0, 2.0, 0.0))
    given = scenario(post(0.02), sphere(0.006), passing, duration=0.02)
    document = simulate(given, with_prediction=False).to_json()
    assert document["valid"] == "warned"
    assert any(WORDS in text for text in document["warnings"])
    path, page = tmp_path / "passing.yaml", tmp_path / "report.html"
    path.write_text(json.dumps({"softdock": 1, **given.to_data()}))
    done = CliRunner().invoke(app, ["run", str(path), "--report", str(page)])
    assert WORDS in " ".join(done.output.split())
    assert WORDS in page.read_text()


def ridge(turn):
    """Return two cones that meet in a ridge at z = 0 and a radius of 30 mm."""
    h, length = turn / 2.0, 0.03
    ends = [(side * length * math.cos(h), 0.03 - length * math.sin(h)) for side in (-1.0, 1.0)]
    return lines(ends[0], (0.0, 0.03), ends[1])


def ridge_force(turn, radius, centre, n=200):
    """Return the force on a ball on a ridge, (x, z) [N]: the mean of c s n over n^2 points of its touching part."""
    h, extent = turn / 2.0, 0.3
    for _ in range(6):
        edges = np.linspace(-extent, extent, n + 1)
        middle, step = (edges[1:] + edges[:-1]) / 2.0, edges[1] - edges[0]
        lat, lon = np.meshgrid(middle, middle, indexing="ij")
        x = centre[0] - radius * np.cos(lat) * np.cos(lon)
        y, z = radius * np.cos(lat) * np.sin(lon), centre[2] + radius * np.sin(lat)
        r = np.hypot(x, y)
        sides = [-(sign * z * math.sin(h) + (r - 0.03) * math.cos(h)) for sign in (-1.0, 1.0)]
        s = np.maximum(np.minimum(*sides), 0.0)  # inside the material, the nearer face
        n_z = np.where(sides[0] < sides[1], -math.sin(h), math.sin(h))
        stress = STIFFNESS * s * radius**2 * np.cos(lat) * step**2
        force = np.array([np.sum(stress * math.cos(h) * x / r), np.sum(stress * n_z)])
        extent = 1.1 * max(np.abs(lat[s > 0.0]).max(), np.abs(lon[s > 0.0]).max()) + 2.0 * extent / n
    return force


def test_a_turn_below_the_sharp_angle_adds_less_to_the_error_of_the_force_than_the_cells():
    """The cells err by 0.4 % at the force that they resolve; a sharp rim adds tens of per cent."""
    layer, worst = ElasticLayer(areal_stiffness=STIFFNESS), {}
    for turn_deg, pressed in ((90.0, 3e-4), (1.0, 8e-5)):
        turn, errors = math.radians(turn_deg), []
        pair = ContactPair(surface_A=ridge(turn), surface_B=ball(0.01), layer=layer)
        for z in (-1.1e-4, 1.3e-5, 2.7e-4):
            x = 0.03 - abs(z) * math.tan(turn / 2.0) + 0.01 - pressed
            exact = ridge_force(turn, 0.01, (x, 0.0, z))
            assert np.linalg.norm(exact) > pair.quadrature.resolved_force
            found = pair.contact(state(), state(r=np.array([x, 0.0, z]))).wrench_B.F[[0, 2]]
            errors.append(float(np.linalg.norm(found - exact) / np.linalg.norm(exact)))
        worst[turn_deg] = max(errors)
    assert worst[1.0] < 0.004
    assert worst[90.0] > 0.02


def test_a_kink_of_rounding_is_no_sharp_edge():
    kink, corner = math.radians(0.00035), math.radians(2.0)
    for turn, expected in ((kink, []), (corner, [corner])):
        found = [edge.turn for edge in sharp_edges(ridge(turn)) if edge.is_sharp]
        assert found == pytest.approx(expected)
    tip = lines((-0.02, 0.0), (-0.02, 0.02), (0.0, 0.0))
    assert [(e.z, e.radius) for e in sharp_edges(tip) if e.is_sharp] == [(-0.02, 0.02), (0.0, 0.0)]


def test_validate_names_sharp_edges_but_no_kinks_of_rounding():
    """Two cones as in `ridge`, as surface a of a contact that never touches."""
    for turn_deg, expected in ((0.00035, 0), (2.0, 1)):
        segments = ridge(math.radians(turn_deg)).segments
        profile = (segments[0].start, segments[0].end, segments[1].end)
        given = scenario(profile, sphere(0.006), Free(position=(1.0, 0.0, 0.0)))
        found = check_before_run(given).warnings
        assert sum("sharp edge" in warning.message for warning in found) == expected
