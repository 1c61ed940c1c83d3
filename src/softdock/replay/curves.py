"""Chart curves of a replay: every recorded quantity, simplified, and the selection shown initially."""

import re

import numpy as np

from softdock.replay.keyframes import increasing_rows, simplified_rows
from softdock.replay.scene import RecordedCurve
from softdock.result import Result

TOLERANCE = 2e-3  # fraction of a curve's range: below the resolution of a chart of 300 pixels
MIN_RANGE = 1e-4  # fraction of the largest range in a chart; curves below it are not shown initially
MAX_POINTS = 200_000  # sum over all curves
MAX_CHARTS, MAX_LINES = 3, 4  # shown initially
ATTITUDE_CHANNEL = re.compile(r"\.q[wxyz]( in \S+)?$")
UNIT_ORDER = ("N", "m", "m/s", "rad", "N*m", "rad/s", "J")
"""Units of the initial charts, most relevant first."""


def curves_of(result: Result) -> tuple[RecordedCurve, ...]:
    """Return all recorded quantities except attitudes, simplified to the resolution of a chart."""
    history = result.history
    if not len(history.time):
        return ()
    rows = increasing_rows(history.time)
    time = history.time[rows]
    out, tolerance = [], TOLERANCE
    while True:
        for name, channel in history.channels.items():
            values = channel.values[rows].astype(float)
            if not ATTITUDE_CHANNEL.search(name) and np.isfinite(values).any():
                good = np.isfinite(values)
                span = float(np.ptp(values[good]))
                kept = (
                    simplified_rows(time[good], values[good], tolerance * span)
                    if good.sum() > 1
                    else np.arange(good.sum())
                )
                out.append(
                    RecordedCurve(
                        name=name, unit=channel.unit, time=time[good][kept], values=values[good][kept]
                    )
                )
        if sum(len(curve.time) for curve in out) <= MAX_POINTS or tolerance > 0.1:
            return tuple(out)
        out, tolerance = [], 2.0 * tolerance


def initial_charts(curves: tuple[RecordedCurve, ...], preferred: list[str]) -> tuple[tuple[str, ...], ...]:
    """Return the curve names of each initial chart: the preferred ones that vary, one unit per chart."""
    known = {curve.name: curve for curve in curves}
    varying = [
        name for name in dict.fromkeys(preferred) if name in known and np.ptp(known[name].values) > 0.0
    ]
    if not varying:
        varying = [curve.name for curve in curves if np.ptp(curve.values) > 0.0]
    units = sorted(
        dict.fromkeys(known[name].unit for name in varying),
        key=lambda unit: UNIT_ORDER.index(unit) if unit in UNIT_ORDER else len(UNIT_ORDER),
    )
    charts = []
    for unit in units[:MAX_CHARTS]:
        names = [name for name in varying if known[name].unit == unit]
        largest = max(float(np.ptp(known[name].values)) for name in names)
        visible = [name for name in names if np.ptp(known[name].values) > MIN_RANGE * largest]
        charts.append(tuple(visible[:MAX_LINES]))
    return tuple(charts)
