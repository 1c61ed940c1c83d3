"""Result of a run: history, events, outcome, metrics, conservation check, prediction."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.files.regular_file import path_argument
from softdock.model.member_kinds import ReactionKind
from softdock.result.columns import same_columns, unknown_column
from softdock.result.refinement import RefinedRun

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from softdock.presentation.unit_systems import UnitSystem
    from softdock.scenario.kinds import Prepared
    from softdock.scenario.provenance import WrittenValue

Array = NDArray[np.float64]
Validity = Literal["yes", "warned", "no", "unknown"]
"""Validity of the models during a run; `no` means that its numbers must not be used. Recordings, and results of
versions without validity checks, are `unknown`."""
Verdict = Literal["met", "violated", "undecided"]
PhaseEnd = Literal["condition", "timeout", "run_end"]
"""How a phase ended: by its end condition, by its time limit, or with the run."""
CONSERVATION_LIMIT = 1e-2
"""Relative error of energy or momentum above which the conservation check fails; half of it in speeds."""
DOUBTFUL_LIMIT = 1e-3
"""Relative error of energy or momentum above which a conservation check that has passed is doubtful.

Runs with correct answers stay below it, see the table in docs/theory/conservation.md.
"""


@dataclass(frozen=True, kw_only=True)
class Channel:
    """One recorded quantity over time."""

    values: Array
    unit: str
    """SI unit as text, for example `m/s`; `1` if dimensionless."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class History(Mapping[str, Array]):
    """Recorded channels on a common time axis, as a mapping of names to arrays in SI.

    `history["time"]` [s] is the first entry; the others have dotted names such as `chaser.velocity`. `units` has the
    SI unit of every entry, `to_pandas` returns all as a DataFrame. Histories are equal if all arrays and units are.
    Arrays are read-only: `history["time"].copy()` can be changed.

    >>> from softdock import simulate
    >>> history = simulate("impact-a").history
    >>> history.units["chaser.velocity"], history["chaser.velocity"].shape == history["time"].shape
    ('m/s', True)
    """

    time: Array
    channels: Mapping[str, Channel]

    @property
    def units(self) -> dict[str, str]:
        """SI units by name, `1` if dimensionless."""
        return {"time": "s"} | {name: channel.unit for name, channel in self.channels.items()}

    def __getitem__(self, name: str) -> Array:
        if name == "time":
            return _read_only(self.time)
        if name not in self.channels:
            raise unknown_column(name, self)
        return _read_only(self.channels[name].values)

    def __setitem__(self, name: str, values: object) -> None:
        raise InputError(
            "A history cannot be changed.",
            field=str(name),
            hint="Copy it: `dict(history)` has its arrays, `history.to_pandas()` is a DataFrame.",
        )

    def __contains__(self, name: object) -> bool:
        return name == "time" or name in self.channels

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        return self.units == other.units and same_columns(self, other)

    def __iter__(self) -> Iterator[str]:
        return iter(("time", *self.channels))

    def __len__(self) -> int:
        return 1 + len(self.channels)

    def resample(self, rate: float | str) -> "History":
        """Return the history at even times from its first row on, at a rate [Hz] or a text with a unit.

        Numbers are interpolated linearly between rows; a flag or mode keeps that of the last row, and a number is
        undefined (NaN) between rows of which one is undefined. A jump lies between two rows 1 us apart.

        >>> from softdock import simulate
        >>> simulate("latch-paper").history.resample("50 Hz")["time"][:3]
        array([0.  , 0.02, 0.04])
        """
        from softdock.result.resampling import resample

        return resample(self, rate)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a pandas DataFrame with the time [s] as index and SI units in `attrs["units"]`."""
        from softdock.result.columns import data_frame

        return data_frame(dict(self), self.units, index="time")

    def __repr__(self) -> str:
        span = f" from {self.time[0]:g} s to {self.time[-1]:g} s" if len(self.time) else ""
        return f"<History: {len(self.channels)} channels, {len(self.time)} rows{span}>"


def _read_only(values: Array) -> Array:
    """Return a view that cannot be written to, so that no program changes the result that it reads."""
    view = values.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, kw_only=True)
class RunEvent:
    """An event of a run at a time [s]."""

    time: float
    name: str
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class RunPhase:
    """A phase of a sequence that a run entered; times in s."""

    name: str
    start: float
    end: float
    ended: PhaseEnd


@dataclass(frozen=True, kw_only=True)
class PeakReaction:
    """Largest force and moment that one element, contact, interface, joint or mount transmitted during a run.

    None where it transmits no force, or no moment, by its nature.
    """

    name: str
    kind: ReactionKind
    peak_force: float | None
    """Size of the force [N]."""
    t_peak_force: float | None
    """Its time [s]."""
    peak_moment: float | None = None
    """Size of the moment [N m]."""
    t_peak_moment: float | None = None
    force_error: float | None = None
    """Estimated numerical error of the peak force [N]; None where it is unknown."""
    moment_error: float | None = None
    """The same of the peak moment [N m]."""


@dataclass(frozen=True, kw_only=True)
class RequirementVerdict:
    """A requirement compared with a run or a campaign."""

    id: str
    verdict: Verdict
    value: float | str | None
    """What the run gave [SI]: a metric, an outcome, or in a campaign the fraction of runs that comply."""
    limit: float | str | None
    """What the requirement allows [SI], before its factor of safety."""
    margin: float | None
    """Allowed over required value minus 1, factor of safety included; negative where violated."""
    error: float | None = None
    """Estimated numerical error of the value [SI]; None where it is unknown, and in campaigns."""
    verdict_text: str = ""
    """The verdict, and whether the error of the value exceeds its distance from the limit."""


@dataclass(frozen=True, kw_only=True)
class Audit:
    """Conservation check of a run: largest relative errors during the run; None where a law does not apply."""

    COVERAGE: ClassVar[str] = (
        "The check compares energy and momentum with their values at the start, relative to the energy and momentum "
        "that took part. It shows errors of integration that change them; it cannot show errors of phase (for example "
        "of a tumbling body), errors of a light part beside a heavy or fast one, or wrong input."
    )

    linear_momentum_drift: float | None
    angular_momentum_drift: float | None
    energy_residual: float | None
    energy_expected: float = 0.0
    """Part of the energy residual that the stated errors of peak reactions explain: they are relative errors of
    amplitudes, twice as large in energies. Only what exceeds it is compared with limits."""

    @property
    def errors(self) -> dict[str, float | None]:
        """Errors that are compared with limits, by the names of their fields; None where a law does not apply."""
        energy = self.energy_residual
        return {
            "linear_momentum_drift": self.linear_momentum_drift,
            "angular_momentum_drift": self.angular_momentum_drift,
            # The order of the arguments keeps an error that is not a number.
            "energy_residual": None if energy is None else max(energy - self.energy_expected, 0.0),
        }

    @property
    def passed(self) -> bool | None:
        """Whether no error exceeds `CONSERVATION_LIMIT`; None where no law applies."""
        errors = [error for error in self.errors.values() if error is not None]
        return all(error <= CONSERVATION_LIMIT for error in errors) if errors else None

    @property
    def doubtful(self) -> bool:
        """Whether the check passed, with an error above `DOUBTFUL_LIMIT`."""
        return self.passed is True and any((error or 0.0) > DOUBTFUL_LIMIT for error in self.errors.values())


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Computing effort of a run."""

    simulated_s: float
    wall_s: float
    steps: int
    evaluations: int
    frame_s: float | None = None
    """Length of the frames of a real-time run."""
    frames: int | None = None
    missed_frames: int | None = None
    """Frames whose computation took longer than `frame_s`."""
    worst_frame_s: float | None = None
    """Wall time of the longest frame."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Result:
    """Complete result of one run: outcome, metrics, reactions, events, history and checks; all values are SI.

    Results are equal if the runs are: `timing` and what is only known while a program runs are not compared.

    >>> from softdock import Result, simulate
    >>> result = simulate("latch-paper", {"speed": "0.08 m/s"})
    >>> result
    <Result of latch-paper: latched, 2 events, valid: yes>
    >>> f"{result.metrics['latch_time']:.3f} {result.units['latch_time']}"
    '0.307 s'
    """

    scenario: str
    """Name of the scenario."""
    outcome: str
    """Short identifier, for example `latched`."""
    message: str
    """The outcome as a sentence."""
    metrics: Mapping[str, Any]
    """SI values under flat names."""
    metric_errors: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    """Estimated numerical errors of metrics that are peaks of reactions [SI]."""
    audit: Audit
    timing: Timing = field(compare=False)
    history: History
    units: Mapping[str, str] = field(default_factory=dict)
    """SI units of metrics and of the prediction, by name; dimensionless ones have no entry."""
    events: tuple[RunEvent, ...] = ()
    phases: tuple[RunPhase, ...] = ()
    """Phases that the run entered, in their order; empty without phases."""
    completed: bool = True
    """False where the run ended early by an error; the history until then is included."""
    valid: Validity = "yes"
    """`warned` where a limit of a model was exceeded, `no` where the numbers must not be used."""
    warnings: tuple[str, ...] = ()
    """One sentence for every exceeded limit."""
    loads: Sequence[PeakReaction] = ()
    """Peak reactions of all elements, contacts, interfaces, joints and mounts, largest force first."""
    requirements: tuple[RequirementVerdict, ...] = ()
    """Verdicts on the requirements of the scenario, in their order."""
    contact_conditions: Mapping[str, float] | None = None
    """Motion of the tip relative to the port at the first contact of chaser and target [SI]; see `CONDITION_UNITS`.

    None without an `approach`, without a contact, and where nothing needs them."""
    prediction: Mapping[str, Any] | None = None
    """Prediction of theory for the first impact, where it applies."""
    converged: RefinedRun | None = field(default=None, compare=False)
    """The run repeated with finer settings, and how its values change; None unless `simulate` was asked for it."""
    definition: Mapping[str, Any] = field(default_factory=dict)
    """The complete scenario as plain data in SI."""
    prepared: "Prepared | None" = field(default=None, compare=False, repr=False)
    """The prepared scenario of a run of this process; None for a loaded result."""
    directory: str = ""
    """Folder of relative paths in the definition."""
    outlines: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Meridians of the surfaces by name, read when first used; see `softdock.result.outlines`."""
    saved_inputs: "tuple[WrittenValue, ...]" = field(default=(), compare=False, repr=False)
    """Values of the scenario as written, of a loaded result; see `inputs`."""
    discrepancies: tuple[str, ...] = field(default=(), compare=False)
    """What of a loaded result does not agree with its digest or with itself, one sentence each; all views show it."""

    @property
    def inputs(self) -> "tuple[WrittenValue, ...]":
        """Values of the scenario as they were written, with file, line and source; empty where unknown."""
        if self.saved_inputs or self.prepared is None:
            return self.saved_inputs
        from softdock.scenario.provenance import written_values

        return written_values(self.prepared.scenario)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `softdock run --json` prints; numbers that are not finite become None."""
        plain = {
            "scenario": self.scenario,
            "outcome": self.outcome,
            "message": self.message,
            "completed": self.completed,
            "valid": self.valid,
            "warnings": list(self.warnings),
            "metrics": self.metrics,
            "metric_errors": self.metric_errors,
            "loads": [asdict(reaction) for reaction in self.loads],
            "requirements": [asdict(verdict) for verdict in self.requirements],
            "contact_conditions": self.contact_conditions,
            "units": self.units,
            "audit": asdict(self.audit),
            "conservation_check": {
                "passed": self.audit.passed,
                "limit": CONSERVATION_LIMIT,
                "coverage": Audit.COVERAGE,
            },
            "prediction": self.prediction,
            "timing": {name: value for name, value in asdict(self.timing).items() if value is not None},
            "events": [asdict(event) for event in self.events],
            "phases": [asdict(phase) for phase in self.phases],
            "discrepancies": list(self.discrepancies),
            "converged": None if self.converged is None else asdict(self.converged),
        }
        return {name: plain_data(value) for name, value in plain.items()}

    def save(self, folder: Path | str) -> None:
        """Write `result.json` and `history.parquet` to a folder, which is created if it is missing.

        Existing files are replaced only when both new files are complete.
        """
        from softdock.result.storage import save

        save(self, path_argument("folder", folder))

    @classmethod
    def load(cls, folder: Path | str) -> "Result":
        """Read a result that `save` has written; verdicts on requirements are computed again from its metrics.

        `discrepancies` says where it does not agree with its digest. A history of another run is refused.
        """
        from softdock.result.storage import read_result

        return read_result(path_argument("folder", folder))

    def plot(
        self,
        path: Path | str | None = None,
        channels: Sequence[str] | str | None = None,
        system: "UnitSystem | str | None" = None,
    ) -> "Figure":
        """Plot the run over time, and save the figure if a path is given.

        Four panels show reactions, the motion of the approach, misalignment or rates, and energy or joint positions.
        Channels selected by name, or by the beginning of their name such as `chaser`, have one panel per unit.
        `system` is the unit system: `automatic`, `SI`, `mm/deg` or `imperial`; that of the scenario if left out.
        """
        from softdock.report.plot import plot

        names = [channels] if isinstance(channels, str) else channels
        return plot(self, None if path is None else path_argument("path", path), names, system)

    def report(self, path: Path | str) -> None:
        """Write the report for a design review: HTML, or PDF through an installed browser, by the suffix."""
        from softdock.report.run import write_run_report

        write_run_report(self, path_argument("path", path))

    def replay(self, path: Path | str) -> None:
        """Write the animation of the run: `.html`, a page for any browser, or `.glb`, an animated glTF file."""
        from softdock.replay.writing import write_replay

        write_replay(self, path_argument("path", path))

    def __repr__(self) -> str:
        verdicts = [verdict.verdict for verdict in self.requirements]
        met = f", {verdicts.count('met')} of {len(verdicts)} requirements met" if verdicts else ""
        name = f" of {self.scenario}" if self.scenario else ""
        mark = ", not verified" if self.discrepancies else ""
        return f"<Result{name}: {self.outcome}, {len(self.events)} events{met}, valid: {self.valid}{mark}>"

    def _repr_html_(self) -> str:
        from softdock.report.notebook import result_html

        return result_html(self)

    def titled(self, text: str) -> str:
        """Return a text after the name of the scenario, if it has one."""
        return f"{self.scenario}: {text}" if self.scenario else text

    def summary(self) -> str:
        """Return outcome, metrics with prediction, conservation check and timing as text for a terminal."""
        from softdock.report.summary import summary

        return summary(self)


def plain_data(value: Any) -> Any:
    """Return a value as JSON data: lists, dicts and numbers; None for numbers that are not finite."""
    if type(value) is float:  # fast path
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    match value:
        case Mapping():
            return {str(key): plain_data(item) for key, item in value.items()}
        case np.ndarray() | np.generic():
            return plain_data(value.tolist())
        case list() | tuple():
            return [plain_data(item) for item in value]
        case _:
            return value
