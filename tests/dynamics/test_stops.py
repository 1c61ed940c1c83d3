"""Stops: engaged and freed at located instants, by all methods; joints at rest at their stops."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from dynamics.systems import assemble
from softdock import simulate
from softdock.dynamics.kernels.integration.stepping import interpolate
from softdock.dynamics.kernels.run.engagement import shorten_step
from softdock.dynamics.settings import Settings, StepTolerances
from softdock.dynamics.simulation import Simulation
from softdock.elements.kernels.one_sided import stays_engaged, stays_free
from softdock.elements.load.model import Load
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.model.events import Action, Event
from softdock.model.system import Body, System
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.theory import restitution
from softdock.tree.joints import Free, Prismatic, Spherical, Universal

METHODS = ["automatic", "dormand-prince", "rosenbrock"]
ACCURACY = 1e-4  # of forces and speeds after an impact, at the default tolerances and speeds of 0.1 m/s


def run(method: str, duration: float, **parts):
    """Simulate a scenario of some parts without history."""
    integrator = Integrator(method=method)
    scenario = MultibodyScenario(duration=duration, integrator=integrator, record={"rate": 0.0}, **parts)
    return simulate(scenario, with_prediction=False)


def peak_of(result, name: str) -> float:
    """Return the peak force of an element or joint [N]."""
    (load,) = (one for one in result.loads if one.name == name)
    return load.peak_force


@pytest.mark.plain_python
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e8])
def test_undamped_stop_returns_the_speed(method, stiffness):
    """Half an oscillation: the largest force is v sqrt(k m)."""
    mass, speed = 2.0, 0.3
    result = run(
        method,
        1.0,
        bodies={"slide": Body(mass=mass, joint=Prismatic(speed=speed))},
        stops={"end": Stop(joint="slide", upper=0.1, stiffness=stiffness)},
        metrics={"speed": "final slide.joint_rate"},
    )
    assert peak_of(result, "end") == pytest.approx(speed * math.sqrt(stiffness * mass), rel=ACCURACY)
    assert result.metrics["speed"] == pytest.approx(-speed, rel=ACCURACY)
    assert result.valid == "yes"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("zeta", [0.05, 0.3, 0.8, 2.0])
def test_damped_stop_releases_at_zero_force(method, zeta):
    """The restitution is that of a spring and damper that is released where it would pull."""
    mass, stiffness, speed = 2.0, 1e5, 0.3
    damping = 2.0 * zeta * math.sqrt(stiffness * mass)
    result = run(
        method,
        1.0,
        bodies={"slide": Body(mass=mass, joint=Prismatic(speed=speed))},
        stops={"end": Stop(joint="slide", upper=0.1, stiffness=stiffness, damping=damping)},
        metrics={"speed": "final slide.joint_rate", "least": "min end.force"},
    )
    if zeta < 1.0:
        e = restitution.kelvin_voigt_restitution(zeta)
        assert result.metrics["speed"] == pytest.approx(-e * speed, abs=ACCURACY * speed)
    assert result.metrics["least"] >= 0.0
    if zeta > 0.5:
        assert peak_of(result, "end") == pytest.approx(damping * speed, rel=ACCURACY)


@pytest.mark.parametrize("method", METHODS)
def test_step_of_any_length_stops_at_a_stop(method):
    """Steps that have grown in free flight are shortened: an implicit one would pass the stop unseen."""
    mass, stiffness, fall = 1.0, 1e5, 0.1
    weight = 9.81 * mass
    result = run(
        method,
        10.0,
        bodies={"slide": Body(mass=mass, joint=Prismatic(axis="x"))},
        loads={"weight": Load(body="slide", force=(weight, 0.0, 0.0))},
        springs={"soft": Spring(joint="slide", stiffness=1e-6)},
        stops={"end": Stop(joint="slide", upper=fall, stiffness=stiffness, damping=20.0)},
    )
    exact = run(
        "dormand-prince",
        0.2,
        bodies={"slide": Body(mass=mass, joint=Prismatic(axis="x"))},
        loads={"weight": Load(body="slide", force=(weight, 0.0, 0.0))},
        stops={"end": Stop(joint="slide", upper=fall, stiffness=stiffness, damping=20.0)},
    )
    assert peak_of(result, "end") == pytest.approx(peak_of(exact, "end"), rel=ACCURACY)
    assert result.valid == "yes"


@pytest.mark.parametrize("method", ["automatic", "rosenbrock"])
@pytest.mark.parametrize("damping", [40.0, 4.0, 0.0])
def test_joint_at_rest_at_its_stop_does_not_limit_the_steps(method, damping):
    """A sprung bumper without preload on a free craft: errors of the integration move it over its limit and back."""
    result = run(
        method,
        100.0,
        bodies={
            "craft": Body(mass=3000.0, inertia=(2e3, 2e3, 2e3), joint=Free(velocity=(0.01, 0.02, 0.03))),
            "bumper": Body(mass=0.5, parent="craft", joint=Prismatic(axis="-z")),
        },
        springs={"spring": Spring(joint="bumper", stiffness=800.0, damping=damping)},
        stops={"stop": Stop(joint="bumper", lower=0.0, upper=0.0127, stiffness=1e5, damping=100.0)},
    )
    assert result.outcome == "completed"
    assert result.timing.steps < 300  # 3005 if each change of sides ends a step
    assert peak_of(result, "stop") < 0.01


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("force", [1.0, 1e-3, -1e-3])
def test_joint_at_rest_at_its_stop_follows_a_force_that_begins_later(method, force):
    """Away from the stop it moves freely; towards it, the stop carries the force."""
    stiffness, begin, duration = 1e5, 5.0, 15.0
    result = run(
        method,
        duration,
        bodies={"door": Body(mass=1.0, joint=Prismatic(axis="x"))},
        loads={"pull": Load(body="door", force=(force, 0.0, 0.0), table=((begin, 1.0),))},
        stops={"frame": Stop(joint="door", lower=0.0, stiffness=stiffness, damping=100.0)},
        metrics={"way": "final door.joint"},
    )
    if force > 0.0:
        assert result.metrics["way"] == pytest.approx(0.5 * force * (duration - begin) ** 2, rel=ACCURACY)
    else:
        assert result.metrics["way"] == pytest.approx(force / stiffness, abs=1e-6)  # the tolerance


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("damping", [0.0, 20.0, 300.0, 3000.0])
def test_joint_that_bounces_on_its_stop_comes_to_rest_on_it(method, damping):
    """With damping the bounces become shorter and shorter; the stop then carries the weight."""
    mass, stiffness, weight = 1.0, 1e4, 9.81
    result = run(
        method,
        20.0,
        bodies={"slide": Body(mass=mass, joint=Prismatic(axis="x"))},
        loads={"weight": Load(body="slide", force=(weight, 0.0, 0.0))},
        stops={"end": Stop(joint="slide", upper=0.01, stiffness=stiffness, damping=damping)},
        metrics={"way": "final slide.joint", "deepest": "max slide.joint"},
    )
    assert result.valid == "yes"
    if damping > 0.0:
        assert result.metrics["way"] == pytest.approx(0.01 + weight / stiffness, abs=1e-7)
    else:  # from the energy m g (h + s) = k s^2 / 2
        fall = weight / stiffness
        depth = fall + math.sqrt(fall**2 + 2.0 * fall * 0.01)
        assert result.metrics["deepest"] == pytest.approx(0.01 + depth, rel=ACCURACY)


@pytest.mark.parametrize("method", METHODS)
def test_joint_between_two_stops_meets_both(method):
    result = run(
        method,
        3.0,
        bodies={"slide": Body(mass=2.0, joint=Prismatic(speed=0.5))},
        stops={"ends": Stop(joint="slide", lower=-0.2, upper=0.1, stiffness=5000.0)},
        metrics={"up": "max slide.joint", "down": "min slide.joint"},
    )
    reach = 0.5 * math.sqrt(2.0 / 5000.0)
    assert result.metrics["up"] == pytest.approx(0.1 + reach, rel=ACCURACY)
    assert result.metrics["down"] == pytest.approx(-0.2 - reach, rel=ACCURACY)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "joint", [Universal(rates=(0.6, 0.8)), Spherical(rate=(0.6, 0.8, 0.0))], ids=["universal", "ball"]
)
def test_stop_around_a_joint_keeps_the_energy(method, joint):
    """A symmetric top that swings in a cone: without damping the rate is the same after every impact."""
    inertia, limit, stiffness = 0.5, 0.1, 2e3
    result = run(
        method,
        2.0,
        bodies={"top": Body(mass=1.0, inertia=(inertia,) * 3, joint=joint)},
        stops={"cone": Stop(joint="top", limit=limit, stiffness=stiffness)},
        metrics={"rate": "final top.rate", "largest": "max cone.deflection"},
    )
    assert result.metrics["rate"] == pytest.approx(1.0, rel=2 * ACCURACY)
    assert result.metrics["largest"] == pytest.approx(math.sqrt(inertia / stiffness), rel=1e-2)
    assert result.valid == "yes"


@pytest.mark.plain_python
@pytest.mark.parametrize("part", [0.0, 1e-9, 0.3, 1.0])
def test_interpolation_of_a_shortened_step_is_that_of_the_whole_one(part):
    rng = np.random.default_rng(5)
    dense, n = rng.normal(size=(5, 4)), 4
    work = SimpleNamespace(dense=dense.copy(), y_new=np.empty(n))
    shorten_step(work, part)
    whole, shortened = np.empty(n), np.empty(n)
    interpolate(dense, part, whole)
    assert work.y_new == pytest.approx(whole, abs=1e-14)
    for theta in np.linspace(0.0, 1.0, 9):
        interpolate(dense, theta * part, whole)
        interpolate(work.dense, theta, shortened)
        assert shortened == pytest.approx(whole, abs=1e-14)


@pytest.mark.plain_python
def test_free_stop_is_engaged_where_its_joint_arrives_or_is_pressed():
    """Eqs. (M116), (M117)."""
    k, c = 1e4, 100.0
    data = SimpleNamespace(resting_depth=1e-5, resting_speed=1e-3, engaged_depth=0.0)
    for depth, rate, free, engaged in (
        (-1e-3, 0.0, True, False),
        (-1e-3, 20.0, True, False),
        (1e-9, 2e-3, False, True),  # arrives
        (1e-9, 1e-4, True, True),  # rests
        (2e-5, 1e-4, False, True),  # is pressed
        (1e-3, -0.2, True, False),  # returns faster than the stop
        (1e-3, -0.0995, True, True),  # begins to return slower: it pushes, but by less than 0.1 N
    ):
        assert stays_free(data, k, c, depth, rate) == free, (depth, rate)
        assert stays_engaged(data, k, c, depth, rate) == engaged, (depth, rate)


@pytest.mark.plain_python
@pytest.mark.parametrize("stiffness", [1e6, 1e8, 10.0])
def test_resting_depth_has_the_energy_of_the_tolerated_error_of_speed(stiffness):
    """Eq. (M117): k s^2 = m tol^2, at most the tolerance of the position."""
    speed, length, mass = 1e-5, 1e-6, 2.0
    assembly = assemble(
        System(
            bodies={"slide": Body(mass=mass, joint=Prismatic())},
            springs={"spring": Spring(joint="slide", stiffness=1.0)},
            stops={"end": Stop(joint="slide", upper=0.01, stiffness=stiffness, damping=30.0)},
        )
    )
    settings = Settings(duration=1.0, accuracy=StepTolerances(length=length, speed=speed))
    session = Simulation(assembly=assembly, settings=settings).begin()
    stop = session.system.element_data[assembly.element_index["end"]]
    time = math.sqrt(mass / stiffness)
    assert stop.response_time == pytest.approx(time, rel=1e-12)
    assert stop.resting_depth == pytest.approx(min(speed * time, length), rel=1e-12)
    assert stop.resting_speed == speed


@pytest.mark.parametrize("speed", [0.1, 0.15, 0.3, 0.7])
@pytest.mark.parametrize(
    "condition", ["end.deflection > 0 m", "slide.joint > 0.1 m", "end.deflection > 0 m for 1 ms"]
)
def test_event_at_the_instant_at_which_a_joint_reaches_its_stop(speed, condition):
    """The end of the shortened step and its interpolation there have the same bits."""
    result = run(
        "automatic",
        3.0,
        bodies={"slide": Body(mass=2.0, joint=Prismatic(speed=speed))},
        stops={"end": Stop(joint="slide", upper=0.1, stiffness=1e4, damping=10.0)},
        events={"touch": Event(when=condition)},
    )
    delay = 1e-3 if "for" in condition else 0.0
    assert [event.time for event in result.events] == pytest.approx([0.1 / speed + delay], rel=1e-9)


@pytest.mark.parametrize("method", [*METHODS, "bogacki-shampine"])
@pytest.mark.parametrize("start", [-0.6, -0.4, -0.2])
@pytest.mark.parametrize("beyond", [0.01, 0.05, 0.2])
def test_flight_beyond_a_stop_and_back_is_stopped(method, start, beyond):
    """Constant forces allow steps of any length; both limits are reached in one if the stop does not act."""
    pulse, push, limit, mass, begin = 0.4, 2.5, 0.1, 1.0, 10.0
    speed = push * pulse / mass
    after = start + 0.5 * speed * pulse  # where the pulse ends
    pull = 0.5 * mass * speed**2 / (limit + beyond - after)
    result = run(
        method,
        50.0,
        bodies={"slide": Body(mass=mass, joint=Prismatic(axis="x", position=start))},
        loads={
            "force": Load(
                body="slide", force=(1, 0, 0), table=((0, 0), (begin, push), (begin + pulse, -pull))
            )
        },
        stops={"end": Stop(joint="slide", lower=-1.0, upper=limit, stiffness=1e4, damping=100.0)},
        events={"hit": Event(when="end.force > 0 N")},
        metrics={"up": "max slide.joint"},
    )
    # From limit = after + speed t - pull t^2 / (2 mass).
    wait = (speed - math.sqrt(speed**2 - 2.0 * pull * (limit - after) / mass)) * mass / pull
    assert result.events[0].time == pytest.approx(begin + pulse + wait, abs=1e-6)
    assert limit < result.metrics["up"] < limit + 0.01


@pytest.mark.parametrize("damping", [28.3, 141.4, 566.0])
@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize(
    "condition", ["end.force > 0 N for 0.5 s", "end.force > 0 N for 1 ms", "not end.force > 0 N"]
)
def test_condition_on_the_force_of_a_stop_keeps_the_energy_balance(damping, once, condition):
    """The condition of an event changes at the instant at which the stop is freed."""
    result = run(
        "automatic",
        1.0,
        bodies={"slide": Body(mass=2.0, joint=Prismatic(speed=0.3))},
        stops={"end": Stop(joint="slide", upper=0.1, stiffness=1e4, damping=damping)},
        events={"held": Event(when=condition, once=once)},
    )
    assert result.audit.energy_residual < 1e-3
    assert result.valid == "yes"


@pytest.mark.parametrize("method", ["automatic", "rosenbrock"])
@pytest.mark.parametrize("force", [1e-5, 6e-4, 1e-2])
@pytest.mark.parametrize(("stiffness", "damping"), [(1e6, 1000.0), (1e6, 100.0), (1e4, 100.0)])
def test_joint_that_is_lightly_pressed_on_its_stop_comes_to_rest(method, force, stiffness, damping):
    """The mean force of the stop is the one that presses, by momentum."""
    result = run(
        method,
        1000.0,
        bodies={"door": Body(mass=1.0, joint=Prismatic(axis="x"))},
        loads={"press": Load(body="door", force=(force, 0.0, 0.0))},
        stops={"end": Stop(joint="door", upper=0.0, stiffness=stiffness, damping=damping)},
        metrics={"mean": "mean end.force", "way": "final door.joint"},
    )
    assert result.metrics["mean"] == pytest.approx(force, rel=0.01)
    assert result.metrics["way"] == pytest.approx(force / stiffness, abs=1e-6)
    assert result.timing.steps < 2000


def test_stop_that_is_switched_keeps_the_energy_balance():
    """Disabled while it is pressed and enabled again within its limit; a condition ends in between."""
    result = run(
        "automatic",
        3.0,
        bodies={"slide": Body(mass=2.0, joint=Prismatic(speed=0.3))},
        springs={"back": Spring(joint="slide", stiffness=8.0, damping=0.1)},
        stops={"end": Stop(joint="slide", upper=0.1, stiffness=1e4, damping=10.0)},
        events={
            "off": Event(when="end.force > 20 N", then=(Action(disable="end"),)),
            "returned": Event(when="slide.joint < 0.05 m for 0.01 s", once=False),
            "on": Event(when="slide.joint < -0.01 m", then=(Action(enable="end"),)),
        },
    )
    assert {event.name for event in result.events} == {"off", "returned", "on"}
    assert result.audit.energy_residual < 1e-4
    assert result.valid == "yes"


def test_slow_joint_is_stopped_by_strong_damping():
    """Slower than the tolerance of speeds: it enters the stop by no more than the tolerance of positions."""
    result = run(
        "automatic",
        2000.0,
        bodies={"slide": Body(mass=1.0, joint=Prismatic(axis="x", speed=8e-6))},
        stops={"end": Stop(joint="slide", upper=0.001, stiffness=100.0, damping=1e5)},
        metrics={"way": "max slide.joint", "force": "max end.force"},
    )
    assert result.metrics["way"] < 0.001 + 2e-6
    assert result.metrics["force"] == pytest.approx(0.8, rel=0.01)
