"""Kinds of scenarios: one object for each, with its model and the modules that run and draw it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from softdock.model.changed_members import ChangedMembers
    from softdock.result import Result
    from softdock.scenario.base import ScenarioBase
    from softdock.simulation.real_time import RealTime


class Prepared(Protocol):
    """A scenario with all that its runs share: arrays, surfaces, modes, channels, initial state."""

    @property
    def scenario(self) -> "ScenarioBase":
        """The scenario."""

    def simulate(self, real_time: "RealTime | None" = None, *, for_prediction: bool = False) -> "Result":
        """Run the scenario; `for_prediction` keeps what `predict` needs, so that it does not simulate again."""

    def predict(self) -> Mapping[str, Any] | None:
        """Return what theory expects, SI values under the names of metrics; None where no theory applies."""


Family = Callable[["ScenarioBase", "ChangedMembers"], Prepared]
"""Prepares scenarios that differ from one in numbers of some members only."""


@dataclass(frozen=True)
class ScenarioKind:
    """A kind of scenario. Modules are imported when first used, so that a run imports only those of its kind."""

    name: str
    _model: str
    """`module:class` of its model."""
    _prepared: str
    """`module:class` of its prepared runs."""
    _scene: str
    """Module that builds the scene of a run, for replays."""
    real_time: bool = False
    """Whether it can run in real time."""
    holds_interpreter: bool = False
    """Whether a run spends most of its time in Python, so that many of them run faster in processes than in threads."""

    @property
    def model(self) -> "type[ScenarioBase]":
        """The model of scenarios of this kind."""
        model: type[ScenarioBase] = _attribute(self._model)
        return model

    def prepare(self, scenario: "ScenarioBase") -> Prepared:
        """Return a scenario of this kind, prepared to run. Raises InputError."""
        prepared: Prepared = _attribute(self._prepared)(scenario)
        return prepared

    def family(self, scenario: "ScenarioBase") -> Family:
        """Return a function that prepares scenarios which differ from one in numbers of some members only."""
        kind = _attribute(self._prepared)
        if hasattr(kind, "family"):
            prepare: Family = kind.family(scenario)
            return prepare
        return lambda other, changed: kind(other)

    def import_runner(self) -> None:
        """Import the modules that run scenarios of this kind."""
        _attribute(self._prepared)

    @property
    def scene(self) -> ModuleType:
        """The module that builds scenes of runs of this kind."""
        return import_module(self._scene)


def _attribute(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


KINDS = {
    kind.name: kind
    for kind in (
        ScenarioKind(
            "chain",
            "softdock.scenario.chain:ChainScenario",
            "softdock.simulation.chain:PreparedChain",
            "softdock.replay.chain",
            holds_interpreter=True,
        ),
        ScenarioKind(
            "multibody",
            "softdock.scenario.multibody:MultibodyScenario",
            "softdock.simulation.multibody:PreparedMultibody",
            "softdock.replay.multibody",
            real_time=True,
        ),
        ScenarioKind(
            "robot",
            "softdock.scenario.robot:RobotScenario",
            "softdock.simulation.robot:PreparedRobot",
            "softdock.replay.robot",
            real_time=True,
        ),
        ScenarioKind(
            "station",
            "softdock.scenario.station:StationScenario",
            "softdock.simulation.station:PreparedStation",
            "softdock.replay.station",
        ),
    )
}
"""All kinds of scenarios by name."""
