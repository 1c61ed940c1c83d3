"""Multibody scenario files: events, metrics, approach, recording, and messages about bad input."""

import numpy as np
import pytest

import softdock
from softdock.errors import InputError
from softdock.scenario.loading import from_data, load

BALL = {"mass": "2 kg", "inertia": [0.01, 0.01, 0.01]}


def scenario_data(**more):
    data = {
        "softdock": 1,
        "kind": "multibody",
        "duration": "2 s",
        "bodies": {
            "ball": {**BALL, "joint": {"type": "free", "velocity": [0, 0, "-10 cm/s"]}},
            "arm": {**BALL, "parent": "ball", "joint": {"type": "revolute", "axis": "x", "rate": "3 deg/s"}},
        },
        "springs": {"return": {"joint": "arm", "stiffness": "2 N*m/rad"}},
    }
    for key, value in more.items():
        data[key] = {**data[key], **value} if isinstance(data.get(key), dict) else value
    return data


def refusal(data):
    with pytest.raises(InputError) as caught:
        from_data(data)
    return str(caught.value)


def test_events_metrics_and_outcomes_are_evaluated():
    data = scenario_data(
        events={
            "low": {"when": "ball.z < -5 cm", "message": "The ball is low."},
            "late": {"when": "time > 1.5 s", "then": [{"stop": True}]},
        },
        outcomes=[{"name": "sank", "message": "It sank.", "happened": ["low"]}],
        metrics={
            "t_low": "time of low",
            "span": "time from low to late",
            "lowest": "min ball.z",
            "end": "final ball.z",
        },
    )
    result = softdock.simulate(from_data(data, name="sinking"))
    assert (result.scenario, result.outcome, result.message) == ("sinking", "sank", "It sank.")
    assert [event.name for event in result.events] == ["low", "late"]
    assert result.metrics["t_low"] + result.metrics["span"] == pytest.approx(1.5, abs=1e-12)
    assert result.metrics["lowest"] == pytest.approx(result.metrics["end"], abs=1e-12)
    assert result.units["lowest"] == "m"
    assert result.history.time[-1] == pytest.approx(1.5, abs=1e-12)
    assert result.audit.linear_momentum_drift <= 1e-14


def test_the_metric_of_an_event_that_does_not_occur_is_empty():
    data = scenario_data(events={"high": {"when": "ball.z > 1 m"}}, metrics={"t_high": "time of high"})
    assert softdock.simulate(from_data(data)).metrics["t_high"] is None


def cone_stop(joint: str, **limits: object) -> dict:
    """Return an arm on a joint of several axes, with a stop that has some limits."""
    arm = {**BALL, "parent": "ball", "joint": {"type": joint}}
    return {
        "bodies": {"ball": BALL, "arm": arm},
        "stops": {"end": {"joint": "arm", "stiffness": 1, **limits}},
    }


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"bodies": {"arm": {**BALL, "parent": "bal"}}}, "bodies.arm", "free body has no parent"),
        (
            {"bodies": {"arm": {**BALL, "parent": "bal", "joint": {"type": "fixed"}}}},
            "bodies.arm.parent",
            "no body called 'bal'",
        ),
        (
            {
                "bodies": {
                    "ball": {**BALL, "parent": "arm", "joint": {"type": "fixed"}},
                    "arm": {**BALL, "parent": "ball", "joint": {"type": "fixed"}},
                }
            },
            "parent",
            "closes a loop",
        ),
        ({"bodies": {"ball": {"mass": 1, "inertia": [1, 1, 3]}}}, "bodies.ball.inertia", "is impossible"),
        ({"bodies": {"leaf": {"joint": {"type": "free"}}}}, "bodies.leaf.mass", "above 0 kg"),
        ({"springs": {"return": {"joint": "ball", "stiffness": 1}}}, "springs.return.joint", "free"),
        (
            {"springs": {"return": {"joint": "arm", "stiffness": "2 N/m"}}},
            "springs.return.stiffness",
            "turning",
        ),
        ({"springs": {"return": {"joint": "arm", "stiffness": "2 kg"}}}, "springs.return.stiffness", "mass"),
        ({"stops": {"end": {"joint": "arm", "stiffness": 1}}}, "stops.end", "lower or upper"),
        (
            cone_stop("universal", limit=0.1, upper=0.2),
            "stops.end.upper",
            "give `limit` instead, or name one",
        ),
        (cone_stop("universal"), "stops.end.limit", "Must be given for a joint of 2 axes"),
        (cone_stop("spherical", upper=0.2), "stops.end.upper", "a spherical joint has 3"),
        (cone_stop("spherical", limit="200 deg"), "stops.end.limit", "below half a turn"),
        ({"events": {"e": {"when": "ball.zz > 1 m"}}}, "events.e.when", "no 'zz'"),
        ({"events": {"e": {"when": "ball.z > 1 kg"}}}, "events.e.when", "mass"),
        ({"events": {"e": {"when": "ball.z is 1"}}}, "events.e.when", "at column 8 (`is`)"),
        ({"events": {"e": {"when": "time > 1 s", "then": [{"enable": "x"}]}}}, "then.0.enable", "'x'"),
        ({"events": {"e": {"when": "time > 1 s", "then": [{}]}}}, "events.e.then.0", "exactly one"),
        ({"metrics": {"m": "mode ball.z"}}, "metrics.m", "max F"),
        ({"metrics": {"m": "time of nothing"}}, "metrics.m", "no event called"),
        ({"outcomes": [{"name": "x", "message": "y", "happened": ["z"]}]}, "outcomes.0.happened", "'z'"),
        ({"integrator": {"method": "rk4"}}, "integrator.step", "must be given"),
        ({"surfaces": {"s": {"body": "ball"}}}, "surfaces.s.file", "give one of file, solid and profile"),
        (
            {"surfaces": {"s": {"body": "ball", "profile": [[0, 0], [0, 0]]}}},
            "surfaces.s.profile",
            "",
        ),
        (
            {"contacts": {"c": {"a": "s", "b": "t", "layer": {"stiffness": 1e9}}}},
            "contacts.c.a",
            "no surface called 's'",
        ),
        (
            {"approach": {"chaser": "arm", "tip": {"body": "arm"}, "port": {"body": "world"}, "speed": 1}},
            "approach.chaser",
            "must be a free body",
        ),
        (
            {"bodies": {"k\u00f6rper": {"mass": 1, "inertia": [1, 1, 1]}}},
            "bodies.k\u00f6rper",
            "plain letters",
        ),
        ({"metrics": {"Peak": "max ball.z"}}, "metrics.Peak", "small plain letters"),
        ({"duration": "-1 s"}, "duration", "above 0"),
    ],
)
def test_bad_input_is_refused_with_its_field(change, field, words):
    message = refusal(scenario_data(**change))
    assert field in message
    assert words.lower() in message.lower()


@pytest.mark.parametrize(
    ("layer", "field"),
    [
        ({"stiffness": 0}, "layer.stiffness"),
        ({"youngs_modulus": 7e10, "poisson_ratio": 0.5, "thickness": 0.01}, "layer.poisson_ratio"),
        ({"youngs_modulus": 7e10}, "layer.stiffness"),
        ({"stiffness": 1e9, "damping": 1e6}, "layer.damping_depth"),
    ],
)
def test_bad_layers_are_refused(layer, field):
    disc = [[0, "30 cm"], [0, 0]]
    surfaces = {"top": {"body": "ball", "profile": disc}, "tip": {"body": "arm", "profile": disc}}
    data = scenario_data(surfaces=surfaces, contacts={"c": {"a": "top", "b": "tip", "layer": layer}})
    assert field in refusal(data)


@pytest.mark.parametrize(
    ("base", "name"),
    [
        ("assist-soft-docking", "peak_contact_force"),
        ("assist-approach", "propellant"),
        ("peg-flat", "peak_contact_force"),
        ("peg-flat", "torque_used"),
    ],
)
def test_a_metric_with_the_name_of_a_standard_metric_is_refused_with_its_line(tmp_path, base, name):
    file = tmp_path / "own.yaml"
    file.write_text(f"softdock: 1\nbase: {base}\nmetrics:\n  fine: max time\n  {name}: min time\n")
    with pytest.raises(InputError) as caught:
        load(file)
    (problem,) = caught.value.problems
    assert (problem.field, problem.line) == (f"metrics.{name}", 5)
    assert "the name of a metric that every run has" in problem.message


def test_a_missing_cad_file_is_named_with_its_line(tmp_path):
    file = tmp_path / "docking.yaml"
    file.write_text(
        "softdock: 1\nkind: multibody\nduration: 1 s\n"
        "bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\n"
        "surfaces:\n  nose:\n    body: ball\n    file: nose.step\n"
    )
    with pytest.raises(InputError) as caught:
        load(file)
    assert "docking.yaml:8" in str(caught.value)
    assert "surfaces.nose.file" in str(caught.value)


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.1, -0.2)])
def test_an_approach_places_the_tip_as_given(tilt):
    data = scenario_data(
        bodies={
            "target": {
                **BALL,
                "joint": {"type": "free", "position": [1, 2, 3], "attitude": {"yaw": "30 deg"}},
            },
        },
        approach={
            "chaser": "ball",
            "tip": {"body": "arm", "at": [0, 0, 0.5]},
            "port": {"body": "target", "at": [0, 0, -0.4]},
            "distance": "2 cm",
            "offset": ["3 mm", "-1 mm"],
            "tilt": list(tilt),
            "speed": "0.03 m/s",
        },
        record={"also": ["ball.z in target"]},
    )
    data["bodies"]["tip"] = {"parent": "arm", "joint": {"type": "fixed", "at": [0, 0, 0.5]}}
    data["bodies"]["port"] = {"parent": "target", "joint": {"type": "fixed", "at": [0, 0, -0.4]}}
    data["bodies"]["arm"]["joint"]["rate"] = 0
    data["record"]["also"] = [f"tip.{k} in port" for k in ("x", "y", "z", "vx", "vy", "vz", "tilt")]
    history = softdock.simulate(from_data(data)).history
    start = [history[f"tip.{k} in port"][0] for k in ("x", "y", "z", "vx", "vy", "vz", "tilt")]
    assert start == pytest.approx([3e-3, -1e-3, -0.02, 0, 0, 0.03, np.hypot(*tilt)], abs=1e-14)


def test_a_run_can_record_only_what_is_asked_for():
    more = {"metrics": {"span": "max arm.joint", "end": "final ball.z"}}
    whole = softdock.simulate(from_data(scenario_data(**more, record={"also": ["arm.z in ball"]})))
    some = softdock.simulate(
        from_data(scenario_data(**more, record={"all": False, "also": ["arm.z in ball"], "loads": False}))
    )
    assert {"arm.z in ball", "arm.joint"} < set(some.history.channels) < set(whole.history.channels)
    assert "ball.vx" not in some.history.channels
    assert some.metrics["span"] == whole.metrics["span"]
    assert some.metrics["end"] == whole.metrics["end"]
    np.testing.assert_array_equal(some.history["arm.z in ball"][-1], whole.history["arm.z in ball"][-1])


def test_a_replay_of_a_run_that_did_not_record_its_motion_says_so(tmp_path):
    result = softdock.simulate(from_data(scenario_data(record={"all": False})))
    with pytest.raises(InputError, match=r"record\.all"):
        result.replay(tmp_path / "replay.html")
    assert not list(tmp_path.iterdir())
