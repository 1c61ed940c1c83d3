"""Blocks of a near list: cells that face the same segments of A share a block."""

import math

from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    FACES_ONE,
    FACES_RADIALLY,
    FACES_SEVERAL,
    FACES_SMOOTH_PAIR,
    NEAR_TIMES,
    POINTS,
    RADIAL,
)
from softdock.geometry.kernels import END_SIDE
from softdock.native.decorators import inline, kernel

NEAR_SHARE = 0.1  # of the reach: cells that come this near to A at the same time share blocks
# Separation of a block without bounds, of points or with the radial mapping: it may always touch [m].
MAY_TOUCH = -1e30
# Allowance for rounding errors of separations [m], which are about 1e-16 m. It is needed: the search for the beginning
# of a contact ends where the highest corner is zero to the last bit.
ROUNDING = 1e-14


@kernel
def allocate_lane(arrays, lists, pair, face, gap, heights):
    """Allocate a lane for a cell that faces segments face[0]..face[1] of A; return the indices of block and lane.

    `gap`: how far B may leave the path before the cell touches [m]; `heights`: depths of its highest corner at start,
    middle and end of the path [m]. Beyond the capacity of the list the last block is overwritten.
    """
    work, data, open_blocks = lists.work[pair], arrays.pairs[pair], lists.open_blocks
    first, last, several = face[0], face[1], open_blocks.shape[1] // (2 * NEAR_TIMES) - 1
    facing, group = FACES_SEVERAL, 2 * several
    if data["mapping"] == RADIAL:
        facing, gap = FACES_RADIALLY, -math.inf  # the gap bounds the distance, not the radial mapping
    elif first == last:
        facing, group = FACES_ONE, 2 * (first - data["first_segment"])
    elif is_smooth_pair(arrays.segments, first, last):
        facing, group = FACES_SMOOTH_PAIR, 2 * (first - data["first_segment"]) + 1
    group = NEAR_TIMES * group + near_time(heights, -NEAR_SHARE * work["reach"])
    capacity = lists.blocks.shape[1]
    number = open_blocks[pair, group]
    if number < 0 or lists.blocks[pair, min(number, capacity - 1)]["count"] == BLOCK_CELLS:
        number = work["block_count"]
        work["block_count"] += 1
        open_blocks[pair, group] = number
        block = lists.blocks[pair, min(number, capacity - 1)]
        block["count"], block["facing"], block["least_gap"] = 0, facing, gap
        for k in range(BLOCK_CELLS):
            block["area"][k] = 0.0
        bounded = data["quadrature"] != POINTS and facing != FACES_RADIALLY
        for k in range(3):
            block["separation"][k] = math.inf if bounded else MAY_TOUCH
    block = lists.blocks[pair, min(number, capacity - 1)]
    lane = min(block["count"], BLOCK_CELLS - 1)
    block["count"] = lane + 1
    work["cell_count"] += 1
    block["least_gap"] = min(block["least_gap"], gap)
    for k in range(3):
        block["separation"][k] = min(block["separation"][k], -heights[k] - ROUNDING)
    block["first"][lane], block["last"][lane] = first, last
    if first < data["first_described"] or last > data["last_described"]:
        work["faces_closure"] = 1
    return min(number, capacity - 1), lane


@inline
def near_time(heights, near):
    """Return when on the path the highest corner of a cell is above `near` [m]: 0 middle, 1 start, 2 end, 3 never."""
    if heights[1] >= near:
        return 0
    if max(heights[0], heights[2]) < near:
        return 3
    return 1 if heights[0] > heights[2] else 2


@inline
def store_point(block, k, x, y, z):
    """Store a point of B [m] as entry k of the points of a block."""
    block["x"][k], block["y"][k], block["z"][k] = x, y, z


@inline
def is_smooth_pair(segments, first, last):
    """Return whether these are two segments of A that join smoothly."""
    return first + 1 == last and segments[first, END_SIDE] == 0.0
