"""Prediction of impact and latch of two chains of masses, by closed forms."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from softdock.scenario.chain import ChainScenario
from softdock.theory import latch, rmi
from softdock.theory.restitution import damping_ratio, kelvin_voigt_restitution


def predict_chain(scenario: ChainScenario, touch: np.ndarray | None = None) -> dict[str, Any]:
    """Return the predicted impact of a scenario with a contact and the minimum latching speeds of one with a latch.

    SI values by name. `touch` has the velocities of all masses at the first contact [m/s] if masses move within their
    chain, and is NaN without contact; then there are no minimum speeds, which hold for chains at rest within.
    """
    e_I = _effective_mass_ratio(scenario)
    prediction: dict[str, Any] = {"effective_mass_ratio": e_I}
    if scenario.contact is not None:
        before = _uniform_velocities(scenario) if touch is None else touch.tolist()
        if np.isfinite(before).all():
            prediction |= _impact(scenario, e_I, equivalent_restitution(scenario), before)
    if scenario.latch is not None:
        given = scenario.latch
        wedge = {"wedge": _behaviour(given.angle, given.angle_of_friction)}
        prediction |= _latch(scenario, e_I) if touch is None else wedge
    return prediction


def predict_masses(
    m1: float,
    m2: float,
    m3: float,
    m4: float,
    *,
    speed: float,
    restitution: float = 1.0,
    oscillation: float = 0.0,
) -> dict[str, Any]:
    """Return the impact of four masses [kg] at a closing speed [m/s]; m1 and m4 may be 0 or infinite.

    `oscillation`: approach speed of the touching masses beyond the closing speed [m/s].
    """
    impact = rmi.predict_impact(m1, m2, m3, m4, speed=speed, restitution=restitution, oscillation=oscillation)
    e_I = float(impact.effective_mass_ratio)
    return {"effective_mass_ratio": e_I} | _impact_values(
        e_I,
        float(restitution),
        speed=float(speed),
        oscillation=float(oscillation),
        impulse=float(impact.impulse),
        chaser_velocity_after=float(impact.chaser_velocity_after),
        target_velocity_after=float(impact.target_velocity_after),
        velocities_after=impact.velocities_after.tolist(),
    )


def equivalent_restitution(scenario: ChainScenario) -> float:
    """Return the coefficient of restitution equivalent to the contact [1]."""
    contact = scenario.contact
    if contact is None or contact.stiffness is None:
        return 1.0 if contact is None or contact.restitution is None else contact.restitution
    zeta = damping_ratio(contact.stiffness, scenario.contact_damping, scenario.interface_effective_mass)
    return float(kelvin_voigt_restitution(zeta))


def _effective_mass_ratio(scenario: ChainScenario) -> float:
    chaser, target = scenario.chaser.masses, scenario.target.masses
    if scenario.target.anchored:
        ratio = rmi.ratio_fixed_wall(chaser[-1] / target[0], sum(chaser[:-1]) / chaser[-1])
    else:
        ratio = rmi.effective_mass_ratio(sum(chaser[:-1]), chaser[-1], target[0], sum(target[1:]))
    return float(ratio)


def predict_ratios(
    *,
    interface: float | None = None,
    chaser: float | None = None,
    target: float | None = None,
    restitution: float = 1.0,
) -> dict[str, Any]:
    """Return what mass ratios determine: of three ratios the regime, of two the third for equal velocities after.

    Names as those of `rmi.MassRatios`; those of chaser and target may be infinite, which is written as `inf`. The
    third ratio is NaN if none or every one is a solution, which `zero_velocity` says.
    """
    given = {"interface": interface, "chaser": chaser, "target": target}
    ratios = {name: value for name, value in given.items() if value is not None}
    missing = [name for name in given if name not in ratios]
    if missing:
        ratio = float(rmi.zero_velocity_ratio(**ratios, restitution=restitution))
        ratios[missing[0]] = ratio
    listed = {
        f"mass_ratio_{name}": "inf" if math.isinf(ratios[name]) else float(ratios[name]) for name in given
    }
    if missing and math.isnan(ratios[missing[0]]):
        every = chaser == target == restitution
        sentence = (
            f"{'Every' if every else 'No'} mass ratio {missing[0]} gives equal velocities after the impact."
        )
        return listed | {"restitution": restitution, "zero_velocity": sentence}
    e_I = float(rmi.ratio_from_mass_ratios(ratios["interface"], ratios["chaser"], ratios["target"]))
    found = rmi.Regime(int(rmi.regime(e_I, restitution)))
    return listed | {
        "effective_mass_ratio": e_I,
        "effective_mass_ratio_star": float(rmi.ratio_star(e_I, restitution)),
        "restitution": restitution,
        "regime": found.identifier,
        "regime_sentence": found.sentence,
    }


def _uniform_velocities(scenario: ChainScenario) -> list[float]:
    """Return the velocities of all masses before the impact of chains at rest within [m/s]."""
    V_t = scenario.target.velocity
    return [V_t + scenario.speed] * len(scenario.chaser.masses) + [V_t] * len(scenario.target.masses)


def _impact(
    scenario: ChainScenario, e_I: float, restitution: float, before: Sequence[float]
) -> dict[str, Any]:
    """Return the impact of chains of any length from the velocities of their masses before it [m/s]."""
    chaser, target, speed = scenario.chaser.masses, scenario.target.masses, scenario.speed
    V_t, n = scenario.target.velocity, len(chaser)
    oscillation = (before[n - 1] - before[n]) - speed if scenario.has_internal_motion() else 0.0  # Eq. (R25)
    P = float(rmi.impulse(chaser[-1], target[0], speed=speed + oscillation, restitution=restitution))
    after = list(before)
    after[n - 1 : n + 1] = [before[n - 1] - P / chaser[-1], before[n] + P / target[0]]  # Eq. (R11)
    return _impact_values(
        e_I,
        restitution,
        speed=speed,
        oscillation=oscillation,
        impulse=P,
        chaser_velocity_after=V_t + speed - P / sum(chaser),  # Eq. (R10)
        target_velocity_after=V_t if scenario.target.anchored else V_t + P / sum(target),
        velocities_after=after,
    )


def _impact_values(
    e_I: float,
    restitution: float,
    *,
    speed: float,
    oscillation: float,
    impulse: float,
    chaser_velocity_after: float,
    target_velocity_after: float,
    velocities_after: list[float],
) -> dict[str, Any]:
    """Return the values of an impact by name: effective mass ratio and restitution [1], speeds [m/s], impulse [N s]."""
    e_star = float(rmi.ratio_star(e_I, restitution))
    regime = rmi.Regime(int(rmi.regime(e_I, restitution, speed=speed, oscillation=oscillation)))
    return {
        "effective_mass_ratio_star": e_star,
        "restitution": restitution,
        "relative_velocity_before": speed,
        "oscillation_before": oscillation,
        "relative_velocity_after": float(
            rmi.relative_velocity_after(e_star, speed=speed, oscillation=oscillation)
        ),
        "impulse": impulse,
        "chaser_velocity_after": chaser_velocity_after,
        "target_velocity_after": target_velocity_after,
        "velocities_after": velocities_after,
        "regime": regime.identifier,
        "regime_sentence": regime.sentence,
    }


def _latch(scenario: ChainScenario, e_I: float) -> dict[str, Any]:
    """Return the minimum speeds for latching at the first insertion, and for two bodies its time and depth."""
    given = scenario.latch
    assert given is not None
    wedge = (given.stiffness, given.angle, given.tip_length)
    friction = given.angle_of_friction
    mu = scenario.interface_effective_mass
    slow = float(latch.minimum_speed(*wedge, mu / e_I, friction))  # Eq. (L14); e_I = mu_i,ef / m_i,ef
    fast = float(latch.minimum_speed(*wedge, mu, friction))  # Eq. (L15)
    contact = scenario.contact
    if contact is not None and contact.stiffness is not None:
        # No closed form with a contact pad in parallel to the wedge.
        return {"wedge": _behaviour(given.angle, friction)}
    minimum = slow
    if contact is not None:
        e_star = rmi.ratio_star(e_I, contact.restitution or 0.0)
        minimum = float(latch.minimum_speed_behind_impact(slow, e_star))
    prediction = {
        "minimum_speed": minimum,
        "minimum_speed_slow_latch": slow,
        "minimum_speed_fast_latch": fast,
        "latches": scenario.speed >= minimum,
        "wedge": _behaviour(given.angle, friction),
    }
    two_bodies = len(scenario.chaser.masses) == len(scenario.target.masses) == 1
    if contact is None and two_bodies and not scenario.target.anchored and math.isfinite(slow):
        frequency = slow / given.tip_length
        prediction["insertion_max"] = latch.largest_insertion(scenario.speed, frequency, given.tip_length)
        prediction["latch_time"] = latch.latch_time(scenario.speed, frequency, given.tip_length)
    return prediction


def _behaviour(angle: float, friction_angle: float) -> str:
    return latch.WedgeBehaviour(int(latch.wedge_behaviour(angle, friction_angle))).identifier
