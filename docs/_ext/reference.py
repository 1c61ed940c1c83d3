"""Directives that write the reference from the models: keys of files, joints with drawings, channels, presets.

    ```{keys} multibody
    ```

The text is Markdown, so that the generated pages look and link like the written ones.
"""

import math
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from docutils import nodes
from joint_drawings import joint_svg
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from ruamel.yaml import YAML
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from softdock.assembly.channels.registry import GROUPS
from softdock.campaign.loading import preset_texts
from softdock.campaign.model import CampaignFile, PresetFile
from softdock.quantities.fields import JointQuantity, Quantity
from softdock.quantities.model import field_docstrings, split_example
from softdock.scenario.kinds import KINDS
from softdock.tree.joints import Attitude, Axis

EXAMPLES = Path(__file__).parents[1] / "reference" / "examples.yaml"
ELEMENTS = Path(__file__).parents[1] / "elements"
"""Pages of elements, whose scenarios contain examples of their models."""
ORDER = ("multibody", "chain", "station", "robot")
"""Kinds in the order of their pages: a model that several kinds share is described on the first of these pages."""
NAMES = {
    "bodies": "probe", "springs": "probe-spring", "stops": "probe-stop", "drives": "finger-motor", "struts": "drawbar",
    "welds": "soft-latch", "locks": "hard-dock", "couplings": "fluid",
    "stiffness": "link", "loads": "thruster", "structures": "array", "surfaces": "cone",
    "contacts": "probe-cone", "interfaces": "berth", "events": "seated", "plates": "front", "sections": "mast-section",
    "beams": "mast", "panels": "wing", "parts": "bus", "dispersions": "approach.speed", "requirements": "R-1",
    "sources": "springs.bumper-spring",
}  # fmt: skip
"""Names of things in examples, by the key that contains them."""
TITLES = {
    "Anchor": "Frames on bodies",
    "RollPitchYaw": "Attitude by roll, pitch and yaw",
    "AxisAngle": "Attitude by axis and angle",
    "Corner": "Vertex of a profile with a fillet",
    "Curve": "Arc of a profile",
}
"""Headings of models that are used in several places, or that share a place with others."""
HEAD = ("softdock", "kind", "title", "description")
"""Keys at the top of every file."""
NOUNS = {
    str: "text", bool: "`true` or `false`", int: "whole number", float: "number", Any: "value as in the field itself",
}  # fmt: skip
BOUNDS = (("gt", "above"), ("ge", "at least"), ("lt", "below"), ("le", "at most"))


@dataclass(frozen=True)
class Described:
    """A model in the reference: its page, its anchor and where it is written in a file."""

    model: type[BaseModel]
    page: str
    path: tuple[str, ...]
    """Keys from the top of the file; `*` for a name, `-` for an entry of a list."""

    @property
    def anchor(self) -> str:
        """Anchor of its section, unique in the manual."""
        return f"{self.page}-{self.model.__name__}".lower()

    @property
    def title(self) -> str:
        """Heading of its section."""
        tag = literal_tag(self.model)
        if tag:
            return f"Joint type `{tag}`"
        return TITLES.get(self.model.__name__) or f"`{self.place}`"

    @property
    def place(self) -> str:
        """Dotted path in a file, with NAME for names."""
        return ".".join("NAME" if key == "*" else key for key in self.path if key != "-")

    @property
    def link(self) -> str:
        """Link to its section."""
        text = literal_tag(self.model) or TITLES.get(self.model.__name__, "").lower() or f"`{self.place}`"
        return f"[{text}](#{self.anchor})"


def literal_tag(model: type[BaseModel]) -> str:
    """Return the value of the field `type` of a joint; empty for other models."""
    field = model.model_fields.get("type")
    return str(get_args(field.annotation)[0]) if field and get_origin(field.annotation) is Literal else ""


def page_roots() -> dict[str, type[BaseModel]]:
    """Return the model of each page."""
    return {name: KINDS[name].model for name in sorted(KINDS, key=order_of)} | {
        "campaign": CampaignFile,
        "preset": PresetFile,
    }


def order_of(kind: str) -> int:
    """Return the place of the page of a kind of scenario; kinds without a place come last."""
    return ORDER.index(kind) if kind in ORDER else len(ORDER)


@cache
def described_models() -> Mapping[type[BaseModel], Described]:
    """Return every model of a file once, in the order of pages and keys."""
    found: dict[type[BaseModel], Described] = {}
    for page, root in page_roots().items():
        _collect(root, page, (), found)
    return found


def _collect(
    model: type[BaseModel], page: str, path: tuple[str, ...], found: dict[type[BaseModel], Described]
) -> None:
    if model in found:
        return
    found[model] = Described(model, page, path)
    for name, field in model.model_fields.items():
        for inner, steps in _models_in(field.annotation):
            _collect(inner, page, (*path, name, *steps), found)


def _models_in(annotation: Any) -> Iterator[tuple[type[BaseModel], tuple[str, ...]]]:
    """Yield the models that a type contains, with the steps that lead to them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, ()
        return
    origin = get_origin(annotation)
    step = ("*",) if origin is dict else ("-",) if origin is tuple and annotation != Attitude else ()
    for part in get_args(annotation):
        for model, steps in _models_in(part):
            yield model, (*step, *steps)


def describe_field(field: FieldInfo) -> str:
    """Return type, unit and allowed values of a field as Markdown."""
    annotation = field.annotation
    return describe_type(Annotated[annotation, *field.metadata] if field.metadata else annotation)


def describe_type(annotation: Any) -> str:
    """Return a type with unit and allowed values as Markdown."""
    if annotation == Axis:
        return "direction: `x`, `y`, `z`, `-x`, `-y`, `-z` or three numbers"
    if annotation == Attitude:
        return "[attitude](#attitudes)"
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _describe_annotated(inner[0], inner[1:])
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in inner)
    if origin in (Union, types.UnionType):
        if Attitude == Union[tuple(part for part in inner if part is not type(None))]:  # noqa: UP007
            return "[attitude](#attitudes)"
        return " or ".join(dict.fromkeys(describe_type(part) for part in inner if part is not type(None)))
    if origin is dict:
        keys = "dotted paths" if inner[1] is Any else "names"
        return f"mapping of {keys} to {describe_type(inner[1])}"
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return f"list of {describe_type(inner[0])}"
        same = len(set(inner)) == 1
        return f"list of {len(inner)}: {describe_type(inner[0]) if same else ', '.join(map(describe_type, inner))}"
    if annotation in described_models():
        return described_models()[annotation].link
    return NOUNS.get(annotation, str(annotation))


def _describe_annotated(inner: Any, metadata: tuple[Any, ...]) -> str:
    for one in metadata:
        if isinstance(one, Quantity):
            return _describe_quantity(one)
        if isinstance(one, JointQuantity):
            bound = one.sliding.bounds().removesuffix(one.sliding.unit).strip()
            unit = f"[{pretty(one.sliding.unit)}] or [{pretty(one.turning.unit)}]"
            return f"number {unit}" + (f", {bound}" if bound else "")
    bounds = [
        f"{word} {getattr(one, key):g}"
        for key, word in BOUNDS
        for one in metadata
        if getattr(one, key, None) is not None
    ]
    return ", ".join([describe_type(inner), *bounds])


def _describe_quantity(quantity: Quantity) -> str:
    unit = "" if quantity.unit == "1" else f" [{pretty(quantity.unit)}]"
    bounds = quantity.bounds().strip().removesuffix(quantity.unit if unit else "").strip()
    return f"number{unit}" + (f", {bounds}" if bounds else "")


def pretty(unit: str) -> str:
    """Return a unit for reading: `N s/m²`."""
    return (
        unit.replace("*", " ").replace("^2", "²").replace("^3", "³").replace("^0.5", "^½").replace("1", "-")
    )


def describe_default(field: FieldInfo) -> str:
    """Return the default of a field as Markdown."""
    if field.default_factory is not None:
        return "none"
    value = field.default
    if value is PydanticUndefined:
        return "**required**"
    if value is None or value in ({}, (), ""):
        return "none"
    if isinstance(value, BaseModel):
        return f"`{literal_tag(type(value))}`" if literal_tag(type(value)) else "its defaults"
    return f"`{_plain(value)}`"


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return (
            str(int(value))
            if math.isfinite(value) and value == int(value) and abs(value) < 1e7
            else f"{value:g}"
        )
    return str(value)


def keys_text(page: str) -> str:
    """Return the reference of a page as Markdown: one section per model."""
    return "\n".join(_section(one) for one in described_models().values() if one.page == page)


def _section(one: Described) -> str:
    docstrings = field_docstrings(one.model)
    fields = one.model.model_fields
    names = fields if one.path else [*HEAD, *(name for name in fields if name not in HEAD)]
    rows = [
        _row(
            f"`{name}`",
            describe_field(fields[name]),
            # Both have defaults for scenarios built in Python; files must contain them.
            "**required**" if not one.path and name in HEAD[:2] else describe_default(fields[name]),
            docstrings.get(name, ""),
        )
        for name in names
    ]
    title = "Keys at the top level" if not one.path else one.title
    text, example = split_example(one.model.__doc__ or "")
    lines = [f"({one.anchor})=", f"## {title}", "", text, ""]
    tag = literal_tag(one.model)
    if tag:
        lines += ["```{raw} html", joint_svg(tag), "```", ""]
    lines += [
        ":::{container} keys",
        "| key | type | default | meaning |",
        "|---|---|---|---|",
        *rows,
        ":::",
        "",
    ]
    if one.anchor in examples():
        lines += ["```yaml", example_text(one), "```", ""]
    if example:
        lines += ["In Python:", "", "```pycon", example, "```", ""]
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


@cache
def examples() -> Mapping[str, str]:
    """Return the example of each model as text, by anchor; models of elements may have theirs on their pages."""
    loaded: dict[str, str] = YAML(typ="safe").load(EXAMPLES.read_text(encoding="utf-8"))
    return _element_examples() | loaded


def _element_examples() -> dict[str, str]:
    """Return what stands at the paths of models in the scenarios on the pages of elements."""
    found: dict[str, str] = {}
    for page in sorted(ELEMENTS.glob("*.md")):
        for block in re.findall(
            r"^```yaml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            scenario = YAML().load(block)
            for one in described_models().values():
                value = _at(scenario, one.path) if one.page == scenario.get("kind") else None
                if value is not None:
                    text = StringIO()
                    YAML().dump(value, text)
                    found.setdefault(one.anchor, text.getvalue())
    return found


def _at(data: Any, path: tuple[str, ...]) -> Any:
    """Return what stands at a path in plain data, of the first member or entry; None if nothing does."""
    for key in path:
        if not data:
            return None
        if key == "*":
            data = next(iter(data.values()))
        elif key == "-":
            data = data[0]
        else:
            data = data.get(key) if isinstance(data, Mapping) else None
    return data or None


def example_text(one: Described) -> str:
    """Return the example of a model below the keys that lead to it in a file."""
    lines, out, indent, dash = examples()[one.anchor].rstrip().splitlines(), [], "", ""
    for k, key in enumerate(one.path):
        if key == "-":
            indent, dash = indent + dash.replace("-", " "), "- "
            continue
        name = NAMES.get(one.path[k - 1], "name") if key == "*" else key
        out.append(f"{indent}{dash}{name}:")
        indent, dash = indent + dash.replace("-", " ") + "  ", ""
    shown = [dash + lines[0], *(dash.replace("-", " ") + line for line in lines[1:])]
    return "\n".join([*out, *(indent + line for line in shown)])


def channels_text() -> str:
    """Return the tables of all channels as Markdown."""
    parts = []
    for group in GROUPS:
        rows = [
            f"| `{name}` | {pretty(field.unit)} | {_cell(field.meaning)} |"
            for name, field in group.fields.items()
        ]
        parts += [f"## {group.title}", "", group.text, "", ":::{container} keys", "| field | unit | meaning |",
                  "|---|---|---|", *rows, ":::", ""]  # fmt: skip
    return "\n".join(parts)


def presets_text() -> str:
    """Return the bundled presets as Markdown."""
    parts = []
    for name, text in preset_texts().items():
        data = YAML(typ="safe").load(text)
        parts += [f"### `{name}`", "", f"{data['title']}. {data.get('description', '')}", "", "```yaml",
                  text[text.index("dispersions:") :].rstrip(), "```", ""]  # fmt: skip
    return "\n".join(parts)


class GeneratedDirective(SphinxDirective):
    """Puts generated Markdown on a page."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the parsed nodes; the page is read again whenever it is built."""
        self.env.note_reread()
        writers = {"channels": channels_text, "presets": presets_text}
        text = keys_text(self.arguments[0]) if self.arguments else writers[self.name]()
        return list(self.parse_text_to_nodes(text, allow_section_headings=True))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives with Sphinx."""
    for name in ("keys", "channels", "presets"):
        app.add_directive(name, GeneratedDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
