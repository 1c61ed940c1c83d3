"""Which rows of a curve are needed: Ramer, Douglas and Peucker's method in time."""

from softdock.native.decorators import kernel


@kernel
def keep_rows(time, values, tolerance, stack, kept):
    """Mark in `kept` the rows between which straight lines pass every row within the tolerance.

    `time` (n,), `values` (n, k), `stack` (n, 2) as room to work in, `kept` (n,) all false. Of the open pieces the one
    on top of the stack is split where it is farthest from its line, until none is too far from it.
    """
    n, width = values.shape
    limit = tolerance * tolerance
    kept[0] = True
    kept[n - 1] = True
    stack[0, 0] = 0
    stack[0, 1] = n - 1
    left = 1
    while left > 0:
        left -= 1
        a = stack[left, 0]
        b = stack[left, 1]
        scale = 1.0 / (time[b] - time[a])
        worst = limit
        split = -1
        for row in range(a + 1, b):
            f = (time[row] - time[a]) * scale
            off = 0.0
            for i in range(width):
                away = values[row, i] - values[a, i] - f * (values[b, i] - values[a, i])
                off += away * away
            if off > worst:
                worst = off
                split = row
        if split >= 0:
            kept[split] = True
            stack[left, 0] = a
            stack[left, 1] = split
            stack[left + 1, 0] = split
            stack[left + 1, 1] = b
            left += 2
