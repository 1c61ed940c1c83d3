"""Inputs of plants: names with units, the loads that they need, and their records for the kernels."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.assembly.arrays import Assembly
from softdock.dynamics.kernels.recording.run_data import INPUT, InputKind
from softdock.elements.load.model import Load
from softdock.errors import InputError, Problem, no_such
from softdock.model.system import WORLD
from softdock.scenario.multibody import MultibodyScenario
from softdock.tree.kernels.tree import records

NAME = re.compile(
    r"(?P<name>[A-Za-z][\w-]*)(?:/(?P<part>[A-Za-z][\w-]*))?(?:\s*@\s*\[(?P<point>[^\[\]]*)\])?"
    r"\s*\.\s*(?P<field>[a-z]\w*)(?:\s+in\s+(?P<frame>[A-Za-z][\w-]*))?"
)
WRENCH = {"tx": 0, "ty": 1, "tz": 2, "fx": 3, "fy": 4, "fz": 5}
"""Components of torque and force by the names of their channels, in the order of the record of a load."""
VECTORS = {"force": ("fx", "fy", "fz"), "torque": ("tx", "ty", "tz")}
AXIS_UNITS = {"sliding": "N", "turning": "N*m"}
TARGET_UNITS = {
    ("position", "sliding"): "m",
    ("position", "turning"): "rad",
    ("speed", "sliding"): "m/s",
    ("speed", "turning"): "rad/s",
}
GRAMMAR = (
    "An input is `body.fx` (to `fz`, `tx` to `tz`, or `force`, `torque` for all three) with ` in world` for axes of "
    "the world and `body@[x, y, z].fx` for another point, `load.fx`, `joint.effort`, `drive.target` or "
    "`controller/thruster.valve`."
)


@dataclass(frozen=True, kw_only=True)
class PlantInput:
    """A number that a caller sets between two steps."""

    name: str
    unit: str
    kind: InputKind
    target: str
    """Load, body of the joint, driven element, or `controller/thruster`."""
    component: int = 0
    """Of the wrench of a load, or axis of a joint."""
    start: float = 0.0


class PlantInputs:
    """Inputs of a scenario, in the order in which they were asked for."""

    def __init__(self, scenario: MultibodyScenario, names: Iterable[str]) -> None:
        """Find what the names mean. Raises InputError with one problem for every name that means nothing."""
        self._scenario = scenario
        self.loads: dict[str, Load] = {}
        """Loads that the inputs add to the scenario, by name."""
        found: dict[str, PlantInput] = {}
        problems = []
        if isinstance(names, str):
            raise InputError("Must be a list of names.", field="inputs", given=repr(names))
        for i, name in enumerate(names):
            try:
                for one in self._parse(str(name)):
                    if one.name in found:
                        raise ValueError(f"the input {one.name!r} is given twice")
                    found[one.name] = one
            except ValueError as error:
                text = str(error)
                message = f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
                problems.append(Problem(message=message, field=f"inputs.{i}", given=str(name)))
        if problems:
            raise InputError(*problems)
        self.inputs: tuple[PlantInput, ...] = tuple(found.values())

    @property
    def controllers(self) -> set[str]:
        """Controllers whose thrusters are commanded by inputs; they take no samples."""
        return {i.target.split("/")[0] for i in self.inputs if i.kind is InputKind.THRUSTER}

    def _parse(self, text: str) -> Iterator[PlantInput]:
        match = NAME.fullmatch(text.strip())
        if not match:
            raise ValueError(GRAMMAR)
        _scenario, name, field, part = self._scenario, match["name"], match["field"], match["part"]
        place = match["point"] or match["frame"]
        if part is not None:
            if field != "valve" or place:
                raise ValueError(f"a thruster has the input `valve` only. {GRAMMAR}")
            yield self._valve(text, name, part)
        elif field in WRENCH or field in VECTORS:
            yield from self._wrench(match)
        elif place:
            raise ValueError(f"only forces and torques on a body have a point and axes. {GRAMMAR}")
        elif field == "target":
            yield self._target(text, name)
        elif field == "effort" or re.fullmatch(r"effort_\d+", field):
            yield from self._efforts(name, field)
        else:
            known = [*WRENCH, *VECTORS, "effort", "target", "valve"]
            raise ValueError(f"{no_such('input', field, known)}. {GRAMMAR}")

    def _wrench(self, match: re.Match[str]) -> Iterator[PlantInput]:
        """Yield the components of force or torque on a body, or of a load of the scenario."""
        scenario, name, field, frame = self._scenario, match["name"], match["field"], match["frame"]
        own = scenario.elements_of(Load)
        at = "" if match["point"] is None else f"@[{match['point'].strip()}]"
        if name in own:
            if at or frame:
                raise ValueError(f"the load {name!r} has its own point and axes")
            load, wrench = name, [*own[name].torque, *own[name].force]
        else:
            if name not in scenario.bodies:
                raise ValueError(no_such("body or load", name, [*scenario.bodies, *own]))
            if frame not in (None, WORLD, name):
                raise ValueError(f"axes are those of the body, or ` in {WORLD}`")
            load, wrench = self._added_load(name, match["point"], frame == WORLD), [0.0] * 6
        suffix = f" in {WORLD}" if frame == WORLD else ""
        for component in VECTORS.get(field, (field,)):
            k = WRENCH[component]
            yield PlantInput(
                name=f"{name}{at}.{component}{suffix}",
                unit="N*m" if k < 3 else "N",
                kind=InputKind.LOAD,
                target=load,
                component=k,
                start=float(wrench[k]),
            )

    def _added_load(self, body: str, point: str | None, in_world: bool) -> str:
        """Return the name of the load that inputs on a body use."""
        values: dict[str, Any] = {"body": body, "axes": "world" if in_world else "body"}
        if point is not None:
            values["at"] = tuple(part.strip() for part in point.split(","))
        try:
            load = Load(**values)
        except InputError as error:
            raise ValueError(f"the point of {body!r} is wrong: {error.problems[0].message}") from None
        for name, other in self.loads.items():
            if other == load:
                return name
        name = f"input-{len(self.loads) + 1}"
        while name in self._scenario.elements():
            name += "-"
        self.loads[name] = load
        return name

    def _efforts(self, body: str, field: str) -> Iterator[PlantInput]:
        scenario = self._scenario
        moving = [name for name, b in scenario.bodies.items() if b.joint.type != "free" and b.joint.motions]
        if body not in moving:
            raise ValueError(no_such("body on a joint with axes", body, moving))
        for controller, model in scenario.gnc.items():
            if any(wheel.body == body for wheel in model.wheels.values()):
                raise ValueError(f"the controller {controller!r} commands the wheel {body!r}")
        motions = scenario.bodies[body].joint.motions
        chosen = range(len(motions)) if field == "effort" else [int(field[7:]) - 1]
        for k in chosen:
            if not 0 <= k < len(motions):
                raise ValueError(f"the joint of {body!r} has the axes 1 to {len(motions)}")
            name = f"{body}.effort" if len(motions) == 1 else f"{body}.effort_{k + 1}"
            yield PlantInput(
                name=name, unit=AXIS_UNITS[motions[k]], kind=InputKind.EFFORT, target=body, component=k
            )

    def _target(self, text: str, name: str) -> PlantInput:
        driven = self._scenario.driven_elements()
        if name not in driven:
            raise ValueError(no_such("drive", name, driven))
        element = driven[name][1]
        follows, unit = getattr(element, "follows", "position"), "m"
        if hasattr(element, "joint"):
            unit = TARGET_UNITS[follows, self._scenario.motions_of(element)[0]]
        return PlantInput(
            name=f"{name}.target",
            unit=unit,
            kind=InputKind.TARGET,
            target=name,
            start=_start_of(name, element),
        )

    def _valve(self, text: str, controller: str, thruster: str) -> PlantInput:
        if controller not in self._scenario.gnc:
            raise ValueError(no_such("controller", controller, self._scenario.gnc))
        thrusters = self._scenario.gnc[controller].thrusters
        if thruster not in thrusters:
            raise ValueError(no_such("thruster", thruster, thrusters))
        target = f"{controller}/{thruster}"
        return PlantInput(name=f"{target}.valve", unit="1", kind=InputKind.THRUSTER, target=target)

    def records(self, assembly: Assembly) -> np.recarray:
        """Return the records of the inputs of an assembled scenario that has `loads`."""
        out = records(len(self.inputs), INPUT)
        rows = assembly.elements.view(np.ndarray)["row"]
        thrusters = [f"{c}/{name}" for c, model in self._scenario.gnc.items() for name in model.thrusters]
        for record, one in zip(out.view(np.ndarray), self.inputs):
            record["kind"], record["component"], record["start"] = one.kind, one.component, one.start
            if one.kind is InputKind.LOAD:
                record["index"] = rows[assembly.element_index[one.target]]
            elif one.kind is InputKind.EFFORT:
                record["index"] = assembly.joints[one.target].at_u + one.component
            elif one.kind is InputKind.TARGET:
                record["index"] = assembly.element_index[one.target]
            else:
                record["index"] = thrusters.index(one.target)
                record["component"] = list(self._scenario.gnc).index(one.target.split("/")[0])
        return out


def _start_of(name: str, element: Any) -> float:
    """Return the target of a driven element at the start; raises ValueError for one that follows none."""
    if not hasattr(element, "reel"):
        return float(element.target)
    if element.reel is None:
        raise ValueError(f"the tether {name!r} has no reel, so that its length has no target")
    return float(element.length if element.reel.target is None else element.reel.target)
