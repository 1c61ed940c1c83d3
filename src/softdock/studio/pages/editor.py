"""A scenario being edited: form, text, what changed; and beside it the last run."""

import asyncio
import html
import re
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement

from softdock.errors import InputError, RunError
from softdock.studio import scenario_files
from softdock.studio.folder import is_bundled
from softdock.studio.pages import frame
from softdock.studio.pages.pause import Pause
from softdock.studio.pages.run import RunView

if TYPE_CHECKING:
    from softdock.studio.form import Node
    from softdock.studio.server import Studio

BARE = re.compile(r"[-+0-9.eE ]*")
FIRST = ("approach", "speed", "duration", "gap", "chaser", "target", "contact", "latch", "stop", "bodies")
OPEN = ("approach", "chaser", "target", "contact", "latch", "stop")


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
    """The page of one scenario; the text is the truth, the form changes it."""

    def __init__(self, studio: "Studio", name: str, text: str) -> None:
        self.studio, self.name, self.text = studio, name, text
        self.fields: dict[str, ui.element] = {}
        self.problems: list[dict[str, Any]] = []
        self.shape: list[str] = []
        self.form: list[Node] = []
        self.opened: set[str] = set()
        self._turn = asyncio.Lock()
        self._pause = Pause(self._read)

    def build(self) -> None:
        """Lay the page out."""
        with ui.row().classes("items-center w-full no-wrap").style("gap: 12px"):
            ui.label(self.name).style("font-size: 20px; font-weight: 600; overflow-wrap: anywhere").props(
                "role=heading"
            )
            self.verdict = ui.label("").classes("soft").style("font-size: 13px")
            ui.space()
            ui.button("Save as ...", icon="save", on_click=self._ask_name).props("outline")
            self.go = ui.button("Run", icon="play_arrow", on_click=self.run).props("unelevated").mark("run")
        with ui.element("div").classes("split") as self.split:
            with ui.element("div").classes("card").style("padding: 0 0 8px 0"):
                with ui.tabs().props("dense align=justify no-caps").classes("w-full") as tabs:
                    form = ui.tab("Form")
                    text = ui.tab("Text")
                    changes = ui.tab("Changes")
                panels = ui.tab_panels(tabs, value=form, animated=False, on_change=self._shown)
                with panels.classes("w-full").style("background: transparent"):
                    with ui.tab_panel(form).style(
                        "padding: 10px 14px; height: calc(100vh - 200px); overflow-y: auto"
                    ):
                        self.form_box = ui.column().classes("w-full").style("gap: 6px")
                    with ui.tab_panel(text).style(
                        "padding: 8px; height: calc(100vh - 200px); overflow-y: auto"
                    ):
                        self.text_problems = ui.column().classes("w-full").style("gap: 4px")
                        self.code = ui.codemirror(self.text, language="YAML", on_change=self._typed).classes(
                            "w-full"
                        )
                        self.code.style("height: calc(100vh - 230px)").mark("text")
                    with ui.tab_panel(changes).style("padding: 10px 14px; min-height: 200px"):
                        self.changes_box = ui.column().classes("w-full").style("gap: 6px")
            with ui.column().classes("w-full").style("gap: 0; min-width: 0"):
                self.problem_box = ui.column().classes("w-full problems").style("gap: 4px")
                self.about_box = ui.column().classes("w-full").style("gap: 0")
                self.view = RunView(self.studio)

    async def check(self) -> None:
        """Check the text and show what came out."""
        async with self._turn:
            try:
                answer = await self.studio.query_worker.call("check_text", text=self.text, name=self.name)
            except (InputError, RunError) as error:
                answer = {
                    "problems": [{"text": str(error), "message": str(error), "field": "", "line": None}]
                }
            self._show(answer)

    async def change(self, path: str, value: str) -> None:
        """Write a value of the form into the text."""
        async with self._turn:
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
            shape = [one["path"] for one in _leaves(self.form)]
            if shape != self.shape:
                self.shape = shape
                self._draw_form()
            self._show_about()
        self._show_problems()
        self._show_changes(answer.get("changes", []))
        self.go.set_enabled(not self.problems)
        count = len(self.problems)
        self.verdict.set_text("" if not count else "One problem" if count == 1 else f"{count} problems")

    def _show_about(self) -> None:
        words = {one["path"]: one["value"] for one in self.form if one.get("kind") == "text"}
        self.about_box.clear()
        if self.view.shown or not words.get("description"):
            return
        with self.about_box, ui.element("div").classes("card"):
            ui.label(words.get("title", "")).style("font-weight: 600")
            ui.label(words["description"]).classes("soft").style("line-height: 1.5; margin-top: 4px")

    def _show_problems(self) -> None:
        by_field: dict[str, list[str]] = {}
        elsewhere = []
        for one in self.problems:
            if one["field"] in self.fields:
                by_field.setdefault(one["field"], []).append(frame.message(one))
            else:
                elsewhere.append(one)
        for path in self.fields:
            self._mark(path, " ".join(by_field.get(path, ())))
        self.problem_box.clear()
        with self.problem_box:
            for one in elsewhere[:20]:
                frame.problem(one["text"])
        self.text_problems.clear()
        with self.text_problems:
            for one in self.problems[:20]:
                place = f"Line {one['line']}: " if one["line"] else ""
                button = ui.button(
                    f"{place}{one['field']} {frame.message(one)}", on_click=self._to(one["line"])
                )
                button.props("flat dense no-caps align=left color=negative").classes("problem w-full").mark(
                    "line-problem"
                )
        lines = {one["line"]: frame.message(one) for one in self.problems if one["line"]}
        own = {line: text for line, text in lines.items() if line <= self.text.count("\n") + 1}
        self.code.decorations = [{"kind": "line", "line": line, "class": "wrong"} for line in own]
        self.code.line_tooltips = own

    def _mark(self, path: str, message: str) -> None:
        """Show a message at a field, or take it away."""
        field = self.fields.get(path)
        if isinstance(field, ValidationElement) and (field.error or "") != message:
            field.error = message or None

    def _to(self, line: int | None) -> Any:
        return (lambda: self.code.reveal_line(line)) if line else (lambda: None)

    def _show_changes(self, changes: list[list[str]]) -> None:
        self.changes_box.clear()
        with self.changes_box:
            if not changes:
                nothing = "Nothing differs from the bundled scenario."
                other = "The file is no bundled scenario with changes, or nothing differs."
                ui.label(nothing if is_bundled(self.name) else other).classes("soft")
                return
            ui.label("Against the bundled scenario:").classes("soft")
            rows = "".join(
                f"<tr><td class=mono>{_plain(path)}</td><td>{_plain(before) or '<i>nothing</i>'}</td>"
                f"<td>{_plain(after) or '<i>nothing</i>'}</td></tr>"
                for path, before, after in changes
            )
            head = "<tr><th>field</th><th>bundled</th><th>here</th></tr>"
            ui.html(f'<table class="plain">{head}{rows}</table>', sanitize=False).classes("w-full")

    def _draw_form(self) -> None:
        self.fields.clear()
        self.form_box.clear()
        with self.form_box:
            rest = [node for node in self.form if node["path"] not in ("title", "description")]
            order = {name: i for i, name in enumerate(FIRST)}
            for node in sorted(rest, key=lambda one: order.get(one["path"], len(order))):
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
                head = ui.label(_words(node["label"])).classes("soft").style("font-size: 12px")
                head.props["title"] = node["about"]
                columns = min(len(node["children"]), 3)
                with ui.element("div").style(
                    f"display: grid; grid-template-columns: repeat({columns}, 1fr); gap: 6px; width: 100%"
                ):
                    for child in node["children"]:
                        self._draw_field(child)
            return
        expansion = ui.expansion(_words(node["label"])).classes("w-full").props("dense")
        if top:
            expansion.props("header-class=text-weight-medium").style(
                "border: 1px solid var(--line); border-radius: 8px"
            )

        def fill() -> None:
            """Make the inside when it is first seen: a mechanism has hundreds of fields."""
            if expansion.value and not expansion.default_slot.children:
                with expansion:
                    self._draw_inside(path)
                self._show_problems()

        path = node["path"]
        expansion.on_value_change(fill)
        if path in OPEN or path in self.opened:
            expansion.value = True
        expansion.on_value_change(
            lambda event: (self.opened.add if event.value else self.opened.discard)(path)
        )

    def _draw_inside(self, path: str) -> None:
        node = _group(self.form, path)
        if node is None:
            return
        if node["about"]:
            ui.label(node["about"]).classes("soft").style("font-size: 12px; line-height: 1.4")
        left = [child for child in node["children"] if not child["given"]]
        for child in node["children"]:
            if child["given"]:
                self._draw(child)
        if left:
            with ui.expansion("Left at their defaults").props("dense").classes("w-full soft"):
                for child in left:
                    self._draw(child)

    def _draw_field(self, node: "Node") -> None:
        path, label = node["path"], _words(node["label"])
        if node["kind"] == "long":
            ui.label(f"{label}: {node['value']}").classes("soft").style("font-size: 12px")
            return
        field: Any
        if node["kind"] == "flag":
            value = node["value"] if node["value"] is not None else bool(node["default"])
            field = ui.switch(label, value=value)
            field.on_value_change(lambda event: self._changed(path, "true" if event.value else "false"))
        elif node["kind"] == "choice":
            given = str(node["value"] or node["default"] or "")
            options = dict.fromkeys([*map(str, node["choices"]), *([given] if given else [])])
            field = ui.select(list(options), value=given or None, label=label)
            field.on_value_change(lambda event: self._changed(path, str(event.value)))
        else:
            field = ui.input(label, value=node["value"])
            field.on("change", lambda: self._changed(path, field.value or ""))
            field.on("keydown.enter", lambda: self._changed(path, field.value or ""))
            if node["unit"]:
                field.props["placeholder"] = node["default"]
                with field.add_slot("append"):
                    unit = ui.label(node["unit"]).classes("soft").style("font-size: 12px")
                # a text with its own unit says all; a bare number is in this one
                unit.bind_visibility_from(
                    field, "value", backward=lambda text: bool(BARE.fullmatch(text or ""))
                )
        if node["kind"] != "flag":
            field.props("dense outlined stack-label hide-bottom-space").classes("w-full")
        if node["about"]:
            field.props["title"] = node["about"]
        field.mark(f"field-{path}")
        self.fields[path] = field

    async def _changed(self, path: str, value: str) -> None:
        known = {one["path"]: one for one in _leaves(self.form)}.get(path)
        if known is not None and known.get("value") == value:
            return
        await self.change(path, value)

    def _typed(self, event: Any) -> None:
        if event.value == self.text:
            return
        self.text = event.value
        self._pause.begin(self.form_box)

    async def _read(self) -> None:
        self.shape = []  # values of the form come from the text
        await self.check()

    def _shown(self, event: Any) -> None:
        wide = str(event.value) != "Form"
        self.split.classes(add="even" if wide else "", remove="" if wide else "even")
        if self.code.value != self.text:
            self.code.value = self.text

    async def run(self) -> None:
        """Run the text as it is, once what was typed last has come into it."""
        async with self._turn:
            if self.problems:
                return
        self.about_box.clear()
        self.view.follow(self.studio.runs.start(self.name, self.text))

    def _ask_name(self) -> None:
        with ui.dialog() as dialog, ui.card().style("min-width: 420px"):
            ui.label("Save the scenario as a file of the folder").style("font-weight: 600")
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
            scenario_files.save_text(self.studio.folder, name, _anchored(self.text, self.name), replace=True)
        except InputError as error:
            field.error = str(error)
            return
        dialog.close()
        ui.navigate.to(f"/scenario?name={name}")


def _anchored(text: str, name: str) -> str:
    """Return a text as it can stand in another folder: a bundled one becomes itself with changes."""
    if not is_bundled(name):
        return text
    from softdock.scenario.loading import bundled_text, parse_with_base

    before = parse_with_base(bundled_text(name)[0], name, bundled_text(name)[1]).data
    return scenario_files.format_changes(
        name, before, parse_with_base(text, name, bundled_text(name)[1]).data
    )


def _leaves(form: "list[Node]") -> "list[Node]":
    found = []
    for node in form:
        found += _leaves(node["children"]) if "children" in node else [node]
    return found


def _group(form: "list[Node]", path: str) -> "Node | None":
    for node in form:
        if node["path"] == path:
            return node
        if "children" in node and path.startswith(f"{node['path']}."):
            return _group(node["children"], path)
    return None


def _words(label: str) -> str:
    return label.replace("_", " ")


def _plain(text: str) -> str:
    """Return a text that can stand in HTML."""
    return html.escape(" ".join(str(text).split()), quote=True)
