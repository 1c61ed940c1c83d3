"""Formats of CAD files, reading of their content, and errors about them."""

from pathlib import Path

from softdock.errors import InputError
from softdock.files.regular_file import read_regular_file

LARGEST_FILE = 50_000_000
"""Largest accepted file [bytes]; larger files are assemblies or scans, not contact surfaces."""
STEP_ENDINGS = (".step", ".stp")
MESH_ENDINGS = (".stl", ".obj", ".ply", ".glb")
PLAUSIBLE_SIZE = (1e-3, 20.0)
"""Sizes [m] outside this range suggest a wrong unit."""


def read_cad_file(path: Path) -> bytes:
    """Return the content of a CAD file; raises InputError unless it is a regular file of an allowed size and format."""
    if path.suffix.lower() not in STEP_ENDINGS + MESH_ENDINGS:
        allowed = ", ".join(STEP_ENDINGS + MESH_ENDINGS)
        raise cad_error(path, f"The file extension must be one of {allowed}.", given=path.suffix or "none")
    hint = "Export the one part that touches, without its assembly."
    return read_regular_file(path, largest=LARGEST_FILE, hint=hint)


def cad_error(path: Path, message: str, given: str = "", hint: str = "") -> InputError:
    """Return an `InputError` about a file."""
    return InputError(message, file=str(path), given=given, hint=hint)


def size_warnings(path: Path, size: float, unit: str | None) -> tuple[str, ...]:
    """Return a sentence about a body whose size [m] suggests a wrong unit."""
    low, high = PLAUSIBLE_SIZE
    if low <= size <= high:
        return ()
    if path.suffix.lower() in STEP_ENDINGS:
        advice = "Check the unit with which it was exported."
    elif unit is None:
        advice = "The file has no unit; metres were assumed. Set `unit`."
    else:
        advice = f"Check the unit, given as {unit}."
    return (f"{path.name} is {size:.4g} m large, which is implausible for a docking mechanism. {advice}",)
