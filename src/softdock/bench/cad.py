"""Benchmark of contacts between solids of any shape: time, agreement with surfaces of revolution, closed forms."""

import dataclasses
import math

import numpy as np

from softdock.bench.contact_kinds import KINDS, STIFFNESS, Approach, ContactKind, press, state
from softdock.bench.entry_points import repeat_evaluate, repeat_rebuild
from softdock.bench.measurement import Row, row, shortest_loop_time
from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.kernels import layout
from softdock.contact.layer import CoulombFriction, ElasticLayer
from softdock.contact.pair import ContactPair, as_solid
from softdock.geometry.profile import Line
from softdock.geometry.solids.primitives import extrude
from softdock.geometry.solids.solid import Solid, build_solid
from softdock.presentation.progress import Progress

FORCE = 1.5
"""[N]"""
PLACEMENTS = 4
LARGEST_RATIO = 3.0
PATCH_TIME = 10e-6
"""[s] of an evaluation per patch."""
RADIUS, DEPTH, BOTTOM = 0.010, 2e-5, 0.03
"""Ball in a V-groove, and depth of its bottom [m]."""


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    rows = []
    for i, (name, kind) in enumerate(KINDS.items()):
        progress(name, i / (len(KINDS) + 1))
        rows += _both_readings(name, kind)
    progress("ball in a V-groove", len(KINDS) / (len(KINDS) + 1))
    return rows + _ball_in_groove()


def general_pair(pair: ContactPair) -> ContactPair:
    """Return the pair with both surfaces as solids."""
    return dataclasses.replace(pair, surface_A=as_solid(pair.surface_A), surface_B=as_solid(pair.surface_B))


def _both_readings(name: str, kind: ContactKind) -> list[Row]:
    """Return the times of the force of a kind of contact, read as solids and as surfaces of revolution."""
    rng = np.random.default_rng(1)
    own, general = kind.pair(), general_pair(kind.pair())
    worst, ratios, times = 0.0, [], []
    for _ in range(PLACEMENTS):
        approach = kind.approach(rng)
        place = approach[1] + press(kind, approach, FORCE) * approach[2]
        forces = [pair.forces(state(), state(r=place, A=approach[0]))[1].F for pair in (own, general)]
        worst = max(worst, float(np.linalg.norm(forces[1] - forces[0]) / np.linalg.norm(forces[0])))
        here, there = _times(own, approach, place), _times(general, approach, place)
        times.append(there)
        ratios.append(there[0] / here[0])
    slowest = max(range(PLACEMENTS), key=lambda k: ratios[k])
    return [
        row(
            f"time as solids over that of revolution, {name}",
            float(np.median(ratios)),
            "1",
            LARGEST_RATIO,
        ),
        row(f"force as solids, {name}", times[slowest][0], "s"),
        row(f"near list as solids, {name}", times[slowest][1], "s"),
        row(f"difference of forces, {name}", worst, "1", 2e-3),
    ]


def _times(pair: ContactPair, approach: Approach, place: np.ndarray) -> tuple[float, float]:
    """Return the times of a force with friction and of a near list [s]."""
    arrays = contact_arrays([dataclasses.replace(pair, friction=CoulombFriction(coefficient=0.1))])
    lists = contact_lists(arrays, capacity=2048)
    rotation, p = tuple(tuple(map(float, line)) for line in approach[0]), tuple(map(float, place))
    out, rest, sliding = np.zeros(layout.OUTPUT_SIZE), (0.0, 0.0, 0.0), (0.01, 0.0, 0.0)
    listing = shortest_loop_time(lambda n: repeat_rebuild(arrays, lists, rotation, p, pair.skin, n), 5, 3)
    force = shortest_loop_time(
        lambda n: repeat_evaluate(arrays, lists, rotation, p, rest, sliding, out, n), 20, 8
    )
    return force, listing


def v_groove() -> Solid:
    """Return a block with a groove of 90 degrees that opens towards +y."""
    points = [(-0.05, -0.04), (0.05, -0.04), (0.05, 0.0), (BOTTOM, 0.0), (0.0, -BOTTOM), (-BOTTOM, 0.0)]
    lines = [Line(start=p, end=q) for p, q in zip(points, [*points[1:], points[0]])]
    return build_solid(extrude(lines, 0.1))


def _ball_in_groove() -> list[Row]:
    """Return time and error of the force on a ball in a V-groove: two patches."""
    pair = ContactPair(
        surface_A=v_groove(), surface_B=as_solid(KINDS["ball in hemisphere, 10 in 12 mm"].B),
        layer=ElasticLayer(areal_stiffness=STIFFNESS),
    )  # fmt: skip
    depth = 1.5e-4
    place = np.array([0.0, (RADIUS - depth) * math.sqrt(2.0) - BOTTOM, 0.05])
    exact = math.sqrt(2.0) * math.pi * STIFFNESS * RADIUS * depth**2
    force = pair.forces(state(), state(r=place))[1].F
    time, listing = _times(pair, (np.eye(3), place, place), place)
    return [
        row("force per patch, ball in a V-groove", 0.5 * time, "s", PATCH_TIME),
        row("near list, ball in a V-groove", listing, "s"),
        row("error of the force, ball in a V-groove", abs(force[1] / exact - 1.0), "1", 2e-3),
    ]
