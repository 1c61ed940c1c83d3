"""Folders for cache files: data that can be computed again, such as meridians of CAD files."""

import contextlib
import os
import sys
import tempfile
from pathlib import Path


def cache_bases() -> list[Path]:
    """Return the folders that may be used, best first."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    bases = [Path(tempfile.gettempdir()) / f"softdock-{user}"]
    with contextlib.suppress(RuntimeError):  # no home folder at all
        bases.insert(0, _user_cache() / "softdock")
    if chosen := os.environ.get("SOFTDOCK_CACHE_DIR"):
        bases.insert(0, Path(chosen))
    return bases


def _user_cache() -> Path:
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
