"""Edits of a scenario's text that keep comments and layout, and differences between scenarios."""

import copy
import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

from softdock.errors import InputError
from softdock.scenario.source import parse, resolve

MOST_SHOWN = 200  # differences


def set_value(text: str, path: str, value: str) -> str:
    """Return the text with the value at a dotted path replaced or added; an empty value deletes the key."""
    parse(text)  # refuses what scenario files must not contain, such as tags
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    root = yaml.load(text)
    if not isinstance(root, CommentedMap):
        raise InputError("The text is not a mapping of keys to values.")
    keys = path.split(".")
    here: Any = root
    for key in keys[:-1]:
        here = _descend(here, key, path)
    last: Any = int(keys[-1]) if isinstance(here, list) else keys[-1]
    if value.strip() or isinstance(here, list):
        here[last] = _parse_value(value)
    else:
        here.pop(last, None)
    out = io.StringIO()
    yaml.dump(root, out)
    return out.getvalue()


def _parse_value(value: str) -> Any:
    """Return a scalar, flow list or flow mapping as YAML reads it."""
    if value.strip()[:1] in "[{" and value.strip():
        return parse(value).data
    return resolve(value.strip())


def _descend(here: Any, key: str, path: str) -> Any:
    """Return the entry at a key; data shared through an alias is copied first, so that only this entry changes."""
    if isinstance(here, list):
        if not key.isdecimal() or int(key) >= len(here):
            raise InputError("There is no such entry.", field=path)
        index: Any = int(key)
    elif isinstance(here, dict):
        index = key
        if here.get(key) is None:
            here[key] = CommentedMap()
    else:
        raise InputError("The parent of this field is a single value.", field=path)
    inner = here[index]
    if getattr(inner, "anchor", None) is not None and inner.anchor.value is not None:
        inner = copy.deepcopy(inner)
        inner.yaml_set_anchor(None)
        here[index] = inner
    return inner


def differences(before: Any, after: Any, path: str = "") -> list[tuple[str, str, str]]:
    """Return dotted path, old and new value of every difference; an empty text for a missing value."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        found = []
        for key in dict.fromkeys([*before, *after]):
            here = f"{path}.{key}" if path else str(key)
            if key not in after:
                found.append((here, _short(before[key]), ""))
            elif key not in before:
                found.append((here, "", _short(after[key])))
            else:
                found += differences(before[key], after[key], here)
        return found[:MOST_SHOWN]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            change
            for i, (one, two) in enumerate(zip(before, after))
            for change in differences(one, two, f"{path}.{i}")
        ]
    return [] if before == after else [(path, _short(before), _short(after))]


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
