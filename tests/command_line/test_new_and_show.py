"""Commands for files of users: `show`, `new`, and `validate` with the checks of a run and for campaigns."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

import softdock
from softdock.assembly.channels.registry import list_channels
from softdock.campaign import runner as campaign_runner
from softdock.campaign.loading import bundled_campaigns, campaign_text, read_campaign
from softdock.campaign.schema import json_schema
from softdock.cli import app
from softdock.errors import InputError
from softdock.scenario.kinds import KINDS
from softdock.scenario.loading import templates
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.source import parse
from softdock.scenario.synonyms import SYNONYMS, translate
from softdock.simulation.surface_checks import surfaces_facing_away

RUNNER = CliRunner()
DOCS = Path(__file__).parents[2] / "docs"


def call(*arguments: str) -> Any:
    return RUNNER.invoke(app, list(arguments))


def run_validate(path: Path) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(call("validate", str(path), "--json").stdout)
    return answer


@pytest.mark.parametrize("name", ["assist-soft-docking", "assist-table2", "idss"])
def test_show_prints_text_with_comments_and_path(name: str) -> None:
    done = call("show", name)
    first, rest = done.stdout.split("\n", 1)
    path = Path(first.removeprefix("# "))
    assert path.is_file()
    assert rest == path.read_text(encoding="utf-8")
    assert json.loads(call("show", name, "--json").stdout)["path"] == str(path)


def test_show_suggests_names() -> None:
    with pytest.raises(InputError, match=r"neither a bundled scenario.*assist-soft-docking"):
        RUNNER.invoke(app, ["show", "assist-soft-dockin"], catch_exceptions=False)


@pytest.mark.parametrize("kind", sorted({*KINDS} & {"chain", "multibody", "robot", "station"}))
def test_a_new_scenario_runs_as_it_is(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    assert "Run it with: softdock run" in call("new", str(path), "--template", kind).stdout
    found = run_validate(path)
    found.pop("notes", None)  # lines that close an open profile
    assert found == {"file": str(path), "valid": True, "problems": [], "warnings": []}
    result = softdock.simulate(softdock.load(path))
    assert result.completed
    assert result.valid == "yes"
    assert "#" in path.read_text(encoding="utf-8")


def test_a_new_campaign_runs_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    call("new", str(path.with_suffix("")), "--template", "campaign")
    assert run_validate(path)["valid"]
    assert campaign_runner.run(read_campaign(path, runs=1), tmp_path / "out").done == 1


def test_new_refuses_to_overwrite_and_unknown_templates(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("mine", encoding="utf-8")
    for arguments, message in (
        ([str(path)], "not overwritten"),
        ([str(tmp_path / "x"), "--template", "multibdy"], "Did you mean 'multibody'"),
        (["bad\0name"], "not a name of a file"),
        ([str(tmp_path / "none" / "x")], "x.yaml"),
    ):
        with pytest.raises(InputError, match=message):
            RUNNER.invoke(app, ["new", *arguments], catch_exceptions=False)
    assert path.read_text(encoding="utf-8") == "mine"


def validate_changed_template(tmp_path: Path, replaced: dict[str, Any]) -> dict[str, Any]:
    """Return the findings about the template of a multibody scenario with top-level fields merged."""
    data = YAML(typ="safe").load(templates()["multibody"])
    del data["requirements"]
    for group, entries in replaced.items():
        data[group] = {**data[group], **entries} if isinstance(entries, dict) else entries
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return run_validate(path)


def test_validate_finds_an_overlap_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "deep.yaml"
    text = templates()["multibody"].replace("distance: 20 mm", "distance: 0 mm")
    # The ball, whose pole is the tip, overlaps the rim of the cone.
    text = text.replace("port: {body: drogue}", "port: {body: drogue, at: [0, 0, 15 mm]}")
    path.write_text(text.replace("offset: [60 mm, 0 mm]", "offset: [150 mm, 0 mm]"), encoding="utf-8")
    found = run_validate(path)
    (problem,) = found["problems"]
    assert not found["valid"]
    assert problem["field"] == "contacts.ball-cone"
    assert "inside each other at the start" in problem["message"]
    assert problem["line"] == 1 + path.read_text(encoding="utf-8").split("\n").index("  ball-cone:")


SPARE_WELD = {"a": {"body": "drogue"}, "b": {"body": "tip"}, "stiffness": 1, "angular_stiffness": 1}
ANY, TOUCHED = {"name": "a", "message": "."}, {"name": "b", "message": ".", "happened": ["touch"]}
BALL = [[0, 0], {"arc_to": [-0.02, 0.02], "radius": 0.02, "turn": "left"},
        {"arc_to": [-0.04, 0], "radius": 0.02, "turn": "left"}]  # fmt: skip
CONE = [[0, 0.17], {"at": [0, 0.15], "fillet": 0.005}, {"at": [0.215, 0.01455], "fillet": 0.005}, [0.215, 0]]
FAR = {"distance": 3.0}  # the reversed material is bounded and does not overlap
SHARP = [[0.2, 0], [0.2, 0.024], [0.1, 0.024], [0, 0.15], [0, 0.17]]


@pytest.mark.parametrize(
    ("replaced", "field", "words"),
    [
        ({"events": {"early": {"when": "tip.z in drogue < 1 m"}}}, "events.early.when", "true at the start"),
        ({"events": {"late": {"when": "time > 1 s", "armed": False}}}, "events.late", "never occur"),
        ({"outcomes": [ANY, TOUCHED]}, "outcomes.1", "never apply"),
        ({"outcomes": [{**TOUCHED, "not_happened": ["touch"]}]}, "outcomes.0", "never apply"),
        ({"welds": {"spare": SPARE_WELD}}, "welds.spare", "Never acts"),
        (
            {"surfaces": {"spare": {"body": "tip", "profile": [[0, 0], [0, 0.1]]}}},
            "surfaces.spare",
            "no contact",
        ),
        ({"surfaces": {"cone": {"body": "drogue", "profile": SHARP}}}, "surfaces.cone", "sharp edge"),
        ({"surfaces": {"ball": {"body": "tip", "profile": BALL}}}, "surfaces.ball", "on the wrong side"),
        (
            {"surfaces": {"cone": {"body": "drogue", "profile": CONE}}, "approach": FAR},
            "surfaces.cone",
            "Faces away from 'ball' at the start: its material is on the wrong side.",
        ),
    ],
    ids=[
        "true-at-start",
        "never-armed",
        "shadowed",
        "contradiction",
        "inactive",
        "no-contact",
        "sharp-edge",
        "reversed-ball",
        "reversed-cone",
    ],
)
def test_validate_warns_of_what_has_no_effect(
    replaced: dict[str, Any], field: str, words: str, tmp_path: Path
) -> None:
    found = validate_changed_template(tmp_path, replaced)
    (warning,) = [one for one in found["warnings"] if field == one["field"]]
    assert words in warning["message"]
    assert all(one["field"] for one in found["warnings"]), "no warning is repeated without its field"


def test_bundled_scenarios_have_no_warnings() -> None:
    names = (
        "assist-soft-docking",
        "assist-passive",
        "probe-retraction",
        "pins-4",
        "latch-paper",
    )
    for name in names:
        assert json.loads(call("validate", name, "--json").stdout)["warnings"] == []


@pytest.mark.parametrize(("side", "faces_away"), [("inside", False), ("outside", True)])
def test_the_wrong_side_of_a_file_faces_away(side: str, faces_away: bool) -> None:
    """The receptacle is a solid with a cavity; below its rim the outside faces away from the probe."""
    path = DOCS / "tutorials" / "own-mechanism" / "docking.yaml"
    system = softdock.load(
        path, {"surfaces.socket.side": side, "surfaces.socket.z_range": ["20 mm", "110 mm"]}
    )
    assert isinstance(system, MultibodyScenario)
    found = surfaces_facing_away(system)
    assert [one.field for one in found] == ["surfaces.socket"] * faces_away
    assert all(one.hint == "Choose the other `side` of the file." for one in found)


@pytest.mark.parametrize("roles", [{}, {"a": "bumper-nose", "b": "cavity"}], ids=["as-it-is", "exchanged"])
@pytest.mark.parametrize("side", ["inside", None])
def test_a_drogue_read_without_its_inside_is_found(roles: dict[str, str], side: str | None) -> None:
    """Its rim, the part of the outside that is nearest to the probe, belongs to both sides and does not decide."""
    changes = {f"contacts.bumper-drogue.{role}": name for role, name in roles.items()}
    system = softdock.load("assist-soft-docking", {"surfaces.cavity.side": side, **changes})
    assert isinstance(system, MultibodyScenario)
    found = surfaces_facing_away(system)
    assert [one.field for one in found] == ["surfaces.cavity"] * (side is None)


@pytest.mark.parametrize(("a", "b"), [("ball", "block"), ("block", "ball")])
def test_a_surface_inside_the_material_of_another_is_refused(a: str, b: str) -> None:
    """The ball reaches from 40 to 60 mm below a face of the block, so that no cell of the block is in the ball."""
    ball = [[-0.01, 0], {"arc_to": [0, 0.01], "radius": 0.01, "turn": "right"},
            {"arc_to": [0.01, 0], "radius": 0.01, "turn": "right"}]  # fmt: skip
    scenario = {
        "softdock": 1, "kind": "multibody", "duration": 1,
        "bodies": {"tip": {"mass": 1, "inertia": [1, 1, 1], "joint": {"type": "free", "position": [0, 0, 0.05]}},
                   "port": {"joint": {"type": "fixed"}}},
        "surfaces": {"ball": {"body": "tip", "profile": ball},
                     "block": {"body": "port", "profile": [[0, 0], [0, 0.3], [0.2, 0.3], [0.2, 0]]}},
        "contacts": {"c": {"a": a, "b": b, "layer": {"stiffness": 1e9}}},
    }  # fmt: skip
    with pytest.raises(InputError, match=r"The surfaces are [4-6][0-9.]+ mm inside each other at the start"):
        softdock.simulate(scenario)


def test_surfaces_that_touch_at_the_start_do_not_face_away() -> None:
    system = softdock.load("assist-undocking")
    assert isinstance(system, MultibodyScenario)
    assert surfaces_facing_away(system) == []


def test_campaigns_are_validated_with_all_problems(tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    text = templates()["campaign"].replace("runs: 100", "runs: -1").replace("seed: 1", "sede: 1")
    path.write_text(text, encoding="utf-8")
    assert {one["field"] for one in run_validate(path)["problems"]} == {"runs", "sede"}
    assert json.loads(call("validate", "assist-table2", "--json").stdout)["valid"]


TWO_LEVELS = """softdock: 1
kind: multibody
bodies:
  chaser: {mass: 250 kg, inertia: [1, 1, 1]}
  boom: {parent: chaser, joint: {type: screw}, mass: 1 lbf}
  rail: {parent: chaser, joint: {type: prismatic}, mass: 1 kg, inertia: [1, 1, 1]}
springs:
  on-boom: {joint: boom, stiffness: 3 N/m}
  on-rail: {joint: rail, stiffness: 3 N*m/rad}
  lost: {joint: raill, stiffness: 3 N/m}
events:
  wrong: {trigger: time > 1 s}
  mixed: {when: rail.z > 3 s}
outcomes:
  - {name: captured, message: Held., happened: [missing]}
metrics: {largest: maximum rail.joint, boom: max boom.z}
"""


def test_problems_of_values_do_not_hide_those_of_references(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(TWO_LEVELS, encoding="utf-8")
    fields = [one["field"] for one in run_validate(path)["problems"]]
    assert fields == [
        "duration", "bodies.boom.mass", "bodies.boom.joint.type",  # and no messages about references to the boom
        "springs.on-rail.stiffness", "springs.lost.joint", "events.wrong.trigger", "events.mixed.when",
        "outcomes.0.happened.0", "metrics.largest",
    ]  # fmt: skip


REFERENCES = """softdock: 1
kind: multibody
duration: 1 s
bodies:
  chaser: {mass: 250 kg, inertia: [1, 1, 1]}
  rail: {parent: chaser, joint: {type: prismatic}, mass: 1 kg, inertia: [1, 1, 1]}
springs:
  lost: {joint: raill, stiffness: 3 N/m}
events:
  far: {when: chaser.x > 1 s, then: [{enable: latch}, {arm: near}]}
outcomes: [{name: ok, message: Done., happened: [late]}]
metrics: {force: max chaser.force}
approach: {chaser: chaser, tip: {body: tip}, port: {body: world}, speed: 1 mm/s}
"""
REFERENCE_FIELDS = [
    "springs.lost.joint", "events.far.when", "events.far.then.0.enable", "events.far.then.1.arm",
    "outcomes.0.happened.0",
    "metrics.force", "approach.tip.body",
]  # fmt: skip


@pytest.mark.parametrize(
    ("correct", "wrong", "field"),
    [
        ("mass: 250 kg", "mass: 250 lbf", "bodies.chaser.mass"),
        ("mass: 250 kg", "mass: -250 kg", "bodies.chaser.mass"),
        ("inertia: [1, 1, 1]}\n  rail", "inertia: [1, 1, 5]}\n  rail", "bodies.chaser.inertia"),
        ("parent: chaser", "parent: chasr", "bodies.rail.parent"),
        ("duration: 1 s", "duration: 1 kg", "duration"),
    ],
    ids=["unit", "sign", "inertia", "parent", "duration"],
)
def test_one_wrong_value_hides_no_wrong_reference(
    correct: str, wrong: str, field: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(REFERENCES.replace(correct, wrong), encoding="utf-8")
    assert [one["field"] for one in run_validate(path)["problems"]] == [field, *REFERENCE_FIELDS]


def test_references_to_an_invalid_entry_are_not_reported(tmp_path: Path) -> None:
    """The drive has a wrong key, too, but its joint is right."""
    path = tmp_path / "mine.yaml"
    text = REFERENCES.split("springs:", maxsplit=1)[0].replace("type: prismatic", "type: slider")
    path.write_text(text + "drives: {motor: {joint: rail, target: 0, max_torque: 3 N}}\n", encoding="utf-8")
    found = [one["field"] for one in run_validate(path)["problems"]]
    assert found == ["bodies.rail.joint.type", "drives.motor.max_torque"]


def test_a_key_of_wrong_type_causes_no_further_messages(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    text = templates()["multibody"].replace("outcomes:", "outcomes: captured\nunused:")
    path.write_text(text, encoding="utf-8")
    assert [one["field"] for one in run_validate(path)["problems"]] == ["outcomes", "unused"]


def test_all_problems_of_a_campaign_are_found_in_one_pass(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(templates()["multibody"], encoding="utf-8")
    path = tmp_path / "many.yaml"
    path.write_text(
        """softdock: 1
kind: campaign
scenario: mine.yaml
seeds: 1
dispersions:
  approach.sped: {uniform: [1 mm/s, 2 mm/s]}
  bodies.chasr.mass: {uniform: [1 kg, 2 kg]}
  approach.speed: {gaussian: {mean: 1, deviation: 2}}
  approach.roll: {uniform: [0, 1 s]}
success: [capture]
requirements: {X-1: {metric: pawl_load, at_most: 3 N}}
""",
        encoding="utf-8",
    )
    found = run_validate(path)["problems"]
    assert {(one["line"], one["field"]) for one in found} == {
        (1, "runs"), (4, "seeds"), (6, "dispersions.approach.sped.uniform.0"),
        (7, "dispersions.bodies.chasr.mass.uniform.0"), (8, "dispersions.approach.speed.gaussian"),
        (9, "dispersions.approach.roll.uniform.1"), (10, "success.0"), (11, "requirements.X-1.metric"),
    }  # fmt: skip
    (misspelt,) = [one for one in found if "chasr" in one["field"]]
    assert misspelt["message"] == "There is no body 'chasr'. Did you mean 'chaser'?"


def test_problems_of_its_scenario_are_reported_for_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(TWO_LEVELS, encoding="utf-8")
    path = tmp_path / "many.yaml"
    path.write_text(
        "softdock: 1\nkind: campaign\nscenario: mine.yaml\nruns: 3\n"
        "dispersions: {duration: {uniform: [1 s, 2 s]}}\n",
        encoding="utf-8",
    )
    found = run_validate(path)["problems"]
    assert len(found) == 9
    assert {Path(one["file"]).name for one in found} == {"mine.yaml"}


def test_a_problem_does_not_hide_warnings(tmp_path: Path) -> None:
    text = templates()["multibody"].replace("distance: 20 mm", "distance: 0 mm")
    text = text.replace("port: {body: drogue}", "port: {body: drogue, at: [0, 0, 15 mm]}")
    text = text.replace("offset: [60 mm, 0 mm]", "offset: [150 mm, 0 mm]")
    path = tmp_path / "deep.yaml"
    path.write_text(
        text.replace("events:", "events:\n  spare: {when: time > 1 s, armed: false}"), encoding="utf-8"
    )
    found = run_validate(path)
    assert [one["field"] for one in found["problems"]] == ["contacts.ball-cone"]
    assert "events.spare" in [one["field"] for one in found["warnings"]]


def test_the_schema_covers_campaigns() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in bundled_campaigns():
        validator.validate(parse(campaign_text(name)[0]).data)
    data = parse(templates()["campaign"]).data
    validator.validate(data)
    assert not validator.is_valid({**data, "sede": 1})
    for kind in KINDS.keys() & templates().keys():
        validator.validate(parse(templates()[kind]).data)


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("type: universal", "type: gimbal", "'universal'"),
        ("centre_of_mass: [0, 0, 0.2 m]", "com: [0, 0, 0.2 m]", "'centre_of_mass'"),
        ("centre_of_mass: [0, 0, 0.2 m]", "cm: [0, 0, 0.2 m]", "'centre_of_mass'"),
        ("type: universal", "type: hinge", "'revolute'"),
        ("type: universal", "type: slider", "'prismatic'"),
        ("type: universal", "type: ball", "'spherical'"),
        ("type: universal", "type: universal, damping: 3", "those of an entry of `springs`"),
        ("springs:", "dampers:", "'springs'"),
        ("damping: 2 N*m*s/rad", "damper: 2 N*m*s/rad", "'damping'"),
        ("friction: {coefficient: 0.1, speed: 2 mm/s}", "stiffness: 2e9 N/m^3", "those of its `layer`"),
        ("duration: 10 s", "duration: 10 s\ndt: 1 ms", "`integrator.step`"),
        ("then: [{enable: latch}]", "then: {enable: latch}", "square brackets"),
        ("then: [{enable: latch}]", "then: [{activate: latch}]", "'enable'"),
        ("offset: [60 mm, 0 mm]", "offset: [60,5 mm, 0 mm]", "numbers have a decimal point"),
        ("duration: 10 s", "t_end: 10 s", "'duration'"),
        ("coefficient: 0.1", "mu: 0.1", "'coefficient'"),
        ("{type: universal, at: [0, 0, 1 m]}", "gimbal", "Write {type: universal}."),
        (
            "friction: {coefficient: 0.1, speed: 2 mm/s}",
            "restitution: 0.5",
            "Restitution follows from `damping`",
        ),
    ],
)
def test_terms_of_other_tools_are_translated(old: str, new: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    assert old in templates()["multibody"]
    path.write_text(templates()["multibody"].replace(old, new), encoding="utf-8")
    hints = [problem["hint"] for problem in run_validate(path)["problems"]]
    assert any(hint in one for one in hints), hints


def test_the_message_about_an_empty_value_says_that_it_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    text = (
        templates()["multibody"].replace("t_touch: time of touch", "t_touch:").replace("mass: 3 kg", "mass:")
    )
    path.write_text(text, encoding="utf-8")
    messages = {problem["field"]: problem["message"] for problem in run_validate(path)["problems"]}
    assert messages["metrics.t_touch"] == "Must be a text; nothing is given."
    assert messages["bodies.probe.mass"].endswith("with a unit; nothing is given.")


def test_translations_are_names_of_the_models() -> None:
    words = set(json.dumps(json_schema()).replace('"', " ").split())
    for term, names in SYNONYMS.items():
        assert set(names) <= words, term
    assert translate("com", ["mass"]) == ""


def test_channels_of_a_scenario_are_listed_with_units() -> None:
    rows = {
        row["name"]: row["unit"]
        for row in json.loads(call("show", "assist-soft-docking", "--channels", "--json").stdout)
    }
    assert rows["nose.z"] == "m"
    assert rows["gimbal-spring.force"] == "N*m"
    assert rows["bumper-drogue/throat.pressure"] == "Pa"
    scenario: Any = softdock.load("assist-soft-docking")
    recorded = {name for name in softdock.simulate(scenario).history.channels if " in " not in name}
    assert recorded <= {name for name, _, _ in list_channels(scenario)}
    assert "chaser.velocity" in call("show", "impact-a", "--channels").stdout


def test_listed_channels_can_be_filtered_by_name() -> None:
    def names(text: str) -> list[str]:
        done = call("show", "assist-soft-docking", "--channels", "--filter", text, "--json")
        return [row["name"] for row in json.loads(done.stdout)]

    assert names("bumper-spring") == [f"bumper-spring.{field}" for field in ("force", "energy", "deflection")]
    assert names("Bumper-Spring") == names("bumper-spring")
    fingers = names("finger-?.joint_rate")
    assert len(fingers) >= 3
    assert all(name.startswith("finger-") for name in fingers)
    with pytest.raises(InputError, match=r"No channel of the scenario matches \(did you mean 'force'\?\)"):
        RUNNER.invoke(
            app, ["show", "assist-soft-docking", "--channels", "--filter", "forse"], catch_exceptions=False
        )
    with pytest.raises(InputError, match="Requires --channels"):
        RUNNER.invoke(app, ["show", "assist-soft-docking", "--filter", "force"], catch_exceptions=False)
