"""One campaign: success rate, progress, requirements, table, scatter plot, envelope, springs, replay of any run."""

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from nicegui import run as background
from nicegui import ui

from softdock.errors import InputError, RunError
from softdock.presentation.unit_systems import SYSTEMS, UnitSystem, unit_system_of
from softdock.studio.pages import axes, campaign_summary, frame, unit_choice
from softdock.studio.pages.campaigns import show_outcomes
from softdock.studio.pages.envelope import EnvelopePanel
from softdock.studio.pages.run import RunView
from softdock.studio.pages.scatter import Scatter
from softdock.studio.pages.springs import Springs
from softdock.studio.pages.table import TablePanel

if TYPE_CHECKING:
    from softdock.studio.columns import Columns
    from softdock.studio.server import Studio

POLL_PERIOD = 0.7  # s between two updates of a running campaign
REFRESH = 4  # updates between two refreshes of table and charts


class CampaignPanel(Protocol):
    """A view of the table of a campaign."""

    def refresh(self) -> None:
        """Show the current table."""


class Requirements:
    """Panel with the requirement matrix."""

    def __init__(self, page: "CampaignPage") -> None:
        self.page = page
        self.matrix = ui.html("", sanitize=False).classes("w-full").mark("requirements")

    def refresh(self) -> None:
        """Show the current verdicts."""
        if self.page.summary.get("requirements"):
            self.matrix.set_content(campaign_summary.matrix_html(self.page.summary, self.page.units))


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
        self.updates = 0
        self.panels: list[CampaignPanel] = []
        self.summary: dict[str, Any] = {}
        self.choice = unit_choice.current()

    async def build(self) -> None:
        """Create the elements of the page."""
        with ui.row().classes("items-center w-full").style("gap: 12px"):
            ui.label(self.campaign).style("font-size: 20px; font-weight: 600; overflow-wrap: anywhere").props(
                "role=heading"
            )
            ui.space()
            self.stop = ui.button("Stop", icon="stop", on_click=self._stop).props("outline color=negative")
            self.resume = ui.button("Resume", icon="play_arrow", on_click=self._resume).props("unelevated")
            ui.link("Report", f"/campaigns/{self.campaign}/report").props("download").mark("report")
        self.figures = ui.html("", sanitize=False).classes("w-full").mark("figures")
        with ui.element("div").classes("card"):
            with ui.row().classes("items-center w-full").style("gap: 12px"):
                self.sentence = ui.label().style("flex: 1 1 300px").props("role=status").mark("sentence")
                self.counts = ui.row().style("gap: 6px").mark("counts")
            self.bar = ui.linear_progress(value=0.0, show_value=False, size="6px").classes("q-mt-sm")
        self.content = ui.column().classes("w-full").style("gap: 14px")
        self.choice.listen(self.content, self._change_units)
        self.timer = ui.timer(POLL_PERIOD, self.update, active=False, immediate=False)
        async with frame.waiting():
            await self.update()

    async def update(self) -> None:
        """Show the progress, and every `REFRESH` updates the current table and charts."""
        state = self.studio.campaigns.state(self.campaign)
        self.sentence.set_text(state.sentence)
        self.sentence.classes(add="problem" if state.error else "", remove="" if state.error else "problem")
        self.bar.set_value(state.done / state.total if state.total else 0.0)
        self.stop.set_visibility(state.running)
        self.stop.set_enabled(not state.stopping)
        self.resume.set_visibility(not state.running and not state.complete and state.total > 0)
        self.counts.clear()
        with self.counts:
            show_outcomes(state.outcomes)
        self.timer.active = state.running
        self.updates += 1
        if state.done and (not state.running or not self.panels or self.updates % REFRESH == 0):
            await self._refresh()

    async def _refresh(self) -> None:
        try:
            await background.io_bound(self.columns.update)
        except InputError:
            return  # the table does not exist yet
        if not self.columns.size:
            return
        await self._summarise()
        if not self.panels:
            with self.content:
                self._lay_out()
        names = self.columns.numeric_names()
        inputs = [name for name in names if name.startswith("input ")] or names
        proposed = await background.io_bound(axes.default_axes, self.columns, inputs)
        for panel in self.panels:
            if proposed and isinstance(panel, Scatter | EnvelopePanel):
                panel.axes.propose(proposed)
            panel.refresh()

    def _change_units(self) -> None:
        if self.summary:
            self.figures.set_content(campaign_summary.figures_html(self.summary, self._success(), self.units))
        for panel in self.panels:
            panel.refresh()

    async def _summarise(self) -> None:
        """Show the success rate, the remaining runs and the verdict on all requirements."""
        try:
            self.summary = await self.studio.query_worker.call("summarise_campaign", campaign=self.campaign)
        except (InputError, RunError) as error:
            self.figures.set_content(f'<p class="problem" role="alert">{html.escape(str(error))}</p>')
            return
        self.figures.set_content(campaign_summary.figures_html(self.summary, self._success(), self.units))

    def _success(self) -> Sequence[str]:
        """Return the outcomes that are a success."""
        return self.columns.manifest.get("campaign", {}).get("success") or ()

    @property
    def units(self) -> str:
        """Name of the unit system: chosen in the header, or else that of the campaign or its scenario."""
        manifest = self.columns.manifest
        own = manifest["campaign"] if manifest["campaign"].get("units") else manifest["scenario"]["data"]
        return self.choice.resolve(unit_system_of(own).name)

    def system(self) -> UnitSystem:
        """Return the unit system of the page."""
        return SYSTEMS[self.units]

    def _stop(self) -> None:
        self.studio.campaigns.stop(self.campaign)
        self.timer.active = True

    async def _resume(self) -> None:
        self.studio.campaigns.resume(self.campaign)
        self.timer.active = True
        self.resume.set_visibility(False)

    def _lay_out(self) -> None:
        names = self.columns.numeric_names()
        inputs = [name for name in names if name.startswith("input ")] or names
        factories: dict[str, Callable[[], CampaignPanel]] = {
            "Scatter": lambda: Scatter(self.columns, self.system, self.show_run),
            "Table": lambda: TablePanel(self.columns, self.system, self.show_run),
            "Envelope": lambda: EnvelopePanel(
                self.columns, self.system, inputs if len(inputs) > 1 else names
            ),
            "Springs": lambda: Springs(self.columns, self.system),
        }
        if self.summary.get("requirements"):
            factories["Requirements"] = lambda: Requirements(self)
        with ui.element("div").classes("card").style("padding: 0 0 10px 0"):
            with ui.tabs().props("dense align=left no-caps").classes("w-full") as tabs:
                for name in factories:
                    ui.tab(name)
            panels = (
                ui.tab_panels(tabs, value="Scatter", animated=False).props("keep-alive").classes("w-full")
            )
            with panels.style("background: transparent"):
                for name, create in factories.items():
                    with ui.tab_panel(name).style("padding: 10px 14px 0"):
                        self.panels.append(create())

    async def show_run(self, number: int) -> None:
        """Show one run in a dialog; it is repeated if its history was not saved."""
        with (
            ui.dialog().props("maximized") as dialog,
            ui.card().style("background: var(--page); width: 100%; padding: 14px 18px; gap: 10px"),
        ):
            with ui.row().classes("items-center w-full"):
                ui.label(f"Run {number} of {self.campaign}").style("font-weight: 600; font-size: 17px")
                ui.space()
                ui.button("Close", icon="close", on_click=dialog.close).props("outline")
            notice = ui.row().classes("items-center")
            with notice:
                ui.icon("hourglass_top", size="22px").classes("soft")
                ui.label("Repeating the run to record its history ...").props("role=status")
            body = ui.column().classes("w-full").style("gap: 14px")
        dialog.on("hide", dialog.delete)
        dialog.open()
        try:
            await self.studio.run_worker.call("rerun", campaign=self.campaign, number=number)
            with body:
                view = RunView(self.studio, self._success())
            await view.open(f"{self.campaign}/{number}")
        except (InputError, RunError) as error:
            with body:
                frame.problem(str(error))
        notice.set_visibility(False)
