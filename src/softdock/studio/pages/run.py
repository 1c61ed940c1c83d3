"""One run: progress, outcome, requirements, replay, charts, reactions, metrics, conservation check, downloads."""

import asyncio
import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nicegui import ui

from softdock.errors import InputError, RunError
from softdock.presentation.unit_systems import AUTOMATIC, SYSTEMS
from softdock.studio.pages import charts, frame, run_summary, unit_choice

if TYPE_CHECKING:
    from softdock.studio.runs import Activity
    from softdock.studio.server import Studio

DOWNLOADS = {
    "history": ("History", "Parquet, all recorded channels"), "result": ("Result", "JSON: metrics, events, scenario"),
    "figure": ("Figure", "PNG of the history"), "glb": ("Replay, GLB", "animated glTF, for example for Blender"),
    "replay": ("Replay, HTML", "self-contained page"),
    "report": ("Report, HTML", "timeline, figures and metrics"),
}  # fmt: skip
POLL_PERIOD = 0.1  # s between two updates of an active run
TABS = ("Replay", "Charts", "Reactions", "Metrics", "Downloads")
FIRST_UNITS, FIRST_PER_UNIT = 3, 2  # charts shown first, and curves of each
MOST_FIRST = 12  # curves shown first
MOST_LISTED = 300  # runs to compare with


async def show(studio: "Studio", run: str) -> None:
    """Show the page of one run."""
    ui.label(run).style("font-size: 20px; font-weight: 600; overflow-wrap: anywhere").props("role=heading")
    view = RunView(studio)
    activity = studio.runs.activities.get(run)
    if activity is not None and (activity.active or activity.summary is None):
        view.follow(activity)
    else:
        async with frame.waiting():
            await view.open(run)


class RunView:
    """View of one run; updated while the run is active."""

    def __init__(self, studio: "Studio", success: Sequence[str] = ()) -> None:
        self.studio = studio
        self.success = tuple(success)
        self.shown = ""
        self.summary: dict[str, Any] = {}
        self.earlier = ""
        self.chosen: list[str] = []
        self.tab = "Replay"
        self.has_charts = False
        self.shown_controllers = "", ""
        self.panels: dict[str, ui.tab_panel] = {}
        self.box = ui.column().classes("w-full").style("gap: 14px")
        self.clock = ui.element("div").style("display: none")
        self.choice = unit_choice.current()
        self.choice.listen(self.box, self._change_units)

    def follow(self, activity: "Activity") -> None:
        """Show an active run until it has ended, then its result; the replay player is loaded meanwhile."""
        self._lay_out(activity.run)
        with self.status, ui.row().classes("card items-center no-wrap").mark("progress"):
            ui.icon("hourglass_top", size="22px").classes("soft")  # no animation: it would use a whole core
            stage = ui.label("starting").props("role=status")
            ui.space()
            cancel = ui.button("Cancel", icon="stop", on_click=lambda: self.studio.runs.cancel(activity))
            cancel.props("outline color=negative")

        def update() -> None:
            if activity.run != self.shown:
                timer.cancel()
                return
            stage.set_text(f"{activity.stage.capitalize()}, {activity.seconds:.1f} s")
            if not activity.active:
                timer.cancel()
                self._show_end(activity)

        self.clock.clear()
        with self.clock:
            timer = ui.timer(POLL_PERIOD, update)

    def _show_end(self, activity: "Activity") -> None:
        if activity.summary is not None:
            self._fill(activity.summary)
            return
        self.box.clear()
        with self.box, ui.element("div").classes("card"):
            if activity.error:
                frame.problem(activity.error)
            for problem in activity.problems:
                frame.problem(problem["text"])

    async def open(self, run: str) -> None:
        """Show a saved run; `campaign/number` is a run of a campaign."""
        self.shown = run
        self.box.clear()
        try:
            summary = await self.studio.query_worker.call("summarise_run", run=run)
        except (InputError, RunError) as error:
            with self.box:
                frame.problem(str(error))
            return
        self._lay_out(run, summary)
        self._fill(summary)

    def _lay_out(self, run: str, summary: dict[str, Any] | None = None) -> None:
        """Create the tabs with the replay; the other tabs are filled when the run has ended."""
        self.shown, self.summary, self.has_charts = run, summary or {}, False
        self.box.clear()
        with self.box:
            self.status = ui.column().classes("w-full")
            with ui.element("div").classes("card").style("padding: 0 0 10px 0"):
                with ui.tabs().props("dense align=left no-caps").classes("w-full") as tabs:
                    for name in TABS:
                        ui.tab(name)
                panels = ui.tab_panels(tabs, value=self.tab, animated=False, on_change=self._change_tab)
                with panels.props("keep-alive").classes("w-full").style("background: transparent"):
                    with ui.tab_panel("Replay").style("padding: 10px 12px 0"):
                        self.replay = ui.html("", sanitize=False).classes("w-full")
                        self._load_replay()
                    self.panels = {
                        name: ui.tab_panel(name).style("padding: 10px 14px 0") for name in TABS[1:]
                    }

    def _fill(self, summary: dict[str, Any]) -> None:
        self.summary = summary
        known = summary["channels"]
        limited = [limit["channel"] for limit in self._display()["limits"]]
        self.chosen = [name for name in self.chosen if name in known] or _first_channels(known, limited)
        if self.replay_units != self.units:
            self._load_replay()
        for box in (self.status, *self.panels.values()):
            box.clear()
        with self.status:
            self._verdict()
        with self.panels["Charts"]:
            self.shown_controllers = "", ""
            self._charts()
        with self.panels["Reactions"]:
            ui.html(run_summary.reactions_html(self.summary, self.units), sanitize=False).classes(
                "w-full"
            ).mark("loads")
        with self.panels["Metrics"]:
            self.metrics_box = ui.column().classes("w-full").style("gap: 14px")
            self._show_metrics()
        with self.panels["Downloads"]:
            self._downloads()
        if self.tab == "Charts":
            with self.status:
                ui.timer(0.0, self._draw_charts, once=True)

    def _change_units(self) -> None:
        if self.summary:
            self.has_charts = False
            self._fill(self.summary)

    async def _change_tab(self, event: Any) -> None:
        self.tab = str(event.value)
        if self.tab == "Charts" and self.summary and not self.has_charts:
            await self._draw_charts()  # only when the tab is open: the replay has priority

    def _verdict(self) -> None:
        with ui.element("div").classes("card").mark("outcome"):
            ui.html(run_summary.verdict_html(self.summary, self.success), sanitize=False).mark("audit")
            ui.html(run_summary.headline_html(self.summary, self.units), sanitize=False).mark("headline")
            with ui.row().classes("items-center").style("gap: 12px; margin-top: 4px; font-size: 12.5px"):
                ui.label(run_summary.work_text(self.summary)).classes("soft")
                if "/" not in self.shown:
                    ui.link("Open in new tab", f"/run/{self.shown}", new_tab=True)
        bars = run_summary.phase_bars(self.summary)
        if bars:
            with ui.element("div").classes("card").mark("phases"):
                ui.html(bars, sanitize=False).classes("w-full")
        tiles = run_summary.requirement_tiles_html(self.summary, self.units)
        if tiles:
            ui.html(tiles, sanitize=False).classes("w-full").mark("requirements")

    @property
    def units(self) -> str:
        """Name of the unit system: chosen in the header, or else that of the scenario."""
        return self.choice.resolve(str(self.summary.get("unit_system", AUTOMATIC.name)))

    def _display(self) -> dict[str, Any]:
        """Return reactions, requirements and limits in the unit system of the page."""
        display: dict[str, Any] = self.summary["displays"][self.units]
        return display

    def _address(self) -> str:
        campaign, slash, number = self.shown.partition("/")
        return f"/campaigns/{campaign}/runs/{number}" if slash else f"/runs/{self.shown}"

    def _load_replay(self) -> None:
        """Load the player with the unit system of the page; the file's own is unknown until its run has ended."""
        self.replay_units = self.units
        self.replay.set_content(
            '<iframe class="replay" title="Replay of the run" sandbox="allow-scripts" '
            f'src="{html.escape(self._address())}/replay?units={quote(self.replay_units)}" '
            'style="height: max(420px, calc(100vh - 290px))"></iframe>'
        )

    def _charts(self) -> None:
        with ui.row().classes("w-full items-start").style("gap: 12px"):
            ui.select(
                list(self.summary["channels"]), value=self.chosen, multiple=True, label="Channels", with_input=True,
                on_change=self._select_channels,
            ).props("dense outlined use-chips").style("flex: 3 1 320px; min-width: 0").mark("channels")  # fmt: skip
            others = {
                "": "none",
                **{name: name for name in self.studio.folder.runs()[:MOST_LISTED] if name != self.shown},
            }
            self.earlier = self.earlier if self.earlier in others else ""
            ui.select(
                others, value=self.earlier, label="Compare with an earlier run", with_input=True,
                on_change=self._compare,
            ).props("dense outlined").style("flex: 1 1 240px; min-width: 0").mark("compare")  # fmt: skip
        self.control_box = ui.html("", sanitize=False).classes("w-full").mark("control")
        self.chart_box = ui.column().classes("w-full").style("gap: 6px; margin-top: 8px")

    async def _select_channels(self, event: Any) -> None:
        self.chosen = list(event.value or ())
        await self._draw_charts()

    async def _compare(self, event: Any) -> None:
        self.earlier = event.value or ""
        await self._draw_charts()
        earlier: dict[str, Any] | None = None
        if self.earlier:
            try:
                earlier = await self.studio.query_worker.call("summarise_run", run=self.earlier)
            except (InputError, RunError) as error:
                ui.notify(str(error), type="negative")
        self._show_metrics(earlier)

    async def _draw_controllers(self) -> None:
        """Show the figures of the controllers of the run, if it has any."""
        run, units = self.shown, self.units
        if not self.summary["has_controllers"] or (run, units) == self.shown_controllers:
            return
        try:
            content = await self.studio.query_worker.call("draw_controllers", run=run, units=units)
        except (InputError, RunError) as error:
            ui.notify(str(error), type="negative")
            return
        if run == self.shown:
            self.shown_controllers = run, units
            self.control_box.set_content(content)

    async def _draw_charts(self) -> None:
        self.has_charts = True
        await self._draw_controllers()
        run, names = self.shown, list(self.chosen)
        try:
            curves, earlier = await asyncio.gather(
                self.studio.query_worker.call("read_curves", run=run, names=names),
                self._load_earlier_curves(names),
            )
        except (InputError, RunError) as error:
            with self.chart_box:
                frame.problem(str(error))
            return
        if run != self.shown:
            return
        self.chart_box.clear()
        with self.chart_box:
            if not curves:
                ui.label("Select channels to draw.").classes("soft")
            for group in charts.by_unit(curves).values():
                chart = charts.over_time(
                    group, earlier, self.summary["events"], self._display()["limits"], SYSTEMS[self.units]
                )
                if chart.note:
                    ui.label(chart.note).classes("soft").style("font-size: 12.5px").mark("limits")
                ui.echart(charts.to_echarts(chart)).classes("w-full").style("height: 250px").mark("chart")

    async def _load_earlier_curves(self, names: list[str]) -> dict[str, Any]:
        if not self.earlier:
            return {}
        curves: dict[str, Any] = await self.studio.query_worker.call(
            "read_curves", run=self.earlier, names=names
        )
        return curves

    def _show_metrics(self, earlier: dict[str, Any] | None = None) -> None:
        parts = {
            "": run_summary.metrics_html(self.summary, earlier, self.units),
            "Phases": run_summary.phases_html(self.summary, self.units) if self.summary["phases"] else "",
            "Conservation check": run_summary.conservation_html(self.summary),
            "Events": run_summary.events_html(self.summary) if self.summary["events"] else "",
        }
        self.metrics_box.clear()
        with self.metrics_box:
            for title, content in parts.items():
                if title and content:
                    ui.html(f"<h3>{title}</h3>", sanitize=False)
                ui.html(content, sanitize=False).classes("w-full").mark("numbers" if not title else "")

    def _downloads(self) -> None:
        for kind, (label, about) in DOWNLOADS.items():
            with ui.row().classes("items-center").style("gap: 10px; padding: 3px 0"):
                address = f"{self._address()}/{kind}?download=true&units={quote(self.units)}"
                ui.link(label, address).props("download").style("min-width: 130px")
                ui.label(about).classes("soft")


def _first_channels(channels: Mapping[str, str], limited: Sequence[str]) -> list[str]:
    """Return the channels that are drawn first: those with a limit, and a few of each of the first units."""
    by_unit: dict[str, list[str]] = {}
    for name, unit in channels.items():
        if unit in by_unit or len(by_unit) < FIRST_UNITS:
            by_unit.setdefault(unit, []).append(name)
    few = [name for names in by_unit.values() for name in names[:FIRST_PER_UNIT]]
    return list(dict.fromkeys([*limited, *few]))[:MOST_FIRST]
