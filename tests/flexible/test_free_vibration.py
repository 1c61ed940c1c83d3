"""Free vibration after an impulse: conservation, decay and limits."""

import numpy as np
import pytest
from tests.flexible.structures import satellite

from softdock.errors import InputError
from softdock.flexible import (
    BaseModes,
    Section,
    base_modes,
    mesh,
    propagate_free_vibration,
    weld,
)
from softdock.spatial.inertia import rigid_inertia_matrix

BODY = rigid_inertia_matrix(400.0, np.array([1.0, -2.0, 0.5]), np.diag([200.0, 300.0, 250.0]))
CLOSING = np.array([0.0, 0.01, 0.0, 0.2, -0.1, 0.3])


def modes_of(stiffer: float = 1.0, count: int | None = None) -> BaseModes:
    s = satellite(np.random.default_rng(2), 2)
    stiff = ("axial", "bending_y", "bending_z", "torsion", "shear_y", "shear_z")
    sections = {
        name: Section(**{k: v * stiffer if k in stiff else v for k, v in section.model_dump().items()})
        for name, section in s.sections.items()
    }
    return base_modes(mesh(s.model_copy(update={"sections": sections})), "hub", count)


def test_energy_and_momentum_are_conserved_without_damping() -> None:
    modes = modes_of(count=12)
    hit = weld(modes, body=BODY, body_motion=CLOSING)
    run = propagate_free_vibration(
        modes, motion=hit.motion, modal_rate=hit.modal_rate, body=BODY, end=20.0, step=0.05
    )
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=1e-10)
    assert run.energy[0] == pytest.approx(0.5 * CLOSING @ BODY @ CLOSING - hit.loss, rel=1e-12)
    momentum = run.motion @ (modes.inertia + BODY) + run.modal_rate @ modes.participation.T
    np.testing.assert_allclose(
        momentum, np.broadcast_to(BODY @ CLOSING, momentum.shape), rtol=1e-9, atol=1e-9
    )


def test_damping_dissipates_energy_in_every_step_and_leaves_the_rigid_motion() -> None:
    modes = modes_of(count=12)
    hit = weld(modes, body=BODY, body_motion=CLOSING)
    slow = 2 * np.pi * modes.coupled_frequency(BODY)[0]
    end = 25.0 / (0.1 * slow)
    run = propagate_free_vibration(
        modes, motion=hit.motion, modal_rate=hit.modal_rate, body=BODY, damping=0.1, end=end, step=end / 500
    )
    assert (np.diff(run.energy) <= 1e-12 * run.energy[0]).all()
    rigid = weld(modes.lowest(0), body=BODY, body_motion=CLOSING).motion
    np.testing.assert_allclose(run.motion[-1], rigid, atol=1e-8)


def test_one_mode_vibrates_at_its_coupled_frequency() -> None:
    modes = modes_of(count=1)
    hit = weld(modes, body=BODY, body_motion=CLOSING)
    run = propagate_free_vibration(
        modes, motion=hit.motion, modal_rate=hit.modal_rate, body=BODY, end=7.0, step=0.1
    )
    omega = 2 * np.pi * modes.coupled_frequency(BODY)[0]
    np.testing.assert_allclose(
        run.modal[:, 0],
        hit.modal_rate[0] / omega * np.sin(omega * run.time),
        atol=1e-10 * np.abs(run.modal).max(),
    )


def test_stiff_structure_tends_to_the_rigid_solution() -> None:
    """The base stays with the rigid body up to the deflection, which falls with the root of the stiffness."""
    gaps = []
    for stiffer in (1.0, 100.0, 10_000.0):
        modes = modes_of(stiffer, count=12)
        hit = weld(modes, body=BODY, body_motion=CLOSING)
        run = propagate_free_vibration(
            modes, motion=hit.motion, modal_rate=hit.modal_rate, body=BODY, end=5.0, step=0.01
        )
        # displacement of the base relative to the rigid body, which the modes cause
        moved = -np.linalg.solve(modes.inertia + BODY, modes.participation @ run.modal.T)
        gaps.append(np.abs(moved).max())
    assert gaps[1] == pytest.approx(gaps[0] / 10.0, rel=0.3)  # sampled maxima
    assert gaps[2] == pytest.approx(gaps[1] / 10.0, rel=0.3)


def test_motion_does_not_depend_on_the_step() -> None:
    modes = modes_of(count=6)
    kept = {"motion": np.zeros(6), "modal_rate": np.ones(6), "damping": 0.02, "end": 3.0}
    coarse, fine = (propagate_free_vibration(modes, step=step, **kept) for step in (0.1, 0.05))
    np.testing.assert_allclose(coarse.modal, fine.modal[::2], atol=1e-10 * np.abs(fine.modal).max())


def test_invalid_arguments_are_refused() -> None:
    modes = modes_of(count=2)
    with pytest.raises(InputError, match="step: must be above 0 s"):
        propagate_free_vibration(modes, motion=np.zeros(6), modal_rate=np.zeros(2), end=1.0, step=0.0)
    with pytest.raises(InputError, match="damping: must be at least 0"):
        propagate_free_vibration(
            modes, motion=np.zeros(6), modal_rate=np.zeros(2), end=1.0, step=0.1, damping=-0.1
        )
    with pytest.raises(InputError, match="modal_rate: must be 2 finite numbers"):
        propagate_free_vibration(modes, motion=np.zeros(6), modal_rate=np.zeros(3), end=1.0, step=0.1)
