"""Channels of elements, from the declarations of their kinds."""

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from softdock.assembly.channels.declaration import ChannelGroup, Field, Fields, Reading
from softdock.dynamics.kernels.channels.channels import ChannelKind, Form
from softdock.elements.declaration import ElementKind
from softdock.elements.fields import ElementField, ElementFields, FieldSource
from softdock.elements.registry import ELEMENT_KINDS
from softdock.model.observations import Observation
from softdock.model.system import System

READERS = {
    FieldSource.FORCE: ChannelKind.ELEMENT_FORCE,
    FieldSource.ENERGY: ChannelKind.ELEMENT_ENERGY,
    FieldSource.DEFLECTION: ChannelKind.ELEMENT_DEFLECTION,
    FieldSource.WRENCH: ChannelKind.ELEMENT_WRENCH,
    FieldSource.VALUE: ChannelKind.ELEMENT_VALUE,
}


class ElementChannels(ChannelGroup):
    """Channels of the elements of one kind."""

    def __init__(self, kind: ElementKind) -> None:
        self.kind = kind
        self.title, self.text = kind.title, kind.text

    @cached_property
    def fields(self) -> Fields:  # type: ignore[override]
        """All fields that an element of this kind may have."""
        return _channel_fields(self.kind.fields)

    def names(self, system: System) -> Iterable[str]:
        """Return the names of the elements."""
        names: Iterable[str] = getattr(system, self.kind.group)
        return names

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields of one element, with their units."""
        return _channel_fields(self.kind.fields_of(system, getattr(system, self.kind.group)[name]))

    def index(self, reading: Reading) -> int:
        """Return the index of the element."""
        return reading.assembly.element_index[reading.observation.name]

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the index of the element, and the form of a field that is the size of a vector."""
        super().locate(record, reading)
        field = self.kind.fields[reading.observation.field]
        if self.kind.is_size(field, reading.assembly.elements[record["i"]]):
            record["form"] = Form.SQUARE

    def recorded(self, system: System) -> Iterator[Observation]:
        """Yield the channels that are recorded by default."""
        for name in self.names(system):
            for field in self.fields_of(system, name):
                if field not in self.kind.unrecorded:
                    yield Observation(name=name, field=field)


def _channel_fields(fields: ElementFields) -> Fields:
    return {name: _channel_field(field) for name, field in fields.items()}


def _channel_field(field: ElementField) -> Field:
    return Field(
        unit=field.unit, meaning=field.meaning, kind=READERS[field.source], component=field.component,
        form=Form.SQUARE if field.is_size else Form.PLAIN,
    )  # fmt: skip


ELEMENT_GROUPS = tuple(map(ElementChannels, ELEMENT_KINDS.values()))
"""Groups of elements, in the order in which their channels are recorded."""
