"""Figures of any run as pictures: overview, reactions, motion and sections."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from softdock.errors import InputError
from softdock.presentation.colours import SERIES, STATUS_COLOURS
from softdock.presentation.labels import axis_label
from softdock.presentation.numbers import display_unit, format_time
from softdock.presentation.status import Status
from softdock.presentation.unit_systems import UnitSystem
from softdock.replay.scene_builder import scene as build_scene
from softdock.replay.sections import ASPECT_RATIO, WIDTH, PortSection, build_sections
from softdock.report.panels import motion_panels, overview_panels, reaction_panels
from softdock.report.picture import save_picture
from softdock.report.plot import draw_panels
from softdock.result import Result

MOST_SECTIONS = 6
COLUMNS = 3


def draw_run(result: Result, folder: Path, suffix: str, system: UnitSystem) -> list[Path]:
    """Write all figures of a run into a folder and return their paths; `suffix` is their format, such as `svg`."""
    figures: dict[str, Figure] = {}
    reactions, _ = reaction_panels(result)
    for name, panels in (
        ("overview", overview_panels(result)),
        ("loads", reactions),
        ("motion", motion_panels(result)),
    ):
        if panels:
            figures[name] = draw_panels(result, panels, system)
    sections = _sections(result)
    if sections:
        figures["sections"] = section_figure(sections, system)
    if not figures:
        raise InputError("This result has no recorded channels to draw.")
    paths = []
    for name, figure in figures.items():
        path = folder / f"{name}.{suffix}"
        save_picture(figure, path)
        paths.append(path)
    return paths


def _sections(result: Result) -> list[PortSection]:
    """Return sections at the start, at the first events and at the largest contact force; empty without a port."""
    if len(result.history.time) < 2:
        return []
    try:
        scene = build_scene(result)
    except InputError:  # nothing to show in 3-D
        return []
    peaks = [
        reaction.t_peak_force
        for reaction in result.loads
        if reaction.kind == "contact" and reaction.peak_force
    ][:1]
    times = {scene.start, *(time for time in peaks if time is not None)}
    for event in result.events:
        if len(times) < MOST_SECTIONS:
            times.add(event.time)
    return build_sections(result, scene, sorted(times))


def section_figure(sections: Sequence[PortSection], system: UnitSystem) -> Figure:
    """Return a figure with one drawing per section, to scale, in the frame of the port."""
    rows = -(-len(sections) // COLUMNS)
    figure = Figure(figsize=(10.0, 0.4 + 2.7 * rows), layout="constrained")
    half = 0.5 * WIDTH / sections[0].scale
    symbol, factor = display_unit("m", half, system)
    for i, section in enumerate(sections):
        ax = figure.add_subplot(rows, min(COLUMNS, len(sections)), i + 1)
        for shape in section.shapes:
            lines = [np.array([1.0, -1.0]) * points * factor / section.scale for points in shape.lines]
            if shape.kind in ("solid", "push"):
                colour = SERIES[0] if shape.kind == "solid" else STATUS_COLOURS[Status.FAILED][0]
                style = (
                    {"alpha": 0.7, "edgecolor": "black"} if shape.kind == "solid" else {"edgecolor": colour}
                )
                ax.add_patch(Polygon(lines[-1], facecolor=colour, linewidth=0.6, **style))
                lines = lines[:-1]
            for points in lines:
                colour = {"axis": "0.7", "cavity": "0.3"}.get(shape.kind, STATUS_COLOURS[Status.FAILED][0])
                ax.plot(*points.T, "-." if shape.kind == "axis" else "-", color=colour, linewidth=1.2)
        size = factor * half
        ax.set(xlim=(-size, size), ylim=(-ASPECT_RATIO * size, ASPECT_RATIO * size), aspect="equal")
        ax.set_title(format_time(section.time), fontsize="small")
        ax.set_xlabel(axis_label("along the port", symbol), fontsize="x-small")
        ax.tick_params(labelsize="x-small")
    return figure
