"""Records of springs, stops, drives, struts, welds, locks, couplings and loads for the kernels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.forces import elements as e
from softdock.dynamics.kernels.forces.drives import start_drive
from softdock.dynamics.kernels.forces.motion_profiles import RAMP, S_CURVE, TRAPEZOIDAL, UNLIMITED, rest_at
from softdock.dynamics.system_arrays import FlexibleRecords, JointIndices
from softdock.model.couplings import Coupling
from softdock.model.elements import Drive, JointElement, Load, Lock, Spring, Stop, Strut, Weld
from softdock.model.frames import Anchor
from softdock.model.system import System
from softdock.spatial.poses import Pose
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]
Element = Spring | Stop | Drive | Strut | Weld | Lock | Coupling | Load
PROFILES = {"ramp": RAMP, "trapezoidal": TRAPEZOIDAL, "s-curve": S_CURVE}


@dataclass(frozen=True, kw_only=True)
class BodyPlacement:
    """Link of a body and the pose of the body in it."""

    link: int
    X_LB: Pose
    """Body frame in its link."""


@dataclass(frozen=True, kw_only=True)
class ElementWriter:
    """Writer of element records; looks up bodies, joints, initial positions and nodes."""

    placed: Mapping[str, BodyPlacement]
    joints: Mapping[str, JointIndices]
    q: Sequence[float] | Floats
    """Initial positions of joints [m or rad] and free bodies."""
    u: Sequence[float] | Floats
    """Initial speeds of joints [m/s or rad/s] and free bodies."""
    flexible: FlexibleRecords
    delays: Mapping[str, int]
    """Index in the state of the delay of every self-locking drive."""

    def elements(self, system: System) -> tuple[np.recarray, dict[str, int], Floats, Floats]:
        """Return the records of all elements, their indices by name, the tables of loads and their times."""
        named = list(system.elements().items())
        records = k.records(len(named), e.ELEMENT)
        rows: list[tuple[float, float]] = []
        for i, (name, element) in enumerate(named):
            if isinstance(element, Load):
                self._write_load(records[i], element, rows)
            else:
                self.write(records[i], name, element)
        tables = np.array(rows, float).reshape(-1, 2)
        breaks = np.array(sorted({time for time, _ in rows if math.isfinite(time)}), float)
        return records, {name: i for i, (name, _) in enumerate(named)}, tables, breaks

    def write(
        self, record: np.record, name: str, element: Spring | Stop | Drive | Strut | Weld | Lock | Coupling
    ) -> None:
        """Fill the empty record of an element."""
        _write_defaults(record, element)
        if isinstance(element, JointElement):
            self._write_joint_element(record, element)
            record.at_delay = self.delays.get(name, -1)
        elif isinstance(element, Coupling):
            record.kind = e.COUPLING
            record.a = self._write_frame(record, "a", "F", element.socket)
            record.b = self._write_frame(record, "b", "G", element.plug)
            _write_coupling(record.coupling, element)
        else:
            self._write_connection(record, element)

    def _write_joint_element(self, record: np.record, element: Spring | Stop | Drive) -> None:
        place = self.joints[element.joint]
        axis = element.axis or 0
        record.at_q, record.at_u = place.at_q + axis, place.at_u + axis
        record.rows = place.rows if element.axis is None else 1
        record.ball = int(place.ball)
        if isinstance(element, Spring):
            record.kind = e.SPRING
            record.stiffness[0], record.damping[0] = element.stiffness, element.damping
            record.rest[0], record.preload = element.rest, element.preload
            record.friction, record.friction_speed = element.friction, element.friction_speed
            if element.exponential:
                record.law = e.EXPONENTIAL
                record.reference, record.exponent = (
                    element.exponential.reference,
                    element.exponential.exponent,
                )
        elif isinstance(element, Stop):
            record.kind = e.STOP
            record.stiffness[0], record.damping[0] = element.stiffness, element.damping
            record.lower = -UNLIMITED if element.lower is None else element.lower
            upper = element.limit if element.limit is not None else element.upper
            record.upper = UNLIMITED if upper is None else upper
        else:
            assert isinstance(element, Drive)
            self._write_drive(record, element)

    def _write_drive(self, record: np.record, drive: Drive) -> None:
        speed = drive.follows == "speed"
        record.kind = e.DRIVE_SPEED if speed else e.DRIVE_POSITION
        record.law = PROFILES[drive.profile]
        record.target = drive.target
        record.stiffness[0], record.damping[0] = drive.stiffness, drive.damping
        for key in ("rate", "acceleration", "jerk", "max_force", "max_power"):
            value = getattr(drive, key)
            record[key] = UNLIMITED if value is None else value
        record.backlash, record.viscous = drive.backlash, drive.viscous_friction
        record.friction, record.friction_speed = drive.friction, drive.friction_speed
        record.losses = 1.0 / drive.efficiency - 1.0
        record.stall_speed = drive.speed_of_stall
        record.speed_ratio = 1.0
        x, v = self.q[record.at_q], self.u[record.at_u]
        rest_at(record, 0.0, v if speed else x)
        if drive.active:
            record.active = 0  # as when an event switches it on
            start_drive(record, 0.0, np.empty(0), v if speed else x, 0.0 if drive.self_locking else v)

    def _write_load(self, record: np.record, load: Load, rows: list[tuple[float, float]]) -> None:
        _write_defaults(record, load)
        record.kind = e.LOAD
        record.wrench[:] = [*load.torque, *load.force]
        record.in_body = int(load.axes == "body")
        record.b = self._write_frame(record, "b", "G", Anchor(body=load.body, at=load.at))
        if load.node is not None:
            record.node = self.flexible.node_index[load.node]
            record.p_bG[:] = self.flexible.nodes[record.node].p
        record.table, steps = len(rows), load.steps()
        record.table_rows = len(steps)
        rows += steps

    def _write_connection(self, record: np.record, element: Strut | Weld | Lock) -> None:
        record.a = self._write_frame(record, "a", "F", element.a)
        record.b = self._write_frame(record, "b", "G", element.b)
        if isinstance(element, Strut):
            record.kind = e.STRUT
            record.stiffness[0], record.damping[0] = element.stiffness, element.damping
            record.rest[0], record.preload = element.length, element.preload
        elif isinstance(element, Lock):
            record.kind = e.LOCK
        else:
            record.kind = e.WELD
            record.stiffness[:] = [element.angular_stiffness] * 3 + [element.stiffness] * 3
            record.damping[:] = [element.angular_damping] * 3 + [element.damping] * 3

    def _write_frame(self, record: np.record, body: str, frame: str, anchor: Anchor) -> int:
        placed = self.placed[anchor.body]
        X = placed.X_LB @ anchor.pose()
        record[f"R_{body}{frame}"] = X.R.ravel()
        record[f"p_{body}{frame}"] = X.p
        return placed.link


def delay_indices(system: System, positions: int) -> dict[str, int]:
    """Return the indices in the state of the delays of self-locking drives: the last of the positions."""
    names = [name for name, drive in system.drives.items() if drive.self_locking]
    return {name: positions - len(names) + i for i, name in enumerate(names)}


def _write_defaults(record: np.record, element: Element) -> None:
    record.active = int(element.active)
    record.max_force = record.max_power = record.rate = record.upper = UNLIMITED
    record.lower, record.node, record.at_delay = -UNLIMITED, -1, -1


def _write_coupling(law: np.record, coupling: Coupling) -> None:
    law.stroke, law.lead_in, law.tolerance = coupling.stroke, coupling.lead_in, coupling.tolerance
    law.lateral_limit, law.angle_limit = coupling.limits.lateral, coupling.limits.angle
    law.capture_radius = coupling.effective_capture_radius
    law.stop_stiffness, law.stop_damping = coupling.end_stop.stiffness, coupling.end_stop.damping
    for key in ("stiffness", "preload", "start"):
        law[f"spring_{key}"] = getattr(coupling.spring, key)
    law.seal_end, law.seal_speed = UNLIMITED, 1.0
    if coupling.seal is not None:
        law.seal_friction, law.seal_start = coupling.seal.friction, coupling.seal.start
        law.seal_speed = coupling.seal.speed
        law.seal_end = UNLIMITED if coupling.seal.end is None else coupling.seal.end
    if coupling.latch is not None:
        law.latch_force, law.latch_width = coupling.latch.force, coupling.latch.width
    if coupling.guidance is not None:
        law.lateral_stiffness = coupling.guidance.stiffness
        law.angular_stiffness = coupling.guidance.angular_stiffness
        law.lateral_damping, law.angular_damping = (
            coupling.guidance.damping,
            coupling.guidance.angular_damping,
        )
