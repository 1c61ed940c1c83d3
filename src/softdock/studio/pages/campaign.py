"""One campaign: progress, table, scatter, envelope, springs; any run of it can be seen again."""

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import run as background
from nicegui import ui

from softdock.campaign.sizing import size_spring
from softdock.campaign.statistics import capture_envelope
from softdock.errors import InputError, RunError
from softdock.studio.columns import Filter
from softdock.studio.pages import charts, frame
from softdock.studio.pages.run import RunView

if TYPE_CHECKING:
    from softdock.studio.columns import Columns
    from softdock.studio.server import Studio

PERIOD = 0.7  # s between two looks at a campaign under way
REFRESH = 4  # looks after which table and charts follow
MOST_POINTS = 20_000  # of the scatter; failures first
MOST_SHOWN = 9  # columns of the table
PAGE = 25
GOOD, BAD = "#2e9e5b", "#d33b3b"


async def show(studio: "Studio", campaign: str) -> None:
    """Show the page of one campaign."""
    try:
        if not studio.folder.campaign(campaign).is_dir():
            raise InputError(f"There is no campaign '{campaign}'.")
    except InputError as error:
        frame.problem(str(error))
        ui.link("Back to the campaigns", "/campaigns")
        return
    await CampaignPage(studio, campaign).build()


class CampaignPage:
    """The page of one campaign."""

    def __init__(self, studio: "Studio", campaign: str) -> None:
        self.studio, self.campaign = studio, campaign
        self.columns: Columns = studio.campaigns.columns(campaign)
        self.looks = 0
        self.pagination: dict[str, Any] = {
            "page": 1,
            "rowsPerPage": PAGE,
            "sortBy": "run",
            "descending": False,
        }
        self.built = False

    async def build(self) -> None:
        """Lay the page out."""
        with ui.row().classes("items-center w-full").style("gap: 12px"):
            ui.label(self.campaign).style("font-size: 20px; font-weight: 600; overflow-wrap: anywhere").props(
                "role=heading"
            )
            ui.space()
            self.stop = ui.button("Stop", icon="stop", on_click=self._stop).props("outline color=negative")
            self.resume = ui.button("Resume", icon="play_arrow", on_click=self._resume).props("unelevated")
            ui.link("Report", f"/campaigns/{self.campaign}/report").props("download").mark("report")
        with ui.element("div").classes("card"):
            with ui.row().classes("items-center w-full").style("gap: 12px"):
                self.sentence = ui.label().style("flex: 1 1 300px").props("role=status").mark("sentence")
                self.counts = ui.row().style("gap: 6px").mark("counts")
            self.bar = ui.linear_progress(value=0.0, show_value=False, size="6px").classes("q-mt-sm")
        self.content = ui.column().classes("w-full").style("gap: 14px")
        self.clock = ui.timer(PERIOD, self.look, active=False, immediate=False)
        async with frame.waiting():
            await self.look()

    async def look(self) -> None:
        """Look at how far it is; table and charts follow now and then."""
        state = self.studio.campaigns.state(self.campaign)
        self.sentence.set_text(state.sentence)
        self.sentence.classes(add="problem" if state.error else "", remove="" if state.error else "problem")
        self.bar.set_value(state.done / state.total if state.total else 0.0)
        self.stop.set_visibility(state.running)
        self.stop.set_enabled(not state.stopping)
        self.resume.set_visibility(not state.running and not state.complete and state.total > 0)
        self.counts.clear()
        with self.counts:
            for name, count in list(state.outcomes.items())[:8]:
                ui.label(f"{name.replace('_', ' ')} {count:,}").classes("tag")
        self.clock.active = state.running
        self.looks += 1
        if state.done and (not state.running or not self.built or self.looks % REFRESH == 0):
            await self._refresh()

    async def _refresh(self) -> None:
        try:
            await background.io_bound(self.columns.update)
        except InputError:
            return  # the table has not begun yet
        if not self.columns.size:
            return
        if not self.built:
            self.built = True
            with self.content:
                self._lay_out()
        self._fill_table()
        self._draw_scatter()
        self._draw_envelope()
        self._size_spring()

    def _stop(self) -> None:
        self.studio.campaigns.stop(self.campaign)
        self.clock.active = True

    async def _resume(self) -> None:
        self.studio.campaigns.resume(self.campaign)
        self.clock.active = True
        self.resume.set_visibility(False)

    def _lay_out(self) -> None:
        names = self.columns.numeric()
        inputs = [name for name in names if name.startswith("input ")] or names
        x, y = _first_two(self.columns, inputs)
        with ui.element("div").classes("card").style("padding: 0 0 10px 0"):
            with ui.tabs().props("dense align=left no-caps").classes("w-full") as tabs:
                for name in ("Scatter", "Table", "Envelope", "Springs"):
                    ui.tab(name)
            with (
                ui.tab_panels(tabs, value="Scatter", animated=False)
                .props("keep-alive")
                .classes("w-full")
                .style("background: transparent")
            ):
                with ui.tab_panel("Scatter").style("padding: 10px 14px 0"):
                    self._scatter_panel(names, x, y)
                with ui.tab_panel("Table").style("padding: 10px 14px 0"):
                    self._table_panel(names)
                with ui.tab_panel("Envelope").style("padding: 10px 14px 0"):
                    self._envelope_panel(inputs, x, y)
                with ui.tab_panel("Springs").style("padding: 10px 14px 0"):
                    self._spring_panel(names)

    def _scatter_panel(self, names: list[str], x: str, y: str) -> None:
        with ui.row().classes("items-center w-full").style("gap: 10px"):
            self.x = _select(names, x, "Across", self._draw_scatter, "scatter-x")
            self.y = _select(names, y, "Up", self._draw_scatter, "scatter-y")
            ui.label("Click a point to see that run.").classes("soft").style("font-size: 13px")
        self.scatter_note = ui.label().classes("soft").style("font-size: 12.5px")
        self.scatter = ui.echart(charts.frame(charts.axis(x), charts.axis(y), series=[])).classes("w-full")
        self.scatter.style("height: max(380px, calc(100vh - 360px))").mark("scatter")
        self.scatter.on_point_click(self._clicked)

    def _draw_scatter(self) -> None:
        across, up = self.columns.column(self.x.value), self.columns.column(self.y.value)
        options, drawn, known = scatter_options(self.columns, self.x.value, self.y.value, across, up)
        self.scatter.options.clear()
        self.scatter.options.update(options)
        self.scatter.update()
        left = f"{drawn:,} of {known:,} runs are drawn, failures first." if drawn < known else ""
        self.scatter_note.set_text(left)

    async def _clicked(self, event: Any) -> None:
        data = event.data
        if isinstance(data, list) and len(data) > 2:
            await self.show(int(data[2]))

    async def show(self, number: int) -> None:
        """Show one run in a window over the page; it is repeated if its history was not kept."""
        with (
            ui.dialog().props("maximized") as dialog,
            ui.card().style("background: var(--page); width: 100%; padding: 14px 18px; gap: 10px"),
        ):
            with ui.row().classes("items-center w-full"):
                ui.label(f"Run {number} of {self.campaign}").style("font-weight: 600; font-size: 17px")
                ui.space()
                ui.button("Close", icon="close", on_click=dialog.close).props("outline")
            waiting = ui.row().classes("items-center")
            with waiting:
                ui.icon("hourglass_top", size="22px").classes("soft")
                ui.label("Repeating the run with its history ...").props("role=status")
            body = ui.column().classes("w-full").style("gap: 14px")
        dialog.on("hide", dialog.delete)
        dialog.open()
        try:
            await self.studio.bench.do("reran", campaign=self.campaign, number=number)
            with body:
                view = RunView(self.studio, self.columns.manifest.get("campaign", {}).get("success") or ())
            await view.open(f"{self.campaign}/{number}")
        except (InputError, RunError) as error:
            with body:
                frame.problem(str(error))
        waiting.set_visibility(False)

    def _table_panel(self, names: list[str]) -> None:
        wanted = _worth_showing(self.columns, names)
        with ui.row().classes("items-start w-full").style("gap: 10px"):
            self.outcomes = ui.select(list(self.columns.names), multiple=True, label="Outcomes", value=[])
            self.outcomes.props("dense outlined use-chips").style("min-width: 220px").mark("outcomes")
            self.by = ui.select(names, label="Range of", value=None, with_input=True, clearable=True)
            self.by.props("dense outlined").style("flex: 1 1 220px")
            self.low = ui.input("from").props("dense outlined hide-bottom-space").style("width: 110px")
            self.high = ui.input("to").props("dense outlined hide-bottom-space").style("width: 110px")
            self.shown = ui.select(names, multiple=True, label="Columns", value=wanted, with_input=True)
            self.shown.props("dense outlined").style("flex: 1 1 260px; max-width: 420px")
            self.shown.props('display-value="" ').props["display-value"] = f"{len(wanted)} shown"
        for field in (self.outcomes, self.by, self.low, self.high, self.shown):
            field.on_value_change(self._filtered)
        self.table = ui.table(columns=[], rows=[], row_key="run", pagination=self.pagination).classes(
            "w-full"
        )
        self.table.props("flat dense binary-state-sort :rows-per-page-options=[25,50,100]").mark("table")
        self.table.on("request", self._requested)
        self.table.add_slot(
            "body-cell-run",
            '<q-td :props="props"><q-btn flat dense no-caps color="primary" class="small" :label="String(props.value)" '
            ":aria-label=\"'See run ' + props.value\" @click=\"() => $parent.$emit('see', props.value)\" /></q-td>",
        )
        self.table.on("see", lambda event: self.show(int(event.args)))

    def _filtered(self) -> None:
        self.pagination["page"] = 1
        self.shown.props["display-value"] = f"{len(self.shown.value)} shown"
        self._fill_table()

    def _requested(self, event: Any) -> None:
        wanted = event.args["pagination"]
        self.pagination.update({key: wanted[key] for key in ("page", "rowsPerPage", "sortBy", "descending")})
        self._fill_table()

    def _fill_table(self) -> None:
        p = self.pagination
        shown = list(self.shown.value)
        count = min(max(int(p["rowsPerPage"] or PAGE), 1), 200)
        start = (max(int(p["page"]), 1) - 1) * count
        wanted = Filter(tuple(self.outcomes.value), self.by.value or "", _float(self.low), _float(self.high))
        rows, total = self.columns.page(
            wanted, p["sortBy"] or "run", bool(p["descending"]), start, count, shown
        )
        heads = ["run", "outcome", *shown]
        self.table.columns = [
            {"name": name, "label": self.columns.label(name), "field": name, "sortable": True,
             "align": "left" if name in ("run", "outcome") else "right"}
            for name in heads
        ]  # fmt: skip
        self.table.rows = [
            {
                key: frame.number(value) if isinstance(value, float) or value is None else value
                for key, value in row.items()
            }
            for row in rows
        ]
        self.table.props["pagination"] = {**p, "rowsNumber": total}
        self.outcomes.set_options(list(self.columns.names), value=self.outcomes.value)
        self.table.update()

    def _envelope_panel(self, inputs: list[str], x: str, y: str) -> None:
        inputs = inputs if x in inputs and y in inputs else self.columns.numeric()
        with ui.row().classes("items-center w-full").style("gap: 10px"):
            self.ex = _select(inputs, x, "Across", self._draw_envelope, "envelope-x")
            self.ey = _select(inputs, y, "Up", self._draw_envelope, "envelope-y")
        self.envelope_note = ui.label().classes("soft").style("font-size: 12.5px")
        self.envelope = ui.echart({"series": []}).classes("w-full").mark("envelope")
        self.envelope.style("height: max(380px, calc(100vh - 360px))")

    def _draw_envelope(self) -> None:
        success = self.columns.success
        if success is None:
            self.envelope_note.set_text(
                "The campaign does not say which outcomes are a success (key `success`), so there is no envelope."
            )
            self.envelope.set_visibility(False)
            return
        self.envelope_note.set_text(
            "Share of success in each cell [%], and the lower end of its 95 % Wilson interval; no model is fitted."
        )
        options = envelope_options(self.columns, self.ex.value, self.ey.value, success)
        self.envelope.options.clear()
        self.envelope.options.update(options)
        self.envelope.update()

    def _spring_panel(self, names: list[str]) -> None:
        energies = [
            name for name in names if "energy" in name and not name.startswith(("input ", "predicted "))
        ]
        given = self.columns.manifest.get("campaign", {}).get("springs", {})
        first = next(iter(given.values()), None)
        ui.label(
            "A linear spring that stores the largest energy of a share of all runs within its stroke: k = 2 E / s²."
        ).classes("soft")
        with ui.row().classes("items-start w-full").style("gap: 10px; margin-top: 8px"):
            value = (
                first["metric"]
                if first and first["metric"] in energies
                else energies[0]
                if energies
                else None
            )
            self.energy = _select(energies, value, "Energy of", self._size_spring, "energy")
            self.stroke = ui.input("Stroke", value=str(first["stroke"]) if first else "10 mm")
            self.stroke.props("dense outlined hide-bottom-space").style("width: 160px").mark("stroke")
            self.stroke.on_value_change(self._size_spring)
        self.spring = ui.html("", sanitize=False).classes("w-full").style("margin-top: 10px").mark("spring")

    def _size_spring(self) -> None:
        self.stroke.error = None
        if not self.energy.value:
            self.spring.set_content("<p>No metric of this campaign is an energy.</p>")
            return
        try:
            size = size_spring(
                self.energy.value,
                _scalar(self.stroke.value),
                self.columns.run,
                self.columns.column(self.energy.value),
            )
        except ValueError as error:
            self.stroke.error = f"The stroke {error}."
            self.spring.set_content("")
            return
        unit = "N m/rad" if size.turning else "N/m"
        head = (
            f"<tr><th>of runs within</th><th class=number>energy [J]</th><th class=number>stiffness [{unit}]</th>"
            "<th class=number>largest energy exceeds it by</th></tr>"
        )
        rows = "".join(
            f"<tr><td>{row['share']:.0%}</td><td class=number>{row['energy']:.4g}</td>"
            f"<td class=number>{row['stiffness']:.4g}</td><td class=number>{row['excess']:.0%}</td></tr>"
            for row in size.by_quantile()
        )
        self.spring.set_content(f'<table class="plain" style="max-width: 720px">{head}{rows}</table>')


def scatter_options(
    columns: "Columns", x: str, y: str, across: Any, up: Any
) -> tuple[dict[str, Any], int, int]:
    """Return the scatter of two columns, one colour per outcome; failures first where there are too many."""
    known = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    success = columns.success
    if known.size > MOST_POINTS:
        order = np.argsort(success[known], kind="stable") if success is not None else np.arange(known.size)
        drawn = known[order[:MOST_POINTS]]
    else:
        drawn = known
    good = set(columns.manifest.get("campaign", {}).get("success") or ())
    series = []
    reds, others = ("#d33b3b", "#a259c4", "#e08a2e", "#8a6d3b"), charts.COLOURS
    failures = [name for name in columns.names if name not in good]
    for code, name in enumerate(columns.names):
        rows = drawn[columns.outcome[drawn] == code]
        failed = name in failures
        colour = (
            others[code % len(others)]
            if not good
            else reds[failures.index(name) % len(reds)]
            if failed
            else GOOD
        )
        points = [[float(across[i]), float(up[i]), int(columns.run[i])] for i in rows]
        series.append(
            {"type": "scatter", "name": name.replace("_", " "), "data": points,
             "symbolSize": 8 if failed or not good else 6,
             "itemStyle": {"color": colour, "opacity": 0.75}, "z": 3 if failed else 2, "cursor": "pointer"}
        )  # fmt: skip
    options = charts.frame(charts.axis(columns.label(x)), charts.axis(columns.label(y)), series=series)
    options["tooltip"] = {
        "trigger": "item", "confine": True,
        ":formatter": "p => 'run ' + p.value[2] + ': ' + p.seriesName + '<br>' + p.value[0].toPrecision(5) + ', ' "
        "+ p.value[1].toPrecision(5)",
    }  # fmt: skip
    return options, int(drawn.size), int(known.size)


def envelope_options(columns: "Columns", x: str, y: str, success: Any) -> dict[str, Any]:
    """Return the share of success over two inputs, cell by cell."""
    found = capture_envelope(columns.column(x), columns.column(y), success)
    cells = []
    for i in range(found.runs.shape[0]):
        for j in range(found.runs.shape[1]):
            runs = int(found.runs[i, j])
            if runs:
                share = float(found.successes[i, j]) / runs
                cells.append([i, j, round(100.0 * share, 1), runs, round(100.0 * float(found.low[i, j]), 1)])
    label = {
        "show": True,
        ":formatter": "p => p.value[2] + '\\n≥ ' + p.value[4]",
        "color": "#10151c",
        "fontSize": 11,
        "lineHeight": 14,
    }
    return {
        "animation": False, "textStyle": {"fontFamily": "Roboto, sans-serif"},
        "grid": {"left": 96, "right": 90, "top": 16, "bottom": 56},
        "tooltip": {"confine": True,
                    ":formatter": "p => p.value[2] + ' % of ' + p.value[3] + ' runs; at least ' + p.value[4] + ' %'"},
        "xAxis": charts.axis(columns.label(x), "category", data=_middles(found.x_edges), nameGap=32),
        "yAxis": charts.axis(columns.label(y), "category", data=_middles(found.y_edges), nameGap=72),
        "visualMap": {"min": 0, "max": 100, "right": 6, "top": "middle", "itemHeight": 160, "dimension": 2,
                      "text": ["100 %", "0 %"], "textStyle": charts.TEXT,
                      "inRange": {"color": ["#e4685f", "#f0c66b", "#7cc593"]}},
        "series": [{"type": "heatmap", "data": cells, "label": label, "emphasis": {"disabled": True}}],
    }  # fmt: skip


def _select(options: list[str], value: str | None, label: str, changed: Any, mark: str) -> ui.select:
    select = ui.select(options, value=value, label=label, with_input=True, on_change=changed)
    select.props("dense outlined").style("width: 320px; max-width: 45%").mark(mark)
    return select


def _first_two(columns: "Columns", inputs: list[str]) -> tuple[str, str]:
    """Return the two inputs that say most about success, or else the first two that vary."""
    varying = [name for name in inputs if _varies(columns, name)] or inputs
    scalar = [name for name in varying if not _is_component(columns, name)] or varying
    success = columns.success
    if success is not None and success.any() and not success.all():
        from softdock.campaign.statistics import rank_correlation

        found = [
            rank_correlation(name, columns.column(name), "success", success.astype(float)) for name in scalar
        ]
        best = sorted((one for one in found if one), key=lambda one: -abs(one.coefficient))
        if len(best) > 1:
            return best[0].input, best[1].input
    first = scalar[0]
    metric = next(
        (n for n in columns.numeric() if not n.startswith("input ") and np.isfinite(columns.column(n)).any()),
        first,
    )
    return first, scalar[1] if len(scalar) > 1 else metric


def _worth_showing(columns: "Columns", names: list[str]) -> list[str]:
    listed = columns.manifest.get("campaign", {}).get("metrics") or ()
    inputs = [n for n in names if n.startswith("input ") and not _is_component(columns, n)]
    metrics = [n for n in names if n in listed] or [
        n
        for n in names
        if not n.startswith(("input ", "predicted ")) and n != "wall_s" and _varies(columns, n)
    ]
    half = MOST_SHOWN // 2
    return [*inputs[: max(half, MOST_SHOWN - len(metrics))], *metrics][:MOST_SHOWN]


def _varies(columns: "Columns", name: str) -> bool:
    values = columns.column(name)
    return np.unique(values[np.isfinite(values)]).size > 1


def _is_component(columns: "Columns", name: str) -> bool:
    """Tell one component of a vector, whose length is a column too."""
    return f"{name.rpartition('.')[0]}.norm" in columns.numeric() and not name.endswith(".norm")


def _middles(edges: Any) -> list[str]:
    return [f"{(a + b) / 2:.3g}" for a, b in pairwise(edges)]


def _scalar(text: str | None) -> object:
    try:
        return float(text or "")
    except ValueError:
        return text or ""


def _float(field: ui.input) -> float | None:
    """Return the number of a field; what is none is told there."""
    field.error = None
    text = (field.value or "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        field.error = "Must be a number."
        return None
    return value if math.isfinite(value) else None
