"""Figures of the peg-in-hole paper: shapes, contacts, search, pins and arm as solids, joints during both experiments.

The paper compares its simulation with hardware whose data is not published. Here the simulated joint stands beside the
command that it was given: the difference is what contact and stiffness make.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from softdock.presentation.colours import SERIES
from softdock.presentation.progress import Progress
from softdock.report.figures.peg_scenes import draw_pins, draw_push, draw_rim
from softdock.report.figures.peg_schematics import draw_schematics
from softdock.report.picture import GREY, new_figure, save_picture
from softdock.result import Result

Floats = NDArray[np.float64]
PUBLISHED_RIM_CONTACTS = ((23.0, 26.0), (36.0, 39.0))  # s; section 4.2


def draw(out: Path, progress: Progress) -> list[Path]:
    """Write the figures to the folder and return their paths."""
    from softdock.scenario.loading import load
    from softdock.simulation import simulate

    progress("peg-flat", 0.0)
    flat = simulate(load("peg-flat"), with_prediction=False)
    progress("peg-rim", 0.4)
    rim = simulate(load("peg-rim"), with_prediction=False)
    progress("pins-20", 0.7)
    pins = simulate(load("pins-20"), with_prediction=False)
    progress("drawing", 0.8)
    paths = []
    drawn = {**draw_schematics(), "peg-figure-8": draw_pins(pins), **figures(flat, rim)}
    for name, figure in drawn.items():
        paths.append(out / f"{name}.png")
        save_picture(figure, paths[-1])
    progress("drawing", 1.0)
    return paths


def figures(flat: Result, rim: Result) -> dict[str, Figure]:
    """Return the figures of the two experiments by name."""
    touch = intervals(flat, "table")[0][0]
    return {
        "peg-figure-9": draw_push(flat, touch),
        "peg-figure-10": draw_joint(
            flat, "joint_1", "table", (), "Joint 1 while the pin slides on the table"
        ),
        "peg-figure-11": draw_rim(rim, intervals(rim, "hole")),
        "peg-figure-12": draw_joint(
            rim, "joint_6", "hole", PUBLISHED_RIM_CONTACTS, "Joint 6 while the pin meets the rim"
        ),
    }


def draw_joint(
    result: Result, joint: str, contact: str, published: Sequence[tuple[float, float]], title: str
) -> Figure:
    """Return position, difference and torque of a joint over time, as Figures 10 and 12 show them."""
    figure = new_figure(7.5, 7.0)
    position, difference, torque = figure.subplots(3, 1, sharex=True)
    h, t = result.history, result.history.time
    position.plot(t, h[f"{joint}.command"], color=GREY, linestyle="--", label="commanded")
    position.plot(t, h[f"{joint}.position"], color=SERIES[0], label="simulated")
    difference.plot(t, h[f"{joint}.difference"], color=SERIES[1])
    torque.plot(t, h[f"{joint}.torque"], color=SERIES[2])
    position.set(ylabel="position [rad]", title=title)
    difference.set(ylabel="commanded - simulated [rad]")
    torque.set(ylabel="joint torque [N m]", xlabel="time [s]", xlim=(0.0, t[-1]))
    for axes in (position, difference, torque):
        for k, (begin, end) in enumerate(intervals(result, contact)):
            axes.axvspan(
                begin, end, color=SERIES[5], alpha=0.25, linewidth=0, label="contact" if k == 0 else None
            )
        for k, (begin, end) in enumerate(published):
            for time in (begin, end):
                label = "contact in the paper" if k == 0 and time == begin else None
                axes.axvline(time, color="0.3", linestyle=":", linewidth=1.0, label=label)
        axes.grid(alpha=0.3)
    position.legend(loc="best", fontsize=8)
    return figure


def intervals(result: Result, contact: str) -> list[tuple[float, float]]:
    """Return the time intervals with contact force [s]; gaps of less than a second are closed."""
    t = result.history.time[result.history[f"{contact}.force"] > 0.1]
    if not len(t):
        return []
    breaks = np.flatnonzero(np.diff(t) > 1.0)
    begins, ends = t[[0, *(breaks + 1)]], t[[*breaks, len(t) - 1]]
    return [(float(a), float(b)) for a, b in zip(begins, ends)]
