"""Kernels of drives, one module per concern; names that `elements.kernels.dispatch` and the declaration use.

In all of them `drive` is the LAW of a drive, `state` its STATE; a self-locking drive has the delay of its profile in
the state of the system.
"""

from softdock.elements.drive.kernels.commands import (
    next_break,
    set_target,
    set_tolerance,
    start_drive,
    switch_off,
    switch_on,
    value,
)
from softdock.elements.drive.kernels.forces import apply
from softdock.elements.drive.kernels.records import LAW, STATE, DriveValue, Follows
from softdock.elements.drive.kernels.states import (
    branch,
    branch_at,
    depth,
    friction_axes,
    has_branches,
    hold,
    one_sided,
    set_branch,
)
from softdock.elements.drive.kernels.tangents import add_tangents, error_gains

__all__ = [
    "LAW",
    "STATE",
    "DriveValue",
    "Follows",
    "add_tangents",
    "apply",
    "branch",
    "branch_at",
    "depth",
    "error_gains",
    "friction_axes",
    "has_branches",
    "hold",
    "next_break",
    "one_sided",
    "set_branch",
    "set_target",
    "set_tolerance",
    "start_drive",
    "switch_off",
    "switch_on",
    "value",
]
