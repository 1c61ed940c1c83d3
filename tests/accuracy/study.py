"""Runs of a case and its references, and how many peaks are wrong, flagged and within their stated errors."""

import math
from dataclasses import dataclass

from tests.accuracy.cases import Case
from tests.accuracy.mechanisms import Peak

from softdock import simulate
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy

KINDS = ("force", "moment")
WRONG = 0.02
"""Relative error of a peak that counts as wrong."""
SMALL = 0.01
"""Peaks below this part of the largest one of a run are compared with that part."""
SENSITIVE = 0.25 * WRONG
"""Relative difference of two references above which a peak has no reference."""
REFERENCES = (0.03, 0.01)
"""Factors on all tolerances of the two references."""
HONEST = 2.0
"""A true error above this many stated ones is not covered."""


@dataclass(frozen=True)
class PeakOfCase:
    """A peak with its reference and errors [N or N m]; `scale` is what errors are compared with."""

    case: str
    peak: Peak
    value: float
    reference: float
    stated: float | None
    scale: float
    sensitive: bool
    flagged: bool

    @property
    def error(self) -> float:
        """Size of the true error [N or N m]."""
        return abs(self.value - self.reference)

    @property
    def is_wrong(self) -> bool:
        """Whether the error is above `WRONG`."""
        return not self.sensitive and self.error > WRONG * self.scale

    @property
    def is_uncovered(self) -> bool:
        """Whether the true error is above twice the stated one; errors below 1e-6 of the scale do not count."""
        return (
            not self.sensitive
            and self.stated is not None
            and self.error > HONEST * self.stated
            and self.error > 1e-6 * self.scale
        )


@dataclass(frozen=True)
class CaseResult:
    """What became of a case."""

    family: str
    name: str
    peaks: tuple[PeakOfCase, ...]
    steps: int
    evaluations: int
    implicit_steps: int | None = None


def run(case: Case, factor: float = 1.0, method: str = "automatic") -> Result:
    """Return the result of a case with tolerances times a factor."""
    integrator: dict[str, object] = {"method": method}
    if factor != 1.0:
        integrator["accuracy"] = {key: factor * value for key, value in Accuracy().model_dump().items()}
    return simulate(MultibodyScenario(**case.scenario, integrator=integrator))


def peaks(result: Result) -> dict[Peak, tuple[float, float | None]]:
    """Return all peaks of a result with their stated errors."""
    found = {}
    for load in result.loads:
        if load.peak_force is not None:
            found[load.name, "force"] = load.peak_force, getattr(load, "force_error", None)
        if load.peak_moment is not None:
            found[load.name, "moment"] = load.peak_moment, getattr(load, "moment_error", None)
    return found


def lever_of(case: Case) -> float:
    """Return the largest radius of gyration of the bodies about their own centres [m]."""
    bodies = case.scenario["bodies"].values()
    return math.sqrt(max(sum(body["inertia"]) / 3.0 / body["mass"] for body in bodies))


def study(case: Case, with_implicit: bool = False) -> CaseResult:
    """Run a case and its references and compare all peaks of a closed form, or of all reactions without one."""
    result = run(case)
    values = peaks(result)
    if case.exact:
        coarse = fine = {peak: (value, None) for peak, value in case.exact.items()}
    else:
        coarse, fine = (peaks(run(case, factor)) for factor in REFERENCES)
    rows, lever = [], lever_of(case)
    largest = {
        what: max((x for (_, kind), (x, _) in fine.items() if kind == what), default=0.0) for what in KINDS
    }
    least = {
        "force": SMALL * max(largest["force"], largest["moment"] / lever),
        "moment": SMALL * max(largest["moment"], largest["force"] * lever),
    }
    for what in KINDS:
        for peak in (peak for peak in fine if peak[1] == what):
            (value, stated), reference = values[peak], fine[peak][0]
            scale = max(reference, least[what])
            if scale > 0.0:
                sensitive = abs(coarse[peak][0] - reference) > SENSITIVE * scale
                flagged = result.valid != "yes"
                rows.append(PeakOfCase(case.name, peak, value, reference, stated, scale, sensitive, flagged))
    implicit = run(case, method="rosenbrock").timing.steps if with_implicit else None
    return CaseResult(
        case.family, case.name, tuple(rows), result.timing.steps, result.timing.evaluations, implicit
    )
