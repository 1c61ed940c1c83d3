"""The benchmark of the docking sequence: the cost of its phases adds up to that of the run."""

from typing import cast

from softdock import simulate
from softdock.bench.sequence import SCENARIO, phase_costs
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario


def test_costs_of_phases_add_up_to_that_of_the_run() -> None:
    scenario = cast(MultibodyScenario, load(SCENARIO))
    result = simulate(scenario, with_prediction=False)
    costs = phase_costs(scenario, result)
    assert [cost.name for cost in costs] == [phase.name for phase in result.phases]
    # Every call ends a step and begins with a shorter one.
    assert result.timing.steps <= sum(cost.steps for cost in costs) < 1.1 * result.timing.steps
    assert all(cost.evaluations > cost.steps and cost.seconds > 0.0 for cost in costs)
