"""Cache of profiles read from CAD files, because reading a STEP file is slow."""

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import InputWarning
from softdock.files.cache import Cache, content_key
from softdock.geometry.cad_files import read_cad_file
from softdock.geometry.profile import Arc, Line, Profile

CACHE = Cache("meridians", ".json")


def read_meridian(path: Path, **options: Any) -> tuple[Profile, np.ndarray, np.ndarray]:
    """Return profile, p_FS [m] and R_FS of a CAD surface; `options` are those of `read_surface`.

    Results are cached by a digest of the file, the options and the sources of this package. Warnings about the file are
    issued as `InputWarning`.
    """
    key = _key(path, options)
    document = CACHE.read(key, _decode)
    if document is None:
        from softdock.geometry.cad import read_surface  # slow import of SciPy

        surface = read_surface(path, **options)
        document = {
            "profile": profile_rows(surface.profile),
            "p_FS": surface.frame.p_FS.tolist(),
            "R_FS": surface.frame.R_FS.tolist(),
            "warnings": surface.warnings,
        }
        CACHE.write(key, json.dumps(document))
    for sentence in document["warnings"]:
        warnings.warn(sentence, InputWarning, stacklevel=2)
    return profile_from_rows(document["profile"]), np.array(document["p_FS"]), np.array(document["R_FS"])


def _key(path: Path, options: Mapping[str, Any]) -> str:
    """Return the key of a file with its options; raises InputError for a file that must not be read."""
    data = read_cad_file(path)
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return content_key(json.dumps(options, sort_keys=True, default=str), *sources, data)


def _decode(data: bytes) -> dict[str, Any]:
    document = dict(json.loads(data))
    profile_from_rows(document["profile"])
    return document


def profile_rows(profile: Profile) -> list[dict[str, Any]]:
    """Return a profile as plain data."""
    return [
        {"start": s.start, "end": s.end}
        | ({"centre": s.centre, "counterclockwise": s.counterclockwise} if isinstance(s, Arc) else {})
        for s in profile.segments
    ]


def profile_from_rows(rows: list[dict[str, Any]]) -> Profile:
    """Return the profile of the data written by `profile_rows`."""
    segments: list[Line | Arc] = []
    for row in rows:
        start, end = tuple(row["start"]), tuple(row["end"])
        if "centre" in row:
            centre, turn = tuple(row["centre"]), bool(row["counterclockwise"])
            segments.append(Arc(start=start, end=end, centre=centre, counterclockwise=turn))
        else:
            segments.append(Line(start=start, end=end))
    return Profile(segments=tuple(segments))
