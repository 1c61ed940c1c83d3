"""Flexible structures of beams and rigid parts: modes, static deflection, impulsive docking."""

from softdock.flexible.brought import brought_modes, read_modes
from softdock.flexible.held import Deflection, deflect
from softdock.flexible.mesh import MassProperties, Mesh, mesh, rigid_inertia
from softdock.flexible.modes import BaseModes, FreeModes, base_modes, free_modes
from softdock.flexible.nastran import read_nastran
from softdock.flexible.ringing import Ringing, ring
from softdock.flexible.structure import Beam, RigidPart, Section, Structure
from softdock.flexible.truss import Bar, EquivalentBeam, TrussBay, equivalent_beam, square_bay
from softdock.flexible.weld import Weld, motion_about, weld

__all__ = [
    "Bar",
    "BaseModes",
    "Beam",
    "Deflection",
    "EquivalentBeam",
    "FreeModes",
    "MassProperties",
    "Mesh",
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
    "rigid_inertia",
    "ring",
    "square_bay",
    "weld",
]
