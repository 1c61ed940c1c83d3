"""The charts of a replay: every recorded quantity, thinned, and which of them are shown at first."""

import re

import numpy as np

from softdock.replay.keyframes import increasing, thinned
from softdock.replay.scene import Curve
from softdock.result import Result

EYE = 2e-3  # of a curve's range: what a chart of 300 pixels cannot show
NOTHING = 1e-4  # of the liveliest curve: what moves less is not shown at first
MOST_POINTS = 200_000  # of all curves together
CHARTS, LINES = 3, 4  # at first
ATTITUDE = re.compile(r"\.q[wxyz]( in \S+)?$")
ORDER = ("N", "m", "m/s", "rad", "N*m", "rad/s", "J")
"""Units of the charts that are shown at first, by interest."""


def curves_of(result: Result) -> tuple[Curve, ...]:
    """Return all recorded quantities but attitudes, as many points each as the eye can see."""
    history = result.history
    if not len(history.time):
        return ()
    rows = increasing(history.time)
    time = history.time[rows]
    out, eye = [], EYE
    while True:
        for name, channel in history.channels.items():
            values = channel.values[rows].astype(float)
            if not ATTITUDE.search(name) and np.isfinite(values).any():
                good = np.isfinite(values)
                span = float(np.ptp(values[good]))
                kept = (
                    thinned(time[good], values[good], eye * span) if good.sum() > 1 else np.arange(good.sum())
                )
                out.append(
                    Curve(name=name, unit=channel.unit, time=time[good][kept], values=values[good][kept])
                )
        if sum(len(curve.time) for curve in out) <= MOST_POINTS or eye > 0.1:
            return tuple(out)
        out, eye = [], 2.0 * eye


def first_charts(curves: tuple[Curve, ...], wanted: list[str]) -> tuple[tuple[str, ...], ...]:
    """Return names for each chart that is shown at first: those wanted that move, one unit to a chart."""
    known = {curve.name: curve for curve in curves}
    moving = [name for name in dict.fromkeys(wanted) if name in known and np.ptp(known[name].values) > 0.0]
    if not moving:
        moving = [curve.name for curve in curves if np.ptp(curve.values) > 0.0]
    units = sorted(
        dict.fromkeys(known[name].unit for name in moving),
        key=lambda unit: ORDER.index(unit) if unit in ORDER else len(ORDER),
    )
    charts = []
    for unit in units[:CHARTS]:
        names = [name for name in moving if known[name].unit == unit]
        most = max(float(np.ptp(known[name].values)) for name in names)
        seen = [name for name in names if np.ptp(known[name].values) > NOTHING * most]
        charts.append(tuple(seen[:LINES]))
    return tuple(charts)
