"""JSON Schema of scenario files, for completion and validation in editors."""

from typing import Any

from pydantic.json_schema import models_json_schema

from softdock.scenario.inheritance import BASE
from softdock.scenario.kinds import KINDS
from softdock.scenario.source import VERSION

DIALECT = "https://json-schema.org/draft/2020-12/schema"

CHANGES = {
    "type": "object",
    "description": "Another scenario with changes; the merged scenario is validated when it is loaded.",
    "properties": {"softdock": {"const": VERSION}, BASE: {"type": "string", "minLength": 1}},
    "required": ["softdock", BASE],
}


def json_schema() -> dict[str, Any]:
    """Return one JSON Schema (draft 2020-12) for all kinds of scenario."""
    models = [kind.model for kind in KINDS.values()]
    references, whole = models_json_schema([(model, "validation") for model in models])
    definitions = whole["$defs"]
    append_units(definitions)
    kinds = [references[model, "validation"] for model in models]
    for reference in kinds:
        definition = definitions[reference["$ref"].removeprefix("#/$defs/")]
        # Both have defaults for scenarios built in Python; files must contain them.
        definition["required"] = ["softdock", "kind", *definition.get("required", [])]
    return {
        "$schema": DIALECT,
        "title": "Softdock scenario",
        "type": "object",
        "required": ["softdock"],
        "oneOf": [*kinds, CHANGES],
        "$defs": definitions,
    }


def append_units(schema: Any) -> None:
    """Append the unit to the description of every quantity; descriptions of fields do not contain it."""
    if isinstance(schema, list):
        for part in schema:
            append_units(part)
    elif isinstance(schema, dict):
        unit, description = schema.get("x-unit"), schema.get("description", "")
        if isinstance(unit, str) and unit != "1":
            schema["description"] = f"{description.rstrip()} [{unit}]".strip()
        for part in schema.values():
            append_units(part)
