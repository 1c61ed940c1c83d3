"""Units of the fields of a scenario, by dotted path."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from softdock.quantities.fields import JointQuantity, Quantity
from softdock.scenario.base import ScenarioBase


def unit_at(scenario: ScenarioBase, path: str) -> str:
    """Return the SI unit of a number or a list of numbers; `1` if dimensionless, empty if it is not a number."""
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
            part, expected = part[int(key)], _entry_type(expected, int(key))
        else:
            return ""
    annotations = list(_annotations(expected)) if not isinstance(part, str | bool | BaseModel) else []
    for annotation in annotations:
        if isinstance(annotation, Quantity):
            return annotation.unit
    return _joint_unit(scenario, owners, annotations) if annotations else ""


def _entry_type(expected: Any, index: int) -> Any:
    """Return the type of one entry of a list, or the type of the list where that is unknown."""
    origin, inner = get_origin(expected), get_args(expected)
    if origin is tuple:
        return inner[0] if inner[-1] is Ellipsis else inner[min(index, len(inner) - 1)]
    if origin in (Annotated, Union, types.UnionType):
        lists = [part for part in inner if get_origin(part) in (tuple, Annotated, Union, types.UnionType)]
        return _entry_type(lists[0], index) if lists else expected
    return expected


def _annotations(expected: Any) -> Iterator[Quantity | JointQuantity]:
    """Yield the quantity annotations of a type."""
    origin = get_origin(expected)
    if origin is Annotated:
        inner, *metadata = get_args(expected)
        quantities = [
            annotation for annotation in metadata if isinstance(annotation, Quantity | JointQuantity)
        ]
        yield from quantities or _annotations(inner)
    elif origin in (Union, types.UnionType, tuple, list):
        for part in get_args(expected):
            yield from _annotations(part)


def _joint_unit(scenario: ScenarioBase, owners: list[BaseModel], annotations: list[Any]) -> str:
    """Return the unit of a quantity along a joint; depends on the motion of the joint and the mode of a drive."""
    from softdock.elements.joint_element import JointElement
    from softdock.elements.registry import kind_of
    from softdock.model.system import System

    if not isinstance(scenario, System):
        return ""
    owner = next((owner for owner in reversed(owners) if isinstance(owner, JointElement)), None)
    driven = scenario.driven_elements().get(getattr(owners[-1], "drive", None) or "")
    if owner is None and driven is not None:
        return driven[0].target_unit(scenario, driven[1])
    if owner is None or owner.joint not in scenario.bodies:
        return ""
    kind = kind_of(type(owner))[1]
    if len(annotations) > 1 and kind.takes_target:
        return kind.target_unit(scenario, owner)
    annotation = annotations[0]
    turning = scenario.motions_of(owner)[0] == "turning"
    unit: str = (annotation.turning if turning else annotation.sliding).unit
    return unit
