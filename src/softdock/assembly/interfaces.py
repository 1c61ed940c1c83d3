"""Records of interfaces of pins and holes for the kernels."""

from collections.abc import Iterable

import numpy as np

from softdock.assembly.arrays import Assembly
from softdock.contact.pins import shape_record
from softdock.dynamics.kernels.forces.interfaces import INTERFACE, PIN
from softdock.errors import InputError, Problem
from softdock.model.system import System
from softdock.tree.kernels.tree import records

MAX_OVERLAP = 1e-3  # [m]; pins may start with a small depth, but not inside a wall


def interface_records(system: System, assembly: Assembly) -> tuple[np.recarray, np.recarray]:
    """Return one record for every interface, and one for every pin of all of them."""
    faces = records(len(system.interfaces), INTERFACE)
    places = [interface.hole_and_pin_positions() for interface in system.interfaces.values()]
    pins = records(sum(len(holes) for holes, _ in places), PIN)
    first = 0
    for face, interface, (holes, caps) in zip(faces, system.interfaces.values(), places):
        X_pins = interface.pins.pose() @ interface.misalignment.pose()
        for side, frame, X_BF in (
            ("a", interface.holes, interface.holes.pose()),
            ("b", interface.pins, X_pins),
        ):
            placed = assembly.placed[frame.body]
            X_LF = placed.X_LB @ X_BF
            face[side] = placed.link
            face[f"R_{side}{side.upper()}"] = X_LF.R.ravel()
            face[f"p_{side}{side.upper()}"] = X_LF.p
        face.active, face.first, face.count = int(interface.active), first, len(holes)
        face.pins_and_holes = shape_record(interface.to_pair())
        face.reach = max(np.linalg.norm(caps, axis=1).max(), np.linalg.norm(holes, axis=1).max())
        pins.p_AH[first : first + len(holes)] = holes
        pins.p_BP[first : first + len(holes)] = caps
        first += len(holes)
    return faces, pins


def refuse_overlapping_pins(system: System, depths: Iterable[float]) -> None:
    """Raise `InputError` where pins are too deep [m] in the material around their holes at the start."""
    problems = [
        Problem(
            field=f"interfaces.{name}",
            message=f"A pin is {depth * 1e3:.3g} mm inside the material at the start; "
            f"at most {MAX_OVERLAP * 1e3:g} mm is allowed.",
            hint="Move the bodies apart, or widen the holes.",
        )
        for name, depth in zip(system.interfaces, depths)
        if depth > MAX_OVERLAP
    ]
    if problems:
        raise InputError(*problems)
