"""Entry points of the multibody kernels."""

import numpy as np

from softdock.contact.entry_points import CONTACT_ARRAYS, CONTACT_LISTS, check_lists
from softdock.contact.kernels import bristle
from softdock.dynamics.kernels.channels import channels, formulas
from softdock.dynamics.kernels.control import controllers, gnc_records
from softdock.dynamics.kernels.forces import bonds, contacts, interfaces, linear, reactions
from softdock.dynamics.kernels.forces import derivative as motion
from softdock.dynamics.kernels.integration import force_errors, stepping
from softdock.dynamics.kernels.recording import run_data
from softdock.dynamics.kernels.run import (
    conservation,
    docking_motion,
    plant,
    reaction_peaks,
    run_start,
    run_summary,
    time_loop,
)
from softdock.dynamics.kernels.search import events, intervals, step_search, windows
from softdock.elements.kernels import dispatch, tangents
from softdock.elements.kernels.records import ELEMENT, ELEMENT_DATA
from softdock.gnc.kernels.allocation import EXTRA_COLUMNS, TABLEAU_ROWS
from softdock.native.argument_types import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    Memory,
    RecordArgument,
    StructureArgument,
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
        int(run.settings["watched"][0]),
        int(run.settings["searched"][0]),
        len(run.channels),
    )
    if not 0 <= watched <= searched <= channels or searched != len(run.workspace.search.wanted):
        return f"{watched} of {channels} channels are watched and {searched} searched"
    if run.record.shape[1] != 1 + channels:
        return f"the record has {run.record.shape[1]} columns, {1 + channels} are needed"
    return _check_states(run.system, run.y)


MODEL, DATA, ROWS, SCRATCH = Memory.MODEL, Memory.DATA, Memory.ROWS, Memory.SCRATCH
GNC = StructureArgument(
    gnc_records.GncRecords,
    {
        "controllers": records(gnc_records.CONTROLLER, "controllers", memory=MODEL),
        "navigation": records(gnc_records.NAVIGATION, "navigation", memory=MODEL),
        "thrusters": records(gnc_records.THRUSTER, "thrusters", memory=MODEL),
        "wheels": records(gnc_records.WHEEL, "wheels", memory=MODEL),
        "holds": records(gnc_records.HOLD_POINT, "hold points", memory=MODEL),
        "effects": floats("controllers", 6, "thruster columns", memory=MODEL),
        "costs": floats("controllers", "thruster columns", memory=MODEL),
        "longest": floats("controllers", "thruster columns", memory=MODEL),
        "controller_states": records(gnc_records.CONTROLLER_STATE, "controllers", memory=DATA),
        "navigation_states": records(gnc_records.NAVIGATION_STATE, "navigation", memory=DATA),
        "thruster_states": records(gnc_records.THRUSTER_STATE, "thrusters", memory=DATA),
        "on_times": floats("thruster columns", memory=SCRATCH),
        "demand": floats(6, memory=SCRATCH),
        "transition": floats(6, 6, memory=SCRATCH),
        "tableau": floats(TABLEAU_ROWS, "tableau columns", memory=SCRATCH),
    },
    _check_gnc,
)
LAWS = StructureArgument(
    dispatch.Laws,
    {name: records(dtype, f"{name} elements", memory=MODEL) for name, dtype in dispatch.LAWS.items()},
)
STATES = StructureArgument(
    dispatch.States,
    {name: records(dtype, f"{name} elements", memory=DATA) for name, dtype in dispatch.STATES.items()},
)
SYSTEM = StructureArgument(
    motion.SystemRecords,
    {
        "world": records(motion.WORLD, 1, memory=MODEL),
        "links": records(tree.LINK, "links", memory=MODEL),
        "groups": records(tree.GROUP, "groups", memory=MODEL),
        "tiles": records(tree.TILE, "tiles", memory=MODEL),
        "appendages": records(appendages.APPENDAGE, "appendages", memory=MODEL),
        "modes": records(appendages.MODE, "modes", memory=MODEL),
        "nodes": records(appendages.NODE, "structure nodes", memory=MODEL),
        "shapes": floats("shape rows", 6, memory=MODEL),
        "orbit": records(orbit.ORBIT, "orbits", memory=MODEL),
        "plates": records(orbit.PLATE, "plates", memory=MODEL),
        "tables": floats("table rows", 2, memory=MODEL),
        "pairs": records(contacts.PAIR, "contacts", memory=MODEL),
        "arrays": CONTACT_ARRAYS,
        "interfaces": records(interfaces.INTERFACE, "interfaces", memory=MODEL),
        "pins": records(interfaces.PIN, "pins", memory=MODEL),
        "reactions": records(reactions.REACTION, "reactions", memory=MODEL),
        "items": records(reactions.ITEM, "items beyond mounts", memory=MODEL),
        "elements": records(ELEMENT, "elements", memory=MODEL),
        "laws": LAWS,
        "formulas": records(formulas.NODE, "formula nodes", memory=MODEL),
        "counters": records(motion.COUNTERS, 1, memory=DATA),
        "element_data": records(ELEMENT_DATA, "elements", memory=DATA),
        "states": STATES,
        "motions": records(tree.LINK_MOTION, "links", memory=DATA),
        "axes": records(tree.AXIS, "axes", memory=DATA),
        "group_motions": records(tree.GROUP_MOTION, "groups", memory=DATA),
        "tile_inertias": records(tree.TILE_INERTIA, "tile inertias", memory=DATA),
        "held_inertia": floats("axes", "axes", memory=DATA),
        "appendage_motions": records(appendages.APPENDAGE_MOTION, "appendages", memory=DATA),
        "mode_forces": records(appendages.MODE_FORCE, "modes", memory=DATA),
        "orbit_motion": records(orbit.ORBIT_MOTION, "orbits", memory=DATA),
        "pair_states": records(contacts.PAIR_STATE, "contacts", memory=DATA),
        "bonds": records(bonds.BOND, "bonds", memory=DATA),
        "lists": CONTACT_LISTS,
        "interface_states": records(interfaces.INTERFACE_STATE, "interfaces", memory=DATA),
        "reaction_wrenches": records(reactions.REACTION_WRENCH, "reactions", memory=DATA),
        "formula_values": records(formulas.NODE_VALUE, "formula nodes", memory=DATA),
        "locks": floats("lock rows", "lock columns", memory=DATA),
        "gnc": GNC,
    },
    _check_system,
)
LINEAR = StructureArgument(
    tangents.Linear,
    {
        "inertia": floats("speeds", "width", memory=DATA),
        "stiffness": floats("speeds", "width", memory=DATA),
        "damping": floats("speeds", "width", memory=DATA),
        "inverse": floats("speeds", "width", memory=DATA),
        "base_motion": floats("linear links", 6, "width", memory=DATA),
        "K": floats("connections", 6, 6, memory=DATA),
        "D": floats("connections", 6, 6, memory=DATA),
        "jacobians": floats("connections", 6, "width", memory=DATA),
        "momentum_maps": floats("connections", 6, "width", memory=DATA),
        "frames": floats("connections", 12, memory=DATA),
        "connections": integers("connections", 3, memory=DATA),
        "force_rate": floats("speeds", memory=DATA),
        "delays": integers("speeds", memory=DATA),
        "held": integers("speeds", memory=DATA),
        "slowdowns": floats("speeds", tangents.SLOWDOWN_COLUMNS, memory=DATA),
        "work": floats(3, "width", memory=DATA),
        "products": floats(6, "width", memory=DATA),
        "displacements": floats("connections", 6, memory=SCRATCH),
        "bristles": floats("connections", bristle.BRISTLE_STATES, 6, memory=SCRATCH),
        "bristle_states": integers("connections", memory=SCRATCH),
        "bristle_decays": floats("connections", memory=SCRATCH),
        "bristle_offsets": floats("connections", bristle.BRISTLE_STATES, memory=SCRATCH),
        "wrench": floats(2, 6, memory=SCRATCH),
    },
)
_STATE = floats("states")
_VALUES = floats("channels")
SEARCH = StructureArgument(
    run_data.Search,
    {
        "instants": floats(intervals.STACK_SIZE, memory=SCRATCH),
        "division_points": floats(intervals.STACK_SIZE, memory=SCRATCH),
        "values": floats(intervals.STACK_SIZE, "searched", memory=SCRATCH),
        "downs": floats(intervals.STACK_SIZE, "searched", memory=SCRATCH),
        "ups": floats(intervals.STACK_SIZE, "searched", memory=SCRATCH),
        "turns": floats("searched", memory=SCRATCH),
        "wanted": integers("searched", memory=DATA),
        "motion": floats("links", motion_bounds.MOTION_BOUNDS, memory=SCRATCH),
        "needed": integers("links", memory=MODEL),
        "reactions": integers("searched_reactions", memory=MODEL),
        "means": floats(2, "searched", memory=SCRATCH),
    },
)
WORKSPACE = StructureArgument(
    run_data.Workspace,
    {
        "k": floats(stepping.END + 1, "states", memory=DATA),
        "y_new": floats("states", memory=SCRATCH),
        "y_stage": floats("states", memory=SCRATCH),
        "dense": floats(5, "states", memory=DATA),
        "tolerance": floats("states", memory=DATA),
        "error": floats("states", memory=SCRATCH),
        "axis_errors": floats("axes", force_errors.AXIS_ERROR_COLUMNS, memory=DATA),
        "captured": floats("states", memory=DATA),
        "pending": floats("states", memory=DATA),
        "start": floats("channels", memory=DATA),
        "previous": floats("channels", memory=DATA),
        "early": floats("channels", memory=SCRATCH),
        "late": floats("channels", memory=SCRATCH),
        "end": floats("channels", memory=DATA),
        "values": floats("channels", memory=DATA),
        "conserved": records(conservation.CONSERVED, conservation.STATES, memory=DATA),
        "check": records(conservation.CHECK, 1, memory=DATA),
        "linear": LINEAR,
        "search": SEARCH,
    },
)
INPUTS = StructureArgument(
    run_data.Inputs,
    {
        "records": records(run_data.INPUT, "inputs", memory=MODEL),
        "values": floats("inputs", memory=DATA),
        "applied": floats("inputs", memory=DATA),
    },
)
RUN = StructureArgument(
    run_data.RunData,
    {
        "system": SYSTEM,
        "workspace": WORKSPACE,
        "channels": records(channels.CHANNEL, "channels", memory=MODEL),
        "resolutions": records(channels.RESOLUTION, "channels", memory=DATA),
        "peaks": records(channels.PEAK, "channels", memory=DATA),
        "events": records(events.EVENT, "events", memory=MODEL),
        "event_states": records(events.EVENT_STATE, "events", memory=DATA),
        "actions": records(events.ACTION, "actions", memory=MODEL),
        "windows": records(windows.WINDOW, "windows", memory=MODEL),
        "window_states": records(windows.WINDOW_STATE, "windows", memory=DATA),
        "breaks": floats("breaks", memory=MODEL),
        "settings": records(run_data.RUN_SETTINGS, 1, memory=MODEL),
        "progress": records(run_data.PROGRESS, 1, memory=DATA),
        "y": floats("states", memory=DATA),
        "record": floats("rows", "columns", memory=ROWS),
        "log": floats("log rows", 2, memory=ROWS),
        "accuracies": floats("described states", memory=MODEL),
        "start_points": records(run_start.START_POINT, "contacts", memory=MODEL),
        "enclosed": floats("contacts", memory=DATA),
        "observed_reactions": records(reaction_peaks.OBSERVED_REACTION, "observed reactions", memory=MODEL),
        "reaction_peaks": floats("observed reactions", 2, reaction_peaks.PEAK_COLUMNS, memory=DATA),
        "docking_frames": records(docking_motion.DOCKING_FRAME, "docking frames", memory=MODEL),
        "docking_motion": floats(docking_motion.MOTION_SIZE, memory=DATA),
        "overlaps": floats("contacts", memory=DATA),
        "pin_overlaps": floats("interfaces", memory=DATA),
        "summary": records(run_summary.SUMMARY, 1, memory=DATA),
        "inputs": INPUTS,
    },
    _check_run,
)

derivative = EntryPoint(motion.derivative, SYSTEM, FLOAT, _STATE, _STATE, separate=True, check=_check_states)
write_undeformed = EntryPoint(appendages.write_undeformed, SYSTEM)
set_motion = EntryPoint(motion.set_motion, SYSTEM, _STATE, separate=True, check=_check_states)
impose_locks = EntryPoint(motion.impose_locks, SYSTEM, _STATE, separate=True, check=_check_states)
impulse_response = EntryPoint(impulse.impulse_response, SYSTEM, _STATE, _STATE, check=_check_states)
linearise = EntryPoint(linear.linearise, SYSTEM, FLOAT, _STATE, LINEAR, separate=True, check=_check_states)
refresh_lists = EntryPoint(
    contacts.refresh_lists, SYSTEM, BOOLEAN, FLOAT, returns=Tuple((INTEGER, FLOAT)), separate=True
)
apply_contacts = EntryPoint(
    contacts.apply_contacts, SYSTEM, _STATE, _STATE, returns=FLOAT, separate=True, check=_check_states
)
apply_interfaces = EntryPoint(interfaces.apply_interfaces, SYSTEM, returns=FLOAT, separate=True)
write_conserved = EntryPoint(
    conservation.write_conserved, SYSTEM, _STATE, BOOLEAN, RecordArgument(conservation.CONSERVED), separate=True,
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
advance_plant = EntryPoint(plant.advance_plant, RUN, returns=INTEGER)
observe_plant = EntryPoint(plant.observe_plant, RUN, returns=BOOLEAN)

ENTRY_POINTS = (
    derivative, write_undeformed, set_motion, impose_locks, impulse_response, linearise, refresh_lists, apply_contacts,
    apply_interfaces, write_conserved, operate_controllers, read_channels, search_step, begin_run, observe, finish_run,
    advance_run, advance_plant, observe_plant,
)  # fmt: skip
