"""Fixed-interface modes, their coupling to the base, and impulsive docking."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigvalsh
from tests.flexible.structures import ROUND, beam, satellite, unit_vector

from softdock.errors import InputError
from softdock.flexible import (
    BaseModes,
    RigidPart,
    base_modes,
    free_modes,
    mesh,
    motion_about,
    weld,
)
from softdock.flexible.welding import kinetic_energy, momentum
from softdock.spatial.inertia import rigid_inertia_matrix


def modes_of(seed: int, elements: int = 2) -> BaseModes:
    return base_modes(mesh(satellite(np.random.default_rng(seed), elements)), "hub")


@pytest.fixture(scope="module")
def satellite_modes() -> list[BaseModes]:
    return [modes_of(seed) for seed in range(4)]


def test_shapes_are_mass_normalised_and_participation_is_momentum(satellite_modes: list[BaseModes]) -> None:
    m = mesh(satellite(np.random.default_rng(0), 2))
    flat = satellite_modes[0].shapes.reshape(-1, satellite_modes[0].frequency.size)
    np.testing.assert_allclose(flat.T @ (m.mass @ flat), np.eye(flat.shape[1]), atol=1e-8)
    R = m.rigid_motions(m.positions[m.index("hub")])
    np.testing.assert_allclose(
        satellite_modes[0].participation,
        R.T @ (m.mass @ flat),
        atol=1e-9 * np.abs(satellite_modes[0].participation).max(),
    )


def test_coupled_frequencies_equal_the_free_ones(satellite_modes: list[BaseModes]) -> None:
    for seed, modes in enumerate(satellite_modes):
        free = free_modes(mesh(satellite(np.random.default_rng(seed), 2)))
        np.testing.assert_allclose(modes.coupled_frequency(), free.frequency, rtol=1e-7)


def test_coupled_frequencies_with_a_docked_body_equal_those_of_the_whole() -> None:
    structure = satellite(np.random.default_rng(5), 2)
    body = RigidPart(node="hub", mass=300.0, centre_of_mass=(0.5, -1.0, 2.0), inertia=(50.0, 60.0, 70.0))
    both = structure.model_copy(update={"parts": {**structure.parts, "docked": body}})
    added = rigid_inertia_matrix(body.mass, np.array(body.centre_of_mass), body.inertia_matrix())
    coupled = base_modes(mesh(structure), "hub").coupled_frequency(added)
    np.testing.assert_allclose(coupled, free_modes(mesh(both)).frequency, rtol=1e-7)


def test_articulated_inertia_tends_to_that_of_the_rigid_part() -> None:
    """With all modes the inertia is that of the hub plus a contribution of the beams' first elements."""
    gaps = []
    for elements in (1, 2, 4, 8):
        structure = satellite(np.random.default_rng(1), elements)
        modes = base_modes(mesh(structure), "hub")
        np.testing.assert_allclose(
            modes.articulated_inertia, modes.rigid_part_inertia, atol=1e-9 * np.abs(modes.inertia).max()
        )
        assert modes.residual < 1e-9
        hub = structure.parts["hub"]
        rigid = rigid_inertia_matrix(hub.mass, np.array(hub.centre_of_mass), hub.inertia_matrix())
        gap = eigvalsh(modes.articulated_inertia - rigid, modes.inertia)
        assert gap[0] > -1e-9  # never below the rigid part
        gaps.append(gap[-1])
    ratios = np.array(gaps[1:]) / gaps[:-1]
    assert (ratios < 0.75).all()  # the mass that the first elements contribute falls with their length
    assert gaps[-1] < 0.1


def test_every_mode_reduces_the_articulated_inertia_which_stays_positive(
    satellite_modes: list[BaseModes],
) -> None:
    for modes in satellite_modes:
        residuals = [modes.lowest(count).residual for count in range(modes.frequency.size + 1)]
        assert (np.diff(residuals) <= 1e-12).all()
        assert ((modes.effective_mass_fraction >= 0.0) & (modes.effective_mass_fraction < 1.0)).all()
        assert eigvalsh(modes.articulated_inertia, modes.inertia)[0] > 0.0


def test_selection(satellite_modes: list[BaseModes]) -> None:
    modes = satellite_modes[2]
    f = modes.frequency
    assert modes.below(f[4]).frequency.size == 5
    strong = modes.with_mass_fraction(0.01)
    assert 0 < strong.frequency.size < f.size
    assert (strong.effective_mass_fraction >= 0.01).all()
    few = modes.with_residual(0.02)
    assert few.residual <= 0.02
    assert (np.diff(few.frequency) >= 0.0).all()
    order = np.sort(np.argsort(-modes.effective_mass_fraction, kind="stable")[: few.frequency.size - 1])
    assert modes.select(order).residual > 0.02  # one fewer is not enough
    with pytest.raises(InputError, match=r"cannot be reached: all 3 computed modes leave"):
        modes.lowest(3).with_residual(1e-6)
    with pytest.raises(InputError, match="must be from 0 to"):
        modes.lowest(f.size + 1)


SIX = st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6).map(np.array)


@settings(deadline=None, max_examples=60)
@given(
    which=st.integers(0, 3),
    kept=st.integers(0, 30),
    V=SIX,
    V_o=SIX,
    seed=st.integers(0, 2**31),
    heavy=st.floats(-3, 3),
)
def test_weld_conserves_momentum_and_creates_no_energy(
    satellite_modes: list[BaseModes],
    which: int,
    kept: int,
    V: np.ndarray,
    V_o: np.ndarray,
    seed: int,
    heavy: float,
) -> None:
    modes = satellite_modes[which].lowest(kept)
    rng = np.random.default_rng(seed)
    mass = 100.0 * 10.0**heavy
    body = rigid_inertia_matrix(mass, rng.normal(size=3), mass * np.diag(rng.uniform(1.0, 1.9, 3)))
    rate = rng.normal(size=kept)
    done = weld(modes, body=body, body_motion=V_o, base_motion=V, modal_rate=rate)
    before = momentum(modes, V, rate) + body @ V_o
    after = momentum(modes, done.motion, done.modal_rate) + body @ done.motion
    size = np.abs(modes.inertia).max() * np.abs(V).max() + np.abs(body).max() * np.abs(V_o).max() + 1.0
    np.testing.assert_allclose(after, before, atol=1e-12 * size)
    energy = kinetic_energy(modes, V, rate) + 0.5 * V_o @ body @ V_o
    left = kinetic_energy(modes, done.motion, done.modal_rate) + 0.5 * done.motion @ body @ done.motion
    assert done.loss >= 0.0
    assert energy - left == pytest.approx(done.loss, abs=1e-12 * max(energy, size))
    A = modes.articulated_inertia
    reduced = np.linalg.inv(np.linalg.inv(A) + np.linalg.inv(body))
    d = V_o - V
    assert done.loss == pytest.approx(0.5 * d @ reduced @ d, rel=1e-8, abs=1e-12 * size)


def test_weld_of_equal_velocities_has_no_impulse(satellite_modes: list[BaseModes]) -> None:
    V = np.array([0.1, -0.2, 0.3, 1.0, 2.0, 3.0])
    done = weld(satellite_modes[0], body=np.eye(6), body_motion=V, base_motion=V)
    assert (done.impulse == 0.0).all()
    assert done.loss == 0.0


def test_zero_modes_give_the_rigid_solution() -> None:
    """The result equals the momentum balance of two rigid bodies about the common centre of mass."""
    structure = satellite(np.random.default_rng(3), 2)
    m = mesh(structure)
    rigid = base_modes(m, "hub").lowest(0)
    props = m.mass_properties()
    hub = m.positions[m.index("hub")]
    c, mass, J = np.array([1.0, -2.0, 0.5]), 80.0, np.diag([20.0, 30.0, 25.0])
    u = np.array([0.3, 0.1, -0.2])
    done = weld(rigid, body=rigid_inertia_matrix(mass, c, J), body_motion=motion_about(c, u))
    c_s = props.centre_of_mass - hub
    centre = (props.mass * c_s + mass * c) / (props.mass + mass)

    def about(J_: np.ndarray, m_: float, arm: np.ndarray) -> np.ndarray:
        return J_ + m_ * (arm @ arm * np.eye(3) - np.outer(arm, arm))

    total = about(props.inertia, props.mass, c_s - centre) + about(J, mass, c - centre)
    w = np.linalg.solve(total, mass * np.cross(c - centre, u))
    v = mass * u / (props.mass + mass) - np.cross(w, centre)
    np.testing.assert_allclose(done.motion, np.concatenate([w, v]), rtol=1e-10, atol=1e-14)
    assert done.delta_rate == pytest.approx(np.linalg.norm(w), rel=1e-10)


def test_motion_about_moves_the_given_point() -> None:
    rng = np.random.default_rng(0)
    arm, v, w = rng.normal(size=3), rng.normal(size=3), unit_vector(rng)
    V = motion_about(arm, v, w)
    np.testing.assert_allclose(V[3:] + np.cross(V[:3], arm), v, atol=1e-14)


def test_weld_rejects_invalid_velocities(satellite_modes: list[BaseModes]) -> None:
    with pytest.raises(InputError, match="body_motion: must be 6 finite numbers"):
        weld(satellite_modes[0], body=np.eye(6), body_motion=(1.0, 2.0))


@pytest.mark.parametrize(
    ("along", "across"), [((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), ((0.6, 0.0, 0.8), (0.8, 0.0, -0.6))]
)
def test_gradient_bends_a_beam_like_a_linear_load(
    along: tuple[float, ...], across: tuple[float, ...]
) -> None:
    """Load g mu x across a cantilever: tip deflection 11 g mu L^5 / (120 EI); second order in the elements."""
    g, length = 0.01, 6.0
    field = g * (np.outer(across, along) + np.outer(along, across))
    exact = 11.0 * g * ROUND.mass_per_length * length**5 / (120.0 * ROUND.bending_y)
    hub = {"hub": RigidPart(node="root", mass=50.0, inertia=(9.0, 9.0, 9.0))}
    errors = []
    for elements in (2, 4, 8):
        s = beam(elements, ROUND, end=tuple(length * np.array(along)))
        modes = base_modes(mesh(s.model_copy(update={"parts": hub})), "root")
        # Eq. (F38)
        q = np.einsum("kij,ij->k", modes.moment, field) / (2.0 * np.pi * modes.frequency) ** 2
        tip = modes.shapes[modes.node("tip"), 3:] @ q
        errors.append(abs(float(tip @ np.array(across)) / exact - 1.0))
    assert errors[1] < errors[0] / 3.5
    assert errors[2] < errors[1] / 3.5


def test_stiffness_scales_frequencies_and_nothing_else() -> None:
    """A hundred times the stiffness: ten times the frequencies, the same participation."""
    stiff = {name: 100.0 * getattr(ROUND, name) for name in ("axial", "bending_y", "bending_z", "torsion")}
    hub = {"hub": RigidPart(node="root", mass=50.0, inertia=(9.0, 9.0, 9.0))}
    soft, hard = (
        base_modes(mesh(beam(3, s).model_copy(update={"parts": hub})), "root")
        for s in (ROUND, ROUND.model_copy(update=stiff))
    )
    np.testing.assert_allclose(hard.frequency, 10.0 * soft.frequency, rtol=1e-9)
    np.testing.assert_allclose(hard.articulated_inertia, soft.articulated_inertia, atol=1e-7)
