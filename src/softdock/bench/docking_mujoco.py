"""MuJoCo model of the docking benchmark: a cavity of convex wedges, a probe of convex hulls and a capsule."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from softdock.contact.layer import ElasticLayer
from softdock.geometry.profile import Arc, Point, Profile
from softdock.model.mjcf import to_mjcf
from softdock.model.surfaces import Contact
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]

THICKNESS = 8e-3
"""Thickness of a wedge [m]: more than any depth, less than the wall between chamber and cone."""
REFERENCE_FORCE = 5.0
"""Typical force of a bounce in the cone [N], at which MuJoCo's linear contact matches the layer's depth and damping."""
IMPEDANCE = 0.01
"""MuJoCo's impedance d: near 0 the contact is a spring, near 1 a constraint."""
FRICTION_RATIO = 10.0
"""MuJoCo's impratio, with which friction saturates at some mm/s of sliding, as in Softdock."""
WALL, PROBE = 2, 2
"""Bits of contype and conaffinity: only walls and probes collide."""


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """Resolution of MuJoCo's surfaces, and its time step."""

    step: float
    """[s]"""
    wedges: int = 24
    """Number of wedges around the axis."""
    chord: float = 0.075e-3
    """Largest distance between an arc of the meridian and its polyline [m]."""


class Peer:
    """MuJoCo's model of a scenario with linear joint springs."""

    def __init__(self, scenario: MultibodyScenario, resolution: Resolution) -> None:
        self.scenario, self.resolution = scenario, resolution
        self.spec: Any = mujoco.MjSpec.from_string(to_mjcf(scenario.at_start()).text)
        option = self.spec.option
        option.timestep = resolution.step
        option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        option.impratio = FRICTION_RATIO
        self.wedges = sum(self._add_cavity(name) for name in {c.a for c in scenario.contacts.values()})
        for contact in scenario.contacts.values():
            self._add_probe(contact)
        self.model: Any = self.spec.compile()
        for contact in scenario.contacts.values():
            self._match_layer(contact)

    def run(self, rate: float, tip: str, port: str) -> Floats:
        """Return the path of body `tip` in the frame of body `port`, sampled at `rate` [1/s], (samples, 3) [m]."""
        model, data = self.model, mujoco.MjData(self.model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_kinematics(model, data)
        tip_id, port_id = model.body(tip).id, model.body(port).id
        every = round(1.0 / (rate * self.resolution.step))
        path = np.empty((round(self.scenario.duration * rate) + 1, 3))
        for k in range(len(path)):
            if k > 0:
                mujoco.mj_step(model, data, nstep=every)
                mujoco.mj_kinematics(model, data)  # mj_step leaves the poses of its beginning
            path[k] = data.xmat[port_id].reshape(3, 3).T @ (data.xpos[tip_id] - data.xpos[port_id])
        return path

    def _add_cavity(self, name: str) -> int:
        """Add the wedges of a cavity and return their number."""
        surface = self.scenario.surfaces[name]
        profile, X_BS = surface.read(self.scenario.directory)
        wedges = list(cavity_wedges(profile, self.resolution.wedges, self.resolution.chord))
        for k, corners in enumerate(wedges):
            self._add_hull(surface.body, f"{name}.{k}", X_BS, corners, contype=WALL, conaffinity=0)
        return len(wedges)

    def _add_probe(self, contact: Contact) -> None:
        surface = self.scenario.surfaces[contact.b]
        profile, X_BS = surface.read(self.scenario.directory)
        about = {"contype": 0, "conaffinity": PROBE, "priority": 1}
        rounded = capsule(profile)
        if rounded is not None:
            radius, *ends = rounded
            self.spec.body(surface.body).add_geom(
                name=f"{contact.b}.0",
                type=mujoco.mjtGeom.mjGEOM_CAPSULE,
                size=[radius, 0.0, 0.0],
                fromto=np.concatenate([X_BS.p + X_BS.R[:, 2] * z for z in ends]),
                mass=0.0,
                **about,
            )
            return
        for k, corners in enumerate(hulls(profile, self.resolution.wedges, self.resolution.chord)):
            self._add_hull(surface.body, f"{contact.b}.{k}", X_BS, corners, **about)

    def _add_hull(self, body: str, name: str, X_BS: Pose, corners: Floats, **about: int) -> None:
        self.spec.add_mesh(name=name, uservert=(corners @ X_BS.R.T + X_BS.p).ravel())
        mesh = mujoco.mjtGeom.mjGEOM_MESH
        self.spec.body(body).add_geom(name=name, type=mesh, meshname=name, mass=0.0, **about)

    def _match_layer(self, contact: Contact) -> None:
        """Give a probe's contacts the stiffness [N/m] and damping of the elastic layer at the reference force.

        MuJoCo expects a stiffness per mass, and multiplies by a mean effective mass of the two bodies at their
        initial pose; dividing by the same mass gives newtons per metre.
        """
        surfaces, model = self.scenario.surfaces, self.model
        radius = largest_rounding(surfaces[contact.b].read(self.scenario.directory)[0])
        stiffness, damping = linear_contact(contact.layer.to_layer(), radius, REFERENCE_FORCE)
        bodies = [model.body(surfaces[side].body).weldid[0] for side in (contact.a, contact.b)]
        per_mass = sum(model.body_invweight0[body, 0] for body in bodies)
        for g in range(model.ngeom):
            if model.geom(g).name.rpartition(".")[0] == contact.b:
                model.geom_solref[g] = -stiffness * per_mass, -damping * per_mass
                model.geom_solimp[g, :2] = IMPEDANCE
                model.geom_friction[g, 0] = contact.friction.coefficient


def cavity_wedges(profile: Profile, count: int, chord: float) -> Iterator[Floats]:
    """Yield corners [m], shape (n, 3), of convex wedges behind a surface, `count` around every line segment."""
    h = math.pi / count
    for (z0, r0), (z1, r1) in itertools.pairwise(polyline(profile, chord)):
        length = math.hypot(z1 - z0, r1 - r0)
        dz, dr = THICKNESS * (r1 - r0) / length, -THICKNESS * (z1 - z0) / length
        section = [(z0, r0), (z1, r1), (z1 + dz, r1 + dr), (z0 + dz, r0 + dr)]
        # One disc, because wedges that meet in a point would all be in contact at once.
        if min(r0, r1) == 0.0:
            yield _revolve_section(section, [(2 * k + 1) * h for k in range(count)], h)
            continue
        for k in range(count):
            yield _revolve_section(section, [(2 * k - 1) * h, (2 * k + 1) * h], h)


def hulls(profile: Profile, count: int, chord: float) -> Iterator[Floats]:
    """Yield corners [m], shape (n, 3), of the convex parts of a solid, split at concave points of its outline."""
    points = polyline(profile, chord)
    h = math.pi / count
    angles = [(2 * k + 1) * h for k in range(count)]
    start = 0
    for k in range(1, len(points)):
        if k == len(points) - 1 or _sine_of_turn(*points[k - 1 : k + 2]) > 1e-9:
            yield _revolve_section(points[start : k + 1], angles, h)
            start = k


def capsule(profile: Profile) -> tuple[float, float, float] | None:
    """Return radius and both centres [m] of a capsule for a pin with a hemispherical front; None for others.

    The back of the capsule is round too, which is correct because only the front of such a pin comes into contact.
    """
    front = profile.segments[-1]
    widest = max(max(s.start[1], s.end[1]) for s in profile.segments)
    if not isinstance(front, Arc) or abs(front.centre[1]) > 1e-6 or abs(front.radius - widest) > 1e-6:
        return None
    return front.radius, profile.segments[0].start[0] + front.radius, front.centre[0]


def polyline(profile: Profile, chord: float) -> list[Point]:
    """Return the meridian as a polyline within `chord` [m] of it."""
    points = [profile.segments[0].start]
    for segment in profile.segments:
        pieces = 1
        if isinstance(segment, Arc):
            turn = 2.0 * math.acos(1.0 - min(chord / segment.radius, 1.0))
            pieces = math.ceil(abs(segment.sweep) / turn)
        points += [segment.point((k + 1) / pieces) for k in range(pieces)]
    return [(z, r if r > 1e-9 else 0.0) for z, r in points]


def linear_contact(layer: ElasticLayer, radius: float, force: float) -> tuple[float, float]:
    """Return stiffness [N/m] and damping [N s/m] of a ball on a flat layer at a force [N].

    Depths under a ball are uniformly distributed from 0 to the largest: F = pi c R s^2, and the damping is the mean
    over its ramp.
    """
    depth = math.sqrt(force / (math.pi * layer.areal_stiffness * radius))
    ramp = layer.damping_depth
    fraction = depth / (2.0 * ramp) if depth < ramp else 1.0 - ramp / (2.0 * depth)
    return force / depth, math.tau * radius * depth * fraction * layer.damping


def largest_rounding(profile: Profile) -> float:
    """Return the largest radius of the convex arcs of a solid [m]."""
    return max(s.radius for s in profile.segments if isinstance(s, Arc) and not s.counterclockwise)


def _sine_of_turn(a: Point, b: Point, c: Point) -> float:
    """Return the sine of the change of direction of a path at b, positive to the left."""
    u, v = (b[0] - a[0], b[1] - a[1]), (c[0] - b[0], c[1] - b[1])
    return (u[0] * v[1] - u[1] * v[0]) / (math.hypot(*u) * math.hypot(*v))


def _revolve_section(section: list[Point], angles: list[float], h: float) -> Floats:
    """Return the corners of a section at several azimuths [rad], 2 h apart; polygons have the circle's mean radius."""
    wider = h / (math.cos(h) * math.log(1.0 / math.cos(h) + math.tan(h)))
    corners = [(wider * r * math.cos(a), wider * r * math.sin(a), z) for a in angles for z, r in section]
    return np.array(corners)
