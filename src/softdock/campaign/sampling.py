"""Samples in the unit cube with random access by run number.

`random` uses one random stream per dispersion, keyed by the seed and the name of the field; run i reads block i of it.
So a sample depends only on the seed and the run number, and an added dispersion does not change the others. The other
methods cover the cube evenly: Latin hypercube (depends on the number of runs), scrambled Sobol' sequence (does not),
and Saltelli's design for Sobol' indices (A, B, and A with one dispersion taken from B, in turn).
"""

import hashlib
import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import qmc

from softdock.result import Array

BLOCK = 4  # numbers per counter step of Philox


@dataclass(frozen=True)
class Sampler:
    """Samples of the runs of a campaign in the unit cube."""

    method: str
    seed: int
    runs: int
    groups: tuple[tuple[str, int], ...]
    """Name and number of coordinates of every dispersion."""

    @property
    def dims(self) -> int:
        """Number of coordinates of one run."""
        return sum(dims for _, dims in self.groups)

    @property
    def design(self) -> int:
        """Runs per base point: d + 2 in Saltelli's design of d dispersions, 1 otherwise."""
        return len(self.groups) + 2 if self.method == "saltelli" else 1

    def points(self, start: int, stop: int) -> Array:
        """Return the coordinates (stop - start, dims) of runs start to stop, uniform in [0, 1)."""
        match self.method:
            case "random":
                return np.column_stack([self._stream(*group, start, stop) for group in self.groups])
            case "latin-hypercube":
                return np.asarray(self._latin[start:stop])
            case "sobol":
                return sobol_points(self.seed, self.dims, start, stop)
            case _:
                return self._saltelli(start, stop)

    def _stream(self, name: str, dims: int, start: int, stop: int) -> Array:
        digest = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype="<u4")
        words = [self.seed & 0xFFFFFFFF, self.seed >> 32, *digest.tolist()]
        steps = -(-dims // BLOCK)
        bits = np.random.Philox(key=np.random.SeedSequence(words).generate_state(2, np.uint64))
        bits.advance(start * steps)
        return np.random.Generator(bits).random((stop - start, steps * BLOCK))[:, :dims]

    @cached_property
    def _latin(self) -> Array:
        hypercube = qmc.LatinHypercube(self.dims, rng=np.random.default_rng(self.seed))
        return np.asarray(hypercube.random(self.runs))

    def _saltelli(self, start: int, stop: int) -> Array:
        first, last = start // self.design, -(-stop // self.design)
        both = sobol_points(self.seed, 2 * self.dims, first, last)
        A, B = both[:, : self.dims], both[:, self.dims :]
        rows = np.repeat(A[:, None, :], self.design, axis=1)
        rows[:, 1] = B
        column = 0
        for k, (_, dims) in enumerate(self.groups):
            part = slice(column, column + dims)
            rows[:, 2 + k, part] = B[:, part]
            column += dims
        offset = first * self.design
        return rows.reshape(-1, self.dims)[start - offset : stop - offset]


def sobol_points(seed: int, dims: int, start: int, stop: int) -> Array:
    """Return points start to stop of a scrambled Sobol' sequence (stop - start, dims)."""
    engine = qmc.Sobol(dims, rng=np.random.default_rng(seed))
    if start:
        engine.fast_forward(start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns that only powers of two are balanced
        return np.asarray(engine.random(stop - start))
