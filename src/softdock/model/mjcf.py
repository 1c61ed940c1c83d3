"""Export a system as MJCF, the model format of MuJoCo, to compare results with another engine.

Bodies, joints, gravity, linear joint springs and dampers, struts and the initial state are exported with the same
meaning. The export lists everything that it leaves out because MJCF has no equivalent.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

import numpy as np
from numpy.typing import ArrayLike

from softdock.elements.registry import ELEMENT_KINDS
from softdock.elements.spring.model import Spring
from softdock.elements.strut.model import Strut
from softdock.errors import InputError
from softdock.model.orbit import HILL
from softdock.model.system import WORLD, Body, System
from softdock.spatial.rotations import quaternion_from_matrix
from softdock.tree import joints as j

TIME_STEP = 1e-3  # [s]; small enough for most models without stiff contacts; users change it in the file


@dataclass(frozen=True, kw_only=True)
class Mjcf:
    """A system as MJCF."""

    text: str
    left_out: tuple[str, ...]
    """Features without an equivalent in MJCF, one sentence each; also in a comment at the top of the text."""


def to_mjcf(system: System, name: str = "softdock") -> Mjcf:
    """Return a system as MJCF; raises InputError for a moving body without mass or inertia."""
    return _MjcfWriter(system, name).finish()


class _MjcfWriter:
    def __init__(self, system: System, name: str) -> None:
        self.system = system
        self.root = Xml.Element("mujoco", model=name)
        self.left_out: list[str] = []
        self.qpos: list[float] = []
        self.qvel: list[float] = []
        self.elements: dict[str, Xml.Element] = {}

    def finish(self) -> Mjcf:
        Xml.SubElement(self.root, "compiler", angle="radian", autolimits="false")
        Xml.SubElement(
            self.root,
            "option",
            gravity=_numbers(self.system.gravity),
            timestep=repr(TIME_STEP),
            integrator="RK4",
        )
        self._write_bodies()
        self._write_struts()
        self._list_left_out()
        keyframe = Xml.SubElement(self.root, "keyframe")
        Xml.SubElement(keyframe, "key", name="start", qpos=_numbers(self.qpos), qvel=_numbers(self.qvel))
        Xml.indent(self.root)
        text = Xml.tostring(self.root, encoding="unicode")
        return Mjcf(text=f"{self._heading()}{text}\n", left_out=tuple(self.left_out))

    def _heading(self) -> str:
        lines = ["Written by Softdock. The keyframe `start` has the initial state."]
        # XML comments must not contain `--`.
        lines += [f"Left out: {sentence}".replace("--", "- -") for sentence in self.left_out]
        return "<!--\n" + "".join(f"  {line}\n" for line in lines) + "-->\n"

    def _write_bodies(self) -> None:
        self.elements[WORLD] = Xml.SubElement(self.root, "worldbody")
        self._write_children(WORLD)

    def _write_children(self, parent: str) -> None:
        for name, body in self.system.bodies.items():
            if body.parent == parent:
                self.elements[name] = self._write_body(name, body)
                self._write_children(name)

    def _write_body(self, name: str, body: Body) -> Xml.Element:
        joint = body.joint
        position = joint.position if isinstance(joint, j.Free) else joint.at
        element = Xml.SubElement(
            self.elements[body.parent],
            "body",
            name=name,
            pos=_numbers(position),
            quat=_numbers(j.quaternion(joint.attitude)),
        )
        self._write_joint(element, name, joint)
        if body.mass > 0.0:
            moments, R = np.linalg.eigh(body.inertia_matrix())
            if np.linalg.det(R) < 0.0:
                R[:, 0] *= -1.0
            Xml.SubElement(
                element,
                "inertial",
                pos=_numbers(body.centre_of_mass),
                quat=_numbers(quaternion_from_matrix(R)),
                mass=repr(float(body.mass)),
                diaginertia=_numbers(np.maximum(moments, 0.0)),
            )
        if not isinstance(joint, j.Fixed):
            self._check_inertia(name)
        return element

    def _check_inertia(self, name: str) -> None:
        """Raise InputError for a moving body without mass or with a zero moment of inertia, which MuJoCo rejects."""
        rigid = [name, *self._fixed_to(name)]
        mass = sum(self.system.bodies[n].mass for n in rigid)
        solid = any(np.linalg.eigvalsh(self.system.bodies[n].inertia_matrix())[0] > 0.0 for n in rigid)
        if mass == 0.0 or not solid:
            raise InputError(
                "cannot be exported: MuJoCo needs mass and three moments of inertia above zero "
                "for every moving body.",
                field=f"bodies.{name}",
                hint="Give the body a small inertia.",
            )

    def _fixed_to(self, name: str) -> Iterable[str]:
        for other, body in self.system.bodies.items():
            if body.parent == name and isinstance(body.joint, j.Fixed):
                yield other
                yield from self._fixed_to(other)

    def _write_joint(self, element: Xml.Element, name: str, joint: j.Joint) -> None:
        match joint:
            case j.Free():
                Xml.SubElement(element, "freejoint", name=name)
                self._add_initial_state(
                    [*joint.position, *j.quaternion(joint.attitude)], [*joint.velocity, *joint.rate]
                )
            case j.Spherical():
                Xml.SubElement(element, "joint", {"name": name, "type": "ball", **self._springs(name, None)})
                self._add_initial_state(j.quaternion(joint.turned), joint.rate)
            case _:
                for i, axis in enumerate(joint.axes_at_start()):
                    self._write_axis(element, name, i, axis)

    def _write_axis(self, element: Xml.Element, name: str, i: int, axis: j.JointAxis) -> None:
        label = name if i == 0 else f"{name}.{i}"
        kind = "slide" if axis.motion == "sliding" else "hinge"
        attributes = {"name": label, "type": kind, "axis": _numbers(j.direction(axis.axis))}
        Xml.SubElement(element, "joint", attributes | self._springs(name, i))
        self._add_initial_state([axis.position], [axis.speed])

    def _add_initial_state(self, positions: ArrayLike, speeds: ArrayLike) -> None:
        self.qpos += np.asarray(positions, float).tolist()
        self.qvel += np.asarray(speeds, float).tolist()

    def _springs(self, name: str, axis: int | None) -> dict[str, str]:
        """Return the sum of the linear springs and dampers of a joint axis, as attributes of the joint."""
        k = force_at_zero = c = 0.0
        for label, spring in self.system.elements_of(Spring).items():
            if spring.joint != name or not spring.active or (spring.axis is not None and spring.axis != axis):
                continue
            c += spring.damping
            if spring.friction > 0.0:
                self._leave_out(f"springs.{label}: its Coulomb friction.")
            if not _is_linear(spring):
                self._leave_out(f"springs.{label}: its exponential stiffness (its damping is exported).")
            elif spring.stiffness == 0.0 and spring.preload != 0.0:
                self._leave_out(f"springs.{label}: a preload without stiffness (its damping is exported).")
            else:
                k += spring.stiffness
                force_at_zero += spring.stiffness * spring.rest - spring.preload
        out = {}
        if k > 0.0:
            out["stiffness"] = repr(float(k))
            if axis is not None:
                out["springref"] = repr(float(force_at_zero / k))
        if c > 0.0:
            out["damping"] = repr(float(c))
        return out

    def _write_struts(self) -> None:
        tendons: Xml.Element | None = None
        for name, strut in self.system.elements_of(Strut).items():
            if not strut.active:
                self._leave_out(f"struts.{name}: it is switched off at the start.")
                continue
            rest = _rest_length(strut)
            if rest is None or rest < 0.0:
                self._leave_out(f"struts.{name}: its preload is not equivalent to a rest length above zero.")
                continue
            if tendons is None:
                tendons = Xml.SubElement(self.root, "tendon")
            tendon = Xml.SubElement(
                tendons,
                "spatial",
                name=name,
                stiffness=repr(float(strut.stiffness)),
                damping=repr(float(strut.damping)),
                springlength=repr(float(rest)),
            )
            for side, anchor in (("a", strut.a), ("b", strut.b)):
                site = f"{name}.{side}"
                Xml.SubElement(self.elements[anchor.body], "site", name=site, pos=_numbers(anchor.at))
                Xml.SubElement(tendon, "site", site=site)

    def _list_left_out(self) -> None:
        s = self.system
        for name, spring in s.elements_of(Spring).items():
            if not spring.active:
                self._leave_out(f"springs.{name}: it is switched off at the start.")
        if s.orbit is not None:
            self._leave_out(
                "orbit: MuJoCo has no gravity that decreases with height; "
                "the keyframe has velocities and rates as they are given, relative to the "
                f"{'Hill frame' if s.orbit.start == HILL else 'world'}."
            )
        reasons = {
            **{
                kind.group: kind.missing_in_mjcf
                for kind in ELEMENT_KINDS.values()
                if kind.model not in (Spring, Strut)
            },
            "structures": "MuJoCo has no modal coordinates; its rigid mass is missing, too.",
            "contacts": "MuJoCo's contacts have no stiffness per area.",
            "interfaces": "MuJoCo has no pins in holes.",
        }
        for group, reason in reasons.items():
            for name in getattr(s, group, {}):
                self._leave_out(f"{group}.{name}: {reason}")

    def _leave_out(self, sentence: str) -> None:
        if sentence not in self.left_out:
            self.left_out.append(sentence)


def _is_linear(spring: Spring) -> bool:
    return spring.exponential is None or spring.stiffness == 0.0


def _rest_length(strut: Strut) -> float | None:
    """Return the length [m] at which the force including the preload is zero; None if there is none."""
    if strut.stiffness > 0.0:
        return strut.length - strut.preload / strut.stiffness
    return strut.length if strut.preload == 0.0 else None


def _numbers(values: ArrayLike) -> str:
    """Return numbers as text that is read back to the same bits."""
    return " ".join(repr(float(value)) for value in np.asarray(values, float).ravel())
