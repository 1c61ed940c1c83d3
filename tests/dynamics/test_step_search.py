"""No event and no peak of a smooth quantity is missed, however long the steps are."""

import itertools
import math

import numpy as np
import pytest

from dynamics.systems import SCENE_NAMES, SCENES, scene, simulate_with_peaks
from softdock import simulate
from softdock.dynamics.kernels.channels.channels import CHANNEL, LARGEST, PEAK, SMALLEST, ChannelKind, Form
from softdock.dynamics.kernels.search.enclosure import curvature_from_previous, enclose
from softdock.dynamics.kernels.search.hidden_peaks import is_far_below_peak, stays_within_peaks
from softdock.dynamics.settings import StepTolerances
from softdock.elements.coupling.model import Coupling, CouplingEndStop, CouplingLimits
from softdock.elements.load.model import Load, Pulse
from softdock.elements.spring.model import Spring
from softdock.elements.strut.model import Strut
from softdock.model.events import Event
from softdock.model.system import Body
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.tree.frames import Anchor
from softdock.tree.joints import Fixed, Free, Prismatic, Revolute, Spherical, Universal
from softdock.tree.kernels.tree import records

LENGTH = 1e-6  # error allowed in a step by default [m], and as an angle [rad]
UNITS = {
    **dict.fromkeys(("x", "y", "z"), "m"),
    **dict.fromkeys(("vx", "velocity"), "m/s"),
    **dict.fromkeys(("wy", "rate"), "rad/s"),
    "tilt": "rad",
}
BODY_FIELDS = ["x", "y", "z", "distance", "vx", "vy", "vz", "velocity", "wx", "wy", "wz", "rate", "tilt"]


def times(result, name):
    return [event.time for event in result.events if event.name == name]


def fly_by(speed, miss, time, drift=(0.0, 0.0, 0.0)):
    """Return two craft with the smallest distance `miss` [m] at `time` [s]; both have a drift [m/s]."""
    inertia = {"mass": 10.0, "inertia": (1.0, 1.0, 1.0)}
    velocity = (speed + drift[0], drift[1], drift[2])
    return MultibodyScenario(
        bodies={
            "craft": Body(**inertia, joint=Free(position=(-speed * time, miss, 0.0), velocity=velocity)),
            "station": Body(**inertia, joint=Free(velocity=drift)),
        },
        duration=2.3 * time,
        events={"inside": Event(when="craft.distance in station < 60 mm")},
        metrics={"closest": "min craft.distance in station"},
        record={"rate": 0.0},
    )


@pytest.mark.parametrize(
    ("speed", "miss", "time"), list(itertools.product((0.1, 1.0, 10.0), (1e-3, 50e-3), (1.0, 7.3, 50.0)))
)
def test_fly_by_is_found_at_any_speed_and_distance(speed, miss, time):
    """Entry into the keep-out sphere and smallest distance are those of a straight line, in few steps."""
    result = simulate(fly_by(speed, miss, time), with_prediction=False)
    (entered,) = times(result, "inside")
    assert entered == pytest.approx(time - math.sqrt(0.06**2 - miss**2) / speed, rel=1e-12)
    assert result.metrics["closest"] == pytest.approx(miss, abs=0.01 * LENGTH)
    assert result.timing.steps < 20
    assert result.timing.evaluations < 400


def test_common_drift_does_not_raise_the_cost_of_a_fly_by():
    """The cost depends on the relative motion only."""
    result = simulate(fly_by(1.0, 1e-3, 7.3, drift=(7e3, 100.0, 0.0)), with_prediction=False)
    assert times(result, "inside") == pytest.approx([7.3 - math.sqrt(0.06**2 - 1e-6)], abs=1e-6)
    assert result.metrics["closest"] == pytest.approx(1e-3, abs=LENGTH)
    assert result.timing.evaluations < 400


def spinning_tip(rate, duration, **more):
    """Return a tip 0.5 m from the axis of a joint that turns at a constant rate [rad/s]."""
    light = {"mass": 1e-3, "inertia": (1e-6, 1e-6, 1e-6)}
    return MultibodyScenario(
        bodies={
            "arm": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(rate=rate)),
            "tip": Body(**light, parent="arm", joint=Fixed(at=(0.5, 0.0, 0.0))),
        },
        duration=duration,
        record={"rate": 0.0},
        **more,
    )


@pytest.mark.parametrize("rate", [0.3, 3.0, 100.0])
@pytest.mark.parametrize("peak", [True, False], ids=["peak", "event-alone"])
def test_thresholds_and_peaks_of_a_spinning_tip_are_found(rate, peak):
    """One step has many revolutions; events are found with and without a peak of the channel."""
    when = {"high": "tip.y > 499.99 mm", "back": "tip.x < -499.999 mm", "turned": "arm.joint > 40.123 rad"}
    result = simulate(
        spinning_tip(
            rate,
            20.0,
            events={name: Event(when=text) for name, text in when.items()},
            metrics={"top": "max tip.y", "bottom": "min tip.y"} if peak else {},
        ),
        with_prediction=False,
    )
    expected = {"high": math.asin(0.99998), "back": math.acos(-0.999998), "turned": 40.123}
    for name, angle in expected.items():
        reached = [angle / rate] if angle < 20.0 * rate else []
        assert times(result, name) == pytest.approx(reached, abs=1e-9 + 1e-7 / rate)
    if peak:
        assert result.metrics["top"] == pytest.approx(0.5, abs=0.01 * LENGTH)
        bottom = -0.5 if rate * 20.0 > 1.5 * math.pi else 0.5 * math.sin(rate * 20.0)
        assert result.metrics["bottom"] == pytest.approx(bottom, abs=0.01 * LENGTH)
    assert result.timing.steps < 20


def test_event_occurs_in_every_revolution_within_one_step():
    event = Event(when="tip.y > 0.3 m", once=False)
    result = simulate(spinning_tip(3.0, 20.0, events={"up": event}), with_prediction=False)
    turns = math.asin(0.6) + 2.0 * math.pi * np.arange(10)
    assert times(result, "up") == pytest.approx(turns[turns < 60.0] / 3.0, abs=1e-9)


def tumbling_body(**more):
    """Return a free asymmetric body that spins about its middle axis and flips over."""
    light = {"mass": 1e-6, "inertia": (1e-9, 1e-9, 1e-9)}
    return MultibodyScenario(
        bodies={
            "ship": Body(mass=10.0, inertia=(1.0, 2.0, 2.7), joint=Free(rate=(0.01, 1.3, 0.02))),
            "horn": Body(**light, parent="ship", joint=Fixed(at=(0.7, 0.9, 0.3))),
        },
        duration=60.0,
        **more,
    )


def test_peaks_and_events_of_a_tumbling_body_agree_with_dense_samples():
    """Peaks and first crossings of six levels of every channel, against 1000 samples per second."""
    names = [f"horn.{field}" for field in ("x", "y", "z", "vx", "velocity", "tilt")] + [
        "ship.wy",
        "ship.rate",
    ]
    record = {"rate": 1000.0, "also": names, "max_rows": 70_000}
    metrics = {f"{how}_{name[5:]}": f"{how} {name}" for name in names for how in ("max", "min")}
    seen = simulate(tumbling_body(record=record, metrics=metrics), with_prediction=False)
    t, events, first = seen.history.time, {}, {}
    for name in names:
        values = seen.history[name]
        low, high = values.min(), values.max()
        assert seen.metrics[f"max_{name[5:]}"] == pytest.approx(high, abs=1e-6)
        assert seen.metrics[f"min_{name[5:]}"] == pytest.approx(low, abs=1e-6)
        for part in (0.03, 0.3, 0.5, 0.7, 0.97, 0.9999):
            level = float(low + part * (high - low))
            beyond = np.flatnonzero((values[:-1] <= level) & (values[1:] > level))
            unit = UNITS[name.partition(".")[2]]
            label = f"{name} {part}".replace(".", "-").replace(" ", "-")
            events[label] = Event(when=f"{name} > {level!r} {unit}")
            if values[0] <= level:
                first[label] = t[beyond[0] + 1]
    found = simulate(tumbling_body(record={"rate": 0.0}, events=events), with_prediction=False)
    for label, time in first.items():
        assert times(found, label) == pytest.approx([time - 0.5e-3], abs=0.6e-3), label


@pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
@pytest.mark.parametrize("error", [1e-6, 1e-3])
def test_no_sample_lies_beyond_a_peak(kind, floating, error):
    """For all channels of trees with springs, a strut and a weld; at low accuracy stability limits the steps."""
    for seed in (3, 11):
        system = scene(kind, floating, lossy=seed == 3, seed=seed)
        names = [f"{body}.{field}" for body in system.bodies for field in BODY_FIELDS]
        names += [
            f"{pair}" for field in BODY_FIELDS for pair in (f"hand.{field} in mate", f"mate.{field} in arm")
        ]
        names += [
            f"{name}.{field}" for name in system.elements() for field in ("force", "energy", "deflection")
        ]
        accuracy = StepTolerances(length=error, angle=error, speed=10.0 * error, rate=10.0 * error)
        run, history = simulate_with_peaks(system, names, 4.0, accuracy=accuracy, record_rate=1000.0)
        for peak, name in zip(run.peaks, names):
            values = history[name]
            field = name.partition(".")[2].partition(" ")[0]
            allowed = 0.011 * error if field in ("x", "y", "z", "distance", "tilt") else 0.11 * error
            if field in ("force", "energy", "deflection"):
                allowed = 1e-4 * np.abs(values).max()
            assert values.max() <= peak.largest + allowed + 1e-12, name
            assert values.min() >= peak.smallest - allowed - 1e-12, name
            # and a peak is a value of the run
            slope = np.abs(np.diff(values)).max()
            assert peak.largest <= values.max() + slope + 1e-12, name
            assert peak.smallest >= values.min() - slope - 1e-12, name


@pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
def test_every_crossing_between_two_samples_is_an_event(kind, floating):
    """Repeated events at random levels in both directions; without actions they do not change the run."""
    rng = np.random.default_rng(7)
    system = scene(kind, floating, lossy=False, seed=int(rng.integers(100)))
    names = [f"hand.{field} in mate" for field in UNITS] + [f"mate.{field} in arm" for field in UNITS]
    parts = {name: getattr(system, name) for name in ("bodies", "springs", "struts", "welds", "drives")}
    accuracy = {"length": 1e-4, "angle": 1e-4, "speed": 1e-3, "rate": 1e-3}
    record = {"rate": 500.0, "also": names}
    plain = MultibodyScenario(**parts, duration=6.0, record=record, integrator={"accuracy": accuracy})
    seen = simulate(plain, with_prediction=False)
    time, events, expected = seen.history.time, {}, {}
    for i, name in enumerate(names):
        values = seen.history[name]
        level, sign = float(rng.uniform(values.min(), values.max())), rng.choice([-1.0, 1.0])
        unit = UNITS[name.partition(".")[2].partition(" ")[0]]
        events[f"event-{i}"] = Event(when=f"{name} {'>' if sign > 0 else '<'} {level!r} {unit}", once=False)
        excess = sign * (values - level)
        expected[f"event-{i}"] = np.flatnonzero((excess[:-1] <= 0.0) & (excess[1:] > 0.0))
    found = simulate(plain.model_copy(update={"events": events}), with_prediction=False)
    assert found.timing.steps == seen.timing.steps
    for name, crossings in expected.items():
        at = np.array(times(found, name))
        for k in crossings:
            assert np.any((at >= time[k]) & (at <= time[k + 1])), (name, events[name].when, time[k])


def test_tilt_that_passes_zero_in_a_long_step_has_its_minimum():
    """Its graph is a V; the joint turns back and forth through the upright position."""
    bodies = {
        "arm": Body(
            mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(axis=(1.0, 0.0, 0.0), angle=-1.0, rate=0.1)
        )
    }
    scenario = MultibodyScenario(
        bodies=bodies,
        duration=30.0,
        events={"upright": Event(when="arm.tilt < 0.1 mrad")},
        metrics={"least": "min arm.tilt"},
        record={"rate": 0.0},
    )
    result = simulate(scenario, with_prediction=False)
    assert times(result, "upright") == pytest.approx([(1.0 - 1e-4) / 0.1], abs=1e-6)
    assert result.metrics["least"] == pytest.approx(0.0, abs=2e-7)


def test_peaks_of_a_ball_joint_with_large_rotations_per_step():
    """A coarse accuracy lets it turn by more than a radian in a step."""
    bodies = {
        "ball": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Spherical(rate=(0.0, 0.0, 2.0))),
        "tip": Body(mass=1e-6, inertia=(1e-9,) * 3, parent="ball", joint=Fixed(at=(0.5, 0.0, 0.0))),
    }
    coarse = Integrator(accuracy={"length": 1e-3, "angle": 1e-3, "speed": 1e-3, "rate": 1e-3})
    scenario = MultibodyScenario(
        bodies=bodies,
        duration=20.0,
        events={"high": Event(when="tip.y > 499 mm", once=False)},
        metrics={"top": "max tip.y"},
        integrator=coarse,
        record={"rate": 0.0},
    )
    result = simulate(scenario, with_prediction=False)
    assert result.metrics["top"] == pytest.approx(0.5, abs=1e-5)
    turns = math.asin(0.998) + 2.0 * math.pi * np.arange(7)
    assert len(times(result, "high")) == np.count_nonzero(turns < 40.0)


@pytest.mark.parametrize("error", [1e-6, 1e-3])
def test_the_force_of_a_damped_strut_peaks_inside_a_step(error):
    """A mass on a strut: the force is greatest where its rate vanishes; Eq. (M26) and the damped oscillator."""
    stiffness, damping, amplitude, far = 4.0, 0.8, 0.1, 100.0
    bodies = {"mass": Body(mass=1.0, joint=Prismatic(speed=amplitude))}
    strut = Strut(
        a=Anchor(body="world", at=(0.0, 0.0, -far)),
        b=Anchor(body="mass"),
        stiffness=stiffness,
        damping=damping,
        length=far,
    )
    accuracy = {"length": error, "angle": error, "speed": error, "rate": error}
    t = np.linspace(0.0, 10.0, 2_000_001)
    decay, omega = 0.5 * damping, math.sqrt(stiffness - 0.25 * damping**2)
    x = amplitude / omega * np.exp(-decay * t) * np.sin(omega * t)
    v = amplitude * np.exp(-decay * t) * (np.cos(omega * t) - decay / omega * np.sin(omega * t))
    force = stiffness * x + damping * v
    threshold = 0.9995 * float(force.max())
    result = simulate(
        MultibodyScenario(
            bodies=bodies,
            struts={"strut": strut},
            duration=10.0,
            events={"pulled": Event(when=f"strut.force > {threshold!r} N")},
            metrics={"most": "max strut.force", "least": "min strut.force"},
            integrator=Integrator(accuracy=accuracy),
            record={"rate": 0.0},
        ),
        with_prediction=False,
    )
    assert result.metrics["most"] == pytest.approx(force.max(), abs=20.0 * error + 1e-5 * force.max())
    assert result.metrics["least"] == pytest.approx(force.min(), abs=20.0 * error + 1e-5 * force.max())
    if result.metrics["most"] > threshold:
        assert len(times(result, "pulled")) == 1
    else:
        assert times(result, "pulled") == []


def test_events_and_metrics_agree():
    """An event happens if and only if its threshold is below the largest value: for thresholds all around it."""
    scenario = tumbling_body(record={"rate": 0.0}, metrics={"top": "max horn.x", "fastest": "max horn.vy"})
    result = simulate(scenario, with_prediction=False)
    for name, metric, unit in (("horn.x", "top", "m"), ("horn.vy", "fastest", "m/s")):
        top = result.metrics[metric]
        for below in (1e-3, 1e-5, 1e-7, -1e-7, -1e-5):
            event = Event(when=f"{name} > {top - below!r} {unit}")
            again = simulate(scenario.model_copy(update={"events": {"beyond": event}}), with_prediction=False)
            assert bool(times(again, "beyond")) == (below > 0.0), (name, below)
            assert again.metrics[metric] == pytest.approx(top, abs=1e-7)


@pytest.mark.parametrize(("speed", "miss"), [(0.1, 1e-3), (1.0, 1e-3), (10.0, 50e-3)])
def test_length_and_force_of_a_strut_in_a_fly_by(speed, miss):
    """The strut has a negligible force; its length, and its force without damping, have the shape of a V."""
    scenario = fly_by(speed, miss, 7.3)
    strut = Strut(a=Anchor(body="craft"), b=Anchor(body="station"), stiffness=1e-7, length=0.2, preload=1e-9)
    events = {
        "short": Event(when="link.deflection < -140 mm"),
        "weak": Event(when="link.force < -13 nN"),
    }
    metrics = {"shortest": "min link.deflection", "weakest": "min link.force"}
    result = simulate(
        scenario.model_copy(update={"struts": {"link": strut}, "events": events, "metrics": metrics}),
        with_prediction=False,
    )
    entered = 7.3 - math.sqrt(0.06**2 - miss**2) / speed
    assert times(result, "short") == times(result, "weak") == pytest.approx([entered], abs=1e-5)
    assert result.metrics["shortest"] == pytest.approx(miss - 0.2, abs=LENGTH)
    assert result.metrics["weakest"] == pytest.approx(1e-7 * (miss - 0.2) + 1e-9, abs=1e-7 * LENGTH)


def test_components_of_a_load_that_turns_with_its_body_are_found():
    """Its components in world axes are harmonic, with many periods in a step; nothing else is observed."""
    force, rate, part = 3.0, 3.0, 0.999
    scenario = MultibodyScenario(
        bodies={"craft": Body(mass=10.0, inertia=(1.0, 1.0, 1.0), joint=Revolute(rate=rate))},
        loads={"thruster": Load(body="craft", force=(force, 0.0, 0.0), axes="body")},
        duration=20.0,
        events={"across": Event(when=f"thruster.fy > {part * force!r} N", once=False)},
        metrics={"least": "min thruster.fx"},
        record={"rate": 0.0, "loads": False},
    )
    result = simulate(scenario, with_prediction=False)
    turns = math.asin(part) + 2.0 * math.pi * np.arange(10)
    assert times(result, "across") == pytest.approx(turns[turns < 20.0 * rate] / rate, abs=1e-6)
    assert result.metrics["least"] == pytest.approx(-force, rel=1e-6)


def test_angles_of_a_coupling_whose_plug_turns_are_found():
    """The plug turns in front of its socket, out of reach, and points at it once in every turn."""
    rate, limit = 3.0, 10e-3
    plug = Revolute(at=(0.0, 0.0, -5.0), axis=(1.0, 0.0, 0.0), rate=rate)
    coupling = Coupling(
        plug=Anchor(body="plug"),
        socket=Anchor(body="world"),
        stroke=0.01,
        limits=CouplingLimits(lateral=1e-3, angle=0.03),
        end_stop=CouplingEndStop(stiffness=1e4),
    )
    scenario = MultibodyScenario(
        bodies={"plug": Body(mass=10.0, inertia=(1.0, 1.0, 1.0), joint=plug)},
        couplings={"coupling": coupling},
        duration=20.0,
        events={"aims": Event(when=f"coupling.angle < {limit!r} rad", once=False)},
        metrics={"least": "min coupling.angle"},
        record={"rate": 0.0, "loads": False},
    )
    result = simulate(scenario, with_prediction=False)
    turns = 2.0 * math.pi * np.arange(10)
    aims = [0.0, *(turns[1:][turns[1:] - limit < 20.0 * rate] - limit) / rate]
    assert times(result, "aims") == pytest.approx(aims, abs=1e-6)
    assert result.metrics["least"] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.plain_python
def test_pulse_shorter_than_any_step_is_found():
    """Steps end where a load is switched; its force crosses thresholds and has its peak there."""
    load = Load(body="craft", force=(3.0, 0.0, 0.0), pulses=(Pulse(start=4.321, duration=1e-3),))
    scenario = MultibodyScenario(
        bodies={"craft": Body(mass=10.0, inertia=(1.0, 1.0, 1.0), joint=Free())},
        loads={"thruster": load},
        duration=10.0,
        events={
            "burns": Event(when="thruster.force > 1 N"),
            "stops": Event(when="thruster.force < 1 N", armed=False),
            "again": Event(when="thruster.force < 2 N", once=False),
            "moves": Event(when="craft.vx > 0.1 mm/s"),
        },
        metrics={"thrust": "max thruster.force"},
        record={"rate": 0.0},
    )
    result = simulate(scenario, with_prediction=False)
    assert times(result, "burns") == pytest.approx([4.321], abs=1e-12)
    assert times(result, "stops") == []
    assert times(result, "again") == pytest.approx([0.0, 4.322], abs=1e-12)
    assert times(result, "moves") == pytest.approx([4.321 + 1e-3 / 3.0], abs=1e-9)
    assert result.metrics["thrust"] == pytest.approx(3.0, rel=1e-15)


# Events without actions do not change the run.


def test_event_without_actions_does_not_change_the_run():
    """It is logged with an additional row; states, steps and all other rows keep their bits."""
    plain = simulate(tumbling_body(), with_prediction=False)
    event = Event(when="horn.x < 0.2345 m", once=False)
    noted = simulate(tumbling_body(events={"noted": event}), with_prediction=False)
    at = times(noted, "noted")
    assert len(at) > 3
    assert noted.timing.steps == plain.timing.steps
    others = ~np.isin(noted.history.time, at)
    assert np.count_nonzero(~others) == len(at)
    assert np.array_equal(noted.history.time[others], plain.history.time)
    assert (np.diff(noted.history.time) > 0.0).all()
    for name in plain.history.channels:
        assert np.array_equal(noted.history[name][others], plain.history[name]), name
    assert noted.history["horn.x"][~others] == pytest.approx(0.2345, abs=1e-12)


@pytest.mark.parametrize("when", ["nose.z in drogue > 121 mm", "time > 3.21 s", "bumper.joint > 4 mm"])
def test_event_without_actions_does_not_change_a_docking(when):
    scenario = load("assist-soft-docking")
    plain = simulate(scenario, with_prediction=False)
    events = {**scenario.events, "noted": Event(when=when, once=False)}
    noted = simulate(scenario.model_copy(update={"events": events}), with_prediction=False)
    assert times(noted, "noted")
    assert noted.timing.steps == plain.timing.steps
    assert noted.history["servicer.x"][-1] == plain.history["servicer.x"][-1]
    for name, value in plain.metrics.items():
        assert noted.metrics[name] == (None if value is None else pytest.approx(value, rel=2e-5)), name


def test_event_without_actions_at_the_start_does_not_change_the_run():
    plain = simulate(tumbling_body(), with_prediction=False)
    noted = simulate(tumbling_body(events={"noted": Event(when="time > -1 s")}), with_prediction=False)
    assert times(noted, "noted") == [0.0]
    assert np.array_equal(noted.history["horn.x"], plain.history["horn.x"])


@pytest.mark.plain_python
def test_events_and_peaks_in_one_step_in_plain_python():
    """One fixed step with thresholds, a peak and a distance is small enough for plain Python."""
    craft = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
    system = MultibodyScenario(
        bodies={
            "craft": Body(**craft, joint=Free(position=(-1.0, 0.01, 0.0), velocity=(1.0, 0.0, 0.0))),
            "swing": Body(mass=1.0, joint=Prismatic(position=0.1)),
        },
        springs={"spring": Spring(joint="swing", stiffness=4.0)},
        duration=2.0,
        events={
            "near": Event(when="craft.distance < 20 mm"),
            "far": Event(when="craft.distance > 20 mm", once=False),
            "half": Event(when="swing.joint < 50 mm"),
        },
        metrics={"closest": "min craft.distance", "energy": "min spring.energy"},
        integrator=Integrator(step=2.0),
    )
    result = simulate(system, with_prediction=False)
    half = math.sqrt(0.02**2 - 0.01**2)
    assert times(result, "near") == pytest.approx([1.0 - half], abs=1e-12)
    assert times(result, "far") == pytest.approx([0.0, 1.0 + half], abs=1e-12)
    assert len(times(result, "half")) == 1
    assert result.metrics["closest"] == pytest.approx(0.01, abs=1e-8)
    assert result.metrics["energy"] < 1e-4
    assert result.timing.steps == 1


def drifting_craft(**more):
    """Return a drifting craft with a head on a gimbal at rest, which only rounding errors move."""
    free = Free(attitude=(0.8, 0.36, -0.288, 0.384), velocity=(0.3, -0.1, 0.7))
    return MultibodyScenario(
        bodies={
            "craft": Body(mass=10.0, inertia=(1.1, 0.7, 0.9), joint=free),
            "head": Body(
                mass=1.0, inertia=(0.01, 0.02, 0.03), parent="craft", joint=Universal(at=(0.31, 0.17, 0.53))
            ),
        },
        springs={"gimbal": Spring(joint="head", stiffness=3.0, damping=0.1)},
        duration=1.0,
        record={"rate": 0.0, "loads": False},
        **more,
    )


def test_the_search_does_not_resolve_rounding_errors_of_a_joint_at_rest():
    """The peak of a deflection that is no more than rounding errors costs no evaluation."""
    plain = simulate(drifting_craft(), with_prediction=False)
    seen = simulate(drifting_craft(metrics={"bend": "max gimbal.deflection"}), with_prediction=False)
    assert 0.0 < seen.metrics["bend"] < 1e-4 * LENGTH
    assert seen.timing.evaluations == plain.timing.evaluations


@pytest.mark.parametrize("method", ["dormand-prince", "bogacki-shampine", "rosenbrock", "rk4"])
@pytest.mark.parametrize("switched", [False, True], ids=["at-the-start", "after-a-switch"])
def test_equal_loads_at_the_ends_of_a_step_without_a_previous_one_hide_no_peak(switched, method):
    """A mass on a strut turns back in the middle of a step before which there is none, or a load was switched."""
    stiffness, amplitude, far, step = 400.0, 0.01, 1.0, 0.05
    phase = math.sqrt(stiffness) * step * (1.5 if switched else 0.5)
    position, speed = amplitude * math.cos(phase), amplitude * math.sqrt(stiffness) * math.sin(phase)
    strut = Strut(
        a=Anchor(body="world", at=(0.0, 0.0, -far)),
        b=Anchor(body="mass"),
        stiffness=stiffness,
        damping=1e-9,  # negligible, but without any the length of the strut would have a bound
        length=far,
    )
    other = Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Free(position=(5.0, 0.0, 0.0)))
    push = Load(body="other", force=(1.0, 0.0, 0.0), pulses=(Pulse(start=step, duration=1.0),))
    scenario = MultibodyScenario(
        bodies={"mass": Body(mass=1.0, joint=Prismatic(position=position, speed=speed)), "other": other},
        struts={"link": strut},
        loads={"push": push},
        duration=2.0 * step if switched else step,
        integrator=Integrator(step=step, method=method),
        record={"rate": 0.0},
    )
    metrics = {"pull": "max link.force", "push": "min link.force"}
    watched = simulate(scenario.model_copy(update={"metrics": metrics}), with_prediction=False).metrics
    loads = simulate(scenario, with_prediction=False).loads
    (peak,) = [one.peak_force for one in loads if one.name == "link"]
    assert peak == pytest.approx(max(watched["pull"], -watched["push"]), rel=1e-3)
    assert peak > 1.05 * stiffness * amplitude * math.cos(0.5 * math.sqrt(stiffness) * step)  # at both ends


@pytest.mark.plain_python
@pytest.mark.parametrize("form", [Form.PLAIN, Form.SQUARE])
def test_cheap_bounds_exclude_no_more_than_the_parabolas(form):
    """Bounds by few operations, as (M118), are not below those of the parabola through both values."""
    rng, excluded = np.random.default_rng(5), 0
    channel, peak = records(1, CHANNEL)[0], records(1, PEAK)[0]
    channel.kind, channel.form, channel.scale, channel.reaction = (
        ChannelKind.ELEMENT_FORCE,
        form,
        1.0,
        LARGEST | SMALLEST,
    )
    for _ in range(2000):
        x, x_0, x_1 = rng.uniform(0.0 if form == Form.SQUARE else -1.0, 1.0, 3) * 10.0 ** rng.integers(
            -2, 1, 3
        )
        r, peak.seen = 10.0 ** rng.uniform(-1.0, 1.0), max(abs(x_0), abs(x_1)) * rng.uniform(1.0, 4.0)
        peak.largest, peak.smallest = peak.seen, -peak.seen
        curvature = curvature_from_previous(channel, r, x, x_0, x_1)
        low, high, _ = enclose(channel, x_0, x_1, curvature, curvature)
        exceeds = max(high, -low) > peak.seen * (1.0 + 1e-12)
        if is_far_below_peak(peak, r, x, x_0, x_1):
            excluded += 1
            assert not exceeds
        assert not (stays_within_peaks(channel, peak, 1.0, x_0, x_1, curvature, curvature) and exceeds)
    assert excluded > 100


def test_an_axis_that_begins_to_turn_is_not_searched_down_to_its_resolution() -> None:
    """The tilt of a body at rest is 0, where it has a kink: only its cosine has a bound, Eq. (M64)."""
    inertia, torque, duration = 20.0, 0.01, 5.0
    turned = MultibodyScenario(
        duration=duration,
        bodies={"a": Body(mass=100.0, inertia=(inertia, 30.0, 25.0))},
        loads={"turn": Load(body="a", torque=(torque, 0.0, 0.0))},
        metrics={"tilt": "max a.tilt"},
    )
    result = simulate(turned, with_prediction=False)
    assert result.metrics["tilt"] == pytest.approx(0.5 * torque / inertia * duration**2, abs=1e-8)
    assert result.timing.evaluations < 2000
