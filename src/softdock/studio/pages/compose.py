"""Compose a campaign (scenario, dispersions, number of runs) and save it as a file of the folder."""

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from nicegui import ui

from softdock.errors import InputError, RunError
from softdock.studio import scenario_files
from softdock.studio.folder import bundled_headers
from softdock.studio.pages import frame
from softdock.studio.pages.debouncer import Debouncer

if TYPE_CHECKING:
    from softdock.studio.server import Studio

DEFAULT_SCENARIO = "assist-soft-docking"
KINDS = {
    "uniform": "uniform", "log_uniform": "log-uniform", "normal": "normal", "choice": "list of values",
    "magnitude": "magnitude, random direction",
}  # fmt: skip
FIELD_LABELS = {"normal": ("mean", "deviation"), "choice": ("values, separated by commas", "")}
SAMPLING = ("latin-hypercube", "random", "sobol", "saltelli")
QUANTITY = re.compile(r"([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(.*)")
FIRST_FIELDS = ("approach.speed", "speed")


@dataclass
class DispersionRow:
    """The elements of one dispersed field on the page."""

    path: ui.select
    kind: ui.select
    values: list[ui.input] = field(default_factory=list)
    problem_box: ui.column | None = None


async def show(studio: "Studio", scenario: str) -> None:
    """Show the page."""
    composer = Composer(studio, scenario)
    composer.build()
    async with frame.waiting():
        await composer.select_scenario()


class Composer:
    """The page: choices on the left, the resulting file on the right."""

    def __init__(self, studio: "Studio", scenario: str) -> None:
        self.studio = studio
        own = {path: f"{path}: {head.get('title', '')}" for path, head in studio.folder.files()}
        bundled = {name: f"{name}: {head.get('title', '')}" for name, head in bundled_headers().items()}
        self.scenarios = {**own, **bundled}
        self.first = scenario if scenario in self.scenarios else DEFAULT_SCENARIO
        self.known: dict[str, Any] = {"fields": {}, "outcomes": [], "presets": {}}
        self.rows: list[DispersionRow] = []
        self.text, self.valid = "", False
        self._debouncer = Debouncer(self.check)
        self._lock = asyncio.Lock()

    def build(self) -> None:
        """Create the elements of the page."""
        with ui.row().classes("items-center w-full no-wrap").style("gap: 12px"):
            ui.html("<h1>Compose a campaign</h1>", sanitize=False)
            ui.space()
            self.name = ui.input("File", value="my-campaign.yaml", on_change=self._schedule_check)
            self.name.props("dense outlined hide-bottom-space").style("width: 260px").mark("file-name")
            self.save = ui.button("Save", icon="save", on_click=self._save).props("unelevated").mark("save")
        with ui.element("div").classes("split wide"):
            with ui.element("div").classes("card").style("display: flex; flex-direction: column; gap: 10px"):
                self._create_choices()
            with ui.column().classes("w-full").style("gap: 0; min-width: 0"):
                self.problem_box = ui.column().classes("w-full problems").style("gap: 4px")
                with ui.element("div").classes("card"):
                    self.verdict = ui.label("").style("font-weight: 600").props("role=status").mark("verdict")
                    self.preview = ui.label("").classes("mono").mark("preview")
                    self.preview.style(
                        "white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12.5px; margin-top: 8px"
                    )

    def _create_choices(self) -> None:
        self.scenario = ui.select(self.scenarios, value=self.first, label="Scenario", with_input=True)
        self.scenario.props("dense outlined hide-bottom-space").classes("w-full").mark("scenario")
        self.scenario.on_value_change(self.select_scenario)
        self.title = self._field("Title", "")
        ui.label("Dispersed fields").style("font-weight: 600; margin-top: 4px")
        self.row_box = ui.column().classes("w-full").style("gap: 8px")
        with ui.row().classes("items-center w-full").style("gap: 10px"):
            ui.button("Add a field", icon="add", on_click=lambda: self._add()).props(
                "outline dense padding='4px 12px'"
            )
            self.presets = ui.select(
                {}, multiple=True, value=[], label="Presets", on_change=self._schedule_check
            )
            self.presets.props("dense outlined use-chips hide-bottom-space").style(
                "flex: 1 1 200px; min-width: 0"
            )
        ui.label("Execution").style("font-weight: 600; margin-top: 4px")
        with ui.row().classes("items-start w-full no-wrap").style("gap: 10px"):
            self.runs = self._field("Runs", "200")
            self.seed = self._field("Seed", "1")
            self.sampling = ui.select(
                list(SAMPLING), value=SAMPLING[0], label="Sampling", on_change=self._schedule_check
            )
            self.sampling.props("dense outlined hide-bottom-space").classes("w-full")
        self.success = ui.select(
            [], multiple=True, value=[], label="Successful outcomes", on_change=self._schedule_check
        )
        self.success.props("dense outlined use-chips hide-bottom-space").classes("w-full").mark("success")

    def _field(self, label: str, value: str) -> ui.input:
        made = ui.input(label, value=value, on_change=self._schedule_check)
        made.props("dense outlined hide-bottom-space").classes("w-full").mark(label.lower())
        return made

    async def select_scenario(self) -> None:
        """Load the fields and outcomes of the selected scenario."""
        try:
            self.known = await self.studio.query_worker.call(
                "list_dispersible_fields", name=self.scenario.value
            )
            self.scenario.error = None
        except (InputError, RunError) as error:
            self.scenario.error = str(error)
            self.save.disable()
            return
        outcomes = self.known["outcomes"]
        self.success.set_options(
            outcomes, value=[outcome for outcome in self.success.value if outcome in outcomes]
        )
        self.presets.set_options(self.known["presets"], value=self.presets.value)
        self.rows.clear()
        self.row_box.clear()
        self._add(next((path for path in FIRST_FIELDS if path in self.known["fields"]), None))
        await self.check()

    def _add(self, path: str | None = None) -> None:
        options = {name: _field_label(name, field) for name, field in self.known["fields"].items()}
        with self.row_box, ui.column().classes("w-full").style("gap: 2px") as whole:
            with ui.row().classes("items-start w-full no-wrap").style("gap: 8px"):
                path_select = ui.select(options, value=path, label="Field", with_input=True)
                path_select.props("dense outlined hide-bottom-space").style("flex: 3 1 0; min-width: 0")
                kind = ui.select(KINDS, value="uniform", label="Distribution")
                kind.props("dense outlined hide-bottom-space").style("flex: 1.4 1 0; min-width: 0")
                row = DispersionRow(path_select, kind)
                for label in ("from", "to"):
                    value = ui.input(label, on_change=self._schedule_check).props(
                        "dense outlined hide-bottom-space"
                    )
                    row.values.append(value.style("flex: 1 1 0; min-width: 0"))
                remove = ui.button(icon="close", on_click=lambda: self._remove(row, whole))
                remove.props('flat round dense color=grey aria-label="Remove this field"')
            row.problem_box = ui.column().classes("w-full").style("gap: 2px")
        number = len(self.rows)
        for mark, part in zip(("field", "kind", "from", "to"), (path_select, kind, *row.values)):
            part.mark(f"{mark}-{number}")
        path_select.on_value_change(lambda: self._suggest(row))
        kind.on_value_change(lambda: self._suggest(row))
        self.rows.append(row)
        self._suggest(row)

    def _suggest(self, row: DispersionRow) -> None:
        """Fill in values around that of the scenario."""
        known = self.known["fields"].get(row.path.value or "")
        if known is not None and (known["size"] > 1) != (row.kind.value == "magnitude"):
            if known["size"] > 1:
                row.kind.value = "magnitude"  # calls this function again
                return
            if row.kind.value == "magnitude":
                row.kind.value = "uniform"
                return
        labels = FIELD_LABELS.get(row.kind.value, ("from", "to"))
        for value, label in zip(row.values, labels):
            value.props["label"] = label
            value.set_visibility(bool(label))
        for value, text in zip(row.values, _suggested_values(known, row.kind.value)):
            value.value = text
        self._schedule_check()

    def _remove(self, row: DispersionRow, whole: ui.element) -> None:
        self.rows.remove(row)
        whole.delete()
        self._schedule_check()

    def _draft(self) -> dict[str, Any]:
        return {
            "title": self.title.value or "", "scenario": self.scenario.value, "runs": self.runs.value or "",
            "seed": self.seed.value or "", "sampling": self.sampling.value, "presets": list(self.presets.value),
            "success": list(self.success.value),
            "dispersions": [
                {
                    "field": row.path.value or "",
                    "kind": row.kind.value,
                    "values": [field.value or "" for field in row.values],
                }
                for row in self.rows
            ],
        }  # fmt: skip

    def _schedule_check(self) -> None:
        self._debouncer.restart(self.row_box)

    async def check(self) -> None:
        """Check the draft and show the resulting file."""
        async with self._lock:
            try:
                answer = await self.studio.query_worker.call(
                    "compose_campaign", draft=self._draft(), name=(self.name.value or "").strip()
                )
            except (InputError, RunError) as error:
                problem = {"text": str(error), "message": str(error), "field": "file"}
                answer = {"text": self.text, "problems": [problem], "runs": 0}
            self.text, self.valid = answer["text"], not answer["problems"]
            self.preview.set_text(self.text)
            self.verdict.set_text(f"A campaign of {answer['runs']:,} runs." if self.valid else "Incomplete.")
            self.save.set_enabled(self.valid)
            self._show_problems(answer["problems"])

    def _show_problems(self, problems: list[dict[str, Any]]) -> None:
        fields = {
            "file": self.name, "title": self.title, "scenario": self.scenario, "runs": self.runs, "seed": self.seed,
            "sampling": self.sampling, "success": self.success, "presets": self.presets,
        }  # fmt: skip
        for part in fields.values():
            part.error = None
        for row in self.rows:
            if row.problem_box is not None:
                row.problem_box.clear()
        self.problem_box.clear()
        for problem in problems:
            dispersion = self._row_of(problem["field"])
            if dispersion is not None and dispersion.problem_box is not None:
                with dispersion.problem_box:
                    frame.problem(frame.message(problem))
            elif problem["field"].partition(".")[0] in fields:
                fields[problem["field"].partition(".")[0]].error = frame.message(problem)
            else:
                with self.problem_box:
                    frame.problem(problem["text"])

    def _row_of(self, place: str) -> DispersionRow | None:
        """Return the row of a field of the file; the last of several with the same field."""
        matching = [
            row for row in self.rows if f"{place}.".startswith(f"dispersions.{row.path.value or ''}.")
        ]
        return max(reversed(matching), key=lambda row: len(row.path.value or ""), default=None)

    async def _save(self) -> None:
        self._debouncer.cancel()  # a later check would clear the message
        await self.check()
        if not self.valid:
            return
        name = (self.name.value or "").strip()
        try:
            scenario_files.save_text(self.studio.folder, name, self.text, replace=False)
        except InputError as error:
            self.name.error = str(error)
            return
        ui.navigate.to(f"/campaigns?name={quote(name)}")


def _field_label(path: str, known: dict[str, Any]) -> str:
    return f"{path}: {known['value']}" + (
        f" {known['unit']}" if QUANTITY.fullmatch(known["value"]) is None else ""
    )


def _suggested_values(known: dict[str, Any] | None, kind: str) -> tuple[str, str]:
    """Return parameters of a distribution around the value of a field; empty where that is not a number."""
    if known is None:
        return "", ""
    if kind == "magnitude":
        return f"0 {known['unit']}".strip(), ""
    match = QUANTITY.fullmatch(known["value"])
    if match is None:
        return "", ""
    value, unit = float(match[1]), match[2] or known["unit"]

    def text(number: float) -> str:
        return f"{number:.4g} {unit}".strip()

    if kind == "normal":
        return text(value), text(0.05 * abs(value) or 1.0)
    if kind == "choice":
        return f"{text(value)}, {text(1.2 * value)}", ""
    low, high = sorted((0.8 * value, 1.2 * value))
    return (text(low), text(high)) if value else ("", "")
