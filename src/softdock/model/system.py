"""Models of a multibody system: bodies, and the system with its elements; the schema of scenario files."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, model_validator

from softdock.elements.declaration import ElementKind
from softdock.elements.joint_element import JointElement
from softdock.elements.registry import ELEMENT_KINDS, Name, kind_of, with_elements
from softdock.errors import no_such
from softdock.model.changed_members import ChangedMembers
from softdock.model.gnc import Controller
from softdock.model.interfaces import Interface
from softdock.model.member_kinds import MEMBER_GROUPS
from softdock.model.orbit import HILL, SystemOrbit
from softdock.model.structures import Flexible
from softdock.model.surfaces import Contact, Surface
from softdock.quantities.fields import (
    Acceleration,
    Inertia,
    Length,
    Mass,
    Measured,
    Vector3,
)
from softdock.quantities.model import FieldError, Findings, Model
from softdock.tree.frames import Anchor
from softdock.tree.joints import Fixed, Free, Joint, motions_along, quaternion

WORLD = "world"
M = TypeVar("M", bound=Model)


class FullInertia(Model):
    """All six moments of inertia about the centre of mass, in body axes.

    All elements are in kg m^2.

    >>> from softdock import FullInertia
    >>> FullInertia(xx=12, yy=10, zz=8, xy="-0.5 kg m^2")
    FullInertia(xx=12.0, yy=10.0, zz=8.0, xy=-0.5)
    """

    xx: Inertia
    """Moment of inertia about x."""
    yy: Inertia
    """Moment of inertia about y."""
    zz: Inertia
    """Moment of inertia about z."""
    xy: Inertia = 0.0
    """Element of the matrix (not the product of inertia with the opposite sign)."""
    xz: Inertia = 0.0
    """Element of the matrix."""
    yz: Inertia = 0.0
    """Element of the matrix."""


class Body(Model):
    """A rigid body and the joint that connects it to its parent.

    Mass in kg, moments of inertia in kg m^2, lengths in m.

    >>> from softdock import Body, Free
    >>> Body(mass="20 kg", inertia=(1.2, 1.2, 0.8), joint=Free(velocity=(0, 0, "30 mm/s")))
    Body(mass=20.0, inertia=(1.2, 1.2, 0.8), joint=Free(velocity=(0.0, 0.0, 0.03)))
    """

    mass: Mass = 0.0
    """Mass of the rigid body. A body without mass is a frame on its parent (with a `fixed` joint)."""
    centre_of_mass: Vector3[Length] = (0.0, 0.0, 0.0)
    """In body axes, from the body's origin."""
    inertia: Vector3[Inertia] | FullInertia = (0.0, 0.0, 0.0)
    """About the centre of mass, in body axes: three moments, or all six elements by name."""
    parent: str = WORLD
    """Name of the parent body; `world` for the inertial frame."""
    joint: Joint = Free()
    """Joint between the body and its parent, and its initial motion; `free` if left out."""

    def inertia_matrix(self) -> NDArray[np.float64]:
        """Return the inertia about the centre of mass [kg m2]."""
        i = self.inertia
        if isinstance(i, FullInertia):
            return np.array([[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]])
        return np.array([[i[0], 0.0, 0.0], [0.0, i[1], 0.0], [0.0, 0.0, i[2]]])

    @model_validator(mode="after")
    def _possible(self) -> Self:
        moments = sorted(
            np.linalg.eigvalsh(self.inertia_matrix()).tolist()
            if isinstance(self.inertia, FullInertia)
            else self.inertia
        )
        slack = 1e-9 * max(*map(abs, moments), 1e-300)
        if moments[0] < -slack:
            raise FieldError("inertia", f"has a negative principal moment ({moments[0]:.6g} kg m^2)")
        if moments[2] > moments[0] + moments[1] + slack:
            raise FieldError(
                "inertia",
                f"is impossible: the largest principal moment ({moments[2]:.6g} kg m^2) exceeds the sum of the "
                f"other two ({moments[0]:.6g} and {moments[1]:.6g})",
            )
        if self.mass == 0.0 and moments[2] > slack:
            raise FieldError("mass", "must be above 0 kg for a body that has inertia")
        if isinstance(self.joint, Free) and self.parent != WORLD:
            raise FieldError(
                "joint.type", "a free body has no parent: leave `parent` out, or choose another joint"
            )
        quaternion(self.joint.attitude)
        return self


class Bodies(Model):
    """Bodies of a multibody system."""

    bodies: dict[Name, Body] = Field(min_length=1)
    """Rigid bodies by name, each with the joint to its parent."""


if TYPE_CHECKING:
    WithElements = (
        Bodies  # type checkers cannot follow a model that is made from the list of the kinds of elements
    )
else:
    WithElements = with_elements(Bodies)


class System(WithElements):
    """Bodies, elements, structures, contacts and loads of a multibody system; gravity is in m/s^2.

    >>> from softdock import Body, System
    >>> System(bodies={"box": Body(mass="2 kg", inertia=(1, 1, 1))}, gravity=(0, 0, "-9.81 m/s^2"))
    System(bodies={'box': Body(mass=2.0, inertia=(1.0, 1.0, 1.0))}, gravity=(0.0, 0.0, -9.81))
    """

    structures: dict[Name, Flexible] = {}
    """Flexible structures on bodies."""
    surfaces: dict[Name, Surface] = {}
    """Surfaces of revolution on bodies, by name."""
    contacts: dict[Name, Contact] = {}
    """Pairs of surfaces that may touch, by name."""
    interfaces: dict[Name, Interface] = {}
    """Pins in holes."""
    reactions: dict[Name, Anchor] = {}
    """Frames on bodies at which the reaction of the body's joint or fixed mount is observed."""
    gravity: Vector3[Acceleration] = (0.0, 0.0, 0.0)
    """Uniform gravity in the world."""
    orbit: SystemOrbit | None = None
    """Orbit of the origin of the world; leave out for free space or for uniform gravity."""
    gnc: dict[Name, Controller] = {}
    """Controllers of free bodies, by the name of the body."""

    @property
    def directory(self) -> Path:
        """Folder that relative paths start from."""
        return Path()

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> Self:
        findings = Findings()
        self._check_all(findings, info)
        findings.report()
        return self

    def _check_all(self, findings: Findings, info: ValidationInfo) -> None:
        """Check everything that needs more than one field; the tree first, because other checks need it."""
        for name, structure in self.structures.items():
            self.check_body(f"structures.{name}.body", structure.body)
        self._check_tree()
        for kind in ELEMENT_KINDS.values():
            for name, element in getattr(self, kind.group).items():
                kind.check(self, findings, f"{kind.group}.{name}", element)
        for name, frame in self.reactions.items():
            findings.of(self._check_reaction, f"reactions.{name}.body", frame.body)
        if self.orbit is not None:
            findings.of(self._check_orbit, self.orbit)
        for name, surface in self.surfaces.items():
            findings.of(self.check_body, f"surfaces.{name}.body", surface.body)
        for name, contact in self.contacts.items():
            findings.of(self._check_contact, f"contacts.{name}", contact)
        for name, interface in self.interfaces.items():
            findings.of(self._check_interface, f"interfaces.{name}", interface)
        findings.of(self._check_names)

    def _check_numbers(self, findings: Findings, changed: ChangedMembers) -> None:
        """Check the numbers of members that differ from those of a valid system of the same topology."""
        for name in {above for body in changed.names("bodies") for above in self.lineage(body)}:
            if not isinstance(self.bodies[name].joint, Fixed):
                findings.of(self._check_moved_mass, name)
        for kind in ELEMENT_KINDS.values():
            elements, names = getattr(self, kind.group), changed.names(kind.group)
            for name in elements if names else ():
                if name in names:
                    kind.check(self, findings, f"{kind.group}.{name}", elements[name])
        if self.orbit is not None:
            findings.of(self._check_orbit, self.orbit)

    def check_connection(self, field: str, element: Any) -> None:
        """Raise FieldError for an unknown body of the frames a and b of something, or twice the same."""
        for side in ("a", "b"):
            self.check_body(f"{field}.{side}.body", getattr(element, side).body)
        if element.a.body == element.b.body:
            raise FieldError(f"{field}.b.body", "must be another body than a's")

    def _check_reaction(self, field: str, body: str) -> None:
        self.check_body(field, body, world=False)
        if isinstance(self.bodies[body].joint, Free):
            raise FieldError(
                field, f"{body!r} is free: it has neither a joint nor a mount that transmits a reaction"
            )

    def _check_orbit(self, orbit: SystemOrbit) -> None:
        if any(self.gravity):
            raise FieldError(
                "gravity", "cannot be combined with `orbit`, which includes the gravity of the Earth"
            )
        if HILL in self.bodies:
            raise FieldError(
                "bodies.hill", "`hill` is the frame that rotates with the orbit: choose another name"
            )
        for name, body in self.bodies.items():
            if body.parent == WORLD and body.joint.type != "free":
                raise FieldError(f"bodies.{name}.joint.type", "must be free in orbit: there is no ground")
        for name, plate in orbit.plates.items():
            self.check_body(f"orbit.plates.{name}.body", plate.body, world=False)

    def _check_names(self) -> None:
        if "contact" in (*self.bodies, *self.elements(), *self.contacts, *self.interfaces):
            raise FieldError("bodies", "the name 'contact' means the largest of all contacts: choose another")
        names = [name for group in NAMED_APART for name in getattr(self, group)]
        for group in NAMED_APART:
            for name in getattr(self, group):
                if names.count(name) > 1 and group != "bodies":
                    raise FieldError(
                        f"{group}.{name}", f"the name {name!r} is taken already: names must differ"
                    )

    def check_body(self, field: str, name: str, world: bool = True) -> None:
        """Raise FieldError for a body that does not exist."""
        if name not in self.bodies and not (world and name == WORLD):
            raise FieldError(field, no_such("body", name, [*([WORLD] if world else []), *self.bodies]))

    def _check_contact(self, field: str, contact: Contact) -> None:
        for side, surface in (("a", contact.a), ("b", contact.b)):
            if surface not in self.surfaces:
                raise FieldError(f"{field}.{side}", no_such("surface", surface, self.surfaces))
        if self.surfaces[contact.a].body == self.surfaces[contact.b].body:
            raise FieldError(f"{field}.b", "must be a surface on another body than a's")

    def _check_interface(self, field: str, interface: Interface) -> None:
        self.check_body(f"{field}.pins.body", interface.pins.body)
        self.check_body(f"{field}.holes.body", interface.holes.body)
        if interface.pins.body == interface.holes.body:
            raise FieldError(f"{field}.pins.body", "must be another body than that of the holes")

    def _check_tree(self) -> None:
        if WORLD in self.bodies:
            raise FieldError("bodies.world", "`world` is the inertial frame: choose another name")
        unknown = Findings()
        for name, body in self.bodies.items():
            unknown.of(self.check_body, f"bodies.{name}.parent", body.parent)
        unknown.report()
        for name, body in self.bodies.items():
            seen, at = {name}, body.parent
            while at != WORLD and at in self.bodies:
                if at in seen:
                    loop = " -> ".join([*seen, at])
                    raise FieldError(
                        f"bodies.{name}.parent", f"closes a loop ({loop}); use a weld or a strut instead"
                    )
                seen.add(at)
                at = self.bodies[at].parent
        for name, body in self.bodies.items():
            if not isinstance(body.joint, Fixed):
                self._check_moved_mass(name)

    def _check_moved_mass(self, name: str) -> None:
        """Raise FieldError for a joint that moves no mass or inertia, whose acceleration would be infinite."""
        if self.bodies[name].mass > 0.0 and self.bodies[name].inertia_matrix().any():
            return
        moved = [n for n in self.bodies if name in self.lineage(n)]
        if any(structure.body in moved for structure in self.structures.values()):
            return  # a structure has mass and extent
        mass = sum(self.bodies[n].mass for n in moved)
        if mass == 0.0:
            raise FieldError(
                f"bodies.{name}.mass", "must be above 0 kg: the joint moves nothing that has mass"
            )
        joint = self.bodies[name].joint
        if "turning" in joint.motions or joint.type == "free":
            turns = any(self.bodies[n].inertia_matrix().any() for n in moved)
            offset = any(
                n != name or any(self.bodies[n].centre_of_mass) for n in moved if self.bodies[n].mass > 0
            )
            if not turns and (joint.type in ("free", "spherical") or not offset):
                raise FieldError(
                    f"bodies.{name}.inertia", "must not be zero: the joint turns a body without any inertia"
                )

    def lineage(self, name: str) -> list[str]:
        """Return a body and all that carry it, up to the root of its tree; nothing for the world."""
        line = []
        while name != WORLD:
            line.append(name)
            name = self.bodies[name].parent
        return line

    def elements(self) -> dict[str, Any]:
        """Return all elements by name, in the order of their records."""
        return {
            name: element
            for kind in ELEMENT_KINDS.values()
            for name, element in getattr(self, kind.group).items()
        }

    def elements_of(self, model: type[M]) -> Mapping[str, M]:
        """Return the elements of one kind by name."""
        elements: Mapping[str, M] = getattr(self, kind_of(model)[1].group)
        return elements

    def driven_elements(self) -> dict[str, tuple[ElementKind, Any]]:
        """Return the elements to which actions may give a target, with their kinds, by name."""
        return {
            name: (kind, element)
            for kind in ELEMENT_KINDS.values()
            if kind.takes_target
            for name, element in getattr(self, kind.group).items()
        }

    def motions_of(self, element: JointElement) -> tuple[str, ...]:
        """Return the motions (sliding or turning) of the axes on which an element acts; raises ValueError for none."""
        body = self.bodies.get(element.joint)
        motions = motions_along(body.joint, element.axis) if body is not None else ()
        if not motions:
            raise ValueError(f"there is no such axis of a joint of {element.joint!r}")
        return motions

    def check_motion(self, field: str, value: object, element: JointElement) -> None:
        """Raise FieldError for a value along a joint that turns with a unit of one that slides, or the reverse."""
        if not isinstance(value, Measured):
            return
        try:
            motion = self.motions_of(element)[0]
        except ValueError:  # reported by the check of the element
            return
        if value.motion not in (None, motion):
            raise FieldError(field, f"has the unit of a {value.motion} joint, but this one is {motion}")


NAMED_APART = tuple(group for group in MEMBER_GROUPS if group != "surfaces")
"""Groups whose members must have different names; surfaces are not observed."""
