"""Softdock simulates the contact phase of spacecraft docking, berthing and servicing.

    import softdock

    result = softdock.simulate("latch-paper", {"speed": "80 mm/s"})
    print(result.summary())

Numbers are SI. Every number of a scenario may also be a text with a unit, such as "80 mm/s". All names below are
attributes of `softdock`; `help(softdock.Spring)` describes one of them with its units and an example. They are loaded
when they are first used, so that `import softdock` is fast.

Run:
    simulate, predict       run a scenario and return its Result; what theory expects of it
    load, bundled           read a scenario file or a bundled scenario; list the bundled scenarios
    Scenario, Campaign      a docking; many runs of it with dispersed values
    Result, History         outcome, loads, events and metrics of a run; recorded channels as arrays
    RunTable, Probability   runs of a campaign; an estimated probability
    InputError, Problem     the error for bad input, with the path of every field at fault
    RunError                the error for a run or campaign that could not be completed

Bodies and joints:
    Body, FullInertia, System, Anchor, RollPitchYaw, AxisAngle
    Free, Fixed, Revolute, Prismatic, Universal, Spherical, Planar

Forces:
    Spring, Exponential, Stop, Drive, Strut, Weld, Lock, Coupling, Load, Pulse

Contact:
    Surface, Corner, Curve, Contact, Layer, Friction, Interface

Scenario:
    Approach, Event, Action, Phase, Outcome, Requirement, Record, Integrator, Accuracy, Impact
    Flexible, Controller, SystemOrbit

Dispersions of a campaign:
    Dispersion, Normal
"""

import importlib
from typing import Any

from softdock.errors import InputError as InputError
from softdock.errors import Problem as Problem
from softdock.errors import RunError as RunError
from softdock.prediction import predict as predict
from softdock.simulation import simulate as simulate

__version__ = "0.2.0"

_HOMES = {
    "Accuracy": "softdock.scenario.multibody",
    "Action": "softdock.model.events",
    "Anchor": "softdock.model.frames",
    "Approach": "softdock.scenario.multibody",
    "AxisAngle": "softdock.model.joints",
    "Body": "softdock.model.system",
    "Campaign": "softdock.campaign.interface",
    "Contact": "softdock.model.surfaces",
    "Controller": "softdock.model.gnc",
    "Corner": "softdock.model.surfaces",
    "Coupling": "softdock.model.couplings",
    "Curve": "softdock.model.surfaces",
    "Dispersion": "softdock.campaign.model",
    "Drive": "softdock.model.elements",
    "Event": "softdock.model.events",
    "Exponential": "softdock.model.elements",
    "Fixed": "softdock.model.joints",
    "Flexible": "softdock.model.structures",
    "Free": "softdock.model.joints",
    "Friction": "softdock.model.surfaces",
    "FullInertia": "softdock.model.system",
    "History": "softdock.result",
    "Impact": "softdock.scenario.multibody",
    "Integrator": "softdock.scenario.multibody",
    "Interface": "softdock.model.interfaces",
    "Layer": "softdock.model.surfaces",
    "Load": "softdock.model.elements",
    "Lock": "softdock.model.elements",
    "Normal": "softdock.campaign.model",
    "Outcome": "softdock.model.events",
    "Phase": "softdock.model.phases",
    "Planar": "softdock.model.joints",
    "Prismatic": "softdock.model.joints",
    "Probability": "softdock.campaign.interface",
    "Pulse": "softdock.model.elements",
    "Record": "softdock.scenario.multibody",
    "Requirement": "softdock.model.requirements",
    "Result": "softdock.result",
    "Revolute": "softdock.model.joints",
    "RollPitchYaw": "softdock.model.joints",
    "RunTable": "softdock.campaign.run_table",
    "Scenario": "softdock.scenario.construction",
    "Spherical": "softdock.model.joints",
    "Spring": "softdock.model.elements",
    "Stop": "softdock.model.elements",
    "Strut": "softdock.model.elements",
    "Surface": "softdock.model.surfaces",
    "System": "softdock.model.system",
    "SystemOrbit": "softdock.model.orbit",
    "Universal": "softdock.model.joints",
    "Weld": "softdock.model.elements",
    "bundled": "softdock.scenario.loading",
    "load": "softdock.scenario.loading",
}
"""Modules of the public names that are loaded when they are first used."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # There is no `__all__`: with it, `help(softdock)` would print the complete help of every class.
    return sorted([*_HOMES, "InputError", "Problem", "RunError", "__version__", "predict", "simulate"])
