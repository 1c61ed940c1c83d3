"""Reader of Nastran modes: grid points and point masses of the bulk data, eigenvectors of a punch or f06 file.

It reads GRID and CONM2 entries in the basic coordinate system, in fixed and free field format, and ignores other
entries. Element mass by density is not read; the modal masses then differ from 1 and the modes are rejected. The
files must be in SI units.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softdock.errors import InputError
from softdock.files.regular_file import read_regular_file
from softdock.flexible.imported_modes import (
    LARGEST_FILE,
    TOLERANCE,
    errors_about,
    free_modes_from_arrays,
    modes_from_arrays,
)
from softdock.flexible.meshing import StructureMesh
from softdock.flexible.modes import BaseModes, FreeModes
from softdock.quantities.units import LARGEST
from softdock.spatial.inertia import rigid_inertia_matrix

Floats = NDArray[np.float64]

_REAL = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[EeDd][-+]?\d+)?"
_IDENTIFIER = r"\d{1,9}"
_PUNCH_MODE = re.compile(rf"\$EIGENVALUE\s*=\s*({_REAL})\s*MODE\s*=\s*({_IDENTIFIER})")
_PUNCH_TABLES = ("$EIGENVECTOR", "$DISPLACEMENTS")
_F06_TITLE = re.compile(r"(?:[A-Z] ){5}")
"""Titles of printed tables have spaces between letters: F O R C E S   O F ..."""
_F06_VALUE = re.compile(rf"^\s*EIGENVALUE\s*=\s*({_REAL})")
_F06_MODE = re.compile(r"R E A L\s+E I G E N V E C T O R\s+N O \.\s*(\d{1,9})")
_ROW = re.compile(rf"^\s*({_IDENTIFIER})\s+([GS])((?:\s+{_REAL})+)")
_MORE = re.compile(rf"^-CONT-((?:\s+{_REAL})+)")
_SHORT_EXPONENT = re.compile(r"(?<=[\d.])([-+]\d+)$")


@dataclass
class _Bulk:
    """Grid points of the bulk data by their identifiers."""

    positions: dict[int, list[float]] = field(default_factory=dict)
    mass: dict[int, Floats] = field(default_factory=dict)
    """6x6 inertia about the grid point."""


def read_nastran(
    bulk: str | Path, eigenvectors: str | Path, *, base: int, tolerance: float = TOLERANCE
) -> BaseModes:
    """Read modes clamped at grid point `base` from bulk data and a punch (`.pch`) or printed (`.f06`) file."""
    bulk, eigenvectors = Path(bulk), Path(eigenvectors)
    arrays, eigenvalue = _read_files(bulk, eigenvectors, base)
    if not (eigenvalue > 0.0).all():
        message = "has modes of frequency zero: the structure must be clamped at its base."
        raise _error(eigenvectors, None, message)
    with errors_about(eigenvectors):
        return modes_from_arrays(base=str(base), tolerance=tolerance, **arrays)


def read_free_nastran(
    bulk: str | Path, eigenvectors: str | Path, *, base: int, tolerance: float = TOLERANCE
) -> tuple[StructureMesh, FreeModes]:
    """Read modes of the free structure from the same files; see `free_modes_from_arrays`."""
    bulk, eigenvectors = Path(bulk), Path(eigenvectors)
    arrays, _ = _read_files(bulk, eigenvectors, base)
    with errors_about(eigenvectors):
        return free_modes_from_arrays(tolerance=tolerance, **arrays)


def _read_files(bulk: Path, eigenvectors: Path, base: int) -> tuple[dict[str, Any], Floats]:
    """Return names, positions, frequencies, shapes and masses of the grid points, and the eigenvalues [1/s2]."""
    data = _read_bulk(bulk)
    modes, values = _read_eigenvectors(eigenvectors)
    grids = sorted(set().union(*modes.values()))
    _check_grids(bulk, eigenvectors, data, modes, grids, base)
    order = sorted(modes)
    eigenvalue = np.array([values[mode] for mode in order])
    shapes = np.array([[modes[mode][grid] for grid in grids] for mode in order])
    shapes = np.concatenate(
        [shapes[..., 3:], shapes[..., :3]], axis=-1
    )  # Nastran: translation before rotation
    mass = sparse.block_diag([data.mass.get(grid, np.zeros((6, 6))) for grid in grids], format="csc")
    mass.eliminate_zeros()
    arrays = {
        "names": [str(grid) for grid in grids],
        "positions": np.array([data.positions[grid] for grid in grids]),
        # Eigenvalues of rigid-body modes are round-off of either sign.
        "frequency": np.sqrt(np.maximum(eigenvalue, 0.0)) / (2.0 * np.pi),
        "shapes": np.moveaxis(shapes, 0, -1),
        "mass": mass,
    }
    return arrays, eigenvalue


def _check_grids(
    bulk: Path,
    eigenvectors: Path,
    data: _Bulk,
    modes: dict[int, dict[int, list[float]]],
    grids: list[int],
    base: int,
) -> None:
    """Raise InputError unless every grid point of the eigenvectors, with mass or at the base is in both files."""
    for grid in grids:
        if grid not in data.positions:
            raise _error(bulk, None, f"has no GRID {grid}, which the eigenvectors name.")
    for grid in sorted({*data.mass, base}):
        if grid not in grids:
            message = f"has no motion of grid point {grid}, which has mass or is the base."
            raise _error(eigenvectors, None, message)
    for mode, motion in modes.items():
        missing = [grid for grid in grids if grid not in motion]
        if missing:
            raise _error(eigenvectors, None, f"Mode {mode} has no motion of grid point {missing[0]}.")


def _read_bulk(path: Path) -> _Bulk:
    data = _Bulk()
    masses: list[tuple[int, list[str]]] = []
    for line, cells in _entries(path):
        name = cells[0].rstrip("*").upper()
        if name == "GRID":
            _check_basic_system(path, line, cells, 2)
            _check_basic_system(path, line, cells, 6)
            data.positions[_integer(path, line, cells, 1)] = [_real(path, line, cells, i) for i in (3, 4, 5)]
        elif name == "CONM2":
            masses.append((line, cells))
    for line, cells in masses:
        _check_basic_system(path, line, cells, 3)
        grid = _integer(path, line, cells, 2)
        if grid not in data.positions:
            raise _error(path, line, f"CONM2 refers to GRID {grid}, which does not exist.")
        m, *arm = (_real(path, line, cells, i) for i in (4, 5, 6, 7))
        xx, yx, yy, zx, zy, zz = (_real(path, line, cells, i) for i in range(9, 15))
        J = np.array([[xx, -yx, -zx], [-yx, yy, -zy], [-zx, -zy, zz]])  # Nastran's are products of inertia
        own = rigid_inertia_matrix(m, np.array(arm), J)
        data.mass[grid] = data.mass.get(grid, np.zeros((6, 6))) + own
    if not data.positions:
        raise _error(path, None, "has no GRID: is it Nastran bulk data?")
    return data


def _entries(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each bulk entry, with continuation lines joined and their names omitted."""
    entry: list[str] = []
    start = 0
    for number, raw in enumerate(_lines(path), 1):
        text = raw.split("$", 1)[0].rstrip()
        if not text.strip():
            continue
        cells = _cells(text)
        if cells[0] == "" or cells[0][0] in "+*":
            width = 4 if len(entry) > 0 and entry[0].endswith("*") else 8
            behind = len(entry) - 1
            entry += [""] * (-behind % width) + cells[1:]
            continue
        if entry:
            yield start, entry
        entry, start = cells, number
    if entry:
        yield start, entry


def _cells(text: str) -> list[str]:
    """Return name and data fields of a line in free or fixed field format, without the continuation field."""
    if "," in text:
        return [cell.strip() for cell in text.split(",")][:9]
    text = text.expandtabs(8)
    name, rest = text[:8].strip(), text[8:72]
    width = 16 if "*" in name else 8
    return [name, *(rest[i : i + width].strip() for i in range(0, len(rest), width))]


def _read_eigenvectors(path: Path) -> tuple[dict[int, dict[int, list[float]]], dict[int, float]]:
    """Return motions (translation, rotation) by mode and grid point, and eigenvalues by mode [1/s2]."""
    modes: dict[int, dict[int, list[float]]] = {}
    values: dict[int, float] = {}
    current: dict[int, list[float]] | None = None  # None inside other tables
    punched, eigenvalue = False, 0.0
    last: list[float] = []
    for number, line in enumerate(_lines(path), 1):
        if line.startswith("$"):
            punched = not line.startswith("$TITLE") and (punched or line.startswith(_PUNCH_TABLES))
            match = _PUNCH_MODE.search(line)
            if match and punched:
                values[int(match[2])] = _number(match[1])
            current = modes.setdefault(int(match[2]), {}) if match and punched else None
        elif match := _F06_VALUE.match(line):
            eigenvalue = _number(match[1])
        elif match := _F06_MODE.search(line):  # repeated on every page
            values[int(match[1])] = eigenvalue
            current = modes.setdefault(int(match[1]), {})
        elif _F06_TITLE.search(line):
            current = None
        elif current is not None and (match := _ROW.match(line)):
            numbers = [_number(x) for x in match[3].split()]
            last = numbers[:6] if len(numbers) >= 6 else numbers[:3]  # punch lines end with a line number
            if match[2] == "G":
                if int(match[1]) in current:
                    raise _error(path, number, f"grid point {match[1]} appears twice in one mode.")
                current[int(match[1])] = last
        elif current is not None and (match := _MORE.match(line)):
            last += [_number(x) for x in match[1].split()][:3]
    if not modes:
        raise _error(
            path, None, "has no eigenvectors: ask Nastran for VECTOR(PUNCH) or VECTOR(PRINT), SORT1, real."
        )
    for mode, motion in modes.items():
        for grid, numbers in motion.items():
            if len(numbers) != 6:
                raise _error(path, None, f"mode {mode} must have six numbers for grid point {grid}.")
    return modes, values


def _lines(path: Path) -> list[str]:
    return read_regular_file(path, largest=LARGEST_FILE).decode("latin-1").splitlines()


def _cell(cells: list[str], i: int) -> str:
    return cells[i] if i < len(cells) else ""


def _real(path: Path, line: int, cells: list[str], i: int) -> float:
    """Return a real number in Nastran format, including 1.5-3 and 1.5D-3; blank is zero."""
    text = _cell(cells, i)
    try:
        value = _number(_SHORT_EXPONENT.sub(r"e\1", text)) if text else 0.0
    except ValueError:
        raise _error(path, line, f"{cells[0]} needs a number in field {i + 1}.", text) from None
    if not abs(value) <= LARGEST:
        raise _error(path, line, f"{cells[0]} needs a number up to {LARGEST:g} in field {i + 1}.", text)
    return value


def _number(text: str) -> float:
    """Return a real number whose exponent may be written with D."""
    return float(text.replace("D", "e").replace("d", "e"))


def _integer(path: Path, line: int, cells: list[str], i: int) -> int:
    try:
        return int(_cell(cells, i))
    except ValueError:
        raise _error(
            path, line, f"{cells[0]} needs a whole number in field {i + 1}.", _cell(cells, i)
        ) from None


def _check_basic_system(path: Path, line: int, cells: list[str], i: int) -> None:
    if _cell(cells, i) not in ("", "0"):
        raise _error(path, line, f"{cells[0]} must be in the basic coordinate system.", f"system {cells[i]}")


def _error(path: Path, line: int | None, message: str, given: str = "") -> InputError:
    return InputError(message, file=str(path), line=line, given=given)
