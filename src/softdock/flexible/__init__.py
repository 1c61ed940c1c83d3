"""Flexible structures of beams and rigid parts: modes, static deflection, impulsive docking.

Modules are imported on first access, because computing modes imports SciPy.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softdock.flexible.clamped_structure import Deflection, deflect
    from softdock.flexible.free_vibration import FreeVibration, propagate_free_vibration
    from softdock.flexible.imported_modes import modes_from_arrays, read_modes
    from softdock.flexible.meshing import StructureMassProperties, StructureMesh, mesh
    from softdock.flexible.modes import BaseModes, FreeModes, base_modes, free_modes
    from softdock.flexible.nastran import read_nastran
    from softdock.flexible.structure import Beam, Panel, RigidPart, Section, Structure
    from softdock.flexible.truss import Bar, EquivalentBeam, TrussBay, equivalent_beam, square_bay
    from softdock.flexible.welding import WeldImpulse, motion_about, weld

__all__ = [
    "Bar",
    "BaseModes",
    "Beam",
    "Deflection",
    "EquivalentBeam",
    "FreeModes",
    "FreeVibration",
    "Panel",
    "RigidPart",
    "Section",
    "Structure",
    "StructureMassProperties",
    "StructureMesh",
    "TrussBay",
    "WeldImpulse",
    "base_modes",
    "deflect",
    "equivalent_beam",
    "free_modes",
    "mesh",
    "modes_from_arrays",
    "motion_about",
    "propagate_free_vibration",
    "read_modes",
    "read_nastran",
    "square_bay",
    "weld",
]

_MODULES = {
    "Bar": "softdock.flexible.truss",
    "BaseModes": "softdock.flexible.modes",
    "Beam": "softdock.flexible.structure",
    "Deflection": "softdock.flexible.clamped_structure",
    "EquivalentBeam": "softdock.flexible.truss",
    "FreeModes": "softdock.flexible.modes",
    "StructureMassProperties": "softdock.flexible.meshing",
    "StructureMesh": "softdock.flexible.meshing",
    "Panel": "softdock.flexible.structure",
    "RigidPart": "softdock.flexible.structure",
    "FreeVibration": "softdock.flexible.free_vibration",
    "Section": "softdock.flexible.structure",
    "Structure": "softdock.flexible.structure",
    "TrussBay": "softdock.flexible.truss",
    "WeldImpulse": "softdock.flexible.welding",
    "base_modes": "softdock.flexible.modes",
    "modes_from_arrays": "softdock.flexible.imported_modes",
    "deflect": "softdock.flexible.clamped_structure",
    "equivalent_beam": "softdock.flexible.truss",
    "free_modes": "softdock.flexible.modes",
    "mesh": "softdock.flexible.meshing",
    "motion_about": "softdock.flexible.welding",
    "read_modes": "softdock.flexible.imported_modes",
    "read_nastran": "softdock.flexible.nastran",
    "propagate_free_vibration": "softdock.flexible.free_vibration",
    "square_bay": "softdock.flexible.truss",
    "weld": "softdock.flexible.welding",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
