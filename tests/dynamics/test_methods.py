"""The automatic method uses the cheaper one of two methods at the same accuracy."""

import math

import numpy as np
import pytest
from tests.dynamics.systems import simulate

from softdock.assembly.assembler import assemble
from softdock.dynamics.settings import Method, Settings, StepTolerances
from softdock.dynamics.simulation import Simulation
from softdock.elements.spring.model import Spring
from softdock.errors import InputError
from softdock.model.system import Body, System

EXPLICIT_METHODS = (Method.DORMAND_PRINCE, Method.BOGACKI_SHAMPINE)
FINE = StepTolerances(length=1e-12, angle=1e-12, speed=1e-11, rate=1e-11)


def two_masses(stiff, damping):
    """Return a slow heavy mass that moves a light one through a stiff, damped spring."""
    heavy = Body.model_validate(
        {"mass": 10.0, "inertia": [1, 1, 1], "joint": {"type": "prismatic", "axis": "z", "position": 0.1}}
    )
    light = Body.model_validate(
        {
            "parent": "heavy",
            "mass": 0.1,
            "inertia": [1, 1, 1],
            "joint": {"type": "prismatic", "axis": "z", "position": 0.01},
        }
    )
    springs = {
        "slow": Spring.model_validate({"joint": "heavy", "stiffness": 100.0}),
        "fast": Spring.model_validate({"joint": "light", "stiffness": stiff, "damping": damping}),
    }
    return assemble(System(bodies={"heavy": heavy, "light": light}, springs=springs))


@pytest.mark.parametrize(
    ("stiff", "damping", "worth"), [(1e6, 1000.0, 0.8), (1.0, 0.0, 1.1)], ids=["stiff", "soft"]
)
def test_automatic_method_uses_the_cheaper_method(stiff, damping, worth):
    """It costs less than Dormand-Prince where stability limits steps, and only some trial steps more elsewhere."""
    assembly = two_masses(stiff, damping)
    exact = simulate(assembly, 2.0, accuracy=FINE, method=Method.DORMAND_PRINCE)
    own = simulate(assembly, 2.0)
    others = [simulate(assembly, 2.0, method=method) for method in EXPLICIT_METHODS]
    assert own.evaluations <= worth * others[0].evaluations
    assert own.evaluations <= 1.1 * min(run.evaluations for run in others)
    for run in (own, *others):
        error = np.abs(run.state - exact.state)[:4]
        assert np.all(
            error <= run.steps * np.array([1e-7, 1e-7, 1e-5, 1e-6])
        )  # momentum: 1e-6 m/s times 10 kg


@pytest.mark.parametrize("method", [Method.AUTOMATIC, *EXPLICIT_METHODS])
def test_evaluations_per_step(method):
    """One evaluation at the start, then six or three per step: the last slope is the first of the next step."""
    run = simulate(two_masses(1.0, 0.0), 0.5, step=0.01, method=method)
    assert run.steps == 50
    assert run.evaluations - 50 * (3 if method is Method.BOGACKI_SHAMPINE else 6) <= 5


def test_cheaper_method_is_used_where_the_period_of_a_controller_limits_steps():
    """Where the period limits the step, and not the error, the method with three evaluations is sufficient."""
    session = Simulation(assembly=two_masses(1.0, 0.0), settings=Settings(duration=1.0)).begin()
    for tick in range(1, 201):
        session.advance(tick / 200)
    run = session.finish()
    assert 200 <= run.steps <= 210
    assert run.evaluations <= run.steps * (3 + 1) + 50  # one more at the beginning of a piece


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"method": Method.RUNGE_KUTTA_4}, "step: Must be given for rk4"),
        ({"step": -0.1}, "step: Must be a time above 0 s, .* Given: -0.1."),
        ({"step": math.nan}, "step: .* Given: nan."),
        ({"method": "rk4", "step": 0.1}, "method: Must be one of Method.AUTOMATIC, .* Given: 'rk4'."),
        ({"duration": math.inf}, "duration: Must be a finite time"),
        ({"duration": -1.0}, "duration: .* Given: -1.0."),
    ],
)
def test_invalid_settings_are_refused(wrong, said):
    settings = Settings(**{"duration": 1.0, **wrong})
    with pytest.raises(InputError, match=said):
        Simulation(assembly=two_masses(1.0, 0.0), settings=settings)
