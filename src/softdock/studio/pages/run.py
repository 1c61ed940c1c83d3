"""One run: progress, outcome, prediction beside simulation, audit, replay, charts, downloads; and all runs kept."""

import asyncio
import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nicegui import ui

from softdock.errors import InputError, RunError
from softdock.result import CONSERVATION_LIMIT
from softdock.studio.pages import charts, frame

if TYPE_CHECKING:
    from softdock.studio.runs import Activity
    from softdock.studio.server import Studio

AUDIT = {
    "linear_momentum_drift": ("linear momentum", 1e-6, CONSERVATION_LIMIT),
    "angular_momentum_drift": ("angular momentum", 1e-3, CONSERVATION_LIMIT),
    "energy_residual": ("energy", 1e-3, CONSERVATION_LIMIT),
}
"""Name, up to where the light is green and up to where it is amber: beyond, the conservation check has failed."""
DOWNLOADS = {
    "history": ("History", "Parquet, every recorded channel"), "result": ("Result", "JSON: metrics, events, scenario"),
    "figure": ("Figure", "PNG of the history"), "glb": ("Replay, GLB", "animated glTF for Blender and others"),
    "replay": ("Replay, HTML", "one file that opens anywhere"),
    "report": ("Report, HTML", "the story of the run with pictures and numbers"),
}  # fmt: skip
LOOK = 0.1  # s between two looks at a run under way
TABS = ("Replay", "Charts", "Numbers", "Downloads")
UNITS_SHOWN, PER_UNIT = 3, 2  # of the charts that are drawn at first
LISTED = 300
GOOD = ("captured", "latched", "inserted", "docked", "welded", "seated")


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


async def show_all(studio: "Studio") -> None:
    """Show the list of runs."""
    ui.html("<h1>Runs</h1>", sanitize=False)
    begun = [activity for activity in studio.runs.activities.values() if activity.active]
    for activity in reversed(begun):
        with ui.row().classes("card items-center").style("gap: 12px"):
            ui.icon("hourglass_top", size="22px").classes("soft")
            ui.link(activity.run, f"/run/{activity.run}")
            ui.label(f"under way: {activity.stage}").classes("soft")
    names = studio.folder.runs()[:LISTED]
    if not names and not begun:
        ui.label("No run is kept yet: open a scenario and press Run.").classes("soft")
        return
    async with frame.waiting():
        heads = await studio.query_worker.call("read_run_headers", runs=names)
    rows = [{"run": name, **heads[name]} for name in names if name in heads]
    columns: list[dict[str, Any]] = [
        {"name": "run", "label": "run", "field": "run", "align": "left", "sortable": True},
        {"name": "scenario", "label": "scenario", "field": "scenario", "align": "left", "sortable": True},
        {"name": "outcome", "label": "outcome", "field": "outcome", "align": "left", "sortable": True},
        {"name": "message", "label": "what happened", "field": "message", "align": "left"},
    ]
    table = (
        ui.table(columns=columns, rows=rows, row_key="run", pagination=25)
        .classes("card")
        .props("flat wrap-cells")
    )
    table.add_slot(
        "body-cell-run",
        '<q-td :props="props"><a :href="\'/run/\' + encodeURIComponent(props.value)">{{ props.value }}</a></q-td>',
    )


def lamp(summary: Mapping[str, Any], success: Sequence[str] = ()) -> str:
    """Return the colour of an outcome; where a campaign says what success is, everything else is a failure.

    Else it is green for what a scenario that names its outcomes names first, which is what it is for.
    """
    outcome = summary["outcome"]
    if not summary["completed"]:
        return "red"
    if success:
        return "green" if outcome in success else "red"
    return "green" if outcome in (*GOOD, *summary["outcomes"][:1]) else "grey"


class RunView:
    """What is known of one run; follows it while it is under way."""

    def __init__(self, studio: "Studio", success: Sequence[str] = ()) -> None:
        self.studio = studio
        self.success = tuple(success)
        self.shown = ""
        self.summary: dict[str, Any] = {}
        self.earlier = ""
        self.chosen: list[str] = []
        self.tab = "Replay"
        self.drawn = False
        self.panels: dict[str, ui.tab_panel] = {}
        self.box = ui.column().classes("w-full").style("gap: 14px")
        self.clock = ui.element("div").style("display: none")

    def follow(self, activity: "Activity") -> None:
        """Show a run under way until it has ended, then its result; the player of the replay comes at once."""
        self._lay_out(activity.run)
        with self.status, ui.row().classes("card items-center no-wrap").mark("progress"):
            ui.icon("hourglass_top", size="22px").classes("soft")  # stands still: animations cost a core
            stage = ui.label("starting").props("role=status")
            ui.space()
            cancel = ui.button("Cancel", icon="stop", on_click=lambda: self.studio.runs.cancel(activity))
            cancel.props("outline color=negative")

        def look() -> None:
            if activity.run != self.shown:
                timer.cancel()
                return
            stage.set_text(f"{activity.stage.capitalize()}, {activity.seconds:.1f} s")
            if not activity.active:
                timer.cancel()
                self._ended(activity)

        self.clock.clear()
        with self.clock:
            timer = ui.timer(LOOK, look)

    def _ended(self, activity: "Activity") -> None:
        if activity.summary is not None:
            self._fill(activity.summary)
            return
        self.box.clear()
        with self.box, ui.element("div").classes("card"):
            if activity.error:
                frame.problem(activity.error)
            for one in activity.problems:
                frame.problem(one["text"])

    async def open(self, run: str) -> None:
        """Show a run that is kept; `campaign/number` is a run of a campaign."""
        self.shown = run
        self.box.clear()
        try:
            summary = await self.studio.query_worker.call("summarise_run", run=run)
        except (InputError, RunError) as error:
            with self.box:
                frame.problem(str(error))
            return
        self._lay_out(run)
        self._fill(summary)

    def _lay_out(self, run: str) -> None:
        """Make the frame of a run; the replay is in it, and the rest follows when the run is known."""
        self.shown, self.summary, self.drawn = run, {}, False
        self.box.clear()
        with self.box:
            self.status = ui.column().classes("w-full")
            with ui.element("div").classes("card").style("padding: 0 0 10px 0"):
                with ui.tabs().props("dense align=left no-caps").classes("w-full") as tabs:
                    for name in TABS:
                        ui.tab(name)
                panels = ui.tab_panels(tabs, value=self.tab, animated=False, on_change=self._turned)
                with panels.props("keep-alive").classes("w-full").style("background: transparent"):
                    with ui.tab_panel("Replay").style("padding: 10px 12px 0"):
                        self._replay()
                    self.panels = {
                        name: ui.tab_panel(name).style("padding: 10px 14px 0") for name in TABS[1:]
                    }

    def _fill(self, summary: dict[str, Any]) -> None:
        self.summary = summary
        known = summary["channels"]
        self.chosen = [name for name in self.chosen if name in known] or _first(known)
        self.status.clear()
        with self.status:
            self._outcome()
        with self.panels["Charts"]:
            self._charts()
        with self.panels["Numbers"]:
            self.numbers_box = ui.column().classes("w-full").style("gap: 14px")
            self._numbers({})
        with self.panels["Downloads"]:
            self._downloads()
        if self.tab == "Charts":
            with self.status:
                ui.timer(0.0, self._draw, once=True)

    async def _turned(self, event: Any) -> None:
        self.tab = str(event.value)
        if self.tab == "Charts" and self.summary and not self.drawn:
            await self._draw()  # only when somebody looks: the replay comes first

    def _outcome(self) -> None:
        summary = self.summary
        with ui.element("div").classes("card").mark("outcome"):
            with ui.row().classes("items-center w-full").style("gap: 10px"):
                colour = lamp(summary, self.success)
                ui.element("span").classes(f"light {colour}").props("aria-hidden=true")
                ui.label(summary["outcome"].replace("_", " ")).style("font-weight: 650; font-size: 17px")
                ui.label(summary["message"]).style("flex: 1 1 260px")
                self._audit()
                if "/" not in self.shown:
                    ui.link("open alone", f"/run/{self.shown}").style("font-size: 13px")
            timing = summary["timing"]
            ui.label(
                f"{timing['simulated_s']:.4g} s simulated in {_seconds(timing['wall_s'])}, "
                f"{timing['steps']:,} steps, {summary['rows']:,} rows recorded."
            ).classes("soft").style("font-size: 12.5px; margin-top: 4px")

    def _audit(self) -> None:
        lights = {name: _light(name, self.summary["audit"].get(name)) for name in AUDIT}
        worst = next((c for c in ("red", "amber", "green") if c in lights.values()), "grey")
        words = {
            "red": "out of balance",
            "amber": "balance is fair",
            "green": "in balance",
            "grey": "not audited",
        }
        with ui.row().classes("items-center no-wrap").style("gap: 6px").mark("audit") as row:
            ui.element("span").classes(f"light {worst}").props("aria-hidden=true")
            ui.label(f"books {words[worst]}" if worst != "amber" else "books nearly in balance")
        figures = [
            f"{label}: {'does not apply' if value is None else f'{value:.2g}'}"
            for name, (label, _, _) in AUDIT.items()
            for value in (self.summary["audit"].get(name),)
        ]
        row.props["title"] = f"Relative drift of {'; '.join(figures)}"

    def _address(self) -> str:
        campaign, slash, number = self.shown.partition("/")
        return f"/campaigns/{campaign}/runs/{number}" if slash else f"/runs/{self.shown}"

    def _replay(self) -> None:
        ui.html(
            f'<iframe class="replay" title="Replay of the run" src="{html.escape(self._address())}/replay" '
            'style="height: max(420px, calc(100vh - 290px))"></iframe>',
            sanitize=False,
        ).classes("w-full")

    def _charts(self) -> None:
        with ui.row().classes("w-full items-start").style("gap: 12px"):
            ui.select(
                list(self.summary["channels"]), value=self.chosen, multiple=True, label="Channels", with_input=True,
                on_change=self._choose,
            ).props("dense outlined use-chips").style("flex: 3 1 320px; min-width: 0").mark("channels")  # fmt: skip
            others = {
                "": "none",
                **{name: name for name in self.studio.folder.runs()[:LISTED] if name != self.shown},
            }
            self.earlier = self.earlier if self.earlier in others else ""
            ui.select(
                others, value=self.earlier, label="Compare with an earlier run", with_input=True,
                on_change=self._compare,
            ).props("dense outlined").style("flex: 1 1 240px; min-width: 0").mark("compare")  # fmt: skip
        self.chart_box = ui.column().classes("w-full").style("gap: 6px; margin-top: 8px")

    async def _choose(self, event: Any) -> None:
        self.chosen = list(event.value or ())
        await self._draw()

    async def _compare(self, event: Any) -> None:
        self.earlier = event.value or ""
        await self._draw()
        other: dict[str, Any] = {}
        if self.earlier:
            try:
                other = await self.studio.query_worker.call("summarise_run", run=self.earlier)
            except (InputError, RunError) as error:
                ui.notify(str(error), type="negative")
        self._numbers(other)

    async def _draw(self) -> None:
        self.drawn = True
        run, names = self.shown, list(self.chosen)
        try:
            mine, theirs = await asyncio.gather(
                self.studio.query_worker.call("read_curves", run=run, names=names),
                self._curves_of_earlier(names),
            )
        except (InputError, RunError) as error:
            with self.chart_box:
                frame.problem(str(error))
            return
        if run != self.shown:
            return
        self.chart_box.clear()
        with self.chart_box:
            if not mine:
                ui.label("Choose channels to draw.").classes("soft")
            for unit, curves in charts.by_unit(mine).items():
                options = charts.over_time(unit, curves, theirs, self.summary["events"])
                ui.echart(options).classes("w-full").style("height: 250px").mark("chart")

    async def _curves_of_earlier(self, names: list[str]) -> dict[str, Any]:
        if not self.earlier:
            return {}
        found: dict[str, Any] = await self.studio.query_worker.call(
            "read_curves", run=self.earlier, names=names
        )
        return found

    def _numbers(self, other: dict[str, Any]) -> None:
        self.numbers_box.clear()
        with self.numbers_box:
            ui.html(_table(self.summary, other), sanitize=False).classes("w-full").mark("numbers")
            ui.html("<h3>Books of the run</h3>", sanitize=False)
            ui.html(_audit_table(self.summary["audit"]), sanitize=False).classes("w-full")
            if self.summary["events"]:
                ui.html("<h3>Events</h3>", sanitize=False)
                ui.html(_events(self.summary["events"]), sanitize=False).classes("w-full")

    def _downloads(self) -> None:
        for kind, (label, about) in DOWNLOADS.items():
            with ui.row().classes("items-center").style("gap: 10px; padding: 3px 0"):
                ui.link(label, f"{self._address()}/{kind}?download=true").props("download").style(
                    "min-width: 130px"
                )
                ui.label(about).classes("soft")


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1.0 else f"{1e3 * value:.3g} ms"


def _first(channels: dict[str, str]) -> list[str]:
    """Return the channels that are drawn at first: a few of each of the first units."""
    found: dict[str, list[str]] = {}
    for name, unit in channels.items():
        if unit in found or len(found) < UNITS_SHOWN:
            found.setdefault(unit, []).append(name)
    return [name for names in found.values() for name in names[:PER_UNIT]]


def _light(name: str, value: float | None) -> str:
    _, good, fair = AUDIT[name]
    if value is None:
        return "grey"
    return "green" if abs(value) <= good else "amber" if abs(value) <= fair else "red"


def _table(summary: dict[str, Any], other: dict[str, Any]) -> str:
    """Return metrics beside the prediction, and beside those of an earlier run."""
    mine, predicted = summary["metrics"], summary["prediction"] or {}
    theirs, units = other.get("metrics", {}), summary["units"]
    rows = []
    both = [name for name in mine if name in predicted]
    for name in dict.fromkeys([*both, *mine, *predicted]):
        values = [mine.get(name, ""), predicted.get(name, ""), *([theirs.get(name, "")] if other else [])]
        if any(isinstance(one, dict | list) or (isinstance(one, str) and " " in one) for one in values):
            continue
        cells = "".join(f"<td class=number>{html.escape(frame.number(one))}</td>" for one in values)
        unit = html.escape(units.get(name, ""))
        rows.append(f"<tr><td>{html.escape(name.replace('_', ' '))}</td>{cells}<td>{unit}</td></tr>")
    earlier = f"<th class=number>{html.escape(other['scenario'])}, earlier</th>" if other else ""
    head = f"<tr><th></th><th class=number>simulated</th><th class=number>predicted</th>{earlier}<th>unit</th></tr>"
    sentences = [one for one in predicted.values() if isinstance(one, str) and " " in one]
    theory = "".join(f"<p class=soft>Theory: {html.escape(one)}</p>" for one in sentences)
    return f'<table class="plain">{head}{"".join(rows)}</table>{theory}'


def _audit_table(audit: dict[str, float | None]) -> str:
    rows = "".join(
        f'<tr><td><span class="light {_light(name, audit.get(name))}"></span></td><td>{label}</td>'
        f"<td class=number>{'does not apply' if audit.get(name) is None else f'{audit[name]:.3g}'}</td>"
        f"<td class=soft>green up to {good:g}, amber up to {fair:g}, relative</td></tr>"
        for name, (label, good, fair) in AUDIT.items()
    )
    return f'<table class="plain">{rows}</table>'


def _events(events: list[dict[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td class=number>{event['time']:.4f} s</td><td>{html.escape(event['name'])}</td>"
        f"<td>{html.escape(event['message'])}</td></tr>"
        for event in events
    )
    return f'<table class="plain">{rows}</table>'
