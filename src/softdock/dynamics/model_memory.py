"""Memory of the model: what all runs of a prepared system share, and the data with which they start."""

import hashlib
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from softdock.contact.arrays import contact_arrays, list_sizes
from softdock.dynamics.entry_points import RUN
from softdock.dynamics.kernels.forces.contacts import initial_pair_states
from softdock.dynamics.kernels.forces.interfaces import initial_interface_states
from softdock.dynamics.kernels.search.events import ActionKind
from softdock.dynamics.run_memory import (
    accuracies,
    has_stiff_elements,
    history_rows,
    initial_event_states,
    initial_peaks,
    initial_progress,
    initial_window_states,
    linear_sizes,
    run_settings,
    start_points,
)
from softdock.dynamics.search_resolution import needed_links
from softdock.dynamics.settings import Settings
from softdock.dynamics.system_arrays import SystemArrays
from softdock.dynamics.system_records import (
    FIRST_CAPACITY,
    contact_inputs,
    controller_inputs,
    number_inputs,
    system_inputs,
    system_sizes,
)
from softdock.native.argument_types import Memory, Sizes
from softdock.native.structure_memory import Block, MemoryLayout, layout_of

if TYPE_CHECKING:
    from softdock.dynamics.simulation import Simulation


_parts = operator.attrgetter(
    "channels", "events", "actions", "pairs", "contact_pairs", "interfaces", "pins", "formulas", "windows",
    "observed_reactions", "docking_frames", "gnc", "inputs", "watched", "searched",
)  # fmt: skip
"""Return the parts of a simulation beside its system and settings."""
_layout = operator.attrgetter(
    "groups", "tiles", "flexible", "orbit", "plates", "items", "tables", "breaks", "state_kinds"
)
"""Return arrays of a system that are the same objects in all systems of one layout."""


class ModelMemory:
    """Constant arrays of a system in one block, and a block with the data of a run at its start.

    Any number of `DataMemory` objects use one model, also in several threads. Both blocks contain no addresses.
    """

    def __init__(self, simulation: "Simulation") -> None:
        """Copy the arrays of a simulation. Raises ArgumentError where they do not fit each other."""
        inputs, sizes = _inputs(simulation)
        self.layout: MemoryLayout = layout_of(RUN, sizes, inputs)
        """Places of all arrays, with near lists as they are at the start of a run."""
        self.block: Block = self.layout.block(Memory.MODEL)
        """Constant arrays; read-only."""
        self.start: Block = self.layout.block(Memory.DATA)
        """What changes in a run, at its start."""
        self._shapes = _shapes_of(inputs, sizes)
        self._write(simulation, inputs)

    def write(self, simulation: "Simulation") -> bool:
        """Replace all numbers by those of another simulation; returns whether it has the same layout.

        Otherwise nothing changes. For use between two runs: data that exist must be reset. Of a simulation that shares
        all but numbers of its system with the one before, only these are written.
        """
        if self._shares_all_but_numbers(simulation):
            self._write_numbers(simulation)
            return True
        inputs, sizes = _inputs(simulation)
        if _shapes_of(inputs, sizes) != self._shapes:
            return False
        self._write(simulation, inputs)
        return True

    def _shares_all_but_numbers(self, simulation: "Simulation") -> bool:
        """Return whether a simulation shares its layout and all its parts but the system with the one before."""
        before = self._simulation
        return (
            simulation.settings == before.settings
            and all(map(operator.is_, _parts(simulation), _parts(before)))
            and all(map(operator.is_, _layout(simulation.assembly), _layout(before.assembly)))
        )

    def _write(self, simulation: "Simulation", inputs: dict[str, np.ndarray]) -> None:
        with self._writing(simulation):
            for path, array in inputs.items():
                self._copy(path, array)

    def _write_numbers(self, simulation: "Simulation") -> None:
        """Write the numbers of a system, and what follows from them, in place of those of the one before."""
        arrays, before = simulation.assembly, number_inputs(self._simulation.assembly)
        with self._writing(simulation):
            for name, array in number_inputs(arrays).items():
                if array is not before[name]:
                    self._copy(f"system.{name}", array)
            self.layout.view("y", self.start)[: len(arrays.y)] = arrays.y
            settings = self.layout.view("settings", self.block).view(np.ndarray)
            settings["stiff_elements"] = has_stiff_elements(arrays)

    @contextmanager
    def _writing(self, simulation: "Simulation") -> Iterator[None]:
        """Let both blocks be written, which then belong to a simulation."""
        self._simulation = simulation
        self.block.flags.writeable = self.start.flags.writeable = True
        yield
        self.block.flags.writeable = self.start.flags.writeable = False
        self.__dict__.pop("digest", None)

    def _copy(self, path: str, array: np.ndarray) -> None:
        memory = self.layout.places[path].memory
        if memory is Memory.MODEL:
            self.layout.write(path, array, self.block)
        elif memory is Memory.DATA:
            self.layout.write(path, array, self.start)

    @property
    def arrays(self) -> SystemArrays:
        """The system."""
        return self._simulation.assembly

    @property
    def settings(self) -> Settings:
        """Settings of runs."""
        return self._simulation.settings

    def layout_with(self, capacity: int) -> MemoryLayout:
        """Return the layout with near lists of another capacity [blocks]."""
        return layout_of(RUN, self.layout.sizes | {"blocks": capacity}, {})

    def move_to(self, buffer: Block) -> None:
        """Use a buffer of at least `block.size` bytes for the constant arrays, for example memory that is mapped.

        Data that exist already keep the former block.
        """
        moved = buffer[: self.block.size]
        moved[:] = self.block
        self.block = moved

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of layout and constants: data that were saved belong to models with the same one."""
        return hashlib.sha256(self.layout.table().encode() + self.block.tobytes()).digest()


def _shapes_of(inputs: dict[str, np.ndarray], sizes: Sizes) -> tuple[Sizes, list[tuple[int, ...]]]:
    """Return what decides on the layout of a run."""
    return sizes, [array.shape for array in inputs.values()]


def _inputs(simulation: "Simulation") -> tuple[dict[str, np.ndarray], Sizes]:
    """Return the arrays of a run that are not zero at its start, by path, and the sizes of the others."""
    arrays, settings, channels = simulation.assembly, simulation.settings, simulation.channels
    touching = len(simulation.pairs) + len(simulation.interfaces)
    watched = len(channels) if simulation.watched is None else simulation.watched
    searched = max(watched, simulation.searched or 0)
    read = channels.view(np.ndarray)[:searched]
    # Work of loads is also integrated relative to the centre of mass: the conservation check needs it.
    external = len(arrays.orbit) > 0 or len(simulation.gnc.controllers) > 0
    loaded = external or bool(len(arrays.states.load))
    bonded = (simulation.actions.view(np.ndarray)["kind"] == ActionKind.BOND_CONTACT).any()
    contacts = contact_arrays(simulation.contact_pairs)
    system = system_inputs(arrays) | contact_inputs(contacts) | controller_inputs(simulation.gnc)
    system |= {
        "pairs": simulation.pairs,
        "pair_states": initial_pair_states(simulation.pairs),
        "interfaces": simulation.interfaces,
        "interface_states": initial_interface_states(simulation.interfaces),
        "pins": simulation.pins,
        "formulas": simulation.formulas,
    }
    inputs = {f"system.{name}": array for name, array in system.items()} | {
        "workspace.search.reactions": np.flatnonzero(read["reaction"]),
        "workspace.search.needed": needed_links(arrays, read),
        "channels": channels,
        "peaks": initial_peaks(channels),
        "events": simulation.events,
        "event_states": initial_event_states(simulation.events),
        "actions": simulation.actions,
        "windows": simulation.windows,
        "observed_reactions": simulation.observed_reactions,
        "docking_frames": simulation.docking_frames,
        "window_states": initial_window_states(simulation.windows),
        "breaks": arrays.breaks,
        "settings": run_settings(arrays, settings, watched, searched),
        "accuracies": accuracies(arrays, settings.accuracy),
        "start_points": start_points(simulation.contact_pairs),
        "progress": initial_progress(settings),
        "inputs.records": simulation.inputs,
        "y": np.append(arrays.y, np.zeros(int(loaded))),
    }
    sizes = {
        "bonds": len(simulation.pairs) if bonded else 0,
        "searched": searched,
        "rows": history_rows(settings, len(channels), touching > 0),
        "columns": 1 + len(channels),
        "log rows": settings.max_events,
    }
    sizes |= system_sizes(arrays)
    return inputs, sizes | list_sizes(contacts, FIRST_CAPACITY) | linear_sizes(arrays, touching)
