"""From surfaces and contacts to the records that the kernels read, and where contacts first touch."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import Assembly
from softdock.assembly.channels import channel_records
from softdock.contact.kernels.layout import ENERGY, FORCE, TORQUE
from softdock.contact.pair import ContactPair
from softdock.dynamics.impulse import Impact
from softdock.dynamics.kernels import events as e
from softdock.dynamics.kernels.contacts import PAIR
from softdock.dynamics.kernels.tree import records
from softdock.dynamics.session import Ending
from softdock.dynamics.settings import Settings
from softdock.dynamics.simulation import Simulation
from softdock.errors import InputError, Problem
from softdock.geometry.walls import smallest_radius, wall_thickness
from softdock.model.observations import Observation
from softdock.model.system import System

Floats = NDArray[np.float64]
MOST_OVERLAP = 1e-3  # [m] a contact may start pressed, but not inside a wall
FIRST_FORCE = 1e-6  # [N] far below any force of interest: the bodies have only just met


@dataclass(frozen=True, kw_only=True)
class Touch:
    """Where and how two bodies first meet; vectors in N."""

    contact: str
    time: float
    state: Floats
    a: int
    b: int
    """Links that carry the surfaces."""
    point: Floats
    normal: Floats
    """Direction in which b is pushed."""
    pair: ContactPair
    pressed: "Callable[[float], float]"
    """Elastic energy [J] of the contact when the bodies are brought together by a depth [m] from here."""


def pair_records(system: System, assembly: Assembly, folder: Path) -> tuple[np.recarray, list[ContactPair]]:
    """Return one record and one contact pair for every contact; files start from `folder`."""
    pairs = records(len(system.contacts), PAIR)
    contact_pairs = []
    for record, (name, contact) in zip(pairs, system.contacts.items()):
        profiles = []
        for side, link, frame in ((contact.a, "a", "A"), (contact.b, "b", "B")):
            surface = system.surfaces[side]
            profile, X_BS = surface.read(folder)
            placed = assembly.placed[surface.body]
            X_LS = placed.X_LB @ X_BS
            record[link] = placed.link
            record[f"R_{link}{frame}"] = X_LS.R.ravel()
            record[f"p_{link}{frame}"] = X_LS.p
            profiles.append(profile)
        pair = contact.to_pair(profiles[0], profiles[1], name)
        record.active, record.skin = int(contact.active), 2.0 * pair.skin  # measured: twice as long lists pay
        record.half_wall = 0.5 * min(wall_thickness(profile) for profile in profiles)
        record.smallest_radius = min(smallest_radius(profile) for profile in profiles)
        record.strength = contact.layer.strength or math.inf
        record.resolved_force = contact.resolved_force if contact.quadrature == "cells" else 0.0
        contact_pairs.append(pair)
    return pairs, contact_pairs


def refuse_overlap(system: System, depths: list[float]) -> None:
    """Raise `InputError` where an active contact is too deep [m] at the start: its surfaces are inside each other."""
    problems = [
        Problem(
            field=f"contacts.{name}",
            message=f"The surfaces are {depth * 1e3:.3g} mm inside each other at the start; "
            f"at most {MOST_OVERLAP * 1e3:g} mm is allowed.",
            hint="Move the bodies apart.",
        )
        for name, depth in zip(system.contacts, depths)
        if depth > MOST_OVERLAP
    ]
    if problems:
        raise InputError(*problems)


def first_touch(system: System, assembly: Assembly, folder: Path, duration: float) -> Touch | None:
    """Let the system move until a contact begins to push; None where none does."""
    pairs, contact_pairs = pair_records(system, assembly, folder)
    names = list(system.contacts)
    channels = channel_records(system, assembly, [Observation(name=name, field="force") for name in names])
    events = records(len(names), e.EVENT)
    events.channel, events.first_action = np.arange(len(names)), 0
    events.threshold, events.direction, events.actions = FIRST_FORCE, 1, 1
    events.armed = events.fresh = events.once = 1
    stop = records(1, e.ACTION)
    stop.kind = e.STOP
    run = Simulation(
        assembly=assembly,
        settings=Settings(duration=duration, record_rate=0.0, record_contact=False),
        channels=channels,
        events=events,
        actions=stop,
        pairs=pairs,
        contact_pairs=contact_pairs,
    ).run()
    if run.ending is not Ending.STOPPED or run.stop_event is None:
        return None
    pair = run.pairs[run.stop_event]
    impact = Impact(assembly, run.state)
    link = impact.links[pair.a]
    base = impact.links[link.root]
    R_NA = base.R_NB.reshape(3, 3) @ link.R.reshape(3, 3) @ pair.R_aA.reshape(3, 3)
    p_NA = base.p_NB + base.R_NB.reshape(3, 3) @ (link.p + link.R.reshape(3, 3) @ pair.p_aA)
    force, torque = pair.out[FORCE : FORCE + 3], pair.out[TORQUE : TORQUE + 3]
    if not force.any():
        return None  # a graze: it touched inside the last step and is free again at its end
    on_line = np.cross(force, torque) / (
        force @ force
    )  # the point of the line of action nearest to A's origin
    return Touch(
        contact=names[run.stop_event],
        time=run.time,
        state=run.state,
        a=int(pair.a),
        b=int(pair.b),
        point=p_NA + R_NA @ on_line,
        normal=R_NA @ force / np.linalg.norm(force),
        pair=contact_pairs[run.stop_event],
        pressed=_Pressed(assembly, run.state, pairs, run.stop_event, contact_pairs[run.stop_event], force),
    )


@dataclass(frozen=True)
class _Pressed:
    """One contact at a state, to be pressed by moving surface b against the force on it."""

    assembly: Assembly
    state: Floats
    pairs: np.recarray
    index: int
    pair: ContactPair
    force: Floats
    """On b, in axes of A."""

    def __call__(self, depth: float) -> float:
        pairs = records(1, PAIR)
        pairs[0] = self.pairs[self.index]
        pairs.p_aA[0] += depth * pairs.R_aA[0].reshape(3, 3) @ self.force / np.linalg.norm(self.force)
        session = Simulation(
            assembly=replace(self.assembly, y=self.state),
            settings=Settings(duration=0.0, record_rate=0.0, record_contact=False),
            pairs=pairs,
            contact_pairs=[self.pair],
        ).begin()
        return float(session.system.pairs[0].out[ENERGY])
