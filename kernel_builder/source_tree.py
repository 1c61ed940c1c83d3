"""The kernels of this source tree, imported without the packages around them.

Kernels need NumPy only. The `__init__` modules of their packages would import everything that Softdock depends on,
which is not there while it is being installed.
"""

import functools
import importlib
import sys
import types
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "softdock"


def prepare_imports() -> None:
    """Let `softdock` and its packages be imported from this source tree, without running their `__init__`.

    Nothing is done where `softdock` is imported already, as in tests.
    """
    if "softdock" in sys.modules:
        return
    for folder in (PACKAGE, *(path.parent for path in sorted(PACKAGE.glob("*/__init__.py")))):
        name = ".".join(folder.relative_to(PACKAGE.parent).parts)
        module = sys.modules[name] = types.ModuleType(name)
        module.__path__ = [str(folder)]
        parent, _, leaf = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], leaf, module)


prepare_imports()

from softdock.native.entry_point import EntryPoint  # noqa: E402  from this source tree


@functools.cache
def entry_points() -> tuple[EntryPoint, ...]:
    """Return all entry points of the package."""
    found: list[EntryPoint] = []
    for path in sorted(PACKAGE.glob("*/entry_points.py")):
        found += importlib.import_module(f"softdock.{path.parent.name}.entry_points").ENTRY_POINTS
    return tuple(found)
