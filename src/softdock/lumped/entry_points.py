"""Entry points of the kernels of mass chains."""

from softdock.lumped.kernels import motion, peaks, rows, time_loop
from softdock.lumped.kernels.polynomial import COLUMNS
from softdock.native.argument_types import FLOAT, INTEGER, StructureArgument, floats, integers
from softdock.native.entry_point import EntryPoint

CHAIN = StructureArgument(
    motion.ChainArrays, {"line": floats(4, "masses"), "touching": INTEGER, "gap": FLOAT}
)
INTERFACE = StructureArgument(
    motion.InterfaceLaw,
    dict.fromkeys(motion.InterfaceLaw._fields, FLOAT) | {"jams": INTEGER},
)
WORK = StructureArgument(
    motion.ChainWork,
    {
        "q": floats("coordinates", COLUMNS),
        "c": floats(motion.SERIES_COUNT, COLUMNS),
        "state": integers(motion.STATE_SIZE),
        "totals": floats("totals"),
        "rows": floats("rows", "columns"),
        "events": floats("events", 2),
        "sizes": floats("reactions"),
        "peaks": floats("reactions", "columns"),
    },
)


def _check_sizes(
    chain: motion.ChainArrays, law: motion.InterfaceLaw, work: motion.ChainWork, *_: float
) -> str | None:
    """Return what is wrong with the sizes of the memory for a chain."""
    n = chain.line.shape[1]
    needed = {"q": 2 * n, "totals": motion.VELOCITIES_AFTER + n, "sizes": n + peaks.EXTRA_PEAKS}
    for name, size in needed.items():
        if len(getattr(work, name)) != size:
            return f"work.{name} has {len(getattr(work, name))} rows, {size} are needed"
    if work.rows.shape[1] != rows.ROW_STATE + 2 * n:
        return f"work.rows has {work.rows.shape[1]} columns, {rows.ROW_STATE + 2 * n} are needed"
    return None if 0 <= chain.touching < n else f"chain.touching is {chain.touching}, of {n} masses"


run = EntryPoint(time_loop.run, CHAIN, INTERFACE, WORK, FLOAT, INTEGER, FLOAT, FLOAT, check=_check_sizes)
shortest_step = EntryPoint(motion.shortest_step, CHAIN, INTERFACE, returns=FLOAT)

ENTRY_POINTS = (run, shortest_step)
