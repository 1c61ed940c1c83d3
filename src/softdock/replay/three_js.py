"""Source of three.js, the 3-D library of the player: the copy in the NiceGUI package."""

import functools
import importlib.util
from pathlib import Path

from softdock.errors import InputError, Problem

MODULE_PATHS = ("elements/scene/dist/index.js", "elements/lib/nicegui-scene/index.js")
"""Paths in NiceGUI's folder of the module that exports THREE and OrbitControls."""
INSTALL_HINT = "Install it with: pip install 'softdock[studio]' (or: pip install nicegui)."


def three_module() -> str:
    """Return the source of the module; raise `InputError` if it is not installed."""
    found = importlib.util.find_spec("nicegui")
    if found is None or found.origin is None:
        message = "The replay page needs three.js, which is part of the package NiceGUI."
        raise InputError(Problem(message=message, hint=INSTALL_HINT))
    folder = Path(found.origin).parent
    for name in MODULE_PATHS:
        path = folder / name
        if path.is_file():
            return _source(path)
    message = "The installed NiceGUI does not contain three.js at a known path."
    raise InputError(Problem(message=message, hint="Install another version: pip install 'nicegui>=3'."))


@functools.cache
def _source(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//# sourceMappingURL"))
