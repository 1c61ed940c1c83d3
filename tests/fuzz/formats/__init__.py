"""Formats of the fuzzer, one module each: it makes inputs with a seeded generator and reads them with Softdock."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from softdock.errors import InputError

Files = dict[str, bytes]
"""One input: contents by file name."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """One kind of input."""

    make: Callable[[Random], Files]
    """Returns an input; the same generator state gives the same input."""
    read: Callable[[Files, Path], None]
    """Lets Softdock use an input; the folder contains its files where `stored`."""
    refusals: tuple[type[Exception], ...] = (InputError,)
    """Exceptions by which an input is refused; any other one is a defect."""
    stored: bool = True
    """Whether the files of an input are written to the folder before it is read."""
    seconds: float = 20.0
    """Limit of the processor time of one input [s]; exceeding it is a hang, and so is waiting for ten times as long."""


NAMES = (
    "scenario", "mapping", "expression", "run", "campaign", "step", "mesh", "urdf", "nastran", "npz", "recording",
    "result", "page", "replay", "table", "http", "websocket", "udp",
)  # fmt: skip


def load(name: str) -> Format:
    """Return the format of a name in `NAMES`."""
    found = importlib.import_module(f"{__name__}.{name}").FORMAT
    assert isinstance(found, Format)
    return found
