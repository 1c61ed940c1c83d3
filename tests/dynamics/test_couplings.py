"""Couplings: force over the stroke, energy of a mating, jam, frames, momentum, implicit steps."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dynamics.systems import EPS, TIGHT, assemble, attitude, energy_and_momentum, evaluate, simulate, vector
from softdock import simulate as run_scenario
from softdock.dynamics.settings import Method
from softdock.dynamics.system_records import system_records
from softdock.elements.coupling.model import (
    Coupling,
    CouplingEndStop,
    CouplingGuidance,
    CouplingLatch,
    CouplingLimits,
    CouplingSeal,
    CouplingSpring,
)
from softdock.elements.drive.model import Drive
from softdock.errors import InputError
from softdock.model.system import Body, System
from softdock.scenario.multibody import Event, MultibodyScenario
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_quaternion, quaternion_from_matrix
from softdock.theory import joining
from softdock.tree.frames import Anchor
from softdock.tree.joints import Free, Prismatic

STROKE, LEAD = 0.012, 0.0005
SPRING, SEAL, LATCH = (2000.0, 15.0, 0.002), (25.0, 0.004, 0.009), (40.0, 0.002)
THEORY = {"length": STROKE, "lead_in": LEAD, "spring": SPRING, "seal": SEAL, "latch": LATCH}
LIMITS = CouplingLimits(lateral=1e-3, angle=math.radians(1.0))
STOP = CouplingEndStop(stiffness=1e6, damping=500.0)
GUIDANCE = CouplingGuidance(stiffness=4e4, angular_stiffness=30.0, damping=200.0, angular_damping=0.5)
COARSER = replace(TIGHT, length=1e-8, speed=1e-7)
CLEAN = {"limits": LIMITS, "end_stop": STOP, "stroke": STROKE, "lead_in": LEAD}


def coupling(**changes) -> Coupling:
    fields = {
        "plug": Anchor(body="tool"),
        "socket": Anchor(body="client"),
        "spring": CouplingSpring(stiffness=SPRING[0], preload=SPRING[1], start=SPRING[2]),
        "seal": CouplingSeal(friction=SEAL[0], start=SEAL[1], end=SEAL[2], speed=1e-6),
        "latch": CouplingLatch(force=LATCH[0], width=LATCH[1]),
        **CLEAN,
    }
    return Coupling(**{**fields, **changes})


def pair(
    position=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), turned=(1.0, 0.0, 0.0, 0.0), **changes
) -> System:
    tool = Free(position=position, velocity=velocity, attitude=turned)
    return System(
        bodies={
            "tool": Body(mass=20.0, inertia=(1.0, 1.0, 0.8), joint=tool),
            "client": Body(mass=60.0, inertia=(4.0, 4.0, 3.0)),
        },
        couplings={"c": coupling(**changes)},
    )


def record_of(system: System):
    assembly = assemble(system)
    _, records = evaluate(assembly)
    return records.element_data[assembly.element_index["c"]]


@pytest.mark.plain_python
@pytest.mark.parametrize(
    "stroke", [-0.001, 0.0002, 0.001, 0.0022, 0.003, 0.0042, 0.006, 0.0092, 0.0105, 0.0118]
)
def test_force_over_the_stroke_is_that_of_the_closed_form(stroke):
    record = record_of(pair(position=(0, 0, stroke), velocity=(0, 0, 0.01)))
    assert record.total[5] == pytest.approx(-joining.insertion_force(stroke, **THEORY), rel=1e-7, abs=1e-12)
    assert record.force == pytest.approx(abs(record.total[5]), rel=4 * EPS)


@pytest.mark.plain_python
def test_end_stop_pushes_back_and_never_pulls():
    beyond = STROKE + 1e-4
    pushed = record_of(pair(position=(0, 0, beyond), velocity=(0, 0, 0.0)))
    spring = joining.insertion_force(STROKE, **{**THEORY, "seal": (0.0, 0.0, np.inf)}) + 1e-4 * SPRING[0]
    assert -pushed.total[5] == pytest.approx(100.0 + spring, rel=1e-9)
    leaving = record_of(pair(position=(0, 0, beyond), velocity=(0, 0, -1.0), seal=None))
    assert -leaving.total[5] == pytest.approx(spring, rel=1e-9)  # 100 N - 500 N: the stop is released


def test_complete_mating_stores_and_dissipates_the_work_of_the_closed_form():
    """A slow drive completes the mating: its work is the stored plus the dissipated energy of the closed forms."""
    speed = 2e-3
    system = System(
        bodies={
            "tool": Body(mass=1.0, joint=Prismatic(axis="z", position=-1e-3, speed=speed)),
        },
        drives={"push": Drive(joint="tool", follows="speed", target=speed, damping=4e7)},
        couplings={"c": coupling(socket=Anchor(body="world"))},
    )
    assembly = assemble(system)
    run = simulate(assembly, (STROKE + 1e-3) / speed, accuracy=COARSER)
    stored, dissipated = joining.mating_work(length=STROKE, lead_in=LEAD, spring=SPRING, seal=SEAL)
    element = run.element_data[assembly.element_index["c"]]
    # The drive lags behind its command by force / damping, at most 2 um/s.
    assert element.deflection == pytest.approx(STROKE, abs=3e-5)
    assert element.energy == pytest.approx(stored, rel=2e-3)
    assert run.end.dissipated - run.start.dissipated == pytest.approx(dissipated, rel=2e-3)
    assert run.conservation.energy_residual < 1e-5


@pytest.mark.plain_python
def test_misaligned_plug_is_centred_by_forces_that_follow_from_their_energy():
    """Force and torque are the gradient of the energy, here by central differences in all six directions."""
    spot, tilt = np.array([4e-4, -3e-4, 3e-4]), np.array([math.cos(0.004), math.sin(0.004), 0.0, 0.0])
    still = {"guidance": GUIDANCE, "seal": None}

    def energy(shift, turn):
        q = np.array([1.0, *(0.5 * np.asarray(turn))])
        q = quaternion_from_matrix(
            matrix_from_quaternion(q / np.linalg.norm(q)) @ matrix_from_quaternion(tilt)
        )
        return record_of(pair(tuple(spot + shift), turned=tuple(q), **still)).energy

    record = record_of(pair(tuple(spot), turned=tuple(tilt), **still))
    force, torque = record.total[3:], record.total[:3] - np.cross(spot, record.total[3:])
    h, axes = 1e-7, np.eye(3)
    slope = [(energy(h * e, 0 * e) - energy(-h * e, 0 * e)) / (2 * h) for e in axes]
    turn = [(energy(0 * e, h * e) - energy(0 * e, -h * e)) / (2 * h) for e in axes]
    np.testing.assert_allclose(force, -np.array(slope), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(torque, -np.array(turn), rtol=1e-5, atol=1e-7)


@pytest.mark.plain_python
def test_force_does_not_depend_on_the_frame_of_the_world():
    rng = np.random.default_rng(4)
    q = np.array(attitude(rng))
    X = Pose(R=matrix_from_quaternion(q), p=np.array(vector(rng)))
    place, speed = np.array([3e-4, 2e-4, 5e-3]), np.array([1e-3, -2e-3, 8e-3])
    plain = record_of(pair(tuple(place), tuple(speed), guidance=GUIDANCE))
    moved = pair(tuple(X.p + X.R @ place), tuple(X.R @ speed), turned=tuple(q), guidance=GUIDANCE)
    client = moved.bodies["client"].model_copy(update={"joint": Free(position=tuple(X.p), attitude=tuple(q))})
    moved = moved.model_copy(update={"bodies": {**moved.bodies, "client": client}})
    there = record_of(moved)
    np.testing.assert_allclose(X.R.T @ there.total[3:], plain.total[3:], rtol=1e-11)
    assert there.energy == pytest.approx(plain.energy, rel=1e-11)
    assert there.loss == pytest.approx(plain.loss, rel=1e-11)


@pytest.mark.parametrize("method", [Method.DORMAND_PRINCE, Method.ROSENBROCK, Method.AUTOMATIC])
def test_momentum_is_conserved_and_energy_is_balanced(method):
    system = pair((5e-4, -3e-4, -2e-3), (1e-3, 0, 0.03), guidance=GUIDANCE)
    run = simulate(system, 1.0, accuracy=COARSER, method=method)
    assert run.conservation.linear_momentum_drift < 1e-12
    assert run.conservation.angular_momentum_drift < 1e-12
    assert run.conservation.energy_residual < 1e-5


def test_motion_is_the_same_if_the_socket_moves_instead_of_the_plug():
    """Only relative motion counts: stroke and dissipated energy are the same in both cases."""
    runs = []
    for moving in ("tool", "client"):
        sign = 1.0 if moving == "tool" else -1.0
        joint = Free(position=(2e-4 * sign, 0, -2e-3 * sign), velocity=(0, 0, 0.03 * sign))
        bodies = {name: Body(mass=30.0, inertia=(2.0, 2.0, 1.0)) for name in ("tool", "client")}
        bodies[moving] = bodies[moving].model_copy(update={"joint": joint})
        system = System(bodies=bodies, couplings={"c": coupling(guidance=GUIDANCE)})
        assembly = assemble(system)
        run = simulate(assembly, 0.5, accuracy=TIGHT)
        runs.append((run.element_data[assembly.element_index["c"]], run))
    (a, run_a), (b, run_b) = runs
    assert a.deflection == pytest.approx(b.deflection, abs=1e-8)
    assert run_a.end.dissipated == pytest.approx(run_b.end.dissipated, rel=1e-6)


def scenario(offset: float, tilt: float = 0.0, **changes) -> MultibodyScenario:
    """Return a tool of 20 kg that a drive moves at 5 mm/s along its axis towards a fixed client."""
    turned = (math.cos(0.5 * tilt), math.sin(0.5 * tilt), 0.0, 0.0)
    return MultibodyScenario(
        duration=5.0,
        bodies={
            "tool": Body(mass=2.0, joint=Prismatic(axis="z", at=(offset, 0, 0), position=-3e-3)),
            "client": Body(mass=60.0, inertia=(4.0, 4.0, 3.0), joint=Prismatic(axis="x")),
        },
        drives={
            "push": Drive(joint="tool", target=STROKE, rate=5e-3, stiffness=2e5, damping=4e3, max_force=300.0)
        },
        couplings={"c": coupling(plug=Anchor(body="tool", attitude=turned), **changes)},
        events={
            "mated": Event(when="c.mated > 0.5"),
            "jammed": Event(when="c.jammed > 0.5"),
        },
        record={"also": ["c.missed"]},
        metrics={
            "stroke": "max c.stroke",
            "jam": "max c.jammed",
            "mated": "max c.mated",
            "force": "max c.force",
        },
    )


@pytest.mark.parametrize(
    ("offset", "tilt_deg", "jams"),
    [(0.0, 0.0, False), (0.99e-3, 0.0, False), (1.01e-3, 0.0, True), (0.0, 0.99, False), (0.0, 1.01, True)],
)
def test_plug_jams_exactly_beyond_its_limits(offset, tilt_deg, jams):
    result = run_scenario(scenario(offset, math.radians(tilt_deg)))
    names = [event.name for event in result.events]
    assert names == (["jammed"] if jams else ["mated"])
    if jams:
        assert result.metrics["stroke"] == pytest.approx(
            300.0 / STOP.stiffness, rel=0.05
        )  # it does not advance
        assert result.metrics["mated"] == 0.0
    else:
        assert result.metrics["stroke"] == pytest.approx(STROKE, abs=2e-4)
    assert result.audit.energy_residual < 1e-3


@pytest.mark.parametrize("offset", [3.01e-3, 0.05])
def test_plug_beside_its_socket_has_no_force(offset):
    """Beyond the capture radius, three times the lateral limit, the plug passes: the drive completes its travel."""
    result = run_scenario(scenario(offset, guidance=GUIDANCE))
    assert result.events == ()
    assert result.metrics["force"] < 1e-9  # until the decision, which is located to rounding
    assert result.metrics["jam"] == result.metrics["mated"] == 0.0
    assert result.metrics["stroke"] == pytest.approx(STROKE, abs=2e-4)
    assert result.history["c.missed"][-1] == 1.0
    assert any("passed" in text and "capture radius is 3 mm" in text for text in result.warnings)


def test_plug_within_a_given_capture_radius_jams_on_the_face():
    result = run_scenario(scenario(0.02, capture_radius=0.025))
    assert [event.name for event in result.events] == ["jammed"]
    assert result.metrics["stroke"] == pytest.approx(300.0 / STOP.stiffness, rel=0.05)


@pytest.mark.plain_python
def test_plug_that_starts_beside_its_socket_stores_no_energy():
    """Beyond the opening and 0.1 m from the axis; the guidance would store 200 J there."""
    result = run_scenario(
        MultibodyScenario(
            duration=0.1,
            bodies=pair((0.1, 0, 6e-3)).bodies,
            couplings={"c": coupling(guidance=GUIDANCE)},
            metrics={"force": "max c.force", "energy": "max c.energy", "speed": "final tool.velocity"},
        )
    )
    assert result.metrics["force"] == result.metrics["energy"] == result.metrics["speed"] == 0.0


def test_jam_is_decided_again_when_the_plug_returns():
    """The client is pushed aside while the plug is withdrawn: the second attempt enters."""
    case = scenario(1.5e-3)
    client = case.bodies["client"]
    data = case.model_dump()
    data["bodies"]["client"] = {**client.model_dump(), "joint": Prismatic(axis="x", speed=3e-4).model_dump()}
    data["events"]["jammed"] = {"when": "c.jammed > 0.5", "then": [{"drive": "push", "target": -2e-3}]}
    data["events"]["again"] = {"when": "time > 3 s", "then": [{"drive": "push", "target": STROKE}]}
    data["duration"] = 7.0
    result = run_scenario(MultibodyScenario.model_validate(data))
    assert [event.name for event in result.events] == ["jammed", "again", "mated"]


def test_coupling_is_a_load_of_kind_interface():
    result = run_scenario(scenario(0.0))
    load = next(one for one in result.loads if one.name == "c")
    assert load.kind == "interface"
    assert load.peak_force == pytest.approx(result.metrics["force"], rel=1e-9)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"lead_in": 0.02}, "lead_in"),
        ({"capture_radius": 0.9e-3}, "capture_radius"),
        ({"tolerance": 0.012}, "tolerance"),
        ({"spring": CouplingSpring(start=0.02)}, "spring.start"),
        ({"latch": CouplingLatch(force=1.0, width=0.02)}, "latch.width"),
        ({"seal": CouplingSeal(friction=1.0, start=0.02)}, "seal.start"),
        ({"seal": CouplingSeal(friction=1.0, start=0.004, end=0.0041)}, "seal.end"),
    ],
)
def test_impossible_couplings_are_refused(changes, field):
    with pytest.raises(InputError) as error:
        coupling(**changes)
    assert error.value.problems[0].field == field


@pytest.mark.plain_python
def test_energy_of_the_state_includes_the_coupling():
    assembly = assemble(pair((0, 0, 6e-3)))
    stored = energy_and_momentum(system_records(assembly), assembly.y).stored
    assert stored == pytest.approx(record_of(pair((0, 0, 6e-3))).energy, rel=1e-12)


@pytest.mark.plain_python
@pytest.mark.parametrize("integrator", [{}, {"step": 0.04}, {"step": 0.04, "method": "rosenbrock"}])
@pytest.mark.parametrize("instant", [0.0012, 0.013, 0.031, 0.213])
@pytest.mark.parametrize(
    ("when", "speed"),
    [
        ("c.mated", 0.05),
        ("c.mated and c.mated", 0.05),
        ("c.mated and tool.z > 0 mm", 0.05),
        ("c.mated or c.jammed", 0.05),
        ("not c.mated", -4e-4),
        ("not (c.mated and tool.z > 0 mm)", -4e-4),
    ],
)
def test_condition_that_jumps_is_located_at_its_instant(when, speed, instant, integrator):
    """The plug reaches or leaves the mated position at a known instant: the end stop hardly acts."""
    edge = STROKE - 1e-4
    result = run_scenario(
        MultibodyScenario(
            duration=1.0,
            bodies=pair((0, 0, edge - speed * instant), (0, 0, speed)).bodies,
            couplings={
                "c": coupling(
                    spring=CouplingSpring(), seal=None, latch=None, end_stop=CouplingEndStop(stiffness=1e-3)
                )
            },
            integrator=integrator,
            events={"changes": Event(when=when), "held": Event(when=f"{when} for 2 ms")},
        )
    )
    times = {event.name: event.time for event in result.events}
    assert times["changes"] == pytest.approx(instant, abs=1e-9)
    assert times["held"] == pytest.approx(instant + 0.002, abs=1e-9)
