"""What can be drawn of a run's surfaces: their CAD where the file is as it was, else their outline turned round."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softdock.errors import InputError, Problem
from softdock.geometry.profile import Profile
from softdock.geometry.remembered import profile_from_rows
from softdock.model.joints import quaternion
from softdock.model.surfaces import Surface
from softdock.replay import solids
from softdock.replay.cad import cad_mesh
from softdock.replay.scene import Floats, Mesh
from softdock.replay.scenes import REMEDY
from softdock.result import Result
from softdock.result.outlines import digest_of, outlines_of
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import matrix


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A surface with its outline, and its mesh in the body's frame."""

    surface: Surface
    profile: Profile
    p_BS: Floats
    R_BS: Floats
    mesh: Mesh

    @property
    def is_cavity(self) -> bool:
        """Whether other bodies enter it: a cavity is travelled towards -z."""
        return self.profile.segments[-1].end[0] < self.profile.segments[0].start[0]


def surfaces_of(result: Result, scenario: MultibodyScenario) -> tuple[dict[str, Drawn], list[str]]:
    """Return every surface by name, and notes on those that are not drawn from their file."""
    outlines = result.outlines or outlines_of(result.definition, result.directory)
    out: dict[str, Drawn] = {}
    notes: list[str] = []
    for name, surface in scenario.surfaces.items():
        if name not in outlines:
            message = (
                "The result does not hold the outlines of its surfaces, and their files cannot be found."
            )
            raise InputError(Problem(field=f"surfaces.{name}", message=message, hint=REMEDY))
        outline = outlines[name]
        profile = profile_from_rows(outline["meridian"])
        p_BS, R_BS = np.array(outline["p_BS"]), np.array(outline["R_BS"])
        mesh = _cad(surface, Path(result.directory), outline.get("sha256"))
        if mesh is None:
            mesh = solids.transformed(solids.lathe(profile), R_BS, p_BS)
            if surface.file is not None:
                notes.append(f"{name} is drawn by its meridian: {surface.file} is gone, changed or too fine.")
        out[name] = Drawn(surface=surface, profile=profile, p_BS=p_BS, R_BS=R_BS, mesh=mesh)
    return out, notes


def _cad(surface: Surface, folder: Path, digest: str | None) -> Mesh | None:
    if surface.file is None or digest is None or digest_of(folder / surface.file) != digest:
        return None
    mesh = cad_mesh(folder / surface.file, surface.unit)
    if mesh is None:
        return None
    return solids.transformed(mesh, matrix(quaternion(surface.attitude)), np.array(surface.at))
