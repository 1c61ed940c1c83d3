"""The station paper's own method: free-free modes in mean axes, its docking equations, fourth-order Runge-Kutta."""

from dataclasses import replace

import numpy as np
import pytest
from tests.flexible.structures import LENGTH, ROUND, beam, satellite

from softdock.errors import InputError
from softdock.flexible import BaseModes, base_modes, mesh, motion_about, weld
from softdock.flexible.mean_axes import MeanAxesModes, mean_axes_modes, with_body
from softdock.flexible.published import (
    PublishedMotion,
    PublishedState,
    centre_of_mass,
    propagate_published,
    published_docking,
    static_coordinates,
)
from softdock.flexible.structure import Structure
from softdock.orbit.kepler import MU
from softdock.spatial.inertia import rigid_inertia_matrix
from softdock.theory.beams import Ends, bending_frequency

CENTRE = np.array([0.7, -1.1, 2.0])
BODY = rigid_inertia_matrix(150.0, CENTRE, np.diag([80.0, 60.0, 70.0]))
RADIUS = 6_878_137.0


def lumps(structure: Structure) -> dict[str, np.ndarray]:
    return {
        part.node: rigid_inertia_matrix(part.mass, np.array(part.centre_of_mass), part.inertia_matrix())
        for part in structure.parts.values()
    }


def sets(seed: int, count: int | None = None) -> tuple[MeanAxesModes, MeanAxesModes, BaseModes]:
    """Return the modes of a random satellite alone, with a body at its hub, and clamped at the hub."""
    structure = satellite(np.random.default_rng(seed), 1)
    meshed = mesh(structure)
    alone = mean_axes_modes(meshed, "hub", count, lumps(structure))
    docked = mean_axes_modes(meshed, "hub", count, lumps(structure), BODY)
    return alone, docked, base_modes(meshed, "hub")


def resting(modes: MeanAxesModes, **changes: np.ndarray) -> PublishedState:
    n = modes.frequency.size
    start = PublishedState(
        position=np.zeros(3), velocity=np.zeros(3), attitude=np.array([1.0, 0.0, 0.0, 0.0]), rate=np.zeros(3),
        modal=np.zeros(n), modal_rate=np.zeros(n),
    )  # fmt: skip
    return replace(start, **changes)


def run(
    modes: MeanAxesModes, start: PublishedState, step: float, duration: float, **more: float
) -> PublishedMotion:
    given = {"damping": 0.0, "gravity": 0.0, "every": 1, **more}
    return propagate_published(modes, start, duration=duration, step=step, **given)  # type: ignore[arg-type]


def test_frequencies_of_a_free_beam_are_those_of_the_closed_form() -> None:
    structure = beam(12, ROUND.model_copy(update={"polar": 0.02}))
    modes = mean_axes_modes(mesh(structure), "root", 4, {})
    wanted = [
        bending_frequency(Ends.FREE_FREE, n, ROUND.bending_y, ROUND.mass_per_length, LENGTH) for n in (1, 2)
    ]
    np.testing.assert_allclose(modes.frequency, np.repeat(wanted, 2), rtol=1e-3)  # (beta h)^4 / 1440 = 4e-4


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_modes_have_no_momentum_and_unit_modal_mass(seed: int) -> None:
    structure = satellite(np.random.default_rng(seed), 1)
    meshed = mesh(structure)
    for body in (np.zeros((6, 6)), BODY):
        modes = mean_axes_modes(meshed, "hub", None, lumps(structure), body)
        flat = modes.shapes.reshape(-1, modes.frequency.size)
        R = meshed.rigid_motions(meshed.positions[meshed.index("hub")])
        B = modes.base_shapes
        momentum = R.T @ (meshed.mass @ flat) + body @ B
        assert np.abs(momentum).max() < 1e-8 * np.abs(R.T @ meshed.mass).max()
        modal_mass = flat.T @ (meshed.mass @ flat) + B.T @ body @ B
        np.testing.assert_allclose(modal_mass, np.eye(modes.frequency.size), atol=1e-8)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_modes_give_the_same_frequencies_and_docking_as_clamped_ones(seed: int) -> None:
    """The span of rigid motion and all free-free modes is that of rigid motion and all clamped modes."""
    alone, docked, clamped = sets(seed)
    np.testing.assert_allclose(alone.frequency, clamped.coupled_frequency(), rtol=1e-7)
    np.testing.assert_allclose(docked.frequency, clamped.coupled_frequency(BODY), rtol=1e-7)
    rng = np.random.default_rng(seed)
    before, incoming = rng.normal(size=6), rng.normal(size=6)
    found = published_docking(docked, motion=before, body_motion=incoming)
    wanted = weld(clamped, body=BODY, body_motion=incoming, base_motion=before)
    np.testing.assert_allclose(found.base_motion, wanted.motion, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        found.impulse, wanted.impulse, rtol=1e-5, atol=1e-6 * np.abs(wanted.impulse).max()
    )
    assert found.loss == pytest.approx(wanted.loss, rel=1e-6)


@pytest.mark.parametrize("count", [1, 3, 10])
def test_docking_keeps_momentum_and_loses_energy_with_any_number_of_modes(count: int) -> None:
    alone, docked, _ = sets(3)
    docked = docked.lowest(count)
    rng = np.random.default_rng(count)
    before, incoming, rate = rng.normal(size=6), rng.normal(size=6), rng.normal(size=alone.frequency.size)
    found = published_docking(
        docked,
        motion=before,
        body_motion=incoming,
        modal=docked.overlap(alone) @ rate,
        energy=0.5 * rate @ rate,
    )
    momentum = alone.inertia @ before + BODY @ incoming
    np.testing.assert_allclose(docked.total_inertia @ found.mean_motion, momentum, rtol=1e-9, atol=1e-9)
    assert np.abs(found.momentum_error).max() < 1e-11 * np.abs(momentum).max()
    assert found.loss > 0.0
    # Weld = projection of the motion on what the joined structure can do: Eq. (F84), without solving (F83).
    projected = docked.base_shapes.T @ BODY @ (incoming - before) + docked.overlap(alone) @ rate
    np.testing.assert_allclose(found.modal_rate, projected, rtol=1e-7, atol=1e-7 * np.abs(projected).max())


def test_docking_at_rest_relative_to_the_base_changes_nothing() -> None:
    _, docked, _ = sets(4, 6)
    motion = np.array([0.1, -0.2, 0.05, 3.0, 7600.0, -2.0])
    found = published_docking(docked, motion=motion, body_motion=motion)
    np.testing.assert_allclose(found.base_motion, motion, rtol=1e-13)
    assert np.abs(found.modal_rate).max() < 1e-9
    assert found.loss == pytest.approx(0.0, abs=1e-9)


def test_modes_with_a_body_follow_from_those_without() -> None:
    """In the space of all modes exactly; of the lowest ones from above (Rayleigh)."""
    alone, docked, _ = sets(5)
    found = with_body(alone, BODY)
    np.testing.assert_allclose(found.frequency, docked.frequency, rtol=1e-6)
    signs = np.sign(np.einsum("nik,nik->k", found.shapes, docked.shapes))
    low = slice(8)
    np.testing.assert_allclose(
        (found.shapes * signs)[:, :, low], docked.shapes[:, :, low], atol=1e-5 * np.abs(docked.shapes).max()
    )
    few = with_body(alone.lowest(6), BODY)
    assert (few.frequency >= docked.frequency[:6] * (1.0 - 1e-9)).all()
    scale = np.abs(docked.moment[low]).max()
    # Moments of rigid parts and nodes are exact; those of beams are taken from nodal values.
    np.testing.assert_allclose((found.moment.T * signs).T[low], docked.moment[low], atol=0.05 * scale)


def test_static_coordinates_are_in_equilibrium() -> None:
    alone, _, _ = sets(6, 6)
    n = (MU / RADIUS**3) ** 0.5
    q = static_coordinates(alone, n**2 * np.diag([-1.0, -1.0, 2.0]))
    start = resting(
        alone, position=np.array([0.0, 0.0, -RADIUS]), velocity=np.array([n * RADIUS, 0.0, 0.0]), modal=q,
        rate=np.array([0.0, -n, 0.0]),
    )  # fmt: skip
    step = 0.1 / (2.0 * np.pi * alone.frequency[-1])
    moved = run(alone, start, step, 50.0 * step, gravity=MU)
    # The attitude librates slowly, and Eq. (26c)'s own small term shifts q by (n/omega)^2.
    assert np.abs(moved.modal - q).max() < 1e-3 * np.abs(q).max()


def test_runge_kutta_is_of_fourth_order() -> None:
    alone, _, _ = sets(7, 4)
    omega = 2.0 * np.pi * alone.frequency
    start = resting(alone, modal_rate=np.array([1.0, -0.5, 0.3, 0.7]))
    duration, zeta = 40.0 / omega[-1], 0.02
    damped = omega * np.sqrt(1.0 - zeta**2)
    exact = start.modal_rate / damped * np.exp(-zeta * omega * duration) * np.sin(damped * duration)
    errors = []
    for steps in (320, 640, 1280):
        end = run(alone, start, duration / steps, duration, damping=zeta).end
        errors.append(np.abs(end.modal - exact).max())
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert (np.abs(orders - 4.0) < 0.15).all()


def test_orbit_and_energy_of_a_free_run() -> None:
    """The centre of mass stays on its circle, and the modal energy is lost to damping only."""
    alone, _, _ = sets(8, 4)
    n = (MU / RADIUS**3) ** 0.5
    start = resting(
        alone, position=np.array([0.0, 0.0, -RADIUS]), velocity=np.array([n * RADIUS, 0.0, 0.0]),
        modal_rate=np.array([0.3, 0.1, 0.0, -0.2]),
    )  # fmt: skip
    step = 0.05 / (2.0 * np.pi * alone.frequency[-1])
    moved = run(alone, start, step, 2000.0 * step, damping=0.01, gravity=MU)
    np.testing.assert_allclose(np.linalg.norm(moved.position, axis=1), RADIUS, rtol=1e-12)
    energy = moved.modal_energy(alone.frequency)
    balance = energy + moved.dissipated - moved.work
    assert np.abs(balance / balance[0] - 1.0).max() < 1e-7  # (omega h)^6 / 72 per step, 2000 steps
    assert moved.dissipated[-1] > 0.1 * energy[0]


@pytest.mark.plain_python
def test_gravity_gradient_turns_a_body_as_euler_says() -> None:
    """From rest, angular acceleration I^-1 (3 mu/R^5) R x I R, about the centre of mass; Eq. (F86)."""
    alone, _, _ = sets(9, 2)
    place = RADIUS * np.array([0.6, 0.0, -0.8])
    start = resting(alone, position=place)
    step = 1e-3 / alone.frequency[-1]
    moved = run(alone, start, step, 4.0 * step, gravity=MU)
    c, m = centre_of_mass(alone.inertia), alone.inertia[3, 3]
    J = alone.inertia[:3, :3] - m * (c @ c * np.eye(3) - np.outer(c, c))
    r = place / RADIUS
    wanted = np.linalg.solve(J, 3.0 * MU / RADIUS**3 * np.cross(r, J @ r))
    np.testing.assert_allclose(moved.rate[-1] / (4.0 * step), wanted, rtol=1e-6)


def test_an_unstable_step_is_refused() -> None:
    alone, _, _ = sets(0, 3)
    with pytest.raises(InputError, match="unstable for larger steps"):
        run(alone, resting(alone), 3.0 / (2.0 * np.pi * alone.frequency[-1]), 1.0)


def test_a_closing_rate_scales_everything() -> None:
    _, docked, _ = sets(1, 5)
    slow, fast = (
        published_docking(docked, motion=np.zeros(6), body_motion=motion_about(CENTRE, (0.0, v, 0.0)))
        for v in (0.1, 0.3)
    )
    np.testing.assert_allclose(fast.base_motion, 3.0 * slow.base_motion, rtol=1e-12)
    assert fast.loss == pytest.approx(9.0 * slow.loss, rel=1e-12)
