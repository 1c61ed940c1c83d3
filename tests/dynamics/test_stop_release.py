"""Release of engaged stops, inertia at stops, and resolution of their loads."""

import math

import pytest

from dynamics.test_stops import METHODS, peak_of, run
from softdock.elements.load.model import Load
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.model.events import Action, Event
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.multibody import PreparedMultibody
from softdock.tree.joints import Free, Prismatic, Revolute, Spherical, Universal


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pull", [0.1, 0.3, 0.8, 5.0])
def test_engaged_stop_does_not_hold_a_joint_that_is_pulled_away(method, pull):
    """The joint is relieved in steps and then pulled; it moves by F t^2 / (2 m)."""
    mass, begin, end = 2000.0, 5.0, 65.0
    table = ((0.0, 10.0), (1.0, 3.0), (2.0, 1.0), (3.0, 0.5), (4.0, 0.2), (begin, -pull))
    result = run(
        method,
        end,
        bodies={"pad": Body(mass=mass, joint=Prismatic())},
        stops={"end": Stop(joint="pad", upper=0.0, stiffness=1e8, damping=1e6)},
        loads={"force": Load(body="pad", force=(0.0, 0.0, 1.0), table=table)},
        metrics={"way": "final pad.joint"},
    )
    drift = 2e-5 * (end - begin)  # the tolerance of speeds, before and after the release
    assert result.metrics["way"] == pytest.approx(-pull * (end - begin) ** 2 / (2.0 * mass), abs=drift)


@pytest.mark.parametrize("method", ["automatic", "rosenbrock"])
@pytest.mark.parametrize("damping", [500.0, 5000.0, 20000.0])
def test_joint_leaves_a_viscous_stop_with_the_speed_of_its_spring(method, damping):
    """Without load, a light joint reaches v = k s / d and keeps it, because the stop does not pull; s / v = d / k."""
    stiffness, force, begin = 2000.0, 2.0, 10.0 * damping / 2000.0
    result = run(
        method,
        begin + 3.0 * damping / stiffness,
        bodies={"pad": Body(mass=0.05, joint=Prismatic())},
        stops={"end": Stop(joint="pad", upper=0.0, stiffness=stiffness, damping=damping)},
        loads={"force": Load(body="pad", force=(0.0, 0.0, force), table=((0.0, 1.0), (begin, 0.0)))},
        events={"left": Event(when="pad.joint < 0 m")},
        metrics={"speed": "final pad.joint_rate"},
    )
    assert result.metrics["speed"] == pytest.approx(-force / damping, rel=0.02)
    assert result.events[-1].time - begin == pytest.approx(damping / stiffness, rel=0.02)


@pytest.mark.parametrize("method", ["automatic", "rosenbrock"])
@pytest.mark.parametrize("joint", [Universal(), Spherical()])
def test_damped_stop_of_a_cone_takes_the_steps_of_a_single_axis(method, joint):
    """Implicit steps know the damping towards the limit: the motion in one plane is that of a hinge."""
    inertia, stiffness = 0.004, 1e4
    damping = 2.0 * 30.0 * math.sqrt(inertia * stiffness)
    hinge, cone = (
        run(
            method,
            20.0,
            bodies={"arm": Body(mass=0.1, inertia=(inertia,) * 3, joint=one)},
            stops={"end": Stop(joint="arm", stiffness=stiffness, damping=damping, **limit)},
            loads={"press": Load(body="arm", torque=(5.0, 0.0, 0.0), table=((0.0, 1.0),))},
        )
        for one, limit in ((Revolute(axis="x"), {"upper": 0.02}), (joint, {"limit": 0.02}))
    )
    assert cone.timing.steps < 1.5 * hinge.timing.steps
    assert moment_of(cone, "end") == pytest.approx(moment_of(hinge, "end"), rel=1e-3)


def moment_of(result, name: str) -> float:
    """Return the peak moment of an element or joint [N m]."""
    (load,) = (one for one in result.loads if one.name == name)
    return load.peak_moment


@pytest.mark.parametrize("axis", [0, 1])
def test_stops_of_both_axes_of_a_universal_joint_let_the_joint_rest(axis):
    """The first axis has no mass of its own; what counts is the inertia of all that it moves."""
    arm = Body(
        parent="craft",
        mass=5.0,
        inertia=(0.1, 0.1, 0.1),
        centre_of_mass=(0.0, 0.0, 0.2),
        joint=Universal(at=(0.0, 0.0, 0.5), rates=(-0.5, -0.5)),
    )
    result = run(
        "automatic",
        1000.0,
        bodies={"craft": Body(mass=300.0, inertia=(50.0, 50.0, 50.0), joint=Free()), "arm": arm},
        springs={f"s{i}": Spring(joint="arm", axis=i, stiffness=200.0, damping=0.5) for i in (0, 1)},
        stops={"end": Stop(joint="arm", axis=axis, lower=0.0, upper=0.3, stiffness=2e4, damping=20.0)},
    )
    assert result.timing.steps < 2000
    assert result.valid == "yes"


def test_load_that_the_tolerances_do_not_resolve_gets_a_warning():
    """A speed of 1e-5 m/s, the tolerance, already has the force d v = 10 N."""

    def pressed(force):
        return run(
            "automatic",
            20.0,
            bodies={"pad": Body(mass=2000.0, joint=Prismatic())},
            stops={"end": Stop(joint="pad", upper=0.0, stiffness=1e8, damping=1e6)},
            loads={"press": Load(body="pad", force=(0.0, 0.0, force), table=((0.0, 1.0),))},
        )

    light, heavy = pressed(10.0), pressed(1000.0)
    assert light.valid == "warned"
    assert "accuracy of speeds resolves 10 N" in light.warnings[0]
    assert heavy.valid == "yes"
    assert peak_of(heavy, "end") == pytest.approx(1116.2, rel=0.02)  # of a fine run, scaled


def test_disabled_stop_is_free_when_it_is_enabled_again():
    """The joint moves away while the stop is off: it arrives anew and bounces with its speed."""
    speed, stiffness, mass = 0.1, 1e5, 2.0
    result = run(
        "automatic",
        8.0,
        bodies={"slide": Body(mass=mass, joint=Prismatic(speed=speed))},
        springs={"return": Spring(joint="slide", stiffness=4.0)},
        stops={"end": Stop(joint="slide", upper=0.001, stiffness=stiffness)},
        events={
            "deep": Event(when="end.deflection > 0.1 mm", then=[Action(disable="end")]),
            "back": Event(when="slide.joint < -10 mm", then=[Action(enable="end")]),
        },
        metrics={"peak": "max end.force after back"},
    )
    # The energy that the stop stored when it was disabled is lost; that of the slow spring at the limit is negligible.
    stored = 0.5 * stiffness * 1e-4**2
    after = math.sqrt(speed**2 - 2.0 * stored / mass)
    assert result.metrics["peak"] == pytest.approx(after * math.sqrt(stiffness * mass), rel=1e-3)
    assert result.valid == "yes"


@pytest.mark.parametrize("method", METHODS)
def test_short_pushes_do_not_let_a_stop_hold_a_joint_that_is_pulled_away(method):
    """Pulls that are each too short to free the stop, with pushes in between: the mean force moves the joint."""
    mass, pull, push, cycles = 2000.0, 0.01, 0.005, 400
    table, time = [(0.0, 1000.0)], 0.2
    for _ in range(24):
        table.append((time, 0.5 * table[-1][1]))
        time += 0.2
    begin = time
    for _ in range(cycles):
        table += [(time, -pull), (time + 0.08, push)]
        time += 0.1
    result = run(
        method,
        time,
        bodies={"pad": Body(mass=mass, joint=Prismatic())},
        stops={"end": Stop(joint="pad", upper=0.0, stiffness=1e8, damping=1e6)},
        loads={"force": Load(body="pad", force=(0.0, 0.0, 1.0), table=tuple(table))},
        metrics={"way": "final pad.joint"},
    )
    mean = 0.8 * pull - 0.2 * push
    expected = -mean * (time - begin) ** 2 / (2.0 * mass)
    assert result.metrics["way"] == pytest.approx(expected, abs=2e-5 * (time - begin))


@pytest.mark.parametrize("axes", [3, 8, 9, 12, 17])
def test_response_time_follows_from_the_inertia_with_all_joints_free(axes):
    """A chain of slides of 10 g with 2 t at its end: a force between the last two bodies moves the light one."""
    light, heavy, stiffness = 0.01, 2000.0, 1e6
    bodies = {}
    for i in range(axes):
        mass = heavy if i == axes - 1 else light
        bodies[f"b{i}"] = Body(mass=mass, joint=Prismatic(), parent=f"b{i - 1}" if i else "world")
    last = f"b{axes - 1}"
    scenario = MultibodyScenario(
        duration=1.0,
        bodies=bodies,
        stops={"end": Stop(joint=last, upper=0.01, stiffness=stiffness)},
    )
    stop = PreparedMultibody(scenario).begin().system.element_data[0]
    # The force on the last slide accelerates the body before it, which may move freely, and itself.
    assert stop.response_time == pytest.approx(math.sqrt(1 / (1 / light + 1 / heavy) / stiffness), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stiffness", [1e7, 1e8, 1e9])
def test_peak_load_does_not_depend_on_metrics(method, stiffness):
    """The resolution of a position, 1e-8 m, is a force of 10 N at the stiffest of these stops."""
    mass, force = 3.0, 1.3e-3 * math.sqrt(stiffness)
    damping = 0.1 * math.sqrt(mass * stiffness)
    peaks = [
        peak_of(
            run(
                method,
                0.004,
                bodies={"pad": Body(mass=mass, joint=Prismatic())},
                stops={"end": Stop(joint="pad", upper=0.0, stiffness=stiffness, damping=damping)},
                loads={"press": Load(body="pad", force=(0.0, 0.0, force), table=((0.0, 1.0),))},
                metrics=metrics,
            ),
            "end",
        )
        for metrics in ({}, {"way": "max pad.joint"}, {"deflection": "max end.deflection"})
    ]
    assert peaks[1:] == pytest.approx([peaks[0]] * 2, rel=2e-3)
