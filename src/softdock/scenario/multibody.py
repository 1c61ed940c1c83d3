"""Scenarios of kind `multibody`: a multibody system with approach, events, outcomes, metrics and recording."""

import dataclasses
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo

from softdock.assembly.reaction_channels import reaction_channels
from softdock.elements.lock.model import Lock
from softdock.elements.registry import ELEMENT_KINDS, Name
from softdock.elements.spring.model import Spring, energy_metric
from softdock.errors import InputError, Problem, no_such
from softdock.model.changed_members import ChangedMembers
from softdock.model.contact_conditions import CONDITION_METRICS
from softdock.model.events import Action, Event, Outcome
from softdock.model.metrics import MetricText
from softdock.model.orbit import HILL
from softdock.model.phases import UNFINISHED, Phase
from softdock.model.stiffness import DIRECTIONS, LinkStiffness
from softdock.model.structures import Flexible
from softdock.model.surfaces import Surface
from softdock.model.system import WORLD, System
from softdock.quantities.fields import Flag, PositiveTime
from softdock.quantities.model import FieldError, Findings, SeveralFieldsError
from softdock.scenario.base import Origin, ScenarioBase
from softdock.scenario.drive_limits import check_drive_limits
from softdock.scenario.expressions import (
    EventNames,
    check_condition,
    check_metric,
    check_order,
    check_recorded,
    metric_unit,
)
from softdock.scenario.phases import check_phases
from softdock.scenario.run_settings import Approach, DockingFrames, Impact, Integrator, Record
from softdock.tree.frames import Anchor
from softdock.tree.joints import Free

if TYPE_CHECKING:
    from softdock.assembly.approach import DockingPoses
    from softdock.assembly.arrays import Assembly
    from softdock.assembly.initial_motion import FreeStart


OUT_OF_PROPELLANT, ABORTED = "out_of_propellant", "aborted"
"""Outcomes of runs with controllers to which no outcome of the scenario applies."""
MAX_SAMPLES = 1e7
"""Largest number of samples of a controller or its sensor in a run."""

SELF_VALIDATING = {
    *(kind.group for kind in ELEMENT_KINDS.values() if kind.replaceable),
    "bodies", "contacts", "approach", "gnc", "integrator", "record", "impact",
}  # fmt: skip
"""Fields whose models validate their own numbers, so that `with_numbers` need not repeat all checks of the scenario."""
LIMITING = ("stops", *(kind.group for kind in ELEMENT_KINDS.values() if kind.takes_target))
"""Elements whose numbers limit where a joint starts or what an action may ask for."""


@dataclasses.dataclass(frozen=True)
class CheckedAssembly:
    """Assembly with which the validation checked controllers, for the run; ignored in comparisons."""

    assembly: "Assembly | None" = dataclasses.field(default=None, compare=False, repr=False)


class MultibodyScenario(ScenarioBase, System):
    """A multibody system in three dimensions."""

    kind: Literal["multibody"] = "multibody"
    """Kind of scenario."""
    duration: PositiveTime
    """Simulated time; the run ends earlier if an event stops it."""
    approach: Approach | None = None
    """Initial state of the chaser relative to the port; leave out to use the state of the free joints."""
    opening: Flag = True
    """Whether mechanisms open; if false, events with `opens` do not occur."""
    events: dict[Name, Event] = {}
    """Conditions and their actions, by name."""
    phases: tuple[Phase, ...] = ()
    """Phases of a sequence, one after the other; the run ends with the last one."""
    outcomes: tuple[Outcome, ...] = ()
    """Possible outcomes of the run; the first one whose conditions hold applies."""
    metrics: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], MetricText] = {}
    """Metrics of the run: max, min, start, final, mean, rms or integral of a formula, time of or between events,
    duration of a phase."""
    stiffness: dict[Name, LinkStiffness] = {}
    """Static stiffness between frames at the end of the run, as metrics `stiffness_NAME_x` to `stiffness_NAME_rz`."""
    record: Record = Record()
    """Recording of the history."""
    integrator: Integrator = Integrator()
    """Settings of the time integration."""
    impact: Impact | None = None
    """Point of impact for the prediction by theory; found from the contacts if left out."""

    _checked: CheckedAssembly = PrivateAttr(default_factory=CheckedAssembly)

    def _check_all(self, findings: Findings, info: ValidationInfo) -> None:
        if info.context and "directory" in info.context:
            # Quantities may refer to nodes of a file.
            self._origin = Origin(self.name, info.context["directory"])
        super()._check_all(findings, info)
        for name, event in self.events.items():
            findings.of(self._check_condition, f"events.{name}.when", event)
            for i, action in enumerate(event.then):
                findings.of(self.check_action, f"events.{name}.then.{i}", action)
            findings.of(self._check_order, name)
        check_drive_limits(self, findings)
        check_phases(self, findings)
        known, what = [*self.events, *self.phase_names], "event or phase" if self.phases else "event"
        for i, outcome in enumerate(self.outcomes):
            for key in ("happened", "not_happened"):
                for k, event in enumerate(getattr(outcome, key)):
                    field = f"outcomes.{i}.{key}.{k}"
                    findings.of(self._check_known, field, event, known, what)
                    findings.of(self._check_text, field, partial(self.names.refuse_ambiguous, event))
        for name, text in self.metrics.items():
            findings.of(self._check_text, f"metrics.{name}", partial(check_metric, self, self.names, text))
        for i, text in enumerate(self.record.also):
            findings.of(self._check_text, f"record.also.{i}", partial(check_recorded, self, text))
        findings.of(self._check_time)
        if self.impact:
            for side in ("a", "b"):
                findings.of(self.check_body, f"impact.{side}.body", getattr(self.impact, side).body)
        for name, pair in self.stiffness.items():
            findings.of(self.check_connection, f"stiffness.{name}", pair)
        if self.approach:
            before = len(findings.errors)
            findings.of(self.check_body, "approach.chaser", self.approach.chaser, False)
            findings.of(self.check_body, "approach.tip.body", self.approach.tip.body, False)
            findings.of(self.check_body, "approach.port.body", self.approach.port.body)
            if len(findings.errors) == before:
                findings.of(self._check_approach, self.approach)
        if info.context and "directory" in info.context:
            for name in self.surfaces:
                findings.of(self._check_file, name, info.context["directory"])
            for name, structure in self.structures.items():
                findings.of(self._check_structure, name, structure, info.context["directory"])
        if self.gnc and not findings.errors:
            findings.of(self._check_controllers)
        if not findings.errors:  # units of expressions need a valid system
            self._check_metric_names(findings)
        if not findings.errors:
            self._check_requirements(findings)

    def with_numbers(self, fields: Mapping[str, Any], changed: ChangedMembers) -> Self:
        """Return the validated scenario with fields replaced that differ in numbers of some members; raises ValueError.

        Checks that do not depend on these numbers are not repeated for self-validating fields.
        """
        if not (type(self) is MultibodyScenario and fields.keys() <= SELF_VALIDATING):
            return super().with_numbers(fields, changed)
        varied, findings = self.model_copy(update=dict(fields)), Findings()
        varied._check_numbers(findings, changed)
        if changed.affects(*LIMITING) or changed.names("bodies", "joint"):
            check_drive_limits(varied, findings)
            check_phases(varied, findings)
        findings.of(varied._check_time)
        findings.of(varied._check_samples)
        findings.report()
        return varied

    def _check_samples(self) -> None:
        """Raise FieldError for a controller or sensor with too many samples."""
        for name, controller in self.gnc.items():
            rates = {"rate": controller.rate}
            if controller.navigation is not None:
                rates["navigation.sensor.rate"] = controller.navigation.sensor.rate
            for field, rate in rates.items():
                if not self.duration * rate <= MAX_SAMPLES:
                    message = f"would take {self.duration * rate:.3g} samples in {self.duration:g} s"
                    raise FieldError(f"gnc.{name}.{field}", f"{message}; at most {MAX_SAMPLES:g} are allowed")

    def _check_controllers(self) -> None:
        # Imported late: only scenarios with controllers need it.
        from softdock.assembly.controller_checks import check_controllers

        self._check_samples()
        self._checked = CheckedAssembly(check_controllers(self))

    def _check_time(self) -> None:
        rows, most = self.duration * self.record.rate, self.record.max_rows
        if rows > most:
            raise FieldError(
                "record.rate", f"would record {rows:.3g} rows; at most {most} (record.max_rows) are kept"
            )
        if self.integrator.method == "rosenbrock" and (self.elements_of(Lock) or self.structures):
            raise FieldError("integrator.method", "rosenbrock does not support locks or flexible structures")
        step = self.integrator.step
        if step is not None and step > self.duration:
            raise FieldError(
                "integrator.step", f"must not be longer than the duration of {self.duration:g} s"
            )

    def _check_approach(self, approach: Approach) -> None:
        chaser, tip = approach.chaser, approach.tip.body
        if self.bodies[chaser].joint.type != "free":
            raise FieldError("approach.chaser", f"must be a free body; {chaser!r} is not")
        carriers = self.lineage(tip)
        if chaser not in carriers:
            other = f"{tip!r} is carried by {carriers[-1]!r}" if len(carriers) > 1 else f"{tip!r} is not"
            raise FieldError("approach.tip.body", f"must be {chaser!r} or a body that it carries; {other}")
        if approach.port.body != WORLD and chaser in self.lineage(approach.port.body):
            raise FieldError("approach.port.body", "must belong to the target, not to the chaser")

    def _check_known(self, field: str, name: str, known: Collection[str], what: str) -> None:
        if name not in known:
            raise FieldError(field, no_such(what, name, known))

    @property
    def phase_names(self) -> list[str]:
        """Names of the phases, in the order of the file."""
        return [phase.name for phase in self.phases]

    @property
    def names(self) -> EventNames:
        """Names of events and phases, to which expressions refer."""
        return EventNames(tuple(self.events), tuple(self.phase_names))

    @property
    def docking_frames(self) -> DockingFrames | None:
        """Frames of tip and port: of the approach, or of the first controller, preferably one of a position."""
        if self.approach is not None:
            return DockingFrames(self.approach.chaser, self.approach.tip, self.approach.port)
        controllers = [
            (name, controller) for name, controller in self.gnc.items() if controller.target.body != HILL
        ]  # it has no surfaces
        for name, controller in sorted(controllers, key=lambda item: item[1].translation is None):
            return DockingFrames(name, controller.tip or Anchor(body=name), controller.target)
        return None

    def without_history(self) -> Self:
        """Return the same scenario with only its start recorded; events and metrics have the same bits."""
        record = self.record.model_copy(update={"rate": 0.0, "contact_steps": False, "max_rows": 1})
        return self.model_copy(update={"record": record})

    def assemble(self) -> "Assembly":
        """Return the arrays of the system at the start, with the chaser placed by the approach."""
        return self.place_chaser(self.assemble_described())

    def assemble_described(self) -> "Assembly":
        """Return the arrays of the system as it is described, before the approach places its chaser.

        Uses the assembly of the validation, if there is one and the system is the same.
        """
        from softdock.assembly.assembler import assemble

        made = self._checked.assembly
        if made is not None and self._has_system_of(made.system):
            return dataclasses.replace(made, system=self)
        return assemble(self)

    def _has_system_of(self, other: System) -> bool:
        """Return whether this scenario shares its system with another one, for example with a different name."""
        same = all(getattr(self, name) is getattr(other, name) for name in System.model_fields)
        return same and isinstance(other, MultibodyScenario) and other.directory == self.directory

    def at_start(self) -> System:
        """Return the system with the initial motion that the approach gives it."""
        if self.approach is None:
            return self
        body = self.bodies[self.approach.chaser]
        joint = Free(
            **self._chaser_start(self.approach, self.docking_poses(self.assemble_described()))._asdict()
        )
        moved = {self.approach.chaser: body.model_copy(update={"joint": joint})}
        return self.model_copy(update={"bodies": {**self.bodies, **moved}})

    def place_chaser(self, described: "Assembly", poses: "DockingPoses | None" = None) -> "Assembly":
        """Return the assembly of the system as it is described, with its chaser placed by the approach.

        `poses` are those of tip and port in that system, if they are known.
        """
        from softdock.assembly.initial_motion import replace_start

        if self.approach is None:
            return described
        start = self._chaser_start(self.approach, poses or self.docking_poses(described))
        return replace_start(described, self.approach.chaser, start)

    def docking_poses(self, described: "Assembly") -> "DockingPoses":
        """Return poses and motion of tip and port of the approach in the system as it is described."""
        from softdock.assembly.approach import docking_poses

        assert self.approach is not None
        return docking_poses(described, self.approach.chaser, self.approach.tip, self.approach.port)

    def _chaser_start(self, a: Approach, poses: "DockingPoses") -> "FreeStart":
        """Return the initial motion of the chaser of an approach."""
        from softdock.assembly.approach import chaser_start

        return chaser_start(
            self,
            poses,
            p_PT=np.array([*a.offset, -a.distance]),
            turn=np.array([*a.tilt, 0.0]),
            roll=a.roll,
            v_PT=np.array([*a.lateral, a.speed]),
            w_PT=np.array(a.rate, float),
        )

    def _check_condition(self, field: str, event: Event) -> None:
        self._check_text(field, partial(check_condition, self, self.names, event.when))

    def check_action(self, field: str, action: Action) -> None:
        """Raise FieldError for an action that refers to something unknown."""
        for key in ("enable", "disable"):
            if getattr(action, key) is not None:
                known = [*self.elements(), *self.contacts, *self.interfaces]
                self._check_known(f"{field}.{key}", getattr(action, key), known, "element or contact")
        if action.bond is not None:
            self._check_known(f"{field}.bond", action.bond, self.contacts, "contact")
        for key in ("arm", "disarm"):
            if getattr(action, key) is not None:
                self._check_known(f"{field}.{key}", getattr(action, key), self.events, "event")
        if action.drive is not None:
            driven = self.driven_elements()
            self._check_known(f"{field}.drive", action.drive, driven, "drive")
            kind, element = driven[action.drive]
            kind.check_target(self, f"{field}.target", element, action.target)
        if action.control is not None:
            self._check_known(f"{field}.control", action.control, self.gnc, "controller")
            self.gnc[action.control].check_mode(action.mode or "", f"{field}.mode")
        if action.move is not None:
            raise FieldError(f"{field}.move", "moves belong to the arm of a scenario of kind `robot`")

    def _check_text(self, field: str, check: Callable[[], object]) -> None:
        try:
            check()
        except ValueError as error:
            raise FieldError(field, str(error)) from None

    def metric_unit(self, text: str) -> str:
        """Return the SI unit of an expression of a metric; raises FieldError."""
        try:
            return metric_unit(self, check_metric(self, self.names, text))
        except ValueError as error:
            raise FieldError("", str(error)) from None

    def metric_units(self) -> dict[str, str]:
        """Return the SI units of all metrics of a run that are one number, by name; `1` if dimensionless."""
        own = {name: self.metric_unit(text) for name, text in self.own_metrics().items()}
        return self.fixed_metric_units() | own

    def fixed_metric_units(self) -> dict[str, str]:
        """Return the SI units of the metrics that the run has beside those that the scenario defines."""
        contacts = [*self.contacts, *self.interfaces]
        units: dict[str, str] = {}
        for reaction in reaction_channels(self, self.record.loads):
            flat = reaction.name.replace("-", "_")
            units |= {f"peak_force_{flat}": "N"} if reaction.force else {}
            units |= {f"peak_moment_{flat}": "N*m"} if reaction.moment else {}
        units |= {f"peak_contact_force_{name.replace('-', '_')}": "N" for name in contacts}
        units |= {"peak_contact_force": "N"} if contacts else {}
        units |= {energy_metric(name): "J" for name in self.elements_of(Spring)}
        for name in self.structures:
            units |= {f"{what}_{name.replace('-', '_')}": "1" for what in ("modes", "residual")}
        for name in self.stiffness:
            flat = name.replace("-", "_")
            units |= {
                f"stiffness_{flat}_{direction}": "N*m/rad" if "r" in direction else "N/m"
                for direction in DIRECTIONS
            }
        units |= {f"propellant_{name.replace('-', '_')}": "kg" for name in self.gnc}
        units |= {"propellant": "kg"} if self.gnc else {}
        if contacts and self.docking_frames is not None:
            units |= CONDITION_METRICS
        return units

    def _check_metric_names(self, findings: Findings) -> None:
        """Collect the errors of metrics that would replace others of the run."""
        fixed = self.fixed_metric_units() if self.metrics else {}
        message = "is the name of a metric that every run has: choose another"
        findings.errors += [FieldError(f"metrics.{name}", message) for name in self.metrics if name in fixed]

    def own_metrics(self) -> Mapping[str, str]:
        """Return the expressions of the metrics that the scenario defines, by name."""
        return self.metrics

    def all_metrics(self) -> dict[str, str]:
        """Return the expressions of all metrics that a run evaluates: its own and those of requirements."""
        return {**self.metrics, **self.requirement_metrics()}

    def possible_outcomes(self) -> list[str]:
        """Return the outcomes of completed runs."""
        stops = [name for name, event in self.events.items() if any(action.stop for action in event.then)]
        named = [outcome.name for outcome in self.outcomes]
        named += [phase.otherwise for phase in self.phases if phase.otherwise is not None]
        stopped = (name.replace("-", "_").lower() for name in stops)
        steered = [OUT_OF_PROPELLANT, ABORTED] if self.gnc else []
        ends = [UNFINISHED, "completed"] if self.phases else ["completed"]
        return [*dict.fromkeys([*named, *stopped, *steered, *ends])]

    def _check_order(self, name: str) -> None:
        conditions = {}
        for other, event in self.events.items():
            with suppress(ValueError):  # reported by the check of that event
                conditions[other] = event.condition
        self._check_text(f"events.{name}.when", partial(check_order, name, conditions))

    def _check_structure(self, name: str, structure: Flexible, directory: Path) -> None:
        try:
            structure.find_modes(directory)
        except InputError as error:
            problem = error.problems[0]
            field = {"modes": "modes", "residual": "modes.residual", "damping": "damping"}.get(
                problem.field or "",
                "members" if structure.members else "file" if structure.file else "nastran",
            )
            message = f"{problem.field} {problem.message}" if field == "members" else problem.message
            location = (
                [Path(problem.file).name] if problem.file and problem.file != str(structure.file) else []
            )
            location += [f"line {problem.line}"] if problem.line else []
            location += [f"given {problem.given}"] if problem.given and location else []
            within = f" ({', '.join(location)})" if location else ""
            raise FieldError(f"structures.{name}.{field}", message.rstrip(".") + within) from None

    def _check_file(self, name: str, directory: Path) -> None:
        surface = self.surfaces[name]
        if surface.file is not None or surface.solid is not None or surface.shape == "general":
            try:
                if surface.is_general(directory):
                    surface.read_solid(directory)
                else:
                    surface.read(directory)
                surface.solid_zones(directory)
            except InputError as error:
                raise SeveralFieldsError(
                    [_file_error(name, surface, problem) for problem in error.problems]
                ) from None


def _file_error(name: str, surface: Surface, problem: Problem) -> FieldError:
    """Return the error of the field at fault where the CAD file or the solid of a surface cannot be used."""
    if (problem.field or "").startswith("zones."):
        given = f" Given: {problem.given}." if problem.given else ""
        return FieldError(f"surfaces.{name}.{problem.field}", f"{problem.message}{given}")
    if surface.file is None:
        field = f"solid.{problem.field}".rstrip(".")
    else:
        field = "part" if surface.part is not None and problem.given == str(surface.part) else "file"
    return FieldError(f"surfaces.{name}.{field}", f"{problem.message} {problem.hint}".strip())
