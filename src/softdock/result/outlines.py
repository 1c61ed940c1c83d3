"""Outlines of the surfaces of a run, so that it can be drawn without its CAD files."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from softdock.errors import InputError
from softdock.geometry.cad_files import read_cad_file


def outlines_of(definition: Mapping[str, Any], directory: str) -> dict[str, Any]:
    """Return the outlines of the surfaces in the plain data of a scenario, by name; unreadable ones are omitted.

    Keys of an outline: `meridian` (lines and arcs, see `profile_rows`), `p_BS` [m] and `R_BS` (frame of the meridian on
    the body), and `sha256` of a CAD file.
    """
    outlines: dict[str, Any] = {}
    for name, surface in (definition.get("surfaces") or {}).items():
        with suppress(InputError, ValueError, TypeError):
            outlines[name] = _outline(surface, Path(directory))
    return outlines


def _outline(data: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    from softdock.geometry.profile_cache import (
        profile_rows,  # imported here, because only multibody scenarios have surfaces
    )
    from softdock.model.surfaces import Surface

    surface = Surface.model_validate(data)
    profile, X_BS = surface.read(directory)
    outline: dict[str, Any] = {
        "meridian": profile_rows(profile),
        "p_BS": X_BS.p.tolist(),
        "R_BS": X_BS.R.tolist(),
    }
    if surface.file is not None:
        outline["sha256"] = digest_of(directory / surface.file)
    return outline


def digest_of(path: Path) -> str | None:
    """Return the SHA-256 of a CAD file, or None where it cannot be read."""
    with suppress(InputError):
        return hashlib.sha256(read_cad_file(path)).hexdigest()
    return None
