"""Memory of the data: everything that changes in a run, which can be copied, saved and restored to the bit."""

import struct
import threading
from typing import TYPE_CHECKING

import numpy as np

from softdock.contact.arrays import clear_lists
from softdock.dynamics.entry_points import (
    advance_plant,
    advance_run,
    begin_run,
    finish_run,
    observe,
    observe_plant,
)
from softdock.dynamics.kernels.recording.run_data import PendingRow, RunData, RunStatus
from softdock.dynamics.model_memory import ModelMemory
from softdock.dynamics.system_records import FIRST_CAPACITY
from softdock.errors import InputError
from softdock.native.argument_types import Memory, PreparedStructure
from softdock.native.structure_memory import Block, MemoryLayout

if TYPE_CHECKING:
    from softdock.dynamics.simulation import Simulation


_HEADER = struct.Struct("<8s32s4q")
"""Name of the format, digest of the model, capacity of lists, status, rows of the history and of the log."""
_FORMAT = b"SDDATA1\0"
MAX_START_BLOCKS = 16_384
"""Of cells in a near list of the initial state: more have only surfaces that overlap too deeply, which is refused."""


class DataMemory:
    """Data of one run of a model: state, workspace, results, near lists, history and log.

    `run` has its arrays as views, `prepared` passes them to entry points. Both are replaced when near lists grow.
    """

    run: RunData
    prepared: PreparedStructure

    def __init__(self, model: ModelMemory) -> None:
        self.model = model
        self.status = RunStatus.RUNNING
        """Of the last call that advanced the run."""
        self._layout: MemoryLayout = model.layout
        self.blocks: dict[Memory, Block] = {
            memory: model.block if memory is Memory.MODEL else self._layout.block(memory) for memory in Memory
        }
        """Bytes of each kind of memory; that of the model is shared."""
        self.blocks[Memory.DATA][:] = model.start
        self._bind()
        clear_lists(self.run.system.lists)

    @property
    def capacity(self) -> int:
        """Capacity of the near lists [blocks]."""
        return self._layout.sizes["blocks"]

    def unshare_model(self) -> None:
        """Use a copy of the constant arrays, which the caller may change; other data keep those of the model."""
        self.blocks[Memory.MODEL] = self.blocks[Memory.MODEL].copy()
        self._bind()

    def begin_run(self) -> bool:
        """Evaluate the start with near lists that are long enough; returns whether they are within `MAX_START_BLOCKS`.

        Forces, energies and tolerances of the start need all cells that touch.
        """
        while not self.begin():
            if self.capacity >= MAX_START_BLOCKS:
                return False
            self.blocks[Memory.DATA][:] = self.model.start
            self.resize_lists(4 * self.capacity)
        return True

    def reset(self) -> None:
        """Return to the start of the run, as new data of the model are."""
        self.status = RunStatus.RUNNING
        self.blocks[Memory.DATA][:] = self.model.start
        self.resize_lists(FIRST_CAPACITY)

    def resize_lists(self, capacity: int) -> None:
        """Empty the near lists and give them another capacity [blocks]."""
        if capacity == self.capacity:
            self.blocks[Memory.LISTS][:] = 0  # kernels also read lanes of a block that have no cell
        else:
            self._layout = self.model.layout_with(capacity)
            self.blocks[Memory.LISTS] = self._layout.block(Memory.LISTS)
            self._bind()
        clear_lists(self.run.system.lists)

    def _bind(self) -> None:
        """Make views of the blocks and pass them to the kernels, once for all calls."""
        self.prepared = prepared = self._layout.bind(self.blocks)
        self.run = prepared.value
        system = self.run.system
        # Plain arrays, whose fields are read ten times faster.
        self.progress = self.run.progress.view(np.ndarray)[0]
        self.counters = system.counters.view(np.ndarray)[0]
        self.summary = self.run.summary.view(np.ndarray)[0]
        self.true_at_start: np.ndarray = self.run.event_states.view(np.ndarray)["true_at_start"]
        self.begin, self.observe = begin_run.bind(prepared), observe.bind(prepared)
        self.advance, self.finish = advance_run.bind(prepared), finish_run.bind(prepared)
        self.advance_plant, self.observe_plant = advance_plant.bind(prepared), observe_plant.bind(prepared)

    def save(self) -> bytes:
        """Return all data with which the run can be continued by any process that has the same model."""
        parts = [self.blocks[Memory.DATA], self.blocks[Memory.LISTS], *self._written_rows()]
        header = _HEADER.pack(
            _FORMAT, self.model.digest, self.capacity, self.status.value, len(parts[2]), len(parts[3])
        )
        return b"".join([header, *(part.tobytes() for part in parts)])

    def restore(self, saved: bytes) -> None:
        """Continue from data that `save` returned; raises InputError where they belong to another model."""
        if len(saved) < _HEADER.size or saved[:8] != _FORMAT:
            raise _refusal("They were not written by `save`.")
        _, digest, capacity, status, rows, log_rows = _HEADER.unpack_from(saved)
        if digest != self.model.digest:
            raise _refusal("They belong to another model, or to another version of Softdock.")
        self.resize_lists(capacity)
        run, blocks = self.run, self.blocks
        targets = [
            blocks[Memory.DATA],
            blocks[Memory.LISTS],
            _bytes(run.record[:rows]),
            _bytes(run.log[:log_rows]),
        ]
        if len(saved) != _HEADER.size + sum(target.size for target in targets):
            raise _refusal("They are not complete.")
        at = _HEADER.size
        for target in targets:
            target[:] = np.frombuffer(saved, np.uint8, target.size, at)
            at += target.size
        self.status = RunStatus(status)

    def copy(self) -> "DataMemory":
        """Return data of the same model with the same content and memory of their own."""
        other = DataMemory(self.model)
        other.resize_lists(self.capacity)
        for memory in (Memory.DATA, Memory.LISTS):
            other.blocks[memory][:] = self.blocks[memory]
        for target, rows in zip((other.run.record, other.run.log), self._written_rows()):
            target[: len(rows)] = rows
        other.status = self.status
        return other

    def _written_rows(self) -> list[np.ndarray]:
        """Return the rows of the history and of the log that are written, also one that is not complete yet."""
        run, progress = self.run, self.progress
        pending = progress["pending_row"] != PendingRow.NONE
        return [run.record[: progress["record_rows"] + pending], run.log[: progress["log_rows"]]]


class MemoryOfThread(threading.local):
    """Memory that the runs of one thread use one after the other; results of a run are valid until the next one.

    A campaign run then allocates nothing: its numbers are written into the model, and the data are reset.
    """

    def __init__(self) -> None:
        self._data: DataMemory | None = None

    def begin(self, simulation: "Simulation") -> DataMemory:
        """Return the data of a simulation at its start."""
        if self._data is not None and self._data.model.write(simulation):
            self._data.reset()
        else:
            self._data = DataMemory(ModelMemory(simulation))
        return self._data


def _bytes(rows: np.ndarray) -> Block:
    """Return the bytes of rows, to be written into."""
    plain: Block = rows.reshape(-1).view(np.uint8)
    return plain


def _refusal(reason: str) -> InputError:
    hint = "Restore them with the scenario and the version that saved them."
    return InputError(f"The saved data cannot be restored. {reason}", hint=hint)
