"""Modes computed by another program: read from NumPy or CSV files, checked for normalisation and orthogonality."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from softdock.errors import InputError
from softdock.files.array_readers import NPZ
from softdock.files.cache import Cache, content_key
from softdock.files.child_process import read_in_child
from softdock.files.regular_file import read_regular_file
from softdock.flexible.meshing import StructureMesh
from softdock.flexible.modes import BaseModes, FreeModes, base_modes_from_shapes
from softdock.flexible.structure import LARGEST_COORDINATE

Floats = NDArray[np.float64]

TOLERANCE = 1e-3
"""Allowed error of modal masses (1 and 0): that of shapes printed with five digits, summed over a thousand nodes."""
COMPONENTS = ("rx", "ry", "rz", "ux", "uy", "uz")
CACHE = Cache("modes", ".npz")
LARGEST_FILE = 500_000_000
"""Largest file with modes [bytes]; a thousand modes of ten thousand nodes."""
ARRAYS = ("names", "positions", "frequency", "shapes", "mass")


def modes_from_arrays(
    *,
    base: str,
    names: Sequence[str],
    positions: ArrayLike,
    frequency: ArrayLike,
    shapes: ArrayLike,
    mass: Any,
    tolerance: float = TOLERANCE,
) -> BaseModes:
    """Return modes clamped at node `base`; raise InputError for shapes that are not mass-normalised or orthogonal.

    Positions (nodes, 3) [m], frequency (modes,) ascending [Hz], shapes (nodes, 6, modes), rotation before translation;
    shapes must be zero at the base. Mass is lumped at the nodes, (nodes, 6): three moments of inertia [kg m2], then the
    mass three times [kg]; or the full matrix (6 nodes, 6 nodes), which may be sparse.
    """
    mesh, f, x = _checked_arrays(names, positions, frequency, shapes, mass)
    if not (f > 0.0).all() or not (np.diff(f) >= 0.0).all():
        raise _field_error("frequency", "must be above 0 Hz and rise from mode to mode.")
    flat = x.reshape(-1, f.size)
    with np.errstate(all="ignore"):  # a modal mass or an inertia that is not finite is rejected
        _check_base(x, mesh.index(base), base, tolerance)
        _check_modal_mass(flat.T @ (mesh.mass @ flat), tolerance)
        return base_modes_from_shapes(mesh, base, f, flat)


def free_modes_from_arrays(
    *,
    names: Sequence[str],
    positions: ArrayLike,
    frequency: ArrayLike,
    shapes: ArrayLike,
    mass: Any,
    tolerance: float = TOLERANCE,
) -> tuple[StructureMesh, FreeModes]:
    """Return nodes and masses, and the elastic modes of a free structure; its rigid-body modes are left out.

    The arguments are those of `modes_from_arrays`. Raises InputError for shapes that are not mass-normalised, not
    orthogonal, or neither without momentum nor a rigid-body motion within the tolerance: those of a clamped structure.
    """
    mesh, f, x = _checked_arrays(names, positions, frequency, shapes, mass)
    flat = x.reshape(-1, f.size)
    with np.errstate(all="ignore"):
        _check_modal_mass(flat.T @ (mesh.mass @ flat), tolerance)
    R = mesh.rigid_motions(mesh.positions[0])
    momentum = R.T @ (mesh.mass @ flat)
    share = np.einsum("ik,ik->k", momentum, np.linalg.lstsq(R.T @ (mesh.mass @ R), momentum, rcond=None)[0])
    mixed = np.flatnonzero((share > tolerance) & (share < 1.0 - tolerance))
    if mixed.size:
        raise _field_error(
            "shapes",
            f"must be modes of the free structure: {share[mixed[0]]:.2%} of the kinetic energy of mode "
            f"{mixed[0] + 1} is that of a rigid-body motion (0 or 100 % are allowed).",
            hint="Softdock needs free-free modes here, not those of a clamped structure.",
        )
    elastic = np.flatnonzero(share < 0.5)
    if not elastic.size or not (f[elastic] > 0.0).all() or not (np.diff(f[elastic]) >= 0.0).all():
        raise _field_error(
            "frequency",
            "of elastic modes must be above 0 Hz and rise from mode to mode; at least one is needed.",
        )
    return mesh, FreeModes(frequency=f[elastic], shapes=x[:, :, elastic])


def _checked_arrays(
    names: Sequence[str], positions: ArrayLike, frequency: ArrayLike, shapes: ArrayLike, mass: Any
) -> tuple[StructureMesh, Floats, Floats]:
    """Return nodes with their masses, frequencies and shapes; raise InputError for arrays that do not fit together."""
    count = len(names)
    if not count or not np.size(frequency):
        raise _field_error("frequency" if count else "names", "must hold at least one value.")
    p = _array("positions", positions, (count, 3))
    if np.abs(p).max() > LARGEST_COORDINATE:
        raise _field_error("positions", f"must be at most {LARGEST_COORDINATE:g} m.", f"{np.abs(p).max():g}")
    f = _array("frequency", frequency, (np.size(frequency),))
    x = _array("shapes", shapes, (count, 6, f.size))
    M = _mass(mass, count)
    if len(set(names)) < count:
        raise _field_error("names", "must be different from each other.")
    return StructureMesh(names=tuple(names), positions=p, stiffness=sparse.csc_matrix(M.shape), mass=M), f, x


def read_modes(path: str | Path, *, base: str, tolerance: float = TOLERANCE) -> BaseModes:
    """Read modes clamped at node `base` from a `.npz` file, or from a folder with `nodes.csv` and `modes.csv`.

    The `.npz` file contains the arguments of `modes_from_arrays`. `nodes.csv` has the columns name, x, y, z, mass
    and optionally ixx, iyy, izz; `modes.csv` has mode, frequency, node, rx, ry, rz, ux, uy, uz. All in SI and Hz.
    """
    with errors_about(Path(path)):
        return modes_from_arrays(base=base, tolerance=tolerance, **_read_arrays(Path(path)))


def read_free_modes(path: str | Path, *, tolerance: float = TOLERANCE) -> tuple[StructureMesh, FreeModes]:
    """Read modes of a free structure from files as those of `read_modes`; see `free_modes_from_arrays`."""
    with errors_about(Path(path)):
        return free_modes_from_arrays(tolerance=tolerance, **_read_arrays(Path(path)))


def _read_arrays(path: Path) -> dict[str, Any]:
    """Return the arguments of `modes_from_arrays` that a file or folder contains."""
    arrays: dict[str, Any] = dict(_from_npz(path) if path.suffix == ".npz" else _from_csv(path))
    arrays["names"] = [str(name) for name in np.ravel(arrays["names"])]
    return arrays


@contextmanager
def errors_about(path: Path) -> Iterator[None]:
    """Add the name of a file to the errors about the modes that it contains."""
    try:
        yield
    except InputError as error:
        raise InputError(*(replace(p, file=p.file or str(path)) for p in error.problems)) from None


def _from_npz(path: Path) -> dict[str, Floats]:
    data = read_regular_file(path, largest=LARGEST_FILE)
    key = content_key(data)
    arrays = CACHE.read(key, _decode)
    if arrays is None:
        content = read_in_child(NPZ, data, path=path, arguments=ARRAYS, file_format="NumPy")
        CACHE.write(key, content)
        arrays = _decode(content)
    return arrays


def _decode(data: bytes) -> dict[str, Floats]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in ARRAYS}


def _from_csv(folder: Path) -> dict[str, Floats]:
    nodes = _read_nodes(folder / "nodes.csv")
    names = [str(name) for name in nodes["names"]]
    frequency, motions = _read_mode_shapes(folder / "modes.csv", names)
    shapes = [[motion[name] for name in names] for motion in motions.values()]
    return {
        **nodes,
        "frequency": np.array(list(frequency.values())),
        "shapes": np.moveaxis(np.array(shapes), 0, -1),
    }


def _read_nodes(file: Path) -> dict[str, Floats]:
    """Return names, positions (nodes, 3) [m] and lumped mass (nodes, 6) of the nodes."""
    names, positions, mass = [], [], []
    inertia = ("ixx", "iyy", "izz")
    for line, row in _rows(file, ("name", "x", "y", "z", "mass"), inertia):
        names.append(row["name"])
        values = _numbers(file, line, row, ("x", "y", "z", "mass"))
        positions.append(values[:3])
        moments = _numbers(file, line, row, inertia if "ixx" in row else ())
        mass.append([*(moments or [0.0] * 3), *([values[3]] * 3)])
    return {"names": np.array(names), "positions": np.array(positions), "mass": np.array(mass)}


def _read_mode_shapes(
    file: Path, names: list[str]
) -> tuple[dict[str, float], dict[str, dict[str, list[float]]]]:
    """Return the frequency [Hz] by mode, and the motion (6,) by mode and node."""
    motions: dict[str, dict[str, list[float]]] = {}
    frequency: dict[str, float] = {}
    for line, row in _rows(file, ("mode", "frequency", "node", *COMPONENTS), ()):
        f, *motion = _numbers(file, line, row, ("frequency", *COMPONENTS))
        mode = row["mode"]
        if frequency.setdefault(mode, f) != f:
            message = f"mode {mode} must have one frequency in all its rows."
            raise _line_error(file, line, message, row["frequency"])
        if row["node"] not in names:
            raise _line_error(file, line, "there is no such node in nodes.csv.", row["node"])
        if row["node"] in motions.setdefault(mode, {}):
            raise _line_error(file, line, f"mode {mode} has two rows for one node.", row["node"])
        motions[mode][row["node"]] = motion
    for mode, motion_by_node in motions.items():
        missing = [name for name in names if name not in motion_by_node]
        if missing:
            message = f"Mode {mode} has no row for node {missing[0]}."
            raise InputError(message, file=str(file))
    return frequency, motions


def _rows(
    path: Path, needed: tuple[str, ...], optional: tuple[str, ...]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line number and fields of each row; raise InputError for a file without rows or with other columns."""
    try:
        text = read_regular_file(path, largest=LARGEST_FILE).decode()
    except UnicodeDecodeError:
        raise InputError("is not a text file.", file=str(path)) from None
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    try:
        columns = list(reader.fieldnames or [])
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise _line_error(path, reader.reader.line_num, f"is not a row of a table: {error}.", "") from None
    if set(columns) - set(optional) != set(needed) or (
        set(columns) & set(optional) and not set(optional) <= set(columns)
    ):
        more = f", optionally {', '.join(optional)}" if optional else ""
        raise _line_error(path, 1, f"the columns must be {', '.join(needed)}{more}.", ", ".join(columns))
    if not rows:
        raise InputError("has no rows.", file=str(path))
    for line, row in rows:
        if None in row or None in row.values():
            raise _line_error(path, line, f"must have {len(columns)} fields.", "")
        yield line, row


def _numbers(path: Path, line: int, row: dict[str, str], columns: tuple[str, ...]) -> list[float]:
    values = []
    for column in columns:
        try:
            values.append(float(row[column]))
        except ValueError:
            raise _line_error(path, line, f"{column} must be a number.", row[column]) from None
    return values


def _array(field: str, given: ArrayLike, shape: tuple[int, ...]) -> Floats:
    try:
        values = np.asarray(given)
        values = values.astype(
            float, casting="same_kind" if values.dtype.kind == "c" else "unsafe", copy=False
        )
    except (TypeError, ValueError):
        raise _field_error(field, "must be an array of numbers.") from None
    if values.shape != shape or not np.isfinite(values).all():
        raise _field_error(field, f"must be finite numbers of shape {shape}.", str(values.shape))
    return values


def _mass(given: Any, count: int) -> sparse.csc_matrix:
    """Return the mass matrix; raise InputError unless it is symmetric without negative masses."""
    if sparse.issparse(given):
        M = given
        _array("mass", M.data, M.data.shape)
    elif np.shape(given) == (count, 6):
        M = sparse.diags(_array("mass", given, (count, 6)).ravel()).tocsc()
    else:
        M = sparse.csc_matrix(_array("mass", given, (6 * count, 6 * count)))
    if abs(M - M.T).max() > 1e-9 * abs(M).max() or (M.diagonal() < 0.0).any():
        raise _field_error("mass", "must be symmetric, with no negative mass.")
    return M


def _check_base(shapes: Floats, at: int, base: str, tolerance: float) -> None:
    moved = np.abs(shapes[at]).max(axis=0)
    worst = int(np.argmax(moved / np.abs(shapes).max(axis=(0, 1))))
    if moved[worst] > tolerance * np.abs(shapes[:, :, worst]).max():
        raise _field_error(
            "shapes",
            f"must be zero at the base {base}, where mode {worst + 1} moves by {moved[worst]:.3g}.",
            hint="Softdock needs modes of the structure clamped at its base, not free-free ones.",
        )


def _check_modal_mass(G: Floats, tolerance: float) -> None:
    """Raise InputError unless the modal mass matrix G is the identity within the tolerance."""
    own = np.abs(np.diag(G) - 1.0)
    worst = int(own.argmax())
    if not own[worst] <= tolerance:
        raise _field_error(
            "shapes",
            f"must be mass-normalised: mode {worst + 1} has the modal mass {G[worst, worst]:.6g}, not 1 "
            f"within {tolerance:g}.",
            hint="Divide each shape by the square root of its modal mass, or check masses and units.",
        )
    off_diagonal = np.abs(G - np.diag(np.diag(G)))
    i, j = np.unravel_index(int(off_diagonal.argmax()), off_diagonal.shape)
    if not off_diagonal[i, j] <= tolerance:
        raise _field_error(
            "shapes",
            f"must be orthogonal: modes {min(i, j) + 1} and {max(i, j) + 1} have the product {G[i, j]:.6g}, not 0 "
            f"within {tolerance:g}.",
        )


def _field_error(field: str, message: str, given: str = "", hint: str = "") -> InputError:
    return InputError(message, field=field, given=given, hint=hint)


def _line_error(path: Path, line: int, message: str, given: str) -> InputError:
    return InputError(message, file=str(path), line=line, given=given)
