"""One description of a chart for all renderers: units, styles, limits, marks."""

import re

import numpy as np
import pytest

from softdock.presentation.chart import DASHES, LimitLine, Series, TimeCurve, time_chart
from softdock.presentation.chart_svg import draw_chart
from softdock.presentation.colours import SERIES
from softdock.presentation.unit_systems import SYSTEMS
from softdock.result import RunEvent
from softdock.studio.pages.charts import to_echarts

TIMES = np.array([0.0, 1.0, 2.0])


def curve(name: str, *values: float) -> TimeCurve:
    return TimeCurve(name=name, unit="N", time=TIMES, values=np.array(values))


def limit(value: float) -> LimitLine:
    return LimitLine(id="R-1", channel="a", value=value, text=f"R-1: at most {value:g} N")


def test_svg_and_echarts_show_what_the_chart_describes() -> None:
    events = [
        RunEvent(time=1.5, name="b"),
        RunEvent(time=0.5, name="a"),
        RunEvent(time=0.5, name="c"),
        RunEvent(time=9.0, name="d"),
    ]
    chart = time_chart(
        [curve("a", 0.0, 2000.0, 1000.0), curve("<b>", 0.0, -1000.0, np.nan)], (0.0, 2.0), events=events,
        limits=[limit(3000.0), limit(1e5)], earlier=[curve("a", 0.0, 4000.0, 0.0), curve("c", 0.0, 9e9, 0.0)],
    )  # fmt: skip
    assert chart.y.label == "force [kN]"
    assert [one.name for one in chart.series] == ["a", "<b>", "a, earlier"]
    assert [one.note for one in chart.series] == ["peak 2 kN", "peak -1 kN", ""]
    assert chart.series[2].colour == chart.series[0].colour
    assert [(mark.x, mark.text) for mark in chart.marks] == [(0.5, "1"), (1.5, "2")]
    assert [one.value for one in chart.limits] == [3.0]
    assert chart.note == "Limits: R-1: at most 3000 N; R-1: at most 100000 N (far outside the chart)"
    assert (chart.y.start, chart.y.end) == pytest.approx((-1.3, 4.3))

    drawing, options = draw_chart(chart), to_echarts(chart)
    assert drawing.count("<polyline") == len(chart.series)
    assert "force [kN]" in drawing
    assert "&lt;b&gt;" in drawing
    assert drawing.count('class="event"') == 2
    assert drawing.count('class="limit"') == 1
    assert options["yAxis"]["name"] == "force [kN]"
    assert [one["data"] for one in options["series"]] == [
        [[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]],
        [[0.0, 0.0], [1.0, -1.0], [2.0, None]],
        [[0.0, 0.0], [1.0, 4.0], [2.0, 0.0]],
        [[0.0, 3.0], [2.0, 3.0]],
    ]
    assert len(options["series"][0]["markLine"]["data"]) == 2
    for one, line in zip(chart.series, options["series"]):
        assert line["itemStyle"]["color"] == SERIES[one.colour]


def test_a_chart_has_the_units_of_the_system_and_its_title() -> None:
    chart = time_chart([curve("a", 0.0, 44.48, 0.0)], (0.0, 2.0), title="Loads", system=SYSTEMS["imperial"])
    assert chart.y.label == "Loads [lbf]"
    assert chart.series[0].y.max() == pytest.approx(10.0, rel=1e-3)


def test_all_series_of_a_large_chart_have_their_own_style() -> None:
    nothing = np.zeros(0)
    series = [Series(name="", x=nothing, y=nothing, number=i) for i in range(len(SERIES) * len(DASHES))]
    assert len({(one.colour, one.dash) for one in series}) == len(series)


@pytest.mark.parametrize(
    "values", [(0.0, 0.0, 0.0), (5.0, 5.0, 5.0), (np.nan, np.nan, np.nan), (1e-9, 0.0, 0.0)]
)
def test_charts_of_constant_missing_and_tiny_values_have_finite_axes(values: tuple[float, ...]) -> None:
    chart = time_chart([curve("a", *values)], (0.0, 2.0))
    assert chart.y.end > chart.y.start
    assert not re.search("nan|inf", draw_chart(chart))
    assert to_echarts(chart)["series"]
