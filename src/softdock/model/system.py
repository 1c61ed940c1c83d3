"""Models of a multibody system: bodies, and the system with its elements; the schema of scenario files."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, StringConstraints, ValidationInfo, model_validator

from softdock.errors import no_such, suggest
from softdock.model.changed_members import ChangedMembers
from softdock.model.couplings import Coupling
from softdock.model.elements import Drive, JointElement, Load, Lock, Spring, Stop, Strut, Weld
from softdock.model.frames import Anchor
from softdock.model.gnc import Controller
from softdock.model.interfaces import Interface
from softdock.model.joints import MOTIONS, Fixed, Free, Joint, quaternion
from softdock.model.member_kinds import MEMBER_GROUPS
from softdock.model.orbit import HILL, SystemOrbit
from softdock.model.stiffness import LinkStiffness
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

WORLD = "world"
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
"""Letters, digits, - and _, starting with a letter."""


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
        moments = (
            np.linalg.eigvalsh(self.inertia_matrix())
            if isinstance(self.inertia, FullInertia)
            else np.sort(self.inertia)
        )
        slack = 1e-9 * max(float(np.abs(moments).max()), 1e-300)
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


class System(Model):
    """Bodies, elements, structures, contacts and loads of a multibody system; gravity is in m/s^2.

    >>> from softdock import Body, System
    >>> System(bodies={"box": Body(mass="2 kg", inertia=(1, 1, 1))}, gravity=(0, 0, "-9.81 m/s^2"))
    System(bodies={'box': Body(mass=2.0, inertia=(1.0, 1.0, 1.0))}, gravity=(0.0, 0.0, -9.81))
    """

    bodies: dict[Name, Body] = Field(min_length=1)
    """Rigid bodies by name, each with the joint to its parent."""
    springs: dict[Name, Spring] = {}
    """Springs, dampers and friction along joints, by name."""
    stops: dict[Name, Stop] = {}
    """End stops of joints, by name."""
    drives: dict[Name, Drive] = {}
    """Motors on joints, by name."""
    struts: dict[Name, Strut] = {}
    """Springs and dampers between two points, by name."""
    welds: dict[Name, Weld] = {}
    """Compliant connections of two frames, by name."""
    locks: dict[Name, Lock] = {}
    """Rigid connections of two frames, by name."""
    couplings: dict[Name, Coupling] = {}
    """Plugs that are guided into sockets, by name."""
    loads: dict[Name, Load] = {}
    """External forces and torques, by name."""
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
            self._check_body(f"structures.{name}.body", structure.body)
        self._check_tree()
        for group in ("springs", "stops", "drives"):
            for name, element in getattr(self, group).items():
                findings.of(self._check_joint_element, f"{group}.{name}", element)
        for group in ("struts", "welds", "locks"):
            for name, element in getattr(self, group).items():
                findings.of(self._check_connection, f"{group}.{name}", element)
        for name, coupling in self.couplings.items():
            findings.of(self._check_coupling, f"couplings.{name}", coupling)
        for name, load in self.loads.items():
            findings.of(self._check_body, f"loads.{name}.body", load.body, False)
            findings.of(self._check_load_node, f"loads.{name}.node", load)
        for name, frame in self.reactions.items():
            findings.of(self._check_reaction, f"reactions.{name}.body", frame.body)
        if self.orbit is not None:
            findings.of(self._check_orbit, self.orbit)
        for name, surface in self.surfaces.items():
            findings.of(self._check_body, f"surfaces.{name}.body", surface.body)
        for name, contact in self.contacts.items():
            findings.of(self._check_contact, f"contacts.{name}", contact)
        for name, interface in self.interfaces.items():
            findings.of(self._check_interface, f"interfaces.{name}", interface)
        findings.of(self._check_names)

    def _check_numbers(self, findings: Findings, changed: ChangedMembers) -> None:
        """Check the numbers of members that differ from those of a valid system of the same topology."""
        for name in {above for one in changed.names("bodies") for above in self.lineage(one)}:
            if not isinstance(self.bodies[name].joint, Fixed):
                findings.of(self._check_moved_mass, name)
        for group in ("springs", "stops", "drives"):
            elements, names = getattr(self, group), changed.names(group)
            for name in elements if names else ():
                if name in names:
                    findings.of(self._check_joint_element, f"{group}.{name}", elements[name])
        if self.orbit is not None:
            findings.of(self._check_orbit, self.orbit)

    def _check_connection(self, field: str, element: Strut | Weld | Lock | LinkStiffness) -> None:
        for side in ("a", "b"):
            self._check_body(f"{field}.{side}.body", getattr(element, side).body)
        if element.a.body == element.b.body:
            raise FieldError(f"{field}.b.body", "must be another body than a's")

    def _check_coupling(self, field: str, coupling: Coupling) -> None:
        for side in ("plug", "socket"):
            self._check_body(f"{field}.{side}.body", getattr(coupling, side).body)
        if coupling.plug.body == coupling.socket.body:
            raise FieldError(f"{field}.plug.body", "must be another body than that of the socket")

    def _check_reaction(self, field: str, body: str) -> None:
        self._check_body(field, body, world=False)
        if isinstance(self.bodies[body].joint, Free):
            raise FieldError(
                field, f"{body!r} is free: it has neither a joint nor a mount that transmits a load"
            )

    def _check_load_node(self, field: str, load: Load) -> None:
        if load.node is None:
            return
        structure, _, node = load.node.partition("/")
        if structure not in self.structures or not node:
            known = ", ".join(self.structures) or "none"
            meant = suggest(structure, self.structures)
            raise FieldError(field, f"must be `structure/node`{meant}; structures are: {known}")
        if self.structures[structure].body != load.body:
            raise FieldError(field, f"belongs to {self.structures[structure].body!r}, not to {load.body!r}")
        if self.structures[structure].members:
            nodes = self.structures[structure].node_names(Path())
            if node not in nodes:
                raise FieldError(field, f"structure {structure!r} has no node {node!r}{suggest(node, nodes)}")

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
            self._check_body(f"orbit.plates.{name}.body", plate.body, world=False)

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

    def _check_body(self, field: str, name: str, world: bool = True) -> None:
        if name not in self.bodies and not (world and name == WORLD):
            raise FieldError(field, no_such("body", name, [*([WORLD] if world else []), *self.bodies]))

    def _check_contact(self, field: str, contact: Contact) -> None:
        for side, surface in (("a", contact.a), ("b", contact.b)):
            if surface not in self.surfaces:
                raise FieldError(f"{field}.{side}", no_such("surface", surface, self.surfaces))
        if self.surfaces[contact.a].body == self.surfaces[contact.b].body:
            raise FieldError(f"{field}.b", "must be a surface on another body than a's")

    def _check_interface(self, field: str, interface: Interface) -> None:
        self._check_body(f"{field}.pins.body", interface.pins.body)
        self._check_body(f"{field}.holes.body", interface.holes.body)
        if interface.pins.body == interface.holes.body:
            raise FieldError(f"{field}.pins.body", "must be another body than that of the holes")

    def _check_tree(self) -> None:
        if WORLD in self.bodies:
            raise FieldError("bodies.world", "`world` is the inertial frame: choose another name")
        unknown = Findings()
        for name, body in self.bodies.items():
            unknown.of(self._check_body, f"bodies.{name}.parent", body.parent)
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
        moved = [n for n in self.bodies if name in self.lineage(n)]
        if any(structure.body in moved for structure in self.structures.values()):
            return  # a structure has mass and extent
        mass = sum(self.bodies[n].mass for n in moved)
        if mass == 0.0:
            raise FieldError(
                f"bodies.{name}.mass", "must be above 0 kg: the joint moves nothing that has mass"
            )
        joint = self.bodies[name].joint
        if "turning" in MOTIONS[joint.type] or joint.type == "free":
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

    def elements(self) -> dict[str, Spring | Stop | Drive | Strut | Weld | Lock | Coupling | Load]:
        """Return all elements by name, in the order of their records."""
        return {
            **self.springs,
            **self.stops,
            **self.drives,
            **self.struts,
            **self.welds,
            **self.locks,
            **self.couplings,
            **self.loads,
        }

    def motions_of(self, element: JointElement) -> tuple[str, ...]:
        """Return the motions (sliding or turning) of the axes on which an element acts; raises ValueError for none."""
        body = self.bodies.get(element.joint)
        motions = MOTIONS[body.joint.type] if body is not None else ()
        chosen = motions if element.axis is None else motions[element.axis : element.axis + 1]
        if not chosen:
            raise ValueError(f"there is no such axis of a joint of {element.joint!r}")
        return chosen

    def check_motion(self, field: str, value: object, element: JointElement) -> None:
        """Raise FieldError for a value along a joint that turns with a unit of one that slides, or the reverse."""
        try:
            motion = self.motions_of(element)[0]
        except ValueError:  # reported by the check of the element
            return
        if isinstance(value, Measured) and value.motion not in (None, motion):
            raise FieldError(field, f"has the unit of a {value.motion} joint, but this one is {motion}")

    def _check_joint_element(self, field: str, element: JointElement) -> None:
        self._check_body(f"{field}.joint", element.joint, world=False)
        kind = self.bodies[element.joint].joint.type
        motions = MOTIONS[kind]
        if not motions:
            raise FieldError(
                f"{field}.joint", f"the joint of {element.joint!r} is {kind}: nothing acts along it"
            )
        if element.axis is not None and (element.axis >= len(motions) or kind == "spherical"):
            raise FieldError(
                f"{field}.axis", f"a {kind} joint has no axis number {element.axis} to act on alone"
            )
        motions = self.motions_of(element)
        if len(set(motions)) > 1:
            raise FieldError(
                f"{field}.axis", f"must be the axis of the {kind} joint: 0, 1 (sliding) or 2 (turning)"
            )
        for key in type(element).model_fields:
            self.check_motion(f"{field}.{key}", getattr(element, key), element)
        if isinstance(element, Drive) and len(motions) > 1:
            raise FieldError(f"{field}.axis", f"must be given: the axis of the {kind} joint to drive")
        if isinstance(element, Spring) and len(motions) > 1:
            for key in ("preload", "rest"):
                if getattr(element, key) != 0.0:
                    raise FieldError(
                        f"{field}.{key}", f"needs a single axis: a {kind} joint has {len(motions)}"
                    )
        if isinstance(element, Stop):
            _check_stop(field, element, motions, kind)


NAMED_APART = tuple(group for group in MEMBER_GROUPS if group != "surfaces")
"""Groups whose members must have different names; surfaces are not observed."""


def _check_stop(field: str, stop: Stop, motions: Sequence[str], kind: str) -> None:
    if len(motions) == 1:
        if stop.limit is not None:
            raise FieldError(f"{field}.limit", "is for joints of several axes; give lower and upper")
        if stop.lower is None and stop.upper is None:
            raise FieldError(field, "needs lower or upper")
        if stop.lower is not None and stop.upper is not None and stop.lower >= stop.upper:
            raise FieldError(f"{field}.upper", "must be above lower")
        return
    one_axis = "" if kind == "spherical" else ", or name one of them by `axis`"
    for key in ("lower", "upper"):
        if getattr(stop, key) is not None:
            has = f"a {kind} joint has {len(motions)}"
            raise FieldError(
                f"{field}.{key}", f"is for a single axis, and {has}: give `limit` instead{one_axis}"
            )
    if stop.limit is None:
        raise FieldError(f"{field}.limit", f"must be given for a joint of {len(motions)} axes{one_axis}")
    if kind == "spherical" and stop.limit >= math.pi:
        raise FieldError(f"{field}.limit", "must be below half a turn (180 deg), which no rotation exceeds")
