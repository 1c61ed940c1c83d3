"""Entry points of the multibody kernels."""

from softdock.contact.entry_points import CONTACT_ARRAYS, CONTACT_LISTS
from softdock.multibody.kernels import (
    appendages,
    channels,
    conservation,
    contacts,
    elements,
    events,
    impulse,
    integrate,
    interfaces,
    linear,
    motion_bounds,
    orbit,
    step_search,
    tree,
)
from softdock.multibody.kernels import (
    derivative as motion,
)
from softdock.native.argument_types import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    Structure,
    Tuple,
    floats,
    integers,
    records,
)
from softdock.native.entry_point import EntryPoint


def _check_lists(system: motion.Machine) -> str | None:
    """Return what is wrong with the sizes of the near lists; None if nothing is."""
    needed = len(system.arrays.nodes) + len(system.arrays.roots)
    given = len(system.lists.far)
    return None if given >= needed else f"lists.far has {given} entries, {needed} are needed"


_LINKS = records(tree.LINK, "links")
_PAIRS = records(contacts.PAIR, "contacts")
_INTERFACES = records(interfaces.INTERFACE, "interfaces")
_PINS = records(interfaces.PIN, "pins")
SYSTEM = Structure(
    motion.Machine,
    {
        "links": _LINKS,
        "axes": records(tree.AXIS, "axes"),
        "elements": records(elements.ELEMENT, "elements"),
        "tables": floats("table rows", 2),
        "pairs": _PAIRS,
        "arrays": CONTACT_ARRAYS,
        "lists": CONTACT_LISTS,
        "world": records(motion.WORLD, 1),
        "appendages": records(appendages.APPENDAGE, "appendages"),
        "modes": records(appendages.MODE, "modes"),
        "nodes": records(appendages.NODE, "structure nodes"),
        "shapes": floats("shape rows", 6),
        "locks": floats("lock rows", "lock columns"),
        "orbit": records(orbit.ORBIT, "orbits"),
        "plates": records(orbit.PLATE, "plates"),
        "interfaces": _INTERFACES,
        "pins": _PINS,
        "groups": records(tree.GROUP, "groups"),
        "tiles": records(tree.TILE, "tiles"),
    },
    _check_lists,
)
_COUPLING = floats("couplings", 6, 6)
_MAP = floats("couplings", 6, "width")
_SPEEDS = floats("speeds", "width")
LINEAR = Structure(
    linear.Linear,
    {
        "inertia": _SPEEDS,
        "stiffness": _SPEEDS,
        "damping": _SPEEDS,
        "inverse": _SPEEDS,
        "flow": floats("linear links", 6, "width"),
        "K": _COUPLING,
        "D": _COUPLING,
        "ways": _MAP,
        "maps": _MAP,
        "frames": floats("couplings", 12),
        "coupled": integers("couplings", 3),
        "work": floats(4, "width"),
        "wrench": floats(2, 6),
    },
)
_STATE = floats("states")
_VALUES = floats("channels")
_CHANNELS = records(channels.CHANNEL, "channels")
_OPTIONS = records(integrate.OPTIONS, 1)
SEARCH = Structure(
    step_search.Search,
    {
        "instants": floats(step_search.LEVELS),
        "divides": floats(step_search.LEVELS),
        "values": floats(step_search.LEVELS, "watched"),
        "downs": floats(step_search.LEVELS, "watched"),
        "ups": floats(step_search.LEVELS, "watched"),
        "turns": floats("watched"),
        "wanted": integers("watched"),
        "motion": floats("links", motion_bounds.MOTION_BOUNDS),
        "needed": integers("links"),
    },
)
WORKSPACE = Structure(
    integrate.Workspace,
    {
        "k": floats(7, "states"),
        "y_new": _STATE,
        "y_stage": _STATE,
        "dense": floats(5, "states"),
        "tolerance": _STATE,
        "start": _VALUES,
        "early": _VALUES,
        "late": _VALUES,
        "end": _VALUES,
        "values": _VALUES,
        "ledger": floats(motion.BOOKS),
        "check": floats(3, conservation.COLUMNS),
        "linear": LINEAR,
        "search": SEARCH,
    },
)

derivative = EntryPoint(motion.derivative, SYSTEM, FLOAT, _STATE, _STATE, separate=True)
set_motion = EntryPoint(motion.set_motion, SYSTEM, _STATE, separate=True)
strike = EntryPoint(motion.strike, SYSTEM, _STATE, separate=True)
respond = EntryPoint(impulse.respond, SYSTEM, _STATE, _STATE)
linearise = EntryPoint(linear.linearise, SYSTEM, FLOAT, _STATE, LINEAR, separate=True)
books = EntryPoint(motion.books, SYSTEM, _STATE, floats(motion.BOOKS), separate=True)
refresh_lists = EntryPoint(
    contacts.refresh_lists, _LINKS, _PAIRS, CONTACT_ARRAYS, CONTACT_LISTS, BOOLEAN, FLOAT,
    returns=Tuple((INTEGER, FLOAT)), separate=True,
)  # fmt: skip
apply_contacts = EntryPoint(
    contacts.apply_contacts, _LINKS, _PAIRS, CONTACT_ARRAYS, CONTACT_LISTS, returns=FLOAT
)
apply_interfaces = EntryPoint(
    interfaces.apply_interfaces, _LINKS, _INTERFACES, _PINS, floats("power"), separate=True
)
compare_with_start = EntryPoint(
    conservation.compare_with_start, SYSTEM, _STATE, floats(3, conservation.COLUMNS), separate=True
)
observe = EntryPoint(integrate.observe, SYSTEM, WORKSPACE, _CHANNELS, _OPTIONS, _STATE)
run = EntryPoint(
    integrate.run, SYSTEM, WORKSPACE, _CHANNELS, records(events.EVENT, "events"),
    records(events.ACTION, "actions"), floats("breaks"), _OPTIONS, _STATE, floats("rows", "columns"),
    floats("log rows", 2), returns=INTEGER,
)  # fmt: skip

ENTRY_POINTS = (
    derivative, set_motion, strike, respond, linearise, books, refresh_lists, apply_contacts, apply_interfaces,
    compare_with_start, observe, run,
)  # fmt: skip
