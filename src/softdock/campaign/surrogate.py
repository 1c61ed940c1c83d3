"""Gaussian-process surrogates of the margin or of the side of a run, by scikit-learn.

C. E. Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, chapters 2 and 3.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from softdock.campaign.distributions import open_interval
from softdock.errors import InputError
from softdock.result import Array

SMOOTHNESS = 2.5  # of the Matern kernel: margins are continuous, but have kinks where events change
LENGTHS = (0.1, 10.0)  # bounds of the correlation lengths, in units of the range of an input
LATENT_VARIANCE = (
    1e4  # of the latent function of classification: sides have no noise, so it is steep at the boundary
)
TREND_VARIANCE = 1e6  # of its linear part, which makes sides certain far from the runs near the boundary
NOISE = (
    1e-10,
    1e-1,
)  # bounds of the variance of what the kernel cannot represent, relative to that of the margin


class Surrogate(Protocol):
    """Prediction of the side of points in the unit cube."""

    kind: str

    def score(self, x: Array) -> Array:
        """Return the normal score of the probability of success at points x (n, dims): 0 on the boundary."""

    def level(self, x: Array) -> Array:
        """Return the predicted margin, or for sides the score."""


def check_installed() -> None:
    """Raise InputError where scikit-learn is missing."""
    if find_spec("sklearn") is None:
        hint = "Install it with: pip install 'softdock[rare]'."
        raise InputError("Needs the package scikit-learn.", field="method", given="boundary", hint=hint)


def fit_surrogate(x: Array, margin: Array, continuous: bool) -> Surrogate | None:
    """Return the surrogate of runs at points x (n, dims); None where only one side of the boundary is known.

    A continuous margin is interpolated; where runs have no value, or only outcomes are known, sides are classified.
    """
    if continuous and np.isfinite(margin).all() and np.ptp(margin) > 0.0:
        return _Regression(x, margin)
    sides = margin > 0.0
    return None if sides.all() or not sides.any() else _Classification(x, sides)


class _Regression:
    """Gaussian-process regression of the margin."""

    kind = "regression"

    def __init__(self, x: Array, margin: Array) -> None:
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel

        self._scale = float(margin.std())
        kernel = ConstantKernel(1.0, (1e-2, 1e4)) * _matern(x.shape[1]) + WhiteKernel(1e-6, NOISE)
        self._process = GaussianProcessRegressor(kernel, normalize_y=True)
        with _single_thread():
            self._process.fit(x, margin / self._scale)

    def score(self, x: Array) -> Array:
        with _single_thread():
            mean, deviation = self._process.predict(x, return_std=True)
        return np.asarray(mean / np.maximum(deviation, 1e-12))  # Eq. (U9)

    def level(self, x: Array) -> Array:
        with _single_thread():
            return np.asarray(self._scale * self._process.predict(x))


class _Classification:
    """Gaussian-process classification of the sides."""

    kind = "classification"

    def __init__(self, x: Array, sides: NDArray[np.bool_]) -> None:
        from sklearn.gaussian_process import GaussianProcessClassifier
        from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct

        kernel = ConstantKernel(LATENT_VARIANCE, "fixed") * _matern(x.shape[1])
        trend = ConstantKernel(TREND_VARIANCE, "fixed") * DotProduct(1.0, "fixed")
        self._process = GaussianProcessClassifier(kernel + trend)
        with _single_thread():
            self._process.fit(x, sides)

    def score(self, x: Array) -> Array:
        with _single_thread():
            chance = self._process.predict_proba(x)[:, 1]
        return np.asarray(ndtri(open_interval(chance)))

    def level(self, x: Array) -> Array:
        return self.score(x)


def _matern(dims: int) -> Any:
    from sklearn.gaussian_process.kernels import Matern

    return Matern(np.full(dims, 0.5), LENGTHS, nu=SMOOTHNESS)


@contextmanager
def _single_thread() -> Iterator[None]:
    """Compute with one thread, so that the bits do not depend on the number of cores, and without warnings."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the optimum of a parameter may be at its bound
        yield
