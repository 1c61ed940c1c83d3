"""Contact forces on parts of a surface, computed from the recorded motion on first access."""

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softdock.contact.pair import ContactPair, MotionState
from softdock.geometry.profile import nearest_segment
from softdock.model.observations import ZONE_FIELDS, Observation
from softdock.model.surfaces import Surface
from softdock.model.system import WORLD
from softdock.result import Channel
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import cross, matrix_from_quaternion

Array = NDArray[np.float64]
CENTRE, FORCES, AREA, PRESSURE = slice(0, 3), slice(3, 6), 9, 10  # columns of a table of touching cells


class ChannelsWithZones(Mapping[str, Channel]):
    """Recorded channels and the channels of the recorded parts of surfaces."""

    def __init__(
        self, recorded: Mapping[str, Channel], scenario: MultibodyScenario, zones: list[Observation]
    ) -> None:
        self._recorded, self._zones = recorded, {str(zone): zone for zone in zones}
        names = dict.fromkeys(zone.name.partition("/")[0] for zone in zones)
        self._contacts = {name: ZoneForces(recorded, scenario, name) for name in names}

    def __getitem__(self, name: str) -> Channel:
        if name not in self._zones:
            return self._recorded[name]
        zone = self._zones[name]
        contact, _, part = zone.name.partition("/")
        values = self._contacts[contact].of(part)[:, list(ZONE_FIELDS).index(zone.field)]
        return Channel(values=values, unit=ZONE_FIELDS[zone.field])

    def __iter__(self) -> Iterator[str]:
        yield from self._recorded
        yield from self._zones

    def __len__(self) -> int:
        return len(self._recorded) + len(self._zones)


class ZoneForces:
    """Contact forces between two surfaces at the recorded instants, by parts of surface a."""

    def __init__(self, recorded: Mapping[str, Channel], scenario: MultibodyScenario, contact: str) -> None:
        self._recorded, self._scenario, self._contact = recorded, scenario, contact
        self._known: dict[str, Array] = {}

    def of(self, part: str) -> Array:
        """Return the columns of `ZONE_FIELDS` for a zone or the number of a segment, one row per recorded instant."""
        if part not in self._known:
            profile, _ = self._surfaces[0].read(self._scenario.directory)
            out = np.zeros((len(self._cells), len(ZONE_FIELDS)))
            for row, cells in zip(out, self._cells):
                z, r = cells[:, 2], np.hypot(cells[:, 0], cells[:, 1])
                if part in self._surfaces[0].zones:
                    low, high = self._surfaces[0].zones[part]
                    own = cells[(z >= low) & (z < high)]
                else:
                    own = cells[nearest_segment(profile, z, r) == int(part) - 1] if len(cells) else cells
                force = own[:, FORCES].sum(axis=0)
                row[:] = (
                    np.linalg.norm(force),
                    own[:, AREA].sum(),
                    own[:, PRESSURE].max(initial=0.0),
                    *force,
                )
            self._known[part] = out
        return self._known[part]

    @cached_property
    def _surfaces(self) -> list[Surface]:
        contact = self._scenario.contacts[self._contact]
        return [self._scenario.surfaces[name] for name in (contact.a, contact.b)]

    @cached_property
    def _cells(self) -> list[Array]:
        """Touching cells of every recorded instant, in axes of surface a."""
        pushes = self._recorded[f"{self._contact}.force"].values > 0.0
        (profile_a, X_a), (profile_b, X_b) = (s.read(self._scenario.directory) for s in self._surfaces)
        pair: ContactPair = self._scenario.contacts[self._contact].to_pair(
            profile_a, profile_b, self._contact
        )
        bodies = [self._motion(s.body) for s in self._surfaces]
        nothing = np.zeros((0, 12))
        return [
            pair.cells(_state(bodies[0][i], X_a), _state(bodies[1][i], X_b)) if pushes[i] else nothing
            for i in range(len(pushes))
        ]

    def _motion(self, body: str) -> Array:
        """Return position, quaternion wxyz, velocity and angular velocity of a body in the world, shape (rows, 13)."""
        rows = len(self._recorded[f"{self._contact}.force"].values)
        if body == WORLD:
            return np.tile(np.array([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], float), (rows, 1))
        fields = ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
        return np.column_stack([self._recorded[f"{body}.{field}"].values for field in fields])


def _state(motion: Array, X_BS: Pose) -> MotionState:
    """Return the motion of a surface's frame S on a body B from the body's own."""
    R_NB = matrix_from_quaternion(motion[3:7])
    p_BS_N = R_NB @ X_BS.p
    return MotionState(
        r=motion[:3] + p_BS_N,
        v=motion[7:10] + cross(motion[10:13], p_BS_N),
        omega=motion[10:13],
        A=R_NB @ X_BS.R,
    )
