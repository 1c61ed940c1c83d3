"""Checks of driven joints at the start of a run: position within the stops, speed within the rate of the drive."""

import math

from softdock.elements.drive.model import Drive
from softdock.elements.stop.model import Stop
from softdock.model.system import System
from softdock.quantities.model import FieldError, Findings
from softdock.tree.joints import Joint

ROUNDING = 1e-9
"""Relative difference that counts as equal: the same length in other units differs by rounding."""


def check_drive_limits(system: System, findings: Findings) -> None:
    """Collect the errors of limits that a driven joint exceeds at the start."""
    if findings.errors:  # joints and axes must be valid
        return
    drives, stops = system.elements_of(Drive), system.elements_of(Stop)
    for name, drive in drives.items():
        findings.of(_check_rate, system, f"drives.{name}.rate", drive)
    for name, stop in stops.items():
        if any(same_axis(drive, stop) for drive in drives.values()):
            findings.of(_check_stop, system, f"stops.{name}", stop)


def same_axis(drive: Drive, stop: Stop) -> bool:
    """Return whether drive and stop act on the same axis of the same joint; a stop with a `limit` acts on all."""
    return drive.joint == stop.joint and (stop.limit is not None or (drive.axis or 0) == (stop.axis or 0))


def stop_limits(stop: Stop) -> list[tuple[str, float, float]]:
    """Return field, position and side (-1: below it, 1: above it) of the limits that a stop has."""
    upper, lower = ("upper", stop.upper, 1.0), ("lower", stop.lower, -1.0)
    if stop.limit is not None:
        upper, lower = ("limit", stop.limit, 1.0), ("limit", -stop.limit, -1.0)
    return [(field, limit, beyond) for field, limit, beyond in (lower, upper) if limit is not None]


def _check_rate(system: System, field: str, drive: Drive) -> None:
    """Raise FieldError for a powered drive whose joint starts faster than its command may move."""
    if drive.rate is None or drive.follows != "position" or not drive.active:
        return
    speed = abs(_start(system.bodies[drive.joint].joint, drive.axis or 0)[1])
    if exceeds(speed, drive.rate):
        raise FieldError(
            field, f"lies below {speed:g} (SI), the speed with which the joint of {drive.joint!r} starts"
        )


def _check_stop(system: System, field: str, stop: Stop) -> None:
    """Raise FieldError for an active stop that is pressed in at the start."""
    if not stop.active:
        return
    joint = system.bodies[stop.joint].joint
    position = _start(joint, stop.axis or 0)[0]
    if stop.limit is not None and stop.axis is None and len(joint.motions) > 1:
        position = math.hypot(*(axis.position for axis in joint.axes_at_start()))  # it holds in any direction
    for key, limit, beyond in stop_limits(stop):
        if exceeds(beyond * position, beyond * limit):
            side = "below" if beyond > 0.0 else "above"
            message = (
                f"lies {side} {position:g} (SI), the position at which the joint of {stop.joint!r} starts"
            )
            raise FieldError(f"{field}.{key}", message)


def exceeds(value: float, limit: float) -> bool:
    """Return whether a value is above a limit by more than the rounding of units."""
    return value - limit > ROUNDING * max(abs(value), abs(limit))


def _start(joint: Joint, axis: int) -> tuple[float, float]:
    """Return position and speed of an axis of a joint at the start [m, m/s or rad, rad/s]."""
    axes = joint.axes_at_start()
    return (
        (axes[axis].position, axes[axis].speed) if axes else (0.0, 0.0)
    )  # no drive acts on a spherical joint
