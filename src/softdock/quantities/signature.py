"""Signatures of models for `help` and notebooks: every field with its type, unit and default."""

import inspect
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from softdock.quantities.fields import JointQuantity, Quantity


class Note:
    """An annotation of a signature, which is shown without quotes."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature_of(fields: Mapping[str, FieldInfo]) -> inspect.Signature:
    """Return the signature of a model: keywords such as `mass: number [kg] = 0.0`."""
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Note(type_text(field.rebuild_annotation())),
                default=inspect.Parameter.empty
                if field.is_required()
                else field.get_default(call_default_factory=True),
            )
            for name, field in fields.items()
            if name != "type"
        ]
    )


def type_text(annotation: Any) -> str:
    """Return the type of a field in words, with units in brackets."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        for argument in inner[1:]:
            if isinstance(argument, Quantity):
                return "number" if argument.unit == "1" else f"number [{argument.unit}]"
            if isinstance(argument, JointQuantity):
                return f"number [{argument.sliding.unit} or {argument.turning.unit}]"
        return type_text(inner[0])
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(type_text, inner)))
    if origin is Literal:
        return " | ".join(map(repr, inner))
    if origin is dict:
        return f"mapping of names to {type_text(inner[1])}"
    if origin is tuple and inner[-1] is Ellipsis:
        return f"list of {type_text(inner[0])}"
    if origin is tuple:
        same = len(set(inner)) == 1
        return f"{len(inner)} x {type_text(inner[0])}" if same else f"({', '.join(map(type_text, inner))})"
    if annotation in (None, type(None)):
        return "None"
    return getattr(annotation, "__name__", str(annotation))
