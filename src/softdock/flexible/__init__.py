"""Flexible structures of beams and rigid parts: modes, static deflection, impulsive docking.

What computes modes brings SciPy; it is imported when first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softdock.flexible.brought import brought_modes, read_modes
    from softdock.flexible.held import Deflection, deflect
    from softdock.flexible.meshing import MassProperties, Mesh, mesh
    from softdock.flexible.modes import BaseModes, FreeModes, base_modes, free_modes
    from softdock.flexible.nastran import read_nastran
    from softdock.flexible.ringing import Ringing, ring
    from softdock.flexible.structure import Beam, Panel, RigidPart, Section, Structure
    from softdock.flexible.truss import Bar, EquivalentBeam, TrussBay, equivalent_beam, square_bay
    from softdock.flexible.welding import Weld, motion_about, weld

__all__ = [
    "Bar",
    "BaseModes",
    "Beam",
    "Deflection",
    "EquivalentBeam",
    "FreeModes",
    "MassProperties",
    "Mesh",
    "Panel",
    "RigidPart",
    "Ringing",
    "Section",
    "Structure",
    "TrussBay",
    "Weld",
    "base_modes",
    "brought_modes",
    "deflect",
    "equivalent_beam",
    "free_modes",
    "mesh",
    "motion_about",
    "read_modes",
    "read_nastran",
    "ring",
    "square_bay",
    "weld",
]

_HOMES = {
    "Bar": "softdock.flexible.truss",
    "BaseModes": "softdock.flexible.modes",
    "Beam": "softdock.flexible.structure",
    "Deflection": "softdock.flexible.held",
    "EquivalentBeam": "softdock.flexible.truss",
    "FreeModes": "softdock.flexible.modes",
    "MassProperties": "softdock.flexible.meshing",
    "Mesh": "softdock.flexible.meshing",
    "Panel": "softdock.flexible.structure",
    "RigidPart": "softdock.flexible.structure",
    "Ringing": "softdock.flexible.ringing",
    "Section": "softdock.flexible.structure",
    "Structure": "softdock.flexible.structure",
    "TrussBay": "softdock.flexible.truss",
    "Weld": "softdock.flexible.welding",
    "base_modes": "softdock.flexible.modes",
    "brought_modes": "softdock.flexible.brought",
    "deflect": "softdock.flexible.held",
    "equivalent_beam": "softdock.flexible.truss",
    "free_modes": "softdock.flexible.modes",
    "mesh": "softdock.flexible.meshing",
    "motion_about": "softdock.flexible.welding",
    "read_modes": "softdock.flexible.brought",
    "read_nastran": "softdock.flexible.nastran",
    "ring": "softdock.flexible.ringing",
    "square_bay": "softdock.flexible.truss",
    "weld": "softdock.flexible.welding",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
