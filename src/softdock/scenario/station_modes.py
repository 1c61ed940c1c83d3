"""Free-free modes of scenarios of kind `station` with the paper's own method: computed, or read from files."""

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softdock.errors import InputError
from softdock.flexible.mean_axes import MeanAxesModes, mean_axes_from_shapes, mean_axes_modes, with_body
from softdock.flexible.meshing import StructureMesh, mesh
from softdock.flexible.published import check_step
from softdock.flexible.structure import Structure
from softdock.quantities.model import FieldError
from softdock.scenario.station import StationScenario
from softdock.scenario.station_options import FreeModesFile
from softdock.spatial.inertia import rigid_inertia_matrix

Floats = NDArray[np.float64]
SAME_BODY = 1e-3
"""Allowed difference of the inertias of two sets of modes from the visitor's inertia, as a fraction of it."""


def published_modes(
    scenario: StationScenario, directory: Path | None = None
) -> tuple[MeanAxesModes, MeanAxesModes]:
    """Return the modes of the station alone, and of station and visitor. Raises InputError.

    `directory` is that of relative paths; the scenario's if left out.
    """
    directory = scenario.directory if directory is None else directory
    v, settings = scenario.visitor, scenario.published
    body = rigid_inertia_matrix(v.mass, np.asarray(v.centre), np.diag(v.inertia)).tobytes()
    base = scenario.base_name()
    if settings.alone is None:
        count = None if settings.modes == "all" else settings.modes
        return _computed(scenario.members().model_dump_json(), base, count, body)
    sets = [file for file in (settings.alone, settings.docked) if file is not None]
    paths = [directory / name for file in sets for name in file.paths()]
    stamps = tuple(path.stat().st_mtime_ns for path in paths if path.exists())
    alone, docked = _imported(settings.model_dump_json(), directory, scenario.base_node, body, stamps)
    if settings.modes == "all":
        return alone, docked
    return alone.lowest(settings.modes), docked.lowest(settings.modes)


def check_modes(scenario: StationScenario, directory: Path) -> None:
    """Raise FieldError for modes that cannot be computed or read, nodes without shapes, and a step that is too long."""
    try:
        alone, docked = published_modes(scenario, directory)
    except InputError as error:
        problem = error.problems[0]
        where = f" ({problem.file})" if problem.file else ""
        field = "published.modes" if problem.field == "modes" else "published"
        raise FieldError(field, f"{problem.message.rstrip('.')}{where}") from None
    for key, node in zip(("point_a", "point_b"), scenario.points()):
        if node not in alone.names:
            raise FieldError(key, f"the station has no node {node!r}")
    try:
        check_step(alone, scenario.published.step)
        check_step(docked, scenario.published.step)
    except InputError as error:
        raise FieldError("published.step", error.problems[0].message.rstrip(".")) from None


@functools.lru_cache(maxsize=8)
def _computed(
    structure: str, base: str, count: int | None, body: bytes
) -> tuple[MeanAxesModes, MeanAxesModes]:
    """Return the modes of a structure, without and with the visitor."""
    members = Structure.model_validate_json(structure)
    meshed = mesh(members)
    lumps: dict[str, Floats] = {}
    for part in members.parts.values():
        own = rigid_inertia_matrix(part.mass, np.array(part.centre_of_mass), part.inertia_matrix())
        lumps[part.node] = lumps.get(part.node, np.zeros((6, 6))) + own
    added = np.frombuffer(body).reshape(6, 6)
    return (
        mean_axes_modes(meshed, base, count, lumps),
        mean_axes_modes(meshed, base, count, lumps, added),
    )


@functools.lru_cache(maxsize=8)
def _imported(
    settings: str, directory: Path, base: str | int, body: bytes, _: object
) -> tuple[MeanAxesModes, MeanAxesModes]:
    """Return the modes of files, all of them."""
    from softdock.scenario.station_options import PublishedMethod

    files = PublishedMethod.model_validate_json(settings)
    added = np.frombuffer(body).reshape(6, 6)
    assert files.alone is not None
    alone = _read(files.alone, directory, base, np.zeros((6, 6)))
    if files.docked is None:
        return alone, with_body(alone, added)
    docked = _read(files.docked, directory, base, added)
    error = np.abs(docked.inertia - alone.inertia).max(axis=1) / np.abs(added).max(axis=1)
    if error.max() > SAME_BODY:
        raise InputError(
            f"must have the inertia of `alone` and the visitor; the error is {error.max():.2g} of the visitor's.",
            field="docked",
        )
    return alone, docked


def _read(files: FreeModesFile, directory: Path, base: str | int, body: Floats) -> MeanAxesModes:
    """Return the modes of one file; the masses at its base node include the body."""
    meshed, modes = files.read(directory, base)
    if str(base) not in meshed.names:
        raise InputError(f"there is no node {base}.", field="base_node")
    at = meshed.index(str(base))
    without = _without_body(meshed, at, body)
    blocks = {
        name: without.mass[6 * i : 6 * i + 6, 6 * i : 6 * i + 6].toarray()
        for i, name in enumerate(without.names)
    }
    lumps = {name: block for name, block in blocks.items() if block[:3].any()}
    return mean_axes_from_shapes(without, str(base), modes, lumps, body)


def _without_body(meshed: StructureMesh, at: int, body: Floats) -> StructureMesh:
    """Return nodes and masses without a body at a node."""
    rows, columns = np.indices((6, 6)) + 6 * at
    size = meshed.mass.shape[0]
    own = sparse.coo_matrix((body.ravel(), (rows.ravel(), columns.ravel())), shape=(size, size))
    return replace(meshed, mass=(meshed.mass - own).tocsc())
