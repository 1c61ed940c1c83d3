"""Kinks of element laws inside steps: branches of the laws, and peak loads where a drive leaves its force limit."""

import numpy as np
import pytest

from dynamics.systems import assemble, evaluate
from softdock import simulate
from softdock.elements.coupling.model import Coupling, CouplingEndStop, CouplingLimits
from softdock.elements.drive.model import Drive
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.model.events import Action, Event
from softdock.model.system import Body, System
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.simulation.multibody import PreparedMultibody
from softdock.tree.frames import Anchor
from softdock.tree.joints import Prismatic

LIMIT = 40.0


def branch_of(element: str, position: float, speed: float = 0.0, **elements) -> int:
    """Return the branch of an element at a position and speed of the slide that it acts on."""
    system = System(
        bodies={"slide": Body(mass=2.0, joint=Prismatic(position=position, speed=speed))}, **elements
    )
    assembly = assemble(system)
    _, records = evaluate(assembly)
    return int(records.element_data[assembly.element_index[element]].branch)


def drive_at(position: float, speed: float = 0.0, **fields) -> tuple[int, int]:
    """Return the flank on which a drive at a position and speed of its slide pushes, and the limit of its motor."""
    slide = Body(mass=2.0, joint=Prismatic(position=position, speed=speed))
    drive = Drive(joint="slide", target=0.0, stiffness=1e4, **fields)
    scenario = MultibodyScenario(duration=1.0, bodies={"slide": slide}, drives={"motor": drive})
    system = PreparedMultibody(scenario).begin().system
    return int(system.element_data[0].engaged), int(system.states.drive[0].limited)


@pytest.mark.plain_python
def test_drive_knows_its_limit_and_the_flank_of_its_backlash():
    assert [drive_at(x, max_force=LIMIT)[1] for x in (0.001, -0.003, 0.005, -0.005)] == [0, 0, -1, 1]
    flanks = [drive_at(x, max_force=LIMIT, backlash=0.002) for x in (0.0, 0.002, -0.002, 0.02, -0.02)]
    assert flanks == [(0, 0), (-1, 0), (1, 0), (-1, -1), (1, 1)]


@pytest.mark.plain_python
def test_drive_that_is_released_over_its_backlash_pushes_on_no_flank():
    """The drive is deflected by 1 mm, but fast enough that its damper would pull; backlash transmits no pull."""
    assert [drive_at(0.002, v, damping=1e3, backlash=0.002)[0] for v in (0.0, 0.1, -0.1)] == [-1, -1, 0]


@pytest.mark.plain_python
def test_coupling_has_a_branch_at_its_end_stop():
    plug = Coupling(
        plug=Anchor(body="slide"),
        socket=Anchor(body="world"),
        stroke=0.01,
        limits=CouplingLimits(lateral=1e-3, angle=0.02),
        end_stop=CouplingEndStop(stiffness=1e6),
    )
    branches = [branch_of("c", z, couplings={"c": plug}) for z in (-0.001, 0.005, 0.00999, 0.01001)]
    assert branches == [0, 0, 0, 1]


def braked_client(seed: int, refinement: float, backlash: float) -> MultibodyScenario:
    """Return a client on a stiff link to a light carriage, whose drive is enabled in motion and starts at its limit."""
    rng = np.random.default_rng(seed)

    def value(low, high):
        return 10.0 ** rng.uniform(low, high)

    speed, carriage, client, link, drive = (
        value(-3.0, -2.0), value(-2.0, 0.0), value(2.0, 3.3), value(5.0, 6.5), value(4.0, 6.0),
    )  # fmt: skip
    damping = 2.0 * rng.uniform(0.1, 1.0) * np.sqrt(link * carriage)
    drive_damping, limit = drive * value(-2.5, -1.0), value(1.0, 2.0)
    accuracy = {"length": 1e-6, "angle": 1e-6, "speed": 1e-5, "rate": 1e-5}
    return MultibodyScenario(
        duration=1.5,
        bodies={
            "carriage": Body(mass=carriage, joint=Prismatic(speed=speed)),
            "client": Body(mass=client, parent="carriage", joint=Prismatic()),
        },
        springs={"link": Spring(joint="client", stiffness=link, damping=damping)},
        drives={
            "brake": Drive(
                joint="carriage", target=0.0, stiffness=drive, damping=drive_damping, max_force=limit, active=False,
                backlash=backlash,
            )
        },
        events={"on": Event(when="time > 0.1 s", then=(Action(enable="brake"),))},
        integrator=Integrator(
            method="rosenbrock", accuracy={name: refinement * one for name, one in accuracy.items()}
        ),
        record={"rate": 0.0},
    )  # fmt: skip


@pytest.mark.parametrize("backlash", [0.0, 1e-4])
@pytest.mark.parametrize("seed", [6, 9, 14, 26, 33, 38])
def test_peak_loads_hold_where_a_drive_leaves_its_force_limit(seed, backlash):
    """Peaks differ by at most 0.1 % from runs with a thousandth of the tolerances; without shorter steps by 8 %."""
    loads, exact = (
        simulate(braked_client(seed, refinement, backlash), with_prediction=False).loads
        for refinement in (1.0, 1e-3)
    )
    assert {"link", "brake"} <= {load.name for load in loads}
    for load, one in zip(
        sorted(loads, key=lambda each: each.name), sorted(exact, key=lambda each: each.name), strict=True
    ):
        assert load.peak_force == pytest.approx(one.peak_force, rel=1e-3, abs=1e-3), load.name


@pytest.mark.parametrize("method", ["automatic", "rosenbrock"])
@pytest.mark.parametrize("speed", [1.0, 0.1, 0.01])
@pytest.mark.parametrize(("stiffness", "damping"), [(1e6, 1e3), (1e7, 1e4), (1e7, 1e5), (1e8, 1e6)])
def test_force_of_a_damped_stop_begins_with_its_damping(stiffness, damping, speed, method):
    """For c^2 >= k m the largest force of the stop is c v, at the first instant."""
    result = simulate(stopped_body(stiffness, damping, speed, 1.0, method, 0.2), with_prediction=False)
    (load,) = (one for one in result.loads if one.name == "end")
    assert load.peak_force == pytest.approx(damping * speed, rel=1e-4)
    assert result.timing.steps < 200


@pytest.mark.parametrize(
    ("duration", "stiffness", "damping", "speed"),
    [(2000.0, 1e7, 1e5, 1.0), (150.0, 1e8, 1e6, 1.0), (2000.0, 1e8, 1e6, 0.1)],
)
def test_jump_of_a_force_does_not_exhaust_the_steps_of_a_long_run(duration, stiffness, damping, speed):
    """A kink does not count in steps near the smallest one, 1e-14 of the duration."""
    result = simulate(
        stopped_body(stiffness, damping, speed, 0.05, "rosenbrock", duration), with_prediction=False
    )
    assert result.outcome == "completed"
    (load,) = (one for one in result.loads if one.name == "end")
    assert load.peak_force == pytest.approx(damping * speed, rel=1e-3)


def stopped_body(stiffness, damping, speed, mass, method, duration) -> MultibodyScenario:
    """Return a body that reaches a stop after 50 ms."""
    return MultibodyScenario(
        duration=duration,
        bodies={"slide": Body(mass=mass, joint=Prismatic(speed=speed))},
        stops={"end": Stop(joint="slide", upper=0.05 * speed, stiffness=stiffness, damping=damping)},
        integrator=Integrator(method=method),
        record={"rate": 0.0},
    )
