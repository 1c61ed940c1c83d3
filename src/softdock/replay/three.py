"""Where the 3-D library of the player comes from: the three.js that the NiceGUI package carries."""

import functools
import importlib.util
from pathlib import Path

from softdock.errors import InputError, Problem

PLACES = ("elements/scene/dist/index.js", "elements/lib/nicegui-scene/index.js")
"""Below NiceGUI's folder: one module that exports THREE and OrbitControls."""
INSTALL = "Install it with: pip install 'softdock[studio]' (or: pip install nicegui)."


def three_module() -> str:
    """Return the source of the module; raises `InputError` with a sentence where it is not installed."""
    found = importlib.util.find_spec("nicegui")
    if found is None or found.origin is None:
        message = "The page of a replay needs three.js, which comes with the package NiceGUI."
        raise InputError(Problem(message=message, hint=INSTALL))
    folder = Path(found.origin).parent
    for place in PLACES:
        path = folder / place
        if path.is_file():
            return _source(path)
    message = "The installed NiceGUI carries no three.js where Softdock looks for it."
    raise InputError(Problem(message=message, hint="Install another version: pip install 'nicegui>=3'."))


@functools.cache
def _source(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//# sourceMappingURL"))
