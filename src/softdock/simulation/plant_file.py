"""Plants as files that run without Python."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.recording.run_data import PROGRESS
from softdock.dynamics.model_memory import ModelMemory
from softdock.dynamics.session import MAX_BLOCKS
from softdock.errors import InputError, Problem, no_such
from softdock.native.argument_types import Memory
from softdock.native.model_file import ModelFile, ParameterEntry
from softdock.simulation.plant import Plant, is_structural

EMPTY_LISTS = {"system.lists.work": ("clearance", "reach"), "system.lists.skip_until": ()}
"""Numbers that are -inf in an empty near list; see `clear_lists`."""
ROUNDING = 1e-12
"""Difference of a number from that of a linear function that counts as rounding, relative; of a state, to the largest
state: components of vectors that are turned are rounded together."""
STEPS = (0.25, 0.01, 1e-4)
"""Changes of a parameter, relative, that are tried until the scenario accepts values above and below."""
SMALLEST = 1e-300
"""Numbers below are integers that are read as floats."""


def plant_file(plant: Plant, parameters: Sequence[str] = ()) -> tuple[bytes, dict[str, float]]:
    """Return the file of a plant at its start, and the values of parameters, which a program may set before it starts.

    Parameters are paths of numbers, as in overrides. Raises InputError for those that the file cannot have.
    """
    model = plant.model
    layout = model.layout
    progress, values = layout.places["progress"].offset, layout.places["workspace.values"].offset
    places = {
        name: progress + int(PROGRESS.fields[name][1])  # type: ignore[index]
        for name in ("t", "t_end", "log_rows", "returns_at_events")
    }
    given, entries = _parameters(plant, parameters)
    content = ModelFile(
        layout=layout,
        words=layout.words,
        bases=layout.bases,
        blocks={Memory.MODEL: model.block, Memory.DATA: model.start},
        empty=EMPTY_LISTS,
        capacity=("blocks", MAX_BLOCKS),
        places={**places, "first_input": layout.places["inputs.values"].offset},
        outputs=[values + 8 * column for column in plant.columns],
        inputs=len(plant.inputs),
        parameters=list(given.values()),
        entries=entries,
        duration=plant.duration,
    )
    return content.to_bytes(), given


def _parameters(plant: Plant, names: Sequence[str]) -> tuple[dict[str, float], list[ParameterEntry]]:
    """Return the present values of parameters, and the numbers of the model that depend on them."""
    data = plant.scenario.to_data()
    values: dict[str, float] = {}
    problems = []
    for i, name in enumerate(names):
        try:
            if name in values:
                raise ValueError("it is given twice")
            if is_structural(name):
                raise ValueError("it decides on the whole run")
            values[name] = _number(data, name)
        except ValueError as error:
            problems.append(
                Problem(message=f"Is no parameter: {error}.", field=f"parameters.{i}", given=name)
            )
    if problems:
        raise InputError(*problems)
    nominal = _numbers(plant.model)
    entries: list[ParameterEntry] = []
    owner: dict[tuple[Memory, int], str] = {}
    changed: dict[str, float] = {}
    for i, (name, value) in enumerate(values.items()):
        above, below = _both_sides(plant, name, value)
        changed[name] = above
        found = _entries(plant, nominal, i, name, value, (above, below))
        for entry in found:
            other = owner.setdefault((entry.memory, entry.offset), name)
            if other != name:
                raise _refusal(name, f"it acts together with {other!r}: only one of them can be a parameter")
        entries += found
    if len(values) > 1:
        _check_together(plant, nominal, entries, changed)
    return values, entries


def _number(data: Mapping[str, Any], path: str) -> float:
    """Return the number at a dotted path of a scenario; raises ValueError."""
    value: Any = data
    for key in path.split("."):
        known = value if isinstance(value, Mapping) else {}
        if isinstance(value, list | tuple):
            known = {str(k): entry for k, entry in enumerate(value)}
        if key not in known:
            raise ValueError(no_such("entry", key, known))
        value = known[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"it is {type(value).__name__}, not a number")
    return float(value)


def _numbers(model: ModelMemory) -> dict[Memory, NDArray[np.float64]]:
    return {Memory.MODEL: model.block.view(np.float64), Memory.DATA: model.start.view(np.float64)}


def _both_sides(plant: Plant, name: str, value: float) -> tuple[float, float]:
    """Return a value above and one below the present one that the scenario accepts."""
    for step in STEPS:
        size = step * abs(value) if value else step
        sides = (value + size, value - size)
        try:
            for side in sides:
                plant.model_with({name: side})
        except InputError:
            continue
        return sides
    raise _refusal(name, "the scenario accepts no values above and below the present one")


def _entries(
    plant: Plant,
    nominal: dict[Memory, NDArray[np.float64]],
    index: int,
    name: str,
    value: float,
    sides: tuple[float, float],
) -> list[ParameterEntry]:
    """Return the numbers that depend on a parameter; raises InputError where they are no linear functions of it."""
    models = [plant.model_with({name: side}) for side in sides]
    if any(model.layout is not plant.model.layout for model in models):
        raise _refusal(name, "it decides on the layout of the model")
    entries = []
    largest = float(np.abs(plant.model.layout.view("y", plant.model.start)).max(initial=0.0))
    for memory, numbers in nominal.items():
        above, below = (_numbers(model)[memory] for model in models)
        differs = (above != numbers) | (below != numbers)
        for k in np.flatnonzero(differs & ~(np.isnan(numbers) & np.isnan(above) & np.isnan(below))):
            x, y, z = float(numbers[k]), float(above[k]), float(below[k])
            slope = (y - z) / (sides[0] - sides[1])
            place = _place(plant, memory, int(k))
            scale = max(abs(x), abs(y), abs(z), largest if place == "`y`" else 0.0)
            if not np.isfinite(slope) or scale < SMALLEST:
                raise _refusal(name, f"it switches {place}")
            if abs(x + slope * (sides[0] - value) - y) > ROUNDING * scale:
                raise _refusal(name, f"{place} is no linear function of it")
            base = x - slope * value
            if abs(base) <= ROUNDING * abs(x):
                base, slope = 0.0, x / value if value else slope
            entries.append(ParameterEntry(index, memory, 8 * int(k), base, slope))
    if not entries:
        raise _refusal(name, "nothing in the run depends on it")
    return entries


def _check_together(
    plant: Plant,
    nominal: dict[Memory, NDArray[np.float64]],
    entries: list[ParameterEntry],
    changed: dict[str, float],
) -> None:
    """Raise InputError where the effects of parameters depend on each other."""
    largest = float(np.abs(plant.model.layout.view("y", plant.model.start)).max(initial=0.0))
    expected = {memory: numbers.copy() for memory, numbers in nominal.items()}
    values = list(changed.values())
    for entry in entries:
        expected[entry.memory][entry.offset // 8] = entry.base + entry.slope * values[entry.parameter]
    for memory, numbers in _numbers(plant.model_with(changed)).items():
        differs = np.flatnonzero(numbers != expected[memory])
        x, y = numbers[differs], expected[memory][differs]
        wrong = np.isnan(x) != np.isnan(y)
        wrong |= np.abs(x - y) > ROUNDING * np.maximum(np.abs(x), largest if memory is Memory.DATA else 0.0)
        if wrong.any():
            place = _place(plant, memory, int(differs[np.flatnonzero(wrong)[0]]))
            names = ", ".join(changed)
            raise _refusal(names, f"{place} depends on several of them together")


def _place(plant: Plant, memory: Memory, k: int) -> str:
    """Return the name of the array that has a number."""
    for place in plant.model.layout.places.values():
        if place.memory is memory and place.offset <= 8 * k < place.end:
            return f"`{place.path}`"
    return "the model"


def _refusal(name: str, reason: str) -> InputError:
    hint = "Export one unit per value, or use another parameter."
    return InputError(f"Cannot be a parameter: {reason}.", field="parameters", given=name, hint=hint)
