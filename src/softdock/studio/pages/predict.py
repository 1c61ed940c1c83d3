"""Predict an impact from four masses, restitution and speed; maps of the impact paper with the current point."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from nicegui import ui

from softdock.prediction import UNITS
from softdock.prediction.chain import predict_masses
from softdock.presentation.numbers import format_number
from softdock.presentation.run import quantity_table
from softdock.presentation.unit_systems import AUTOMATIC, SYSTEMS
from softdock.quantities.fields import Quantity
from softdock.studio.pages import charts, unit_choice
from softdock.theory import rmi

DECADES = (-1.0, 4.0)  # of kg on a mass slider
MAP_POINTS = 61  # along each axis
RANGE = (-2.0, 2.0)  # decades of a mass ratio on the maps
INITIAL = {"m1": 17.0, "m2": 2.0, "m3": 1.5, "m4": 15.0}  # case A of the impact paper
DESCRIPTIONS = {
    "m1": "rear mass of the chaser",
    "m2": "contacting mass of the chaser",
    "m3": "contacting mass of the target",
    "m4": "rear mass of the target",
}
KINDS = {
    **{name: Quantity("kg", ge=0) for name in ("m1", "m4")}, **{name: Quantity("kg", gt=0) for name in ("m2", "m3")},
    "speed": Quantity("m/s", gt=0), "restitution": Quantity("1", ge=0, le=1),
}  # fmt: skip
SHOWN = (
    "effective_mass_ratio", "effective_mass_ratio_star", "relative_velocity_before", "relative_velocity_after",
    "impulse", "chaser_velocity_after", "target_velocity_after",
)  # fmt: skip
SYMBOLS = {"effective_mass_ratio": "e_I, ", "effective_mass_ratio_star": "e*, "}
MAPS = {
    "one mass": "Target of one mass (Figure 3)",
    "wall": "Target mass on a wall (Figure 4)",
    "locus": "Equal velocities after an elastic impact (Figure 5)",
}


class Predict:
    """The page: sliders and results on the left, maps on the right."""

    def __init__(self) -> None:
        self.values = {**INITIAL, "restitution": 1.0, "speed": 0.05}
        self.fields: dict[str, ui.input] = {}
        self.units = unit_choice.current()

    def build(self) -> None:
        """Create the elements of the page."""
        ui.html("<h1>Predict an impact</h1>", sanitize=False)
        ui.label(
            "Two spacecraft of two masses each, connected by springs that are soft compared with the contact: "
            "velocities after the impact by the theory of rigid multibody impacts."
        ).classes("soft")
        with ui.element("div").classes("split"):
            with ui.column().classes("w-full").style("gap: 14px; min-width: 0"):
                with (
                    ui.element("div").classes("card").style("display: flex; flex-direction: column; gap: 4px")
                ):
                    for name, description in DESCRIPTIONS.items():
                        self._slider(name, f"{name}, {description}", "kg", DECADES)
                    self._slider("restitution", "restitution", "", None)
                    self._slider("speed", "closing speed", "m/s", (-3.0, 0.0))
                with ui.element("div").classes("card").style("padding: 6px 16px"):
                    self.numbers = ui.html("", sanitize=False).classes("w-full").mark("numbers")
            with ui.element("div").classes("card").style("min-width: 0"):
                self.regime = ui.label().style("font-weight: 600; margin-bottom: 8px").props("role=status")
                self.regime.mark("regime")
                self.choice = ui.toggle(MAPS, value="one mass", on_change=self._draw_map)
                self.choice.props("no-caps unelevated dense padding='4px 10px'").style("flex-wrap: wrap")
                self.note = ui.label().classes("soft").style("font-size: 12.5px; margin-top: 6px")
                self.chart = ui.echart(_map_options("one mass")).classes("w-full").mark("map")
                self.chart.style("height: max(340px, calc(100vh - 290px))")
        self.units.listen(self.numbers, self._compute)
        self._compute()

    def _slider(self, name: str, label: str, unit: str, decades: tuple[float, float] | None) -> None:
        low, high, step = (*decades, 0.01) if decades else (0.0, 1.0, 0.01)
        value = self.values[name]
        with ui.row().classes("items-center w-full no-wrap").style("gap: 12px"):
            with ui.column().classes("w-full").style("gap: 0; min-width: 0"):
                ui.label(label).classes("soft").style("font-size: 12.5px")
                slider = ui.slider(
                    min=low, max=high, step=step, value=math.log10(value) if decades else value
                )
                slider.props(f'aria-label="{label}" dense').mark(f"slider-{name}")
            field = ui.input(value=f"{value:.4g}").props(
                f'dense outlined hide-bottom-space aria-label="{label}, value"'
            )
            field.style("width: 132px; flex: none").mark(f"value-{name}")
            if unit:
                with field.add_slot("append"):
                    ui.label(unit).classes("soft").style("font-size: 12px")
        self.fields[name] = field
        updating = {"slider": False}

        def slider_moved(event: Any) -> None:
            if not updating["slider"]:
                given = 10.0**event.value if decades else event.value
                field.value, field.error = f"{given:.4g}", None
                self.values[name] = float(f"{given:.4g}")
                self._compute()

        def text_entered() -> None:
            try:
                given = KINDS[name].parse(_number_or_text(field.value))
            except ValueError as error:
                field.error = f"{str(error)[:1].upper()}{str(error)[1:]}."
                return
            field.error, self.values[name], updating["slider"] = None, given, True
            if decades is None or given > 0.0:
                slider.value = min(max(math.log10(given) if decades else given, low), high)
            updating["slider"] = False
            self._compute()

        slider.on_value_change(slider_moved)
        field.on("change", text_entered)
        field.on("keydown.enter", text_entered)

    def _compute(self) -> None:
        prediction = predict_masses(**self.values)
        self.regime.set_text(prediction["regime_sentence"])
        values = {f"{SYMBOLS.get(name, '')}{name}": prediction[name] for name in SHOWN}
        units = {f"{SYMBOLS.get(name, '')}{name}": unit for name, unit in UNITS.items()}
        system = SYSTEMS[self.units.resolve(AUTOMATIC.name)]
        self.numbers.set_content(quantity_table(values, units, system).to_html("plain"))
        self._move_point()

    def _draw_map(self) -> None:
        self.chart.options.clear()
        self.chart.options.update(_map_options(self.choice.value))
        self._move_point()

    def _move_point(self) -> None:
        m1, m2, m3, m4 = (self.values[name] for name in DESCRIPTIONS)
        kind = self.choice.value
        interface, chaser, target = m2 / m3, m1 / m2, m4 / m3
        if kind == "locus":
            x, y = target, interface
            note = (
                f"Point: λt = m4/m3 = {format_number(target)}, λi = m2/m3 = {format_number(interface)}; "
                f"λc = {format_number(chaser)}."
            )
            self.chart.options["series"][-2]["data"] = _locus(chaser)
        else:
            x, y = interface, chaser
            e_I = float(
                rmi.ratio_fixed_wall(interface, chaser)
                if kind == "wall"
                else rmi.ratio_from_mass_ratios(interface, chaser, 0.0)
            )
            condition = "m3 on a wall" if kind == "wall" else "without m4, as in the figure"
            note = (
                f"Point: λi = m2/m3 = {format_number(interface)}, λc = m1/m2 = {format_number(chaser)}; "
                f"e_I = {format_number(e_I)} ({condition})."
            )
        outside = x > 4.0 if kind == "locus" else not (_on_map(x) and _on_map(y))
        self.note.set_text(f"{note} It is outside the map." if outside else note)
        low, high = 10.0 ** RANGE[0], 10.0 ** RANGE[1]
        inside = [min(max(x, low), high), min(max(y, low), high)] if kind != "locus" else [x, max(y, 1e-3)]
        self.chart.options["series"][-1]["data"] = [inside]
        self.chart.update()


def _on_map(ratio: float) -> bool:
    return RANGE[0] <= math.log10(max(ratio, 1e-300)) <= RANGE[1]


def _number_or_text(text: str | None) -> object:
    text = (text or "").strip()
    try:
        return float(text)
    except ValueError:
        return text


@functools.cache
def _map_values(kind: str) -> list[list[float]]:
    ratios = np.geomspace(10.0 ** RANGE[0], 10.0 ** RANGE[1], MAP_POINTS)
    interface, chaser = np.meshgrid(ratios, ratios)
    computed = (
        rmi.ratio_fixed_wall(interface, chaser)
        if kind == "wall"
        else rmi.ratio_from_mass_ratios(interface, chaser, 0.0)
    )
    values = np.asarray(computed)
    return [[i, j, round(float(values[j, i]), 4)] for j in range(MAP_POINTS) for i in range(MAP_POINTS)]


def _map_options(kind: str) -> dict[str, Any]:
    return _locus_map() if kind == "locus" else _coloured_map(kind)


POINT: dict[str, Any] = {
    "type": "scatter", "name": "this impact", "symbol": "circle", "symbolSize": 15, "z": 9,
    "itemStyle": {"color": "#ffffff", "borderColor": "#111111", "borderWidth": 3}, "data": [],
    "tooltip": {"show": False},
}  # fmt: skip


def _coloured_map(kind: str) -> dict[str, Any]:
    """Return the chart of the effective mass ratio over two mass ratios, with the contour of 1/2."""
    ratios = np.geomspace(10.0 ** RANGE[0], 10.0 ** RANGE[1], MAP_POINTS)
    labels = [f"{ratio:.3g}" for ratio in ratios]
    hidden = {"show": False}
    log: dict[str, Any] = {"min": 10.0 ** RANGE[0], "max": 10.0 ** RANGE[1]}
    return {
        "animation": False, "textStyle": {"fontFamily": "Roboto, sans-serif"},
        "grid": {"left": 74, "right": 96, "top": 16, "bottom": 52},
        "tooltip": {"confine": True, ":formatter": "p => p.seriesType === 'heatmap' ? 'e_I = ' + p.value[2] : ''"},
        "xAxis": [
            charts.axis("mass ratio of the contacting bodies, λi = m2/m3", "log", nameGap=30, splitLine=hidden, **log),
            {"type": "category", "data": labels, **dict.fromkeys(("axisLabel", "axisTick", "axisLine"), hidden)},
        ],
        "yAxis": [
            charts.axis("mass ratio of the chaser, λc = m1/m2", "log", nameGap=46, splitLine=hidden, **log),
            {"type": "category", "data": labels, **dict.fromkeys(("axisLabel", "axisTick", "axisLine"), hidden)},
        ],
        "visualMap": {
            "min": 0, "max": 1, "right": 8, "top": "middle", "itemHeight": 190, "seriesIndex": 0, "precision": 2,
            "text": ["e_I = 1", "0"], "textStyle": charts.TEXT,
            "inRange": {"color": ["#00224e", "#35456c", "#666970", "#948e77", "#c8b866", "#fee838"]},
        },
        "series": [
            {"type": "heatmap", "xAxisIndex": 1, "yAxisIndex": 1, "data": _map_values(kind), "progressive": 0,
             "emphasis": {"disabled": True}},
            {"type": "line", "name": "e_I = 1/2", "data": _half_line(kind), "showSymbol": False, "silent": True,
             "lineStyle": {"color": "#e08a2e", "width": 2.5}},
            dict(POINT),
        ],
    }  # fmt: skip


def _half_line(kind: str) -> list[list[float]]:
    """Return the contour where the effective mass ratio is 1/2, interpolated on a fine grid."""
    ratio: Callable[..., Any] = (
        rmi.ratio_fixed_wall if kind == "wall" else lambda li, lc: rmi.ratio_from_mass_ratios(li, lc, 0.0)
    )
    fine, line = np.geomspace(10.0 ** RANGE[0], 10.0 ** RANGE[1], 801), []
    for interface in np.geomspace(10.0 ** RANGE[0], 10.0 ** RANGE[1], 161):
        values = np.asarray(ratio(interface, fine)) - 0.5
        for k in np.flatnonzero(np.sign(values[:-1]) != np.sign(values[1:]))[:1]:
            share = values[k] / (values[k] - values[k + 1])
            line.append([float(interface), float(fine[k] * (fine[k + 1] / fine[k]) ** share)])
    return line


def _locus(chaser: float) -> list[list[float | None]]:
    """Return the contacting mass ratio for equal velocities after the impact, over the mass ratio of the target."""
    target = np.concatenate((np.linspace(0.0, 0.995, 120), np.linspace(1.005, 4.0, 240)))
    interface = np.asarray(rmi.zero_velocity_ratio(chaser=chaser, target=target), float)
    points: list[list[float | None]] = []
    for x, y in zip(target, interface):
        if points and points[-1][0] is not None and float(points[-1][0] or 0.0) < 1.0 < x:
            points.append([1.0, None])
        points.append([float(x), float(y) if np.isfinite(y) and 1e-3 < y < 1e3 else None])
    return points


def _locus_map() -> dict[str, Any]:
    lines = [
        {"type": "line", "name": f"λc = {chaser:g}", "data": _locus(chaser), "showSymbol": False, "connectNulls": False,
         "lineStyle": {"width": 1.4, "type": "solid" if chaser > 1.0 else "dashed"}}
        for chaser in (0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
    ]  # fmt: skip
    own = {"type": "line", "name": "this chaser", "data": [], "showSymbol": False, "connectNulls": False,
           "lineStyle": {"width": 3.2, "color": "#d1495b"}, "itemStyle": {"color": "#d1495b"}}  # fmt: skip
    return charts.frame(
        charts.axis("mass ratio of the target, λt = m4/m3", min=0, max=4, nameGap=30),
        charts.axis("λi = m2/m3", "log", min=0.01, max=100, nameGap=46),
        series=[*lines, own, dict(POINT)],
        tooltip={"show": False},
    )
