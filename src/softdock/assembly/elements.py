"""Records of the elements of a system for the kernels."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.elements.declaration import ElementRecord, Surroundings
from softdock.elements.kernels.dispatch import KERNELS, LAWS, STATES, Laws, States
from softdock.elements.kernels.records import ELEMENT, ELEMENT_DATA
from softdock.elements.kinds import kind_number
from softdock.elements.registry import kind_of
from softdock.model.system import System
from softdock.tree.indices import StateKind
from softdock.tree.kernels.tree import records

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ElementArrays:
    """Records of all elements, in the order of the kinds; laws and states by kind."""

    elements: np.recarray
    data: np.recarray
    laws: Laws
    states: States

    def fill(self, i: int, element: Any, at_state: int, around: Surroundings) -> None:
        """Write all records of element i; its row among its kind must be set already."""
        name, kind = kind_of(type(element))
        row = int(self.elements.view(np.ndarray)["row"][i])
        record, data = _emptied(self.elements, i), _emptied(self.data, i)
        law = _emptied(getattr(self.laws, name), row) if name in LAWS else None
        state = _emptied(getattr(self.states, name), row) if name in STATES else None
        # Access by key is ten times faster than by attribute.
        record["kind"], record["row"] = kind_number(name), row
        for index in ("a", "b", "at_q", "at_u", "at_state"):
            record[index] = -1
        record["always"], record["connection"] = kind.always, hasattr(KERNELS[name], "connect")
        record["stiff"], data["active"] = kind.is_stiff(element), element.active
        kind.write(ElementRecord(element=record, data=data, law=law, state=state), element, around)
        record["at_state"] = at_state


def _emptied(array: np.recarray, row: int) -> Any:
    """Return a record, a view, after all its fields were set to zero."""
    plain = array.view(np.ndarray)  # access to rows is four times faster
    plain[row : row + 1].view(np.uint8).fill(0)
    return plain[row]


def empty_elements(rows: Mapping[str, int] = MappingProxyType({})) -> ElementArrays:
    """Return records for a number of elements of each kind, all zero."""
    count = sum(rows.values())
    return ElementArrays(
        elements=records(count, ELEMENT),
        data=records(count, ELEMENT_DATA),
        laws=Laws(*(records(rows.get(name, 0), dtype) for name, dtype in LAWS.items())),
        states=States(*(records(rows.get(name, 0), dtype) for name, dtype in STATES.items())),
    )


def element_arrays(system: System, indices: Mapping[str, int], around: Surroundings) -> ElementArrays:
    """Return the records of all elements of a system; `indices` has the first own entry in the state of some."""
    named = system.elements()
    arrays = empty_elements(Counter(kind_of(type(element))[0] for element in named.values()))
    filled: Counter[str] = Counter()
    for i, (name, element) in enumerate(named.items()):
        kind = kind_of(type(element))[0]
        arrays.elements[i].row = filled[kind]
        filled[kind] += 1
        arrays.fill(i, element, indices.get(name, -1), around)
    return arrays


def element_states(system: System) -> dict[str, tuple[StateKind, ...]]:
    """Return the kinds of the own entries in the state of those elements that have any, by name."""
    states = {
        name: kind_of(type(element))[1].state_kinds(element) for name, element in system.elements().items()
    }
    return {name: kinds for name, kinds in states.items() if kinds}


def state_indices(system: System, positions: int) -> dict[str, int]:
    """Return the index of the first own entry in the state of those elements that have any: the last positions."""
    kinds = element_states(system)
    at = positions - sum(map(len, kinds.values()))
    indices = {}
    for name, own in kinds.items():
        indices[name] = at
        at += len(own)
    return indices
