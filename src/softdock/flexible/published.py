"""The station paper's own method: docking and motion with free-free modes in mean axes, with corrected signs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.flexible.entry_points import propagate
from softdock.flexible.kernels import HEAD, PublishedModel
from softdock.flexible.mean_axes import MeanAxesModes

Floats = NDArray[np.float64]
STABILITY_LIMIT = 2.8
"""Step times angular frequency below which the classical Runge-Kutta method damps an oscillation: sqrt(8), rounded
down (E. Hairer, G. Wanner, *Solving Ordinary Differential Equations II*, IV.2)."""


@dataclass(frozen=True, kw_only=True)
class PublishedImpulse:
    """State after the docking by the paper's Eqs. 46 to 48; spatial motions about the base, angular part first."""

    base_motion: Floats
    """Motion of the base and of the docked body, shape (6,) [rad/s, m/s]."""
    mean_motion: Floats
    """Motion of the mean axes of both, shape (6,) [rad/s, m/s]."""
    modal_rate: Floats
    """Rates of the free-free modes of both, shape (modes,) [sqrt(kg) m/s]."""
    impulse: Floats
    """Wrench impulse on the base about it, shape (6,) [N m s, N s]."""
    loss: float
    """Kinetic energy lost [J]."""
    momentum_error: Floats
    """Angular and linear momentum after minus before the docking, shape (6,) [N m s, N s]."""


def published_docking(
    docked: MeanAxesModes,
    *,
    motion: Floats,
    body_motion: Floats,
    modal: Floats | None = None,
    energy: float = 0.0,
) -> PublishedImpulse:
    """Dock a rigid body with a station whose mean axes move with `motion`; Eqs. (F82)-(F84).

    `docked` has the modes of station and body. `modal` is the momentum of each of these modes that the vibration
    of the station has before the docking, `energy` its kinetic energy [J].
    """
    M_t, M_o, B = docked.inertia, docked.body, docked.base_shapes
    whole = M_t + M_o
    count = docked.frequency.size
    L = -whole @ B  # Eq. (F82)
    modal_mass = np.eye(count) + B.T @ whole @ B
    # In a frame that moves with the base energies have no large part that does not change.
    drift = np.concatenate([np.zeros(3), motion[3:]])
    motion, body_motion = motion - drift, body_motion - drift
    momentum = M_t @ motion + M_o @ body_motion
    modal_momentum = L.T @ motion + (0.0 if modal is None else modal)
    A_o = whole - L @ np.linalg.solve(modal_mass, L.T)
    V = np.asarray(
        np.linalg.solve(A_o, momentum - L @ np.linalg.solve(modal_mass, modal_momentum)), float
    )  # Eq. (F83)
    rate = np.asarray(np.linalg.solve(modal_mass, modal_momentum - L.T @ V), float)
    mean = V - B @ rate  # Eq. (F84)
    before = 0.5 * (motion @ M_t @ motion + body_motion @ M_o @ body_motion) + energy
    after = 0.5 * (mean @ whole @ mean + rate @ rate)
    return PublishedImpulse(
        base_motion=V + drift,
        mean_motion=mean + drift,
        modal_rate=rate,
        impulse=M_o @ (body_motion - V),
        loss=float(before - after),
        momentum_error=whole @ V + L @ rate - momentum,
    )


@dataclass(frozen=True, kw_only=True)
class PublishedState:
    """State of the mean axes and modes; world axes are those of the Hill frame at time zero, its origin the Earth."""

    position: Floats
    """Centre of mass, shape (3,) [m]."""
    velocity: Floats
    attitude: Floats
    """Unit quaternion wxyz from station axes to the world."""
    rate: Floats
    """Angular velocity in station axes, shape (3,) [rad/s]."""
    modal: Floats
    """Modal coordinates, shape (modes,) [sqrt(kg) m]."""
    modal_rate: Floats
    """Modal rates, shape (modes,) [sqrt(kg) m/s]."""

    def vector(self) -> Floats:
        """Return the state of the kernel, with no energy dissipated and no work done."""
        rigid = (self.position, self.velocity, self.attitude, self.rate, np.zeros(2))
        return np.concatenate([*rigid, self.modal, self.modal_rate])


@dataclass(frozen=True, kw_only=True)
class PublishedMotion:
    """Motion over time; arrays have one row per recorded time."""

    time: Floats
    position: Floats
    velocity: Floats
    attitude: Floats
    rate: Floats
    modal: Floats
    modal_rate: Floats
    dissipated: Floats
    """Energy that the modal damping has taken [J]."""
    work: Floats
    """Work of gravity on the modes [J]."""
    steps: int

    @property
    def end(self) -> PublishedState:
        """State at the last time."""
        return PublishedState(
            position=self.position[-1],
            velocity=self.velocity[-1],
            attitude=self.attitude[-1],
            rate=self.rate[-1],
            modal=self.modal[-1],
            modal_rate=self.modal_rate[-1],
        )

    def modal_energy(self, frequency: Floats) -> Floats:
        """Return kinetic and elastic energy of the modes at every time [J]."""
        omega = 2.0 * np.pi * frequency
        return np.asarray(0.5 * ((self.modal_rate**2).sum(axis=1) + ((omega * self.modal) ** 2).sum(axis=1)))


def check_step(modes: MeanAxesModes, step: float) -> None:
    """Raise InputError for a step with which the Runge-Kutta method is unstable for the highest mode."""
    limit = STABILITY_LIMIT / (2.0 * np.pi * float(modes.frequency[-1]))
    if step > limit:
        raise InputError(
            f"must be at most {limit:.3g} s: the highest mode has {modes.frequency[-1]:.4g} Hz, and the "
            "Runge-Kutta method is unstable for larger steps.",
            field="published.step",
            given=f"{step:g} s",
            hint="Keep fewer modes (`published.modes`).",
        )


def propagate_published(
    modes: MeanAxesModes,
    start: PublishedState,
    *,
    duration: float,
    step: float,
    every: int,
    damping: float,
    gravity: float,
) -> PublishedMotion:
    """Propagate Eqs. (F85)-(F87) by the classical Runge-Kutta method (F89) with a fixed step [s].

    Every `every`-th step is recorded, and the last one. `gravity` is the gravitational parameter [m3/s2]; 0 for free
    space. The last step is shortened to end with the duration.
    """
    check_step(modes, step)
    count = int(np.ceil(duration / step * (1.0 - 1e-12)))
    times = np.minimum(step * np.arange(count + 1), duration)
    recorded = np.unique(np.append(np.arange(0, count + 1, every), count))
    y = start.vector()
    rows = np.empty((recorded.size, y.size))
    propagate(
        _model(modes),
        y,
        np.empty((5, y.size)),
        times,
        recorded.astype(np.int64),
        rows,
        float(damping),
        float(gravity),
    )
    modal, modal_rate = np.split(rows[:, HEAD:], 2, axis=1)
    return PublishedMotion(
        time=times[recorded],
        position=rows[:, :3],
        velocity=rows[:, 3:6],
        attitude=rows[:, 6:10],
        rate=rows[:, 10:13],
        dissipated=rows[:, 13],
        work=rows[:, 14],
        modal=modal,
        modal_rate=modal_rate,
        steps=count,
    )


def _model(modes: MeanAxesModes) -> PublishedModel:
    """Return the constants of the equations of motion."""
    J = _central_inertia(modes.total_inertia)
    return PublishedModel(
        inertia=J,
        inverse=np.linalg.inv(J),
        omega=2.0 * np.pi * modes.frequency,
        moment=np.ascontiguousarray(modes.moment),
    )


def static_coordinates(modes: MeanAxesModes, gradient: Floats) -> Floats:
    """Return the modal coordinates in equilibrium in an acceleration gradient (3, 3) [1/s2]; Eq. (F90)."""
    omega = 2.0 * np.pi * modes.frequency
    return np.asarray(np.einsum("ij,kij->k", gradient, modes.moment) / omega**2)  # Eq. (F90)


def centre_of_mass(inertia: Floats) -> Floats:
    """Return the centre of mass, shape (3,) [m], of a 6x6 inertia, from its reference point."""
    return np.asarray(np.array([inertia[2, 4], inertia[0, 5], inertia[1, 3]]) / inertia[3, 3])


def _central_inertia(inertia: Floats) -> Floats:
    """Return the 3x3 inertia about the centre of mass of a 6x6 inertia."""
    c, m = centre_of_mass(inertia), inertia[3, 3]
    J = inertia[:3, :3] - m * (c @ c * np.eye(3) - np.outer(c, c))
    return np.asarray((J + J.T) / 2.0)
