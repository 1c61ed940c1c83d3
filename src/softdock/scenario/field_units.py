"""The unit of any field of a scenario, by its dotted path."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from softdock.quantities.fields import JointQuantity, Quantity
from softdock.scenario.base import ScenarioBase


def unit_at(scenario: ScenarioBase, path: str) -> str:
    """Return the SI unit of a number, or of the numbers of a list; `1` for a pure number, empty if it has none."""
    part: Any = scenario
    expected: Any = None
    owners: list[BaseModel] = []
    for key in path.split("."):
        if isinstance(part, BaseModel):
            owners.append(part)
            field = type(part).model_fields.get(key)
            if field is None:
                return ""
            expected = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
            part = getattr(part, key)
        elif isinstance(part, dict):
            part = part.get(key)
        elif isinstance(part, tuple) and key.isdecimal() and int(key) < len(part):
            part, expected = part[int(key)], _inside(expected, int(key))
        else:
            return ""
    marks = list(_marks(expected)) if not isinstance(part, str | bool | BaseModel) else []
    for mark in marks:
        if isinstance(mark, Quantity):
            return mark.unit
    return _of_joint(scenario, owners, marks) if marks else ""


def _inside(expected: Any, index: int) -> Any:
    """Return the type of one entry of a list; the list's own where that does not tell."""
    origin, inner = get_origin(expected), get_args(expected)
    if origin is tuple:
        return inner[0] if inner[-1] is Ellipsis else inner[min(index, len(inner) - 1)]
    if origin in (Annotated, Union, types.UnionType):
        lists = [part for part in inner if get_origin(part) in (tuple, Annotated, Union, types.UnionType)]
        return _inside(lists[0], index) if lists else expected
    return expected


def _marks(expected: Any) -> Iterator[Quantity | JointQuantity]:
    """Yield the quantities that a type allows."""
    origin = get_origin(expected)
    if origin is Annotated:
        inner, *metadata = get_args(expected)
        found = [mark for mark in metadata if isinstance(mark, Quantity | JointQuantity)]
        yield from found or _marks(inner)
    elif origin in (Union, types.UnionType, tuple, list):
        for part in get_args(expected):
            yield from _marks(part)


def _of_joint(scenario: ScenarioBase, owners: list[BaseModel], marks: list[Any]) -> str:
    """Return the unit of what acts along a joint: it depends on what that joint does, and what a drive follows."""
    from softdock.model.system import Drive, JointElement, System

    owner = next((one for one in reversed(owners) if isinstance(one, JointElement)), None)
    if not isinstance(scenario, System):
        return ""
    if owner is None:
        owner = scenario.drives.get(getattr(owners[-1], "drive", None) or "")
    if owner is None or owner.joint not in scenario.bodies:
        return ""
    mark = marks[-1] if isinstance(owner, Drive) and owner.follows == "speed" and len(marks) > 1 else marks[0]
    turning = scenario.motions_of(owner)[0] == "turning"
    unit: str = (mark.turning if turning else mark.sliding).unit
    return unit
