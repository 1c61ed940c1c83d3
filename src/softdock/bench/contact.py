"""Benchmark of the contact force: time and accuracy of cut cells and points, for many kinds of contact."""

import dataclasses

import numpy as np

from softdock.bench.contact_kinds import KINDS, UP, Array, ContactKind, press, state
from softdock.bench.entry_points import repeat_evaluate, repeat_rebuild
from softdock.bench.measurement import Row, compare, row, shortest_loop_time
from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.kernels import layout
from softdock.contact.layer import CoulombFriction
from softdock.contact.pair import CutCells, Points
from softdock.presentation.progress import Progress
from softdock.presentation.tables import Table
from softdock.scenario.loading import load
from softdock.simulation import simulate

FORCES = (0.1, 1.0, 10.0)
"""[N]"""
METHODS: dict[str, CutCells | Points] = {
    "cut cells": CutCells(),
    "cut cells, quartered": CutCells(resolved_force=0.1 / 16),
    "points 2 mm": Points(spacing=2e-3),
    "points 1 mm": Points(spacing=1e-3),
    "points 0.25 mm": Points(spacing=0.25e-3),
}
"""The cell size is proportional to the fourth root of the resolved force: a sixteenth of it halves both sides."""
REFERENCE = CutCells(resolved_force=1e-4)
CONTACTS = ("bumper-drogue", "pantograph-drogue")
DOCKINGS = {
    "cut cells": ("resolved_force=0.1",),
    "cut cells, quartered": ("resolved_force=0.00625",),
    "cut cells for 6 N": ("resolved_force=6",),
    "points 2 mm": ("quadrature=points", "spacing=0.002"),
    "points 1 mm": ("quadrature=points", "spacing=0.001"),
    "points 0.5 mm": ("quadrature=points", "spacing=0.0005"),
}
"""Contact fields of the docking by quadrature."""
TIMED_KIND, TIMED_FORCE = "ball (6 mm) on cone", 1.5


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    rows = _times()
    for i, name in enumerate(KINDS):
        progress(name, (i + 1) / (len(KINDS) + 1))
        errors = accuracy(KINDS[name], ("cut cells", "points 1 mm"), placements=8)
        for k, force in enumerate(FORCES):
            ours, theirs = errors["cut cells"][k], errors["points 1 mm"][k]
            measured = row(f"force error, {name}, {force:g} N", ours, "1", 0.01 if force < 1.0 else 0.005)
            rows.append(compare(measured, "points 1 mm apart", theirs, theirs / max(ours, 1e-12)))
    return rows


def accuracy(
    kind: ContactKind, methods: tuple[str, ...], placements: int, seed: int = 1
) -> dict[str, list[float]]:
    """Return the root mean square relative force error of each method, one per entry of `FORCES`."""
    rng = np.random.default_rng(seed)
    fine = kind.pair(REFERENCE)
    pairs = {name: kind.pair(METHODS[name]) for name in methods}
    squares = {name: np.zeros(len(FORCES)) for name in methods}
    for _ in range(placements):
        approach = kind.approach(rng)
        for k, force in enumerate(FORCES):
            there = state(r=approach[1] + press(kind, approach, force) * approach[2], A=approach[0])
            exact = np.linalg.norm(fine.forces(state(), there)[1].F)
            for name, pair in pairs.items():
                error = np.linalg.norm(pair.forces(state(), there)[1].F) / exact - 1.0
                squares[name][k] += error**2 / placements
    return {name: [float(e) for e in np.sqrt(values)] for name, values in squares.items()}


def table(placements: int = 20) -> str:
    """Return the table of the theory page (Markdown): force error in per cent at the three forces."""
    rows = []
    for name, kind in KINDS.items():
        errors = accuracy(kind, tuple(METHODS), placements)
        cells = [" / ".join(_digits(100 * e) for e in errors[method]) for method in METHODS]
        rows.append((name, *cells))
    return Table(header=("contact", *METHODS), rows=rows).to_markdown()


def docking_table() -> str:
    """Return the table of the theory page (Markdown): the nominal docking with cells and with points."""
    rows = []
    for name, fields in DOCKINGS.items():
        changes = [f"contacts.{contact}.{field}" for contact in CONTACTS for field in fields]
        metrics = simulate(load("assist-soft-docking", ["opening=false", *changes])).metrics
        rows.append((name, f"{metrics['peak_contact_force']:.3f}", f"{metrics['opening_time']:.5f}"))
    header = ("quadrature", "peak contact force [N]", "opening time [s]")
    return Table(header=header, rows=rows).to_markdown()


def _digits(value: float) -> str:
    """Format a number with two significant digits and no exponent."""
    return np.format_float_positional(float(f"{value:.2g}"), trim="-")


def _times() -> list[Row]:
    """Time one evaluation and one rebuild of the near list, in contact and in free flight."""
    kind = KINDS[TIMED_KIND]
    approach = kind.approach(np.random.default_rng(1))
    touching = approach[1] + press(kind, approach, TIMED_FORCE) * approach[2]
    where = f"{TIMED_KIND}, {TIMED_FORCE:g} N"
    return [
        *_times_at(kind, approach[0], touching, where, aims=(3e-6, 50e-6)),
        *_times_at(kind, approach[0], touching + 0.1 * UP, "free flight", aims=(0.1e-6, 0.3e-6)),
    ]


def _times_at(
    kind: ContactKind, R_AB: Array, p_AB_A: Array, where: str, aims: tuple[float, float]
) -> list[Row]:
    pair = dataclasses.replace(kind.pair(), friction=CoulombFriction(coefficient=0.1))
    arrays = contact_arrays([pair])
    lists = contact_lists(arrays)
    rotation, p = tuple(tuple(map(float, line)) for line in R_AB), tuple(map(float, p_AB_A))
    out, rest, sliding = np.zeros(layout.OUTPUT_SIZE), (0.0, 0.0, 0.0), (0.01, 0.0, 0.0)
    listing = shortest_loop_time(lambda n: repeat_rebuild(arrays, lists, rotation, p, pair.skin, n), 50)
    force = shortest_loop_time(
        lambda n: repeat_evaluate(arrays, lists, rotation, p, rest, sliding, out, n), 50
    )
    return [
        row(f"contact force with friction, {where}", force, "s", aims[0]),
        row(f"near list, {where}", listing, "s", aims[1]),
        row(f"cells in the near list, {where}", int(lists.work[0]["cell_count"]), "1"),
    ]
