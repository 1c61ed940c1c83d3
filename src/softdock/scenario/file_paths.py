"""Paths of files in the data of scenarios: surfaces, structures and arms."""

from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from softdock.robot.bundled import bundled_robots

FILE_FIELDS = (
    ("surfaces", "*", "file"),
    ("structures", "*", "file"),
    ("structures", "*", "nastran", "bulk"),
    ("structures", "*", "nastran", "eigenvectors"),
    ("arm", "file"),
)
"""Fields that name a file, of all kinds of scenarios; `*` is any name."""


def with_files(data: Mapping[str, Any], convert: Callable[[str], str]) -> dict[str, Any]:
    """Return a copy of the data with all paths of files converted; names of bundled robots are kept."""
    converted: dict[str, Any] = dict(data)
    for keys in FILE_FIELDS:
        converted = _convert(converted, keys, _unless_bundled(convert) if keys[0] == "arm" else convert)
    return converted


def with_absolute_files(data: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    """Return the data with absolute paths instead of those relative to `directory`."""
    return with_files(data, lambda file: str(directory.absolute() / file))


def relocate_paths(data: Mapping[str, Any], directory: Path, folder: Path) -> dict[str, Any]:
    """Return the data with paths that apply in a file in `folder` instead of `directory`.

    Files below the folder have relative paths, except for bundled ones; others have absolute paths.
    """
    bundled, folder = Path(str(resources.files("softdock"))).resolve(), folder.resolve()

    def convert(file: str) -> str:
        path = (directory / file).resolve()
        is_below = path.is_relative_to(folder) and not path.is_relative_to(bundled)
        return path.relative_to(folder).as_posix() if is_below else str(path)

    return with_files(data, convert)


def _unless_bundled(convert: Callable[[str], str]) -> Callable[[str], str]:
    return lambda robot: robot if robot in bundled_robots() else convert(robot)


def _convert(data: Any, keys: tuple[str, ...], convert: Callable[[str], str]) -> Any:
    if not keys:
        return convert(data) if isinstance(data, str) else data
    if not isinstance(data, Mapping):
        return data
    chosen = data if keys[0] == "*" else data.keys() & {keys[0]}
    return {
        key: _convert(value, keys[1:], convert) if key in chosen else value for key, value in data.items()
    }
