"""Arrays of plants that are stepped at the same time in threads."""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.simulation.plant import Plant

if TYPE_CHECKING:
    from softdock.scenario.construction import ScenarioLike
    from softdock.scenario.overrides import Overrides

Floats = NDArray[np.float64]


class PlantPool:
    """Plants of one scenario that are stepped together in threads, for learning and optimisation.

    Arrays have one row per plant. Results do not depend on the number of threads. `pool[i]` is one of the plants.

    >>> from softdock import Body, PlantPool
    >>> bodies = {"chaser": Body(mass="4 kg", inertia=(1, 1, 1))}
    >>> with PlantPool({"duration": "60 s", "bodies": bodies}, 3, inputs=["chaser.fz"], outputs=["chaser.vz"]) as pool:
    ...     pool.step(2.0, [[1.0], [2.0], [4.0]]).round(9).tolist()
    [[0.5], [1.0], [2.0]]
    """

    def __init__(
        self,
        scenario: "ScenarioLike",
        count: int,
        overrides: "Overrides" = (),
        *,
        inputs: Iterable[str] = (),
        outputs: Iterable[str] = (),
        threads: int | None = None,
    ) -> None:
        """Begin `count` runs of a scenario; `threads` is the number of processors if left out."""
        if count < 1:
            raise InputError("Must be at least 1.", field="count", given=str(count))
        if threads is not None and threads < 1:
            raise InputError("Must be at least 1.", field="threads", given=str(threads))
        first = Plant(scenario, overrides, inputs=inputs, outputs=outputs)
        self._plants = [first, *(first.copy() for _ in range(count - 1))]
        workers = min(threads or os.cpu_count() or 1, count)
        self._parts = [range(k, count, workers) for k in range(workers)]
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="plant")
        self.inputs, self.outputs = first.inputs, first.outputs

    def __len__(self) -> int:
        return len(self._plants)

    def __getitem__(self, index: int) -> Plant:
        return self._plants[index]

    def __iter__(self) -> Iterator[Plant]:
        return iter(self._plants)

    def __enter__(self) -> "PlantPool":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()

    @property
    def outputs_now(self) -> Floats:
        """(plants, outputs) at the present times."""
        return np.array([plant.y for plant in self._plants])

    @property
    def ended(self) -> NDArray[np.bool_]:
        """(plants,) which runs have ended."""
        return np.array([plant.ending is not None for plant in self._plants])

    def step(self, dt: float, u: Sequence[Sequence[float]] | Floats | None = None) -> Floats:
        """Advance all plants by a time [s] with inputs of shape (plants, inputs), if given; returns all outputs.

        A plant whose run has ended stays where it is.
        """
        values = None if u is None else np.asarray(u, np.float64)
        if values is not None and values.shape != (len(self), len(self.inputs)):
            message = f"Must have the shape ({len(self)}, {len(self.inputs)}): plants, inputs."
            raise InputError(message, field="u", given=str(values.shape))
        out = np.empty((len(self), len(self.outputs)))

        def step_part(part: range) -> None:
            for i in part:
                plant = self._plants[i]
                if plant.ending is None:
                    plant.step(dt, None if values is None else values[i])
                out[i] = plant.y

        for done in [self._threads.submit(step_part, part) for part in self._parts]:
            done.result()
        return out

    def reset(self, overrides: "Sequence[Overrides | None] | None" = None) -> Floats:
        """Begin runs anew with values of their own; a plant whose entry is None goes on. Returns all outputs."""
        entries = [()] * len(self) if overrides is None else list(overrides)
        if len(entries) != len(self):
            message = "Must have one entry per plant."
            raise InputError(message, field="overrides", given=f"{len(entries)} entries")
        for plant, entry in zip(self._plants, entries):
            if entry is not None:
                plant.reset(entry)
        return self.outputs_now
