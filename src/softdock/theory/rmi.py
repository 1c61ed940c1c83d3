"""Rigid Multibody Impact (RMI): velocities of two systems after a short impact between two of their bodies.

The chaser consists of m1 (rear) and m2 (touching), the target of m3 (touching) and m4 (far). Functions broadcast their
arguments and return a float for scalar input. Velocities are positive towards the target.
"""

from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.errors import InputError
from softdock.theory.inputs import Array, DescribedCode, Number, as_number, check_range

ROUND_OFF = 8 * np.finfo(float).eps  # e_I results from eight rounded operations
BLOCK = 16384  # elements; the temporaries of one block fit into the second-level cache


class Regime(DescribedCode):
    """The five regimes of an impact, numbered as (i) to (v) in the paper."""

    NO_IMPACT = 1, "No impact: a touching body has no mass against its system, the closing speed is kept."
    RIGID_BODIES = 2, "Both systems act as rigid bodies: the impact is that of two single masses."
    MATCHED = 3, "After this impact alone the two systems move with the same velocity."
    CLOSING = 4, "After this impact alone the chaser keeps closing on the target, which favours docking."
    PARTING = (
        5,
        "After this impact alone the two systems part: only what acts later, such as a guide, a latch or another "
        "contact, can bring them together.",
    )


class MassRatios(NamedTuple):
    """The three mass ratios that determine an impact [1]."""

    interface: Number
    """m2 / m3."""
    chaser: Number
    """m1 / m2."""
    target: Number
    """m4 / m3."""


@dataclass(frozen=True, kw_only=True)
class ImpactResult:
    """The state of two systems just after an impact; every field has the broadcast shape of the input."""

    effective_mass_ratio: Number
    """e_I [1]."""
    effective_mass_ratio_star: Number
    """e_I* = (1 + e*) e_I [1]."""
    impulse: Number
    """Impulse between the touching bodies [N s]."""
    relative_velocity_after: Number
    """Velocity of the chaser's centre of mass relative to the target's [m/s]; positive while closing."""
    chaser_velocity_after: Number
    """Centre of mass of the chaser [m/s]."""
    target_velocity_after: Number
    """Centre of mass of the target [m/s]."""
    velocities_after: Array
    """Velocities of the bodies m1 to m4 along the last axis [m/s]."""
    regime: Regime | NDArray[np.int8]
    """A `Regime` for scalar input, its value otherwise."""


class ManyImpacts(NamedTuple):
    """Predictions for arrays: effective mass ratio [1] and relative velocity after the impact [m/s]."""

    effective_mass_ratio: Array
    relative_velocity_after: Array


def reduced_mass(a: ArrayLike, b: ArrayLike) -> Number:
    """Return the effective mass a b / (a + b) of two masses [kg]; zero if either is zero."""
    return as_number(_reduced(check_range("a", a, at_least=0.0), check_range("b", b, at_least=0.0)))


def system_effective_mass(m1: ArrayLike, m2: ArrayLike, m3: ArrayLike, m4: ArrayLike) -> Number:
    """Return m_i,ef, the effective mass of the complete systems chaser and target [kg]; infinite between two walls."""
    m1, m2, m3, m4 = _four_masses(m1, m2, m3, m4)
    return as_number(_reduced(m1 + m2, m3 + m4))  # Eq. (R1)


def interface_effective_mass(m2: ArrayLike, m3: ArrayLike) -> Number:
    """Return mu_i,ef, the effective mass of the two touching bodies [kg]; one of them may be infinite."""
    m2, m3 = _mass("m2", m2, above=0.0), _mass("m3", m3, above=0.0)
    _check_one_finite(m2, m3)
    return as_number(_reduced(m2, m3))  # Eq. (R2)


def chaser_effective_mass(m1: ArrayLike, m2: ArrayLike) -> Number:
    """Return mu_c, the effective mass of the two bodies of the chaser [kg]."""
    return as_number(_reduced(_mass("m1", m1, at_least=0.0), _mass("m2", m2, above=0.0)))  # Eq. (R3)


def target_effective_mass(m3: ArrayLike, m4: ArrayLike) -> Number:
    """Return mu_t, the effective mass of the two bodies of the target [kg]."""
    return as_number(_reduced(_mass("m3", m3, above=0.0), _mass("m4", m4, at_least=0.0)))  # Eq. (R4)


def effective_mass_ratio(m1: ArrayLike, m2: ArrayLike, m3: ArrayLike, m4: ArrayLike) -> Number:
    """Return e_I = mu_i,ef / m_i,ef, between 0 and 1; infinite masses are walls."""
    return as_number(_ratio(*_four_masses(m1, m2, m3, m4)))


def ratio_star(effective_mass_ratio: ArrayLike, restitution: ArrayLike = 1.0) -> Number:
    """Return e_I* = (1 + e*) e_I, between 0 and 2."""
    e_I = check_range("effective_mass_ratio", effective_mass_ratio, at_least=0.0, at_most=1.0 + ROUND_OFF)
    return as_number((1.0 + _restitution(restitution)) * e_I)  # Eq. (R8)


def impulse(m2: ArrayLike, m3: ArrayLike, *, speed: ArrayLike, restitution: ArrayLike = 1.0) -> Number:
    """Return the impulse between the touching bodies [N s] for their approach speed [m/s]."""
    mu = np.asarray(interface_effective_mass(m2, m3))
    return as_number((1.0 + _restitution(restitution)) * check_range("speed", speed) * mu)  # Eq. (R5)


def relative_velocity_after(
    effective_mass_ratio_star: ArrayLike, *, speed: ArrayLike, oscillation: ArrayLike = 0.0
) -> Number:
    """Return the relative velocity of the centres of mass after the impact [m/s].

    `speed`: closing speed of the centres of mass before the impact [m/s]. `oscillation`: additional approach speed of
    the touching bodies due to motion within the systems [m/s].
    """
    e_star = check_range(
        "effective_mass_ratio_star", effective_mass_ratio_star, at_least=0.0, at_most=2 * (1 + ROUND_OFF)
    )
    U, dU = check_range("speed", speed), check_range("oscillation", oscillation)
    return as_number((1.0 - e_star) * U - e_star * dU)  # Eq. (R9)


def predict_impact(
    m1: ArrayLike,
    m2: ArrayLike,
    m3: ArrayLike,
    m4: ArrayLike,
    *,
    speed: ArrayLike,
    restitution: ArrayLike = 1.0,
    oscillation: ArrayLike = 0.0,
    target_velocity: ArrayLike = 0.0,
) -> ImpactResult:
    """Predict one impact, or one for each element.

    Masses [kg]; m1 and m4 may be 0, and masses may be infinite (walls), but not both touching ones. `speed`: closing
    speed of the centres of mass [m/s]. `oscillation`: additional approach speed of the touching bodies [m/s],
    attributed to m2 relative to the chaser's centre of mass, or to m3 where m1 is 0 or m2 a wall.
    `target_velocity`: velocity of the target's centre of mass before the impact [m/s].
    """
    m1, m2, m3, m4 = _four_masses(m1, m2, m3, m4)
    e = _restitution(restitution)
    U, dU = check_range("speed", speed), check_range("oscillation", oscillation)
    V_t = check_range("target_velocity", target_velocity)
    e_I = _ratio(m1, m2, m3, m4)
    e_star = (1.0 + e) * e_I  # Eq. (R8)
    P = (1.0 + e) * (U + dU) * _reduced(m2, m3)  # Eq. (R5)
    V_c = V_t + U
    moves = (m1 > 0.0) & np.isfinite(m2)  # where the chaser's touching body can oscillate
    if (~moves & (dU != 0.0) & ((m4 == 0.0) | np.isinf(m3))).any():
        raise InputError("needs a finite touching body with a rear mass.", field="oscillation")
    chaser, target = np.where(moves, dU, 0.0), np.where(moves, 0.0, dU)
    bodies = (
        V_c - _recoil(m2, chaser, m1),
        V_c + chaser - P / m2,
        V_t - target + P / m3,
        V_t + _recoil(m3, target, m4),
    )  # Eq. (R11)
    return ImpactResult(
        effective_mass_ratio=as_number(e_I),
        effective_mass_ratio_star=as_number(e_star),
        impulse=as_number(P),
        relative_velocity_after=as_number((1.0 - e_star) * U - e_star * dU),  # Eq. (R9)
        chaser_velocity_after=as_number(V_c - P / (m1 + m2)),  # Eq. (R10)
        target_velocity_after=as_number(V_t + P / (m3 + m4)),  # Eq. (R10)
        velocities_after=np.stack(np.broadcast_arrays(*bodies), axis=-1),
        regime=regime(e_I, e, speed=U, oscillation=dU),
    )


def _recoil(touching: Array, oscillation: Array, rear: Array) -> Array:
    """Return the speed of a rear mass that keeps the centre of mass where the touching one oscillates [m/s]."""
    shape = np.broadcast(touching, oscillation, rear).shape
    moves = np.broadcast_to((rear > 0.0) & (oscillation != 0.0), shape)
    share = np.divide(touching, rear, out=np.zeros(shape), where=moves)
    recoil: Array = share * oscillation
    return recoil


def predict_many(
    m1: ArrayLike,
    m2: ArrayLike,
    m3: ArrayLike,
    m4: ArrayLike,
    *,
    speed: ArrayLike,
    restitution: ArrayLike = 1.0,
) -> ManyImpacts:
    """Predict e_I and the relative velocity after the impact for large arrays, in blocks that fit the cache.

    Formulas, checks and results are identical to those of `predict_impact`.
    """
    given = zip(("m1", "m2", "m3", "m4", "speed", "restitution"), (m1, m2, m3, m4, speed, restitution))
    arrays = [_floats(name, value) for name, value in given]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    flat = [a if a.ndim == 0 else np.broadcast_to(a, shape).reshape(-1) for a in arrays]
    ratio, after = np.empty(shape), np.empty(shape)
    ratio_flat, after_flat = ratio.reshape(-1), after.reshape(-1)
    work = np.empty((3, BLOCK))
    with np.errstate(all="ignore"):  # a block with invalid input is rejected as a whole
        for start in range(0, ratio_flat.size, BLOCK):
            part = slice(start, start + BLOCK)
            block = [a if a.ndim == 0 else a[part] for a in flat]
            if not _predict_block(block, ratio_flat[part], after_flat[part], work):
                _raise_for_block(block)
    return ManyImpacts(ratio, after)


def _predict_block(block: list[Array], ratio: Array, after: Array, work: Array) -> bool:
    """Write e_I and U+ of one block; return False if the block contains invalid input."""
    m1, m2, m3, m4, speed, e = block
    a, b, c = work[:, : ratio.size]
    np.add(m1, m2, out=a)
    np.add(m3, m4, out=b)
    np.add(a, b, out=c)
    sound = _largest(c) < np.inf and _least(m1) >= 0.0 and _least(m2) > 0.0  # NaN fails every comparison
    sound = sound and _least(m3) > 0.0 and _least(m4) >= 0.0
    sound = sound and _least(e) >= 0.0 and _largest(e) <= 1.0 and _largest(abs(speed)) < np.inf
    np.divide(m2, a, out=a)
    np.divide(m3, b, out=b)
    np.multiply(a, b, out=a)
    np.add(m2, m3, out=b)
    np.divide(c, b, out=c)
    np.multiply(a, c, out=ratio)  # Eq. (R7)
    np.multiply(1.0 + e, ratio, out=a)  # Eq. (R8)
    np.subtract(1.0, a, out=a)
    np.multiply(a, speed, out=after)  # Eq. (R9)
    return sound


def _raise_for_block(block: list[Array]) -> NoReturn:
    """Raise the error of `predict_impact` for the same input; infinite masses are refused, too."""
    names = ("m1", "m2", "m3", "m4")
    for name, mass in zip(names, block):
        check_range(name, mass)
    _four_masses(*block[:4])
    check_range("speed", block[4])
    _restitution(block[5])
    raise AssertionError("a block was rejected without an invalid input")


def _least(values: Array) -> float:
    return float(values if values.ndim == 0 else np.minimum.reduce(values))


def _largest(values: Array) -> float:
    return float(values if values.ndim == 0 else np.maximum.reduce(values))


def regime(
    effective_mass_ratio: ArrayLike,
    restitution: ArrayLike = 1.0,
    *,
    speed: ArrayLike = 1.0,
    oscillation: ArrayLike = 0.0,
) -> Regime | NDArray[np.int8]:
    """Return the regime of an impact: a `Regime` for scalars, its value for arrays.

    `speed` and `oscillation` [m/s] as for `predict_impact`; without oscillation the speed does not matter.
    """
    e_I = check_range("effective_mass_ratio", effective_mass_ratio, at_least=0.0, at_most=1.0 + ROUND_OFF)
    e_star = (1.0 + _restitution(restitution)) * e_I
    U, dU = check_range("speed", speed), check_range("oscillation", oscillation)
    scale = np.where(dU == 0.0, 1.0, U)  # the regime without oscillation is that of any speed
    after = (1.0 - e_star) * scale - e_star * dU  # Eq. (R9)
    small = ROUND_OFF * (np.abs(scale) + e_star * np.abs(dU))
    conditions = [
        e_I == 0.0,
        (e_I >= 1.0 - ROUND_OFF) & (dU == 0.0),
        np.abs(after) <= small,
        after * scale > 0.0,
    ]
    choices = [Regime.NO_IMPACT, Regime.RIGID_BODIES, Regime.MATCHED, Regime.CLOSING]
    codes = np.select(conditions, choices, default=Regime.PARTING).astype(np.int8)
    return Regime(int(codes)) if codes.ndim == 0 else codes


def mass_ratios(m1: ArrayLike, m2: ArrayLike, m3: ArrayLike, m4: ArrayLike) -> MassRatios:
    """Return the mass ratios of interface, chaser and target."""
    m1, m2, m3, m4 = _four_masses(m1, m2, m3, m4)
    if not (np.isfinite(m2).all() and np.isfinite(m3).all()):
        raise InputError("The mass ratios need finite touching masses m2 and m3.")
    return MassRatios(as_number(m2 / m3), as_number(m1 / m2), as_number(m4 / m3))  # Eq. (R12)


def ratio_from_mass_ratios(interface: ArrayLike, chaser: ArrayLike = 0.0, target: ArrayLike = 0.0) -> Number:
    """Return e_I from the mass ratios; a chaser or target ratio of 0 is a single mass, an infinite one a wall."""
    li, lc = check_range("interface", interface, at_least=0.0), _mass("chaser", chaser, at_least=0.0)
    lt = _mass("target", target, at_least=0.0)
    return as_number((li / (lt + 1.0) + 1.0 / (lc + 1.0)) / (li + 1.0))  # Eq. (R13)


def ratio_equal_mass_ratios(ratio: ArrayLike) -> Number:
    """Return e_I for equal mass ratios of chaser and target."""
    return as_number(1.0 / (check_range("ratio", ratio, at_least=0.0) + 1.0))  # Eq. (R14)


def ratio_fixed_wall(interface: ArrayLike, chaser: ArrayLike) -> Number:
    """Return e_I for a target with a fixed wall as far body."""
    li, lc = check_range("interface", interface, at_least=0.0), check_range("chaser", chaser, at_least=0.0)
    return as_number(1.0 / ((li + 1.0) * (lc + 1.0)))  # Eq. (R15)


def zero_velocity_ratio(
    *,
    interface: ArrayLike | None = None,
    chaser: ArrayLike | None = None,
    target: ArrayLike | None = None,
    restitution: ArrayLike = 1.0,
) -> Number:
    """Return the omitted mass ratio for which the relative velocity after the impact is zero.

    A given ratio of chaser or target may be infinite, a wall. NaN if no ratio or every ratio (chaser = target = e*) is
    a solution.
    """
    arguments = {"interface": interface, "chaser": chaser, "target": target}
    given = {
        name: check_range(name, v, at_least=0.0) if name == "interface" else _mass(name, v, at_least=0.0)
        for name, v in arguments.items()
        if v is not None
    }
    if len(given) != 2:
        raise InputError("Give two of the mass ratios interface, chaser and target; the third is returned.")
    r = 1.0 + _restitution(restitution)
    if "interface" not in given:
        (a, a_1), (b, b_1) = _fraction(given["chaser"]), _fraction(given["target"])
        return _where_physical(b * (a - r * a_1), a * (r * b_1 - b), offset=0.0)  # Eq. (R17)
    li = given["interface"]
    if "chaser" not in given:
        b, b_1 = _fraction(given["target"])
        return _where_physical(r * b, (li + 1.0) * b - r * li * b_1, offset=1.0)  # Eq. (R17)
    a, a_1 = _fraction(given["chaser"])
    return _where_physical(r * li * a, (li + 1.0) * a - r * a_1, offset=1.0)  # Eq. (R17)


def _fraction(ratio: Array) -> tuple[Array, Array]:
    """Return numerator and denominator of a mass ratio plus one; (1, 0) for an infinite one."""
    wall = np.isinf(ratio)
    return np.where(wall, 1.0, ratio + 1.0), np.where(wall, 0.0, 1.0)


def _where_physical(numerator: Array, denominator: Array, offset: float) -> Number:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.asarray(numerator / denominator - offset)
    return as_number(np.where((ratio >= 0.0) & np.isfinite(ratio), ratio, np.nan))


def _ratio(m1: Array, m2: Array, m3: Array, m4: Array) -> Array:
    """Return e_I as a product of ratios, because products of three masses overflow earlier."""
    m_c, m_t = m1 + m2, m3 + m4
    walls = np.isinf(m_c) | np.isinf(m_t)
    with np.errstate(invalid="ignore"):
        ratio: Array = (m2 / m_c) * (m3 / m_t) * ((m_c + m_t) / (m2 + m3))  # Eq. (R7)
    if not walls.any():
        return ratio
    mu = _reduced(m2, m3)
    return np.where(walls, mu / m_c + mu / m_t, ratio)  # Eq. (R7), whose second form has limits for walls


def _reduced(a: Array, b: Array) -> Array:
    small, large = np.minimum(a, b), np.maximum(a, b)
    usable = (large > 0.0) & np.isfinite(small)
    share = np.divide(small, large, out=np.zeros(np.shape(large)), where=usable)
    reduced: Array = small / (1.0 + share)
    return reduced


def _four_masses(
    m1: ArrayLike, m2: ArrayLike, m3: ArrayLike, m4: ArrayLike
) -> tuple[Array, Array, Array, Array]:
    masses = (
        _mass("m1", m1, at_least=0.0),
        _mass("m2", m2, above=0.0),
        _mass("m3", m3, above=0.0),
        _mass("m4", m4, at_least=0.0),
    )
    _check_one_finite(masses[1], masses[2])
    with np.errstate(over="ignore"):
        if not np.isfinite(sum(np.where(np.isinf(mass), 0.0, mass) for mass in masses)).all():
            raise InputError("The sum of the four masses is too large for a floating-point number.")
    return masses


def _check_one_finite(m2: Array, m3: Array) -> None:
    if (np.isinf(m2) & np.isinf(m3)).any():
        raise InputError("One of the touching masses m2 and m3 must be finite.")


def _mass(name: str, value: ArrayLike, *, above: float = -np.inf, at_least: float = -np.inf) -> Array:
    """Return masses or ratios of masses as an array of floats; infinite ones, of a wall, are allowed."""
    given = np.asarray(value)
    if given.dtype.kind != "f" or not np.isposinf(given).any():
        return check_range(name, value, above=above, at_least=at_least)
    finite = np.where(np.isposinf(given), 1.0, given)
    check_range(name, finite, above=above, at_least=at_least)
    return given.astype(np.float64, copy=False)


def _restitution(value: ArrayLike) -> Array:
    return check_range("restitution", value, at_least=0.0, at_most=1.0)


def _floats(name: str, value: ArrayLike) -> Array:
    """Return an array of floats; raise `InputError` for other types. Ranges are checked block by block."""
    given = np.asarray(value)
    return given.astype(np.float64, copy=False) if given.dtype.kind in "iuf" else check_range(name, value)
