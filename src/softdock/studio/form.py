"""Form of a scenario, generated from the JSON Schema: fields with unit, description and value."""

import functools
from collections.abc import Mapping
from typing import Any

from softdock.scenario.schema import json_schema

LONGEST_LIST = 12  # entries; a longer list is edited in the YAML text
HIDDEN = ("softdock", "kind", "sources")
SCALARS = ("number", "string", "integer", "boolean", "null")

Node = dict[str, Any]
"""A group (`children`; `vector`: all children are fields) or a field (`kind`: quantity, text, choice, flag or long;
`value`, `unit`, `default`, `choices`).

Both have `path`, `label`, `about` and `given` (whether the file has the key).
"""


def build_form(data: Mapping[str, Any]) -> list[Node]:
    """Return groups and fields of unvalidated scenario data; empty for an unknown kind."""
    document = _schema()
    kind = data.get("kind")
    for entry in document["oneOf"]:
        model = _resolve(entry, document)
        if model.get("properties", {}).get("kind", {}).get("const") == kind:
            return _children(model, data, "", document)
    return []


@functools.cache
def _schema() -> dict[str, Any]:
    return json_schema()


def _children(model: Node, data: Mapping[str, Any], path: str, document: Node) -> list[Node]:
    nodes = []
    for name, schema in model.get("properties", {}).items():
        if path or name not in HIDDEN:
            here = f"{path}.{name}" if path else name
            node = _node(schema, data.get(name), here, name, document, name in data)
            if node is not None:
                nodes.append(node)
    return nodes


def _node(schema: Node, value: Any, path: str, label: str, document: Node, given: bool) -> Node | None:
    about = str(schema.get("description", ""))
    chosen = _choose(schema, value, document)
    about = about or str(chosen.get("description", ""))
    base = {"path": path, "label": label, "about": " ".join(about.split()), "given": given}
    if _is_scalar(chosen):
        return None if isinstance(value, dict | list) else {**base, **_field(schema, chosen, value)}
    if not given:
        return None
    if isinstance(value, Mapping):
        if "properties" in chosen:
            return {**base, "children": _children(chosen, value, path, document)}
        inner: Any = chosen.get("additionalProperties") or next(
            iter(chosen.get("patternProperties", {}).values()), {}
        )
        inner = inner if isinstance(inner, dict) else {}
        nodes = [_node(inner, item, f"{path}.{key}", str(key), document, True) for key, item in value.items()]
        return {**base, "children": [node for node in nodes if node is not None]}
    if isinstance(value, list):
        return _list_node(base, chosen, value, document)
    if isinstance(value, str):
        return {**base, "kind": "text", "value": value, "unit": "", "default": ""}
    return None


def _list_node(base: Node, schema: Node, values: list[Any], document: Node) -> Node:
    if len(values) > LONGEST_LIST:
        return {
            **base,
            "kind": "long",
            "value": f"{len(values)} entries; edit them in the YAML text.",
            "unit": "",
        }
    before, rest = schema.get("prefixItems", []), schema.get("items", {})
    nodes = []
    for i, value in enumerate(values):
        inner = before[i] if i < len(before) else rest
        node = _node(
            inner if isinstance(inner, dict) else {}, value, f"{base['path']}.{i}", str(i), document, True
        )
        if node is not None:
            nodes.append(node)
    return {**base, "children": nodes, "vector": all("kind" in node for node in nodes)}


def _field(schema: Node, chosen: Node, value: Any) -> Node:
    unit = schema.get("x-unit") or chosen.get("x-unit") or ""
    default = schema.get("default", chosen.get("default"))
    choices = schema.get("enum") or chosen.get("enum")
    if choices:
        kind = "choice"
    elif chosen.get("type") == "boolean":
        kind = "flag"
    else:
        kind = "quantity" if unit else "text"
    return {
        "kind": kind,
        "value": value if kind == "flag" else _text(value),
        "unit": "" if unit == "1" else unit,
        "default": default if kind == "flag" else _text(default),
        "choices": list(choices or ()),
    }


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _resolve(schema: Node, document: Node) -> Node:
    if "$ref" not in schema:
        return schema
    definition = document["$defs"][schema["$ref"].rpartition("/")[2]]
    return {**definition, **{key: value for key, value in schema.items() if key != "$ref"}}


def _choose(schema: Node, value: Any, document: Node) -> Node:
    """Return the alternative of a schema that fits a value best."""
    schema = _resolve(schema, document)
    options = schema.get("oneOf") or schema.get("anyOf")
    if not options or "x-unit" in schema:
        return schema
    members = [_choose(option, value, document) for option in options if option.get("type") != "null"]
    if not members:
        return {}
    if not isinstance(value, Mapping | list):
        scalars = [member for member in members if _is_scalar(member)]
        return scalars[0] if scalars else members[0]
    if isinstance(value, list):
        arrays = [member for member in members if member.get("type") == "array"]
        has_rows = bool(value) and isinstance(value[0], list)
        return next(
            (member for member in arrays if _has_rows(member, document) == has_rows),
            arrays[0] if arrays else {},
        )
    fitting = [member for member in members if _fits(member, value)]
    return fitting[0] if fitting else {}


def _has_rows(schema: Node, document: Node) -> bool:
    """Return whether the first entry of an array is an array, too."""
    first = (schema.get("prefixItems") or [schema.get("items", {})])[0]
    return bool(_resolve(first, document).get("type") == "array")


def _fits(schema: Node, value: Mapping[str, Any]) -> bool:
    properties = schema.get("properties")
    if properties is None:
        return "additionalProperties" in schema or "patternProperties" in schema
    if not set(value) <= set(properties):
        return False
    return all(
        "const" not in definition or name not in value or value[name] == definition["const"]
        for name, definition in properties.items()
    )


def _is_scalar(schema: Node) -> bool:
    if "x-unit" in schema or "const" in schema or "enum" in schema:
        return True
    if "anyOf" in schema:
        return all(option.get("type") in SCALARS for option in schema["anyOf"])
    return schema.get("type") in SCALARS
