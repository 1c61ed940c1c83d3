"""The campaign file: which scenario, how often, and which of its fields vary and how."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from softdock.quantities.fields import Integer
from softdock.quantities.model import FieldError, Model

MOST_RUNS = 100_000_000
KINDS = ("uniform", "log_uniform", "normal", "choice", "magnitude")

Count = Annotated[Integer, Field(ge=1, le=MOST_RUNS)]
Share = Annotated[float, Field(gt=0, lt=1)]


class Normal(Model):
    """A normal distribution, cut off where limits are given."""

    mean: Any
    deviation: Any
    """Standard deviation (of the distribution before it is cut)."""
    low: Any = None
    high: Any = None


class ScalarDispersion(Model):
    """How one number varies; exactly one key. Values are written as in the field itself."""

    uniform: tuple[Any, Any] | None = None
    """Between two values, each as likely as the other."""
    log_uniform: tuple[Any, Any] | None = None
    """Between two positive values; the logarithm is uniform."""
    normal: Normal | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [key for key in KINDS if getattr(self, key, None) is not None]
        if len(given) != 1:
            allowed = [key for key in KINDS if key in type(self).model_fields]
            raise FieldError("", f"must have exactly one of {', '.join(allowed)}")
        return self


class Dispersion(ScalarDispersion):
    """How a field varies; exactly one of its keys, `weights` only beside `choice`."""

    choice: Annotated[tuple[Any, ...], Field(min_length=1)] | None = None
    """One of these values."""
    weights: tuple[Annotated[float, Field(ge=0)], ...] | None = None
    """How often each choice is taken, relative to the others; equally often if left out."""
    magnitude: ScalarDispersion | None = None
    """For a vector of two or three components: its length; the direction is random."""

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
    """Fields that vary together: correlation of the underlying normal variables (Gaussian copula)."""

    fields: Annotated[tuple[str, ...], Field(min_length=2)]
    matrix: tuple[tuple[float, ...], ...]
    """Symmetric, ones on the diagonal, positive definite."""


class StopRule(Model):
    """End before all runs are done, once a share is known well enough."""

    metric: Literal["success"] = "success"
    half_width: Share
    """Half of the width of the Wilson interval."""
    confidence: Share = 0.95
    minimum: Count = 50
    """Runs before the rule is looked at."""
    every: Count = 50
    """The rule is looked at after every so many runs, in the order of their numbers."""


class Spring(Model):
    """A spring to be sized from the energy it had to store."""

    metric: str
    """Metric with the largest stored energy of a run, like `spring_energy_max_bumper_spring`."""
    stroke: Any
    """Deflection within which a linear spring must store it: a length or an angle."""


class CampaignFile(Model):
    """Many runs of one scenario with dispersed fields."""

    softdock: Literal[1] = 1
    kind: Literal["campaign"] = "campaign"
    title: str = ""
    description: str = ""
    scenario: Annotated[str, Field(min_length=1)]
    """Bundled scenario or scenario file, relative to this file."""
    set: dict[str, Any] = {}
    """Fields of the scenario that are replaced for all runs, by dotted path."""
    runs: Count
    seed: Annotated[Integer, Field(ge=0, lt=2**63)] = 0
    sampling: Literal["random", "latin-hypercube", "sobol", "saltelli"] = "random"
    """`saltelli` is the design for Sobol' indices."""
    presets: tuple[str, ...] = ()
    """Ready-made dispersions; what the file gives itself goes before."""
    dispersions: dict[str, Dispersion] = {}
    """How fields vary, by dotted path."""
    correlations: tuple[Correlation, ...] = ()
    success: tuple[str, ...] = ()
    """Outcomes that count as success."""
    stop: StopRule | None = None
    histories: Literal["none", "failures", "all"] | Count = "none"
    """Whose histories are kept; a number n keeps every n-th run."""
    metrics: tuple[str, ...] = ()
    """Metrics the report draws; all that vary if left out."""
    springs: dict[str, Spring] = {}
    """Springs the report sizes."""
    predictions: Count | None = None
    """Samples of which theory predicts the impact in bulk; of chains with two and two masses."""

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


class PresetFile(Model):
    """Ready-made dispersions of the approach."""

    softdock: Literal[1] = 1
    kind: Literal["preset"] = "preset"
    title: str
    description: str = ""
    dispersions: dict[str, Dispersion]
