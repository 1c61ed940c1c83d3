"""Drawing of a run's surfaces: by CAD if the file is unchanged, else as revolved outline."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softdock.errors import InputError, Problem
from softdock.geometry.profile import Profile
from softdock.geometry.profile_cache import profile_from_rows
from softdock.model.joints import quaternion
from softdock.model.surfaces import Surface
from softdock.replay import solids
from softdock.replay.cad import cad_mesh
from softdock.replay.scene import Floats, Mesh
from softdock.replay.scene_builder import RERUN_HINT
from softdock.result import Result
from softdock.result.outlines import digest_of, outlines_of
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.rotations import matrix_from_quaternion


@dataclass(frozen=True, kw_only=True)
class DrawnSurface:
    """A surface with its profile, and its mesh in the body's frame."""

    surface: Surface
    profile: Profile
    p_BS: Floats
    R_BS: Floats
    mesh: Mesh

    @property
    def is_cavity(self) -> bool:
        """Whether other bodies enter it: the profile of a cavity runs towards -z."""
        return self.profile.segments[-1].end[0] < self.profile.segments[0].start[0]


def drawn_surfaces(result: Result, scenario: MultibodyScenario) -> tuple[dict[str, DrawnSurface], list[str]]:
    """Return every surface by name, and notes on surfaces that are not drawn from their CAD files."""
    outlines = outlines_of(result)
    out: dict[str, DrawnSurface] = {}
    notes: list[str] = []
    for name, surface in scenario.surfaces.items():
        if name not in outlines:
            message = (
                "The result does not contain the outlines of its surfaces, and their files do not exist."
            )
            raise InputError(Problem(field=f"surfaces.{name}", message=message, hint=RERUN_HINT))
        outline = outlines[name]
        profile = profile_from_rows(outline["meridian"])
        p_BS, R_BS = np.array(outline["p_BS"]), np.array(outline["R_BS"])
        mesh = _cad(surface, Path(result.directory), outline.get("sha256"))
        if mesh is None:
            mesh = solids.transformed(solids.revolve_profile(profile), R_BS, p_BS)
            if surface.file is not None:
                notes.append(
                    f"{name} is drawn by its meridian: {surface.file} is missing, changed or too fine."
                )
        out[name] = DrawnSurface(surface=surface, profile=profile, p_BS=p_BS, R_BS=R_BS, mesh=mesh)
    return out, notes


def _cad(surface: Surface, folder: Path, digest: str | None) -> Mesh | None:
    if surface.file is None or digest is None or digest_of(folder / surface.file) != digest:
        return None
    mesh = cad_mesh(folder / surface.file, surface.unit)
    if mesh is None:
        return None
    return solids.transformed(
        mesh, matrix_from_quaternion(quaternion(surface.attitude)), np.array(surface.at)
    )
