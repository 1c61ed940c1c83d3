"""Near lists along a path are valid on the path and within their reach, and contain all touching cells."""

import dataclasses
import math

import numpy as np
import pytest
from tests.contact.test_laws import REST, allowed_error, matrix_rows, pressed_contact

from softdock.bench.contact_kinds import KINDS, rotation, state
from softdock.contact import CutCells, Points
from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.entry_points import evaluate, motion_bound, rebuild, rebuild_along, touching_cells
from softdock.contact.kernels import layout

REACH = 1e-4


def as_tuple(p):
    return tuple(map(float, p))


def cross_matrix(w):
    """Return the matrix [w]x of the cross product."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


class Path:
    """A straight path of poses about one of them, and a near list along it."""

    def __init__(self, pair, R_AB, p_AB_A, half_R, half_p, reach=REACH):
        self.R, self.p, self.half_R, self.half_p = R_AB, p_AB_A, half_R, half_p
        self.arrays = contact_arrays([pair])
        self.lists = contact_lists(self.arrays, capacity=2048)
        ball = self.arrays.nodes[0]
        self.centre, self.radius = np.array([ball["x"], ball["y"], ball["z"]]), float(ball["radius"])
        rebuild_along(
            self.arrays,
            self.lists,
            0,
            matrix_rows(R_AB),
            as_tuple(p_AB_A),
            matrix_rows(half_R),
            as_tuple(half_p),
            reach,
        )
        self.clearance = float(self.lists.work[0]["clearance"])
        assert self.lists.work[0]["block_count"] <= 2048

    @classmethod
    def random(cls, pair, R_AB, p_AB_A, rng, normal, length=1e-3, reach=REACH):
        """Return a path through a pose along a random twist that is nearly tangential, like motions in contact."""
        ball = contact_arrays([pair]).nodes[0]
        w, v = rng.normal(size=3), rng.normal(size=3)
        v -= 0.98 * (v @ normal) * normal
        centre = np.array([ball["x"], ball["y"], ball["z"]])
        half_R = (
            cross_matrix(w) @ R_AB * length * rng.uniform(0.0, 0.5) / (np.linalg.norm(w) * ball["radius"])
        )
        half_p = 0.5 * length * v / np.linalg.norm(v) - half_R @ (R_AB.T @ R_AB @ centre)
        return cls(pair, R_AB, p_AB_A, half_R, half_p, reach)

    def beside(self, rng, at, far):
        """Return a pose near a position of the path, with a deviation between half of `far` and `far` [m]."""
        R, p = self.R + at * self.half_R, self.p + at * self.half_p
        U, _, V = np.linalg.svd(R)
        R = U @ V  # a rotation
        p = p + (self.R + at * self.half_R - R) @ self.centre
        left = far - self.off(R, p)
        if left <= 0.0:
            return R, p
        axis, way = rng.normal(size=3), rng.normal(size=3)
        share = rng.uniform(0.0, 0.8)
        Q = rotation(axis, share * left / (2.0 * self.radius)) @ R
        return Q, p + (R - Q) @ self.centre + (1.0 - share) * 0.95 * left * way / np.linalg.norm(way)

    def off(self, R, p):
        return motion_bound(self.arrays, self.lists, 0, matrix_rows(R), as_tuple(p))

    def force(self, R, p, w=REST, v=REST):
        out = np.zeros(layout.OUTPUT_SIZE)
        evaluate(self.arrays, self.lists, 0, matrix_rows(R), as_tuple(p), w, v, out)
        return out

    def force_of_all(self, R, p, w=REST, v=REST):
        """Return force and torque of all cells of the list, without skipping blocks."""
        table = np.zeros((int(self.lists.work[0]["cell_count"]), 12))
        count = touching_cells(self.arrays, self.lists, 0, matrix_rows(R), as_tuple(p), w, v, table)
        return table[:count, 3:9].sum(axis=0)


def normal_of(name, seed):
    return KINDS[name].approach(np.random.default_rng(seed))[2]


@pytest.mark.parametrize("name", KINDS)
def test_blocks_are_skipped_only_where_nothing_touches(name):
    """Eq. (C26): skipping blocks does not change the force on the path and beside it."""
    rng = np.random.default_rng(7)
    touched = 0
    for seed, force, reach in ((5, 1.0, REACH), (6, 0.1, 3 * REACH), (7, 20.0, REACH)):
        kind, R, p = pressed_contact(name, force=force, seed=seed)
        path = Path.random(kind.pair(), R, p, rng, normal_of(name, seed), length=2e-3, reach=reach)
        for _ in range(40):
            Q, q = path.beside(rng, rng.uniform(-1.0, 1.0), reach)
            out, whole = path.force(Q, q), path.force_of_all(Q, q)
            touched += out[layout.CONTACT_AREA] > 0.0
            assert out[:6] == pytest.approx(whole, rel=1e-9, abs=1e-12 + 1e-9 * np.linalg.norm(whole))
    assert touched >= 20


@pytest.mark.parametrize("name", KINDS)
def test_a_list_is_valid_on_its_path(name):
    """On the path and within its reach a list is as accurate as one built there (root mean square)."""
    rng = np.random.default_rng(3)
    errors = []
    kind, R, p = pressed_contact(name, force=1.0)
    fine = kind.pair(CutCells(resolved_force=1e-3))
    for _ in range(3):
        path = Path.random(kind.pair(), R, p, rng, normal_of(name, 5))
        for at in (-1.0, -0.6, 0.0, 0.4, 1.0):
            Q, q = path.beside(rng, at, REACH)
            if path.off(Q, q) > REACH:  # a rotation for which the linear path is inaccurate
                continue
            exact = fine.contact(state(), state(r=q, A=Q)).wrench_B.F
            errors.append(np.linalg.norm(path.force(Q, q)[:3] - exact) / allowed_error(np.linalg.norm(exact)))
    assert len(errors) >= 10
    assert np.sqrt(np.mean(np.square(errors))) <= 1.0


def test_no_touching_point_is_omitted():
    """A list of plain points along a path gives the force of all points of B."""
    rng = np.random.default_rng(11)
    touched = 0
    for name in ("ball (6 mm) on cone", "pin across throat edge", "ring, tilted up to 2 mrad"):
        kind, R, p = pressed_contact(name, force=30.0)
        pair = dataclasses.replace(kind.pair(), surface_A=kind.A, quadrature=Points(spacing=5e-4))
        for _ in range(4):
            path = Path.random(pair, R, p, rng, normal_of(name, 5), length=4e-3)
            whole = contact_lists(path.arrays, capacity=1 << 14)
            rebuild(path.arrays, whole, 0, matrix_rows(R), as_tuple(p), 1.0)
            for at in (-1.0, -0.3, 0.5, 1.0):
                Q, q = path.beside(rng, at, REACH)
                out, every = path.force(Q, q), np.zeros(layout.OUTPUT_SIZE)
                evaluate(path.arrays, whole, 0, matrix_rows(Q), as_tuple(q), REST, REST, every)
                touched += every[layout.CONTACT_AREA] > 0.0
                assert out == pytest.approx(every, rel=1e-9, abs=1e-9 * np.linalg.norm(every))
    assert touched >= 12


@pytest.mark.parametrize(
    "name", ["ball (6 mm) on cone", "pin across throat edge", "ball at the pole, 10 in 30 mm"]
)
def test_nothing_touches_within_the_clearance_of_a_path(name):
    rng = np.random.default_rng(4)
    kind, R, p = pressed_contact(name, force=1.0)
    normal, fine, clear = normal_of(name, 5), kind.pair(CutCells(resolved_force=1e-3)), 0
    for back in (0.3e-3, 1e-3, 5e-3):
        path = Path.random(kind.pair(), R, p - back * normal, rng, normal)
        if path.clearance <= 0.0:
            continue
        clear += 1
        for at in (-1.0, -0.5, 0.0, 0.5, 1.0):
            Q, q = path.beside(rng, at, path.clearance)
            assert fine.contact(state(), state(r=q, A=Q)).depth <= 1e-6
            assert not path.force(Q, q).any()
    assert clear >= 2


def test_motion_bound_of_a_path_is_valid_and_tight():
    """The bound of Eq. (C32) holds for some position of the path and all points of B, and is tight."""
    kind, R, p = pressed_contact("pin across throat edge")
    rng = np.random.default_rng(4)
    surface = np.array(
        [
            (r * math.cos(a), r * math.sin(a), z)
            for z, r in ((0, 0.0), (0.0, 0.015), (0.003, 0.018), (0.06, 0.018))
            for a in np.linspace(0, 6, 9)
        ]
    )
    for size in (1e-6, 1e-4, 1e-2):
        path = Path.random(kind.pair(), R, p, rng, normal_of("pin across throat edge", 5))
        for place in (-1.3, -0.7, 0.0, 0.2, 1.0):
            Q = rotation(rng.normal(size=3), size) @ R
            q = p + place * path.half_p + size * 0.01 * rng.normal(size=3)
            off = [
                np.linalg.norm(
                    surface @ (Q - R - at * path.half_R).T + q - p - at * path.half_p, axis=1
                ).max()
                for at in np.linspace(-1.0, 1.0, 401)
            ]
            bound = path.off(Q, q)
            assert min(off) <= bound * (1 + 1e-9)
            assert bound <= 6 * min(off) + 1e-5  # the grid of positions has a spacing of 5 um


def test_path_of_zero_length_gives_the_list_of_its_pose():
    """Without motion a list along a path is identical to the list at a pose."""
    kind, R, p = pressed_contact("ball (9 mm) on throat edge")
    still = Path(kind.pair(), R, p, np.zeros((3, 3)), np.zeros(3))
    lists = contact_lists(still.arrays, capacity=2048)
    rebuild(still.arrays, lists, 0, matrix_rows(R), as_tuple(p), REACH)
    assert lists.work[0]["cell_count"] == still.lists.work[0]["cell_count"]
    out = np.zeros(layout.OUTPUT_SIZE)
    evaluate(still.arrays, lists, 0, matrix_rows(R), as_tuple(p), REST, REST, out)
    assert np.array_equal(out, still.force(R, p))
