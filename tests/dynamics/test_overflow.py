"""A trial step that overflows is rejected and does not affect later steps."""

import numpy as np
import pytest

from dynamics.flexible_systems import flexible_scene
from dynamics.systems import JOINTS, scene
from dynamics.trees import random_system
from softdock.assembly.assembler import assemble
from softdock.dynamics.entry_points import derivative
from softdock.dynamics.system_records import system_records
from softdock.scenario.loading import load
from softdock.simulation import simulate

SYSTEMS = {
    **{f"{kind}-{floating}": (scene, (kind, floating)) for kind in JOINTS for floating in (False, True)},
    **{f"tree-{seed}": (random_system, (seed,)) for seed in range(12)},
    **{f"flexible-{floating}": (flexible_scene, ("revolute", floating)) for floating in (False, True)},
}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("absurd", [1e200, np.inf, np.nan], ids=str)
def test_rates_do_not_depend_on_states_evaluated_before(name, absurd):
    build, arguments = SYSTEMS[name]
    assembly = assemble(build(*arguments))
    expected, found = np.zeros(len(assembly.y)), np.zeros(len(assembly.y))
    derivative(system_records(assembly), 0.0, assembly.y, expected)
    used = system_records(assembly)
    with np.errstate(all="ignore"):
        derivative(used, 0.0, absurd * (1.0 + assembly.y), np.zeros(len(assembly.y)))
    derivative(used, 0.0, assembly.y, found)
    assert np.array_equal(found, expected)


def test_docking_with_a_trial_step_that_overflows_completes():
    """A step of some seconds in free flight overflows the exponential spring of the bumper and is rejected."""
    scenario = load(
        "assist-soft-docking",
        {
            "opening": False,
            "duration": 120.0,
            "approach.speed": 0.00932919929301707,
            "approach.offset": [0.0005613678455502077, 0.01663120990110464],
            "approach.tilt": [0.00663192410811869, -0.02154137401480147],
            "bodies.servicer.mass": 2027.3039577370396,
        },
    )
    result = simulate(scenario, with_prediction=False)
    assert result.completed
    assert result.metrics["t_first_contact"] > 4.66
