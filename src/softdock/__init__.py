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
    Free, Fixed, Revolute, Prismatic, Cylindrical, Universal, Spherical, Planar

Forces:
    {forces}

Contact:
    Surface, Zone, Corner, Curve, Contact, Layer, Friction
    SolidShape, Box, Cylinder, Sphere, Capsule, Torus, Revolution, Extrusion, Union, OutlineCorner, OutlineCurve
    Interface, Layout, Circle, Grid, PinShape, HoleShape, Misalignment, PinContactLaw, PinDamping, PinFriction

Scenario:
    Approach, Event, Action, Phase, Outcome, Metric, LinkStiffness, Requirement, ContactBox
    Record, Integrator, Accuracy, Impact

Spacecraft:
    SystemOrbit, Flexible, ModeChoice, NastranFiles
    Controller, Glide, HoldPoint, Gate, Corridor, Transfer, TranslationLaw, TranslationRegulator, AttitudeLaw,
    AttitudeRegulator, Thruster, ReactionWheel, Navigation, PoseSensor, Gyro, Filter, AssumedMass

Controllers in Python:
    UserController, ControlInterface, Measurement, BodyMotion, JointMotion, Actuation, Wrench

Stepping by another program:
    Plant, PlantPool

Campaigns:
    Dispersion, Normal, Correlation, StopRule, Margin, Subset, Boundary
"""

import importlib
import sys
from typing import Any

from softdock.elements.kinds import KINDS
from softdock.errors import InputError as InputError
from softdock.errors import Problem as Problem
from softdock.errors import RunError as RunError
from softdock.prediction import predict as predict
from softdock.simulation import simulate as simulate

__version__ = "0.2.0"
__doc__ = (__doc__ or "").replace("{forces}", "\n    ".join(map(", ".join, KINDS.values())))

_HOMES = {
    "Accuracy": "softdock.scenario.run_settings",
    "Action": "softdock.model.events",
    "Actuation": "softdock.simulation.control",
    "Anchor": "softdock.tree.frames",
    "Approach": "softdock.scenario.run_settings",
    "AssumedMass": "softdock.model.gnc",
    "AttitudeLaw": "softdock.model.control_laws",
    "AttitudeRegulator": "softdock.model.control_laws",
    "AxisAngle": "softdock.tree.joints",
    "Body": "softdock.model.system",
    "BodyMotion": "softdock.simulation.control",
    "Boundary": "softdock.campaign.model",
    "Box": "softdock.model.solids",
    "Campaign": "softdock.campaign.interface",
    "Capsule": "softdock.model.solids",
    "Circle": "softdock.model.interfaces",
    "Contact": "softdock.model.surfaces",
    "ContactBox": "softdock.model.contact_conditions",
    "ControlInterface": "softdock.simulation.control",
    "Controller": "softdock.model.gnc",
    "Corner": "softdock.model.profile_vertices",
    "Correlation": "softdock.campaign.model",
    "Corridor": "softdock.model.control_laws",
    "Curve": "softdock.model.profile_vertices",
    "Cylinder": "softdock.model.solids",
    "Cylindrical": "softdock.tree.joints",
    "Dispersion": "softdock.campaign.model",
    "Event": "softdock.model.events",
    "Extrusion": "softdock.model.solids",
    "Filter": "softdock.model.gnc",
    "Fixed": "softdock.tree.joints",
    "Flexible": "softdock.model.structures",
    "Free": "softdock.tree.joints",
    "Friction": "softdock.model.surfaces",
    "FullInertia": "softdock.model.system",
    "Gate": "softdock.model.control_laws",
    "Glide": "softdock.model.control_laws",
    "Grid": "softdock.model.interfaces",
    "Gyro": "softdock.model.gnc",
    "History": "softdock.result",
    "HoldPoint": "softdock.model.control_laws",
    "HoleShape": "softdock.model.interfaces",
    "Impact": "softdock.scenario.run_settings",
    "Integrator": "softdock.scenario.run_settings",
    "Interface": "softdock.model.interfaces",
    "JointMotion": "softdock.simulation.control",
    "Layer": "softdock.model.surfaces",
    "Layout": "softdock.model.interfaces",
    "LinkStiffness": "softdock.model.stiffness",
    "Margin": "softdock.campaign.model",
    "Measurement": "softdock.simulation.control",
    "Metric": "softdock.model.metrics",
    "Misalignment": "softdock.model.interfaces",
    "ModeChoice": "softdock.model.structures",
    "NastranFiles": "softdock.model.structures",
    "Navigation": "softdock.model.gnc",
    "Normal": "softdock.campaign.model",
    "Outcome": "softdock.model.events",
    "OutlineCorner": "softdock.model.solids",
    "OutlineCurve": "softdock.model.solids",
    "Phase": "softdock.model.phases",
    "PinContactLaw": "softdock.model.interfaces",
    "PinDamping": "softdock.model.interfaces",
    "PinFriction": "softdock.model.interfaces",
    "PinShape": "softdock.model.interfaces",
    "Planar": "softdock.tree.joints",
    "Plant": "softdock.simulation.plant",
    "PlantPool": "softdock.simulation.plant_pool",
    "PoseSensor": "softdock.model.gnc",
    "Prismatic": "softdock.tree.joints",
    "Probability": "softdock.campaign.interface",
    "ReactionWheel": "softdock.model.gnc",
    "Record": "softdock.scenario.run_settings",
    "Requirement": "softdock.model.requirements",
    "Result": "softdock.result",
    "Revolute": "softdock.tree.joints",
    "Revolution": "softdock.model.solids",
    "RollPitchYaw": "softdock.tree.joints",
    "RunTable": "softdock.campaign.run_table",
    "Scenario": "softdock.scenario.construction",
    "SolidShape": "softdock.model.solids",
    "Sphere": "softdock.model.solids",
    "Spherical": "softdock.tree.joints",
    "StopRule": "softdock.campaign.model",
    "Subset": "softdock.campaign.model",
    "Surface": "softdock.model.surfaces",
    "System": "softdock.model.system",
    "SystemOrbit": "softdock.model.orbit",
    "Thruster": "softdock.model.gnc",
    "Torus": "softdock.model.solids",
    "Transfer": "softdock.model.control_laws",
    "TranslationLaw": "softdock.model.control_laws",
    "TranslationRegulator": "softdock.model.control_laws",
    "Union": "softdock.model.solids",
    "Universal": "softdock.tree.joints",
    "UserController": "softdock.simulation.control",
    "Wrench": "softdock.simulation.control",
    "Zone": "softdock.model.surfaces",
    "bundled": "softdock.scenario.loading",
    "load": "softdock.scenario.loading",
}
"""Modules of the public names that are loaded when they are first used."""


# The classes of the elements follow from the list of their kinds.
_HOMES |= {public: f"softdock.elements.{kind}.model" for kind, classes in KINDS.items() for public in classes}


def __getattr__(name: str) -> Any:
    # `from softdock import *` asks for `__all__`. So does `help(softdock)`, which would then print the complete help of
    # every class instead of the table above.
    if name == "__all__" and sys._getframe(1).f_globals.get("__name__") != "pydoc":
        return [public for public in __dir__() if public != "__version__"]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_HOMES, "InputError", "Problem", "RunError", "__version__", "predict", "simulate"])
