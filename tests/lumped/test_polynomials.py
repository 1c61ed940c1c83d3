"""Polynomials of one step: values, derivatives, integrals and first roots are those of NumPy."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from softdock.lumped.kernels.polynomial import (
    COLUMNS,
    ORDER,
    VALUE_COLUMN,
    derivative,
    evaluate,
    evaluate_all,
    first_crossing,
    integral,
    next_crossing,
    product_integral,
)

pytestmark = pytest.mark.plain_python
EPS = np.finfo(float).eps


def random_series(rng: np.random.Generator) -> np.ndarray:
    """Return coefficients that fall as those of a power series of a motion."""
    return rng.normal(size=ORDER + 1) / 1.2 ** np.arange(ORDER + 1)


def with_roots(*roots: float, factor: float = 1.0) -> np.ndarray:
    """Return the coefficients of a polynomial with these roots."""
    coefficients = np.zeros(ORDER + 1)
    exact = factor * Polynomial.fromroots(roots).coef
    coefficients[: exact.size] = exact
    return coefficients


@pytest.mark.parametrize("t", [0.0, 0.3, 0.9, 1.3])
def test_values_derivatives_and_integrals_are_those_of_numpy(t: float) -> None:
    """To rounding of a sum of terms of this size."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        a, b = random_series(rng), random_series(rng)
        p, q = Polynomial(a), Polynomial(b)
        size = Polynomial(abs(a))
        for ours, exact, largest in (
            (evaluate(a, t), p, size),
            (derivative(a, t), p.deriv(), size.deriv()),
            (integral(a, t), p.integ(), size.integ()),
            (product_integral(a, b, t), (p * q).integ(), (size * Polynomial(abs(b))).integ()),
        ):
            assert ours == pytest.approx(exact(t), rel=0.0, abs=4 * ORDER * EPS * (largest(t) + EPS))


def test_rows_are_evaluated_to_their_last_column() -> None:
    rng = np.random.default_rng(3)
    rows = np.zeros((3, COLUMNS))
    rows[:, : ORDER + 1] = [random_series(rng) for _ in rows]
    evaluate_all(rows, 0.7)
    expected = [evaluate(row, 0.7) for row in rows]
    assert rows[:, VALUE_COLUMN] == pytest.approx(expected, rel=4 * ORDER * EPS)


@pytest.mark.parametrize(
    ("coefficients", "crossing"),
    [
        (with_roots(0.25, 0.5, 0.75), 0.25),
        (with_roots(0.25, 0.25 + 1e-6, 2.0), 0.25),  # above zero for a short time only
        (with_roots(0.25, 0.5, factor=-1.0), 0.25),
        (with_roots(0.0, 0.25, factor=-1.0), 0.0),  # rises at once
        (with_roots(0.999), 0.999),
        (with_roots(1.5), -1.0),
        (with_roots(-0.5, factor=-1.0), -1.0),
    ],
)
def test_the_first_rise_through_zero_is_found(coefficients: np.ndarray, crossing: float) -> None:
    assert first_crossing(coefficients.copy(), 1.0) == pytest.approx(crossing, abs=1e-9)


def test_later_rises_follow_after_earlier_ones() -> None:
    roots = (0.1, 0.2, 0.4, 0.7, 0.8)
    coefficients, found, t = with_roots(*roots), [], 0.0
    while (t := next_crossing(coefficients, t, 1.0)) > 0.0:
        found.append(t)
        t = next(root for root in roots if root > t + 1e-6) if t < 0.75 else 1.0
    assert found == pytest.approx([0.1, 0.4, 0.8], abs=1e-9)
