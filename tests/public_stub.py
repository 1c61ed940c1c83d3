"""Writes `src/softdock/__init__.pyi`, the types of the public names: `python -m tests.public_stub`.

The fields of models are numbers, and their constructors also take texts with units. Type checkers derive the arguments
of a constructor from the fields and would refuse the texts, so the stub declares every constructor.
"""

import inspect
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

import softdock
from softdock.model.metrics import MetricText
from softdock.quantities.fields import JointQuantity, Quantity

PATH = Path(softdock.__file__).with_suffix(".pyi")
HEAD = """# Types of the public names, written by `python -m tests.public_stub`.
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from softdock.campaign.interface import Campaign as Campaign
from softdock.campaign.interface import Probability as Probability
from softdock.campaign.run_table import RunTable as RunTable
from softdock.errors import InputError as InputError
from softdock.errors import Problem as Problem
from softdock.errors import RunError as RunError
from softdock.result import History as History
from softdock.result import Result as Result
from softdock.scenario.base import ScenarioBase
from softdock.scenario.loading import Bundled
from softdock.scenario.overrides import Overrides
from softdock.simulation.control import Actuation as Actuation
from softdock.simulation.control import BodyMotion as BodyMotion
from softdock.simulation.control import ControlInterface as ControlInterface
from softdock.simulation.control import JointMotion as JointMotion
from softdock.simulation.control import Measurement as Measurement
from softdock.simulation.control import UserController as UserController
from softdock.simulation.control import Wrench as Wrench
from softdock.simulation.plant import Plant as Plant
from softdock.simulation.plant_pool import PlantPool as PlantPool
from softdock.simulation.real_time import RealTime

{imports}

__version__: str

_ScenarioLike = ScenarioBase | Mapping[str, Any] | str | os.PathLike[str]

def bundled() -> list[Bundled]: ...
def load(name_or_path: str | os.PathLike[str], overrides: Overrides = ...) -> Scenario: ...
def predict(scenario: _ScenarioLike, overrides: Overrides | None = ...) -> Mapping[str, Any] | None: ...
def simulate(
    scenario: _ScenarioLike,
    overrides: Overrides | None = ...,
    *,
    with_prediction: bool = ...,
    real_time: RealTime | None = ...,
    controller: UserController | None = ...,
) -> Result: ...

class Scenario(ScenarioBase):
    def __init__(
        self,
        source: _ScenarioLike | None = ...,
        /,
        overrides: Overrides = ...,
        *,
        name: str | None = ...,
        directory: str | os.PathLike[str] | None = ...,
        **fields: Any,
    ) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
"""


def models() -> dict[str, type[BaseModel]]:
    """Return the public models by name."""
    values = {name: getattr(softdock, name) for name in dir(softdock)}
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, type) and issubclass(value, BaseModel)
    }


def stub() -> str:
    """Return the text of the stub."""
    imports = "\n".join(
        f"from {model.__module__} import {name} as _{name}"
        for name, model in sorted(models().items(), key=lambda item: (item[1].__module__, item[0]))
    )
    parts = [HEAD.format(imports=imports)]
    for name, model in models().items():
        arguments = [
            f"        {key}: {argument_type(field.rebuild_annotation())}{'' if field.is_required() else ' = ...'},"
            for key, field in model.model_fields.items()
            if key != "type"
        ]
        summary = inspect.cleandoc(model.__doc__ or "").splitlines()[0]
        parts.append(
            "\n".join(
                [
                    f"class {name}(_{name}):",
                    f'    """{summary}"""',
                    "",
                    "    def __init__(",
                    "        self,",
                    "        *,",
                    *arguments,
                    "    ) -> None: ...",
                    "",
                ]
            )
        )
    return "\n".join(parts)


def argument_type(annotation: Any) -> str:
    """Return the type of an argument of a constructor."""
    return " | ".join(dict.fromkeys(members(annotation)))


def members(annotation: Any) -> Iterator[str]:
    """Yield the members of the union of types that a field accepts."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        if any(isinstance(one, Quantity | JointQuantity) for one in inner[1:]):
            yield from ("float", "str")
        elif annotation == MetricText:
            yield from ("str", "_Metric")
        else:
            yield from members(inner[0])
    elif origin in (Union, types.UnionType):
        for part in inner:
            yield from members(part)
    elif origin is tuple and inner[-1] is not Ellipsis:
        yield f"tuple[{', '.join(map(argument_type, inner))}]"
        yield "Sequence[Any]"
    elif origin is tuple:
        yield f"Sequence[{argument_type(inner[0])}]"
    elif origin is dict:
        yield f"Mapping[str, {argument_type(inner[1])}]"
    elif origin is Literal:
        yield f"Literal[{', '.join(map(repr, inner))}]"
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from (
            f"_{annotation.__name__}" if annotation in models().values() else "Any",
            "Mapping[str, Any]",
        )
    elif annotation in (None, type(None)):
        yield "None"
    else:
        yield annotation.__name__ if annotation in (str, int, float, bool) else "Any"


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
