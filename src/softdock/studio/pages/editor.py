"""Scenario editor: form, text and changes, with the last run beside them."""

import asyncio
import html
import re
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement

from softdock.errors import InputError, RunError
from softdock.presentation.labels import label
from softdock.studio import scenario_files
from softdock.studio.folder import is_bundled
from softdock.studio.pages import frame
from softdock.studio.pages.debouncer import Debouncer
from softdock.studio.pages.run import RunView

if TYPE_CHECKING:
    from softdock.studio.form import Node
    from softdock.studio.server import Studio

PLAIN_NUMBER = re.compile(r"[-+0-9.eE ]*")
"""A number without a unit, or nothing."""
FIRST_GROUPS = (
    "approach",
    "speed",
    "duration",
    "gap",
    "chaser",
    "target",
    "contact",
    "latch",
    "stop",
    "bodies",
)
"""Groups at the top of the form, in this order."""
EXPANDED = ("approach", "chaser", "target", "contact", "latch", "stop")
"""Groups that are expanded at first."""


async def show(studio: "Studio", name: str) -> None:
    """Show the page of a scenario."""
    try:
        async with frame.waiting():
            opened = await studio.query_worker.call("read_text", name=name)
    except (InputError, RunError) as error:
        frame.problem(str(error))
        ui.link("Back to the gallery", "/")
        return
    editor = Editor(studio, name, opened["text"])
    editor.build()
    await editor.check()


class Editor:
    """The page of one scenario; the form edits the text."""

    def __init__(self, studio: "Studio", name: str, text: str) -> None:
        self.studio, self.name, self.text = studio, name, text
        self.fields: dict[str, ui.element] = {}
        """Input elements of the form by path, as far as their groups have been expanded."""
        self.problems: list[dict[str, Any]] = []
        self.drawn_paths: list[str] = []
        """Paths of all fields for which the form was drawn; it is drawn again if they change."""
        self.form: list[Node] = []
        self.expanded: set[str] = set()
        """Paths of the groups that the user has expanded."""
        self._lock = asyncio.Lock()
        self._debouncer = Debouncer(self._reload_form)

    def build(self) -> None:
        """Create the elements of the page."""
        with ui.row().classes("items-center w-full no-wrap").style("gap: 12px"):
            ui.label(self.name).style("font-size: 20px; font-weight: 600; overflow-wrap: anywhere").props(
                "role=heading"
            )
            self.problem_count = ui.label("").classes("soft").style("font-size: 13px")
            ui.space()
            ui.button("Save as ...", icon="save", on_click=self._ask_name).props("outline")
            self.run_button = (
                ui.button("Run", icon="play_arrow", on_click=self.run).props("unelevated").mark("run")
            )
        with ui.element("div").classes("split") as self.split:
            with ui.element("div").classes("card").style("padding: 0 0 8px 0"):
                with ui.tabs().props("dense align=justify no-caps").classes("w-full") as tabs:
                    form = ui.tab("Form")
                    text = ui.tab("Text")
                    changes = ui.tab("Changes")
                panels = ui.tab_panels(tabs, value=form, animated=False, on_change=self._change_tab)
                with panels.classes("w-full").style("background: transparent"):
                    with ui.tab_panel(form).style(
                        "padding: 10px 14px; height: calc(100vh - 200px); overflow-y: auto"
                    ):
                        self.form_box = ui.column().classes("w-full").style("gap: 6px")
                    with ui.tab_panel(text).style(
                        "padding: 8px; height: calc(100vh - 200px); overflow-y: auto"
                    ):
                        self.text_problems = ui.column().classes("w-full").style("gap: 4px")
                        self.code = ui.codemirror(
                            self.text, language="YAML", on_change=self._text_changed
                        ).classes("w-full")
                        self.code.style("height: calc(100vh - 230px)").mark("text")
                    with ui.tab_panel(changes).style("padding: 10px 14px; min-height: 200px"):
                        self.changes_box = ui.column().classes("w-full").style("gap: 6px")
            with ui.column().classes("w-full").style("gap: 0; min-width: 0"):
                self.problem_box = ui.column().classes("w-full problems").style("gap: 4px")
                self.description_box = ui.column().classes("w-full").style("gap: 0")
                self.view = RunView(self.studio)

    async def check(self) -> None:
        """Check the text and show the result."""
        async with self._lock:
            try:
                answer = await self.studio.query_worker.call("check_text", text=self.text, name=self.name)
            except (InputError, RunError) as error:
                answer = {
                    "problems": [{"text": str(error), "message": str(error), "field": "", "line": None}]
                }
            self._show(answer)

    async def change(self, path: str, value: str) -> None:
        """Write a value of the form into the text."""
        async with self._lock:
            try:
                answer = await self.studio.query_worker.call(
                    "change_value", text=self.text, name=self.name, path=path, value=value
                )
            except (InputError, RunError) as error:
                self._mark(path, str(error))
                return
            self.text = answer["text"]
            self._show(answer)

    def _show(self, answer: dict[str, Any]) -> None:
        self.problems = answer["problems"]
        if answer.get("form") is not None:
            self.form = answer["form"]
            paths = [leaf["path"] for leaf in _leaves(self.form)]
            if paths != self.drawn_paths:
                self.drawn_paths = paths
                self._draw_form()
            self._show_description()
        self._show_problems()
        self._show_changes(answer.get("changes", []))
        self.run_button.set_enabled(not self.problems)
        count = len(self.problems)
        self.problem_count.set_text("" if not count else "One problem" if count == 1 else f"{count} problems")

    def _show_description(self) -> None:
        texts = {node["path"]: node["value"] for node in self.form if node.get("kind") == "text"}
        self.description_box.clear()
        if self.view.shown or not texts.get("description"):
            return
        with self.description_box, ui.element("div").classes("card"):
            ui.label(texts.get("title", "")).style("font-weight: 600")
            ui.label(texts["description"]).classes("soft").style("line-height: 1.5; margin-top: 4px")

    def _show_problems(self) -> None:
        by_field: dict[str, list[str]] = {}
        others = []
        for problem in self.problems:
            if problem["field"] in self.fields:
                by_field.setdefault(problem["field"], []).append(frame.message(problem))
            else:
                others.append(problem)
        for path in self.fields:
            self._mark(path, " ".join(by_field.get(path, ())))
        self.problem_box.clear()
        with self.problem_box:
            for problem in others[:20]:
                frame.problem(problem["text"])
        self.text_problems.clear()
        with self.text_problems:
            for problem in self.problems[:20]:
                place = f"Line {problem['line']}: " if problem["line"] else ""
                button = ui.button(
                    f"{place}{problem['field']} {frame.message(problem)}",
                    on_click=self._reveal(problem["line"]),
                )
                button.props("flat dense no-caps align=left color=negative").classes("problem w-full").mark(
                    "line-problem"
                )
        lines = {problem["line"]: frame.message(problem) for problem in self.problems if problem["line"]}
        own = {line: text for line, text in lines.items() if line <= self.text.count("\n") + 1}
        self.code.decorations = [{"kind": "line", "line": line, "class": "wrong"} for line in own]
        self.code.line_tooltips = own

    def _mark(self, path: str, message: str) -> None:
        """Show a message at a field; an empty message removes it."""
        field = self.fields.get(path)
        if isinstance(field, ValidationElement) and (field.error or "") != message:
            field.error = message or None

    def _reveal(self, line: int | None) -> Any:
        return (lambda: self.code.reveal_line(line)) if line else (lambda: None)

    def _show_changes(self, changes: list[list[str]]) -> None:
        self.changes_box.clear()
        with self.changes_box:
            if not changes:
                unchanged = "No changes to the bundled scenario."
                other = "No changes, or the file is not based on a bundled scenario."
                ui.label(unchanged if is_bundled(self.name) else other).classes("soft")
                return
            ui.label("Changes to the bundled scenario:").classes("soft")
            rows = "".join(
                f"<tr><td class=mono>{_escape(path)}</td><td>{_escape(before) or '<i>none</i>'}</td>"
                f"<td>{_escape(after) or '<i>none</i>'}</td></tr>"
                for path, before, after in changes
            )
            head = "<tr><th>field</th><th>bundled</th><th>this scenario</th></tr>"
            ui.html(f'<table class="plain">{head}{rows}</table>', sanitize=False).classes("w-full")

    def _draw_form(self) -> None:
        self.fields.clear()
        self.form_box.clear()
        with self.form_box:
            rest = [node for node in self.form if node["path"] not in ("title", "description")]
            order = {name: i for i, name in enumerate(FIRST_GROUPS)}
            for node in sorted(rest, key=lambda leaf: order.get(leaf["path"], len(order))):
                self._draw(node, top=True)

    def _draw(self, node: "Node", top: bool = False) -> None:
        if "children" not in node:
            if node["given"] or node["kind"] in ("quantity", "flag", "choice"):
                self._draw_field(node)
            return
        if not node["children"]:
            return
        if node.get("vector"):
            with ui.column().classes("w-full").style("gap: 0"):
                head = ui.label(label(node["label"])).classes("soft").style("font-size: 12px")
                head.props["title"] = node["about"]
                columns = min(len(node["children"]), 3)
                with ui.element("div").style(
                    f"display: grid; grid-template-columns: repeat({columns}, 1fr); gap: 6px; width: 100%"
                ):
                    for child in node["children"]:
                        self._draw_field(child)
            return
        expansion = ui.expansion(label(node["label"])).classes("w-full").props("dense")
        if top:
            expansion.props("header-class=text-weight-medium").style(
                "border: 1px solid var(--line); border-radius: 8px"
            )

        def fill() -> None:
            """Create the content when it is first expanded: a mechanism has hundreds of fields."""
            if expansion.value and not expansion.default_slot.children:
                with expansion:
                    self._draw_group(path)
                self._show_problems()

        path = node["path"]
        expansion.on_value_change(fill)
        if path in EXPANDED or path in self.expanded:
            expansion.value = True
        expansion.on_value_change(
            lambda event: (self.expanded.add if event.value else self.expanded.discard)(path)
        )

    def _draw_group(self, path: str) -> None:
        node = _group(self.form, path)
        if node is None:
            return
        if node["about"]:
            ui.label(node["about"]).classes("soft").style("font-size: 12px; line-height: 1.4")
        defaults = [child for child in node["children"] if not child["given"]]
        for child in node["children"]:
            if child["given"]:
                self._draw(child)
        if defaults:
            with ui.expansion("Defaults").props("dense").classes("w-full soft"):
                for child in defaults:
                    self._draw(child)

    def _draw_field(self, node: "Node") -> None:
        path, title = node["path"], label(node["label"])
        if node["kind"] == "long":
            ui.label(f"{title}: {node['value']}").classes("soft").style("font-size: 12px")
            return
        field: Any
        if node["kind"] == "flag":
            value = node["value"] if node["value"] is not None else bool(node["default"])
            field = ui.switch(title, value=value)
            field.on_value_change(lambda event: self._field_changed(path, "true" if event.value else "false"))
        elif node["kind"] == "choice":
            given = str(node["value"] or node["default"] or "")
            options = dict.fromkeys([*map(str, node["choices"]), *([given] if given else [])])
            field = ui.select(list(options), value=given or None, label=title)
            field.on_value_change(lambda event: self._field_changed(path, str(event.value)))
        else:
            field = ui.input(title, value=node["value"])
            field.on("change", lambda: self._field_changed(path, field.value or ""))
            field.on("keydown.enter", lambda: self._field_changed(path, field.value or ""))
            if node["unit"]:
                field.props["placeholder"] = node["default"]
                with field.add_slot("append"):
                    unit = ui.label(node["unit"]).classes("soft").style("font-size: 12px")
                # The unit of a plain number; a text with a unit has its own.
                unit.bind_visibility_from(
                    field, "value", backward=lambda text: bool(PLAIN_NUMBER.fullmatch(text or ""))
                )
        if node["kind"] != "flag":
            field.props("dense outlined stack-label hide-bottom-space").classes("w-full")
        if node["about"]:
            field.props["title"] = node["about"]
        field.mark(f"field-{path}")
        self.fields[path] = field

    async def _field_changed(self, path: str, value: str) -> None:
        known = {leaf["path"]: leaf for leaf in _leaves(self.form)}.get(path)
        if known is not None and known.get("value") == value:
            return
        await self.change(path, value)

    def _text_changed(self, event: Any) -> None:
        if event.value == self.text:
            return
        self.text = event.value
        self._debouncer.restart(self.form_box)

    async def _reload_form(self) -> None:
        self.drawn_paths = []  # draw the form again: its fields have other values
        await self.check()

    def _change_tab(self, event: Any) -> None:
        wide = str(event.value) != "Form"
        self.split.classes(add="even" if wide else "", remove="" if wide else "even")
        if self.code.value != self.text:
            self.code.value = self.text

    async def run(self) -> None:
        """Run the current text after pending edits."""
        async with self._lock:
            if self.problems:
                return
        self.description_box.clear()
        self.view.follow(self.studio.runs.start(self.name, self.text))

    def _ask_name(self) -> None:
        with ui.dialog() as dialog, ui.card().style("min-width: 420px"):
            ui.label("Save the scenario as a file in the folder").style("font-weight: 600")
            stem = f"my-{self.name}.yaml" if is_bundled(self.name) else self.name
            name = (
                ui.input("File", value=stem)
                .props("outlined dense autofocus")
                .classes("w-full")
                .mark("file-name")
            )
            with ui.row().classes("w-full justify-end"):
                ui.button("Cancel", on_click=dialog.close).props("flat")
                ui.button("Save", on_click=lambda: self._save(name, dialog)).props("unelevated").mark("save")
        dialog.open()

    def _save(self, field: ui.input, dialog: ui.dialog) -> None:
        name = (field.value or "").strip()
        try:
            scenario_files.save_text(self.studio.folder, name, _portable(self.text, self.name), replace=True)
        except InputError as error:
            field.error = str(error)
            return
        dialog.close()
        ui.navigate.to(f"/scenario?name={name}")


def _portable(text: str, name: str) -> str:
    """Return a text that loads from another folder: a bundled scenario becomes `base:` with changes."""
    if not is_bundled(name):
        return text
    from softdock.scenario.loading import bundled_text, parse_with_base

    bundled, folder = bundled_text(name)
    before, after = (parse_with_base(scenario_text, name, folder).data for scenario_text in (bundled, text))
    return scenario_files.format_changes(name, before, after)


def _leaves(form: "list[Node]") -> "list[Node]":
    leaves = []
    for node in form:
        leaves += _leaves(node["children"]) if "children" in node else [node]
    return leaves


def _group(form: "list[Node]", path: str) -> "Node | None":
    for node in form:
        if node["path"] == path:
            return node
        if "children" in node and path.startswith(f"{node['path']}."):
            return _group(node["children"], path)
    return None


def _escape(text: str) -> str:
    """Return a text in one line, escaped for HTML."""
    return html.escape(" ".join(str(text).split()), quote=True)
