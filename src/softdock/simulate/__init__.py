"""One run: a scenario in, a result out."""

import functools
import os
import time
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from softdock.errors import InputError, Problem
from softdock.predict import predict

if TYPE_CHECKING:
    from softdock.result import Result
    from softdock.scenario import ScenarioBase
    from softdock.simulate.real_time import RealTime

# Imported when first needed: one kind of scenario does not pay for the kernels of another.
RUNNERS = {
    "chain": "softdock.simulate.chain",
    "multibody": "softdock.simulate.multibody",
    "robot": "softdock.simulate.robot",
    "station": "softdock.simulate.station",
}


class Runner(Protocol):
    """A module that runs one kind of scenario."""

    def run(self, scenario: "ScenarioBase", /) -> "Result":
        """Run the scenario and return what happened."""


class FrameRunner(Runner, Protocol):
    """A module that can also keep time with the clock."""

    def run_real_time(self, scenario: "ScenarioBase", how: "RealTime", /) -> "Result":
        """Run the scenario in frames and return what happened."""


REAL_TIME_KINDS = ("multibody",)


def simulate(
    scenario: "ScenarioBase | str | os.PathLike[str]",
    *,
    with_prediction: bool = True,
    real_time: "RealTime | None" = None,
) -> "Result":
    """Run a scenario, or the bundled scenario or file of that name, and return what happened.

    The scenario stays untouched. Bad input raises `InputError`; a bounce or a failed latch is an outcome. Beside
    the run stands what theory expects, unless nobody asks for it. In real time a run goes in frames.
    """
    if isinstance(scenario, str | os.PathLike):
        from softdock.scenario import load

        scenario = load(scenario)
    if real_time is not None and scenario.kind not in REAL_TIME_KINDS:
        kinds = ", ".join(REAL_TIME_KINDS)
        raise InputError(
            Problem(
                message=f"Real time is for scenarios of kind {kinds}.",
                given=f"{scenario.name}, {scenario.kind}",
            )
        )
    result = described(carry_out(scenario, real_time), scenario)
    if result.prediction is None and with_prediction:
        return replace(result, prediction=predict(scenario))
    return result


def carry_out(scenario: "ScenarioBase", real_time: "RealTime | None" = None) -> "Result":
    """Run a scenario and return what happened, without what stands beside it: thousands of runs have no use for it."""
    runner = _runner(scenario.kind)
    start = time.perf_counter()
    how = real_time
    result = runner.run(scenario) if how is None else cast(FrameRunner, runner).run_real_time(scenario, how)
    timing = replace(result.timing, wall_s=time.perf_counter() - start)
    result = replace(result, scenario=scenario.name, timing=timing)
    if result.audit.passed is False:
        from softdock.presentation.run import conservation_failure

        warning = conservation_failure(result.audit)
        warnings = (*result.warnings, warning)
        return replace(result, message=f"{result.message} {warning}", valid="no", warnings=warnings)
    return result


def described(result: "Result", scenario: "ScenarioBase") -> "Result":
    """Return the result of a scenario together with the scenario as plain data."""
    definition, directory = scenario.to_data(), str(scenario.directory.absolute())
    return replace(result, definition=definition, directory=directory)


@functools.cache
def _runner(kind: str) -> Runner:
    """Return the module that runs this kind, with that of its prediction imported: no run is charged for imports."""
    from softdock.predict import PREDICTORS

    if kind in PREDICTORS:
        import_module(PREDICTORS[kind])
    return cast(Runner, import_module(RUNNERS[kind]))
