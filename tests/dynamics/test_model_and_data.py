"""Constants and what changes stand in different records, so that a model can be shared by runs."""

from typing import Any

import numpy as np
import pytest

from softdock.dynamics.kernels.control.gnc_records import GncRecords
from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.scenario.loading import load
from softdock.simulation.multibody import PreparedMultibody

MODEL = SystemRecords._fields[: SystemRecords._fields.index("counters")]
CONTROLLERS = GncRecords._fields[: GncRecords._fields.index("controller_states")]


def content(value: Any) -> Any:
    """Return the bytes of an array, or of all arrays in a tuple."""
    return value.tobytes() if isinstance(value, np.ndarray) else [content(one) for one in value]


def model(system: SystemRecords) -> list[Any]:
    """Return the content of all records of constants."""
    of_system = [content(getattr(system, name)) for name in MODEL]
    return of_system + [content(getattr(system.gnc, name)) for name in CONTROLLERS]


@pytest.mark.parametrize(
    ("name", "duration"),
    [
        ("assist-soft-docking", 6.0), ("assist-hard-docking", 40.0),
        ("assist-approach-thrust", 20.0), ("station-approach", 2.0),
    ],
)  # fmt: skip
def test_a_run_does_not_change_its_model(name: str, duration: float) -> None:
    session = PreparedMultibody(load(name)).begin()
    before = model(session.system)
    session.advance(duration)
    session.finish()
    assert session.steps > 10
    assert model(session.system) == before


@pytest.mark.plain_python
def test_record_types_of_model_and_data_share_no_array() -> None:
    """No array of a run is that of its prepared simulation, except those of the model."""
    prepared = PreparedMultibody(load("assist-soft-docking"))
    first, second = prepared.begin().system, prepared.begin().system
    for name in SystemRecords._fields[len(MODEL) :]:
        one, other = getattr(first, name), getattr(second, name)
        if isinstance(one, np.ndarray) and one.size:
            assert not np.shares_memory(one, other)
