"""The rows of a manifold: one for each place where a pin and its hole touch."""

from softdock.native.decorators import inline

# Which part of the pin touches.
LEADING_CAP, TRAILING_CAP, BODY = 0, 1, 2
CORRECTION = 3  # no contact of its own: what others have in common

# Columns: share of the stiffness, part of the pin, feature of the hole, place on the hole, normal that pushes the pin,
# depth, where along the axis, and the couple per stiffness of a share that depends on the pin's direction.
WEIGHT, PART, FEATURE, POINT, NORMAL, PENETRATION, AXIAL_POSITION, COUPLE = 0, 1, 2, 3, 6, 9, 10, 11
COLUMNS = 14
MAXIMUM_ROWS = 88  # two caps on two sides, 3 rims with 7, 12 edges and 8 corners with 3 each: 85


@inline
def add_row(rows, count, share, part, feature, X, n, depth, along):
    """Write one contact; returns how many there are now."""
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
