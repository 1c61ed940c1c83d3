"""Views of a controller in reports and in the studio: corridor, range and speed, firings, estimates, modes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softdock.model.gnc import MODES, Controller
from softdock.replay.keyframes import increasing_rows
from softdock.report.panels import CurvePanel
from softdock.report.relative_motion import relative_pose
from softdock.result import Array, Result
from softdock.tree.frames import Anchor

SIGMAS = 3.0  # of the band of an estimate
MOST_BINS = 400
"""Intervals of time for which the duty of thrusters is drawn: about a pixel of a chart."""


@dataclass(frozen=True, kw_only=True)
class ControlView:
    """Recorded motion and actions of one controller, over strictly increasing time."""

    name: str
    """Of the controlled body."""
    controller: Controller
    time: Array
    p: Array | None
    """Tip in the port, (n, 3) [m]; None where the poses are not recorded."""
    channels: Mapping[str, Array] = field(default_factory=dict)
    """Channels of the controller by field."""
    on_times: Mapping[str, Array] = field(default_factory=dict)
    """Time for which each thruster has been on [s]."""

    def panels(self) -> list[CurvePanel]:
        """Return charts over time: range, closing speed, error of the estimate, propellant."""
        candidates = [
            *self._range_and_speed(),
            *self._estimate(),
            self._panel("Propellant", "kg", {"used": "propellant"}),
        ]
        return [panel for panel in candidates if panel is not None]

    def _range_and_speed(self) -> Iterator[CurvePanel | None]:
        """Yield range and closing speed of the tip against the reference of the glide slope."""
        truth = {}
        if self.p is not None:
            truth = {"reference": -self.p[:, 2], "reference_speed": np.gradient(self.p[:, 2], self.time)}
        for title, unit, key in (
            ("Range to the port", "m", "reference"),
            ("Closing speed", "m/s", "reference_speed"),
        ):
            curves = {"tip": truth[key]} if truth else {}
            if self.is_guided and key in self.channels:
                curves["commanded"] = np.where(self._follows_reference, self.channels[key], np.nan)
            yield self._chart(title, unit, curves) if curves else None

    @property
    def is_guided(self) -> bool:
        """Whether the controller follows a glide slope."""
        return self.controller.guidance is not None

    @property
    def _follows_reference(self) -> Array:
        """Rows in which the controller approaches or retreats."""
        modes = self.channels["mode"].round()
        guided = np.isin(modes, [MODES.index("approach"), MODES.index("retreat")])
        guided[0] = False  # recorded before the first sample
        return np.asarray(guided)

    def _estimate(self) -> Iterator[CurvePanel | None]:
        """Yield the errors of the estimates with the band that the filters state."""
        for what, unit in (("position", "m"), ("speed", "m/s"), ("angle", "rad")):
            error, sigma = self.channels.get(f"{what}_estimate_error"), self.channels.get(f"{what}_sigma")
            if error is not None and sigma is not None:
                curves = {"estimate minus truth": error, f"{SIGMAS:g} sigma of the filter": SIGMAS * sigma}
                yield self._chart(f"Error of the estimated {what}", unit, curves)

    def _panel(self, title: str, unit: str, fields: Mapping[str, str]) -> CurvePanel | None:
        curves = {name: self.channels[key] for name, key in fields.items() if key in self.channels}
        return self._chart(title, unit, curves) if any(values.any() for values in curves.values()) else None

    def _chart(self, title: str, unit: str, curves: Mapping[str, Array]) -> CurvePanel:
        return CurvePanel(title=f"{title} ({self.name})", unit=unit, time=self.time, curves=curves)

    def mode_spans(self) -> list[tuple[float, float, str]]:
        """Return start [s], end [s] and name of every stretch in one mode."""
        if "mode" not in self.channels:
            return []
        numbers = self.channels["mode"].round().astype(int)
        edges = np.flatnonzero(np.diff(numbers)) + 1
        starts, ends = [0, *edges], [*edges, len(numbers) - 1]
        return [
            (float(self.time[a]), float(self.time[b]), MODES[numbers[a]])
            for a, b in zip(starts, ends)
            if 0 <= numbers[a] < len(MODES)
        ]

    def duties(self) -> tuple[Array, dict[str, Array]]:
        """Return edges of time bins [s] and the fraction of each in which a thruster was on, by thruster."""
        bins = max(1, min(MOST_BINS, len(self.time) - 1))
        edges = np.linspace(self.time[0], self.time[-1], bins + 1)
        width = edges[1] - edges[0]
        return edges, {
            name: np.clip(np.diff(np.interp(edges, self.time, total)) / width, 0.0, 1.0)
            for name, total in self.on_times.items()
        }


def control_views(result: Result) -> list[ControlView]:
    """Return the views of all controllers of a result; none where nothing or too little was recorded."""
    gnc = result.definition.get("gnc")
    if not isinstance(gnc, Mapping) or len(result.history.time) < 2:
        return []
    rows = increasing_rows(result.history.time)
    views = []
    for name, data in gnc.items():
        try:
            controller = Controller.model_validate(data)
        except ValueError:  # a received result whose scenario is damaged
            continue
        if len(rows) > 1:
            views.append(_view(result, name, controller, rows))
    return views


def _view(result: Result, name: str, controller: Controller, rows: NDArray[np.int64]) -> ControlView:
    channels = result.history.channels
    pose = relative_pose(result, controller.target, controller.tip or Anchor(body=name))
    return ControlView(
        name=name,
        controller=controller,
        time=result.history.time[rows],
        p=None if pose is None else pose[0][rows],
        channels={
            key.removeprefix(f"{name}."): channel.values[rows]
            for key, channel in channels.items()
            if key.startswith(f"{name}.") and " " not in key
        },
        on_times={
            thruster: channels[f"{name}/{thruster}.on_time"].values[rows]
            for thruster in controller.thrusters
            if f"{name}/{thruster}.on_time" in channels
        },
    )
