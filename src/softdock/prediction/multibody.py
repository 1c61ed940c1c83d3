"""Prediction of the first impact of a multibody system, by RMI with free and locked joints."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly
from softdock.dynamics.impulse import DirectionalImpulse, ImpulseResponse, apply_impact
from softdock.prediction.first_contact import FirstContact
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import Pose
from softdock.spatial.vectors import point_velocity
from softdock.theory import rmi
from softdock.theory.restitution import layer_impact
from softdock.tree.joints import direction

Floats = NDArray[np.float64]
ITERATIONS = 2  # for the depth at which the contact stiffness is evaluated
MAX_DEPTH = 20.0  # damping depths; limit of the depth at which the stiffness is evaluated


def predict_impact(scenario: MultibodyScenario, assembly: Assembly) -> dict[str, Any]:
    """Return the impact that the scenario describes under `impact`."""
    assert scenario.impact is not None
    a, b = scenario.impact.a, scenario.impact.b
    impact = ImpulseResponse(assembly, assembly.y)
    placed_a, placed_b = assembly.placed[a.body], assembly.placed[b.body]
    X_NA = _pose(impact, assembly, a.body) @ a.pose()
    point = _pose(impact, assembly, b.body).point(np.asarray(b.at, float))
    normal = X_NA.vector(direction(scenario.impact.normal))
    struck = apply_impact(assembly, assembly.y, placed_a.link, placed_b.link, point, normal)
    source = "The restitution is that of impact.restitution."
    return _prediction(scenario, assembly, struck, point, normal, scenario.impact.restitution, source)


def predict_first_contact(
    scenario: MultibodyScenario, assembly: Assembly, first: FirstContact
) -> dict[str, Any]:
    """Return the impact at the first contact, with the restitution of its layer."""
    struck = apply_impact(assembly, first.state, first.a, first.b, first.point, first.normal)
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
        return 1.0, "The restitution is 1: the bodies do not approach each other."
    depth = layer.damping_depth
    for _ in range(ITERATIONS):
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
        depth = min(impact.depth, MAX_DEPTH * layer.damping_depth)
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
    after = ImpulseResponse(assembly, struck.state)
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


def _pose(impact: ImpulseResponse, assembly: Assembly, body: str) -> Pose:
    """Return the pose of a body in N."""
    placed = assembly.placed[body]
    return impact.pose(placed.link) @ placed.X_LB


def _velocity(impact: ImpulseResponse, assembly: Assembly, body: str) -> list[float]:
    """Return the velocity of a body's origin in N [m/s]."""
    motion = impact.motion[assembly.placed[body].link]
    velocity: list[float] = point_velocity(motion, _pose(impact, assembly, body).p).tolist()
    return velocity
