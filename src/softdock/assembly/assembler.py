"""Conversion of a model to the arrays of the dynamics: the layout, then all numbers."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly, element_fields, state, with_copies
from softdock.assembly.elements import (
    ElementArrays,
    element_arrays,
)
from softdock.assembly.initial_motion import free_state, in_motion, with_equilibrium
from softdock.assembly.layout import LayoutBuilder
from softdock.assembly.reactions import (
    body_inertia,
    has_inertia,
    reaction_names,
    write_mount_inertia,
)
from softdock.assembly.stop_balance import start_position
from softdock.dynamics.kernels.forces.derivative import EXTRA_STATES
from softdock.elements.declaration import Surroundings
from softdock.elements.kernels.dispatch import Laws, States
from softdock.elements.registry import ELEMENT_KINDS, kind_of
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.model.changed_members import ChangedMembers
from softdock.model.system import System
from softdock.tree import joints as j
from softdock.tree.indices import StateKind
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]
T = TypeVar("T", Laws, States)
Vector = tuple[float, float, float]


def assemble(system: System) -> Assembly:
    """Return the arrays of a system and its initial state: the layout, then all numbers."""
    return write_numbers(LayoutBuilder(system).finish(), system)


FIXED = (
    "structures", "orbit", "reactions", *(kind.group for kind in ELEMENT_KINDS.values() if not kind.replaceable),
)  # fmt: skip
"""Groups of members whose numbers are part of the layout."""


def has_layout_of(system: System, changed: ChangedMembers) -> bool:
    """Return whether a system keeps the layout of another one from which it differs in numbers of some members."""
    moved = changed.names("bodies", "joint")
    return not changed.affects(*FIXED) and all(
        isinstance(system.bodies[name].joint, j.Free) for name in moved
    )


def write_numbers(layout: Assembly, system: System, changed: ChangedMembers | None = None) -> Assembly:
    """Return a copy of a layout with the numbers of a system, and its initial state.

    With `changed`, the layout has the numbers of a system that differs in these members only; the result has the same
    bits.
    """
    links, world = map(k.copy_records, (layout.links, layout.world))
    n_q = len(layout.state_kinds) - EXTRA_STATES - len(layout.velocities)
    q, u = layout.y[:n_q].copy(), layout.velocities.copy()
    if layout.attached:
        q[layout.state_kinds[:n_q] == StateKind.MODAL] = 0.0
    # Bodies on the arm of a robot have no place before the arm is added.
    placed = [name for name in system.bodies if name in layout.placed]
    moved: set[str] = set()
    for name in placed if changed is None else _balanced_joints(system, changed):
        joint, at = system.bodies[name].joint, layout.joints[name].at_q
        if len(joint.motions) == 1:
            q[at] = start_position(system, name, *joint.axes_at_start())
            if q[at] != layout.y[at]:
                moved.add(name)
    for name in placed if changed is None else changed.names("bodies", "joint"):
        joint, place = system.bodies[name].joint, layout.joints[name]
        if isinstance(joint, j.Free):
            q[place.at_q : place.at_q + 7], u[place.at_u : place.at_u + 6] = free_state(joint, system)
    heavier = placed if changed is None else changed.names("bodies", "mass", "centre_of_mass", "inertia")
    for link in sorted({layout.placed[name].link for name in heavier}):
        _write_link_inertia(links, link, layout, system)
    world.view(np.ndarray)["gravity"] = system.gravity
    written = replace(
        layout,
        system=system,
        links=links,
        world=world,
        velocities=u,
        reactions=_update_mounts(layout, system, heavier) if changed else layout.reactions,
        y=state(q, np.zeros(len(u))),
        **_written_elements(layout, system, q, u, changed, moved),
    )
    return with_equilibrium(in_motion(written, q))


def _balanced_joints(system: System, changed: ChangedMembers) -> set[str]:
    """Return the bodies with springs and stops along their joints of which numbers change; see `start_position`."""
    groups = (kind_of(model)[1].group for model in (Spring, Stop))
    return {getattr(system, group)[name].joint for group in groups for name in changed.names(group)}


def _written_elements(
    layout: Assembly, system: System, q: Floats, u: Floats, changed: ChangedMembers | None, moved: set[str]
) -> dict[str, Any]:
    """Return the fields of elements of an assembly: all of them, or copies with those that changed.

    Elements along the joints of bodies in `moved` are written again, too: a changed spring or stop has moved the start
    of the joint.
    """
    around = Surroundings(placed=layout.placed, joints=layout.joints, q=q, u=u, flexible=layout.flexible)
    indices = layout.element_states
    if changed is None:
        arrays = element_arrays(system, indices, around)
        tables = np.array(around.tables, float).reshape(-1, 2)
        breaks = np.unique(tables[np.isfinite(tables[:, 0]), 0])
        index = {name: i for i, name in enumerate(system.elements())}
        return element_fields(arrays) | {"element_index": index, "tables": tables, "breaks": breaks}
    written: dict[str, set[str]] = {}
    for key, kind in ELEMENT_KINDS.items():
        names = set(changed.names(kind.group))
        if moved:
            elements = getattr(system, kind.group)
            names |= {name for name, element in elements.items() if getattr(element, "joint", None) in moved}
        if names:
            written[key] = names
    if not written:
        return {}
    arrays = _copied_elements(layout, written)
    for key, names in written.items():
        for name in names:
            element = getattr(system, ELEMENT_KINDS[key].group)[name]
            arrays.fill(layout.element_index[name], element, indices.get(name, -1), around)
    return element_fields(arrays)


def _copied_elements(assembly: Assembly, kinds: Collection[str]) -> ElementArrays:
    """Return the records of all elements, with copies of those that are written for elements of some kinds."""
    return ElementArrays(
        elements=k.copy_records(assembly.elements),
        data=k.copy_records(assembly.element_data),
        laws=with_copies(assembly.laws, kinds),
        states=with_copies(assembly.states, kinds),
    )


def _update_mounts(layout: Assembly, system: System, changed: Iterable[str]) -> np.recarray:
    """Return the reactions with the inertias beyond those mounts that carry a body with another inertia."""
    rows = sorted({row for body in changed for row in layout.mounted.get(body, ())})
    if not rows:
        return layout.reactions
    reactions, bodies = k.copy_records(layout.reactions), list(reaction_names(system, layout.placed).values())
    for row in rows:
        write_mount_inertia(reactions[row], system, bodies[row], layout.placed, layout.attached)
    return reactions


def _write_link_inertia(links: np.recarray, link: int, layout: Assembly, system: System) -> None:
    """Write the inertia of a link: the sum over its bodies and structures."""
    own = np.zeros(10)
    for name, placed in layout.placed.items():
        if placed.link == link and name in system.bodies and has_inertia(system.bodies[name]):
            own += body_inertia(placed.X_LB, system.bodies[name])
    for attached in layout.attached:
        if attached.link == link:
            own += attached.own()
    links.view(np.ndarray)["own"][link] = own
