"""Other numbers: the quick way gives the arrays of the thorough one to the last bit, for every number there is."""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.campaign.conftest import untimed

from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import load as load_campaign
from softdock.campaign.template import Template, value_at
from softdock.dynamics.link_motion import LinkMotion
from softdock.errors import InputError
from softdock.scenario import load
from softdock.scenario.loading import load_text
from softdock.simulation.multibody import PreparedMultibody

EVERYTHING = """\
softdock: 1
kind: multibody
duration: 5 s
gravity: [0.01, 0, -0.02]
bodies:
  ship: {mass: 900, inertia: [300, 320, 350], centre_of_mass: [0, 0.1, 0.2], joint: {type: free, rate: [0, 0.01, 0]}}
  arm:
    {mass: 4, inertia: {xx: 2, yy: 2, zz: 1, xy: 0.1}, parent: ship, joint: {type: revolute, at: [1, 0, 0], angle: 0.2}}
  slide: {mass: 2, inertia: [1, 1, 1], parent: arm, joint: {type: prismatic, at: [0, 0, 1], speed: 0.01}}
  wrist: {mass: 1, inertia: [1, 1, 1], parent: slide, joint: {type: universal, attitude: {yaw: 10 deg}}}
  box: {mass: 3, inertia: [1, 1, 1], centre_of_mass: [0.1, 0, 0], parent: ship, joint: {type: fixed, at: [0, 1, 0]}}
  ball: {mass: 3, inertia: [1, 1, 1], parent: ship, joint: {type: spherical, at: [0, -2, 0], rate: [0, 0, 0.1]}}
  sled: {mass: 3, inertia: [1, 1, 1], parent: ship, joint: {type: planar, at: [0, 0, -2], angle: 0.1}}
  port: {mass: 2000, inertia: [700, 700, 800]}
springs:
  bend: {joint: wrist, stiffness: 5, exponential: {reference: 2 deg}, damping: 0.1}
  push: {joint: slide, stiffness: 90, rest: 0.01, preload: 1, friction: 0.2}
stops:
  end: {joint: slide, lower: -0.1, upper: 0.1, stiffness: 1e4}
  cone: {joint: wrist, limit: 0.2, stiffness: 50}
drives:
  turn: {joint: arm, target: 0.5, rate: 0.1, stiffness: 100, damping: 10, max_force: 20}
  creep: {joint: slide, follows: speed, target: 0.02, damping: 10, active: false}
struts: {rope: {a: {body: ship}, b: {body: port, at: [0, 1, 0]}, stiffness: 0.1, length: 3}}
welds: {hold: {a: {body: ship}, b: {body: port}, stiffness: 10, angular_stiffness: 10}}
locks: {bolt: {a: {body: ball}, b: {body: sled}}}
loads:
  thruster: {body: ship, force: [0, 0, 1], pulses: [{start: 1, duration: 0.5}]}
  table: {body: port, torque: [0, 0.1, 0], table: [[0, 1], [2, 0.5]]}
structures:
  boom:
    body: box
    base: root
    damping: 0.01
    members:
      nodes: {root: [0, 0, 0], tip: [0, 2, 0.5]}
      sections: {s: {axial: 1e5, bending_y: 100, bending_z: 120, torsion: 80, mass_per_length: 0.4, polar: 0.01}}
      beams: {b: {nodes: [root, tip], section: s, elements: 2, side: [0, 0, 1]}}
surfaces:
  nose:
    body: wrist
    at: [0, 0, 0.1]
    profile:
      [[-10 mm, 0], {arc_to: [0, 10 mm], radius: 10 mm, turn: right}, {arc_to: [10 mm, 0], radius: 10 mm, turn: right}]
  cone: {body: port, profile: [[0, 50 mm], [50 mm, 20 mm]]}
contacts:
  touch: {a: cone, b: nose, layer: {stiffness: 1e9, damping: 1e6, damping_depth: 0.1 mm}, friction: {coefficient: 0.1}}
interfaces:
  berth:
    holes: {body: port, at: [0.5, 0, 0]}
    pins: {body: ship, at: [0.5, 0, 0]}
    layout: {circle: {count: 3, radius: 100 mm}}
    pin: {diameter: 16 mm, length: 40 mm}
    hole: {clearance: 0.4 mm, depth: 40 mm, chamfer: 2 mm}
    contact: {stiffness: 1e6 N/m}
approach:
  {chaser: ship, tip: {body: wrist, at: [0, 0, 0.2]}, port: {body: port}, distance: 0.4, offset: [0.01, 0],
  tilt: [0, 0.02], speed: 0.03, rate: [0, 0, 0.001]}
events:
  late: {when: time > 4 s, then: [{drive: turn, target: 0.1}]}
  deep: {when: wrist.z in port > 10 mm, then: [{stop: true}]}
metrics: {force: max touch.force, shake: final boom/tip.deflection, when: time from late to deep}
"""


def numbers(data: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of all numbers in plain data."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield from numbers(value, f"{path}.{key}" if path else str(key))
    if isinstance(data, float):
        yield path


def assert_same(a: Any, b: Any, where: str = "") -> None:
    """Compare everything in two objects bit by bit."""
    assert type(a) is type(b), where
    if isinstance(a, np.ndarray) and a.dtype.names:
        assert a.shape == b.shape, where
        for name in a.dtype.names:
            assert_same(np.asarray(a[name]), np.asarray(b[name]), f"{where}.{name}")
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), where
    elif isinstance(a, dict):
        assert list(a) == list(b), where
        for key in a:
            assert_same(a[key], b[key], f"{where}.{key}")
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b)):
            assert_same(x, y, f"{where}.{i}")
    elif is_dataclass(a):
        for field in fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{where}.{field.name}")
    elif not isinstance(a, LinkMotion):  # an evaluator without content of its own
        assert a == b, where


@cache
def everything(settled: bool = False) -> Template:
    scenario = load_text(EVERYTHING, "everything", overrides={"structures.boom.settled": settled})
    return Template(scenario.name, scenario.to_data(), str(Path().absolute()))


def changed(value: float) -> float:
    return value * 1.003 if value else 1e-3


def made(build: Any, inputs: dict[str, Any]) -> Any:
    """Return scenario and simulation, or what was said instead."""
    try:
        scenario = build(inputs)
        prepared = PreparedMultibody(scenario)
        prepared.check_start()
        return scenario, prepared.simulation
    except InputError as error:
        return str(error)


def check(template: Template, inputs: dict[str, Any]) -> None:
    quick, thorough = made(template.build, inputs), made(template.build_from_data, inputs)
    if isinstance(thorough, str):
        assert quick == thorough
        return
    assert quick[0].sibling is not None
    assert quick[0] == thorough[0]
    assert_same(quick[1], thorough[1])


PATHS = list(numbers(everything().data))


@pytest.mark.parametrize("group", sorted({path.split(".")[0] for path in PATHS}))
def test_every_number_alone(group: str) -> None:
    template = everything()
    for path in PATHS:
        if path.split(".")[0] == group:
            check(template, {path: changed(value_at(template.data, path))})


def test_all_that_is_often_dispersed_at_once() -> None:
    wanted = ("bodies.ship.mass", "springs", "approach.speed", "approach.offset", "contacts.touch.friction")
    template = everything()
    check(template, {p: changed(value_at(template.data, p)) for p in PATHS if p.startswith(wanted)})


@pytest.mark.parametrize("path", ["bodies.ship.mass", "approach.speed", "gravity.0", "structures.boom.at.0"])
def test_a_structure_that_is_at_rest_at_the_start(path: str) -> None:
    template = everything(settled=True)
    check(template, {path: changed(value_at(template.data, path))})


def test_vectors_as_a_whole() -> None:
    check(everything(), {"approach.offset": [0.002, -0.001], "bodies.ship.inertia": [310.0, 320.0, 330.0]})


def test_a_mechanism_with_files_and_an_orbit() -> None:
    """Its surfaces come from CAD; air and sunlight push at plates in orbit, and free bodies start in its frame."""
    orbit = {"altitude": "400 km", "plates": {"p": {"body": "client", "area": "2 m^2", "normal": [0, 0, 1]}}}
    scenario = load("assist-soft-docking", {"orbit": orbit})
    template = Template(scenario.name, scenario.to_data(), str(scenario.directory.absolute()))
    for path in numbers(template.data):
        if path.startswith(
            ("orbit", "approach", "surfaces.cavity", "bodies.servicer", "contacts.bumper-drogue")
        ):
            check(template, {path: changed(value_at(template.data, path))})


@pytest.mark.parametrize(
    "inputs",
    [
        {"bodies.ship.mass": -1.0},
        {"bodies.slide.mass": 0.0},
        {"bodies.ship.inertia": [1.0, 1.0, 9.0]},
        {"stops.end.lower": 0.5},
        {"springs.bend.rest": 0.1},
        {"springs.bend.stiffness": float("nan")},
        {"contacts.touch.layer.damping_depth": 0.0},
        {"surfaces.cone.profile.0.1": -0.05},
        {"surfaces.cone.attitude.0": 1.1},
        {"approach.tip.at.2": -0.34},  # the nose is inside the cone
        {"record.rate": 1e9},
        {"bodies.ship.wings": 2.0},
        {"bodies.ship.mass": True},
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_the_same_words(inputs: dict[str, Any]) -> None:
    quick = made(everything().build, inputs)
    assert isinstance(quick, str)
    assert quick == made(everything().build_from_data, inputs)


def test_other_things_than_numbers_are_built_anew() -> None:
    template = everything()
    for path, value in (("opening", False), ("springs.push.axis", 0), ("springs.bend.exponential", None)):
        assert template.build({path: value}).sibling is None
        assert template.build({path: value}) == template.build_from_data({path: value})


@pytest.mark.parametrize("name", ["impact-a", "latch-multibody", "peg-flat", "power-tower-x"])
def test_every_kind_of_scenario_varies(name: str) -> None:
    scenario = load(name)
    template = Template(scenario.name, scenario.to_data(), str(scenario.directory.absolute()))
    paths = list(numbers(template.data))
    for path in paths[:: max(1, len(paths) // 12)]:
        inputs = {path: changed(value_at(template.data, path))}
        if not path.endswith("attitude.0"):
            assert template.build(inputs) == template.build_from_data(inputs)


def test_a_run_of_the_campaign_is_the_run_alone() -> None:
    """Row by row what a scenario gives that was built, checked and assembled by itself."""
    plan = load_campaign("assist-table2", runs=2)
    for number, inputs in enumerate(plan.inputs(0, 2)):
        keeping = HistoryPolicy("none", ())
        row, _ = run_one(plan.template, keeping, number, inputs)
        alone, _ = run_one(_Anew(plan.template), keeping, number, inputs)  # type: ignore[arg-type]
        assert untimed(row) == untimed(alone)
        assert json.loads(row.metrics)["peak_contact_force"] > 0.0


class _Anew:
    def __init__(self, template: Template) -> None:
        self.build = template.build_from_data
