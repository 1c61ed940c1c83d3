"""Records of springs, stops, drives, struts, welds, locks and loads for the kernels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels import elements as e
from softdock.dynamics.kernels import tree as k
from softdock.dynamics.system_arrays import FlexibleRecords, JointIndices
from softdock.model.elements import Drive, JointElement, Load, Lock, Spring, Stop, Strut, Weld
from softdock.model.frames import Anchor
from softdock.model.system import System
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
Element = Spring | Stop | Drive | Strut | Weld | Lock | Load
UNLIMITED = e.UNLIMITED


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
    u: Sequence[float] | Floats
    flexible: FlexibleRecords

    def elements(self, system: System) -> tuple[np.recarray, dict[str, int], Floats, Floats]:
        """Return the records of all elements, their indices by name, the tables of loads and their times."""
        named = list(system.elements().items())
        records = k.records(len(named), e.ELEMENT)
        rows: list[tuple[float, float]] = []
        for i, (_, element) in enumerate(named):
            if isinstance(element, Load):
                self._write_load(records[i], element, rows)
            else:
                self.write(records[i], element)
        tables = np.array(rows, float).reshape(-1, 2)
        breaks = np.unique(tables[np.isfinite(tables[:, 0]), 0])
        return records, {name: i for i, (name, _) in enumerate(named)}, tables, breaks

    def write(self, record: np.record, element: Spring | Stop | Drive | Strut | Weld | Lock) -> None:
        """Fill the empty record of an element."""
        _write_defaults(record, element)
        if isinstance(element, JointElement):
            self._write_joint_element(record, element)
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
            speed = element.follows == "speed"
            record.kind = e.DRIVE_SPEED if speed else e.DRIVE_POSITION
            record.target = element.target
            record.stiffness[0], record.damping[0] = element.stiffness, element.damping
            record.x_on = self.u[record.at_u] if speed else self.q[record.at_q]
            for key in ("rate", "max_force", "max_power"):
                value = getattr(element, key)
                record[key] = UNLIMITED if value is None else value

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


def _write_defaults(record: np.record, element: Element) -> None:
    record.active = int(element.active)
    record.max_force = record.max_power = record.rate = record.upper = UNLIMITED
    record.lower, record.node = -UNLIMITED, -1
