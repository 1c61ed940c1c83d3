"""Bundled robots (URDF files)."""

from importlib import resources
from pathlib import Path


def bundled_robots() -> dict[str, Path]:
    """Return the URDF files of the bundled robots by name."""
    folder = Path(str(resources.files(__name__)))
    return {path.stem: path for path in sorted(folder.glob("*.urdf"))}


def find_robot(name_or_file: str, directory: Path) -> Path:
    """Return the file of a bundled robot, or the given path, relative to `directory` unless it is absolute."""
    return bundled_robots().get(name_or_file, directory / name_or_file)
