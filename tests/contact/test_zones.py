"""Forces on zones of a surface, computed from the recorded motion."""

import math

import numpy as np
import pytest

from softdock.errors import InputError
from softdock.geometry.kernels import segment_depth
from softdock.geometry.profile import nearest_segment
from softdock.geometry.profile_arrays import profile_array
from softdock.geometry.vertices import rounded_profile
from softdock.scenario.loading import load
from softdock.simulation import simulate
from softdock.simulation.observed import RecordedChannels

ZONES = ("cone", "throat", "chamber", "bottom")
FIELDS = ("force", "area", "pressure", "fx", "fy", "fz")
CONTACTS = ("bumper-drogue", "pantograph-drogue")


@pytest.fixture(scope="module")
def history():
    also = [f"{contact}/{zone}.{field}" for contact in CONTACTS for zone in ZONES for field in FIELDS]
    also += [f"bumper-drogue/{k + 1}.fz" for k in range(8)]
    return simulate(load("assist-passive", {"record.also": also})).history


@pytest.mark.parametrize("contact", CONTACTS)
def test_zones_add_up_to_the_contact(history, contact):
    """Tolerance for two near lists of the same contact: half a per cent, plus a fraction of the resolved force."""
    whole = np.column_stack([history[f"{contact}.{axis}"] for axis in ("fx", "fy", "fz")])
    parts = sum(
        np.column_stack([history[f"{contact}/{zone}.{axis}"] for axis in ("fx", "fy", "fz")])
        for zone in ZONES
    )
    size = np.linalg.norm(whole, axis=1)
    assert size.max() > 10.0
    assert np.all(np.linalg.norm(parts - whole, axis=1) <= 5e-3 * size + 1e-2 * 6.0)
    pressure = np.max([history[f"{contact}/{zone}.pressure"] for zone in ZONES], axis=0)
    peak = size.argmax()
    assert pressure[peak] == pytest.approx(history[f"{contact}.pressure"][peak], rel=1e-2)
    area = sum(history[f"{contact}/{zone}.area"][peak] for zone in ZONES)
    assert area == pytest.approx(history[f"{contact}.area"][peak], rel=1e-2)


def test_zones_are_touched_in_the_order_of_the_docking(history):
    """The probe's nose passes the throat and hits the bottom, where the force is largest; no force is tensile."""
    time = history.time
    at_bottom = history["bumper-drogue/bottom.force"]
    assert at_bottom.max() == pytest.approx(history["bumper-drogue.force"].max(), rel=1e-3)
    assert history["bumper-drogue/bottom.fz"].max() <= 0.0
    earlier = sum(history[f"{contact}/{zone}.force"] for contact in CONTACTS for zone in ("cone", "throat"))
    assert time[np.flatnonzero(earlier)[0]] < time[np.flatnonzero(at_bottom)[0]]


def test_zones_select_segments_by_number(history):
    """The first segment of the drogue's cavity is its hemispherical bottom."""
    assert np.array_equal(history["bumper-drogue/1.fz"], history["bumper-drogue/bottom.fz"])
    total = sum(history[f"bumper-drogue/{k + 1}.fz"] for k in range(8))
    assert np.allclose(total, sum(history[f"bumper-drogue/{zone}.fz"] for zone in ZONES), atol=1e-9)


def test_without_zones_nothing_is_recorded():
    plain = simulate(load("assist-passive", {"duration": 1.0})).history
    assert type(plain.channels) is RecordedChannels
    asked = simulate(
        load("assist-passive", {"duration": 1.0, "record.also": ["bumper-drogue/cone.force"]})
    ).history
    assert set(asked.channels) == {*plain.channels, "bumper-drogue/cone.force"}
    assert not asked["bumper-drogue/cone.force"].any()  # no contact yet


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        (
            {"record.also": ["bumper-drogue/coin.force"]},
            "record.also.0",
            "no zone 'coin' (did you mean 'cone'?)",
        ),
        ({"record.also": ["bumper-drogue/9.force"]}, "record.also.0", "1 to 8 (its segments)"),
        ({"record.also": ["bumper-drogue/cone.depth"]}, "record.also.0", "it has: force, area, pressure"),
        ({"metrics.most": "max bumper-drogue/coin.force"}, "metrics.most", "did you mean 'cone'?"),
        (
            {"events.first-contact.when": "bumper-drogue/coin.force > 1 N"},
            "events.first-contact.when",
            "did you mean 'cone'?",
        ),
        (
            {"surfaces.cavity.zones": {"cone": [0.06, 0.01]}},
            "surfaces.cavity.zones.cone",
            "must rise along z",
        ),
    ],
)
def test_invalid_zones_are_rejected(changes, field, sentence):
    with pytest.raises(InputError) as refused:
        load("assist-passive", changes)
    assert field in [problem.field for problem in refused.value.problems]
    assert sentence.lower() in str(refused.value).lower()


def test_the_nearest_segment_is_that_of_the_kernels():
    profile = rounded_profile(
        [(0.02, 0.078), (-0.035, 0.023), (-0.05, 0.023), (-0.056, 0.035), (-0.09, 0.02)], [5e-3, 2e-3, 2e-3]
    )
    rows = profile_array(profile)
    ours = [
        next(
            i
            for i, row in enumerate(rows)
            if math.dist(row[1:3], s.start) + math.dist(row[3:5], s.end) < 1e-12
        )
        for s in profile.segments
    ]
    rng = np.random.default_rng(0)
    z, r = rng.uniform(-0.1, 0.03, 400), rng.uniform(0.0, 0.09, 400)
    distances = np.array([[abs(segment_depth(rows, k, *p)[0]) for k in ours] for p in zip(z, r)])
    chosen = nearest_segment(profile, z, r)
    assert len(set(chosen)) == len(profile.segments)
    assert np.allclose(distances[np.arange(400), chosen], distances.min(axis=1), atol=1e-12)
