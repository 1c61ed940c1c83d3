"""Scenario files with controllers: messages with file and line, metrics, contact conditions."""

import json
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.campaign.conftest import rows
from tests.gnc.chasers import box_of_thrusters, chaser, controller

from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions, run
from softdock.errors import InputError
from softdock.scenario.loading import from_data, load
from softdock.simulation import simulate

TWO_BODIES = """\
softdock: 1
kind: multibody
duration: 10 s
bodies:
  chaser: {{mass: 1000 kg, inertia: [500, 600, 700], joint: {{type: free, position: [0, 0, -8]}}}}
  target: {{mass: 2000 kg, inertia: [500, 600, 700]}}
  arm: {{mass: 5 kg, inertia: [1, 1, 1], parent: chaser, joint: {{type: prismatic, axis: x}}}}
  spin: {{mass: 2 kg, inertia: [0.1, 0.1, 0.1], parent: chaser, joint: {{type: revolute, axis: x}}}}
gnc:
  {name}:
    rate: {rate}
    mode: {mode}
    target: {{body: {target}}}
    guidance: {guidance}
    translation: {translation}
    attitude: {attitude}
    thrusters: {thrusters}
    wheels: {wheels}
    navigation: {navigation}
events: {events}
"""


def to_flow_yaml(value: object) -> str:
    """Return a value as YAML in one line."""
    return json.dumps(value)


def write(folder: Path, **changes: object) -> Path:
    fields: dict[str, object] = {
        "name": "chaser", "rate": "10 Hz", "mode": "approach", "target": "target",
        "guidance": {"min_speed": 0.02, "max_speed": 0.1}, "translation": {"bandwidth": 0.3},
        "attitude": {"bandwidth": 0.5}, "thrusters": box_of_thrusters(), "wheels": {}, "events": {},
        "navigation": "null",
    }  # fmt: skip
    fields |= changes
    text = TWO_BODIES.format(**{k: v if isinstance(v, str) else to_flow_yaml(v) for k, v in fields.items()})
    YAML(typ="safe").load(text)
    (folder / "case.yaml").write_text(text)
    return folder / "case.yaml"


def thrusters_except(direction: tuple[float, ...]) -> dict:
    return {k: one for k, one in box_of_thrusters().items() if tuple(one["direction"]) != direction}


def central_thrusters() -> dict:
    """Return thrusters whose forces have no arm about the centre of mass of the chaser."""
    directions = [[sign * float(i == k) for k in range(3)] for i in range(3) for sign in (-1, 1)]
    return {f"t{i}": {"at": [0, 0, 0], "direction": d, "thrust": 20} for i, d in enumerate(directions)}


BAD = {
    "body": ({"name": "probe"}, 10, "gnc.probe", "there is no free body called 'probe'"),
    "joint": ({"name": "arm"}, 10, "gnc.arm", "must be a free body"),
    "target": ({"target": "nobody"}, 13, "target.body", "there is no body called 'nobody'"),
    "tip": ({"mode": "approach\n    tip: {body: arm}"}, 13, "tip.body", "fixed to it; these are: chaser."),
    "own": ({"target": "arm"}, 13, "target.body", "must not belong to the body"),
    "hill": ({"target": "hill"}, 13, "target.body", "there is no body called 'hill'"),
    "axis": ({"thrusters": thrusters_except((0.0, 1.0, 0.0))}, 17, "thrusters", "cannot produce a force along +y"),
    "axes": (
        {"thrusters": {"a": {"at": [0, 0, -1], "direction": [0, 0, 1], "thrust": 20}}}, 17, "thrusters",
        "a force along -y of the body, a force along -z of the body, a torque about +x of the body",
    ),
    "thrust": (
        {
            "mode": "thrust", "translation": "null", "attitude": "null", "navigation": "null\n    thrust: -5 N",
            "thrusters": {"a": {"at": [0, 0, -1], "direction": [0, 0, 1], "thrust": 20}},
        },
        17, "thrusters", "cannot produce a force along the z axis of the tip",
    ),
    "none": ({"thrusters": {}}, 17, "thrusters", "needs thrusters or wheels"),
    "zero": (
        {"thrusters": {"a": {"at": [0, 0, 0], "direction": [0, 0, 0], "thrust": 1}}}, 17, "direction", "zero vector",
    ),
    "unstable": ({"translation": {"bandwidth": 30.0}}, 15, "translation.bandwidth", "is unstable at 10 samples"),
    "pulses": (  # stable with a constant force, unstable with short pulses
        {"translation": {"bandwidth": 10.0}}, 15, "translation.bandwidth", "is unstable at 10 samples",
    ),
    "delay": (
        {"attitude": {"bandwidth": 5.0}, "thrusters": box_of_thrusters(delay=0.099)}, 16, "attitude.bandwidth",
        "is unstable at 10 samples",
    ),
    "choice": ({"attitude": {}}, 16, "attitude", "give either bandwidth or regulator"),
    "inside": (
        {"guidance": {"min_speed": 0.02, "max_speed": 0.1, "end": 0.5, "holds": [{"distance": 0.4}]}},
        14, "holds.0.distance", "is inside the target",
    ),
    "negative": (
        {"guidance": {"min_speed": 0.02, "max_speed": 0.1, "holds": [{"distance": -1}]}},
        14, "holds.0.distance", "above 0 m",
    ),
    "order": (
        {"guidance": {"min_speed": 0.02, "max_speed": 0.1, "holds": [{"distance": 2}, {"distance": 3}]}},
        14, "holds.1.distance", "must be nearer",
    ),
    "speeds": ({"guidance": {"min_speed": 0.2, "max_speed": 0.1}}, 14, "min_speed", "must not exceed max_speed"),
    "guidance": ({"guidance": "null"}, 12, "mode", "`approach` needs `guidance`"),
    "mode": ({"mode": "landing"}, 12, "mode", "drift"),
    "slow": ({"thrusters": box_of_thrusters(delay=0.2)}, 17, "delay", "must not be longer than one sample"),
    "wheel": (
        {"wheels": {"w": {"body": "arm", "max_torque": 1, "max_momentum": 1}}}, 18, "wheels.w.body", "revolute joint",
    ),
    "one-wheel": (  # the wheel covers x; thrusters through the centre of mass produce no torque
        {"thrusters": central_thrusters(), "wheels": {"w": {"body": "spin", "max_torque": 1, "max_momentum": 1}}},
        17, "thrusters", "cannot produce a torque about +y of the body, a torque about -y of the body, a torque about",
    ),
    "assumed": (
        {"navigation": "null\n    assumed: {mass: 30 t}", "translation": {"bandwidth": 0.8}}, 20, "assumed.mass",
        "makes the loop of `translation` unstable: accelerations are up to 29.8 times the commanded ones",
    ),
    "inertia": (
        {"navigation": "null\n    assumed: {inertia: [9000, 600, 700]}", "attitude": {"bandwidth": 0.9}}, 20,
        "assumed.inertia", "makes the loop of `attitude` unstable",
    ),
    "factor": (
        {"navigation": "null\n    assumed: {mass: 0.5 g}"}, 20, "assumed.mass", "within a factor of 1000",
    ),
    "action": (
        {"events": {"e": {"when": "time > 1 s", "then": [{"control": "target", "mode": "drift"}]}}},
        20, "control", "there is no controller called 'target'",
    ),
    "retreat": (
        {"events": {"e": {"when": "time > 1 s", "then": [{"control": "chaser", "mode": "retreat"}]}}},
        20, "mode", "needs `guidance.retreat`",
    ),
    "half": (
        {"events": {"e": {"when": "time > 1 s", "then": [{"control": "chaser"}]}}}, 20, "mode", "goes with control",
    ),
    "sensor": (
        {"navigation": {"sensor": {"rate": 5, "noise": 0.01, "angle_noise": 0.01}}},
        19, "navigation.sensor.rate", "must not be slower than the controller",
    ),
    "noise": ({"navigation": {"sensor": {"rate": 20, "angle_noise": 0.01}}}, 19, "sensor.noise", "must be above 0 m"),
    "latency": (
        {"navigation": {"sensor": {"rate": 20, "noise": 0.01, "angle_noise": 0.01, "latency": 9}}},
        19, "sensor.latency", "30 measurements",
    ),
    "fast": (  # the queue of measurements would overflow between two samples of the controller
        {"rate": "1 Hz", "attitude": {"bandwidth": 0.1}, "translation": {"bandwidth": 0.05},
         "navigation": {"sensor": {"rate": 50, "noise": 0.01, "angle_noise": 0.01}}},
        19, "navigation.sensor.rate", "at most 30 Hz",
    ),
    "endless": ({"rate": "1e90 Hz"}, 11, "gnc.chaser.rate", "at most 1e+07"),
    "huge": ({"attitude": {"bandwidth": 1e90}}, 16, "attitude.bandwidth", "is unstable"),
    "tiny": (
        {"attitude": {"regulator": {"angle": 1e-90, "rate": 1e-90, "acceleration": 1e90}}},
        16, "attitude.regulator", "is unstable",
    ),
    "transfer": ({"mode": "transfer"}, 12, "mode", "needs `transfer`"),
    "channel": (
        {"events": {"e": {"when": "target.propellant > 1 kg"}}}, 20, "when", "is of bodies with a controller",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD, ids=str)
def test_bad_controllers_are_refused_with_file_and_line(case: str, tmp_path: Path) -> None:
    changes, line, field, words = BAD[case]
    with pytest.raises(InputError) as refused:
        load(write(tmp_path, **changes))
    text = str(refused.value)
    assert f"case.yaml:{line}:" in text, text
    assert field in text, text
    assert words.lower() in text.lower(), text
    assert not re.search("Traceback|ValidationError", text)


def test_a_valid_file_runs_and_reports_its_propellant(tmp_path: Path) -> None:
    result = simulate(load(write(tmp_path)))
    assert result.metrics["propellant"] == result.metrics["propellant_chaser"] > 0.0  # type: ignore[operator]
    assert result.units["propellant"] == "kg"
    assert result.metrics["propellant"] == result.history.channels["chaser.propellant"].values[-1]


def test_a_campaign_disperses_fields_of_controllers(tmp_path: Path) -> None:
    file = write(tmp_path, thrusters=box_of_thrusters(noise=0.05, minimum_on_time=0.02))
    campaign = "softdock: 1\nkind: campaign\nscenario: case.yaml\nruns: 6\ndispersions:\n"
    campaign += "  gnc.chaser.seed: {uniform: [0, 4e9]}\n"
    campaign += "  gnc.chaser.thrusters.t0.thrust_error: {normal: {mean: 0, deviation: 0.03}}\n"
    campaign += "  bodies.chaser.mass: {uniform: [900, 1100]}\n"
    file.with_name("many.yaml").write_text(campaign)
    plan = read_campaign(tmp_path / "many.yaml")
    run(plan, tmp_path / "one", ExecutionOptions(workers=1))
    run(plan, tmp_path / "two", ExecutionOptions(workers=2))
    assert rows(tmp_path / "one") == rows(tmp_path / "two")
    assert len({row[5] for row in rows(tmp_path / "one")}) == 6


def test_contact_conditions_without_an_approach_use_the_frames_of_the_controller() -> None:
    frames = chaser(
        controller(target={"body": "target", "at": (0, 0, -1)}),
        bodies={"target": {"mass": 10.0, "inertia": (1, 1, 1)}},
    ).docking_frames
    assert frames is not None
    assert (frames.chaser, frames.tip.body, frames.port.at) == ("chaser", "chaser", (0.0, 0.0, -1.0))
    hill = controller(target={"body": "hill"})
    assert chaser(hill, orbit={"altitude": "500 km"}).docking_frames is None


def test_a_body_that_drifts_into_the_world_has_contact_conditions() -> None:
    """Without `approach` and without control of the position: a ball meets a plane in the world at 50 mm/s."""
    gnc = {
        "rate": 4.0, "mode": "drift", "target": {"body": "world"}, "thrust": 1.0,
        "thrusters": {"main": {"at": (0, 0, -1), "direction": (0, 0, 1), "thrust": 5.0}},
    }  # fmt: skip
    ball = [[-0.1, 0], {"arc_to": [-0.05, 0.05], "radius": 0.05, "turn": "right"}]
    ball.append({"arc_to": [0, 0], "radius": 0.05, "turn": "right"})
    start = {"position": (0.03, 0.0, -0.01), "velocity": (0.0, 0.0, 0.05), "rate": (0.0, 0.0, 0.02)}
    result = simulate(
        chaser(
            gnc, start, duration=1.0,
            surfaces={
                "ball": {"body": "chaser", "profile": ball},
                "plate": {"body": "world", "profile": [[0, 0], [0, 0.2]]},
            },
            contacts={"touch": {"a": "plate", "b": "ball", "layer": {"stiffness": 1e8}}},
        )
    )  # fmt: skip
    found = result.contact_conditions
    assert found is not None
    assert found["axial_speed"] == pytest.approx(0.05, rel=1e-5)
    assert found["offset"] == pytest.approx(0.03, rel=1e-6)
    assert found["roll_rate"] == pytest.approx(0.02, rel=1e-6)
    assert found["roll"] == pytest.approx(0.02 * 0.2, rel=1e-2)


def test_the_example_of_the_manual_is_valid() -> None:
    text = (Path(__file__).parents[2] / "docs/scenario-files.md").read_text(encoding="utf-8")
    example = re.search(r"\n    gnc:\n.*?(?=\n    events:)", text[text.index("## Controllers") :], re.DOTALL)
    assert example
    gnc = YAML(typ="safe").load(example.group())["gnc"]["chaser"]
    thruster = gnc["thrusters"]["a"]
    gnc["thrusters"] = {
        name: thruster | {"at": one["at"], "direction": one["direction"]}
        for name, one in box_of_thrusters().items()
    }
    wheel = {
        "mass": 2.0,
        "inertia": (0.1, 0.1, 0.1),
        "parent": "chaser",
        "joint": {"type": "revolute", "axis": "x"},
    }
    bodies = {"target": {"mass": 2000.0, "inertia": (900.0, 900.0, 900.0)}, "wheel-x": wheel}
    scenario = chaser(gnc, {"position": (0.0, 0.1, -12.0)}, duration=5.0, bodies=bodies)
    assert simulate(scenario).completed


@pytest.mark.parametrize(("propellant", "accepted"), [("999 kg", True), ("1007 kg", False), ("2 t", False)])
def test_propellant_is_less_than_the_mass_of_its_craft(
    tmp_path: Path, propellant: str, accepted: bool
) -> None:
    """The chaser weighs 1000 kg and carries 7 kg."""
    file = write(tmp_path)
    if accepted:
        load(file, [f"gnc.chaser.propellant={propellant}"])
        return
    with pytest.raises(
        InputError, match=r"below the mass of 'chaser' with all that it carries, 1007 kg"
    ) as refused:
        load(file, [f"gnc.chaser.propellant={propellant}"])
    assert [problem.field for problem in refused.value.problems] == ["gnc.chaser.propellant"]


def test_an_entry_of_a_list_that_is_left_out_can_be_replaced_as_in_campaigns(tmp_path: Path) -> None:
    """The list then is that of the defaults: overrides as texts, as a mapping, and `set` of a campaign are the same."""
    file = write(tmp_path, navigation={"sensor": {"rate": 10.0, "noise": 0.001, "angle_noise": 0.001}})
    biases = ("gnc.chaser.navigation.sensor.bias", "gnc.chaser.navigation.gyro.bias")
    changes = {f"{biases[0]}.0": "6 mm", f"{biases[0]}.2": "-4 mm", f"{biases[1]}.1": 1e-5}
    campaign = {
        "scenario": str(file), "runs": 1, "dispersions": {"gnc.chaser.seed": {"uniform": [0, 9]}}, "set": changes
    }  # fmt: skip
    (tmp_path / "campaign.yaml").write_text(to_flow_yaml({"softdock": 1, "kind": "campaign", **campaign}))
    plan = from_data(read_campaign(tmp_path / "campaign.yaml").template.data)
    for scenario in (
        load(file, [f"{path}={value}" for path, value in changes.items()]),
        load(file, changes),
        load(file).with_overrides(changes),
        plan,
    ):
        navigation = scenario.gnc["chaser"].navigation
        assert navigation.sensor.bias == (0.006, 0.0, -0.004)
        assert navigation.gyro.bias == (0.0, 1e-5, 0.0)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("sensor.bias.3", "has 3 entries, counted from 0; '3' is not one of them"),
        ("sensor.noise.0", "is a single value and has no '0' inside"),
    ],
)
def test_an_index_that_does_not_exist_is_refused(tmp_path: Path, path: str, message: str) -> None:
    file = write(tmp_path, navigation={"sensor": {"rate": 10.0, "noise": 0.001, "angle_noise": 0.001}})
    with pytest.raises(InputError, match=message):
        load(file, [f"gnc.chaser.navigation.{path}=1"])
