"""The first impact of a system in three dimensions, by RMI with joints free and locked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import Assembly
from softdock.dynamics.impulse import DirectionalImpulse, Impact, strike
from softdock.model.joints import direction, quaternion
from softdock.predict.first_contact import FirstContact
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import matrix
from softdock.theory import rmi
from softdock.theory.restitution import layer_impact

Floats = NDArray[np.float64]
ROUNDS = 2  # of finding the depth at which the stiffness of the contact is taken
DEEPEST = 20.0  # damping depths: the contact is not pressed deeper to find its stiffness


def predict_impact(scenario: MultibodyScenario, assembly: Assembly) -> dict[str, Any]:
    """Return the impact that the scenario describes under `impact`."""
    assert scenario.impact is not None
    a, b = scenario.impact.a, scenario.impact.b
    impact = Impact(assembly, assembly.y)
    placed_a, placed_b = assembly.placed[a.body], assembly.placed[b.body]
    R_NA = _rotation(impact, assembly, a.body) @ matrix(quaternion(a.attitude))
    point = _point(impact, assembly, b.body, np.asarray(b.at, float))
    normal = R_NA @ direction(scenario.impact.normal)
    struck = strike(assembly, assembly.y, placed_a.link, placed_b.link, point, normal)
    source = "The restitution is that of impact.restitution."
    return _prediction(scenario, assembly, struck, point, normal, scenario.impact.restitution, source)


def predict_first_contact(
    scenario: MultibodyScenario, assembly: Assembly, first: FirstContact
) -> dict[str, Any]:
    """Return the impact at the first contact, with the restitution of its layer."""
    struck = strike(assembly, first.state, first.a, first.b, first.point, first.normal)
    restitution, source = _restitution(first, struck)
    return _prediction(scenario, assembly, struck, first.point, first.normal, restitution, source) | {
        "contact": first.contact,
        "t_first_contact": first.time,
    }


def _restitution(first: FirstContact, struck: DirectionalImpulse) -> tuple[float, str]:
    """Return the restitution that the layer of the contact gives at this speed and effective mass, and its source."""
    layer, name = first.pair.layer, first.contact
    if layer.damping == 0.0:
        return 1.0, f"The restitution is 1: the layer of {name} has no damping."
    if not struck.closing_speed > 0.0:
        return 1.0, "The restitution is 1: the bodies do not close."
    depth = layer.damping_depth
    for _ in range(ROUNDS):
        stiffness = 3.0 * first.elastic_energy(depth) / depth**3  # of E = K d^3 / 3
        if not stiffness > 0.0:
            return 1.0, f"The restitution is taken as 1: {name} cannot be pressed along its first normal."
        impact = layer_impact(
            speed=struck.closing_speed,
            effective_mass=struck.effective_mass_free,
            stiffness=stiffness,
            damping_factor=layer.damping / (layer.areal_stiffness * layer.damping_depth),
            damping_depth=layer.damping_depth,
        )
        depth = min(impact.depth, DEEPEST * layer.damping_depth)
    if impact.is_closed_form:
        how = "within its damping depth, by the closed form (R21)"
    else:
        how = (
            f"beyond its damping depth, by (R24) for an effective mass of {struck.effective_mass_free:.3g} kg"
        )
    source = (
        f"The restitution follows from the damping of the layer of {name}, pressed {impact.depth * 1e3:.3g} mm deep at "
        f"{struck.closing_speed:.3g} m/s: {how}."
    )
    return impact.restitution, source


def _prediction(
    scenario: MultibodyScenario,
    assembly: Assembly,
    struck: DirectionalImpulse,
    point: Floats,
    normal: Floats,
    restitution: float,
    source: str,
) -> dict[str, Any]:
    struck = struck.with_restitution(restitution)
    e_I = struck.effective_mass_ratio
    regime = rmi.Regime(int(rmi.regime(e_I, restitution)))
    name, sentence = regime.identifier, regime.sentence
    if not struck.closing_speed > 0.0:
        name = rmi.Regime.NO_IMPACT.identifier
        sentence = "The bodies do not approach each other along this normal: there is no impact."
    after = Impact(assembly, struck.state)
    velocities = {name: _velocity(after, assembly, name) for name in scenario.bodies}
    return {
        "effective_mass_free": struck.effective_mass_free,
        "effective_mass_locked": struck.effective_mass_locked,
        "effective_mass_ratio": e_I,
        "effective_mass_ratio_star": (1.0 + restitution) * e_I,
        "restitution": restitution,
        "restitution_source": source,
        "closing_speed": struck.closing_speed,
        "relative_velocity_before": struck.closing_speed_locked,
        "relative_velocity_after": struck.relative_velocity_after,
        "impulse": struck.impulse,
        "normal": normal.tolist(),
        "point": point.tolist(),
        "velocities_after": velocities,
        "regime": name,
        "regime_sentence": sentence,
    }


def _rotation(impact: Impact, assembly: Assembly, body: str) -> Floats:
    placed = assembly.placed[body]
    link = impact.links[placed.link]
    base = impact.links[link.root]
    return np.asarray(base.R_NB.reshape(3, 3) @ link.R.reshape(3, 3) @ placed.X_LB.R)


def _point(impact: Impact, assembly: Assembly, body: str, p_BQ: Floats) -> Floats:
    placed = assembly.placed[body]
    link = impact.links[placed.link]
    base = impact.links[link.root]
    p_LQ = placed.X_LB.p + placed.X_LB.R @ p_BQ
    return np.asarray(base.p_NB + base.R_NB.reshape(3, 3) @ (link.p + link.R.reshape(3, 3) @ p_LQ))


def _velocity(impact: Impact, assembly: Assembly, body: str) -> list[float]:
    """Velocity of a body's origin in N."""
    motion = impact.moving[assembly.placed[body].link]
    point = _point(impact, assembly, body, np.zeros(3))
    return [float(x) for x in motion[3:] + np.cross(motion[:3], point)]
