"""Formulas of channels: values, bounds inside steps, and events and peaks that are not missed."""

import itertools
import math

import numpy as np
import pytest

from dynamics.systems import SCENE_NAMES, SCENES, scene
from softdock import simulate
from softdock.model.events import Event
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.tree.joints import Fixed, Free, Prismatic, Revolute

LENGTH = 1e-6  # error allowed in a step by default [m]
INERTIA = {"mass": 10.0, "inertia": (1.0, 1.0, 1.0)}


def times(result, name):
    return [event.time for event in result.events if event.name == name]


def run(scenario, **changes):
    return simulate(scenario.model_copy(update=changes), with_prediction=False)


def fly_by(speed, miss, time, **more):
    """Return a craft that passes a station on a straight line, at distance `miss` [m] at `time` [s]."""
    return MultibodyScenario(
        bodies={
            "craft": Body(
                **INERTIA, joint=Free(position=(-speed * time, miss, 0.0), velocity=(speed, 0.0, 0.0))
            ),
            "station": Body(**INERTIA, joint=Free()),
        },
        duration=2.3 * time,
        record={"rate": 0.0},
        **more,
    )


FLY_BYS = list(itertools.product((0.1, 1.0, 10.0), (0.0, 1e-3, 50e-3), (1.0, 50.0)))


@pytest.mark.parametrize(("speed", "miss", "time"), FLY_BYS)
def test_norm_of_components_finds_a_fly_by(speed, miss, time):
    """The norm over time has the shape of a V; event and smallest value are exact and cost few evaluations."""
    norm = "norm(craft.x in station, craft.y in station)"
    result = simulate(
        fly_by(
            speed,
            miss,
            time,
            events={"inside": Event(when=f"{norm} < 60 mm")},
            metrics={"closest": f"min {norm}", "root": "min sqrt((craft.x in station)^2 + craft.y^2)"},
        ),
        with_prediction=False,
    )
    (entered,) = times(result, "inside")
    assert entered == pytest.approx(time - math.sqrt(0.06**2 - miss**2) / speed, rel=1e-9)
    assert result.metrics["closest"] == pytest.approx(miss, abs=0.02 * LENGTH)
    assert result.metrics["root"] == pytest.approx(miss, abs=2.0 * LENGTH)
    assert result.timing.steps < 20
    assert result.timing.evaluations < 1500


@pytest.mark.parametrize(("speed", "time"), [(0.1, 50.0), (1.0, 7.3), (10.0, 1.0)])
@pytest.mark.parametrize(
    "when",
    [
        "abs(craft.x) < 1 mm",
        "-1 mm < craft.x < 1 mm",
        "not (craft.x < -1 mm or craft.x > 1 mm)",
        "not abs(craft.x) > 1 mm and craft.y < 1 m",
        "craft.x * craft.x < 1 mm^2",
        "craft.x^2 / (1 m) < 1 um",
        "max(craft.x, -craft.x) - 1 mm < 0",
        "1 / (1 m^2 + 1e6 * craft.x^2) > 0.5 1/m^2",
        "craft.x + 1 mm > 0 and 1 mm > craft.x",
    ],
)
def test_conditions_on_a_narrow_range_are_not_missed(speed, time, when):
    """The craft is within 1 mm of the plane for a small part of one long step, for all forms of the condition."""
    result = simulate(
        fly_by(speed, 0.0, time, events={"slit": Event(when=when, once=False)}), with_prediction=False
    )
    assert times(result, "slit") == pytest.approx([time - 1e-3 / speed], abs=1e-7 / speed)
    assert result.timing.evaluations < 3000


@pytest.mark.parametrize("time", [1.0, 50.0])
def test_meeting_with_a_point_that_moves_in_time_is_found(time):
    """Time in a formula is exact, so a meeting of 0.4 ms late in a run is not below the resolution."""
    when = f"abs(craft.x - 4 m/s * (time - {time!r} s)) < 1 mm"
    result = simulate(
        fly_by(-1.0, 0.0, time, events={"met": Event(when=when, once=False)}), with_prediction=False
    )
    assert times(result, "met") == pytest.approx([time - 1e-3 / 5.0], abs=1e-8)


def spinning_tip(rate, duration, **more):
    """Return a tip 0.5 m from the axis of a joint that turns at a constant rate [rad/s]."""
    light = {"mass": 1e-3, "inertia": (1e-6, 1e-6, 1e-6)}
    return MultibodyScenario(
        bodies={
            "arm": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(rate=rate)),
            "tip": Body(**light, parent="arm", joint=Fixed(at=(0.5, 0.0, 0.0))),
        },
        duration=duration,
        **{"record": {"rate": 0.0}, **more},
    )


@pytest.mark.parametrize("rate", [3.0, 30.0])
def test_products_and_quotients_of_a_spinning_tip_reach_their_extrema(rate):
    """Many turns in one step; x y = sin(2a)/8, x/(1 m + y), |x| + |y|, the smaller of x and y."""
    formulas = {
        "area": ("tip.x * tip.y", 0.125, -0.125),
        "ratio": ("tip.x / (1 m + tip.y)", 1.0 / math.sqrt(3.0), -1.0 / math.sqrt(3.0)),
        "sum": ("abs(tip.x) + abs(tip.y)", 0.5 * math.sqrt(2.0), 0.5),
        "least": ("min(tip.x, tip.y)", 0.5 * math.sqrt(0.5), -0.5),
        "cube": ("tip.x^3", 0.125, -0.125),
        "inverse": ("(2 m + tip.x)^-2", 1.0 / 2.25, 1.0 / 6.25),
        "point": (
            "arm@[0, 250 mm, 0].x + arm@[0, 250 mm, 0].y",
            0.25 * math.sqrt(2.0),
            -0.25 * math.sqrt(2.0),
        ),
        "speed": ("norm(tip.vx, tip.vy) / arm.joint_rate * 1 rad", 0.5, 0.5),
    }
    metrics = {f"{how}_{name}": f"{how} {f[0]}" for name, f in formulas.items() for how in ("max", "min")}
    result = simulate(spinning_tip(rate, 20.0, metrics=metrics), with_prediction=False)
    for name, (_, most, least) in formulas.items():
        assert result.metrics[f"max_{name}"] == pytest.approx(most, abs=0.05 * LENGTH), name
        assert result.metrics[f"min_{name}"] == pytest.approx(least, abs=0.05 * LENGTH), name
    assert result.units["max_area"] == "m^2"
    assert "max_ratio" not in result.units


def test_every_turn_within_one_step_is_counted_by_a_formula():
    """Both conditions hold in a sector of each turn; it begins where the second becomes true."""
    event = Event(when="tip.y > 0.3 m and tip.x < 0.2 m", once=False)
    result = simulate(spinning_tip(3.0, 20.0, events={"sector": event}), with_prediction=False)
    turns = math.acos(0.4) + 2.0 * math.pi * np.arange(10)
    assert times(result, "sector") == pytest.approx(turns[turns < 60.0] / 3.0, abs=1e-8)


FORMULAS = (
    "hand.x * mate.y - hand.y * mate.x",
    "norm(hand.x - mate.x, hand.y - mate.y, hand.z - mate.z)",
    "abs(hand.vx in mate) * 1 s + hand.distance",
    "max(wrist.force, -2 * wrist.force)",
    "sqrt(0.1 J + weld.energy)",
    "min(hand.tilt, mate.tilt)",
    "strut.force / (1 N + abs(weld.force))",
)


@pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
def test_no_sample_of_a_formula_lies_beyond_its_peak(kind, floating):
    """For trees with springs, a strut and a weld; samples are computed from the recorded channels."""
    system = scene(kind, floating, lossy=False, seed=5)
    parts = {name: getattr(system, name) for name in ("bodies", "springs", "struts", "welds", "drives")}
    metrics = {f"{how}_{i}": f"{how} {text}" for i, text in enumerate(FORMULAS) for how in ("max", "min")}
    accuracy = {"length": 1e-4, "angle": 1e-4, "speed": 1e-3, "rate": 1e-3}
    result = simulate(
        MultibodyScenario(
            **parts,
            duration=4.0,
            metrics=metrics,
            record={"rate": 1000.0, "also": FORMULAS},
            integrator={"accuracy": accuracy},
        ),
        with_prediction=False,
    )
    h = result.history
    assert h[FORMULAS[0]] == pytest.approx(h["hand.x"] * h["mate.y"] - h["hand.y"] * h["mate.x"], abs=1e-15)
    for i, text in enumerate(FORMULAS):
        values = h[text]
        allowed = 3e-4 * np.abs(values).max()
        assert values.max() <= result.metrics[f"max_{i}"] + allowed, text
        assert values.min() >= result.metrics[f"min_{i}"] - allowed, text
        slope = np.abs(np.diff(values)).max()
        assert result.metrics[f"max_{i}"] <= values.max() + slope, text
        assert result.metrics[f"min_{i}"] >= values.min() - slope, text


@pytest.mark.plain_python
def test_points_of_bodies_move_with_them():
    """Position, distance and velocity of a point against those of a body that is fixed there."""
    at = (0.1, -0.2, 0.3)
    light = {"mass": 1e-9, "inertia": (1e-12,) * 3}
    bodies = {
        "ship": Body(mass=10.0, inertia=(1.0, 2.0, 2.7), joint=Free(rate=(0.1, 1.3, 0.2))),
        "mark": Body(**light, parent="ship", joint=Fixed(at=at)),
        "other": Body(**INERTIA, joint=Free(position=(1.0, 2.0, 3.0), rate=(0.3, 0.0, 0.1))),
    }
    also = [f"ship@[100 mm, -200 mm, 0.3].{field} in other" for field in ("x", "vy", "distance", "velocity")]
    also += ["other.y in ship@[10 cm, -20 cm, 30 cm]", "ship@[0.1, -0.2, 0.3].z"]
    twins = [f"mark.{field} in other" for field in ("x", "vy", "distance", "velocity")]
    twins += ["other.y in mark", "mark.z"]
    scenario = MultibodyScenario(
        bodies=bodies, duration=0.5, record={"rate": 20.0, "also": [*also, *twins]}, integrator={"step": 0.1}
    )
    history = simulate(scenario, with_prediction=False).history
    for name, twin in zip(also, twins):
        assert history[name] == pytest.approx(history[twin], abs=1e-13), name


def test_a_formula_without_a_value_is_not_reported_as_a_number():
    """For the root of a negative number: the metric counts rows with a value only, and a warning is given."""
    scenario = MultibodyScenario(
        bodies={"mass": Body(mass=1.0, joint=Prismatic(position=1.0, speed=-1.0))},
        duration=2.0,
        metrics={"most": "max sqrt(mass.joint)", "end": "final sqrt(mass.joint)", "fine": "max mass.joint"},
    )
    result = simulate(scenario, with_prediction=False)
    assert result.metrics["most"] == pytest.approx(1.0)
    assert result.metrics["end"] is None
    assert result.valid == "yes"
    assert [name for name in scenario.metrics if any(f"{name!r}" in text for text in result.warnings)] == [
        "most",
        "end",
    ]


@pytest.mark.parametrize(
    "metric", ["max sqrt(mass.joint)", "max sqrt(mass.joint - 5 m)", "min 1 / (time - time)"]
)
def test_rows_without_a_value_of_a_metric_stay_in_the_history(metric):
    bodies = {"mass": Body(mass=1.0, joint=Prismatic(position=1.0, speed=-1.0))}
    plain = MultibodyScenario(bodies=bodies, duration=2.0, record={"rate": 10.0})
    result = run(plain, metrics={"m": metric})
    assert set(run(plain).history.time) <= set(result.history.time)


def test_a_comparison_without_a_value_is_false():
    """The root has no value after 1 s: a comparison with it is false, so that its negation is true."""
    scenario = MultibodyScenario(
        bodies={"mass": Body(mass=1.0, joint=Prismatic(position=1.0, speed=-1.0))},
        duration=2.0,
        events={
            "root": Event(when="sqrt(mass.joint) < 0.5"),
            "gone": Event(when="not sqrt(mass.joint) > 0 and time > 0.1 s"),
            "late": Event(when="sqrt(mass.joint) > 0.5 or time > 1.5 s", once=False),
        },
    )
    result = simulate(scenario, with_prediction=False)
    assert times(result, "root") == pytest.approx([0.75], abs=1e-9)
    assert times(result, "gone") == pytest.approx([1.0], abs=1e-9)
    assert times(result, "late") == pytest.approx([0.0, 1.5], abs=1e-9)


def test_watching_a_formula_does_not_change_the_run():
    plain = simulate(spinning_tip(3.0, 20.0, record={"rate": 10.0}), with_prediction=False)
    event = Event(when="tip.x * tip.y > 0.1 m^2 and not time > 15 s", once=False)
    metrics = {"most": "max tip.x - tip.y"}
    seen = simulate(
        spinning_tip(3.0, 20.0, record={"rate": 10.0}, events={"e": event}, metrics=metrics),
        with_prediction=False,
    )
    assert seen.timing.steps == plain.timing.steps
    # A row at a peak replaces a sample that exceeds it by the resolution.
    _, one, two = np.intersect1d(seen.history.time, plain.history.time, return_indices=True)
    assert len(two) > 0.98 * len(plain.history.time)
    assert np.array_equal(seen.history["tip.x"][one], plain.history["tip.x"][two])


@pytest.mark.parametrize("divisor", ["(mass.joint - mass.joint)", "(mass.joint - mass.joint + 1e-300 m)"])
def test_a_quotient_without_bounds_does_not_exhaust_the_search_in_every_step(divisor):
    """A divisor of zero, or one whose bounds contain zero, over many steps."""
    scenario = MultibodyScenario(
        bodies={"mass": Body(mass=1.0, joint=Prismatic(position=1.0, speed=-1.0))},
        duration=2.0,
        integrator={"step": 0.01},
        metrics={"most": f"max mass.joint / {divisor}", "fine": "max mass.joint"},
    )
    result = simulate(scenario, with_prediction=False)
    assert result.metrics["fine"] == pytest.approx(1.0)
    assert result.timing.evaluations < 3_000_000  # one million in the first step, fewer in later ones
