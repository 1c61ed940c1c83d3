"""Scenario files written from a page: save a text, and format a changed scenario as base and changes."""

import io
import re
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML

from softdock.errors import InputError, reason_of
from softdock.files.atomic import write_atomic, write_new
from softdock.scenario.source import VERSION
from softdock.studio.folder import Folder

FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/-]{0,150}\.ya?ml")


def save_text(folder: Folder, name: str, text: str, *, replace: bool) -> None:
    """Write a file below the folder atomically; raises InputError."""
    if not FILE_NAME.fullmatch(name):
        raise InputError("A name ends with .yaml and has letters, digits, spaces, dots, dashes and slashes.")
    path = folder.inside(name)
    write = write_atomic if replace else write_new
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, text)
    except FileExistsError:
        raise InputError("There is a file of that name already; choose another name.") from None
    except OSError as error:
        raise InputError(f"It cannot be written: {reason_of(error)}.") from None


def format_changes(base: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the text of a scenario file with `base` and the changes from `before` to `after`."""
    yaml = YAML()
    yaml.width = 110
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump({"softdock": VERSION, "base": base, **_merge_patch(before, after)}, out)
    return out.getvalue()


def _merge_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON merge patch (RFC 7396): mappings key by key, None for deleted keys."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        if key not in before:
            patch[key] = value
        elif isinstance(value, Mapping) and isinstance(before[key], Mapping):
            if inner := _merge_patch(before[key], value):
                patch[key] = inner
        elif value != before[key]:
            patch[key] = value
    return patch
