"""Friction that sticks: closed forms of joints that are held, begin to slide and come to rest, by all methods."""

import math
from typing import Any

import numpy as np
import pytest

from softdock import InputError, Result, simulate
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy, Integrator
from softdock.simulation.multibody import PreparedMultibody

METHODS = ["automatic", "dormand-prince", "bogacki-shampine", "rosenbrock"]
ACCURACY = 1e-4  # of motions; methods agree to it at the default tolerances
MASS = 5.0
FRICTION = {"joint": "slide", "friction": 10.0}


def scenario(method: str, duration: float, **parts: Any) -> MultibodyScenario:
    """Return a scenario of some parts without history."""
    settings = {"integrator": Integrator(method=method), "record": {"rate": 0.0}} | parts
    return MultibodyScenario(duration=duration, **settings)


def run(method: str, duration: float, **parts: Any) -> Result:
    """Simulate a scenario of some parts."""
    result = simulate(scenario(method, duration, **parts), with_prediction=False)
    assert result.completed, result.message
    return result


def slide(**joint: Any) -> dict[str, Any]:
    """Return a mass on a slide along z."""
    return {"mass": MASS, "inertia": [1, 1, 1], "joint": {"type": "prismatic", "axis": "z", **joint}}


def rounding_of(size: float) -> float:
    """Return a bound of rounding errors in values of a size."""
    return 1e-12 * size


@pytest.mark.plain_python
@pytest.mark.parametrize("method", METHODS)
def test_half_of_the_friction_moves_nothing(method):
    """The holding force is the load from its first to its last instant, without overshoot; nothing creeps in 20 s."""
    result = run(
        method,
        20.0,
        bodies={"slide": slide()},
        springs={"brake": FRICTION},
        loads={"push": {"body": "slide", "force": [0, 0, 5.0], "pulses": [{"start": 1.0, "duration": 15.0}]}},
        metrics={"way": "final slide.joint", "most": "max brake.force", "least": "min brake.force"},
    )
    assert result.metrics["way"] == 0.0
    # A force of a spring is positive towards its rest position, as friction against a push.
    assert result.metrics["most"] == pytest.approx(5.0, rel=1e-12)
    assert result.metrics["least"] == 0.0
    assert result.timing.steps < 10


@pytest.mark.plain_python
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("speed", [0.3, -0.02])
def test_stopping_distance(method, speed):
    """A constant force stops a mass after v^2 m / 2 F, to rounding; then it stays."""
    result = run(
        method,
        2.0,
        bodies={"slide": slide(speed=speed)},
        springs={"brake": FRICTION},
        metrics={"way": "final slide.joint", "rate": "final slide.joint_rate"},
    )
    way = math.copysign(speed * speed * MASS / 20.0, speed)
    assert result.metrics["way"] == pytest.approx(way, rel=1e-9)
    assert result.metrics["rate"] == 0.0
    assert result.audit.energy_residual < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_a_growing_load_releases_a_joint_at_the_limit(method):
    """A spring that is wound at a constant speed pulls with k v t; afterwards x = v (tau - sin(w tau) / w)."""
    stiffness, speed, end = 200.0, 0.02, 4.0
    begin, w = 10.0 / (stiffness * speed), math.sqrt(stiffness / MASS)
    result = run(
        method,
        end,
        bodies={"slide": slide()},
        springs={"brake": FRICTION},
        drives={"winch": {"joint": "slide", "target": 9.0, "rate": speed, "stiffness": stiffness}},
        events={"moves": {"when": "slide.joint_rate > 1 um/s"}},
        metrics={"way": "final slide.joint", "held": "max winch.force"},
    )
    tau = end - begin
    assert result.metrics["way"] == pytest.approx(speed * (tau - math.sin(w * tau) / w), rel=ACCURACY)
    # From the limit on the speed is v (1 - cos w t).
    delay = math.acos(1.0 - 1e-6 / speed) / w
    assert [event.time for event in result.events] == pytest.approx([begin + delay], abs=0.1 * delay)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("speed", "static"), [(0.05, 12.0), (0.02, 8.5)])
def test_stick_and_slip_of_a_mass_that_is_pulled_by_a_spring(method, speed, static):
    """Rabinowicz: period 2 (F_s - F_k) / k v + 2 (pi - atan(w (F_s - F_k) / k v)) / w, way v T, largest speed v + A w.

    The largest speed follows from the amplitude of the oscillation about the sliding equilibrium.
    """
    kinetic, k, periods = 8.0, 200.0, 6
    w, a = math.sqrt(k / MASS), (static - kinetic) / k
    period = 2.0 * a / speed + 2.0 / w * (math.pi - math.atan(a * w / speed))
    result = run(
        method,
        static / (k * speed) + periods * period - a / speed,
        bodies={"slide": slide()},
        drives={
            "pull": {
                "joint": "slide", "target": 9.0, "rate": speed, "stiffness": k, "friction": kinetic,
                "static_friction": static,
            }
        },
        metrics={"way": "final slide.joint", "fastest": "max slide.joint_rate", "rate": "final slide.joint_rate"},
    )  # fmt: skip
    assert result.metrics["way"] == pytest.approx(periods * speed * period, rel=ACCURACY)
    assert result.metrics["fastest"] == pytest.approx(speed + math.hypot(speed, a * w), rel=ACCURACY)
    assert result.metrics["rate"] == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_oscillation_with_dry_friction_decays_linearly_and_rests_in_the_dead_zone(method):
    """Every half oscillation is about a centre F / k away: turning points x, -(x - 2 F / k), ... until |x| < F / k."""
    k, x, turns = 300.0, 0.5, 0
    zone = 10.0 / k
    result = run(
        method,
        20.0,
        bodies={"slide": slide(position=x)},
        springs={"brake": {**FRICTION, "stiffness": k}},
        metrics={"rest": "final slide.joint", "way": "integral abs(slide.joint_rate)"},
    )
    way = 0.0
    while abs(x) > zone:
        back = math.copysign(2.0 * zone, x) - x
        way, x, turns = way + abs(back - x), back, turns + 1
    assert turns == 8
    assert result.metrics["rest"] == pytest.approx(x, abs=ACCURACY * 0.5)
    assert result.metrics["way"] == pytest.approx(way, rel=10 * ACCURACY)


@pytest.mark.parametrize("method", METHODS)
def test_two_sliders_on_each_other(method):
    """The lower joint slides first and carries the upper one, which holds less than the push, until that slides."""
    low, high, lower, upper, step = 3.0, 2.0, 4.0, 6.0, 0.5
    pushes = [0.5 * i for i in range(24)]
    bodies = {
        "low": {**slide(), "mass": low},
        "high": {**slide(), "mass": high, "parent": "low"},
    }
    result = run(
        method,
        step * len(pushes),
        bodies=bodies,
        springs={
            "below": {"joint": "low", "friction": lower},
            "between": {"joint": "high", "friction": upper},
        },
        loads={
            "push": {
                "body": "high",
                "force": [0, 0, 1.0],
                "table": [[step * i, f] for i, f in enumerate(pushes)],
            }
        },
        metrics={"low": "final low.joint", "high": "final high.joint"},
    )
    state = np.zeros(4)  # positions and speeds of both
    for push in pushes:
        together = max(push - lower, 0.0) / (low + high)
        a_low, a_high = together, 0.0
        if push - high * together > upper:
            a_low = (upper - lower) / low
            a_high = (push - upper) / high - a_low
        a = np.array([a_low, a_high])
        state[:2] += state[2:] * step + 0.5 * a * step**2
        state[2:] += a * step
    assert [result.metrics["low"], result.metrics["high"]] == pytest.approx(list(state[:2]), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("friction", [10.0, 9.0])
def test_a_hinge_holds_the_moment_of_gravity_up_to_its_friction(method, friction):
    """A pendulum that starts horizontal stays, or falls to where m g l sin(angle) = M angle."""
    arm = {
        "mass": 2.0,
        "inertia": [0.1, 0.1, 0.1],
        "centre_of_mass": [0.5, 0, 0],
        "joint": {"type": "revolute", "axis": "y"},
    }
    result = run(
        method,
        5.0,
        gravity=[0, 0, -9.81],
        bodies={"arm": arm},
        springs={"hinge": {"joint": "arm", "friction": friction}},
        metrics={"angle": "final arm.joint", "rate": "final arm.joint_rate"},
    )
    angle, moment = result.metrics["angle"], 2.0 * 9.81 * 0.5
    assert result.metrics["rate"] == 0.0
    if friction > moment:
        assert angle == 0.0
        (load,) = (one for one in result.loads if one.name == "hinge")
        assert load.peak_moment == pytest.approx(moment, rel=1e-12)
    else:
        assert moment * math.sin(angle) == pytest.approx(friction * angle, rel=ACCURACY)


@pytest.mark.parametrize("method", METHODS)
def test_momentum_of_a_floating_mechanism_is_kept_while_its_joints_stick_and_slide(method):
    """The reduced mass stops after v^2 m / 2 F; momentum does not notice friction."""
    base = {"mass": 10.0, "inertia": [1, 2, 3], "joint": {"type": "free", "velocity": [0.02, 0.0, 0.01]}}
    result = run(
        method,
        3.0,
        bodies={"base": base, "slide": {**slide(speed=0.2), "parent": "base"}},
        springs={"brake": FRICTION},
        metrics={"way": "final slide.joint", "rate": "final slide.joint_rate"},
    )
    reduced = 10.0 * MASS / (10.0 + MASS)
    assert result.metrics["way"] == pytest.approx(0.2**2 * reduced / 20.0, rel=1e-9)
    assert result.metrics["rate"] == 0.0
    assert result.audit.linear_momentum_drift < rounding_of(1.0)
    assert result.audit.angular_momentum_drift < rounding_of(1.0)
    assert result.audit.energy_residual < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_drive_holds_its_load_by_friction_when_its_power_ends(method):
    """It holds the weight exactly where it was."""
    result = run(
        method,
        20.0,
        gravity=[0, 0, -1.0],
        bodies={"slide": slide()},
        drives={
            "jack": {
                "joint": "slide", "target": 0.2, "rate": 0.1, "stiffness": 1e4, "damping": 300.0, "friction": 8.0
            }
        },
        events={"off": {"when": "time > 6 s", "then": [{"disable": "jack"}]}},
        metrics={
            "way": "final slide.joint",
            "rate": "final slide.joint_rate",
            "force": "final jack.force",
        },
    )  # fmt: skip
    # Between the weight less and plus the friction, over the stiffness.
    assert 0.2 - 13.0 / 1e4 <= result.metrics["way"] <= 0.2 + 3.0 / 1e4
    assert result.metrics["rate"] == 0.0
    assert result.metrics["force"] == pytest.approx(MASS, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("push", [3.0, 5.0, 8.0, 11.0, 15.0])
def test_losses_of_a_transmission_hold_a_load(method, push):
    """At rest, a motor force m holds loads between m / (1 + l) and m / (1 - l), with l = 1 / efficiency - 1."""
    efficiency, k, x = 0.7, 1e3, 0.008
    losses = 1.0 / efficiency - 1.0
    result = run(
        method,
        8.0,
        bodies={"slide": slide(position=-x)},
        drives={
            "jack": {
                "joint": "slide",
                "target": 0.0,
                "stiffness": k,
                "damping": 300.0,
                "efficiency": efficiency,
            }
        },
        loads={"push": {"body": "slide", "force": [0, 0, -push]}},
        metrics={"way": "final slide.joint"},
    )
    # Beyond these loads the overdamped joint approaches the position where it can rest.
    expected = min(max(x, push * (1 - losses) / k), push * (1 + losses) / k)
    assert result.metrics["way"] == pytest.approx(-expected, abs=1e-6)
    if k * x / (1 + losses) < push < k * x / (1 - losses):
        assert result.metrics["way"] == -x


@pytest.mark.parametrize("method", ["automatic", "rosenbrock"])
def test_a_joint_of_two_axes_sticks_as_a_whole(method):
    """A universal joint holds a moment in any direction up to its friction, and slides in that direction beyond it."""
    moment, inertia, friction = np.array([0.6, 0.8]), 0.5, 1.0
    arm = {"mass": 1.0, "inertia": [inertia] * 3, "joint": {"type": "universal"}}
    loads = {
        name: {
            "body": "arm",
            "torque": [*(scale * moment), 0.0],
            "pulses": [{"start": start, "duration": 1.0}],
        }
        for name, scale, start in (("less", 0.99, 0.0), ("more", 1.2, 2.0))
    }
    for end, expected in ((2.0, 0.0), (2.1, 0.5 * 0.2 / inertia * 0.1**2)):
        result = run(
            method,
            end,
            bodies={"arm": arm},
            springs={"rub": {"joint": "arm", "friction": friction}},
            loads=loads,
            metrics={"first": "final arm.joint", "second": "final arm.joint1"},
        )
        # Several axes begin to slide with 0.12 tolerances of the speed, which errors of the steps exceed.
        assert result.metrics["first"] == pytest.approx(0.6 * expected, abs=1.5e-5)
        assert result.metrics["second"] == pytest.approx(0.8 * expected, abs=1.5e-5)


@pytest.mark.parametrize("accuracy", [1.0, 0.1])
def test_the_reaction_of_several_axes_is_right_until_they_stick(accuracy):
    """Friction along two axes of different inertia turns the motion until it rests, and the reaction with it.

    Without gravity the last direction is that of the larger inertia: the other one is braked faster, so that its share
    falls as a power of the speed.
    """
    inertia = [0.5, 0.8, 0.6]
    arm = {"mass": 2.0, "inertia": inertia, "centre_of_mass": [0.0, 0.0, 0.3]}
    peaks = []
    for factor in (accuracy, 1e-3):
        result = run(
            "automatic",
            3.0,
            bodies={"arm": arm | {"joint": {"type": "universal", "rates": [0.4, 0.3]}}},
            springs={"rub": {"joint": "arm", "friction": 0.4}},
            loads={"push": {"body": "arm", "torque": [0.1, -0.05, 0.02]}},
            integrator={
                "accuracy": {key: factor * value for key, value in Accuracy().model_dump().items()},
            },
        )
        load = next(load for load in result.loads if load.name == "arm" and load.kind == "joint")
        peaks.append((load.peak_moment, load.moment_error, load.peak_force, load.force_error))
    for k in (0, 2):
        assert abs(peaks[0][k] - peaks[1][k]) <= 2.0 * peaks[0][k + 1]


def mechanism() -> dict[str, Any]:
    """Return two stacked sliders on springs with friction, one of which slides and sticks again and again."""
    return {
        "bodies": {"slide": slide(position=0.3), "top": {**slide(speed=0.4), "parent": "slide"}},
        "springs": {
            "one": {**FRICTION, "stiffness": 300.0},
            "two": {"joint": "top", "stiffness": 100.0, "friction": 2.0, "static_friction": 3.0},
        },
    }


def test_a_restored_run_has_the_same_bits():
    prepared = PreparedMultibody(scenario("automatic", 5.0, **mechanism()))
    whole = prepared.begin()
    whole.advance(0.7)
    saved = whole.save()
    other = PreparedMultibody(scenario("automatic", 5.0, **mechanism())).begin()
    other.restore(saved)
    whole.advance(5.0)
    other.advance(5.0)
    np.testing.assert_array_equal(whole.state, other.state)
    assert whole.steps == other.steps


def test_methods_agree_on_two_sliders_that_stick_and_slide():
    metrics = {"slide": "final slide.joint", "top": "final top.joint", "most": "max one.force"}
    first, *others = (run(method, 5.0, **mechanism(), metrics=metrics).metrics for method in METHODS)
    for other in others:
        for key in metrics:
            assert other[key] == pytest.approx(first[key], abs=ACCURACY * (30.0 if key == "most" else 0.3))


def test_a_fixed_step_and_the_smooth_law_creep():
    """A load of half the friction moves a joint at s / sqrt(3) under F v / sqrt(v^2 + s^2)."""
    way = 0.01 / math.sqrt(3.0)
    parts = {
        "bodies": {"slide": slide()},
        "loads": {"push": {"body": "slide", "force": [0, 0, 5.0]}},
        "metrics": {"rate": "final slide.joint_rate"},
    }
    smooth = run("automatic", 5.0, springs={"brake": {**FRICTION, "friction_law": "smooth"}}, **parts)
    fixed = simulate(
        {
            "kind": "multibody", "duration": 5.0, "integrator": {"method": "rk4", "step": 1e-3},
            "springs": {"brake": FRICTION}, **parts,
        },
        with_prediction=False,
    )  # fmt: skip
    assert smooth.metrics["rate"] == pytest.approx(way, rel=ACCURACY)
    assert fixed.metrics["rate"] == pytest.approx(way, rel=ACCURACY)


@pytest.mark.parametrize("group", ["springs", "drives"])
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"friction": 2.0, "static_friction": 1.0}, "static_friction: Must be at least the friction"),
        (
            {"friction": 2.0, "static_friction": 3.0, "friction_law": "smooth"},
            "static_friction: Needs `friction_law: stick`",
        ),
    ],
)
def test_friction_at_rest_is_not_below_that_in_motion(group, fields, message):
    more = {"target": 0.0} if group == "drives" else {}
    with pytest.raises(InputError, match=message):
        scenario(
            "automatic",
            1.0,
            bodies={"slide": slide()},
            **{group: {"brake": {"joint": "slide", **fields, **more}}},
        )
