"""The declarations of all kinds of elements, and the models of systems that follow from them."""

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, TypeVar

from pydantic import Field, StringConstraints, create_model

from softdock.elements.declaration import ElementKind
from softdock.elements.kinds import KINDS
from softdock.quantities.model import Model

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
"""Letters, digits, - and _, starting with a letter."""
M = TypeVar("M", bound=Model)


def _declared(name: str) -> ElementKind:
    """Return the declaration of a kind: the one subclass of `ElementKind` in its module `declaration`."""
    module = import_module(f"softdock.elements.{name}.declaration")
    kinds = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, ElementKind) and value.__module__ == module.__name__
    ]
    if len(kinds) != 1:
        raise TypeError(f"{module.__name__} must declare one kind of element, not {len(kinds)}")
    kind: ElementKind = kinds[0]()
    return kind


ELEMENT_KINDS: Mapping[str, ElementKind] = {name: _declared(name) for name in KINDS}
"""All kinds by the name of their folder, in the order of their records."""


_OF_MODELS: dict[type, tuple[str, ElementKind]] = {}


def kind_of(model: type[Model]) -> tuple[str, ElementKind]:
    """Return the name and the declaration of the kind of a model."""
    if model not in _OF_MODELS:
        _OF_MODELS[model] = next(item for item in ELEMENT_KINDS.items() if issubclass(model, item[1].model))
    return _OF_MODELS[model]


def with_elements(base: type[M]) -> type[M]:
    """Return a model with the fields of a base and one key of named elements for each kind."""
    groups: dict[str, Any] = {
        kind.group: (dict[Name, kind.model], Field(default={}, description=kind.summary))  # type: ignore[name-defined]
        for kind in ELEMENT_KINDS.values()
    }
    return create_model("Elements", __base__=base, __module__=__name__, **groups)
