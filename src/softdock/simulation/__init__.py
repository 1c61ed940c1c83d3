"""One run: `prepare` a scenario, `simulate` it and return its result."""

import functools
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softdock.errors import InputError
from softdock.native.library import prepare_kernels

if TYPE_CHECKING:
    from softdock.result import Result
    from softdock.scenario.base import ScenarioBase
    from softdock.scenario.construction import ScenarioLike
    from softdock.scenario.kinds import Prepared
    from softdock.scenario.overrides import Overrides
    from softdock.simulation.control import UserController
    from softdock.simulation.real_time import RealTime


def prepare(scenario: "ScenarioLike") -> "Prepared":
    """Return a scenario, or the bundled scenario or file of that name, prepared to run.

    Assembly, surfaces, modes, channels and initial state are made once; runs, predictions, reports and drawings use
    them. Raises `InputError`.
    """
    from softdock.scenario.construction import as_scenario
    from softdock.scenario.kinds import KINDS

    scenario = as_scenario(scenario)
    return KINDS[scenario.kind].prepare(scenario)


def simulate(
    scenario: "ScenarioLike",
    overrides: "Overrides | None" = None,
    *,
    with_prediction: bool = True,
    real_time: "RealTime | None" = None,
    controller: "UserController | None" = None,
    converged: bool = False,
) -> "Result":
    """Run a scenario and return its `Result`; all values are SI.

    The scenario is an object, a mapping with the keys of a scenario file, or the name of a bundled scenario or file.
    `overrides` replaces values by dotted path. The scenario is not changed. Bad input raises `InputError`; a bounce or
    a failed latch is an outcome. The result contains the prediction of theory, unless `with_prediction` is false.
    A user-defined `controller` is for scenarios of kind multibody. With `converged` the run is repeated with error
    tolerances of a tenth and contact cells of half the size: `Result.converged` compares both.

    >>> from softdock import simulate
    >>> result = simulate("latch-paper", {"speed": "0.08 m/s"})
    >>> result.outcome, result.history.units["chaser.velocity"]
    ('latched', 'm/s')
    """
    from softdock.scenario.construction import as_scenario

    scenario = as_scenario(scenario, overrides)
    _check_real_time(scenario, real_time)
    if converged:
        _check_converged(scenario, real_time, controller)
    prepared = prepare(scenario) if controller is None else _prepare_with(scenario, controller, real_time)
    result = run_prepared(prepared, real_time, for_prediction=with_prediction)
    result = replace(
        result,
        definition=DeferredMapping(prepared.scenario.to_data),
        directory=str(scenario.directory.absolute()),
        outlines=DeferredMapping(functools.partial(_outlines, prepared.scenario)),
        prepared=prepared,
    )
    if result.prediction is None and with_prediction:
        result = replace(result, prediction=prepared.predict())
    if converged:
        from softdock.simulation.convergence import refined_run

        return replace(result, converged=refined_run(result))
    return result


def _check_converged(
    scenario: "ScenarioBase", real_time: "RealTime | None", controller: "UserController | None"
) -> None:
    """Raise InputError where a refined run would not be the same run with finer settings."""
    from softdock.simulation.convergence import check_refinable

    others = {"real_time": real_time, "controller": controller}
    for name, given in others.items():
        if given is not None:
            message = f"Cannot be combined with `{name}`: such a run is not repeated with finer settings."
            raise InputError(message, field="converged")
    check_refinable(scenario)


def _prepare_with(
    scenario: "ScenarioBase", controller: "UserController", real_time: "RealTime | None"
) -> "Prepared":
    """Return a multibody scenario under a user-defined controller, prepared to run."""
    from softdock.simulation.control import PreparedWithController

    if real_time is not None:
        message = "Cannot be combined with a user-defined controller, which has its own samples."
        raise InputError(message, field="real_time")
    return PreparedWithController(scenario, controller)


def _outlines(scenario: "ScenarioBase") -> Mapping[str, Any]:
    """Return the outlines of the surfaces of a scenario; drawings and storage share them."""
    from softdock.result.outlines import read_outlines

    return read_outlines(getattr(scenario, "surfaces", {}), scenario.directory)


class DeferredMapping(Mapping[str, Any]):
    """A mapping that is computed when it is first read."""

    def __init__(self, compute: Callable[[], Mapping[str, Any]]) -> None:
        self._compute = compute

    @functools.cached_property
    def _mapping(self) -> Mapping[str, Any]:
        return self._compute()

    def __getitem__(self, key: str) -> Any:
        return self._mapping[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._mapping)

    def __len__(self) -> int:
        return len(self._mapping)


def run_prepared(
    prepared: "Prepared", real_time: "RealTime | None" = None, *, for_prediction: bool = False
) -> "Result":
    """Run a prepared scenario and return outcome, metrics, history, validity, requirements and timing."""
    prepare_kernels()
    start = time.perf_counter()
    result = prepared.simulate(real_time, for_prediction=for_prediction)
    completed: dict[str, Any] = {
        "scenario": prepared.scenario.name,
        "timing": replace(result.timing, wall_s=time.perf_counter() - start),
    }
    if result.audit.passed is False or result.audit.doubtful:
        result = _with_conservation_warning(result)
    if prepared.scenario.requirements:
        from softdock.result.requirements import required_fields

        completed |= required_fields(prepared.scenario, result)
    return replace(result, **completed)


def _with_conservation_warning(result: "Result") -> "Result":
    """Return a result whose conservation check failed or is doubtful with a warning and its validity."""
    from softdock.presentation.run import conservation_doubt, conservation_failure

    if result.audit.passed is False:
        warning = conservation_failure(result.audit)
        warnings = (*result.warnings, warning)
        return replace(result, message=f"{result.message} {warning}", valid="no", warnings=warnings)
    valid = "warned" if result.valid == "yes" else result.valid
    return replace(result, valid=valid, warnings=(*result.warnings, conservation_doubt(result.audit)))


def _check_real_time(scenario: "ScenarioBase", real_time: "RealTime | None") -> None:
    from softdock.scenario.kinds import KINDS

    if real_time is not None and not KINDS[scenario.kind].real_time:
        kinds = ", ".join(kind.name for kind in KINDS.values() if kind.real_time)
        raise InputError(
            f"Real time is for scenarios of kind {kinds}.", given=f"{scenario.name}, {scenario.kind}"
        )
