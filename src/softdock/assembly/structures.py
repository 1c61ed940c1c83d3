"""Records of flexible structures, plates and orbits for the kernels."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softdock.model.orbit import BodyPlate, SystemOrbit
from softdock.model.structures import Flexible
from softdock.orbit.kepler import J2, MU, RADIUS, ROTATION, SOLAR_PRESSURE, SUN_DISTANCE, SUN_RADIUS
from softdock.orbit.kernels import CONE, CYLINDER, NO_SHADOW
from softdock.orbit.relative import hill_axes
from softdock.spatial.inertia import (
    inertia_from_second_moments,
    inertia_numbers,
    symmetric_entries,
    transform_inertia,
)
from softdock.spatial.poses import Pose
from softdock.spatial.vectors import unit_vector
from softdock.tree.indices import FlexibleRecords
from softdock.tree.joints import pose_at
from softdock.tree.kernels.appendages import APPENDAGE, MODE, NODE
from softdock.tree.kernels.orbit import ORBIT, PLATE
from softdock.tree.kernels.tree import records

if TYPE_CHECKING:
    from softdock.flexible.modes import BaseModes

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Attached:
    """A flexible structure on a link."""

    name: str
    flexible: Flexible
    modes: "BaseModes"
    link: int
    X_LB: Pose
    """Its body in the link."""

    @property
    def X_LS(self) -> Pose:
        """The structure, at its base node, in the link."""
        f = self.flexible
        return self.X_LB @ pose_at(f.at, f.attitude)

    def own(self) -> Floats:
        """Return mass, mass times centre and inertia about the link's origin in link axes, shape (10,)."""
        return transform_inertia(self.X_LS, inertia_numbers(self.modes.inertia))

    def coefficients(self) -> Floats:
        """Return the effect of each mode on its link, shape (modes, 15): momentum, change of inertia; Eq. (F40)."""
        X, L = self.X_LS, self.modes.participation
        sliding = X.R @ L[3:]
        turning = X.R @ L[:3] + np.cross(X.p, sliding.T).T
        moment = X.R @ self.modes.moment @ X.R.T + np.einsum("ik,j->kij", sliding, X.p)
        change = np.array([symmetric_entries(inertia_from_second_moments(D + D.T)) for D in moment]).reshape(
            -1, 6
        )
        return np.concatenate([turning.T, sliding.T, sliding.T, change], axis=1)

    def shapes(self) -> Floats:
        """Return rotation and displacement of all nodes per mode in link axes, shape (nodes, modes, 6)."""
        shapes, R = self.modes.shapes, self.X_LS.R
        turned = np.concatenate([R @ shapes[:, :3], R @ shapes[:, 3:]], axis=1)
        return np.asarray(turned.transpose(0, 2, 1))

    def scales(self) -> Floats:
        """Return the largest modal coordinates with motions of at most 1 m and 1 rad, shape (modes,)."""
        reach = np.linalg.norm(self.modes.shapes[:, 3:], axis=1).max(axis=0, initial=0.0)
        turn = np.linalg.norm(self.modes.shapes[:, :3], axis=1).max(axis=0, initial=0.0)
        largest = np.maximum(reach, turn)
        return np.asarray(1.0 / np.where(largest > 0.0, largest, 1.0))


def modal_scales(attached: list[Attached]) -> Floats:
    """Return the scales of the modal coordinates of all structures."""
    return np.concatenate([np.zeros(0), *(appendage.scales() for appendage in attached)])


def flexible_records(attached: list[Attached], at_q: int, at_u: int) -> FlexibleRecords:
    """Return the records of structures; `at_q` and `at_u` are the indices of their first modal states."""
    counts = [a.modes.frequency.size for a in attached]
    appendages, modes = records(len(attached), APPENDAGE), records(sum(counts), MODE)
    nodes = records(sum(len(a.modes.names) for a in attached), NODE)
    shapes: list[Floats] = [np.zeros((0, 6))]
    index: dict[str, int] = {}
    first = row = 0
    for i, a in enumerate(attached):
        record, count = appendages[i], counts[i]
        record.link, record.first, record.count = a.link, first, count
        record.at_q, record.at_u = at_q + first, at_u + first
        c = a.coefficients()
        record.LL[:] = c[:, :6].T @ c[:, :6]
        omega = 2.0 * np.pi * a.modes.frequency
        mine = slice(first, first + count)
        modes.c[mine], modes.stiffness[mine] = c, omega**2
        modes.damping[mine] = 2.0 * np.asarray(a.flexible.damping, float) * omega
        places = a.X_LS.points(a.modes.positions)
        for name, p in zip(a.modes.names, places):
            node = nodes[len(index)]
            node.appendage, node.link, node.shapes, node.p[:] = i, a.link, row, p
            node.R_BL[:] = a.X_LB.R.T.ravel()
            index[f"{a.name}/{name}"] = len(index)
            row += count
        shapes.append(a.shapes().reshape(-1, 6))
        first += count
    return FlexibleRecords(
        appendages=appendages,
        modes=modes,
        nodes=nodes,
        shapes=np.ascontiguousarray(np.concatenate(shapes)),
        node_index=index,
        structure_index={a.name: i for i, a in enumerate(attached)},
    )


def orbit_record(system_orbit: SystemOrbit | None, hill: int) -> np.recarray:
    """Return the orbit for the kernels, none for free space; `hill` is the index of the link of the Hill frame."""
    if system_orbit is None:
        return records(0, ORBIT)
    out = records(1, ORBIT)
    o = out[0]
    e, anomaly = system_orbit.eccentricity, system_orbit.anomaly
    E0 = math.atan2(math.sqrt(1.0 - e * e) * math.sin(anomaly), e + math.cos(anomaly))
    o.mu, o.a, o.e, o.n = MU, system_orbit.semi_major_axis, e, system_orbit.mean_motion
    o.M0 = E0 - e * math.sin(E0)
    R_HI = hill_axes(*system_orbit.state())[0].T  # inertial axes to those of the world
    axes = system_orbit.axes()
    o.P[:], o.Q[:], o.pole[:] = R_HI @ axes[:, 0], R_HI @ axes[:, 1], R_HI[:, 2]
    o.oblateness = 1.5 * J2 * MU * RADIUS**2 if system_orbit.j2 else 0.0
    o.hill = hill
    o.density, o.rotation = system_orbit.density, ROTATION
    if system_orbit.sun is not None:
        o.sun[:] = unit_vector(system_orbit.sun)
        o.pressure = SOLAR_PRESSURE
        o.shadow = {"none": NO_SHADOW, "cylindrical": CYLINDER, "conical": CONE}[system_orbit.eclipse]
        o.earth_radius, o.sun_angle = RADIUS, math.asin(SUN_RADIUS / SUN_DISTANCE)
    return out


def plate_records(plates: list[tuple[int, Pose, BodyPlate]]) -> np.recarray:
    """Return plates for the kernels; each is given with its link and the pose of its body in the link."""
    out = records(len(plates), PLATE)
    for record, (link, X_LB, plate) in zip(out, plates):
        record.link, record.area = link, plate.area
        record.normal[:] = X_LB.vector(unit_vector(plate.normal))
        record.p[:] = X_LB.point(np.asarray(plate.centre))
        record.drag, record.specular, record.diffuse = plate.drag_coefficient, plate.specular, plate.diffuse
    return out
