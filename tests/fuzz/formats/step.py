"""STEP files."""

from functools import cache
from importlib import resources
from pathlib import Path
from random import Random

import cascadio  # noqa: F401, so that forked readers need not import it
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import TEXT, mutate, redirect_reference

from softdock.geometry.cad import read_surface

FOLDER = Path(__file__).parents[2] / "geometry" / "files"
TIMES = (3, 1, 2, 6, 2)
"""How often each file is chosen; the library needs 13 ms for the tube and 130 ms for the torus."""
MUTATIONS = (*TEXT, *[redirect_reference] * 6)


@cache
def _valid() -> tuple[bytes, ...]:
    bumper = resources.files("softdock.scenario") / "bundled" / "cad" / "bumper.step"
    files = [FOLDER / name for name in ("torus.step", "hollow_sphere.step", "tube_inch.step", "block.step")]
    contents = (bumper.read_bytes(), *(file.read_bytes() for file in files))
    return tuple(content for content, times in zip(contents, TIMES) for _ in range(times))


def make(random: Random) -> Files:
    """Return a mutated file."""
    return {"part.step": mutate(random.choice(_valid()), random, MUTATIONS)}


def read(files: Files, folder: Path) -> None:
    """Read the surface of revolution of a part."""
    read_surface(folder / "part.step", side="outside")


FORMAT = Format(make=make, read=read, seconds=150.0)
