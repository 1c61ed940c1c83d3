"""Cache of profiles read from CAD files, because reading a STEP file is slow."""

import json
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import InputWarning
from softdock.files.cache import Cache, content_key
from softdock.geometry.cad_files import read_cad_file
from softdock.geometry.profile import Arc, Line, Profile

CACHE = Cache("meridians", ".json")


class Meridian(NamedTuple):
    """A contact surface of a CAD file, with its frame S in the file's frame F."""

    profile: Profile
    p_FS: np.ndarray
    """Shape (3,) [m]."""
    R_FS: np.ndarray
    """Shape (3, 3)."""
    closure_known: bool
    """Whether the file determines what closes the profile behind it."""
    left_out: tuple[str, ...]
    """Sentences about faces that are left out on purpose."""


def read_meridian(path: Path, **options: Any) -> Meridian:
    """Return a CAD surface; `options` are those of `read_surface`.

    Results are cached by a digest of the file, the options and the sources of this package. Warnings about the file are
    issued as `InputWarning`.
    """
    key = meridian_key(path, options)
    document = CACHE.read(key, _decode)
    if document is None:
        from softdock.geometry.cad import read_surface  # slow import of SciPy

        surface = read_surface(path, **options)
        profile = surface.profile
        document = {
            "profile": profile_rows(profile),
            "before": _segment_rows(profile.before),
            "after": _segment_rows(profile.after),
            "p_FS": surface.frame.p_FS.tolist(),
            "R_FS": surface.frame.R_FS.tolist(),
            "closure_known": surface.closure_known,
            "left_out": surface.left_out,
            "warnings": surface.warnings,
        }
        CACHE.write(key, json.dumps(document))
    for sentence in document["warnings"]:
        warnings.warn(sentence, InputWarning, stacklevel=2)
    return Meridian(
        profile=_profile_of(document),
        p_FS=np.array(document["p_FS"]),
        R_FS=np.array(document["R_FS"]),
        closure_known=document["closure_known"],
        left_out=tuple(document["left_out"]),
    )


def meridian_key(path: Path, options: Mapping[str, Any]) -> str:
    """Return the key of a file with its options; raises InputError for a file that must not be read."""
    data = read_cad_file(path)
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return content_key(json.dumps(options, sort_keys=True, default=str), *sources, data)


def _decode(data: bytes) -> dict[str, Any]:
    document = dict(json.loads(data))
    _profile_of(document)
    return document


def _profile_of(document: Mapping[str, Any]) -> Profile:
    segments, before, after = (_segments_from(document[name]) for name in ("profile", "before", "after"))
    return Profile(segments=segments, before=before, after=after)


def profile_rows(profile: Profile) -> list[dict[str, Any]]:
    """Return the segments of a profile as plain data, without its closure."""
    return _segment_rows(profile.segments)


def _segment_rows(segments: Iterable[Line | Arc]) -> list[dict[str, Any]]:
    return [
        {"start": s.start, "end": s.end}
        | ({"centre": s.centre, "counterclockwise": s.counterclockwise} if isinstance(s, Arc) else {})
        for s in segments
    ]


def profile_from_rows(rows: list[dict[str, Any]]) -> Profile:
    """Return the profile of the data written by `profile_rows`."""
    return Profile(segments=_segments_from(rows))


def _segments_from(rows: list[dict[str, Any]]) -> tuple[Line | Arc, ...]:
    segments: list[Line | Arc] = []
    for row in rows:
        start, end = tuple(row["start"]), tuple(row["end"])
        if "centre" in row:
            centre, turn = tuple(row["centre"]), bool(row["counterclockwise"])
            segments.append(Arc(start=start, end=end, centre=centre, counterclockwise=turn))
        else:
            segments.append(Line(start=start, end=end))
    return tuple(segments)
