"""Gravity, orbits and disturbances in plain NumPy, with which the kernels are compared."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from softdock.model.orbit import BodyPlate
from softdock.orbit.kepler import J2, MU, RADIUS, SOLAR_PRESSURE
from softdock.orbit.relative import hill_axes
from softdock.spatial.vectors import wrench_of_force

Floats = NDArray[np.float64]


def gravity(position: ArrayLike, *, j2: bool = False) -> Floats:
    """Return the acceleration [m/s2] at a position from the Earth's centre [m], z towards the pole; Eqs. (O1), (O2)."""
    p = np.asarray(position, float)
    r = np.linalg.norm(p)
    a = -MU / r**3 * p  # Eq. (O1)
    if j2:
        factor = -1.5 * J2 * MU * RADIUS**2 / r**5
        a = a + factor * ((1.0 - 5.0 * (p[2] / r) ** 2) * p + 2.0 * p[2] * _AXIS)  # Eq. (O2)
    return np.asarray(a)


_AXIS = np.array([0.0, 0.0, 1.0])


def differential_gravity(position: ArrayLike, offset: ArrayLike, *, j2: bool = False) -> Floats:
    """Return gravity at `position + offset` minus gravity at `position` [m/s2], exactly and without cancellation.

    The difference is computed without the two accelerations and keeps full precision for any offset [m];
    Eqs. (O3)-(O5).
    """
    p, d = np.asarray(position, float), np.asarray(offset, float)
    r2 = p @ p
    r = np.sqrt(r2)
    growth = np.log1p(d @ (d + 2.0 * p) / r2)  # Eq. (O3)
    change = np.expm1(-1.5 * growth)
    a = -MU / r**3 * (d + change * (p + d))  # Eq. (O4)
    if not j2:
        return np.asarray(a)
    z, dz = p[2], d[2]
    change5, change7 = np.expm1(-2.5 * growth), np.expm1(-3.5 * growth)  # of r^-5 and r^-7, relative
    near = (d + 2.0 * dz * _AXIS) + change5 * (p + d + 2.0 * (z + dz) * _AXIS)
    square = dz * (2.0 * z + dz)  # change of z^2
    far = (z**2 * d + square * (p + d) + change7 * (z + dz) ** 2 * (p + d)) / r2
    return np.asarray(a - 1.5 * J2 * MU * RADIUS**2 / r**5 * (near - 5.0 * far))  # Eq. (O5)


def gravity_gradient_torque(position: ArrayLike, inertia: ArrayLike) -> Floats:
    """Return the gravity-gradient torque [N m] about a body's centre of mass; Eq. (O6).

    Position from the Earth's centre [m] and inertia about the centre of mass 3x3 [kg m2], both in body axes.
    """
    p = np.asarray(position, float)
    r = np.linalg.norm(p)
    up = p / r
    return np.asarray(3.0 * MU / r**3 * np.cross(up, np.asarray(inertia, float) @ up))  # Eq. (O6)


def gravity_gradient(position: ArrayLike) -> Floats:
    """Return the gravity gradient d(acceleration)/d(position), 3x3 [1/s2]; Eq. (O7)."""
    p = np.asarray(position, float)
    r = np.linalg.norm(p)
    up = p / r
    return np.asarray(MU / r**3 * (3.0 * np.outer(up, up) - np.eye(3)))  # Eq. (O7)


def propagate(
    position: ArrayLike, velocity: ArrayLike, times: ArrayLike, *, j2: bool = False, rtol: float = 1e-12
) -> tuple[Floats, Floats]:
    """Integrate an orbit; return positions [m] and velocities [m/s] at ascending times [s], shape (times, 3) each.

    The given state is that at the first time. All vectors are in inertial axes from the centre of the Earth. `j2` adds
    the oblateness of the Earth; `rtol` is the relative error of a step.
    """
    y0 = np.concatenate([np.asarray(position, float), np.asarray(velocity, float)])
    t = np.asarray(times, float)
    scale = np.repeat([np.linalg.norm(y0[:3]), np.linalg.norm(y0[3:])], 3)

    def rate(_: float, y: Floats) -> Floats:
        return np.concatenate([y[3:], gravity(y[:3], j2=j2)])

    run = solve_ivp(rate, (t[0], t[-1]), y0, method="DOP853", t_eval=t, rtol=rtol, atol=rtol * scale)
    assert run.success, run.message
    return run.y[:3].T, run.y[3:].T


def relative_motion(
    target: tuple[ArrayLike, ArrayLike],
    chaser: tuple[ArrayLike, ArrayLike],
    times: ArrayLike,
    *,
    j2: bool = False,
    rtol: float = 1e-12,
) -> tuple[Floats, Floats]:
    """Integrate the motion of a chaser relative to a target on any orbit, without linearisation.

    `target` is its position [m] and velocity [m/s] in N, `chaser` position and velocity relative to it in H, as seen
    in H. Returns the same two relative quantities at ascending times [s], shape (times, 3) each. The target's orbit
    and the offset have separate tolerances, so that micrometres are resolved at a radius of 7000 km; Eq. (O12).
    """
    p_T, v_T = (np.asarray(given, float) for given in target)
    p_H, v_H = (np.asarray(given, float) for given in chaser)
    R, w = hill_axes(p_T, v_T)
    d, d_rate = R @ p_H, R @ (v_H + np.cross(w, p_H))
    t = np.asarray(times, float)
    # Separate scales for positions and velocities of the orbit and of the offset.
    rate_H = float(np.linalg.norm(w))
    size = max(float(np.linalg.norm(d)), float(np.linalg.norm(d_rate)) / rate_H)
    scale = np.repeat([np.linalg.norm(p_T), np.linalg.norm(v_T), size or 1.0, (size or 1.0) * rate_H], 3)

    def rate(_: float, y: Floats) -> Floats:
        acceleration = differential_gravity(y[:3], y[6:9], j2=j2)  # Eq. (O12)
        return np.concatenate([y[3:6], gravity(y[:3], j2=j2), y[9:], acceleration])

    y0 = np.concatenate([p_T, v_T, d, d_rate])
    run = solve_ivp(rate, (t[0], t[-1]), y0, method="DOP853", t_eval=t, rtol=rtol, atol=rtol * scale)
    assert run.success, run.message
    positions, velocities = np.empty((t.size, 3)), np.empty((t.size, 3))
    for i, y in enumerate(run.y.T):
        R, w = hill_axes(y[:3], y[3:6])
        positions[i] = R.T @ y[6:9]
        velocities[i] = R.T @ y[9:] - np.cross(w, positions[i])
    return positions, velocities


def _unit(given: ArrayLike) -> Floats:
    v = np.asarray(given, float)
    return np.asarray(v / np.linalg.norm(v))


def drag(plate: BodyPlate, density: float, wind: ArrayLike) -> Floats:
    """Return torque [N m] and force [N] of free molecular drag on a plate, shape (6,), angular part first; Eq. (O14).

    `density` [kg/m3]; `wind` is the velocity of the air relative to the body, in body axes [m/s].
    """
    v = np.asarray(wind, float)
    normal = _unit(plate.normal)
    facing = max(-float(normal @ v), 0.0)  # air reaches only the side that the normal points out of
    force = 0.5 * density * plate.drag_coefficient * plate.area * facing * v  # Eq. (O14)
    return wrench_of_force(np.asarray(plate.centre), force)


def solar_pressure(plate: BodyPlate, to_sun: ArrayLike, pressure: float = SOLAR_PRESSURE) -> Floats:
    """Return torque [N m] and force [N] of solar radiation on a plate, shape (6,), angular part first; Eq. (O15).

    `to_sun` points to the Sun in body axes, of any length; `pressure` acts on a black surface facing the Sun [Pa].
    """
    sun, normal = _unit(to_sun), _unit(plate.normal)
    cosine = max(float(normal @ sun), 0.0)
    along = (1.0 - plate.specular) * sun
    across = 2.0 * (plate.specular * cosine + plate.diffuse / 3.0) * normal
    force = -pressure * plate.area * cosine * (along + across)  # Eq. (O15)
    return wrench_of_force(np.asarray(plate.centre), force)
