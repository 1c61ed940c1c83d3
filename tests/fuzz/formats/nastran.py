"""Nastran bulk data with eigenvectors (punch and f06 files)."""

from functools import cache
from pathlib import Path
from random import Random

from tests.flexible import test_nastran as valid
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import TEXT, mutate

from softdock.flexible import read_nastran


@cache
def _valid() -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    modes = valid.computed_modes()
    bulk = (valid.free_field(), valid.small_field(), valid.large_field())
    return (
        tuple(text.encode() for text in bulk),
        tuple(text.encode() for text in (valid.punch(modes), valid.f06(modes))),
    )


def make(random: Random) -> Files:
    """Return both files, one of them or both mutated."""
    bulk, vectors = (random.choice(texts) for texts in _valid())
    which = random.randrange(5)
    return {
        "model.bdf": mutate(bulk, random, TEXT) if which in (0, 1, 4) else bulk,
        "model.pch": mutate(vectors, random, TEXT) if which > 1 else vectors,
    }


def read(files: Files, folder: Path) -> None:
    """Read the modes."""
    read_nastran(folder / "model.bdf", folder / "model.pch", base=1)


FORMAT = Format(make=make, read=read)
