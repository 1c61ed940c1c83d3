"""Scenarios of kind `station`: a spacecraft docks with a large flexible station in orbit."""

from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, ValidationInfo, model_validator

from softdock.elements.lock.model import Lock
from softdock.elements.weld.model import Weld
from softdock.errors import InputError, no_such
from softdock.flexible.structure import NodeName, RigidPart, Structure
from softdock.model.events import Action, Event
from softdock.model.orbit import SystemOrbit
from softdock.model.structures import DampingRatio, Flexible, Modes
from softdock.model.system import Body
from softdock.quantities.fields import (
    Frequency,
    Inertia,
    Integer,
    Length,
    Number,
    PositiveMass,
    PositiveTime,
    Quantity,
    Vector3,
)
from softdock.quantities.model import FieldError, Findings, Model, SeveralFieldsError
from softdock.scenario.base import ScenarioBase
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy, Integrator, Record
from softdock.scenario.station_crew import (
    CrewMotion,
    crew_body,
    crew_drive,
    crew_event,
    crew_member,
    crew_motion,
)
from softdock.scenario.station_options import PublishedMethod
from softdock.spatial.vectors import unit_vector
from softdock.tree.frames import Anchor
from softdock.tree.joints import Free

Floats = NDArray[np.float64]
HALF = 0.5**0.5
CONTACT_TIMES = 4.0
"""Contact times between touch and rigid connection; the relative motion has decayed by then."""
READING_DELAY = 1e-6
"""Time after the impulse or the rigid connection at which rates are read [s]."""
LOCK, CATCH = "hard-dock", "catch"
"""Names of the rigid connection at the docking port, and of the springs and dampers of a docking by contact."""
DRAWN_MODES = 40
"""Clamped modes to which replays fit the deflections of free-free modes."""
FREQUENCIES = 8
"""Number of lowest frequencies among the metrics, as in the paper."""
METRIC_UNITS = {
    "mass": "kg",
    **{f"inertia_{axes}": "kg*m^2" for axes in ("xx", "yy", "zz", "xy", "xz", "yz")},
    "closing_rate": "m/s",
    **{f"delta_rate{what}": "rad/s" for what in ("_rigid", "", "_all_modes", "_simulated")},
    **dict.fromkeys(("modes", "modes_simulated", "residual_inertia"), "1"),
    "highest_frequency": "Hz",
    "delta_velocity": "m/s",
    "docking_impulse": "N*s",
    "docking_angular_impulse": "N*m*s",
    "docking_loss": "J",
    "max_deflection_a": "m",
    "max_deflection_b": "m",
    "max_deflection_a_from_base": "m",
    "max_deflection_b_from_base": "m",
}
"""SI units of the metrics of a run, except for its frequencies."""
DIRECTIONS: dict[str, tuple[float, float, float]] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "xy": (HALF, HALF, 0.0),
    "xz": (HALF, 0.0, HALF),
}


class Visitor(Model):
    """The docking spacecraft in its docked pose; all vectors in station axes from the base node of the station."""

    mass: PositiveMass = 104_326.0
    """Mass of the visiting spacecraft."""
    inertia: Vector3[Inertia] = (8.57e6, 8.16e6, 1.12e6)
    """About its centre of mass."""
    centre: Vector3[Length] = (-10.4, 0.0, 12.44)
    """Centre of mass."""
    port: Vector3[Length] = (-8.0, 0.0, 2.44)
    """Docking port."""
    outline: Literal["box", "orbiter"] = "box"
    """How replays draw it: a box of equal inertia, or an orbiter of typical size, docked nose up (towards -z) with its
    payload bay towards +x."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        try:
            Body.model_validate({"mass": self.mass, "inertia": self.inertia})
        except ValidationError as error:
            raise _as_field_errors(error) from None
        return self


class StationScenario(ScenarioBase):
    """A station of beams and rigid parts, and a spacecraft that docks with its base by a weld impulse."""

    kind: Literal["station"] = "station"
    """Kind of scenario."""
    closing_rate: Annotated[float, Quantity("m/s", ge=0)]
    """Speed of the visitor relative to the station at docking."""
    direction: Literal["x", "y", "z", "xy", "xz"] | Vector3[Number] = "x"
    """Direction of the closing velocity in station axes: a name or a non-zero vector."""
    model: Literal["hybrid", "rigid"] = "hybrid"
    """`hybrid`: a rigid base with flexible appendages; `rigid`: no modes."""
    method: Literal["fixed-interface", "published"] = "fixed-interface"
    """`fixed-interface`: modes of the station clamped at its base, in the multibody core; `published`: the paper's own
    method, free-free modes in mean axes with fixed steps (`published`)."""
    published: PublishedMethod = PublishedMethod()
    """Settings of the method `published`."""
    modes: Modes = 200
    """Modes of the clamped station: number of lowest modes, `all`, or selected by `below`, `share` or `residual`; not
    for the method `published`."""
    simulated_below: Annotated[float, Quantity("Hz", gt=0)] = 20.0
    """Modes above this frequency take part in the impulse but are not integrated in time."""
    contact_time: PositiveTime | None = None
    """Docking by contact: springs and dampers connect the bodies before they are locked rigidly, four contact times
    after the touch. Leave out for an impulse."""
    damping: DampingRatio = 0.01
    """Damping ratio of every mode."""
    before: PositiveTime = 50.0
    """Time before docking."""
    after: PositiveTime = 150.0
    """Time after docking."""
    orbit: SystemOrbit | None = SystemOrbit(altitude=500e3)
    """Leave out (null) for free space."""
    structure: Structure | None = None
    """The station; leave out for the Power Tower."""
    payload: dict[NodeName, RigidPart] = Field(default_factory=dict)
    """Rigid parts that are added to the station, by name."""
    crew: dict[NodeName, CrewMotion] = Field(default_factory=dict)
    """Motions of the crew in the rigid base, by name; their masses are in addition to the station's."""
    panel_elements: Annotated[Integer, Field(ge=2, le=200)] = 8
    """Elements of each panel of the Power Tower; an even number has a node in the middle."""
    panel_frequency: Annotated[float, Quantity("Hz", gt=0)] = 0.08
    """Lowest bending frequency of each panel of the Power Tower, clamped at its root; scales all its frequencies."""
    base_node: NodeName | Annotated[Integer, Field(ge=1)] = "foot"
    """Node of the rigid base; the number of a grid point for modes of Nastran."""
    point_a: str = "keel-top"
    """Node whose deflection is reported as a."""
    point_b: str | None = None
    """Node whose deflection is reported as b; for the Power Tower the middle of an upper outer panel."""
    visitor: Visitor = Visitor(outline="orbiter")
    """The docking spacecraft; the Orbiter of the paper if left out."""
    record_rate: Frequency = 10.0
    """Samples per second."""
    accuracy: Accuracy = Accuracy()
    """Errors that one step of the integration may have."""

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> Self:
        if not isinstance(self.direction, str) and not any(self.direction):
            raise FieldError("direction", "must not be the zero vector")
        if self.method == "published":
            self._check_published(info)
            return self
        if self.base_name() not in self.members().nodes:
            raise FieldError("base_node", f"the station has no node {self.base_node!r}")
        self._check_parts()
        flexible = self.flexible()
        for key in ("point_a", "point_b"):
            node = self.points()["ab".index(key[-1])]
            if node not in flexible.node_names(self.directory):
                raise FieldError(key, f"the station has no node {node!r}")
        self._check_times()
        findings = Findings()
        self._check_system(flexible)
        self._check_requirements(findings)
        findings.report()
        if info.context and "directory" in info.context:
            self._check_modes(flexible)
        return self

    def _check_parts(self) -> None:
        """Raise FieldError for a payload that does not fit the structure, and for crew without a way."""
        members = self._structure()
        for name, part in self.payload.items():
            if name in members.parts:
                raise FieldError(f"payload.{name}", f'the name "{name}" is that of a part of the station')
            if part.node not in members.nodes:
                raise FieldError(f"payload.{name}.node", no_such("node", part.node, members.nodes))
        for name, motion in self.crew.items():
            if motion.start < 0.0 or motion.start + motion.duration() > self.before + self.after:
                raise FieldError(
                    f"crew.{name}.start",
                    f"must be at least 0 s, and the motion, which takes {motion.duration():.3g} s, must end in the run",
                )

    def _check_published(self, info: ValidationInfo) -> None:
        """Raise FieldError for what the paper's method does not have, and for modes that do not fit."""
        refused = {
            "model": self.model == "rigid",
            "contact_time": self.contact_time is not None,
            "crew": bool(self.crew),
            "orbit": self.orbit is not None and not _is_published_orbit(self.orbit),
            "requirements": bool(self.requirement_metrics()),
        }
        reasons = {
            "model": "must be `hybrid`",
            "contact_time": "must be left out: the docking is an impulse",
            "crew": "must be left out: nothing moves in the station",
            "orbit": "must be circular, with gravity of a sphere only and the station at rest in the Hill frame",
            "requirements": "must name metrics of the run: expressions of channels are not evaluated",
        }
        for field, is_given in refused.items():
            if is_given:
                raise FieldError(field, f"{reasons[field]} (`method: published`)")
        self._check_times()
        findings = Findings()
        self._check_requirements(findings)
        findings.report()
        if not self.has_imported_modes():
            if self.base_name() not in self.members().nodes:
                raise FieldError("base_node", f"the station has no node {self.base_node!r}")
            self._check_parts()
        elif self.structure is not None or self.payload:
            raise FieldError(
                "structure" if self.structure is not None else "payload",
                "cannot be combined with `published.alone`, whose files describe the station",
            )
        if info.context and "directory" in info.context:
            from softdock.scenario.station_modes import check_modes

            check_modes(self, info.context["directory"])

    def _check_times(self) -> None:
        if self.after <= self.joined_after() + READING_DELAY:
            raise FieldError(
                "after",
                f"must be longer than it takes to join the two ({self.joined_after() + READING_DELAY:g} s)",
            )
        rows, most = (self.before + self.after) * self.record_rate, Record().max_rows
        if rows > most:
            raise FieldError("record_rate", f"would record {rows:.6g} rows; at most {most} are kept")

    def _check_system(self, flexible: Flexible) -> None:
        """Raise the errors of the multibody system with the keys of this scenario."""
        try:
            self._impulsive_system(flexible)
        except ValidationError as error:
            raise _as_field_errors(error) from None

    def _impulsive_system(self, flexible: Flexible) -> MultibodyScenario:
        """Return the system without the metrics of requirements, for checks; a contact would need its modes."""
        return self.model_copy(update={"contact_time": None, "requirements": {}}).system(
            flexible, np.zeros(3), Free()
        )

    def metric_unit(self, text: str) -> str:
        """Return the SI unit of an expression of a metric; raises FieldError."""
        return self._impulsive_system(self.flexible()).metric_unit(text)

    def metric_units(self) -> dict[str, str]:
        """Return the SI units of all metrics of a run that are one number, by name; `1` if dimensionless."""
        units = dict(METRIC_UNITS)
        for i in range(1, FREQUENCIES + 1):
            units |= {f"{kind}_frequency_{i}": "Hz" for kind in ("free", "coupled", "docked")}
        for name in (LOCK,) if self.contact_time is None else (LOCK, CATCH):
            flat = name.replace("-", "_")
            units |= {f"peak_force_{flat}": "N", f"peak_moment_{flat}": "N*m"}
        for name in self.crew:
            joint, drive = (text.replace("-", "_") for text in (crew_body(name), crew_motion(name)))
            units |= {f"peak_force_{joint}": "N", f"peak_moment_{joint}": "N*m", f"peak_force_{drive}": "N"}
        return units

    def possible_outcomes(self) -> list[str]:
        """Return the outcomes of completed runs."""
        return ["docked"]

    def _check_modes(self, flexible: Flexible) -> None:
        try:
            flexible.find_modes(self.directory)
        except InputError as error:
            problem = error.problems[0]
            known = {"modes": "modes", "residual": "modes.residual"}
            field = known.get(problem.field, "structure" if self.structure else "modes")
            raise FieldError(field, problem.message.rstrip(".")) from None

    def members(self) -> Structure:
        """Return the structure of the station with its payload."""
        members = self._structure()
        if not self.payload:
            return members
        return members.model_copy(update={"parts": {**members.parts, **self.payload}})

    def _structure(self) -> Structure:
        """Return the structure of the station without payload."""
        if self.structure is not None:
            return self.structure
        from softdock.flexible.station import power_tower  # brings SciPy

        return power_tower(panel_elements=self.panel_elements, panel_frequency=self.panel_frequency)

    def flexible(self) -> Flexible:
        """Return the station as a flexible structure with the requested modes."""
        return Flexible(
            body="station",
            base=self.base_name(),
            members=self.members(),
            modes=0 if self.model == "rigid" else self.modes,
            damping=self.damping,
            settled=True,
        )

    def drawn_flexible(self) -> Flexible:
        """Return the station with the clamped modes that replays of the method `published` draw."""
        drawn = self.flexible().model_copy(update={"modes": DRAWN_MODES})
        try:
            drawn.find_modes(self.directory)
        except InputError:  # fewer than that exist
            return drawn.model_copy(update={"modes": "all"})
        return drawn

    def has_imported_modes(self) -> bool:
        """Return whether files of free-free modes describe the station."""
        return self.method == "published" and self.published.alone is not None

    def joined_after(self) -> float:
        """Return the time from the touch to the rigid connection [s]."""
        return CONTACT_TIMES * (self.contact_time or 0.0)

    def points(self) -> tuple[str, str]:
        """Return the nodes a and b."""
        middle = f"panel-starboard-outer-upper.{self.panel_elements // 2}"
        is_tower = self.structure is None and not self.has_imported_modes()
        return self.point_a, self.point_b or (middle if is_tower else self.point_a)

    def base_name(self) -> str:
        """Return the name of the rigid base's node."""
        return str(self.base_node)

    def velocity(self) -> Floats:
        """Return the closing velocity in station axes [m/s]."""
        d = DIRECTIONS[self.direction] if isinstance(self.direction, str) else self.direction
        return self.closing_rate * unit_vector(d)

    def system(self, flexible: Flexible, centre: Floats, visitor: Free) -> MultibodyScenario:
        """Return the same docking as a scenario of kind `multibody`.

        `flexible` has the modes that are integrated in time. The station starts with its centre of mass (`centre`, from
        the base node) in the origin, at rest in the Hill frame; the visitor starts with the state of its free joint.
        """
        v = self.visitor
        a, b = self.points()
        port = np.asarray(v.port) - v.centre
        at_station = Anchor(body="station", at=v.port)
        at_visitor = Anchor(body="visitor", at=(port[0], port[1], port[2]))
        fields = {
            "title": self.title,
            "duration": self.before + self.after,
            "orbit": self.orbit,
            "bodies": {
                "station": Body(joint=Free(position=(-centre[0], -centre[1], -centre[2]))),
                "visitor": Body(mass=v.mass, inertia=v.inertia, joint=visitor),
                **{crew_body(name): crew_member(motion) for name, motion in self.crew.items()},
            },
            "drives": {crew_motion(name): crew_drive(name, motion) for name, motion in self.crew.items()},
            "structures": {"tower": flexible},
            "locks": {LOCK: Lock(a=at_station, b=at_visitor)},
            "welds": {}
            if self.contact_time is None
            else {CATCH: self._catch(flexible, at_station, at_visitor)},
            "events": self._events(),
            "metrics": {
                "max_deflection_a": f"max tower/{a}.deflection",
                "max_deflection_b": f"max tower/{b}.deflection",
                **self.requirement_metrics(),
            },
            "record": Record(
                rate=self.record_rate,
                also=tuple(
                    f"tower/{node}.{field}"
                    for node in dict.fromkeys((a, b))
                    for field in ("dx", "dy", "dz", "deflection")
                ),
            ),
            # Lightly damped modes oscillate for a long time: the higher order conserves their energy.
            "integrator": Integrator(method="dormand-prince", accuracy=self.accuracy),
        }
        return MultibodyScenario.model_validate(fields)  # its errors are those of fields of this scenario

    def _catch(self, flexible: Flexible, a: Anchor, b: Anchor) -> Weld:
        """Return springs and dampers that stop the relative motion in about the contact time."""
        assert self.contact_time is not None
        # Effective mass of the station in a short contact.
        A = np.diag(flexible.find_modes(self.directory).articulated_inertia)
        mass = 1.0 / (1.0 / A[3:].mean() + 1.0 / self.visitor.mass)
        inertia = 1.0 / (1.0 / A[:3].mean() + 1.0 / float(np.mean(self.visitor.inertia)))
        omega = 2.0 * np.pi / self.contact_time
        return Weld(
            a=a,
            b=b,
            stiffness=mass * omega**2,
            angular_stiffness=inertia * omega**2,
            damping=2.0 * mass * omega,
            angular_damping=2.0 * inertia * omega,
        )

    def _events(self) -> dict[str, Event]:
        """Return the events of the touch, of the rigid connection and of the crew."""
        crew = {crew_motion(name): crew_event(name, motion) for name, motion in self.crew.items()}
        if self.contact_time is None:
            message = "The visitor docks: both move as one from here on."
            when = f"time > {self.before!r} s"
            return {"docking": Event(when=when, then=(Action(enable=LOCK),), message=message), **crew}
        return {
            **crew,
            "docking": Event(
                when=f"time > {self.before!r} s",
                then=(Action(enable=CATCH),),
                message="The visitor touches the station and is caught.",
            ),
            "joined": Event(
                when=f"time > {self.before + self.joined_after()!r} s",
                then=(Action(disable=CATCH), Action(enable=LOCK)),
                message="Both are joined rigidly.",
            ),
        }


def _is_published_orbit(orbit: SystemOrbit) -> bool:
    """Return whether an orbit is circular, with gravity of a sphere only, and starts at rest in the Hill frame."""
    plain = not (orbit.j2 or orbit.density or orbit.plates or orbit.sun is not None)
    return plain and orbit.eccentricity == 0.0 and orbit.start == "hill"


def _as_field_errors(error: ValidationError) -> SeveralFieldsError:
    """Return the errors of a body or a system with the keys of a station."""
    errors: list[FieldError] = []
    for details in error.errors(include_url=False):
        cause = details.get("ctx", {}).get("error")
        causes = cause.errors if isinstance(cause, SeveralFieldsError) else (cause,)
        for reason in causes:
            own = reason.path if isinstance(reason, FieldError) else ()
            path = [str(part) for part in (*details["loc"], *own)]
            if path[:2] == ["bodies", "visitor"]:
                path = path[1:]
            elif path[:1] not in (["orbit"], ["mass"], ["inertia"]):
                path = ["structure"]
            errors.append(FieldError(".".join(path), str(reason or details["msg"])))
    return SeveralFieldsError(errors)
