"""Errors of transmitted forces: bounded in every step, and stated with every peak."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.linalg import expm
from tests.accuracy.cases import FAMILIES, case
from tests.accuracy.oscillator import free_motion, peak_under_pulses
from tests.accuracy.study import HONEST, study

from softdock import simulate
from softdock.dynamics.kernels.integration.force_errors import block_size, oscillate, size_of_error
from softdock.scenario.multibody import MultibodyScenario

METHODS = ("automatic", "dormand-prince", "bogacki-shampine", "rosenbrock")


def connected(
    kind: str, mass: float, k: float, damping_ratio: float, force: float, length: float, **integrator
):
    """Return the result of a pulse on one of two equal bodies in free flight, and the exact peak between them."""
    reduced = 0.5 * mass
    c = 2.0 * damping_ratio * math.sqrt(k * reduced)
    free = {"type": "free", "velocity": [0.03, 0.0, 0.0]}
    servicer = {"mass": mass, "inertia": [0.3 * mass] * 3, "joint": free}
    law = {"stiffness": k, "damping": c}
    if kind in ("springs", "drives"):
        client = servicer | {"joint": {"type": "prismatic", "axis": "z"}, "parent": "servicer"}
        law |= {"joint": "client"} | ({"target": 0.0} if kind == "drives" else {})
    else:
        client = servicer | {"joint": free | {"position": [0.0, 0.0, 1.0]}}
        law |= {"a": {"body": "servicer"}, "b": {"body": "client"}}
        law |= {"length": 1.0} if kind == "struts" else {"angular_stiffness": k, "active": True}
    thruster = {"body": "client", "force": [0.0, 0.0, force], "pulses": [{"start": 0.5, "duration": length}]}
    scenario = MultibodyScenario(
        duration=4.0,
        integrator=integrator,
        bodies={"servicer": servicer, "client": client},
        loads={"thruster": thruster},
        **{kind: {"link": law}},
    )
    exact = peak_under_pulses(k, c, reduced, [(0.5, length, 0.5 * force)], 4.0)
    return simulate(scenario), exact


def peak(result, name="link"):
    """Return the peak reaction of an element."""
    return next(load for load in result.loads if load.name == name)


@pytest.mark.parametrize(("kind", "method"), list(product(["springs", "drives", "struts", "welds"], METHODS)))
def test_a_small_pulse_on_a_stiff_connection_has_its_closed_form(kind, method):
    """The tolerance of speeds alone, 10 um/s, is a force of 0.22 N."""
    result, exact = connected(kind, 1000.0, 1e6, 0.01, 1.0, 0.1, method=method)
    load = peak(result)
    allowed = {"bogacki-shampine": 4.0}.get(method, 1.0)  # its errors of successive steps add up
    assert load.peak_force == pytest.approx(exact, rel=allowed * 0.005)
    assert abs(load.peak_force - exact) <= HONEST * load.force_error
    assert load.force_error < allowed * 0.01 * exact
    assert result.valid == "yes"


def test_the_error_follows_the_requested_accuracy():
    errors, stated = [], []
    for accuracy in (0.02, 0.002, 0.0002):
        result, exact = connected(
            "springs", 1000.0, 1e6, 0.01, 1.0, 0.1, method="dormand-prince", accuracy={"force": accuracy}
        )
        errors.append(abs(peak(result).peak_force - exact) / exact)
        stated.append(peak(result).force_error / exact)
    assert errors[2] < errors[0] / 10.0
    assert stated[0] > 3.0 * stated[1] > 9.0 * stated[2]


def test_fixed_steps_have_no_stated_errors():
    result, _ = connected("springs", 1000.0, 1e4, 0.01, 1.0, 0.1, method="rk4", step=1e-3)
    assert peak(result).force_error is None
    assert result.audit.energy_expected == 0.0


def test_a_joint_has_at_least_the_error_of_its_element():
    result, _ = connected("springs", 1000.0, 1e6, 0.01, 1.0, 0.1)
    assert peak(result, "client").force_error >= 0.99 * peak(result).force_error


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in ("friction", "coupling")])
def test_no_generated_peak_is_wrong_without_a_warning(family):
    """The study prints thousands of them: python -m tests.accuracy."""
    for seed in range(8):
        result = study(case(family, seed))
        for one in result.peaks:
            assert one.flagged or not one.is_wrong, (one.case, one.peak, one.error / one.scale)


def test_residual_of_a_ringing_spring_is_explained_by_its_error():
    """Hardly damped, hundreds of periods: the amplitude may err by 0.5 % and its energy by 1 %."""
    result, exact = connected("springs", 100.0, 2e5, 1e-4, 50.0, 0.02)
    assert result.valid == "yes"
    assert peak(result).peak_force == pytest.approx(exact, rel=0.02)
    assert result.audit.errors["energy_residual"] <= result.audit.energy_residual


@pytest.mark.parametrize("ratio", [0.0, 1e-4, 1e-2])
def test_errors_are_propagated_as_damped_oscillations(ratio):
    k, m, h, x, v = 3.0, 2.0, 0.7, 0.3, -0.2
    c = 2.0 * ratio * math.sqrt(k * m)
    exact = expm(h * np.array([[0.0, 1.0], [-k / m, -c / m]])) @ [x, v]
    assert free_motion(k, c + 1e-12, m, x, v, h) == pytest.approx(exact, rel=1e-6)
    if ratio == 0.0:
        assert oscillate(k, c, m, h, x, v) == pytest.approx(exact, rel=1e-12)
    # The phase of the undamped oscillation is kept: the size is that of the exact one up to the damping in a radian.
    size, true = size_of_error(k, 0.0, m, *oscillate(k, c, m, h, x, v)), size_of_error(k, 0.0, m, *exact)
    assert size == pytest.approx(true, rel=1e-12 + 2.0 * ratio)


@pytest.mark.parametrize("ratio", [1.5, 3.0, 30.0])
def test_errors_of_overdamped_oscillations_creep_back(ratio):
    """Exact up to the way m v / c of the speed that decays at once, which is not followed as it creeps back."""
    k, m, x, v = 3.0, 2.0, 0.3, -0.2
    c = 2.0 * ratio * math.sqrt(k * m)
    for h in (0.1 * m / c, m / c, 0.5 * c / k):
        exact = expm(h * np.array([[0.0, 1.0], [-k / m, -c / m]])) @ [x, v]
        assert oscillate(k, c, m, h, x, v) == pytest.approx(exact, abs=0.5 * x / ratio**2 + abs(v) * m / c)


def test_without_stiffness_errors_of_displacement_drift():
    assert oscillate(0.0, 0.0, 2.0, 0.5, 0.1, 0.2) == pytest.approx((0.2, 0.2))


@pytest.mark.parametrize("directions", [1, 2, 3])
def test_stiffness_of_a_block_is_that_of_its_directions(directions):
    rng = np.random.default_rng(directions)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    K = np.zeros((6, 6))
    K[3:, 3:] = R @ np.diag([7.0] * directions + [0.0] * (3 - directions)) @ R.T
    assert block_size(K, 3) == pytest.approx(7.0, rel=1e-12)
    assert block_size(K, 0) == 0.0
