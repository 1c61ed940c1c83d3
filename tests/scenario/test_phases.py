"""Phases in scenario files: bad input with file, line and field, warnings, outcomes, requirements."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import softdock
from softdock.cli import app
from softdock.errors import InputError
from softdock.scenario.loading import templates
from softdock.simulation.checks import check_before_run

HEAD = """softdock: 1
kind: multibody
duration: 5 s
bodies:
  cart: {mass: 2 kg, joint: {type: prismatic, axis: x}}
drives:
  motor: {joint: cart, target: 0 mm, rate: 0.1 m/s, stiffness: 1e5 N/m, damping: 1e3 N*s/m}
stops:
  end: {joint: cart, upper: 300 mm, stiffness: 1e6 N/m}
events:
  far: {when: cart.x > 200 mm}
  later: {when: cart.x > 100 mm during back}
phases:
"""
OUT = "  - {name: out, do: [{drive: motor, target: 250 mm}], until: far, within: 4 s, otherwise: stuck}\n"
BACK = "  - {name: back, do: [{drive: motor, target: 50 mm}], until: cart.x < 60 mm}\n"


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "sequence.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("phases", "line", "words"),
    [
        (OUT.replace("motor", "moter") + BACK, 14, ("phases.0.do.0.drive", "no drive called 'moter'", "motor")),
        (OUT.replace("until: far", "until: fra") + BACK, 14, ("phases.0.until", "'fra'", "did you mean 'far'?")),
        (OUT + BACK.replace("cart.x <", "card.x <"), 15, ("phases.1.until", "column 1", "did you mean 'cart'?")),
        (OUT + BACK.replace("60 mm", "60 kg"), 15, ("phases.1.until", "[m]", "[kg]")),
        (OUT + BACK + BACK, 16, ("phases.2.name", "another phase called 'back'")),
        (OUT.replace("4 s", "0 s") + BACK, 14, ("phases.0.within",)),
        (
            OUT.replace("until: far", "until: cart.x > 200 mm for 4.1 s") + BACK,
            14,
            ("phases.0.within", "can never end", "true for 4.1 s"),
        ),
        (OUT.replace("4 s", "-4 s") + BACK, 14, ("phases.0.within",)),
        (OUT.replace("within: 4 s, ", "") + BACK, 14, ("phases.0.otherwise", "Needs `within`")),
        (OUT.replace(", otherwise: stuck", "") + BACK, 14, ("phases.0.within", "Needs `otherwise`")),
        (OUT.replace("stuck", "Stuck-1") + BACK, 14, ("phases.0.otherwise", "small plain letters")),
        (OUT.replace("250 mm", "350 mm") + BACK, 14, ("phases.0.do.0.target", "above 0.3", "'end'")),
        (OUT + BACK.replace("}\n", ", next: out}\n"), 15, ("phases.1.next", "cyclic", "out -> back -> out")),
        (OUT + BACK.replace("}\n", ", next: back}\n"), 15, ("phases.1.next", "cyclic", "back -> back")),
        (OUT + BACK.replace("}\n", ", next: bak}\n"), 15, ("phases.1.next", "did you mean 'back'?")),
        (
            OUT.replace("stuck}", "stuck, next: end}") + BACK + "  - {name: end, until: time > 3 s}\n",
            15,
            ("phases.1", "'back' is unreachable"),
        ),
        (OUT.replace("until: far", "until: later") + BACK, 14, ("phases.0.until", "can never end", "'back'")),
        (OUT + BACK.replace("60 mm", "60 mm during out"), 15, ("phases.1.until", "can never end", "'out' is over")),
        (OUT + BACK.replace("60 mm", "60 mm before out"), 15, ("phases.1.until", "can never end", "'out' is over")),
        (OUT.replace("{drive", "{enable: nothing}, {drive") + BACK, 14, ("phases.0.do.0.enable", "'nothing'")),
        (OUT.replace("until: far, ", "") + BACK, 14, ("phases.0.until", "missing")),
        (OUT.replace("name: out", "name: out 1") + BACK, 14, ("phases.0.name",)),
        (OUT.replace("otherwise", "otherwize") + BACK, 14, ("otherwize", "Did you mean 'otherwise'?")),
        (OUT.replace("until: far", "until: far and time > 1 s") + BACK, 14, ("phases.0.until", "column 1")),
        (OUT.replace("until: far", "until: cart.x < 1 m") + BACK, 14, ("phases.0.until", "true at the start")),
        (OUT + BACK + "metrics: {m: max cart.x during bak}\n", 16, ("metrics.m", "no phase called 'bak'", "'back'?")),
        (OUT + BACK + "metrics: {m: duration of far}\n", 16, ("metrics.m", "no phase called 'far'; there")),
        (OUT + BACK + "metrics: {m: duration out}\n", 16, ("metrics.m", "column 10", "`of` and a phase")),
        (OUT + BACK + "metrics: {m: max cart.x during}\n", 16, ("metrics.m", "name of a phase is expected")),
        (OUT + BACK + "metrics: {m: time of bak}\n", 16, ("metrics.m", "no event or phase called 'bak'")),
        (
            OUT + BACK + "outcomes: [{name: done, message: Done., happened: [bak]}]\n",
            16,
            ("outcomes.0.happened", "no event or phase called 'bak'"),
        ),
        (
            OUT + BACK.replace("back", "far") + "metrics: {m: time of far}\n",
            16,
            ("metrics.m", "name of an event and of a phase"),
        ),
    ],
)  # fmt: skip
def test_bad_phases_are_refused_with_file_and_line(tmp_path, phases, line, words):
    """The message names file, line and field."""
    text = HEAD + phases
    if not any(key in phases for key in ("name: back", "bak")):
        text = text.replace("  later: {when: cart.x > 100 mm during back}\n", "  later: {when: time > 9 s}\n")
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        softdock.simulate(softdock.load(path))
    assert f"{path}:{line}" in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "phases", [OUT + BACK.replace("}\n", ", next: out}\n"), OUT.replace("within: 4 s, ", "") + BACK]
)
def test_wrong_phases_do_not_cause_messages_about_references_to_them(tmp_path, phases):
    """An outcome and a metric refer to a phase that exists."""
    text = (
        HEAD
        + phases
        + "metrics: {m: duration of back}\noutcomes: [{name: done, message: Done., happened: [back]}]\n"
    )
    with pytest.raises(InputError) as caught:
        softdock.load(write(tmp_path, text))
    assert [problem.field.split(".")[0] for problem in caught.value.problems] == ["phases"]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (
            "upper: 300 mm",
            "lower: 1 mm",
            9,
            ("stops.end.lower", "above 0 (SI), the position", "'cart' starts"),
        ),
        ("axis: x", "axis: x, position: 0.4 m", 9, ("stops.end.upper", "below 0.4 (SI), the position")),
        ("axis: x", "axis: x, speed: -0.2 m/s", 7, ("drives.motor.rate", "below 0.2 (SI), the speed")),
    ],
)
def test_limits_of_a_driven_joint_include_its_start(tmp_path, old, new, line, words):
    path = write(tmp_path, (HEAD + OUT + BACK).replace(old, new))
    with pytest.raises(InputError) as caught:
        softdock.load(path)
    assert f"{path}:{line}" in str(caught.value)
    for word in words:
        assert word in str(caught.value)
    head = HEAD.replace(old, new).replace("1e6 N/m}", "1e6 N/m, active: false}")
    if "stops" in words[0]:  # a stop that something enables later
        assert softdock.load(write(tmp_path, head + OUT + BACK)).phases


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["bodies.pantograph.joint.angles=[4 deg, 3.1 deg]"], ("stops.gimbal-stop.limit", "below 0.0883")),
        (
            ["phases.4.do.8={drive: turn-x, target: 6 deg}"],
            ("phases.4.do.8.target", "above 0.087", "'gimbal-stop'"),
        ),
        (
            ["phases.4.do.8={drive: turn-y, target: -6 deg}"],
            ("phases.4.do.8.target", "below -0.087", "'gimbal-stop'"),
        ),
        (["stops.gimbal-stop.limit=-1 deg"], ("stops.gimbal-stop.limit", "Must be above 0 rad", "-1 deg")),
        (["drives.turn-x.max_force=0 N*m"], ("drives.turn-x.max_force", "Must be above 0 N*m", "0 N*m")),
    ],
)
def test_limits_of_a_joint_of_two_axes_hold_in_every_direction(changes, words):
    with pytest.raises(InputError) as caught:
        softdock.load("assist-hard-docking", changes)
    for word in words:
        assert word in str(caught.value)
    assert softdock.load("assist-hard-docking", ["bodies.pantograph.joint.angles=[4 deg, 2.9 deg]"])


def test_a_stop_of_one_axis_is_compared_with_the_start_about_that_axis():
    stop = "stops.one={joint: pantograph, axis: 0, lower: -1 deg, upper: 1 deg, stiffness: 500 N*m/rad}"
    for angles, beyond in (
        ("[0 deg, 3 deg]", ""),
        ("[-2 deg, 0 deg]", "stops.one.lower"),
        ("[2 deg, 0 deg]", "stops.one.upper"),
    ):
        changes = [stop, f"bodies.pantograph.joint.angles={angles}"]
        if not beyond:
            assert "one" in softdock.load("assist-hard-docking", changes).stops
            continue
        with pytest.raises(InputError) as caught:
            softdock.load("assist-hard-docking", changes)
        assert beyond in str(caught.value)


def test_a_joint_may_start_at_its_stop_in_other_units(tmp_path):
    """7 mm and 0.7 cm differ in the last bit."""
    text = (
        (HEAD + OUT + BACK)
        .replace("axis: x", "axis: x, position: 7 mm")
        .replace("upper: 300 mm", "lower: 0.7 cm")
    )
    assert softdock.load(write(tmp_path, text)).stops
    text = (
        (HEAD + OUT + BACK)
        .replace("axis: x", "axis: x, position: 0.7 cm")
        .replace("upper: 300 mm", "lower: 7 mm")
    )
    assert softdock.load(write(tmp_path, text)).stops


def test_the_command_line_exits_with_2_and_without_a_traceback(tmp_path):
    path = write(tmp_path, HEAD + OUT + BACK.replace("}\n", ", next: out}\n"))
    command = [sys.executable, "-c", "from softdock.cli import main; main()", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{path}:15: phases.1.next" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_valid_sequence_and_its_json(tmp_path):
    """The drive moves at its rate: 200 mm take 2 s; the way back from there begins at the commanded position."""
    path = write(tmp_path, HEAD + OUT + BACK)
    assert invoke("validate", path).exit_code == 0
    found = json.loads(invoke("run", path, "--json").stdout)
    first, second = found["phases"]
    assert list(first) == ["name", "start", "end", "ended"]
    assert (first["name"], first["start"], first["ended"]) == ("out", 0.0, "condition")
    assert first["end"] == pytest.approx(2.0, abs=0.02)
    assert second["start"] == first["end"]
    assert second["end"] - second["start"] == pytest.approx(1.4, abs=0.02)
    assert found["outcome"] == "completed"
    table = invoke("run", path).stdout.splitlines()
    start = next(i for i, line in enumerate(table) if line.startswith("phase "))
    assert table[start + 1].split()[:2] == ["out", "0.0000"]
    assert "condition" in table[start + 2]


def test_a_failed_sequence_is_an_outcome_that_names_its_phase(tmp_path):
    path = write(tmp_path, HEAD + OUT.replace("4 s", "1 s") + BACK)
    done = invoke("run", path, "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["outcome"] == "stuck"
    assert "'out'" in found["message"]
    assert [phase["ended"] for phase in found["phases"]] == ["timeout"]
    assert found["phases"][0]["end"] == 1.0


def test_a_phase_may_have_the_name_of_an_event_that_nothing_refers_to(tmp_path):
    text = HEAD.replace("during back", "during far") + OUT + BACK.replace("back", "far")
    result = softdock.simulate(softdock.load(write(tmp_path, text + "metrics: {d: duration of far}\n")))
    assert [phase.name for phase in result.phases] == ["out", "far"]
    assert result.metrics["d"] == result.phases[1].end - result.phases[1].start
    assert [event.name for event in result.events] == ["far", "later"]


def test_requirements_refer_to_phases(tmp_path):
    text = (
        HEAD
        + OUT
        + BACK
        + (
            "requirements:\n"
            "  R-1: {metric: max cart.vx during out, at_most: 0.2 m/s}\n"
            "  R-2: {metric: max cart.vx during back, at_least: 0.2 m/s}\n"
            "  R-3: {outcome: [stuck, completed]}\n"
        )
    )
    result = softdock.simulate(softdock.load(write(tmp_path, text)))
    assert [verdict.verdict for verdict in result.requirements] == ["met", "violated", "met"]


@pytest.mark.parametrize("back", [BACK, BACK.replace("do: [", "do: [{arm: far}, ")])
def test_an_event_that_nothing_arms_before_cannot_end_a_phase(tmp_path, back):
    """Neither without any action that arms it, nor with one in a later phase; an action of an event suffices."""
    head = HEAD.replace("200 mm}", "200 mm, armed: false}")
    path = write(tmp_path, head + OUT + back)
    with pytest.raises(InputError) as caught:
        softdock.load(path)
    assert f"{path}:14: phases.0.until: This phase can never end: nothing arms the event 'far'" in str(
        caught.value
    )
    armed = head.replace("events:\n", "events:\n  begun: {when: time > 0 s, then: [{arm: far}]}\n")
    assert softdock.simulate(softdock.load(write(tmp_path, armed + OUT + BACK))).outcome == "completed"


def test_elements_and_events_of_phases_are_not_reported_as_without_effect(tmp_path):
    text = HEAD.replace("damping: 1e3 N*s/m", "damping: 1e3 N*s/m, active: false") + OUT + BACK
    assert check_before_run(softdock.load(write(tmp_path, text))).warnings == ()


def test_a_robot_has_phases():
    """The phases of a robot are those of its whole system: they may refer to the joints of the arm."""
    robot = "peg-flat"
    scenario = softdock.load(
        robot, ["phases=[{name: first, until: time > 0.2 s}, {name: rest, until: time > 99 s}]"]
    )
    assert scenario.whole().phase_names == ["first", "rest"]
    with pytest.raises(InputError, match=r"phases\.0\.until"):
        softdock.load(robot, ["phases=[{name: first, until: nothing.z > 1 m}]"])


def test_the_phases_of_the_template_run_when_they_are_uncommented(tmp_path):
    text = templates()["multibody"]
    head, rest = text.split("# phases:\n")
    block, rest = rest.split("\n\n", 1)
    lines = "".join(f"{line.removeprefix('# ')}\n" for line in block.splitlines())
    result = softdock.simulate(softdock.load(write(tmp_path, f"{head}phases:\n{lines}\n{rest}")))
    assert [(phase.name, phase.ended) for phase in result.phases] == [
        ("insertion", "condition"),
        ("holding", "condition"),
    ]
    assert result.phases[1].end == pytest.approx(result.phases[1].start + 1.0)
    assert result.outcome == "captured"
