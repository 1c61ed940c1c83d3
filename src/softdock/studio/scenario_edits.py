"""A scenario being edited is its text; the form changes one value of the text and leaves the rest as written."""

import copy
import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

from softdock.errors import InputError, Problem
from softdock.scenario.source import parse, resolve

MOST_SHOWN = 200  # changes


def with_value(text: str, path: str, value: str) -> str:
    """Return the text with the value at a dotted path replaced or added; an empty value takes the key away."""
    parse(text)  # what our own reader refuses is not handed to another one
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
        here = _enter(here, key, path)
    last: Any = int(keys[-1]) if isinstance(here, list) else keys[-1]
    if value.strip() or isinstance(here, list):
        here[last] = _scalar(value)
    else:
        here.pop(last, None)
    out = io.StringIO()
    yaml.dump(root, out)
    return out.getvalue()


def _scalar(value: str) -> Any:
    """Return a value as YAML would read it; a flow list or mapping is read as such."""
    if value.strip()[:1] in "[{" and value.strip():
        return parse(value).data
    return resolve(value.strip())


def _enter(here: Any, key: str, path: str) -> Any:
    """Go one level down; what is shared through an alias becomes a copy, so that only this place changes."""
    if isinstance(here, list):
        if not key.isdecimal() or int(key) >= len(here):
            raise InputError(Problem(message="There is no such entry.", field=path))
        index: Any = int(key)
    elif isinstance(here, dict):
        index = key
        if here.get(key) is None:
            here[key] = CommentedMap()
    else:
        raise InputError(Problem(message="A single value has nothing inside.", field=path))
    inner = here[index]
    if getattr(inner, "anchor", None) is not None and inner.anchor.value is not None:
        inner = copy.deepcopy(inner)
        inner.yaml_set_anchor(None)
        here[index] = inner
    return inner


def changes(before: Any, after: Any, path: str = "") -> list[tuple[str, str, str]]:
    """Return where plain data differ: dotted path, before, after; empty text for what is not there."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        found = []
        for key in dict.fromkeys([*before, *after]):
            here = f"{path}.{key}" if path else str(key)
            if key not in after:
                found.append((here, _short(before[key]), ""))
            elif key not in before:
                found.append((here, "", _short(after[key])))
            else:
                found += changes(before[key], after[key], here)
        return found[:MOST_SHOWN]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            change
            for i, (one, two) in enumerate(zip(before, after))
            for change in changes(one, two, f"{path}.{i}")
        ]
    return [] if before == after else [(path, _short(before), _short(after))]


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
