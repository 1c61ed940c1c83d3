"""Manifest of a campaign: everything that determines its table; comparison of manifests."""

import functools
import hashlib
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from softdock import __version__
from softdock.campaign.distributions import Choice
from softdock.campaign.plan import Plan
from softdock.errors import file_error
from softdock.result import plain_data
from softdock.robot.bundled import find_robot

PACKAGES = ("numpy", "scipy")
SOURCES = (
    "files", "native", "quantities", "geometry", "flexible", "orbit", "gnc", "lumped", "contact", "spatial",
    "tree", "elements", "model", "dynamics", "assembly", "robot", "scenario", "prediction", "simulation", "theory",
)  # fmt: skip
"""Packages whose code determines a result; `result` only holds and stores it."""
FILE_KEYS = ("file", "bulk", "eigenvectors")
"""Keys of a scenario that name a file or a folder of tables."""
MOST_SHOWN = 12
HEADING = ("title", "description", "author", "revision", "units")
IGNORED = {
    f"{what}.{key}"
    for what, keys in (
        ("campaign", (*HEADING, "metrics", "springs", "predictions")),
        ("scenario.data", (*HEADING, "sources")),
    )
    for key in keys
}
"""Entries that may change during a campaign, because no run depends on them."""


def manifest_of(plan: Plan) -> dict[str, Any]:
    """Return everything that determines the table, as plain data."""
    return {
        "name": plan.name,
        "origin": plan.origin,
        "runs": plan.runs,
        "dims": plan.sampler.dims,
        "campaign": plain_data(plan.campaign.model_dump(mode="json")),
        "scenario": {"name": plan.template.name, "data": plain_data(plan.template.data)},
        "directory": plan.template.directory,
        "versions": versions() | _search_versions(plan),
        "files": _digests(plan),
    }


def _search_versions(plan: Plan) -> dict[str, str]:
    """Return the version of the surrogate of a boundary, which chooses its runs."""
    return {"scikit-learn": _version("scikit-learn")} if plan.campaign.method == "boundary" else {}


def versions() -> dict[str, str]:
    """Return the versions that determine the bits of a result; `program` is a digest of Softdock's sources."""
    entries = {"softdock": __version__, "program": _source_digest(), "python": platform.python_version()}
    return entries | {package: _version(package) for package in PACKAGES}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def differences(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the differences of two manifests as lines `field: stored -> now`; paths of this machine are ignored."""
    lines = [
        f"{field}: {_short(old)} -> {_short(new)}"
        for key in ("campaign", "scenario", "versions", "files")
        for field, old, new in _compare(key, stored.get(key), now.get(key))
    ]
    more = len(lines) - MOST_SHOWN
    return lines if more <= 0 else [*lines[:MOST_SHOWN], f"and {more} more"]


def _compare(field: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    if field in IGNORED:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            yield from _compare(f"{field}.{key}", old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (old_item, new_item) in enumerate(zip(old, new)):
            yield from _compare(f"{field}.{i}", old_item, new_item)
    elif old != new:
        yield field, old, new


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _digests(plan: Plan) -> dict[str, str]:
    """Return the SHA-256 of every file that a run may read, by its name in the scenario or in a choice."""
    parts: list[Any] = [plan.template.data]
    for path, distribution in plan.distributions.items():
        for value in distribution.values if isinstance(distribution, Choice) else ():
            parts.append(functools.reduce(lambda inside, key: {key: inside}, path.split(".")[::-1], value))
    directory = Path(plan.template.directory)
    files = {name: path for part in parts for name, path in named_files(part, directory)}
    return {name: digest_file(path) for name, path in sorted(files.items())}


def named_files(data: Any, directory: Path, inside: str = "") -> Iterator[tuple[str, Path]]:
    """Yield name and path of every file named in plain data; an arm may be a bundled one."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key in FILE_KEYS and isinstance(value, str):
                yield value, find_robot(value, directory) if inside == "arm" else directory / value
            else:
                yield from named_files(value, directory, key)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from named_files(value, directory)


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and contents of the files in a folder."""
    try:
        if not path.is_dir():
            return hashlib.sha256(path.read_bytes()).hexdigest()
        digest = hashlib.sha256()
        for file in sorted(file for file in path.iterdir() if file.is_file()):
            digest.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    except OSError as error:
        raise file_error(path, "read", error) from error
    return digest.hexdigest()


@functools.cache
def _source_digest() -> str:
    """Return the digest of Softdock's sources, computed once per process."""
    digest, root = hashlib.sha256(), Path(__file__).parents[1]
    for package in SOURCES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]
