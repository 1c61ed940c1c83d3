"""A changed bundled scenario as a file of its own: the bundled one as its base, and what differs."""

import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML

from softdock.scenario.source import VERSION


def as_changes(base: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the text of a scenario that is `base` with the changes from `before` to `after`."""
    yaml = YAML()
    yaml.width = 110
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump({"softdock": VERSION, "base": base, **_patch(before, after)}, out)
    return out.getvalue()


def _patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return a merge patch: mappings key by key, anything else whole, None for what is taken away."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        if key not in before:
            patch[key] = value
        elif isinstance(value, Mapping) and isinstance(before[key], Mapping):
            if inner := _patch(before[key], value):
                patch[key] = inner
        elif value != before[key]:
            patch[key] = value
    return patch
