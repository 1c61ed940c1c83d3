"""Models of flexible structures on bodies: members or modes from files, and the selection of modes."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from softdock.errors import InputError, no_such
from softdock.flexible.structure import NodeName, Structure
from softdock.quantities.fields import Flag, Integer, Length, Quantity, Vector3
from softdock.quantities.model import FieldError, Model
from softdock.tree.joints import IDENTITY, Attitude, quaternion

if TYPE_CHECKING:
    from softdock.flexible.modes import BaseModes

DampingRatio = Annotated[float, Quantity("1", ge=0, lt=1)]
FIRST_GUESS = 64  # modes that are computed before it is known how many a selection needs


class ModeChoice(Model):
    """Which modes are kept: one way to choose.

    Frequency in Hz.

    >>> from softdock import ModeChoice
    >>> ModeChoice(below="20 Hz")
    ModeChoice(below=20.0)
    """

    below: Annotated[float, Quantity("Hz", gt=0)] | None = None
    """All modes up to a frequency."""
    share: Annotated[float, Quantity("1", gt=0, lt=1)] | None = None
    """All modes whose share in the rigid inertia is at least this."""
    residual: Annotated[float, Quantity("1", gt=0, lt=1)] | None = None
    """The fewest modes, largest share first, that leave at most this part of the rigid inertia to missing ones."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [key for key in ("below", "share", "residual") if getattr(self, key) is not None]
        if len(given) != 1:
            raise FieldError("", "must have exactly one of below, share and residual")
        return self


Modes = Annotated[Integer, Field(ge=0)] | Literal["all"] | ModeChoice
"""Number of lowest modes, `all`, or a choice."""


class NastranFiles(Model):
    """Modes that Nastran computed.

    Paths are relative to the scenario's folder.

    >>> from softdock import NastranFiles
    >>> NastranFiles(bulk="array.bdf", eigenvectors="array.pch")
    NastranFiles(bulk='array.bdf', eigenvectors='array.pch')
    """

    bulk: str
    """File of bulk data: GRID and CONM2."""
    eigenvectors: str
    """Punch or f06 file."""


class Flexible(Model):
    """A flexible structure that is clamped to a body by its base node; exactly one of members, file and nastran.

    Lengths are in m.

    >>> from softdock import Flexible
    >>> Flexible(body="bus", base="root", file="array-modes.npz", damping=0.005)
    Flexible(body='bus', base='root', file='array-modes.npz', damping=0.005)
    """

    body: str
    """Body that carries it."""
    base: NodeName | Annotated[Integer, Field(ge=1)]
    """Node that is clamped to the body; the number of a grid point for Nastran."""
    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Position of the base node in the body."""
    attitude: Attitude = IDENTITY
    """Attitude of the structure's axes in the body."""
    members: Structure | None = None
    """Nodes, sections, beams, panels and rigid parts."""
    file: str | None = None
    """Modes from a NumPy file, or from a folder of CSV tables; relative to the scenario's folder."""
    nastran: NastranFiles | None = None
    """Modes that Nastran computed."""
    damping: DampingRatio | tuple[DampingRatio, ...] = 0.0
    """Damping ratio of every mode, or one for each that is kept."""
    settled: Flag = False
    """Whether to start in static equilibrium under gravity and rotation, instead of undeformed."""
    modes: Modes = "all"
    """Number of lowest modes, `all`, or a choice `below` a frequency, by `share` or by `residual`."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [key for key in ("members", "file", "nastran") if getattr(self, key) is not None]
        if len(given) != 1:
            raise FieldError("members", "must be given, or instead of it one of file and nastran")
        if self.members is not None and self.base not in self.members.nodes:
            raise FieldError("base", no_such("node", str(self.base), self.members.nodes))
        if (self.nastran is not None) != isinstance(self.base, int):
            raise FieldError(
                "base", "is the number of a grid point for nastran, otherwise the name of a node"
            )
        quaternion(self.attitude)
        return self

    def node_names(self, directory: Path) -> tuple[str, ...]:
        """Return the names of all nodes; those between the ends of a beam are `beam.1`, `beam.2` ..."""
        if self.members is None:
            return self.find_modes(directory).names
        between = [
            f"{name}.{i}" for name, beam in self.members.all_beams().items() for i in range(1, beam.elements)
        ]
        return (*self.members.nodes, *between)

    def find_modes(self, directory: Path) -> "BaseModes":
        """Return the modes that are kept; cached by structure and files. Raises InputError."""
        source = "" if self.members is None else self.members.model_dump_json()
        files = (self.file, *((self.nastran.bulk, self.nastran.eigenvectors) if self.nastran else ()))
        stamps = tuple(_stamp(directory / name) for name in files if name is not None)
        key = self.model_copy(
            update={"members": None, "body": "", "damping": 0.0, "settled": False}
        ).model_dump_json()
        modes = _cached_modes(source, key, directory, stamps, _Uncompared(self))
        ratios = 1 if isinstance(self.damping, float | int) else len(self.damping)
        if not isinstance(self.damping, float | int) and ratios != modes.frequency.size:
            raise InputError(
                f"must be one ratio, or {modes.frequency.size}: one for each mode that is kept.",
                field="damping",
                given=f"{ratios} ratios",
            )
        return modes


class _Uncompared:
    """A structure passed to a cached function; all compare equal, so that only the other arguments are the key."""

    def __init__(self, flexible: Flexible) -> None:
        self.flexible = flexible

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Uncompared)

    def __hash__(self) -> int:
        return 0


def _stamp(path: Path) -> tuple[int, int] | None:
    """Return modification time and size of a file, which change when the file does; None if it does not exist."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


@functools.lru_cache(maxsize=16)
def _cached_modes(_: str, __: str, directory: Path, ___: object, asked: _Uncompared) -> "BaseModes":
    from softdock.flexible.imported_modes import read_modes  # imports SciPy
    from softdock.flexible.nastran import read_nastran

    flexible = asked.flexible
    if flexible.members is not None:
        return _compute_modes(flexible.members, str(flexible.base), flexible.modes)
    if flexible.nastran is not None:
        assert isinstance(flexible.base, int)
        files = flexible.nastran
        modes = read_nastran(directory / files.bulk, directory / files.eigenvectors, base=flexible.base)
    else:
        modes = read_modes(directory / (flexible.file or ""), base=str(flexible.base))
    return _select(modes, flexible.modes)


def _select(modes: "BaseModes", wanted: Modes) -> "BaseModes":
    """Return the selected modes."""
    if isinstance(wanted, ModeChoice):
        if wanted.below is not None:
            return modes.below(wanted.below)
        if wanted.share is not None:
            return modes.with_mass_fraction(wanted.share)
        assert wanted.residual is not None
        return modes.with_residual(wanted.residual)
    return modes if wanted == "all" else modes.lowest(int(wanted))


def _compute_modes(members: Structure, base: str, wanted: Modes) -> "BaseModes":
    """Compute as many modes as the selection needs and return the selected ones."""
    from softdock.flexible.meshing import mesh
    from softdock.flexible.modes import base_modes

    meshed = mesh(members)
    if wanted == "all":
        return base_modes(meshed, base)
    if not isinstance(wanted, ModeChoice):
        alone = wanted == 0 and len(meshed.names) == 1  # a rigid part without beams
        return base_modes(meshed, base, None if alone else max(wanted, 1)).lowest(wanted)
    most, count = 6 * (len(meshed.names) - 1), FIRST_GUESS
    while count < most:
        try:
            modes = base_modes(meshed, base, count)
        except InputError:  # fewer than that exist
            break
        if _suffices(modes, wanted):
            return _select(modes, wanted)
        count *= 2
    return _select(base_modes(meshed, base), wanted)


def _suffices(modes: "BaseModes", wanted: ModeChoice) -> bool:
    """Return whether no mode beyond the computed ones can belong to a selection."""
    if wanted.below is not None:
        return bool(modes.frequency[-1] > wanted.below)
    if wanted.residual is not None:
        return modes.residual <= wanted.residual
    assert wanted.share is not None
    return modes.truncated_mass_fraction < wanted.share
