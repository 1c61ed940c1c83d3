"""Settings of the station paper's own method, and modes of the free structure from files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from softdock.model.structures import NastranFiles
from softdock.quantities.fields import Integer, PositiveTime
from softdock.quantities.model import FieldError, Model

if TYPE_CHECKING:
    from softdock.flexible.meshing import StructureMesh
    from softdock.flexible.modes import FreeModes


class FreeModesFile(Model):
    """Free-free modes that another program computed; exactly one of file and nastran.

    Paths are relative to the scenario's folder. Rigid-body modes in the files are left out.
    """

    file: str | None = None
    """NumPy file or folder of CSV tables, as for flexible structures, with the modes of the free structure."""
    nastran: NastranFiles | None = None
    """Modes that Nastran computed."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.file is None) == (self.nastran is None):
            raise FieldError("file", "must be given, or instead of it nastran")
        return self

    def read(self, directory: Path, base: str | int) -> "tuple[StructureMesh, FreeModes]":
        """Return nodes with masses and the elastic modes. Raises InputError."""
        from softdock.flexible.imported_modes import read_free_modes  # imports SciPy
        from softdock.flexible.nastran import read_free_nastran

        if self.nastran is None:
            return read_free_modes(directory / (self.file or ""))
        files = self.nastran
        return read_free_nastran(directory / files.bulk, directory / files.eigenvectors, base=int(base))

    def paths(self) -> tuple[str, ...]:
        """Return the names of the files."""
        if self.nastran is not None:
            return self.nastran.bulk, self.nastran.eigenvectors
        return (self.file or "",)


class PublishedMethod(Model):
    """Settings of the station paper's own method.

    >>> from softdock.scenario.station_options import PublishedMethod
    >>> PublishedMethod(step="20 ms")
    PublishedMethod(step=0.02)
    """

    modes: Annotated[Integer, Field(ge=1)] | Literal["all"] = 8
    """Number of lowest free-free modes of the station, and of station and visitor; the paper has 8."""
    step: PositiveTime = 0.01
    """Step of the fourth-order Runge-Kutta method; the paper has 0.01 s."""
    alone: FreeModesFile | None = None
    """Modes of the station alone; computed from its structure if left out."""
    docked: FreeModesFile | None = None
    """Modes of station and visitor, whose mass is at the base node; found from those of the station if left out."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.docked is not None and self.alone is None:
            raise FieldError(
                "alone", "must be given together with docked: both sets must come from one model"
            )
        return self
