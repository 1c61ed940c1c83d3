"""Entry points of the multibody kernels."""

import numpy as np

from softdock.contact.entry_points import CONTACT_ARRAYS, CONTACT_LISTS, check_lists
from softdock.dynamics.kernels.channels import channels, formulas
from softdock.dynamics.kernels.control import controllers, gnc_records
from softdock.dynamics.kernels.forces import bonds, contacts, interfaces, linear, reactions
from softdock.dynamics.kernels.forces import derivative as motion
from softdock.dynamics.kernels.integration import stepping
from softdock.dynamics.kernels.recording import run_data
from softdock.dynamics.kernels.run import conservation, time_loop
from softdock.dynamics.kernels.search import events, load_search, step_search, windows
from softdock.elements.kernels import dispatch, tangents
from softdock.elements.kernels.records import ELEMENT, ELEMENT_DATA
from softdock.gnc.kernels.allocation import EXTRA_COLUMNS, TABLEAU_ROWS
from softdock.native.argument_types import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    Record,
    Structure,
    Tuple,
    floats,
    integers,
    records,
)
from softdock.native.entry_point import EntryPoint
from softdock.tree.kernels import appendages, impulse, motion_bounds, orbit, tree


def _check_gnc(gnc: gnc_records.GncRecords) -> str | None:
    """Return what is wrong with sizes of records of controllers that depend on each other; None if nothing is."""
    needed, columns = len(gnc.on_times) + EXTRA_COLUMNS, gnc.tableau.shape[1]
    return None if columns >= needed else f"the tableau has {columns} columns, {needed} are needed"


def _check_system(system: motion.SystemRecords) -> str | None:
    """Return what is wrong with sizes of a system that depend on each other; None if nothing is."""
    groups, w = len(system.groups), system.world.view(np.ndarray)[0]
    tiles = groups * (groups + 1) // 2
    if len(system.tiles) < tiles or len(system.tile_inertias) < tiles + 1:
        return f"{len(system.tiles)} tiles and {len(system.tile_inertias)} inertias for {groups} groups"
    if len(system.axes) > w["n_u"]:
        return f"{len(system.axes)} axes for {w['n_u']} momenta and speeds"
    return check_lists(system.arrays, system.lists)


def _check_states(system: motion.SystemRecords, *others: object) -> str | None:
    """Return what is wrong with the size of the states; None if nothing is."""
    w = system.world.view(np.ndarray)[0]
    n = int(w["n_q"] + w["n_u"]) + motion.EXTRA_STATES
    states = [len(value) for value in others if isinstance(value, np.ndarray) and value.dtype == np.float64]
    return (
        None if not states or states[0] in (n, n + 1) else f"a state has {states[0]} numbers, {n} are needed"
    )


def _check_run(run: run_data.RunData) -> str | None:
    """Return what is wrong with sizes of a run that depend on each other; None if nothing is."""
    watched, searched, channels = (
        int(run.state["watched"][0]),
        int(run.state["searched"][0]),
        len(run.channels),
    )
    if not 0 <= watched <= searched <= channels or searched != len(run.workspace.search.wanted):
        return f"{watched} of {channels} channels are watched and {searched} searched"
    if run.record.shape[1] != 1 + channels:
        return f"the record has {run.record.shape[1]} columns, {1 + channels} are needed"
    return _check_states(run.system, run.y)


GNC = Structure(
    gnc_records.GncRecords,
    {
        # The model.
        "controllers": records(gnc_records.CONTROLLER, "controllers"),
        "navigation": records(gnc_records.NAVIGATION, "navigation"),
        "thrusters": records(gnc_records.THRUSTER, "thrusters"),
        "wheels": records(gnc_records.WHEEL, "wheels"),
        "holds": records(gnc_records.HOLD_POINT, "hold points"),
        "effects": floats("controllers", 6, "thruster columns"),
        "costs": floats("controllers", "thruster columns"),
        "longest": floats("controllers", "thruster columns"),
        # Data.
        "controller_states": records(gnc_records.CONTROLLER_STATE, "controllers"),
        "navigation_states": records(gnc_records.NAVIGATION_STATE, "navigation"),
        "thruster_states": records(gnc_records.THRUSTER_STATE, "thrusters"),
        "on_times": floats("thruster columns"),
        "demand": floats(6),
        "transition": floats(6, 6),
        "tableau": floats(TABLEAU_ROWS, "tableau columns"),
    },
    _check_gnc,
)
LAWS = Structure(
    dispatch.Laws, {name: records(dtype, f"{name} elements") for name, dtype in dispatch.LAWS.items()}
)
STATES = Structure(
    dispatch.States, {name: records(dtype, f"{name} elements") for name, dtype in dispatch.STATES.items()}
)
SYSTEM = Structure(
    motion.SystemRecords,
    {
        # The model.
        "world": records(motion.WORLD, 1),
        "links": records(tree.LINK, "links"),
        "groups": records(tree.GROUP, "groups"),
        "tiles": records(tree.TILE, "tiles"),
        "appendages": records(appendages.APPENDAGE, "appendages"),
        "modes": records(appendages.MODE, "modes"),
        "nodes": records(appendages.NODE, "structure nodes"),
        "shapes": floats("shape rows", 6),
        "orbit": records(orbit.ORBIT, "orbits"),
        "plates": records(orbit.PLATE, "plates"),
        "tables": floats("table rows", 2),
        "pairs": records(contacts.PAIR, "contacts"),
        "arrays": CONTACT_ARRAYS,
        "interfaces": records(interfaces.INTERFACE, "interfaces"),
        "pins": records(interfaces.PIN, "pins"),
        "reactions": records(reactions.REACTION, "reactions"),
        "items": records(reactions.ITEM, "items beyond mounts"),
        "elements": records(ELEMENT, "elements"),
        "laws": LAWS,
        "formulas": records(formulas.NODE, "formula nodes"),
        # Data.
        "counters": records(motion.COUNTERS, 1),
        "element_data": records(ELEMENT_DATA, "elements"),
        "states": STATES,
        "motions": records(tree.LINK_MOTION, "links"),
        "axes": records(tree.AXIS, "axes"),
        "group_motions": records(tree.GROUP_MOTION, "groups"),
        "tile_inertias": records(tree.TILE_INERTIA, "tile inertias"),
        "appendage_motions": records(appendages.APPENDAGE_MOTION, "appendages"),
        "mode_forces": records(appendages.MODE_FORCE, "modes"),
        "orbit_motion": records(orbit.ORBIT_MOTION, "orbits"),
        "pair_states": records(contacts.PAIR_STATE, "contacts"),
        "bonds": records(bonds.BOND, "bonds"),
        "lists": CONTACT_LISTS,
        "interface_states": records(interfaces.INTERFACE_STATE, "interfaces"),
        "reaction_wrenches": records(reactions.REACTION_WRENCH, "reactions"),
        "formula_values": records(formulas.NODE_VALUE, "formula nodes"),
        "locks": floats("lock rows", "lock columns"),
        "gnc": GNC,
    },
    _check_system,
)
_CONNECTION = floats("connections", 6, 6)
_MAP = floats("connections", 6, "width")
_SPEEDS = floats("speeds", "width")
LINEAR = Structure(
    tangents.Linear,
    {
        "inertia": _SPEEDS,
        "stiffness": _SPEEDS,
        "damping": _SPEEDS,
        "inverse": _SPEEDS,
        "base_motion": floats("linear links", 6, "width"),
        "K": _CONNECTION,
        "D": _CONNECTION,
        "jacobians": _MAP,
        "momentum_maps": _MAP,
        "frames": floats("connections", 12),
        "connections": integers("connections", 3),
        "force_rate": floats("speeds"),
        "delays": integers("speeds"),
        "slowdowns": floats("speeds", tangents.SLOWDOWN_COLUMNS),
        "work": floats(3, "width"),
        "products": floats(6, "width"),
        "displacements": floats("connections", 6),
        "wrench": floats(2, 6),
    },
)
_STATE = floats("states")
_VALUES = floats("channels")
SEARCH = Structure(
    run_data.Search,
    {
        "instants": floats(load_search.MAX_INTERVALS),
        "division_points": floats(load_search.MAX_INTERVALS),
        "values": floats(load_search.MAX_INTERVALS, "searched"),
        "downs": floats(load_search.MAX_INTERVALS, "searched"),
        "ups": floats(load_search.MAX_INTERVALS, "searched"),
        "turns": floats("searched"),
        "wanted": integers("searched"),
        "motion": floats("links", motion_bounds.MOTION_BOUNDS),
        "needed": integers("links"),
        "loads": integers("loads"),
        "load_instants": floats(load_search.MAX_INTERVALS),
        "load_points": floats(load_search.MAX_INTERVALS),
        "load_values": floats(load_search.MAX_INTERVALS + 2, "searched"),
        "load_curvatures": floats(load_search.MAX_INTERVALS, "searched"),
        "means": floats(2, "searched"),
    },
)
WORKSPACE = Structure(
    run_data.Workspace,
    {
        "k": floats(stepping.END + 1, "states"),
        "y_new": _STATE,
        "y_stage": _STATE,
        "dense": floats(5, "states"),
        "tolerance": _STATE,
        "captured": _STATE,
        "pending": _STATE,
        "start": _VALUES,
        "previous": _VALUES,
        "early": _VALUES,
        "late": _VALUES,
        "end": _VALUES,
        "values": _VALUES,
        "conserved": records(conservation.CONSERVED, conservation.STATES),
        "check": records(conservation.CHECK, 1),
        "linear": LINEAR,
        "search": SEARCH,
    },
)
RUN = Structure(
    run_data.RunData,
    {
        "system": SYSTEM,
        "workspace": WORKSPACE,
        "channels": records(channels.CHANNEL, "channels"),
        "events": records(events.EVENT, "events"),
        "actions": records(events.ACTION, "actions"),
        "windows": records(windows.WINDOW, "windows"),
        "breaks": floats("breaks"),
        "state": records(run_data.RUN_STATE, 1),
        "y": _STATE,
        "record": floats("rows", "columns"),
        "log": floats("log rows", 2),
    },
    _check_run,
)

derivative = EntryPoint(motion.derivative, SYSTEM, FLOAT, _STATE, _STATE, separate=True, check=_check_states)
set_motion = EntryPoint(motion.set_motion, SYSTEM, _STATE, separate=True, check=_check_states)
impose_locks = EntryPoint(motion.impose_locks, SYSTEM, _STATE, separate=True, check=_check_states)
impulse_response = EntryPoint(impulse.impulse_response, SYSTEM, _STATE, _STATE, check=_check_states)
linearise = EntryPoint(linear.linearise, SYSTEM, FLOAT, _STATE, LINEAR, separate=True, check=_check_states)
refresh_lists = EntryPoint(
    contacts.refresh_lists, SYSTEM, BOOLEAN, FLOAT, returns=Tuple((INTEGER, FLOAT)), separate=True
)
apply_contacts = EntryPoint(contacts.apply_contacts, SYSTEM, returns=FLOAT)
apply_interfaces = EntryPoint(interfaces.apply_interfaces, SYSTEM, returns=FLOAT, separate=True)
write_conserved = EntryPoint(
    conservation.write_conserved, SYSTEM, _STATE, BOOLEAN, Record(conservation.CONSERVED), separate=True,
    check=_check_states,
)  # fmt: skip
operate_controllers = EntryPoint(
    controllers.operate_controllers,
    SYSTEM,
    FLOAT,
    _STATE,
    returns=BOOLEAN,
    separate=True,
    check=_check_states,
)
read_channels = EntryPoint(
    channels.read_channels, records(channels.CHANNEL, "channels"), INTEGER, SYSTEM, FLOAT, _STATE, _VALUES,
    separate=True,
)  # fmt: skip
search_step = EntryPoint(
    step_search.search_step, RUN, INTEGER, FLOAT, returns=Tuple((FLOAT, INTEGER)), separate=True
)
begin_run = EntryPoint(time_loop.begin_run, RUN, returns=BOOLEAN)
observe = EntryPoint(time_loop.observe, RUN)
finish_run = EntryPoint(time_loop.finish_run, RUN)
advance_run = EntryPoint(time_loop.advance_run, RUN, returns=INTEGER, separate=True)

ENTRY_POINTS = (
    derivative, set_motion, impose_locks, impulse_response, linearise, refresh_lists, apply_contacts, apply_interfaces,
    write_conserved, operate_controllers, read_channels, search_step, begin_run, observe, finish_run, advance_run,
)  # fmt: skip
