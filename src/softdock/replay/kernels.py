"""Ramer-Douglas-Peucker simplification of curves over time."""

from softdock.native.decorators import kernel


@kernel
def keep_rows(time, values, tolerance, stack, kept):
    """Mark in `kept` the rows whose connecting lines approximate all rows within the tolerance.

    `time` (n,), `values` (n, k), `stack` (n, 2) a work array, `kept` (n,) all false. The segment on top of the stack is
    split at the row farthest from its line, until all rows are within the tolerance.
    """
    n, width = values.shape
    limit = tolerance * tolerance
    kept[0] = True
    kept[n - 1] = True
    stack[0, 0] = 0
    stack[0, 1] = n - 1
    count = 1
    while count > 0:
        count -= 1
        a = stack[count, 0]
        b = stack[count, 1]
        scale = 1.0 / (time[b] - time[a])
        worst = limit
        split = -1
        for row in range(a + 1, b):
            f = (time[row] - time[a]) * scale
            off = 0.0
            for i in range(width):
                difference = values[row, i] - values[a, i] - f * (values[b, i] - values[a, i])
                off += difference * difference
            if off > worst:
                worst = off
                split = row
        if split >= 0:
            kept[split] = True
            stack[count, 0] = a
            stack[count, 1] = split
            stack[count + 1, 0] = split
            stack[count + 1, 1] = b
            count += 2
