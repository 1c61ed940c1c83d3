"""Scenarios: file format, validation, error messages with file and line, bundled scenarios."""

from softdock.scenario.base import ScenarioBase
from softdock.scenario.construction import Scenario, ScenarioLike, as_scenario
from softdock.scenario.kinds import KINDS
from softdock.scenario.loading import Bundled, bundled, check, from_data, load

__all__ = [
    "KINDS",
    "Bundled",
    "Scenario",
    "ScenarioBase",
    "ScenarioLike",
    "as_scenario",
    "bundled",
    "check",
    "from_data",
    "load",
]
