"""Rows of a contact manifold: one for each contact between a pin and its hole."""

from softdock.native.decorators import inline

# Parts of a pin; values of `pins.PinPart`.
LEADING_CAP, TRAILING_CAP, BODY = 0, 1, 2
CORRECTION = 3  # not a contact: corrects for stiffness that two contacts have in common

# Columns: weight (fraction of the stiffness), part of the pin, feature of the hole, point on the hole [m], direction of
# the force on the pin, depth [m], position along the axis [m], and couple per stiffness [m2] of a weight that depends
# on the pin's direction.
WEIGHT, PART, FEATURE, POINT, NORMAL, PENETRATION, AXIAL_POSITION, COUPLE = 0, 1, 2, 3, 6, 9, 10, 11
COLUMNS = 14
MAXIMUM_ROWS = 88  # two caps on two sides, 3 rims with 7, 12 edges and 8 corners with 3 each: 85


@inline
def add_row(rows, count, share, part, feature, X, n, depth, along):
    """Write one row; return the new number of rows."""
    row = rows[count]
    row[WEIGHT], row[PART], row[FEATURE], row[PENETRATION], row[AXIAL_POSITION] = (
        share,
        part,
        feature,
        depth,
        along,
    )
    for k in range(3):
        row[POINT + k], row[NORMAL + k], row[COUPLE + k] = X[k], n[k], 0.0
    return count + 1
