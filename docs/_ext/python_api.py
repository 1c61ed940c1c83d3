"""Directive that writes the reference of the public Python names from their docstrings: `{python-api}`."""

import inspect
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from pydantic import BaseModel
from reference import describe_field, described_models
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import softdock
from softdock.elements.kinds import KINDS as ELEMENTS
from softdock.quantities.model import field_docstrings, split_example

GROUPS = {
    "Runs": ("simulate", "predict", "load", "bundled", "Scenario", "Result", "History"),
    "Campaigns": (
        "Campaign", "RunTable", "Probability", "Dispersion", "Normal", "Correlation", "StopRule", "Margin", "Subset",
        "Boundary",
    ),
    "Errors": ("InputError", "Problem", "RunError"),
    "Bodies and joints": (
        "System", "Body", "FullInertia", "Anchor", "RollPitchYaw", "AxisAngle", "Free", "Fixed", "Revolute",
        "Prismatic", "Cylindrical", "Universal", "Spherical", "Planar",
    ),
    "Forces": tuple(name for names in ELEMENTS.values() for name in names),
    "Contact": ("Surface", "Zone", "Corner", "Curve", "Contact", "Layer", "Friction"),
    "Solids": (
        "SolidShape", "Box", "Cylinder", "Sphere", "Capsule", "Torus", "Revolution", "Extrusion", "Union",
        "OutlineCorner", "OutlineCurve",
    ),
    "Pins and holes": (
        "Interface", "Layout", "Circle", "Grid", "PinShape", "HoleShape", "Misalignment", "PinContactLaw", "PinDamping",
        "PinFriction",
    ),
    "Parts of a scenario": (
        "Approach", "Event", "Action", "Phase", "Outcome", "Metric", "LinkStiffness", "Requirement", "ContactBox",
        "Record", "Integrator", "Accuracy", "Impact",
    ),
    "Spacecraft": ("SystemOrbit", "Flexible", "ModeChoice", "NastranFiles"),
    "Guidance, navigation and control": (
        "Controller", "Glide", "HoldPoint", "Gate", "Corridor", "Transfer", "TranslationLaw", "TranslationRegulator",
        "AttitudeLaw", "AttitudeRegulator", "Thruster", "ReactionWheel", "Navigation", "PoseSensor", "Gyro", "Filter",
        "AssumedMass",
    ),
    "Controllers in Python": (
        "UserController", "ControlInterface", "Measurement", "BodyMotion", "JointMotion", "Actuation", "Wrench",
    ),
    "Stepping by another program": ("Plant", "PlantPool"),
}  # fmt: skip
"""Public names in the order of the page; names that are missing here come last."""


def api_text() -> str:
    """Return the reference of all public names as Markdown."""
    names = [name for name in dir(softdock) if not name.startswith("_")]
    rest = tuple(name for name in names if name not in {one for group in GROUPS.values() for one in group})
    groups = GROUPS | ({"Other": rest} if rest else {})
    return "\n".join(
        line for title, group in groups.items() for line in (f"## {title}", "", *map(_entry, group))
    )


def _entry(name: str) -> str:
    value = getattr(softdock, name)
    text, example = split_example(value.__doc__ or "")
    anchor = f"python-{'function-' if name.islower() else ''}{name.lower()}"  # labels ignore capitals
    lines = [f"({anchor})=", f"### `{name}`", "", text, ""]
    if isinstance(value, type) and issubclass(value, BaseModel):
        place = described_models().get(value)
        lines += [f"All fields: {place.link}.", ""] if place else [*_fields(value), ""]
    else:
        lines += ["```python", f"softdock.{name}{_signature(value)}", "```", ""]
    if example:
        lines += ["```pycon", example.rstrip(), "```", ""]
    return "\n".join([*lines, *_members(value)])


def _fields(model: type[BaseModel]) -> Iterator[str]:
    """Yield a table of the fields of a model that is not part of files."""
    meanings = field_docstrings(model)
    yield from (":::{container} keys", "| field | type | meaning |", "|---|---|---|")
    for name, field in model.model_fields.items():
        yield f"| `{name}` | {describe_field(field)} | {meanings.get(name, '')} |"
    yield ":::"


def _signature(value: Any) -> str:
    try:
        signature = inspect.signature(value)
    except ValueError:
        return ""
    parameters = [
        one.replace(annotation=one.empty) for one in signature.parameters.values() if one.name != "cls"
    ]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


def _members(value: Any) -> Iterator[str]:
    """Yield a table of methods and properties of a class that is no model, with the first sentence of each."""
    if not isinstance(value, type) or issubclass(value, BaseModel | Exception):
        return
    rows = []
    for name, member in vars(value).items():
        function = getattr(member, "__func__", member)
        if name.startswith("_") or not (inspect.isfunction(function) or isinstance(member, property)):
            continue
        call = "" if isinstance(member, property) else "()"
        summary = inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0]
        rows.append(f"| `{name}{call}` | {' '.join(summary.split())} |")
    if rows:
        yield from (":::{container} keys", "| member | meaning |", "|---|---|", *rows, ":::", "")


class PythonApiDirective(SphinxDirective):
    """Puts the generated reference on a page."""

    def run(self) -> list[nodes.Node]:
        """Return the parsed nodes; the page is read again whenever it is built."""
        self.env.note_reread()
        return list(self.parse_text_to_nodes(api_text(), allow_section_headings=True))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    app.add_directive("python-api", PythonApiDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
