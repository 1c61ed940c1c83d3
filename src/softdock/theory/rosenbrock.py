"""Order and stability of linearly implicit methods with any matrix in the place of the Jacobian (W-methods).

A stage is k_i = f(y + h sum(alpha_ij k_j)) + h A sum(gamma_ij k_j), the step y + h sum(weights_i k_i). E. Hairer and
G. Wanner, Solving Ordinary Differential Equations II, IV.7.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tree:
    """A term of the series of a step in h: a derivative of f, or the matrix A, applied to the terms of its branches."""

    is_matrix: bool
    branches: tuple["Tree", ...]

    @property
    def order(self) -> int:
        """Power of h of the term."""
        return 1 + sum(branch.order for branch in self.branches)

    @property
    def exact_weight(self) -> float:
        """Weight of the term in the exact solution; 0 if it contains A."""
        if self.is_matrix:
            return 0.0
        return float(np.prod([branch.exact_weight for branch in self.branches])) / self.order

    def stage_weights(self, alpha: Floats, gamma: Floats) -> Floats:
        """Return the weight of the term in each stage, shape (stages,)."""
        if self.is_matrix:
            return np.asarray(gamma @ self.branches[0].stage_weights(alpha, gamma))
        factors = [alpha @ branch.stage_weights(alpha, gamma) for branch in self.branches]
        return np.asarray(np.prod([np.ones(len(alpha)), *factors], axis=0))


def trees(order: int) -> Iterator[Tree]:
    """Yield all terms of an order: 1, 2, 5 and 13 of the orders 1 to 4."""
    for branches in _branches(order - 1, order - 1):
        yield Tree(is_matrix=False, branches=branches)
    if order > 1:
        for branch in trees(order - 1):
            yield Tree(is_matrix=True, branches=(branch,))


def _branches(total: int, largest: int) -> Iterator[tuple[Tree, ...]]:
    """Yield all multisets of trees of a total order, none of them of more than the largest."""
    if total == 0:
        yield ()
    seen: set[frozenset[tuple[Tree, int]]] = set()
    for first in range(min(total, largest), 0, -1):
        for tree in trees(first):
            for others in _branches(total - first, first):
                both = (tree, *others)
                key = frozenset((branch, both.count(branch)) for branch in both)
                if key not in seen:
                    seen.add(key)
                    yield both


def order_defects(alpha: ArrayLike, gamma: ArrayLike, weights: ArrayLike, order: int) -> Floats:
    """Return by how much a method violates the conditions of an order, one per term.

    A method has this order if these defects and those of all lower orders are zero.
    """
    a, g, b = (np.asarray(values, float) for values in (alpha, gamma, weights))
    return np.array([b @ tree.stage_weights(a, g) - tree.exact_weight for tree in trees(order)])


def stability_function(
    alpha: ArrayLike, gamma: ArrayLike, weights: ArrayLike, z: ArrayLike
) -> NDArray[np.complex128]:
    """Return the factor by which a step changes y if f = lambda y, A is exact and z = h lambda."""
    both, b = np.asarray(alpha, float) + np.asarray(gamma, float), np.asarray(weights, float)
    z = np.atleast_1d(np.asarray(z, complex))[:, None, None]
    stages = np.linalg.solve(np.eye(len(b)) - z * both, np.ones((len(b), 1)))
    return np.asarray(1.0 + (z * (b[None, None, :] @ stages))[:, 0, 0])
