"""Terms of the series of a step, and the order of known methods."""

import numpy as np
import pytest

from softdock.theory.rosenbrock import order_defects, stability_function, trees

RUNGE_KUTTA_4 = np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1.0, 0]])
WEIGHTS_4 = np.array([1, 2, 2, 1]) / 6
GAMMA_2 = 1.0 - np.sqrt(0.5)  # of the L-stable method of order 2 with two stages
ALPHA_2 = np.array([[0, 0], [0.5 / GAMMA_2, 0]])
COUPLED_2 = np.array([[GAMMA_2, 0], [-1.0, GAMMA_2]])
WEIGHTS_2 = np.array([1.0 - GAMMA_2, GAMMA_2])


def test_series_of_each_order_has_the_known_number_of_terms():
    assert [len(list(trees(order))) for order in range(1, 6)] == [1, 2, 5, 13, 37]
    assert [sum(not tree.is_matrix for tree in trees(order)) for order in range(1, 5)] == [1, 1, 3, 8]
    assert all(tree.order == 4 for tree in trees(4))


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_runge_kutta_4_has_order_4(order):
    """An explicit method is a W-method without a matrix."""
    defects = order_defects(RUNGE_KUTTA_4, np.zeros((4, 4)), WEIGHTS_4, order)
    assert (np.abs(defects).max() < 1e-15) == (order < 5)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_method_with_two_stages_has_order_2(order):
    """Order 2 for any matrix, with one gamma in all stages; W-methods of Steihaug and Wolfbrandt (1979)."""
    defects = order_defects(ALPHA_2, COUPLED_2, WEIGHTS_2, order)
    assert (np.abs(defects).max() < 1e-15) == (order < 3)


def test_stability_function_of_known_methods():
    z = np.array([-1.0, 0.5j, -1e12])
    factors = stability_function(RUNGE_KUTTA_4, np.zeros((4, 4)), WEIGHTS_4, z[:2])
    assert factors == pytest.approx(1 + z[:2] + z[:2] ** 2 / 2 + z[:2] ** 3 / 6 + z[:2] ** 4 / 24)
    assert abs(stability_function(ALPHA_2, COUPLED_2, WEIGHTS_2, z[2])[0]) < 1e-10
