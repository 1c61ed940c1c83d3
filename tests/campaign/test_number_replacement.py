"""Fast replacement of numbers in a template gives the same arrays, bit by bit, as a full build of the scenario."""

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
from softdock.campaign.loading import read_campaign
from softdock.campaign.template import Template, value_at
from softdock.dynamics.link_motion import LinkMotion
from softdock.errors import InputError
from softdock.scenario.loading import load, read_scenario_text
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
  leg: {mass: 20, parent: ship, joint: {type: prismatic, at: [0, 0, -1]}}
  probe: {mass: 1, inertia: [1, 1, 1], parent: ship, joint: {type: cylindrical, at: [1, 1, 0], rate: 0.1}}
  port: {mass: 2000, inertia: [700, 700, 800]}
springs:
  press: {joint: leg, stiffness: 10, preload: -2000}
  bend: {joint: wrist, stiffness: 5, exponential: {reference: 2 deg}, damping: 0.1}
  push: {joint: slide, stiffness: 90, rest: 0.01, preload: 1, friction: 0.2}
stops:
  rest: {joint: leg, upper: 0.0, stiffness: 1e5, damping: 10}
  roll: {joint: probe, axis: 1, lower: -0.1, upper: 0.1, stiffness: 10}
  end: {joint: slide, lower: -0.1, upper: 0.1, stiffness: 1e4}
  cone: {joint: wrist, limit: 0.2, stiffness: 50}
drives:
  turn: {joint: arm, target: 0.5, rate: 0.1, stiffness: 100, damping: 10, max_force: 20}
  keep: {joint: leg, target: -0.02, rate: 0.1, stiffness: 1e5, damping: 1e3, max_force: 100}
  creep: {joint: slide, follows: speed, target: 0.02, damping: 10, active: false}
crushables:
  core: {joint: leg, upper: -0.01, plateau: 500, stroke: 0.05, rebound_stiffness: 1e6, crushed: 0.001}
  buffer: {joint: probe, axis: 0, upper: 0.02, plateau: 5, stroke: 0.05, rebound_stiffness: 1e3}
tethers:
  line:
    {a: {body: ship}, b: {body: port, at: [1, 1, 0]}, stiffness: 10, damping: 1, length: 4,
    reel: {speed: 0.1, force_limit: 5, target: 2}}
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
    """Assert that two objects are equal bit by bit, with all their content."""
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
def template_with_everything(settled: bool = False) -> Template:
    scenario = read_scenario_text(EVERYTHING, "everything", overrides={"structures.boom.settled": settled})
    return Template(scenario.name, scenario.to_data(), str(Path().absolute()))


def change(value: float) -> float:
    return value * 1.003 if value else 1e-3


def build_and_prepare(template: Any, inputs: dict[str, Any]) -> Any:
    """Return scenario and simulation, or the message of the error."""
    try:
        scenario = template.build(inputs)
        prepared = template.prepare(scenario, inputs)
        prepared.check_start()
        return scenario, prepared.simulation
    except InputError as error:
        return str(error)


def assert_same_simulation(template: Template, inputs: dict[str, Any]) -> None:
    fast, full = (
        build_and_prepare(template, inputs),
        build_and_prepare(_FullBuild(template), inputs),
    )
    if isinstance(full, str):
        assert fast == full
        return
    assert template.replaces_numbers(inputs)
    assert fast[0] == full[0]
    assert_same(fast[1], full[1])


PATHS = list(numbers(template_with_everything().data))


@pytest.mark.parametrize("group", sorted({path.split(".")[0] for path in PATHS}))
def test_replacing_any_single_number_gives_the_same_simulation(group: str) -> None:
    template = template_with_everything()
    for path in PATHS:
        if path.split(".")[0] == group:
            assert_same_simulation(template, {path: change(value_at(template.data, path))})


def test_replacing_several_dispersed_numbers_gives_the_same_simulation() -> None:
    wanted = ("bodies.ship.mass", "springs", "approach.speed", "approach.offset", "contacts.touch.friction")
    template = template_with_everything()
    assert_same_simulation(
        template, {p: change(value_at(template.data, p)) for p in PATHS if p.startswith(wanted)}
    )


@pytest.mark.parametrize("path", ["bodies.ship.mass", "approach.speed", "gravity.0", "structures.boom.at.0"])
def test_a_settled_structure_gives_the_same_simulation(path: str) -> None:
    template = template_with_everything(settled=True)
    assert_same_simulation(template, {path: change(value_at(template.data, path))})


def test_replacing_whole_vectors_gives_the_same_simulation() -> None:
    assert_same_simulation(
        template_with_everything(),
        {"approach.offset": [0.002, -0.001], "bodies.ship.inertia": [310.0, 320.0, 330.0]},
    )


def test_a_mechanism_with_files_and_an_orbit_gives_the_same_simulation() -> None:
    """Surfaces come from CAD files, drag and sunlight act on plates, and free bodies start in the orbital frame."""
    orbit = {"altitude": "400 km", "plates": {"p": {"body": "client", "area": "2 m^2", "normal": [0, 0, 1]}}}
    scenario = load("assist-soft-docking", {"orbit": orbit})
    template = Template(scenario.name, scenario.to_data(), str(scenario.directory.absolute()))
    for path in numbers(template.data):
        if path.startswith(
            ("orbit", "approach", "surfaces.cavity", "bodies.servicer", "contacts.bumper-drogue")
        ):
            assert_same_simulation(template, {path: change(value_at(template.data, path))})


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
def test_bad_values_give_the_same_message(inputs: dict[str, Any]) -> None:
    fast = build_and_prepare(template_with_everything(), inputs)
    assert isinstance(fast, str)
    assert fast == build_and_prepare(_FullBuild(template_with_everything()), inputs)


def test_values_that_are_not_numbers_cause_a_full_build() -> None:
    template = template_with_everything()
    for path, value in (("opening", False), ("springs.push.axis", 0), ("springs.bend.exponential", None)):
        assert not template.replaces_numbers({path: value})
        assert template.build({path: value}) == template.build_from_data({path: value})


@pytest.mark.parametrize("name", ["impact-a", "latch-multibody", "peg-flat", "power-tower-x"])
def test_every_kind_of_scenario_is_built_equally(name: str) -> None:
    scenario = load(name)
    template = Template(scenario.name, scenario.to_data(), str(scenario.directory.absolute()))
    paths = list(numbers(template.data))
    for path in paths[:: max(1, len(paths) // 12)]:
        inputs = {path: change(value_at(template.data, path))}
        if not path.endswith("attitude.0"):
            assert template.build(inputs) == template.build_from_data(inputs)


def test_rows_of_a_campaign_equal_rows_of_full_builds() -> None:
    """Every row equals that of a scenario that was built, checked and assembled from its data."""
    plan = read_campaign("assist-table2", runs=2)
    for number, inputs in enumerate(plan.inputs(0, 2)):
        policy = HistoryPolicy("none", ())
        row, _ = run_one(plan.template, policy, number, inputs)
        expected, _ = run_one(_FullBuild(plan.template), policy, number, inputs)  # type: ignore[arg-type]
        assert untimed(row) == untimed(expected)
        assert json.loads(row.metrics)["peak_contact_force"] > 0.0


class _FullBuild:
    """A template that builds and assembles every scenario from its data."""

    def __init__(self, template: Template) -> None:
        self.template = template

    def build(self, inputs: dict[str, Any], *, with_history: bool = True) -> Any:
        """Return the scenario, validated completely."""
        scenario = self.template.build_from_data(inputs)
        return scenario if with_history else scenario.without_history()

    def prepare(self, scenario: Any, inputs: dict[str, Any]) -> PreparedMultibody:
        """Return the scenario, assembled completely."""
        return PreparedMultibody(scenario)
