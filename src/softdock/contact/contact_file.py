"""Contact pairs as files for programs in C; see `native/runtime/softdock.h`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.contact.arrays import contact_arrays, list_sizes
from softdock.contact.entry_points import CONTACT_ARRAYS, CONTACT_LISTS
from softdock.contact.kernels import layout
from softdock.contact.kernels.motion_states import RESULT_SIZE, STATE_SIZE
from softdock.contact.pair import ContactPair
from softdock.native.argument_types import Memory, StructureArgument, floats
from softdock.native.model_file import ModelFile, word_of
from softdock.native.structure_memory import arrays_in, layout_of

FIRST_CAPACITY, LARGEST_CAPACITY = 64, 100_000
"""Blocks of a near list at the start, and at most."""


class ContactMemory(NamedTuple):
    """What a pair needs between two calls."""

    arrays: layout.ContactArrays
    lists: layout.ContactLists
    valid: NDArray[np.float64]
    """(1,): motion for which the near list is valid [m]."""


CONTACT_MEMORY = StructureArgument(
    ContactMemory,
    {"arrays": CONTACT_ARRAYS, "lists": CONTACT_LISTS, "valid": floats(1, memory=Memory.DATA)},
)


def contact_file(pair: ContactPair) -> bytes:
    """Return a pair as a file for the functions `sd_contact_...`."""
    arrays = contact_arrays([pair])
    arrays.pairs["include_edges"] = 1
    copied = {path: _array(arrays, path) for path, _ in arrays_in(CONTACT_ARRAYS)}
    memory = layout_of(
        CONTACT_MEMORY,
        list_sizes(arrays, FIRST_CAPACITY),
        {f"arrays.{path}": array for path, array in copied.items()},
    )
    blocks = {kind: memory.block(kind) for kind in (Memory.MODEL, Memory.DATA)}
    for path, array in copied.items():
        memory.write(f"arrays.{path}", array, blocks[Memory.MODEL])
    memory.view("valid", blocks[Memory.DATA])[:] = -np.inf
    # Arguments of `evaluate_states`: pair and skin stand before `valid`, states and results after it.
    none = len(Memory)
    skin = int(np.float64(pair.skin).view(np.int64))
    tables = [0, 0, STATE_SIZE, 0, 0, STATE_SIZE, 0, 0, RESULT_SIZE]
    words = np.concatenate([memory.words[:-2], [0, skin], memory.words[-2:], tables])
    bases = np.concatenate([memory.bases[:-2], [none] * 2, memory.bases[-2:], [none] * len(tables)])
    first = len(words) - len(tables)
    work = layout.WORK.fields
    assert work is not None
    return ModelFile(
        layout=memory,
        words=words,
        bases=bases,
        blocks=blocks,
        empty={"lists.work": ("clearance", "reach"), "lists.skip_until": ()},
        capacity=("blocks", LARGEST_CAPACITY),
        places={"states_A": first, "states_B": first + 3, "results": first + 6,
            "work": word_of(memory, "lists.work"), "block_count": int(work["block_count"][1])},
    ).to_bytes()  # fmt: skip


def _array(arrays: layout.ContactArrays, path: str) -> np.ndarray:
    """Return the array at a path of fields."""
    value: object = arrays
    for name in path.split("."):
        value = getattr(value, name)
    assert isinstance(value, np.ndarray)
    return value
