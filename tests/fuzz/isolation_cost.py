"""Cost of reading files in a child process: processor time of new files, of known files, and of the library alone.

Processor time of this process and its children is measured, because it hardly depends on the load of the machine.
"""

import io
import os
import resource
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softdock.files import array_readers, child_process
from softdock.flexible.imported_modes import _from_npz
from softdock.geometry import library_readers
from softdock.geometry.profile_cache import read_meridian
from softdock.result.storage import _read_history, _to_parquet
from softdock.simulation import simulate

REPETITIONS = 5
LARGEST_EXTRA, LARGEST_CACHED = 0.5, 0.05  # s
BUMPER = Path(__file__).parents[2] / "src/softdock/scenario/bundled/cad/bumper.step"


@dataclass(frozen=True)
class Cost:
    """Processor times of one format [s]."""

    name: str
    new: float
    """First reading, with what follows the library, such as the derivation of a meridian."""
    again: float
    """Reading of content that was read before."""
    child: float
    """Child process that calls the library."""
    library: float
    """Call of the library in this process."""

    @property
    def extra(self) -> float:
        """Processor time that the child process adds to a new file [s]."""
        return self.child - self.library


def _time(work: Callable[[], object]) -> float:
    """Return the processor time [s] of a function, children included."""

    def spent() -> float:
        return sum(
            used.ru_utime + used.ru_stime
            for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )

    begun = spent()
    work()
    return spent() - begun


def _step(folder: Path, number: int) -> tuple[Path, Callable[[Path], object], str, list[str]]:
    path = folder / f"part{number}.step"
    path.write_bytes(BUMPER.read_bytes() + b"\n" * number)  # another content, so that it is new
    return path, read_meridian, library_readers.STEP, []


def _archive(folder: Path, number: int) -> tuple[Path, Callable[[Path], object], str, list[str]]:
    path = folder / f"modes{number}.npz"
    names = ("names", "positions", "frequency", "shapes", "mass")
    np.savez(path, **{name: np.full(10, number) for name in names})
    return path, _from_npz, array_readers.NPZ, list(names)


def _history(folder: Path, number: int) -> tuple[Path, Callable[[Path], object], str, list[str]]:
    path = folder / f"history{number}.parquet"
    history = simulate("impact-a").history
    history.time[0] = -1e-9 * number
    path.write_bytes(_to_parquet(history))
    return path, lambda path: _read_history(path, path.read_bytes()), array_readers.PARQUET, []


FORMATS = {"STEP": _step, "NumPy archive": _archive, "Parquet": _history}


def costs() -> list[Cost]:
    """Measure all formats; the smallest of some repetitions counts."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        os.environ["SOFTDOCK_CACHE_DIR"] = str(Path(name) / "cache")
        for title, make in FORMATS.items():
            rows = []
            for number in range(1, REPETITIONS + 1):
                path, read, reader, arguments = make(Path(name), number)
                new, again = (_time(lambda path=path, read=read: read(path)) for _ in range(2))
                data = path.read_bytes()
                alone = _time(
                    lambda data=data, reader=reader, arguments=arguments: child_process.answer_of(
                        reader, data, arguments
                    )
                )
                child = _time(
                    lambda data=data, reader=reader, arguments=arguments, path=path: (
                        child_process.read_in_child(reader, data, arguments=arguments, path=path)
                    )
                )
                rows.append((new, again, child, alone))
            found.append(Cost(title, *(min(column) for column in zip(*rows))))
    return found


def table(measured: list[Cost]) -> str:
    """Return the costs as a table in Markdown."""
    lines = io.StringIO()
    lines.write(
        "| format | new file | read before | child process | library alone | extra |\n|---|---:|---:|---:|---:|---:|\n"
    )
    for cost in measured:
        cells = (cost.new, cost.again, cost.child, cost.library, cost.extra)
        lines.write(f"| {cost.name} | {' | '.join(f'{1e3 * value:.0f} ms' for value in cells)} |\n")
    return lines.getvalue().rstrip()


if __name__ == "__main__":
    measured = costs()
    print(table(measured))
    assert all(cost.extra < LARGEST_EXTRA and cost.again < LARGEST_CACHED for cost in measured)
