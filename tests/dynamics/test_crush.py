"""Crushable absorbers: closed forms of depth, rebound and bottoming, energy, steps and input."""

import math

import numpy as np
import pytest

from dynamics.systems import EPS, assemble, evaluate
from dynamics.test_implicit import compare_jacobians
from softdock import simulate as simulate_scenario
from softdock.dynamics.system_records import system_records
from softdock.elements.crush.model import Crushable
from softdock.elements.kernels.yielding import KNEE
from softdock.elements.spring.model import Spring
from softdock.errors import InputError
from softdock.model.events import Action, Event
from softdock.model.mjcf import to_mjcf
from softdock.model.system import Body, System
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.tree.joints import Free, Planar, Prismatic, Revolute, Spherical, Universal

MASS, PLATEAU, STROKE, STIFFNESS = 20.0, 500.0, 0.1, 1e6
ELASTIC = PLATEAU**2 / (2.0 * STIFFNESS)
"""Energy stored on the plateau [J]."""
LIMIT = PLATEAU / STIFFNESS
"""Elastic deflection there [m]."""
METHODS = ("automatic", "rosenbrock", "bogacki-shampine")


def core(**fields) -> Crushable:
    return Crushable(
        **{"joint": "leg", "upper": 0.0, "plateau": PLATEAU, "stroke": STROKE, "rebound_stiffness": STIFFNESS}
        | fields
    )


def drop(
    speed, duration=1.0, method="automatic", refinement=1.0, position=-0.01, **parts
) -> MultibodyScenario:
    """Return a mass that meets a core."""
    accuracy = {"length": 1e-6, "angle": 1e-6, "speed": 1e-5, "rate": 1e-5}
    parts = {"crushables": {"core": core()}} | parts
    return MultibodyScenario(
        duration=duration,
        bodies={"leg": Body(mass=MASS, joint=Prismatic(position=position, speed=speed))},
        metrics={
            "depth": "final core.depth", "absorbed": "final core.absorbed", "peak": "max core.force",
            "speed": "final leg.joint_rate", "deepest": "max leg.joint",
        },
        integrator=Integrator(method=method, accuracy={name: refinement * one for name, one in accuracy.items()}),
        **parts,
    )  # fmt: skip


def run(*arguments, **fields):
    result = simulate_scenario(drop(*arguments, **fields), with_prediction=False)
    assert result.valid == "yes", result.warnings
    return result


def depth_of(energy: float) -> float:
    """Return the permanent depth of a new core after it has taken a kinetic energy [J]; Eq. (Z8)."""
    return (energy - ELASTIC * (1.0 - KNEE**2)) / PLATEAU


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_depth_and_rebound_of_a_mass(speed, method):
    """The core absorbs what it does not return: its elastic energy at the plateau."""
    result = run(speed, method=method, refinement=1e-3)
    energy = 0.5 * MASS * speed**2
    assert result.metrics["depth"] == pytest.approx(depth_of(energy), rel=1e-6)
    assert result.metrics["absorbed"] == pytest.approx(energy - ELASTIC, rel=1e-6)
    assert result.metrics["speed"] == pytest.approx(-math.sqrt(2.0 * ELASTIC / MASS), rel=1e-5)
    assert result.metrics["peak"] == pytest.approx(PLATEAU, rel=1e-5)
    assert result.metrics["deepest"] == pytest.approx(result.metrics["depth"] + LIMIT, rel=1e-6)


def test_depth_with_usual_tolerances():
    result = run(1.0)
    assert result.metrics["depth"] == pytest.approx(depth_of(0.5 * MASS), abs=2e-6)
    assert result.metrics["speed"] == pytest.approx(-math.sqrt(2.0 * ELASTIC / MASS), abs=2e-4)


@pytest.mark.parametrize("method", METHODS)
def test_a_soft_impact_is_elastic(method):
    """Below (1 - KNEE) of the plateau nothing is crushed."""
    speed = 0.99 * (1.0 - KNEE) * PLATEAU / math.sqrt(STIFFNESS * MASS)
    result = run(speed, method=method, refinement=1e-3)
    assert result.metrics["depth"] == 0.0
    assert result.metrics["speed"] == pytest.approx(-speed, rel=1e-5)
    assert result.metrics["peak"] == pytest.approx(speed * math.sqrt(STIFFNESS * MASS), rel=1e-5)


def test_a_second_impact_starts_at_the_permanent_depth():
    """A constant force, switched on after the rebound, throws the leg back; the core is touched deeper by its depth."""
    push = 300.0
    result = run(
        1.0, 2.0, refinement=1e-2,
        springs={"push": Spring(joint="leg", preload=-push, active=False)},
        events={
            "pushed": Event(when="time > 0.2 s", then=(Action(enable="push"),)),
            "touched": Event(when="core.force > 0 N after pushed"),
            "deepest": Event(when="leg.joint_rate < 0 m/s after touched", then=(Action(stop=True),)),
        },
    )  # fmt: skip
    time, joint = np.asarray(result.history.time), result.history["leg.joint"]
    first, pushed, touched = depth_of(0.5 * MASS), *(event.time for event in result.events[:2])
    at, again = np.searchsorted(time, pushed), np.searchsorted(time, touched)
    assert result.history["core.depth"][at] == pytest.approx(first, rel=1e-5)
    assert joint[again] == pytest.approx(first, abs=1e-6)
    # The force moves the leg by first - x0 before the core resists, and by the elastic deflection and the new depth.
    speed = result.history["leg.joint_rate"][at]
    energy = 0.5 * MASS * speed**2 + push * (first - joint[at])
    deepest = result.metrics["deepest"] - first
    depth = (energy + push * deepest - ELASTIC * (1.0 - KNEE**2)) / PLATEAU
    assert depth > 1e-3
    assert result.metrics["depth"] - first == pytest.approx(depth, rel=1e-4)
    assert np.all(np.diff(result.history["core.depth"]) >= 0.0)


@pytest.mark.parametrize("bottoming", [STIFFNESS, 4e6, 2e5])
@pytest.mark.parametrize("method", METHODS)
def test_bottoming_after_the_stroke(bottoming, method):
    """Beyond stroke and elastic limit the energy is F x + k x^2 / 2; it comes back with the elastic energy."""
    speed = 3.0
    fields = {"bottoming_stiffness": bottoming} if bottoming != STIFFNESS else {}
    result = run(speed, method=method, refinement=1e-3, crushables={"core": core(**fields)})
    absorbed = PLATEAU * STROKE - ELASTIC * KNEE**2
    rest = 0.5 * MASS * speed**2 - absorbed - ELASTIC
    beyond = (math.sqrt(PLATEAU**2 + 2.0 * bottoming * rest) - PLATEAU) / bottoming
    assert result.metrics["depth"] == pytest.approx(STROKE, rel=1e-6)
    assert result.metrics["absorbed"] == pytest.approx(absorbed, rel=1e-6)
    assert result.metrics["peak"] == pytest.approx(PLATEAU + bottoming * beyond, rel=1e-5)
    assert result.metrics["deepest"] == pytest.approx(STROKE + LIMIT + beyond, rel=1e-6)
    assert result.metrics["speed"] == pytest.approx(-math.sqrt(speed**2 - 2.0 * absorbed / MASS), rel=1e-5)
    assert any("'core' was used up" in notice for notice in result.warnings)


def test_both_sides_and_turning_joints_mirror_each_other():
    """The law is the same at a lower limit, and about a hinge with an inertia in place of the mass."""
    deepest = run(1.0).metrics["depth"]
    scenario = drop(-1.0, position=0.01, crushables={"core": core(upper=None, lower=0.0)})
    assert simulate_scenario(scenario, with_prediction=False).metrics["depth"] == pytest.approx(
        deepest, rel=1e-5
    )
    hinge = {
        "leg": Body(mass=1.0, inertia=(MASS, MASS, MASS), joint=Revolute(axis="z", angle=-0.01, rate=1.0))
    }
    result = simulate_scenario(scenario.model_copy(update={"bodies": hinge, "crushables": {"core": core()}}))
    assert result.metrics["depth"] == pytest.approx(deepest, rel=1e-5)
    (load,) = (one for one in result.loads if one.name == "core")
    assert (load.kind, load.peak_force) == ("crushable", None)
    assert load.peak_moment == pytest.approx(PLATEAU, rel=1e-4)


def test_a_core_that_was_crushed_before_is_touched_later():
    result = run(1.0, refinement=1e-2, crushables={"core": core(crushed=0.05)})
    assert result.metrics["depth"] == pytest.approx(0.05 + depth_of(0.5 * MASS), rel=1e-5)
    assert result.metrics["absorbed"] == pytest.approx(0.5 * MASS - ELASTIC, rel=1e-5)


def test_a_core_that_is_switched_on_late_is_crushed_to_where_the_joint_is():
    """No energy is absorbed for what happened before; the elastic energy at the plateau is stored at that instant."""
    off = core(active=False)
    result = run(
        0.5, 0.5, refinement=1e-2, crushables={"core": off},
        events={"on": Event(when="leg.joint > 40 mm", then=(Action(enable="core"),))},
    )  # fmt: skip
    found = result.metrics
    assert found["depth"] == pytest.approx(0.04 - LIMIT + (0.5 * MASS * 0.25) / PLATEAU, rel=2e-3)
    assert found["absorbed"] == pytest.approx(0.5 * MASS * 0.25, rel=2e-3)
    assert found["peak"] == pytest.approx(PLATEAU, rel=1e-3)


@pytest.mark.parametrize("active", [True, False])
def test_a_core_that_begins_pressed_is_crushed_as_far_as_its_force_allows(active):
    """Switched on it pushes with the plateau, Eq. (Z7); switched off it is as deep as given."""
    result = run(0.0, 1e-3, position=0.02, crushables={"core": core(crushed=0.005, active=active)})
    assert result.history["core.depth"][0] == pytest.approx(0.02 - LIMIT if active else 0.005, rel=1e-12)
    assert result.history["core.force"][0] == pytest.approx(PLATEAU if active else 0.0, rel=1e-9)


@pytest.mark.parametrize("gap", [0.07, 0.3, 0.9])
def test_implicit_steps_in_free_flight_end_where_the_core_is_touched(gap):
    result = run(2.0, 1.0, method="rosenbrock", position=-gap)
    assert result.metrics["peak"] == pytest.approx(PLATEAU, rel=1e-3)
    assert result.metrics["depth"] == pytest.approx(depth_of(0.5 * MASS * 4.0), rel=1e-3)


def test_a_core_that_is_switched_off_keeps_its_depth():
    result = run(1.0, events={"off": Event(when="core.depth > 5 mm", then=(Action(disable="core"),))})
    assert result.metrics["depth"] == pytest.approx(0.005, abs=1e-6)
    assert result.metrics["speed"] > 0.5


@pytest.mark.plain_python
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("deflection", [-0.001, 0.3 * LIMIT, 0.96 * LIMIT, LIMIT])
def test_force_energy_and_reaction(deflection, floating):
    """The force is that of the elastic line; the momentum of a floating base and its leg does not change."""
    base = {"base": Body(mass=7.0, inertia=(1.0, 1.0, 1.0), joint=Free())} if floating else {}
    leg = Body(
        mass=MASS, joint=Prismatic(position=deflection, speed=0.2), parent="base" if floating else "world"
    )
    assembly = assemble(System(bodies={**base, "leg": leg}, crushables={"core": core()}))
    dy, records = evaluate(assembly)
    data, at = records.element_data[0], int(records.elements[0].at_state)
    force = STIFFNESS * max(deflection, 0.0)
    assert data.force == pytest.approx(force, rel=4 * EPS)
    assert data.energy == pytest.approx(0.5 * force * max(deflection, 0.0), rel=4 * EPS)
    share = max(0.0, (force / PLATEAU - 1.0 + KNEE) / KNEE)
    assert dy[at] == pytest.approx(0.2 * share, abs=1e-12)
    assert dy[at + 1] == data.loss == pytest.approx(0.2 * share * force, abs=1e-9)
    if floating:
        n_q = int(assembly.world[0].n_q)
        assert dy[n_q : n_q + 6] == pytest.approx(np.zeros(6), abs=1e-12)


@pytest.mark.parametrize(
    ("deflection", "speed", "crushed", "stiffness"),
    [
        (-1e-3, 0.1, 0.0, 0.0),
        (0.5 * LIMIT, 0.1, 0.0, STIFFNESS),
        (LIMIT, -0.1, 0.0, STIFFNESS),
        (STROKE + 2.0 * LIMIT, 0.1, STROKE, 3e6),
    ],
)  # fmt: skip
def test_tangents_are_central_differences(deflection, speed, crushed, stiffness):
    bodies = {"leg": Body(mass=MASS, joint=Prismatic(position=deflection, speed=speed))}
    cores = {"core": core(crushed=crushed, bottoming_stiffness=3e6)}
    assembly = assemble(System(bodies=bodies, crushables=cores))
    used, true, _, _ = compare_jacobians(
        system_records(assembly), 0.0, assembly.y, np.full(len(assembly.y), 1e-8)
    )
    joint = [0, 3]  # position and speed; the permanent depth stands between them
    assert used[0, 0] == pytest.approx(-stiffness / MASS, rel=1e-5, abs=1e-3)
    assert used[0, joint] == pytest.approx(true[0, joint], rel=1e-5, abs=1e-3)


def test_the_tangent_of_the_plateau_is_that_along_the_motion():
    """The permanent depth follows the joint: the force does not change, although that at a constant depth would."""
    bodies = {"leg": Body(mass=MASS, joint=Prismatic(position=LIMIT, speed=0.1))}
    assembly = assemble(System(bodies=bodies, crushables={"core": core()}))
    used, _, _, _ = compare_jacobians(
        system_records(assembly), 0.0, assembly.y, np.full(len(assembly.y), 1e-8)
    )
    assert used[0, 0] == pytest.approx(0.0, abs=1e-3)
    dy, _ = evaluate(assembly)
    ahead, _ = evaluate(assembly, assembly.y + 1e-6 * dy)
    assert ahead[-3] == pytest.approx(dy[-3], rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_random_impacts_agree_with_tight_tolerances(seed):
    """Peaks, depths and rebounds of random cores, with a spring and a second impact; and the energy balance."""
    rng = np.random.default_rng(seed)
    plateau, stroke = 10.0 ** rng.uniform(1.5, 3.5), 10.0 ** rng.uniform(-2.0, -0.7)
    speed = math.sqrt(2.0 * plateau * stroke * rng.uniform(0.05, 1.3) / MASS)
    stiffness = plateau / stroke * 10.0 ** rng.uniform(1.0, 3.0)
    cores = {
        "core": core(plateau=plateau, stroke=stroke, rebound_stiffness=stiffness),
    }
    back = {
        "back": Spring(joint="leg", stiffness=0.05 * plateau / stroke, damping=0.0, preload=0.1 * plateau)
    }
    method = ("automatic", "rosenbrock")[seed % 2]
    usual, tight = (
        run(speed, 3.0, method=method, refinement=refinement, crushables=cores, springs=back)
        for refinement in (1.0, 1e-2)
    )
    assert usual.metrics["depth"] == pytest.approx(tight.metrics["depth"], rel=2e-3, abs=1e-5)
    assert usual.metrics["peak"] == pytest.approx(tight.metrics["peak"], rel=2e-3)
    assert usual.metrics["absorbed"] == pytest.approx(tight.metrics["absorbed"], rel=2e-3, abs=1e-3)


def problems_of(**fields) -> str:
    with pytest.raises(InputError) as caught:
        MultibodyScenario(
            duration=1.0,
            bodies={"leg": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=fields.pop("joint", Prismatic()))},
            crushables={"core": core(**fields)},
        )  # fmt: skip
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"upper": None}, "Needs lower or upper"),
        ({"lower": -0.1}, "lower: Cannot be given with upper"),
        ({"plateau": 0.0}, "plateau"),
        ({"crushed": 0.2}, "Must be at most the stroke, 0.1"),
        ({"rebound_stiffness": 4000.0}, "Must be above plateau / stroke, 5000"),
        ({"upper": "3 deg"}, "unit of a turning joint"),
        ({"joint": Planar()}, "Must be one axis of the planar joint"),
        ({"joint": Universal()}, "Must be given: the axis of the universal joint"),
        ({"joint": Spherical()}, "joint: The joint of 'leg' is spherical: it has no single axis"),
    ],
)
def test_wrong_input_is_named(fields, message):
    assert message in problems_of(**fields)


def test_the_export_to_mjcf_lists_cores():
    system = System(
        bodies={"leg": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Prismatic())},
        crushables={"core": core()},
    )
    assert "crushables.core: MuJoCo has no permanent deformation." in to_mjcf(system).left_out


def test_usual_steps_are_few():
    """A whole stroke with the default stiffness takes some hundred steps."""
    result = run(2.0, crushables={"core": Crushable(joint="leg", upper=0.0, plateau=PLATEAU, stroke=STROKE)})
    assert result.timing.steps < 1000
