"""Declaration of a kind of element: everything that the rest of the program needs to know about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from softdock.elements.fields import ElementField, ElementFields, FieldSource
from softdock.elements.joint_element import JointElement
from softdock.quantities.fields import Measured
from softdock.quantities.model import FieldError, Findings, Model
from softdock.tree.frames import Anchor
from softdock.tree.indices import BodyPlacement, FlexibleRecords, JointIndices, StateKind

if TYPE_CHECKING:
    from softdock.model.system import System

Floats = NDArray[np.float64]
STEEP_FRICTION = 1e-3
"""Friction speed [m/s, rad/s] below which friction along a joint is a stiff element.

An explicit step from one direction of motion to the other does not show the fast mode between them.
"""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What the records of an element refer to: bodies, joints, initial positions, nodes, tables."""

    placed: Mapping[str, BodyPlacement]
    joints: Mapping[str, JointIndices]
    q: Sequence[float] | Floats
    """Initial positions of joints [m or rad] and free bodies."""
    u: Sequence[float] | Floats
    """Initial speeds of joints [m/s or rad/s] and free bodies."""
    flexible: FlexibleRecords
    tables: list[tuple[float, float]] = field(default_factory=list)
    """Rows of the tables of loads, to which an element may add its own: time [s] and factor."""


@dataclass(frozen=True, kw_only=True)
class ElementRecord:
    """The records of one element, to be filled: common ones, and those of its kind where it has any."""

    element: Any
    data: Any
    law: Any
    state: Any


@dataclass(frozen=True, kw_only=True)
class LineForce:
    """Tension of an element along the line between its points, as a function of their distance; for the search."""

    rest: float
    """Distance without deflection [m]."""
    slack: float | None = None
    """Distance without force [m] where the force is linear in the distance; None where it is not."""
    stiffness: float = 0.0
    """[N/m]"""


class ElementKind:
    """A kind of element. Its kernels are in the module `kernels` of its folder; see `elements.kernels.dispatch`."""

    group: ClassVar[str]
    """Key of a scenario that holds elements of this kind by name."""
    summary: ClassVar[str]
    """Description of that key."""
    model: ClassVar[type[Model]]
    title: ClassVar[str]
    """Heading of its channels in the reference."""
    text: ClassVar[str]
    """What its channels belong to, and how they are written."""
    fields: ClassVar[ElementFields]
    """All fields that an element of this kind may have."""
    unrecorded: ClassVar[tuple[str, ...]] = ()
    """Fields that are recorded only if something refers to them."""
    reaction: ClassVar[str | None] = None
    """Kind of what it transmits, and its name in texts; None for an input from outside."""
    role: ClassVar[Literal["element", "contact", "input"]] = "element"
    """How it enters the balance of forces: an `input` acts from outside."""
    signed: ClassVar[bool] = False
    """Whether its `force` has a sign, so that it may be largest where its channel is smallest."""
    always: ClassVar[bool] = False
    """Whether its kernels also run while it is switched off."""
    holds_pose: ClassVar[bool] = False
    """Whether it holds the relative pose that its frames have when it is switched on."""
    acts_above_zero: ClassVar[str | None] = None
    """Field at whose rise through zero a step ends and `decide` is called, if the kind has it.

    Without that an implicit step may miss the instant at which a unilateral force begins to act.
    """
    takes_target: ClassVar[bool] = False
    """Whether actions may give it a new target."""
    replaceable: ClassVar[bool] = True
    """Whether campaigns may replace its numbers without validating the scenario again."""
    missing_in_mjcf: ClassVar[str] = "MuJoCo has nothing like it."
    """Why the export to MJCF leaves it out."""

    def check(self, system: "System", findings: Findings, field: str, element: Any) -> None:
        """Collect the errors of an element that depend on other parts of the system."""

    def fields_of(self, system: "System", element: Any) -> ElementFields:
        """Return the fields of one element, with their units."""
        return self.fields

    def is_size(self, field: ElementField, record: Any) -> bool:
        """Return whether a field of an element with this record is the size of a vector."""
        return field.is_size

    def check_target(self, system: "System", field: str, element: Any, target: Any) -> None:
        """Raise FieldError for a target that does not fit the element."""

    def target_unit(self, system: "System", element: Any) -> str:
        """Return the SI unit of its target."""
        raise NotImplementedError

    def ends(self, element: Any) -> tuple[str, str] | None:
        """Return the bodies a and b on which it acts, a empty without one; None for an element along a joint."""
        return None

    def state_kinds(self, element: Any) -> tuple[StateKind, ...]:
        """Return the kinds of its own entries in the state of the system, which start at zero."""
        return ()

    def is_stiff(self, element: Any) -> bool:
        """Return whether it may be so stiff that implicit steps pay while nothing touches."""
        return False

    def line_force(self, law: Any) -> LineForce | None:
        """Return the force of an element that acts along the line between its points; None for others.

        Bounds of the distance of the points then bound its `deflection` and `force` in a step.
        """
        return None

    def notice(self, name: str, element: Any, state: Any) -> str:
        """Return a sentence about what may surprise at the end of a run, from its state; empty if nothing does."""
        return ""

    def write(self, out: ElementRecord, element: Any, around: Surroundings) -> None:
        """Fill the empty records of an element."""
        raise NotImplementedError


JOINT_FIELDS: ElementFields = {
    "force": ElementField(
        unit="N or N*m", source=FieldSource.FORCE,
        meaning="Force that the element transmits; on a joint that turns a torque, which is also called `moment`.",
    ),
    "moment": ElementField(unit="N*m", meaning="Torque on a joint that turns.", source=FieldSource.FORCE),
    "energy": ElementField(unit="J", meaning="Stored elastic energy.", source=FieldSource.ENERGY),
    "deflection": ElementField(
        unit="m or rad", meaning="Deflection from the rest position.", source=FieldSource.DEFLECTION
    ),
}  # fmt: skip
"""Fields of all elements along joints."""


class JointKind(ElementKind):
    """A kind of element along a joint."""

    text = "`name.field` of an element along a joint."
    fields: ClassVar[ElementFields] = JOINT_FIELDS
    single_axis: ClassVar[bool] = False
    """Whether it acts along one axis only, also on a joint with several ones."""

    def check(self, system: "System", findings: Findings, field: str, element: Any) -> None:
        """Collect the errors of joint, axis and units."""
        findings.of(self.check_joint, system, field, element)

    def check_joint(self, system: "System", field: str, element: JointElement) -> None:
        """Raise FieldError for an axis that does not exist, a unit of the other motion, or by `check_axes`."""
        system.check_body(f"{field}.joint", element.joint, world=False)
        joint = system.bodies[element.joint].joint.type
        motions = system.bodies[element.joint].joint.motions
        if not motions:
            raise FieldError(
                f"{field}.joint", f"the joint of {element.joint!r} is {joint}: nothing acts along it"
            )
        if element.axis is not None and (element.axis >= len(motions) or joint == "spherical"):
            raise FieldError(
                f"{field}.axis", f"a {joint} joint has no axis number {element.axis} to act on alone"
            )
        acting = system.motions_of(element)
        if len(set(acting)) > 1:
            axes = ", ".join(f"{i} ({motion})" for i, motion in enumerate(motions))
            raise FieldError(f"{field}.axis", f"must be one axis of the {joint} joint: {axes}")
        if self.single_axis and len(acting) > 1:
            if joint == "spherical":
                raise FieldError(
                    f"{field}.joint", f"the joint of {element.joint!r} is spherical: it has no single axis"
                )
            raise FieldError(
                f"{field}.axis", f"must be given: the axis of the {joint} joint on which it acts"
            )
        for key, value in vars(element).items():
            if isinstance(value, Measured):
                system.check_motion(f"{field}.{key}", value, element)
        self.check_axes(field, element, len(acting), joint)

    def check_axes(self, field: str, element: Any, axes: int, joint: str) -> None:
        """Raise FieldError for values that do not fit the number of axes on which the element acts."""

    def fields_of(self, system: "System", element: Any) -> ElementFields:
        """Return the fields with the units of the joint; `moment` only where it turns."""
        motion = system.motions_of(element)[0]
        return {
            key: field.along(motion)
            for key, field in self.fields.items()
            if key != "moment" or motion == "turning"
        }

    def write(self, out: ElementRecord, element: Any, around: Surroundings) -> None:
        """Write the indices of the joint."""
        place, axis = around.joints[element.joint], element.axis or 0
        record = out.element
        record["b"] = around.placed[element.joint].link
        record["at_q"], record["at_u"] = place.at_q + axis, place.at_u + axis
        record["rows"] = place.rows if element.axis is None else 1
        record["ball"] = int(place.ball)


class ConnectionKind(ElementKind):
    """A kind of element between frames of two bodies, `a` and `b`."""

    def ends(self, element: Any) -> tuple[str, str]:
        """Return the bodies of both frames."""
        a, b = self.frames_of(element)
        return a.body, b.body

    def frames_of(self, element: Any) -> tuple[Anchor, Anchor]:
        """Return the frames F on body a and G on body b."""
        return element.a, element.b

    def check(self, system: "System", findings: Findings, field: str, element: Any) -> None:
        """Collect the errors of the two bodies."""
        findings.of(system.check_connection, field, element)

    def write(self, out: ElementRecord, element: Any, around: Surroundings) -> None:
        """Write the links of the frames and the frames in them."""
        a, b = self.frames_of(element)
        write_frame(out.element, "a", "F", a, around)
        write_frame(out.element, "b", "G", b, around)


def write_frame(record: Any, body: str, frame: str, anchor: Anchor, around: Surroundings) -> None:
    """Write the link that carries a frame as `body` ("a" or "b"), and the frame in it."""
    placed = around.placed[anchor.body]
    X = placed.X_LB @ anchor.pose()
    record[body] = placed.link
    record[f"R_{body}{frame}"] = X.R.ravel()
    record[f"p_{body}{frame}"] = X.p


def has_steep_friction(element: Any) -> bool:
    """Return whether the friction of an element along a joint is stiff where its joint changes its direction."""
    smooth = element.friction_law == "smooth"
    return bool(smooth and element.friction > 0.0 and element.friction_speed < STEEP_FRICTION)


def write_friction(law: Any, element: Any) -> None:
    """Write the friction of an element along a joint."""
    static = element.static_friction
    law["friction"], law["friction_speed"] = element.friction, element.friction_speed
    law["static_friction"] = element.friction if static is None else static
    law["sticks"] = int(element.friction_law == "stick")
