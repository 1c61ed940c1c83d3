"""Reader of URDF robot descriptions: links with inertia and shapes, joints with limits and friction."""

import difflib
import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softdock.robot.xml_reader import Element, parse_xml, read_xml
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_quaternion, quaternion_from_roll_pitch_yaw

Floats = NDArray[np.float64]
UNLIMITED = math.inf


class JointType(Enum):
    """Type of a joint."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    """Rotates between limits."""
    CONTINUOUS = "continuous"
    """Rotates without limits."""
    PRISMATIC = "prismatic"

    @property
    def is_rotary(self) -> bool:
        """Whether the position is an angle."""
        return self in (JointType.REVOLUTE, JointType.CONTINUOUS)


class ShapeKind(Enum):
    """Kind of a shape."""

    BOX = "box"
    CYLINDER = "cylinder"
    SPHERE = "sphere"
    MESH = "mesh"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Visual or collision shape of a link; not used by the dynamics."""

    form: ShapeKind
    X_LS: Pose
    """Pose of the shape in the link."""
    size: tuple[float, ...]
    """Sides of a box; radius and length of a cylinder; radius of a sphere; scale of a mesh [m, or 1]."""
    file: str = ""
    """File name of a mesh as written; the file need not exist."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """A rigid part of a robot."""

    name: str
    mass: float
    """[kg]"""
    p_LC: Floats
    """Centre of mass in the link [m]."""
    inertia: Floats
    """About the centre of mass, in link axes [kg m2]."""
    visual: tuple[Shape, ...] = ()
    collision: tuple[Shape, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Joint:
    """Joint between a link and its parent."""

    name: str
    motion: JointType
    parent: str
    child: str
    X_PC: Pose
    """Pose of the child in the parent at joint position zero."""
    axis: Floats
    """Unit vector of the joint axis in the child."""
    lower: float = -UNLIMITED
    """[rad or m]"""
    upper: float = UNLIMITED
    max_effort: float = UNLIMITED
    """[N m or N]"""
    max_speed: float = UNLIMITED
    """[rad/s or m/s]"""
    damping: float = 0.0
    """Viscous friction [N m s/rad or N s/m]."""
    friction: float = 0.0
    """Coulomb friction [N m or N]."""


@dataclass(frozen=True, kw_only=True)
class Description:
    """A tree of links and joints."""

    name: str
    links: dict[str, Link]
    joints: dict[str, Joint]
    root: str
    """Name of the root link."""

    @property
    def moving(self) -> list[Joint]:
        """Joints that are not fixed, parents before children, otherwise in the order of the file."""
        return [joint for joint in self.ordered() if joint.motion is not JointType.FIXED]

    def ordered(self) -> list[Joint]:
        """Return all joints, parents before children."""
        out: list[Joint] = []
        stack = [self.root]
        while stack:
            link = stack.pop()
            below = [joint for joint in self.joints.values() if joint.parent == link]
            out += [joint for joint in self.joints.values() if joint.child == link]
            stack += [joint.child for joint in reversed(below)]
        return out


def read_urdf(path: Path | str) -> Description:
    """Read a robot from a file; raises InputError with file and line."""
    return _robot(read_xml(Path(path)))


def parse_urdf(text: str | bytes, file: str = "robot.urdf") -> Description:
    """Read a robot from text; `file` is its name in messages."""
    return _robot(parse_xml(text.encode() if isinstance(text, str) else text, file))


def _robot(root: Element) -> Description:
    if root.tag != "robot":
        raise root.problem("The root element of a URDF file must be <robot>.", f"<{root.tag}>")
    if any(child.tag.startswith("xacro:") for child in root.children):
        raise root.problem("This is a xacro file, not a URDF file.", hint="Expand it with xacro first.")
    links: dict[str, Link] = {}
    joints: dict[str, Joint] = {}
    lines: dict[str, Element] = {}
    for element in root.all("link"):
        link = _link(element)
        _new(link.name, links, element)
        links[link.name] = link
    for element in root.all("joint"):
        joint = _joint(element)
        _new(joint.name, joints, element)
        joints[joint.name] = joint
        lines[joint.name] = element
    if not links:
        raise root.problem("The robot has no links.")
    return Description(
        name=root.attributes.get("name", "robot"),
        links=links,
        joints=joints,
        root=_root(root, links, joints, lines),
    )


def _new(name: str, known: "dict[str, Link] | dict[str, Joint]", element: Element) -> None:
    if name in known:
        raise element.problem(f"There is another {element.tag} with this name: names must be unique.", name)


def _root(root: Element, links: dict[str, Link], joints: dict[str, Joint], lines: dict[str, Element]) -> str:
    """Return the link without a parent; raise InputError unless the joints form one tree."""
    parent_of: dict[str, str] = {}
    for joint in joints.values():
        for end in (joint.parent, joint.child):
            if end not in links:
                close = difflib.get_close_matches(end, links, 1)
                hint = f"Did you mean '{close[0]}'?" if close else f"There are: {', '.join(links)}."
                raise lines[joint.name].problem(
                    f"Joint '{joint.name}' refers to a link that does not exist.", end, hint
                )
        if joint.child in parent_of:
            raise lines[joint.name].problem(
                f"Link '{joint.child}' is the child of two joints; a URDF robot is a tree, without loops.",
                joint.name,
            )
        parent_of[joint.child] = joint.parent
    roots = [name for name in links if name not in parent_of]
    if not roots:
        raise root.problem("Every link has a parent: the joints form a loop, and there is no base.")
    if len(roots) > 1:
        raise root.problem(
            "The links form several robots: exactly one link must have no parent.", ", ".join(roots)
        )
    for name in links:
        at, steps = name, 0
        while at in parent_of:
            at, steps = parent_of[at], steps + 1
            if steps > len(links):
                raise root.problem(f"The joints form a loop at link '{name}'; a URDF robot is a tree.")
    return roots[0]


def _link(element: Element) -> Link:
    name = _text(element, "name")
    mass, p, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    inertial = element.first("inertial")
    if inertial is not None:
        mass, p, inertia = _inertial(inertial)
    return Link(
        name=name,
        mass=mass,
        p_LC=p,
        inertia=inertia,
        visual=_shapes(element, "visual"),
        collision=_shapes(element, "collision"),
    )


def _inertial(element: Element) -> tuple[float, Floats, Floats]:
    X = _origin(element)
    mass_element, inertia_element = element.first("mass"), element.first("inertia")
    if mass_element is None:
        raise element.problem("The mass is missing.", hint='Write <mass value="1.0"/>.')
    mass = _number(mass_element, "value")
    if mass < 0.0:
        raise mass_element.problem("A mass must be at least 0 kg.", mass_element.attributes["value"])
    I = np.zeros((3, 3))  # noqa: E741
    if inertia_element is not None:
        xx, yy, zz = (_number(inertia_element, key) for key in ("ixx", "iyy", "izz"))
        xy, xz, yz = (_number(inertia_element, key, 0.0) for key in ("ixy", "ixz", "iyz"))
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # noqa: E741
        _check_inertia(inertia_element, mass, I)
    return mass, X.p, X.R @ I @ X.R.T


def _check_inertia(element: Element, mass: float, inertia: Floats) -> None:
    moments = np.linalg.eigvalsh(inertia)
    slack = 1e-9 * max(float(np.abs(moments).max()), 1e-300)
    given = ", ".join(f"{m:.6g}" for m in moments) + " kg m^2 (principal moments)"
    if moments[0] < -slack:
        raise element.problem("The inertia has a negative principal moment.", given)
    if moments[2] > moments[0] + moments[1] + slack:
        raise element.problem(
            "The inertia is impossible: the largest principal moment exceeds the sum of the other two.", given
        )
    if mass == 0.0 and moments[2] > slack:
        raise element.problem("A link that has inertia must have a mass above 0 kg.", given)


def _joint(element: Element) -> Joint:
    name, kind = _text(element, "name"), _text(element, "type")
    if kind not in [motion.value for motion in JointType]:
        allowed = ", ".join(motion.value for motion in JointType)
        raise element.problem(f"Joint '{name}' has an unsupported type.", kind, f"Allowed: {allowed}.")
    motion = JointType(kind)
    if element.first("mimic") is not None:
        raise element.problem(f"Joint '{name}' mimics another joint, which is not supported.")
    axis = np.array([1.0, 0.0, 0.0])
    axis_element = element.first("axis")
    if axis_element is not None and motion is not JointType.FIXED:
        axis = _numbers(axis_element, "xyz", 3)
        length = math.hypot(*axis)  # without overflow
        if not 0.0 < length < math.inf:
            given = axis_element.attributes["xyz"]
            raise axis_element.problem(
                f"The axis of joint '{name}' must not be zero or infinitely long.", given
            )
        axis = axis / length
    lower, upper, effort, speed = _limits(element, name, motion)
    dynamics = element.first("dynamics")
    return Joint(
        name=name,
        motion=motion,
        parent=_end(element, "parent"),
        child=_end(element, "child"),
        X_PC=_origin(element),
        axis=axis,
        lower=lower,
        upper=upper,
        max_effort=effort,
        max_speed=speed,
        damping=_non_negative(dynamics, "damping"),
        friction=_non_negative(dynamics, "friction"),
    )


def _limits(element: Element, name: str, motion: JointType) -> tuple[float, float, float, float]:
    """Return the limits of a joint: lower and upper position [rad or m], effort [N m or N] and speed [rad/s or m/s].

    The standard requires them for revolute and prismatic joints.
    """
    limit = element.first("limit")
    is_bounded = motion in (JointType.REVOLUTE, JointType.PRISMATIC)
    if limit is None:
        if is_bounded:
            raise element.problem(
                f"Joint '{name}' needs a <limit>.",
                hint="A joint that rotates without limits has the type continuous.",
            )
        return -UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED
    # Many files use zero for unknown limits; a joint with a limit of zero would be useless.
    effort, speed = (_non_negative(limit, key) or UNLIMITED for key in ("effort", "velocity"))
    if not is_bounded:
        return -UNLIMITED, UNLIMITED, effort, speed
    lower, upper = _number(limit, "lower", 0.0), _number(limit, "upper", 0.0)
    if lower > upper:
        raise limit.problem(
            f"The lower limit of joint '{name}' is above the upper one.", f"{lower:g} > {upper:g}"
        )
    return lower, upper, effort, speed


def _non_negative(element: Element | None, key: str) -> float:
    if element is None:
        return 0.0
    value = _number(element, key, 0.0)
    if value < 0.0:
        raise element.problem(f"'{key}' must be at least 0.", element.attributes[key])
    return value


def _end(element: Element, tag: str) -> str:
    end = element.first(tag)
    if end is None:
        raise element.problem(f"The {tag} link is missing.", hint=f'Write <{tag} link="..."/>.')
    return _text(end, "link")


def _shapes(element: Element, tag: str) -> tuple[Shape, ...]:
    shapes = (_shape(shape) for shape in element.all(tag))
    return tuple(shape for shape in shapes if shape is not None)


def _shape(element: Element) -> Shape | None:
    """Return a shape; None for non-standard shapes (such as capsules), which are ignored."""
    geometry = element.first("geometry")
    if geometry is None or not geometry.children:
        raise element.problem("A shape needs a <geometry> with a box, cylinder, sphere or mesh.")
    what = geometry.children[0]
    X = _origin(element)
    if what.tag == "box":
        return Shape(form=ShapeKind.BOX, X_LS=X, size=tuple(_numbers(what, "size", 3)))
    if what.tag == "cylinder":
        return Shape(form=ShapeKind.CYLINDER, X_LS=X, size=(_number(what, "radius"), _number(what, "length")))
    if what.tag == "sphere":
        return Shape(form=ShapeKind.SPHERE, X_LS=X, size=(_number(what, "radius"),))
    if what.tag == "mesh":
        scale = tuple(_numbers(what, "scale", 3)) if "scale" in what.attributes else (1.0, 1.0, 1.0)
        return Shape(form=ShapeKind.MESH, X_LS=X, size=scale, file=_text(what, "filename"))
    return None


def _origin(element: Element) -> Pose:
    origin = element.first("origin")
    if origin is None:
        return Pose.identity()
    p = _numbers(origin, "xyz", 3) if "xyz" in origin.attributes else np.zeros(3)
    roll, pitch, yaw = _numbers(origin, "rpy", 3) if "rpy" in origin.attributes else np.zeros(3)
    return Pose(R=matrix_from_quaternion(quaternion_from_roll_pitch_yaw(roll, pitch, yaw)), p=p)


def _text(element: Element, key: str) -> str:
    value = element.attributes.get(key, "").strip()
    if not value:
        raise element.problem(f"The attribute '{key}' is missing.")
    return value


def _number(element: Element, key: str, missing: float | None = None) -> float:
    if key not in element.attributes and missing is not None:
        return missing
    return float(_numbers(element, key, 1)[0])


def _numbers(element: Element, key: str, count: int) -> Floats:
    text = _text(element, key)
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.array([math.nan])
    if len(values) != count or not np.isfinite(values).all():
        what = "a finite number" if count == 1 else f"{count} finite numbers separated by spaces"
        raise element.problem(f"'{key}' must be {what}.", f"'{text}'")
    return values
