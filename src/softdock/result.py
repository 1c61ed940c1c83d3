"""What a run leaves behind: history, events, outcome, metrics, audit, prediction."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
RESULT_FILE = "result.json"
HISTORY_FILE = "history.parquet"
FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Channel:
    """One recorded quantity over time."""

    values: Array
    unit: str
    """SI unit as text, for example `m/s`; `1` for a pure number."""


@dataclass(frozen=True, kw_only=True)
class History:
    """Recorded channels on one common time axis [s]; names are dotted, like `chaser.velocity`."""

    time: Array
    channels: Mapping[str, Channel]

    def __getitem__(self, name: str) -> Array:
        return self.time if name == "time" else self.channels[name].values


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened at an instant [s]."""

    time: float
    name: str
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Audit:
    """The books of a run; each figure is relative, None where the law does not apply."""

    linear_momentum_drift: float | None
    angular_momentum_drift: float | None
    energy_residual: float | None


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How much work a run was."""

    simulated_s: float
    wall_s: float
    steps: int
    evaluations: int


@dataclass(frozen=True, kw_only=True)
class Result:
    """Everything known about one run."""

    scenario: str
    """Name of the scenario."""
    outcome: str
    """Short identifier, for example `latched`."""
    message: str
    """The outcome as a sentence."""
    metrics: Mapping[str, Any]
    """SI values under flat names."""
    audit: Audit
    timing: Timing
    history: History
    events: tuple[Event, ...] = ()
    prediction: Mapping[str, Any] | None = None
    """What theory expects for the first impact, where it applies."""
    definition: Mapping[str, Any] = field(default_factory=dict)
    """The full scenario as plain data, SI numbers."""

    def to_json(self) -> dict[str, Any]:
        """Return the object that `softdock run --json` prints."""
        return {
            "scenario": self.scenario,
            "outcome": self.outcome,
            "message": self.message,
            "metrics": dict(self.metrics),
            "audit": asdict(self.audit),
            "prediction": None if self.prediction is None else dict(self.prediction),
            "timing": asdict(self.timing),
            "events": [asdict(event) for event in self.events],
        }
