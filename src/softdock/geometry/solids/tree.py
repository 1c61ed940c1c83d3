"""Tree of boxes around the triangles of a solid."""

import math

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.kernels.layout import LEAF_TRIANGLES

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MARGIN = 2e-9
"""Added to all boxes [m]: more than the distance that the kernels allow for rounding."""


def tree_order(corners: Array) -> Indices:
    """Return the order of triangles (n, 3, 3) in the leaves of a tree that halves boxes along their longest side."""
    count = len(corners)
    leaves = 2 ** max(0, math.ceil(math.log2(max(count, 1) / LEAF_TRIANGLES)))
    centres = np.full((leaves * LEAF_TRIANGLES, 3), np.inf)  # entries without a triangle gather at the end
    centres[:count] = corners.mean(axis=1)
    order = np.arange(len(centres))
    size = len(centres)
    while size > LEAF_TRIANGLES:
        groups = order.reshape(-1, size)
        places = centres[groups]
        finite = np.where(np.isfinite(places), places, np.nan)
        with np.errstate(all="ignore"):
            extent = _extent(finite)
        axis = np.argmax(extent, axis=1)
        keys = np.take_along_axis(places, axis[:, None, None], axis=2)[:, :, 0]
        order = np.take_along_axis(groups, np.argsort(keys, axis=1, kind="stable"), axis=1).ravel()
        size //= 2
    return np.asarray(order)


def _extent(places: Array) -> Array:
    """Return the sides of the boxes of groups of points, shape (groups, 3); NaN stands for no point."""
    low = np.where(np.isnan(places), np.inf, places).min(axis=1)
    high = np.where(np.isnan(places), -np.inf, places).max(axis=1)
    return np.asarray(np.where(high >= low, high - low, 0.0))


def tree_boxes(corners: Array, reach: Array) -> Array:
    """Return the boxes of the tree in heap order, shape (nodes, 6), for triangles in `tree_order`.

    Each contains its triangles with their reach [m] around them. Leaves without a triangle are empty boxes far away.
    """
    count = len(corners)
    leaves = 2 ** max(0, math.ceil(math.log2(max(count, 1) / LEAF_TRIANGLES)))
    low = np.full((leaves * LEAF_TRIANGLES, 3), np.inf)
    high = np.full((leaves * LEAF_TRIANGLES, 3), -np.inf)
    around = (reach + MARGIN)[:, None]
    low[:count], high[:count] = corners.min(axis=1) - around, corners.max(axis=1) + around
    low, high = low.reshape(leaves, -1, 3).min(axis=1), high.reshape(leaves, -1, 3).max(axis=1)
    levels = [np.concatenate([low, high], axis=1)]
    while len(low) > 1:
        low, high = low.reshape(-1, 2, 3).min(axis=1), high.reshape(-1, 2, 3).max(axis=1)
        levels.append(np.concatenate([low, high], axis=1))
    return np.ascontiguousarray(np.concatenate(levels[::-1]))
