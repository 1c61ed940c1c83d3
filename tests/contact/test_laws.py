"""Conservation laws and invariances of every kind of contact."""

import dataclasses
import math

import numpy as np
import pytest

from softdock.bench.contact_kinds import KINDS, STIFFNESS, UP, ContactKind, ball, pin, press, rotation, state
from softdock.contact import (
    ContactPair,
    CoulombFriction,
    CutCells,
    ElasticLayer,
    FrictionLaw,
    Mapping,
    Points,
)
from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.entry_points import evaluate, motion_bound, rebuild
from softdock.contact.kernels import layout
from softdock.geometry.kernels import depth
from softdock.geometry.profile_arrays import profile_array
from softdock.geometry.vertices import rounded_profile

DROGUE = rounded_profile(
    [
        (0.02, 0.078),
        (-0.035, 0.023),
        (-0.050, 0.023),
        (-0.056, 0.035),
        (-0.075, 0.035),
        (-0.09, 0.02),
        (-0.09, 0.0),
    ],
    [5e-3, 2e-3, 2e-3, 5e-3, 5e-3],
)
LAYER = ElasticLayer(areal_stiffness=STIFFNESS, damping=5e8, damping_depth=1e-4)
REST = (0.0, 0.0, 0.0)


def matrix_rows(R):
    return tuple(tuple(map(float, row)) for row in R)


class Kernel:
    """One pair at kernel level, with one near list for the whole test."""

    def __init__(self, pair, R_AB, p_AB_A, reach):
        self.arrays = contact_arrays([pair])
        self.lists = contact_lists(self.arrays, capacity=2048)
        rebuild(self.arrays, self.lists, 0, matrix_rows(R_AB), tuple(map(float, p_AB_A)), reach)
        self.clearance = self.lists.work[0]["clearance"]
        assert self.lists.work[0]["block_count"] <= 2048

    def __call__(self, R_AB, p_AB_A, w=REST, v=REST):
        out = np.zeros(layout.OUTPUT_SIZE)
        moved = evaluate(self.arrays, self.lists, 0, matrix_rows(R_AB), tuple(map(float, p_AB_A)), w, v, out)
        return out, moved


def pressed_contact(name, force=3.0, seed=5):
    """Return a kind of contact, and R_AB and p_AB_A at which it is pressed with a force [N]."""
    kind = KINDS[name]
    approach = kind.approach(np.random.default_rng(seed))
    return kind, approach[0], approach[1] + press(kind, approach, force) * approach[2]


@pytest.mark.parametrize("name", KINDS)
def test_elastic_force_is_the_gradient_of_the_energy(name):
    """Force and torque against central differences of the energy, over translations and rotations."""
    kind, R_AB, p_AB_A = pressed_contact(name)
    kernel = Kernel(kind.pair(), R_AB, p_AB_A, reach=2e-4)
    out, _ = kernel(R_AB, p_AB_A)
    h = 2e-7
    for k, axis in enumerate(np.eye(3)):
        up, down = kernel(R_AB, p_AB_A + h * axis)[0], kernel(R_AB, p_AB_A - h * axis)[0]
        slope = (up[layout.ENERGY] - down[layout.ENERGY]) / (2 * h)
        # The second difference of the force bounds the error of the difference: h^2 F'' / 6, F'' at most F/depth^2.
        tolerance = 3.0 * (h / out[layout.DEPTH]) ** 2 + 1e-7
        assert -slope == pytest.approx(out[layout.FORCE + k], abs=3.0 * tolerance)
        turn = h / 0.05
        up = kernel(rotation(axis, turn) @ R_AB, rotation(axis, turn) @ p_AB_A)[0]
        down = kernel(rotation(axis, -turn) @ R_AB, rotation(axis, -turn) @ p_AB_A)[0]
        slope = (up[layout.ENERGY] - down[layout.ENERGY]) / (2 * turn)
        assert -slope == pytest.approx(out[layout.TORQUE + k], abs=0.06 * 3.0 * tolerance)


def test_gradient_in_the_fillets_of_a_drogue():
    """Cells that face two segments, and the corners of a sharp drogue, keep the force a gradient."""
    sharp = rounded_profile([(0.02, 0.078), (-0.035, 0.023), (-0.050, 0.023), (-0.056, 0.035)], [0.0, 0.0])
    for A in (DROGUE, sharp):
        for p_AB_A in ((0.0163, 0.0, -0.032), (0.0154, 0.002, -0.0495), (0.0175, 0.0, -0.034)):
            pair = ContactPair(
                surface_A=A, surface_B=ball(0.008), layer=ElasticLayer(areal_stiffness=STIFFNESS)
            )
            p_AB_A = np.array(p_AB_A)
            kernel = Kernel(pair, np.eye(3), p_AB_A, reach=1e-3)
            out, h = kernel(np.eye(3), p_AB_A)[0], 1e-8
            assert out[layout.DEPTH] > 0.0
            for k, axis in enumerate(np.eye(3)):
                up, down = (kernel(np.eye(3), p_AB_A + side * h * axis)[0] for side in (1, -1))
                slope = (up[layout.ENERGY] - down[layout.ENERGY]) / (2 * h)
                scale = np.linalg.norm(out[:3])
                # A point on the medial line of the sharp corner may change sides within h.
                assert -slope == pytest.approx(out[layout.FORCE + k], abs=1e-4 * scale)


def test_work_around_a_loop_vanishes():
    """A closed path through cone, edge and throat with one near list: Simpson's rule against the stored energy."""
    centre = np.array([0.0163, 0.0, -0.0320])
    pair = ContactPair(surface_A=DROGUE, surface_B=ball(0.008), layer=ElasticLayer(areal_stiffness=STIFFNESS))
    kernel = Kernel(pair, np.eye(3), centre, reach=1e-3)
    n, radius = 4000, 2e-4
    angles = np.linspace(0, math.tau, n + 1)
    path = centre + radius * np.column_stack([np.cos(angles), 0.3 * np.sin(angles), np.sin(angles)])
    steps = radius * np.column_stack([-np.sin(angles), 0.3 * np.cos(angles), np.cos(angles)])
    outs = np.array([kernel(np.eye(3), p)[0] for p in path])
    power = (outs[:, :3] * steps).sum(axis=1)
    work = (
        power[:-1].sum() * math.tau / n
    )  # the trapezoidal rule is spectrally accurate on a closed smooth path
    assert abs(work) <= 1e-7 * outs[:, layout.ENERGY].max()


@pytest.mark.parametrize("quadrature", [CutCells(), Points(spacing=1e-3)])
@pytest.mark.parametrize(
    "name", ["ball (6 mm) on cone", "pin across throat edge", "ring, tilted up to 2 mrad"]
)
def test_action_equals_reaction_at_the_same_point(name, quadrature):
    kind, R_AB, p_AB_A = pressed_contact(name)
    pair = dataclasses.replace(kind.pair(quadrature), layer=LAYER, friction=CoulombFriction(coefficient=0.3))
    there = state(r=p_AB_A, v=(0.001, -0.002, -0.003), omega=(0.02, 0.01, -0.03), A=R_AB)
    on_A, on_B = pair.forces(state(), there)
    assert np.array_equal(on_A.F, -on_B.F)
    total = on_A.T + on_B.T + np.cross(p_AB_A, on_B.F)
    assert np.linalg.norm(on_B.F) > 0.1
    assert np.abs(total).max() <= 1e-15 * np.linalg.norm(p_AB_A) * np.linalg.norm(on_B.F)


@pytest.mark.parametrize(
    "name", ["ball (6 mm) on cone", "pin across throat edge", "ball in hemisphere, 10 in 12 mm"]
)
def test_forces_are_invariant_under_rigid_motions_of_the_scene(name):
    """The scene is moved far from the origin and has a common motion."""
    kind, R_AB, p_AB_A = pressed_contact(name)
    pair = dataclasses.replace(kind.pair(), layer=LAYER, friction=CoulombFriction(coefficient=0.3))
    v, omega = np.array([0.01, -0.02, 0.03]), np.array([0.2, 0.1, -0.3])
    on_B = pair.contact(state(), state(r=p_AB_A, v=v, omega=omega, A=R_AB)).wrench_B
    Q, shift, drift = rotation((1.0, 2.0, -1.0), 1.1), np.array([3.0, -4.0, 5.0]), np.array([0.3, 0.2, 0.1])
    A_state = state(r=shift, v=drift, A=Q)
    B_state = state(r=shift + Q @ p_AB_A, v=drift + Q @ v, omega=Q @ omega, A=Q @ R_AB)
    turned = pair.contact(A_state, B_state).wrench_B
    # Rounding at 5 m is 1e-15 m in a depth of 1e-4 m; the stress centre's velocity loses nothing.
    assert np.linalg.norm(turned.F - Q @ on_B.F) <= 1e-9 * np.linalg.norm(on_B.F)
    assert np.linalg.norm(turned.T - Q @ on_B.T) <= 1e-9 * np.linalg.norm(on_B.F)


def test_a_common_rigid_motion_does_no_work():
    """A common rigid rotation causes neither friction nor damping."""
    kind, R_AB, p_AB_A = pressed_contact("pin across throat edge")
    pair = dataclasses.replace(kind.pair(), layer=LAYER, friction=CoulombFriction(coefficient=0.3))
    omega, v = np.array([0.4, -0.2, 0.7]), np.array([1.0, 2.0, 3.0])
    moving = pair.contact(
        state(v=v, omega=omega), state(r=p_AB_A, v=v + np.cross(omega, p_AB_A), omega=omega, A=R_AB)
    )
    still = pair.contact(state(), state(r=p_AB_A, A=R_AB))
    assert np.linalg.norm(moving.wrench_B.F - still.wrench_B.F) <= 1e-9 * np.linalg.norm(still.wrench_B.F)
    assert moving.dissipation == pytest.approx(0.0, abs=1e-12)


POINT_CONTACTS = [name for name in KINDS if not name.startswith(("ring", "line"))]


@pytest.mark.parametrize("name", POINT_CONTACTS)
def test_exchanging_the_roles_changes_the_force_by_depth_times_curvature(name):
    """Eq. (C29): by half the difference of the curvatures times the depth, and nothing else of first order."""
    kind, R_AB, p_AB_A = pressed_contact(name, force=0.2)
    fine = CutCells(resolved_force=1e-3)
    here = kind.pair(fine).contact(state(), state(r=p_AB_A, A=R_AB))
    exchanged = ContactPair(surface_A=kind.B, surface_B=kind.A, layer=kind.pair().layer, quadrature=fine)
    there = exchanged.contact(state(r=p_AB_A, A=R_AB), state())
    centre = kind.pair(fine).patches(state(), state(r=p_AB_A, A=R_AB))[0].centre
    K_A, K_B = curvature(kind.A, centre), curvature(kind.B, R_AB.T @ (centre - p_AB_A))
    d = max(here.depth, there.depth)
    change = np.linalg.norm(there.wrench_A.F) / np.linalg.norm(here.wrench_B.F) - 1.0
    second_order = 4.0 * ((abs(K_A) + abs(K_B)) * d) ** 2
    assert change == pytest.approx(0.5 * (K_A - K_B) * d, abs=second_order + 5e-4)
    assert second_order + 5e-4 < 0.25 * (abs(K_A) + abs(K_B)) * d  # otherwise the test would not be sensitive


def curvature(profile, x):
    """Return the sum of principal curvatures [1/m] at x, positive where convex: minus the Laplacian of the depth."""
    rows, h = profile_array(profile), 1e-6

    def s(x):
        return depth(rows, 0, len(rows) - 1, x[2], math.hypot(x[0], x[1]))[0]

    return -sum(s(x + h * axis) + s(x - h * axis) - 2.0 * s(x) for axis in np.eye(3)) / h**2


@pytest.mark.parametrize("law", FrictionLaw)
@pytest.mark.parametrize("name", KINDS)
def test_dissipation_is_never_negative_and_stress_never_tensile(name, law):
    kind, R_AB, p_AB_A = pressed_contact(name, force=1.0)
    pair = dataclasses.replace(kind.pair(), layer=LAYER, friction=CoulombFriction(coefficient=0.3, law=law))
    rng = np.random.default_rng(0)
    for scale in (1e-4, 1e-2, 1.0, 100.0):
        v, omega = scale * rng.normal(size=3), scale * rng.normal(size=3)
        contact = pair.contact(state(), state(r=p_AB_A, v=v, omega=omega, A=R_AB))
        assert contact.dissipation >= 0.0
        assert contact.pressure >= 0.0


def test_power_of_the_contact_force_is_stored_or_dissipated():
    """Power of the contact force = - rate of the elastic energy - dissipation."""
    kind, R_AB, p_AB_A = pressed_contact("ball (6 mm) on cone")
    pair = dataclasses.replace(kind.pair(), layer=LAYER, friction=CoulombFriction(coefficient=0.3))
    w, v = np.array([0.3, -0.5, 0.2]), np.array([0.01, 0.02, -0.015])
    kernel = Kernel(pair, R_AB, p_AB_A, reach=2e-4)
    out, _ = kernel(R_AB, p_AB_A, tuple(w), tuple(v))
    force, torque = out[:3], out[3:6] - np.cross(p_AB_A, out[:3])
    dt = 1e-6
    later, _ = kernel(rotation(w, np.linalg.norm(w) * dt) @ R_AB, p_AB_A + v * dt)
    sooner, _ = kernel(rotation(w, -np.linalg.norm(w) * dt) @ R_AB, p_AB_A - v * dt)
    rate = (later[layout.ENERGY] - sooner[layout.ENERGY]) / (2 * dt)
    # Damping and friction act at the stress centre of each cell: exact for a translation; a rotation of 0.6 rad/s
    # changes the speed across a cell of 1 mm by less than a thousandth.
    assert force @ v + torque @ w == pytest.approx(-rate - out[layout.DISSIPATION], rel=1e-3)


@pytest.mark.parametrize("name", KINDS)
def test_nothing_touches_within_the_clearance(name):
    """Poses within the clearance of the one where the list was built have no force."""
    kind, R_AB, p_AB_A = pressed_contact(name, force=1.0)
    approach = kind.approach(np.random.default_rng(5))[2]
    rng = np.random.default_rng(2)
    for back in (0.1e-3, 1e-3, 5e-3):
        start = p_AB_A - back * approach
        kernel = Kernel(kind.pair(), R_AB, start, reach=2e-4)
        assert kernel.clearance <= back
        if kernel.clearance <= 0.0:
            continue  # may touch already, or touches on the other side
        fine = kind.pair(CutCells(resolved_force=1e-3))
        for _ in range(5):
            way = rng.normal(size=3)
            moved = start + kernel.clearance * way / np.linalg.norm(way)
            assert fine.contact(state(), state(r=moved, A=R_AB)).depth <= 1e-6


@pytest.mark.parametrize("name", KINDS)
def test_a_list_is_valid_within_its_reach(name):
    """Within its reach a list is as accurate as at the pose where it was built (root mean square)."""
    rng = np.random.default_rng(2)
    reach, errors = 1e-4, []
    kind, R_AB, p_AB_A = pressed_contact(name, force=1.0)
    old, fine = Kernel(kind.pair(), R_AB, p_AB_A, reach=reach), kind.pair(CutCells(resolved_force=1e-3))
    for _ in range(16):
        way, axis = rng.normal(size=3), rng.normal(size=3)
        p = p_AB_A + 0.5 * reach * rng.uniform() * way / np.linalg.norm(way)
        R = rotation(axis, 10 ** rng.uniform(-4, -2.5)) @ R_AB
        out, bound = old(R, p)
        if bound <= reach:
            exact = fine.contact(state(), state(r=p, A=R)).wrench_B.F
            errors.append(np.linalg.norm(out[:3] - exact) / allowed_error(np.linalg.norm(exact)))
    assert len(errors) >= 6
    assert np.sqrt(np.mean(np.square(errors))) <= 1.0


def allowed_error(force):
    """Return the allowed error of a contact force [N]: 0.5 % above 1 N, up to 1 % at 0.1 N, constant below."""
    return 5e-3 * max(force, 0.1) * 2.0 ** max(0.0, -math.log10(max(force, 0.1)))


TAPER = ContactKind(
    A=KINDS["pin across throat edge"].A,
    B=rounded_profile([(0.0, 0.0), (0.0, 0.008), (0.018, 0.011), (0.05, 0.011)], [0.003, 0.006]),
    approach=lambda rng: (
        rotation(UP, azimuth := rng.uniform(0.0, math.tau))
        @ rotation((0.0, 1.0, 0.0), rng.uniform(0.2, 0.6))
        @ rotation(UP, rng.uniform(0.0, math.tau)),
        rng.uniform(-0.04, -0.02) * UP,
        np.array([math.cos(azimuth), math.sin(azimuth), 0.0]),
    ),
)
"""A slender probe on the rounded edge of a throat: long cells that bend only at one end."""
STEEP = {
    "taper on throat edge": TAPER,
    **{name: KINDS[name] for name in ("rounded edge (2 mm) on cone", "ring, cone in cone")},
}


@pytest.mark.parametrize("name", STEEP)
def test_the_force_does_not_depend_on_the_reach_of_a_list(name):
    """The force is accurate for any reach, also for cells cut near an end that bends or is wider."""
    kind = STEEP[name]
    for seed in range(13, 19):
        approach = kind.approach(np.random.default_rng(seed))
        for force in (0.3, 3.0, 30.0, 100.0):
            R, p = approach[0], approach[1] + press(kind, approach, force) * approach[2]
            exact = Kernel(kind.pair(CutCells(resolved_force=1e-3)), R, p, 1e-5)(R, p)[0][:3]
            for reach in (1e-6, 1e-5, 1e-4, 5e-4):
                out = Kernel(kind.pair(), R, p, reach)(R, p)[0]
                assert np.linalg.norm(out[:3] - exact) <= allowed_error(np.linalg.norm(exact))


def test_motion_bound_is_not_below_the_motion_of_any_point():
    kind, R_AB, p_AB_A = pressed_contact("pin across throat edge")
    kernel = Kernel(kind.pair(), R_AB, p_AB_A, reach=1e-4)
    rng = np.random.default_rng(4)
    surface = np.array(
        [
            (r * math.cos(a), r * math.sin(a), z)
            for z, r in ((0, 0.0), (0.0, 0.015), (0.003, 0.018), (0.06, 0.018))
            for a in np.linspace(0, 6, 9)
        ]
    )
    for size in (1e-9, 1e-6, 1e-3, 0.1, 3.0):
        R, p = rotation(rng.normal(size=3), size) @ R_AB, p_AB_A + size * 0.01 * rng.normal(size=3)
        moved = np.linalg.norm(surface @ R.T + p - surface @ R_AB.T - p_AB_A, axis=1).max()
        bound = motion_bound(kernel.arrays, kernel.lists, 0, matrix_rows(R), tuple(map(float, p)))
        assert moved <= bound * (1 + 1e-9) + 1e-16
        assert bound <= 4 * moved + 1e-15


def test_pairs_in_shared_arrays_give_the_results_of_separate_ones():
    """Each of several pairs in one set of arrays has the results of its own arrays."""
    chosen = [
        pressed_contact(name)
        for name in ("ball (6 mm) on cone", "pin across throat edge", "ring, cone in cone")
    ]
    pairs = [kind.pair() for kind, _, _ in chosen]
    arrays = contact_arrays(pairs)
    lists = contact_lists(arrays, capacity=2048)
    out = np.zeros(layout.OUTPUT_SIZE)
    for i, (kind, R, p) in enumerate(chosen):
        rebuild(arrays, lists, i, matrix_rows(R), tuple(map(float, p)), 2e-4)
        evaluate(arrays, lists, i, matrix_rows(R), tuple(map(float, p)), REST, REST, out)
        alone = Kernel(kind.pair(), R, p, 2e-4)(R, p)[0]
        assert np.array_equal(out, alone)


def test_a_full_list_reports_the_required_capacity():
    kind, R, p = pressed_contact("ball (6 mm) on cone")
    arrays = contact_arrays([kind.pair()])
    small = contact_lists(arrays, capacity=1)
    rebuild(arrays, small, 0, matrix_rows(R), tuple(map(float, p)), 2e-4)
    short = small.work[0]["block_count"]
    assert short > 1
    large = contact_lists(arrays, capacity=2 * short)
    rebuild(arrays, large, 0, matrix_rows(R), tuple(map(float, p)), 2e-4)
    enough = large.work[0]["block_count"]
    assert enough <= 2 * short
    assert large.blocks[0, :enough]["count"].sum() == large.work[0]["cell_count"]


def test_radial_mapping_agrees_on_a_cone():
    kind, R, p = pressed_contact("ball (6 mm) on cone", force=1.0)
    distance = kind.pair().contact(state(), state(r=p, A=R)).wrench_B.F
    radial = (
        dataclasses.replace(kind.pair(), mapping=Mapping.RADIAL).contact(state(), state(r=p, A=R)).wrench_B.F
    )
    assert radial == pytest.approx(distance, rel=1e-9, abs=1e-9)


def test_radial_mapping_is_wrong_at_the_pole():
    """Where the profile's normal is axial, the radial distance is unrelated to the depth."""
    kind, R, p = pressed_contact("ball at the pole, 10 in 30 mm", force=1.0)
    pair = dataclasses.replace(kind.pair(), mapping=Mapping.RADIAL)
    force = np.linalg.norm(pair.forces(state(), state(r=p, A=R))[1].F)
    assert abs(force - 1.0) > 0.1


def test_contact_in_a_plane_of_symmetry_has_no_force_across_it():
    """A pin tilted against the throat in the x-z plane has no force along y and no torque about x and z."""
    kind = KINDS["pin across throat edge"]
    pair = kind.pair(CutCells(resolved_force=1e-3))
    R = rotation((0.0, 1.0, 0.0), 0.1)
    start, way = np.array([0.0, 0.0, -0.03]), np.array([1.0, 0.0, 0.0])
    contact = pair.contact(state(), state(r=start + press(kind, (R, start, way), 1.0) * way, A=R))
    F, T = contact.wrench_A.F, contact.wrench_A.T
    assert np.linalg.norm(F) > 0.1
    assert abs(F[1]) <= 1e-3 * np.linalg.norm(F)
    assert max(abs(T[0]), abs(T[2])) <= 1e-3 * np.linalg.norm(F) * 0.03


def test_separated_surfaces_have_no_force():
    pair = ContactPair(surface_A=DROGUE, surface_B=pin(0.01, 0.05, 0.002), layer=LAYER)
    contact = pair.contact(state(), state(r=0.2 * UP))
    assert contact.wrench_B.F.tolist() == [0.0, 0.0, 0.0]
    assert (contact.energy, contact.area, contact.depth, contact.pressure) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("quadrature", [CutCells(), Points(spacing=0.5e-3)])
def test_patches_are_separated_and_add_up_to_the_force(quadrature):
    """A tilted pin in a throat has two patches, a ball has one; their sum is the contact force."""
    kind, R, p = pressed_contact("ball (6 mm) on cone", force=5.0)
    assert len(kind.pair(quadrature).patches(state(), state(r=p, A=R))) == 1
    A = rounded_profile([(0.02, 0.0203), (-0.02, 0.0203)], [])
    B = rounded_profile([(-0.015, 0.0), (-0.015, 0.02), (0.015, 0.02), (0.015, 0.0)], [0.002, 0.002])
    pair = ContactPair(
        surface_A=A,
        surface_B=B,
        layer=LAYER,
        friction=CoulombFriction(coefficient=0.2),
        quadrature=quadrature,
    )
    there = state(r=(1e-5, 0.0, 0.0), v=(0.0, 0.0, -1e-3), A=rotation((0.0, 1.0, 0.0), 0.028))
    patches, contact = pair.patches(state(), there), pair.contact(state(), there)
    assert len(patches) == 2
    assert patches[0].centre[0] * patches[1].centre[0] < 0.0  # at opposite walls
    total = sum(patch.force_B for patch in patches)
    assert np.linalg.norm(total - contact.wrench_B.F) <= 1e-12 * np.linalg.norm(patches[0].force_B)
    assert sum(patch.area for patch in patches) == pytest.approx(contact.area, rel=1e-12)
    assert max(patch.pressure for patch in patches) == contact.pressure
    assert pair.patches(state(), state(r=0.5 * UP)) == ()
