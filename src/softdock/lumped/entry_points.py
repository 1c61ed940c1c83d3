"""Entry points of the kernels of mass chains."""

from softdock.lumped.kernels import motion
from softdock.lumped.kernels import run as loop
from softdock.lumped.kernels.polynomial import COLUMNS
from softdock.native.argument_types import FLOAT, INTEGER, Structure, floats, integers
from softdock.native.entry_point import EntryPoint

CHAIN = Structure(motion.Chain, {"line": floats(4, "masses"), "touching": INTEGER, "gap": FLOAT})
INTERFACE = Structure(
    motion.Interface,
    dict.fromkeys(motion.Interface._fields, FLOAT) | {"jams": INTEGER},
)
WORK = Structure(
    motion.Work,
    {
        "q": floats("coordinates", COLUMNS),
        "c": floats(5, COLUMNS),
        "state": integers(motion.STATES),
        "books": floats("books"),
        "rows": floats("rows", "columns"),
        "marks": floats("marks", 2),
    },
)

run = EntryPoint(loop.run, CHAIN, INTERFACE, WORK, FLOAT, INTEGER, FLOAT, FLOAT)
shortest_step = EntryPoint(motion.shortest_step, CHAIN, INTERFACE, returns=FLOAT)

ENTRY_POINTS = (run, shortest_step)
