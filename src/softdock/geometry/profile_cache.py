"""Cache of profiles read from CAD files, because reading a STEP file is slow."""

import contextlib
import hashlib
import json
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softdock.caches import cache_bases
from softdock.errors import InputError, InputWarning
from softdock.geometry.profile import Arc, Line, Profile

LARGEST = 50_000_000  # bytes; larger files are refused by the reader


def read_meridian(path: Path, **options: Any) -> tuple[Profile, np.ndarray, np.ndarray]:
    """Return profile, p_FS [m] and R_FS of a CAD surface; `options` are those of `read_surface`.

    Results are cached by a digest of the file, the options and the sources of this package. Warnings about the file are
    issued as `InputWarning`.
    """
    key = _key(path, options)
    document = _recall(key) if key else None
    if document is None:
        from softdock.geometry.cad import read_surface  # slow import of SciPy and trimesh

        surface = read_surface(path, **options)
        document = {
            "profile": profile_rows(surface.profile),
            "p_FS": surface.frame.p_FS.tolist(),
            "R_FS": surface.frame.R_FS.tolist(),
            "warnings": surface.warnings,
        }
        if key:
            _remember(key, document)
    for sentence in document["warnings"]:
        warnings.warn(sentence, InputWarning, stacklevel=2)
    return profile_from_rows(document["profile"]), np.array(document["p_FS"]), np.array(document["R_FS"])


def _key(path: Path, options: Mapping[str, Any]) -> str | None:
    digest = hashlib.sha256(json.dumps(options, sort_keys=True, default=str).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    try:
        if path.stat().st_size > LARGEST:
            return None
        digest.update(path.read_bytes())
    except OSError:
        return None  # `read_surface` reports the error
    return digest.hexdigest()[:32]


def _recall(key: str) -> dict[str, Any] | None:
    for base in cache_bases():
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, InputError):
            document = json.loads((base / "meridians" / f"{key}.json").read_text())
            profile_from_rows(document["profile"])
            return dict(document)
    return None


def _remember(key: str, document: Mapping[str, Any]) -> None:
    for base in cache_bases():
        with contextlib.suppress(OSError):
            folder = base / "meridians"
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
                json.dump(document, file)
            Path(file.name).replace(folder / f"{key}.json")
            return


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
