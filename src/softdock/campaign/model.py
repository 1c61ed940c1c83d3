"""Model of campaign files: scenario, number of runs and dispersions of fields."""

import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from softdock.model.requirements import Requirement, RequirementId
from softdock.quantities.fields import Integer
from softdock.quantities.model import FieldError, Model
from softdock.scenario.base import UnitSystemName

MOST_RUNS = 100_000_000
MOST_BOUNDARY_RUNS = 2000  # the work of the surrogate grows with their cube
FEWEST_CHAINS = 10  # of a level of subset simulation; fewer give no useful spread of the candidates
KINDS = ("uniform", "log_uniform", "normal", "choice", "magnitude", "lateral")

Count = Annotated[Integer, Field(ge=1, le=MOST_RUNS)]
Share = Annotated[float, Field(gt=0, lt=1)]


class Normal(Model):
    """A normal distribution, truncated at the limits where they are given.

    Values are SI numbers or texts with units.

    >>> from softdock import Dispersion, Normal
    >>> Dispersion(normal=Normal(mean="30 mm/s", deviation="5 mm/s", low=0))
    Dispersion(normal=Normal(mean='30 mm/s', deviation='5 mm/s', low=0))
    """

    mean: Any
    """Mean of the untruncated distribution, written as in the field itself."""
    deviation: Any
    """Standard deviation of the untruncated distribution."""
    low: Any = None
    """Lowest value; leave out for no limit."""
    high: Any = None
    """Largest value; leave out for no limit."""


class ScalarDispersion(Model):
    """Distribution of one number; exactly one key. Values are written as in the field itself."""

    uniform: tuple[Any, Any] | None = None
    """Uniform between two values."""
    log_uniform: tuple[Any, Any] | None = None
    """Log-uniform between two positive values."""
    normal: Normal | None = None
    """Normal distribution, truncated where limits are given."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [key for key in KINDS if getattr(self, key, None) is not None]
        if len(given) != 1:
            allowed = [key for key in KINDS if key in type(self).model_fields]
            raise FieldError("", f"must have exactly one of {', '.join(allowed)}")
        return self


class Dispersion(ScalarDispersion):
    """Distribution of a field; exactly one key, except for `weights` with `choice` and `axial` with `lateral`.

    >>> from softdock import Dispersion, Normal
    >>> Dispersion(uniform=("20 mm/s", "60 mm/s"))
    Dispersion(uniform=('20 mm/s', '60 mm/s'))
    >>> Dispersion(normal=Normal(mean="3 deg", deviation="1 deg"))
    Dispersion(normal=Normal(mean='3 deg', deviation='1 deg'))
    """

    choice: Annotated[tuple[Any, ...], Field(min_length=1)] | None = None
    """One of these values."""
    weights: tuple[Annotated[float, Field(ge=0)], ...] | None = None
    """Relative frequencies of the choices; equal if left out."""
    magnitude: ScalarDispersion | None = None
    """Magnitude of a vector with two or three components; its direction is uniformly distributed."""
    lateral: ScalarDispersion | None = None
    """Magnitude of the first two of three components, across the axis; their direction is uniformly distributed."""
    axial: ScalarDispersion | None = None
    """The third component, along the axis; goes with `lateral`."""

    @model_validator(mode="after")
    def _axis_complete(self) -> Self:
        if (self.lateral is None) != (self.axial is None):
            missing, given = ("axial", "lateral") if self.axial is None else ("lateral", "axial")
            raise FieldError(given, f"needs '{missing}' beside it")
        return self

    @model_validator(mode="after")
    def _weights_fit(self) -> Self:
        if self.weights is None:
            return self
        if self.choice is None:
            raise FieldError("weights", "goes with 'choice'")
        if len(self.weights) != len(self.choice):
            raise FieldError("weights", f"needs {len(self.choice)} entries, one per choice")
        if sum(self.weights) <= 0.0:
            raise FieldError("weights", "must have at least one entry above 0")
        return self


class Correlation(Model):
    """Correlated fields: correlation matrix of the underlying normal variables (Gaussian copula).

    The matrix has no unit.

    >>> from softdock import Correlation
    >>> Correlation(fields=("approach.speed", "approach.roll"), matrix=((1, 0.5), (0.5, 1)))
    Correlation(fields=('approach.speed', 'approach.roll'), matrix=((1.0, 0.5), (0.5, 1.0)))
    """

    fields: Annotated[tuple[str, ...], Field(min_length=2)]
    """Fields that are correlated, by dotted path; each has a scalar dispersion."""
    matrix: tuple[tuple[float, ...], ...]
    """Symmetric, ones on the diagonal, positive definite."""


class StopRule(Model):
    """Ends a campaign early, once the success rate is known accurately enough.

    Probabilities are between 0 and 1.

    >>> from softdock import StopRule
    >>> StopRule(half_width=0.02)
    StopRule(half_width=0.02)
    """

    metric: Literal["success"] = "success"
    """What must be known: the rate of success."""
    half_width: Share
    """Half-width of the Wilson interval at which the campaign ends."""
    confidence: Share = 0.95
    """Confidence level of the interval."""
    minimum: Count = 50
    """Runs before the rule is evaluated for the first time."""
    every: Count = 50
    """Runs between evaluations of the rule, in the order of run numbers."""


class SpringSizing(Model):
    """A spring to be sized by the energy that it stores."""

    metric: str
    """Metric with the largest stored energy of a run, such as `spring_energy_max_bumper_spring`."""
    stroke: Any
    """Deflection from the rest position within which a linear spring must store that energy: a length or an angle."""


class Margin(Model):
    """Continuous distance of a run from failure; a run fails where the margin is at most 0.

    With `at_least` the margin is the metric minus the limit, with `at_most` the limit minus the metric; without a limit
    it is the metric itself.

    Limits are SI numbers or texts with units.

    >>> from softdock import Margin
    >>> Margin(metric="latch_load", at_most="500 N")
    Margin(metric='latch_load', at_most='500 N')
    """

    metric: Annotated[str, Field(min_length=1)]
    """Metric of the scenario that varies continuously, or a component of one as `NAME.0`."""
    at_least: Any = None
    """Smallest good value: a quantity, or the name of another metric."""
    at_most: Any = None
    """Largest good value: a quantity, or the name of another metric."""

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if self.at_least is not None and self.at_most is not None:
            raise FieldError("at_most", "does not go with 'at_least'; a margin has one limit")
        return self


class Subset(Model):
    """Settings of subset simulation.

    Probabilities are between 0 and 1.

    >>> from softdock import Subset
    >>> Subset(level_runs=500)
    Subset(level_runs=500)
    """

    level_runs: Annotated[Integer, Field(ge=100, le=MOST_RUNS)] = 1000
    """Samples of each level; a multiple of 1 / `level_probability`."""
    level_probability: Annotated[float, Field(ge=0.01, le=0.5)] = 0.1
    """Conditional probability of each level; the reciprocal of a whole number."""
    levels: Annotated[Integer, Field(ge=1, le=50)] = 10
    """Largest number of levels."""
    confidence: Share = 0.95
    """Confidence level of the interval of the probability."""

    @model_validator(mode="after")
    def _whole_chains(self) -> Self:
        steps = round(1.0 / self.level_probability)
        if abs(steps * self.level_probability - 1.0) > 1e-9:
            raise FieldError("level_probability", "must be the reciprocal of a whole number, like 0.1 or 0.2")
        if self.level_runs % steps:
            raise FieldError("level_runs", f"must be a multiple of {steps}, the samples of a chain")
        if self.level_runs < FEWEST_CHAINS * steps:
            raise FieldError(
                "level_runs", f"must be at least {FEWEST_CHAINS * steps}, for {FEWEST_CHAINS} chains"
            )
        return self


class Boundary(Model):
    """Settings of the refinement of a boundary.

    Probabilities are between 0 and 1.

    >>> from softdock import Boundary
    >>> Boundary(batch=4)
    Boundary(batch=4)
    """

    initial: Annotated[Integer, Field(ge=10, le=1000)] | None = None
    """Runs that cover the ranges evenly before the refinement; 10 per input if left out."""
    holdout: Annotated[Integer, Field(ge=10, le=100_000)] = 50
    """Runs at random points that only test the surrogate."""
    batch: Annotated[Integer, Field(ge=1, le=100)] = 8
    """Runs of each refinement, chosen together."""
    tolerance: Share = 0.01
    """Fraction of the volume with an uncertain side at which the refinement ends."""


class CampaignFile(Model):
    """Many runs of one scenario with dispersed fields."""

    softdock: Literal[1] = 1
    """Version of the file format."""
    kind: Literal["campaign"] = "campaign"
    """Kind of file."""
    title: str = ""
    """One line about the purpose of the campaign."""
    description: str = ""
    """Description: source of the dispersions, expected result."""
    author: str = ""
    """Author of the campaign, for reports."""
    revision: str = ""
    """Revision of the campaign, for reports."""
    units: UnitSystemName | None = None
    """Units in which the report displays values; by default those of the scenario."""
    scenario: Annotated[str, Field(min_length=1)]
    """Bundled scenario or scenario file, relative to this file."""
    set: dict[str, Any] = {}
    """Fields of the scenario that are overridden in all runs, by dotted path."""
    runs: Count
    """Number of runs; the largest number for the methods `subset` and `boundary`."""
    seed: Annotated[Integer, Field(ge=0, lt=2**63)] = 0
    """Seed of the samples: the same number gives the same runs."""
    method: Literal["monte-carlo", "subset", "boundary"] = "monte-carlo"
    """`subset` estimates a small failure probability, `boundary` finds the boundary of success over a few inputs."""
    margin: Margin | None = None
    """Distance of a run from failure, for the methods `subset` and `boundary`."""
    subset: Subset = Subset()
    """Settings of the method `subset`."""
    boundary: Boundary = Boundary()
    """Settings of the method `boundary`."""
    sampling: Literal["random", "latin-hypercube", "sobol", "saltelli"] = "random"
    """`saltelli` is the design for Sobol' indices."""
    presets: tuple[str, ...] = ()
    """Predefined dispersions; dispersions of this file take precedence."""
    dispersions: dict[str, Dispersion] = {}
    """Distributions of fields, by dotted path."""
    correlations: tuple[Correlation, ...] = ()
    """Groups of fields that are correlated."""
    success: tuple[str, ...] = ()
    """Outcomes that count as success."""
    stop: StopRule | None = None
    """Rule that ends the campaign early; leave out to complete all runs."""
    histories: Literal["none", "failures", "all"] | Count = "none"
    """Runs whose histories are stored; a number n stores every n-th run."""
    metrics: tuple[str, ...] = ()
    """Metrics shown in the report; the first that vary if left out."""
    springs: dict[str, SpringSizing] = {}
    """Springs that the report sizes."""
    requirements: dict[RequirementId, Requirement | None] = {}
    """Requirements in addition to those of the scenario; one with the same identifier replaces it, null removes it."""
    predictions: Count | None = None
    """Number of samples whose impact is predicted by theory; only for chains of two and two masses."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.dispersions and not self.presets:
            raise FieldError("dispersions", "must name at least one field that varies, or use a preset")
        if self.stop is not None and not self.success:
            raise FieldError("success", "must name the outcomes that count as success for the stop rule")
        if self.stop is not None and self.sampling == "saltelli":
            raise FieldError("stop", "does not go with the saltelli design, which must be completed")
        if self.correlations and self.sampling == "saltelli":
            raise FieldError("correlations", "do not go with Sobol' indices, which need independent inputs")
        if self.predictions is not None and self.sampling != "random":
            raise FieldError("predictions", "beyond the runs need random sampling")
        return self

    @model_validator(mode="after")
    def _method_fits(self) -> Self:
        for key, methods in (
            ("margin", ("subset", "boundary")), ("subset", ("subset",)), ("boundary", ("boundary",)),
        ):  # fmt: skip
            is_default = getattr(self, key) == type(self).model_fields[key].default
            if not is_default and self.method not in methods:
                needed = " or ".join(f"'method: {name}'" for name in methods)
                raise FieldError(key, f"needs {needed}")
        if self.method == "monte-carlo":
            return self
        for key in ("stop", "predictions"):
            if getattr(self, key) is not None:
                raise FieldError(key, f"does not go with 'method: {self.method}', which chooses its own runs")
        if self.sampling != "random":
            raise FieldError("sampling", f"must be 'random' or be left out with 'method: {self.method}'")
        if self.method == "subset":
            self._check_subset()
        else:
            self._check_boundary()
        return self

    def _check_subset(self) -> None:
        if self.margin is None:
            raise FieldError("margin", "is needed by 'method: subset': a metric with a limit, without a step")
        if self.runs < self.subset.level_runs:
            raise FieldError("runs", f"must be at least the {self.subset.level_runs} runs of the first level")

    def _check_boundary(self) -> None:
        if self.correlations:
            raise FieldError("correlations", "have no influence on a boundary; 'method: boundary' needs none")
        if self.margin is None and not self.success:
            raise FieldError("margin", "is needed by 'method: boundary', or outcomes in 'success'")
        if self.runs > MOST_BOUNDARY_RUNS:
            raise FieldError("runs", f"must be at most {MOST_BOUNDARY_RUNS} for the surrogate of a boundary")


class PresetFile(Model):
    """Predefined dispersions of the approach."""

    softdock: Literal[1] = 1
    """Version of the file format."""
    kind: Literal["preset"] = "preset"
    """Kind of file."""
    title: str
    """One line about the source of the dispersions."""
    description: str = ""
    """Description: numbers and their source."""
    dispersions: dict[str, Dispersion]
    """Distributions of fields of the approach, by dotted path."""


def independent_runs(campaign: Mapping[str, Any]) -> int:
    """Return how many of the first runs of a campaign, as plain data, do not depend on the results of others."""
    match campaign.get("method", "monte-carlo"):
        case "subset":
            return Subset.model_validate(campaign.get("subset", {})).level_runs
        case "boundary":
            return 0
        case _:
            return sys.maxsize
