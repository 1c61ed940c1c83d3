"""Records of contacts for the kernels."""

import functools
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly
from softdock.assembly.bristles import bristle_indices
from softdock.contact.pair import ContactPair
from softdock.dynamics.kernels.forces.contacts import PAIR
from softdock.errors import InputError, Problem
from softdock.geometry.profile import Profile
from softdock.geometry.solids.checks import smallest_convex_radius, thinnest_wall
from softdock.geometry.solids.solid import Solid
from softdock.geometry.wall_thickness import smallest_radius, wall_thickness
from softdock.model.surfaces import Surface
from softdock.model.system import System
from softdock.tree.kernels.tree import records

Floats = NDArray[np.float64]
MAX_OVERLAP = 1e-3  # [m]; a contact may start with a small depth, but not inside a wall


def pair_records(system: System, assembly: Assembly, folder: Path) -> tuple[np.recarray, list[ContactPair]]:
    """Return one record and one contact pair for every contact; files start from `folder`."""
    pairs = records(len(system.contacts), PAIR)
    at_state = bristle_indices(system, int(assembly.world.view(np.ndarray)["n_q"][0]))
    contact_pairs = []
    for record, (name, contact) in zip(pairs, system.contacts.items()):
        shapes: list[Profile | Solid] = []
        general = any(system.surfaces[side].is_general(folder) for side in (contact.a, contact.b))
        for side, link, frame in ((contact.a, "a", "A"), (contact.b, "b", "B")):
            surface = system.surfaces[side]
            shape, X_BS = surface.read_solid(folder) if general else surface.read(folder)
            placed = assembly.placed[surface.body]
            X_LS = placed.X_LB @ X_BS
            record[link] = placed.link
            record[f"R_{link}{frame}"] = X_LS.R.ravel()
            record[f"p_{link}{frame}"] = X_LS.p
            shapes.append(shape)
        groups = face_groups(system.surfaces[contact.a], folder) if general else ()
        pair = contact.to_pair(shapes[0], shapes[1], name, groups)
        record.active, record.skin = (
            int(contact.active),
            2.0 * pair.skin,
        )  # measured: longer lists, rebuilt half as often, are faster
        record.at_state = at_state.get(name, -1)
        record.half_wall = 0.5 * min(map(thickness_of, shapes))
        record.smallest_radius = min(map(radius_of, shapes))
        record.strength = contact.layer.strength or math.inf
        record.resolved_force = contact.resolved_force if contact.quadrature == "cells" else 0.0
        contact_pairs.append(pair)
    return pairs, contact_pairs


def thickness_of(shape: Profile | Solid) -> float:
    """Return the smallest thickness [m] of the walls of a surface or solid."""
    return wall_thickness(shape) if isinstance(shape, Profile) else _thinnest_wall(shape)


@functools.lru_cache(maxsize=64)
def _thinnest_wall(solid: Solid) -> float:
    return thinnest_wall(solid).thickness


def radius_of(shape: Profile | Solid) -> float:
    """Return the smallest radius [m] of the convex arcs of a surface, or of the rounded faces of a solid."""
    return smallest_radius(shape) if isinstance(shape, Profile) else smallest_convex_radius(shape)


def face_groups(surface: Surface, folder: Path) -> tuple[tuple[int, ...], ...]:
    """Return the faces of the zones of a general surface that have some, in the order of its zones."""
    zones = surface.solid_zones(folder).values()
    return tuple(zone.faces for zone in zones if zone.faces is not None)


def refuse_overlap(system: System, depths: list[float]) -> None:
    """Raise `InputError` where an active contact is too deep [m] at the start: its surfaces are inside each other."""
    problems = [
        Problem(
            field=f"contacts.{name}",
            message=f"The surfaces are {depth * 1e3:.3g} mm inside each other at the start; "
            f"at most {MAX_OVERLAP * 1e3:g} mm is allowed.",
            hint="Move the bodies apart, or reverse the profile whose material is on the wrong side; of a file, choose "
            "the other `side`.",
        )
        for name, depth in zip(system.contacts, depths)
        if depth > MAX_OVERLAP
    ]
    if problems:
        raise InputError(*problems)
