"""The contact routine: motion states in, forces and torques out, one at a time and in arrays."""

import ctypes

import numpy as np
import pytest

from softdock.bench.contact_kinds import ball
from softdock.contact import ContactPair, CoulombFriction, CutCells, ElasticLayer, MotionState
from softdock.errors import InputError
from softdock.geometry.vertices import profile_from_list
from softdock.native.library import runs_as_python
from softdock.native.model_file import kernel_files, runtime_library
from softdock.spatial.rotations import matrix_from_quaternion

CONE = [[0.12, 0], [0.12, 0.02], [0, 0.11]]
ZERO, IDENTITY = np.zeros(3), np.eye(3)


def pair(**changes) -> ContactPair:
    values = {
        "surface_A": profile_from_list(CONE),
        "surface_B": ball(0.03),
        "layer": ElasticLayer(areal_stiffness=1e8, damping=2e5, damping_depth=1e-4),
        "friction": CoulombFriction(coefficient=0.2, threshold_speed=1e-3),
    }
    return ContactPair(**{**values, **changes})


def path(count: int = 200, seed: int = 2) -> tuple[MotionState, MotionState]:
    """Return states along a path that enters the cone, with both bodies moving and turned."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 1.0, count)[:, None]
    q_A, q_B = (rng.normal(size=4) * 0.2 + [3.0, 0, 0, 0] + t * rng.normal(size=4) * 0.05 for _ in range(2))
    R_A, R_B = ([matrix_from_quaternion(q / np.linalg.norm(q)) for q in rows] for rows in (q_A, q_B))
    r_A = np.array([1.0, -2.0, 0.5]) + 0.1 * t
    r_B = r_A + np.array([R @ (0.02, 0.005, 0.05 + 0.03 * float(x[0])) for R, x in zip(R_A, t)])
    v, w = (rng.normal(size=(2, count, 3)) * 0.02 for _ in range(2))
    return MotionState(r=r_A, v=v[0], omega=w[0], A=R_A), MotionState(r=r_B, v=v[1], omega=w[1], A=R_B)


def one(states: MotionState, i: int) -> MotionState:
    return MotionState(r=states.r[i], v=states.v[i], omega=states.omega[i], A=states.A[i])


def test_an_array_of_states_has_the_bits_of_single_calls_in_the_same_order():
    a, b = path()
    many, single = pair().forces_many(a, b), pair()
    for i in range(200):
        for wrench, expected in zip(single.forces(one(a, i), one(b, i)), many):
            np.testing.assert_array_equal(wrench.F, expected.F[i])
            np.testing.assert_array_equal(wrench.T, expected.T[i])
    assert (np.abs(many[1].F).sum(axis=1) > 0).sum() > 50


def test_force_is_equal_and_opposite_and_the_pair_transmits_no_torque():
    """F_1 = -F_2 and T_1 + T_2 + (r_2 - r_1) x F_2 = 0."""
    a, b = path()
    on_A, on_B = pair().forces_many(a, b)
    np.testing.assert_array_equal(on_A.F, -on_B.F)
    rest = on_A.T + on_B.T + np.cross(b.r - a.r, on_B.F)
    assert np.abs(rest).max() <= 1e-14 * np.abs(on_B.F).max()


def test_forces_follow_a_change_of_the_inertial_frame():
    """Turned, shifted and uniformly moving observers see the same forces in their axes."""
    a, b = path()
    Q = matrix_from_quaternion(np.array([0.5, 0.5, -0.5, 0.5]))
    shift, speed = np.array([3.0, -1.0, 2.0]), np.array([0.3, 0.2, -0.1])

    def seen(s: MotionState) -> MotionState:
        return MotionState(r=s.r @ Q.T + shift, v=s.v @ Q.T + speed, omega=s.omega @ Q.T, A=Q @ np.array(s.A))

    before, after = pair().forces_many(a, b)[1], pair().forces_many(seen(a), seen(b))[1]
    scale = np.abs(before.F).max()
    assert np.abs(after.F - before.F @ Q.T).max() <= 1e-8 * scale
    assert np.abs(after.T - before.T @ Q.T).max() <= 1e-8 * scale * 0.1


def test_a_field_without_the_axis_of_states_counts_for_all():
    _, _b = path()
    still = MotionState(r=ZERO, v=ZERO, omega=ZERO, A=IDENTITY)
    r = np.stack([(0.02, 0.005, z) for z in np.linspace(0.05, 0.075, 7)])
    short = pair().forces_many(still, MotionState(r=r, v=(0, 0, 0.05), omega=ZERO, A=IDENTITY))
    full = pair().forces_many(
        MotionState(r=np.zeros((7, 3)), v=np.zeros((7, 3)), omega=np.zeros((7, 3)), A=[IDENTITY] * 7),
        MotionState(r=r, v=[(0, 0, 0.05)] * 7, omega=np.zeros((7, 3)), A=[IDENTITY] * 7),
    )
    np.testing.assert_array_equal(short[1].F, full[1].F)


def test_near_lists_grow_and_jumps_cost_no_accuracy():
    """Fine cells need more blocks than the first lists have; far jumps begin the list anew."""
    fine = pair(quadrature=CutCells(resolved_force=1e-4))
    r = np.array([(0.02, 0.005, 0.075), (0.02, 0.005, 1e9), (0.02, 0.005, 0.075)])
    _, on_B = fine.forces_many(MotionState(r=ZERO, v=ZERO, omega=ZERO, A=IDENTITY),
                               MotionState(r=r, v=ZERO, omega=ZERO, A=IDENTITY))  # fmt: skip
    assert np.linalg.norm(on_B.F[0]) > 1.0
    np.testing.assert_array_equal(on_B.F[1], ZERO)
    # The cells of two lists are summed in another order.
    assert on_B.F[0] == pytest.approx(on_B.F[2], rel=1e-12)


@pytest.mark.plain_python
def test_lists_and_integers_are_numbers_too():
    exact = pair().forces(
        MotionState(r=ZERO, v=ZERO, omega=ZERO, A=IDENTITY),
        MotionState(r=np.array([0.0, 0.0, 0.09]), v=ZERO, omega=ZERO, A=IDENTITY),
    )
    turned = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    listed = pair().forces(
        MotionState(r=[0, 0, 0], v=[0, 0, 0], omega=(0, 0, 0), A=turned),
        MotionState(r=[0, 0, 0.09], v=[0, 0, 0], omega=[0, 0, 0], A=turned),
    )
    np.testing.assert_array_equal(exact[1].F, listed[1].F)
    assert exact[1].F[2] < 0.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"r": (1.0, 2.0)}, r"state_B.r: Must be numbers of the shape \(3,\)"),
        ({"A": np.eye(2)}, r"state_B.A: Must be numbers of the shape \(3, 3\)"),
        ({"v": "fast"}, "state_B.v"),
        ({"r": (0.0, 0.0, np.nan)}, "must be finite"),
        ({"r": np.zeros((2, 3))}, "use forces_many"),
    ],
)
def test_states_of_another_form_are_refused(change, words):
    good = {"r": ZERO, "v": ZERO, "omega": ZERO, "A": IDENTITY}
    routine = pair()
    with pytest.raises(InputError, match=words):
        routine.forces(MotionState(**good), MotionState(**{**good, **change}))
    routine.forces(
        MotionState(**good), MotionState(**{**good, "r": (0, 0, -1.0)})
    )  # and it can be used again
    three = MotionState(r=np.zeros((3, 3)), v=ZERO, omega=ZERO, A=IDENTITY)
    two = MotionState(r=np.zeros((2, 3)), v=ZERO, omega=ZERO, A=IDENTITY)
    with pytest.raises(InputError, match="one state or 3"):
        routine.forces_many(two, three)


@pytest.mark.skipif(runs_as_python(), reason="compiled kernels are exported")
@pytest.mark.parametrize(
    "resolved_force", [0.1, 1e-4]
)  # the second one needs longer lists than there are at first
def test_a_program_in_c_gets_the_same_bits(resolved_force, tmp_path):
    exported = pair(quadrature=CutCells(resolved_force=resolved_force))
    exported.export(tmp_path / "pair.sdm")
    library = ctypes.CDLL(str(runtime_library()))
    library.sd_contact_open.restype = library.sd_contact_forces.restype = ctypes.c_void_p
    message = ctypes.create_string_buffer(300)
    folder = str(kernel_files()[0].parent).encode()
    opened = library.sd_contact_open(str(tmp_path / "pair.sdm").encode(), folder, message, len(message))
    assert opened, message.value
    contact = ctypes.c_void_p(opened)
    a, b = path()
    states = [
        np.ascontiguousarray(np.hstack([s.r, s.v, s.omega, np.reshape(s.A, (-1, 9))]), dtype=float)
        for s in (a, b)
    ]
    results = np.empty((200, 25))
    count = library.sd_contact_forces(
        contact, ctypes.c_size_t(200), *(ctypes.c_void_p(x.ctypes.data) for x in (*states, results))
    )
    assert count == 200
    on_A, on_B = exported.forces_many(a, b)
    np.testing.assert_array_equal(results[:, :12], np.hstack([on_A.F, on_A.T, on_B.F, on_B.T]))
    states[0][3] = np.nan
    count = library.sd_contact_forces(
        contact, ctypes.c_size_t(200), *(ctypes.c_void_p(x.ctypes.data) for x in (*states, results))
    )
    assert count == 3
    library.sd_contact_close(contact)
