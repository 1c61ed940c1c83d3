"""User-facing models of structures: beams, panels and rigid parts between nodes; readable from scenario files."""

import itertools
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, StringConstraints, model_validator

from softdock.errors import no_such
from softdock.quantities.fields import Inertia, Integer, Length, Mass, Number, Quantity, Vector3
from softdock.quantities.model import FieldError, Model

Floats = NDArray[np.float64]
NodeName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
"""Letters, digits, - and _, starting with a letter."""
AxialStiffness = Annotated[float, Quantity("N", ge=0)]
BendingStiffness = Annotated[float, Quantity("N*m^2", ge=0)]
ShearStiffness = Annotated[float, Quantity("N", gt=0)]
MassPerLength = Annotated[float, Quantity("kg/m", ge=0)]
InertiaPerLength = Annotated[float, Quantity("kg*m", ge=0)]

SAME_LENGTH = 1e-9
"""Beams shorter than this fraction of the structure's size have no length within round-off of the coordinates."""

LARGEST_COORDINATE = 1e6
"""Largest distance of a node from the origin along an axis [m]; the largest structures in orbit are below 1 km."""


class Section(Model):
    """Stiffness and mass of a beam per length, about its own axes: x along it, y and z across."""

    axial: AxialStiffness
    """EA."""
    bending_y: BendingStiffness
    """EI about y: resists deflection along z."""
    bending_z: BendingStiffness
    """EI about z: resists deflection along y."""
    torsion: BendingStiffness
    """GJ."""
    shear_y: ShearStiffness | None = None
    """G A_s for deflection along y (Timoshenko); omit for a beam without shear deformation (Euler-Bernoulli)."""
    shear_z: ShearStiffness | None = None
    """G A_s for deflection along z; omit for a beam without shear deformation."""
    mass_per_length: MassPerLength
    """Mass per length."""
    rotary_y: InertiaPerLength = 0.0
    """Mass moment of inertia per length about y."""
    rotary_z: InertiaPerLength = 0.0
    """Mass moment of inertia per length about z."""
    polar: InertiaPerLength = 0.0
    """Mass moment of inertia per length about x, for torsion."""

    @property
    def is_directional(self) -> bool:
        """Whether the section's properties differ between y and z."""
        pairs = (
            (self.bending_y, self.bending_z),
            (self.shear_y, self.shear_z),
            (self.rotary_y, self.rotary_z),
        )
        return any(y != z for y, z in pairs)


class Beam(Model):
    """A straight uniform beam between two nodes, divided into equal elements."""

    nodes: tuple[NodeName, NodeName]
    """Names of the nodes at its start and end."""
    section: str
    """Name of its section."""
    elements: Annotated[Integer, Field(ge=1, le=100_000)] = 1
    """Number of equal finite elements along the beam; nodes between them are `NAME.1`, `NAME.2` ..."""
    side: Vector3[Number] | None = None
    """Direction that, with the beam, spans its x-y plane; needed where y and z of the section differ."""
    start_offset: Vector3[Length] = (0.0, 0.0, 0.0)
    """Rigid offset from the first node to the start of the beam."""
    end_offset: Vector3[Length] = (0.0, 0.0, 0.0)
    """Rigid offset from the second node to the end of the beam."""


class Panel(Model):
    """A thin flat panel, such as a solar array, modelled as a uniform beam of the same width."""

    nodes: tuple[NodeName, NodeName]
    """Names of the nodes in the middle of its first and last edge."""
    side: Vector3[Number]
    """Direction of its width."""
    width: Annotated[float, Quantity("m", gt=0)]
    """Width of the panel."""
    mass: Annotated[float, Quantity("kg", gt=0)]
    """Mass of the whole panel."""
    bending: BendingStiffness
    """EI for deflection out of its plane."""
    in_plane: BendingStiffness
    """EI for deflection in its plane."""
    torsion: BendingStiffness
    """GJ."""
    axial: AxialStiffness
    """EA."""
    elements: Annotated[Integer, Field(ge=1, le=100_000)] = 8
    """Number of equal finite elements along the panel."""

    def section(self, length: float) -> Section:
        """Return the section of the equivalent beam of a panel of this length [m]."""
        inertia_per_length = self.mass / length * self.width**2 / 12.0
        return Section(
            axial=self.axial,
            bending_y=self.bending,
            bending_z=self.in_plane,
            torsion=self.torsion,
            mass_per_length=self.mass / length,
            rotary_z=inertia_per_length,
            polar=inertia_per_length,
        )


class RigidPart(Model):
    """A rigid body fixed to a node; a lumped mass if only `mass` is given."""

    node: NodeName
    """Node to which the part is fixed."""
    mass: Mass
    """Mass of the part."""
    centre_of_mass: Vector3[Length] = (0.0, 0.0, 0.0)
    """Position relative to the node."""
    inertia: tuple[Vector3[Inertia], Vector3[Inertia], Vector3[Inertia]] | Vector3[Inertia] = (0.0, 0.0, 0.0)
    """About the centre of mass: three moments, or the full symmetric matrix by rows."""

    def inertia_matrix(self) -> Floats:
        """Return the inertia about the centre of mass [kg m2]."""
        given = np.asarray(self.inertia, float)
        return given if given.ndim == 2 else np.diag(given)

    @model_validator(mode="after")
    def _check_inertia(self) -> Self:
        J = self.inertia_matrix()
        slack = 1e-9 * max(float(np.abs(J).max()), 1e-300)  # tolerance for rounded inertias
        if np.abs(J - J.T).max() > slack:
            raise FieldError("inertia", "must be a symmetric matrix")
        low, middle, high = np.linalg.eigvalsh(J)
        if low < -slack or high > low + middle + slack:
            raise FieldError(
                "inertia",
                f"is impossible: principal moments {low:.6g}, {middle:.6g} and {high:.6g} kg m^2 (none may be "
                "negative, none larger than the sum of the others)",
            )
        if self.mass == 0.0 and high > slack:
            raise FieldError("mass", "must be above 0 kg for a part that has inertia")
        return self


class Structure(Model):
    """Beams, panels and rigid parts connected at nodes; all positions and axes in one frame."""

    nodes: dict[NodeName, Vector3[Length]]
    """Position of each node."""
    sections: dict[NodeName, Section] = {}
    """Sections of beams, by name."""
    beams: dict[NodeName, Beam] = {}
    """Beams, by name."""
    panels: dict[NodeName, Panel] = {}
    """Thin flat panels, by name."""
    parts: dict[NodeName, RigidPart] = {}
    """Rigid parts on nodes, by name."""

    def all_beams(self) -> dict[str, Beam]:
        """Return all beams, including panels as equivalent beams, whose sections have the names of the panels."""
        panel_beams = {
            name: Beam(nodes=panel.nodes, section=name, elements=panel.elements, side=panel.side)
            for name, panel in self.panels.items()
        }
        return {**self.beams, **panel_beams}

    def section_of(self, beam: Beam) -> Section:
        """Return the section of a beam or panel."""
        panel = self.panels.get(beam.section)
        if panel is None:
            return self.sections[beam.section]
        start, end = self.ends(beam)
        return panel.section(float(np.linalg.norm(end - start)))

    def ends(self, beam: Beam) -> tuple[Floats, Floats]:
        """Return start and end point of a beam, including offsets [m]."""
        start, end = (np.array(self.nodes[name]) for name in beam.nodes)
        return start + beam.start_offset, end + beam.end_offset

    @model_validator(mode="after")
    def _check_topology(self) -> Self:
        if not self.nodes:
            raise FieldError("nodes", "must name at least one node")
        for name, position in self.nodes.items():
            if max(map(abs, position)) > LARGEST_COORDINATE:
                raise FieldError(
                    f"nodes.{name}", f"must have coordinates of at most {LARGEST_COORDINATE:g} m"
                )
        size = float(np.ptp(np.array(list(self.nodes.values())), axis=0).max())
        for name, beam in self.beams.items():
            self._check_beam(f"beams.{name}", beam, size)
        beams = self.all_beams()
        for name in self.panels:
            if name in self.beams or name in self.sections:
                raise FieldError(f"panels.{name}", f'the name "{name}" is already used: names must be unique')
            self._check_beam(f"panels.{name}", beams[name], size)
        for name, part in self.parts.items():
            if part.node not in self.nodes:
                raise FieldError(f"parts.{name}.node", no_such("node", part.node, self.nodes))
        unconnected = self._unconnected_nodes()
        if unconnected:
            raise FieldError(
                "beams",
                f"do not connect the structure: no chain of beams leads from node "
                f'"{next(iter(self.nodes))}" to {_listed(unconnected)}',
            )
        return self

    def _check_beam(self, field: str, beam: Beam, size: float) -> None:
        for i, node in enumerate(beam.nodes):
            if node not in self.nodes:
                raise FieldError(f"{field}.nodes.{i}", no_such("node", node, self.nodes))
        if beam.section not in (*self.sections, *self.panels):
            raise FieldError(f"{field}.section", no_such("section", beam.section, self.sections))
        start, end = self.ends(beam)
        along = end - start
        length = float(np.linalg.norm(along))
        if length <= SAME_LENGTH * size or length == 0.0:
            raise FieldError(f"{field}.nodes", "coincide: a beam needs a length")
        if beam.side is None:
            if self.section_of(beam).is_directional:
                raise FieldError(
                    f"{field}.side",
                    f'is needed: section "{beam.section}" has different properties along y and z',
                )
            return
        side = np.array(beam.side)
        across = float(np.linalg.norm(np.cross(along, side)))
        if across <= 1e-6 * length * float(np.linalg.norm(side)):
            raise FieldError(f"{field}.side", "must not be zero nor point along the beam")

    def _unconnected_nodes(self) -> list[str]:
        """Return the nodes that no chain of beams connects to the first node."""
        neighbours: dict[str, set[str]] = {name: set() for name in self.nodes}
        for a, b in (beam.nodes for beam in self.all_beams().values()):
            neighbours[a].add(b)
            neighbours[b].add(a)
        first = next(iter(self.nodes))
        reached, front = {first}, {first}
        while front:
            front = set(itertools.chain.from_iterable(neighbours[name] for name in front)) - reached
            reached |= front
        return [name for name in self.nodes if name not in reached]


def _listed(names: list[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
