"""Parabolas through samples of a function, and bounds from its second derivative; Eqs. (M34), (M65)."""

from softdock.native.decorators import inline

END_MARGIN = 0.05  # fraction of an interval next to its ends in which it is not divided


@inline
def second_derivative(x_0, x_1, x_2, f_0, f_1, f_2):
    """Return the second derivative of the parabola through three values."""
    return 2.0 * ((f_2 - f_1) / (x_2 - x_1) - (f_1 - f_0) / (x_1 - x_0)) / (x_2 - x_0)


@inline
def least_between(f_0, f_1, curvature):
    """Return the least value between two, at a distance of 1; Eq. (M34).

    `curvature` is the largest second derivative.
    """
    rise = f_1 - f_0
    if abs(rise) >= 0.5 * curvature:
        return min(f_0, f_1)
    x = 0.5 - rise / curvature
    return f_0 - 0.5 * curvature * x * x


@inline
def vertex(x_0, x_1, x_2, f_0, f_1, f_2):
    """Return the vertex of the parabola through three values; the first place where they lie on a line."""
    curvature = second_derivative(x_0, x_1, x_2, f_0, f_1, f_2)
    return 0.5 * (x_0 + x_1) - (f_1 - f_0) / ((x_1 - x_0) * curvature) if curvature != 0.0 else x_0


@inline
def division_point(wanted, left, right):
    """Return where to divide an interval: at the wanted place if that is away from its ends, else in the middle."""
    margin = END_MARGIN * (right - left)
    return wanted if left + margin < wanted < right - margin else 0.5 * (left + right)
