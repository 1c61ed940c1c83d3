"""Outlines of the surfaces of a run, so that it can be drawn without its CAD files."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softdock.errors import InputError
from softdock.geometry.cad_files import read_cad_file

if TYPE_CHECKING:
    from softdock.model.surfaces import Surface
    from softdock.result import Result


def outlines_of(result: "Result") -> Mapping[str, Any]:
    """Return the outlines of the surfaces of a result, by name; unreadable ones are omitted.

    Keys of an outline: `meridian` (lines and arcs, see `profile_rows`) or `solid` (triangles, see `encoded`), `p_BS`
    [m] and `R_BS` (its frame on the body), and `sha256` of a CAD file.
    """
    if result.outlines:
        return result.outlines
    from softdock.model.surfaces import Surface

    surfaces: dict[str, Surface] = {}
    for name, data in (result.definition.get("surfaces") or {}).items():
        with suppress(ValueError, TypeError):
            surfaces[name] = Surface.model_validate(data)
    return read_outlines(surfaces, Path(result.directory))


def read_outlines(surfaces: "Mapping[str, Surface]", directory: Path) -> dict[str, Any]:
    """Return the outlines of surfaces, by name; unreadable ones are omitted."""
    outlines: dict[str, Any] = {}
    for name, surface in surfaces.items():
        with suppress(InputError, ValueError, TypeError):
            outlines[name] = _outline(surface, directory)
    return outlines


def _outline(surface: "Surface", directory: Path) -> dict[str, Any]:
    from softdock.geometry.profile_cache import (
        profile_rows,  # imported here, because only multibody scenarios have surfaces
    )

    if surface.is_general(directory):
        from softdock.geometry.solids.drawing import drawn_solid, encoded

        solid, X_BS = surface.read_solid(directory)
        outline: dict[str, Any] = {"solid": encoded(drawn_solid(solid))}
    else:
        profile, X_BS = surface.read(directory)
        outline = {"meridian": profile_rows(profile)}
    outline |= {"p_BS": X_BS.p.tolist(), "R_BS": X_BS.R.tolist()}
    if surface.file is not None:
        outline["sha256"] = digest_of(directory / surface.file)
    return outline


def digest_of(path: Path) -> str | None:
    """Return the SHA-256 of a CAD file, or None where it cannot be read."""
    with suppress(InputError):
        return hashlib.sha256(read_cad_file(path)).hexdigest()
    return None
