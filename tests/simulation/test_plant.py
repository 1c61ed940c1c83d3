"""Plants: scenarios that another program steps, with inputs and outputs by name."""

import numpy as np
import pytest

import softdock
from softdock import (
    Action,
    Anchor,
    Body,
    Controller,
    Drive,
    Event,
    InputError,
    Load,
    Metric,
    Plant,
    PlantPool,
    Prismatic,
    Pulse,
    Revolute,
    RunError,
    Thruster,
)
from softdock.dynamics.run_results import Ending
from softdock.simulation import prepare

BALL = (2.0, 2.0, 2.0)
CHASER = {"duration": "100 s", "bodies": {"chaser": Body(mass=4.0, inertia=BALL)}}


@pytest.mark.plain_python
def test_a_constant_force_gives_its_closed_form_in_any_pieces():
    """z = f t^2 / 2m; a torque turns: w = T t / J."""
    plant = Plant(CHASER, inputs=["chaser.fz", "chaser.tz"], outputs=["chaser.z", "chaser.vz", "chaser.wz"])
    plant["chaser.fz"], plant["chaser.tz"] = 2.0, 0.5
    for _ in range(8):
        z, v, w = plant.step(0.25)
    assert (plant.time, z, v, w) == pytest.approx((2.0, 0.25 * 4.0, 1.0, 0.5), rel=1e-12)
    plant.step(2.0, [-2.0, -0.5])
    assert (plant["chaser.vz"], plant["chaser.wz"]) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.plain_python
def test_forces_act_at_their_point_and_in_their_axes():
    turned = {"duration": 10, "bodies": {"tug": Body(mass=4.0, inertia=BALL, joint={"type": "free", "attitude": {
        "axis": "z", "angle": "90 deg"}})}}  # fmt: skip
    names = ["tug.fx", "tug.fx in world", "tug@[0, 1, 0].fx"]
    plant = Plant(turned, inputs=names, outputs=["tug.vx", "tug.vy", "tug.wz"])
    assert list(plant.inputs) == names
    by_body, by_world, at_point = np.eye(3)
    start = plant.save()
    assert plant.step(0.01, by_body) == pytest.approx((0.0, 0.0025, 0.0), abs=1e-12)
    plant.restore(start)
    assert plant.step(0.01, by_world) == pytest.approx((0.0025, 0.0, 0.0), abs=1e-12)
    plant.restore(start)
    assert plant.step(0.01, at_point)[2] == pytest.approx(-0.005, rel=1e-6)  # torque p x f = -1 about z


def test_without_inputs_a_plant_has_the_bits_of_the_run():
    """In one piece: what is recorded and observed has no influence."""
    for name in ("assist-soft-docking", "assist-approach"):
        scenario = softdock.load(name, {"duration": 5})
        session = prepare(scenario).begin()
        session.advance(5.0)
        plant = Plant(scenario)
        plant.advance(5.0)
        np.testing.assert_array_equal(plant._session.state, session.state)


def test_pieces_with_changing_forces_agree_with_a_run_that_has_them_as_pulses():
    pulses = tuple(Pulse(start=0.1 * k, duration=0.1, scale=(-1.0) ** k) for k in range(20))
    load = Load(body="servicer", force=(3.0, 0.0, 5.0), pulses=pulses)
    overrides = {"duration": 2.0, "approach.distance": 0.01}
    base = softdock.load("assist-soft-docking", overrides)
    run = softdock.simulate(base.model_copy(update={"loads": {"push": load}}), with_prediction=False)
    plant = Plant(base, inputs=["servicer.force"], outputs=["servicer.x", "servicer.z", "servicer.vz"])
    for k in range(20):
        sign = (-1.0) ** k
        plant.advance(0.1 * (k + 1), [3.0 * sign, 0.0, 5.0 * sign])
    history = run.history
    expected = [float(history[name][-1]) for name in plant.outputs]
    assert plant.y == pytest.approx(
        expected, abs=2e-5
    )  # of the order of the accuracy of a step, 1e-6 m and 1e-5 m/s


def test_one_millisecond_pieces_cost_few_more_evaluations_than_their_steps():
    """A piece without a change of an input costs the stages of one step and one evaluation of its outputs."""
    plant = Plant("assist-soft-docking", outputs=["servicer.z"])
    counters = plant._session._data.counters
    plant.advance(0.5)
    before, steps = int(counters["evaluations"]), plant.steps
    for k in range(1000):
        plant.advance(0.5 + 1e-3 * (k + 1))
    assert plant.steps - steps <= 1100
    assert int(counters["evaluations"]) - before <= 5.5 * (plant.steps - steps)


def test_saved_restored_and_copied_plants_continue_to_the_bit():
    plant = Plant("assist-soft-docking", inputs=["servicer.force"], outputs=["servicer.z", "pantograph.x"])
    rng = np.random.default_rng(3)
    forces = rng.normal(0.0, 2.0, (80, 3))
    for u in forces[:40]:
        plant.step(0.05, u)
    saved, twin = plant.save(), plant.copy()
    expected = [plant.step(0.05, u).copy() for u in forces[40:]]
    assert twin.time == pytest.approx(2.0)
    for other in (
        twin,
        plant,
        Plant("assist-soft-docking", inputs=["servicer.force"], outputs=list(plant.outputs)),
    ):
        if other is not twin:
            other.restore(saved)
        np.testing.assert_array_equal([other.step(0.05, u) for u in forces[40:]], expected)
        assert other.events == plant.events


def test_reset_gives_the_bits_of_a_new_plant():
    names = {"inputs": ["servicer.fz"], "outputs": ["servicer.z", "servicer.vz"]}
    plant = Plant("assist-soft-docking", **names)
    plant.step(1.0, [5.0])
    for overrides in (
        {},
        {"approach.speed": 0.02},
        {"bodies.servicer.mass": 900.0},
        {"approach.speed": "30 mm/s"},
    ):
        plant.reset(overrides)
        new = Plant("assist-soft-docking", overrides, **names)
        assert plant.time == 0.0
        assert plant["servicer.fz"] == 0.0
        for _ in range(10):
            np.testing.assert_array_equal(plant.step(0.2, [1.0]), new.step(0.2, [1.0]))


def test_resetting_a_copy_leaves_the_original_alone():
    plant = Plant(CHASER, inputs=["chaser.fz"], outputs=["chaser.vz"])
    plant.reset()
    twin = plant.copy()
    twin.reset({"bodies.chaser.mass": 40.0})
    assert twin.step(1.0, [4.0]) == pytest.approx([0.1])
    assert plant.step(1.0, [4.0]) == pytest.approx([1.0])


def test_a_pool_has_the_bits_of_its_plants_for_any_number_of_threads():
    names = {"inputs": ["servicer.force"], "outputs": ["servicer.z", "servicer.x"]}
    starts = [{"approach.speed": 0.01 * (1 + k)} for k in range(5)]
    u = np.random.default_rng(1).normal(0.0, 1.0, (10, 5, 3))
    results = []
    for threads in (1, 3):
        with PlantPool("assist-soft-docking", 5, threads=threads, **names) as pool:
            pool.reset(starts)
            results.append([pool.step(0.1, forces) for forces in u])
            assert not pool.ended.any()
    np.testing.assert_array_equal(*results)
    single = Plant("assist-soft-docking", starts[3], **names)
    np.testing.assert_array_equal([single.step(0.1, forces[3]) for forces in u], np.array(results[0])[:, 3])


@pytest.mark.plain_python
def test_efforts_and_targets_of_drives_act():
    system = {
        "duration": 20,
        "bodies": {
            "slider": Body(mass=2.0, inertia=BALL, joint=Prismatic(axis="z")),
            "arm": Body(mass=1.0, inertia=BALL, joint=Revolute(axis="x")),
        },
        "drives": {"motor": Drive(joint="arm", target=0.0, rate=0.5, stiffness=400.0, damping=60.0)},
    }
    plant = Plant(
        system, inputs=["slider.effort", "motor.target"], outputs=["slider.joint_rate", "arm.joint"]
    )
    assert plant.inputs == {"slider.effort": "N", "motor.target": "rad"}
    plant.step(1.0, [3.0, 0.25])
    assert plant["slider.joint_rate"] == pytest.approx(1.5, rel=1e-9)
    plant.step(9.0)
    assert plant["arm.joint"] == pytest.approx(0.25, rel=1e-6)


def thruster_case(**changes):
    thrusters = {
        name: Thruster(at=(x, 0, 0), direction=(0, 0, 1), thrust=10.0, specific_impulse=100.0, **changes)
        for name, x in (("left", -1), ("right", 1))
    }
    gnc = {"chaser": Controller(rate=10, mode="drift", target=Anchor(body="world"), thrust=1.0, thrusters=thrusters,
        propellant=0.03)}  # fmt: skip
    return {**CHASER, "gnc": gnc}


@pytest.mark.plain_python
def test_valves_open_thrusters_until_they_close_or_the_tank_is_empty():
    flow = 10.0 / (100.0 * 9.80665)
    names = ["chaser/left.valve", "chaser/right.valve"]
    plant = Plant(thruster_case(), inputs=names, outputs=["chaser.vz", "chaser.propellant", "chaser.wy"])
    plant.step(0.35, [1, 1])
    assert plant.y == pytest.approx([0.35 * 20 / 4, 0.7 * flow, 0.0], rel=1e-9, abs=1e-9)
    plant.step(1.0, [0, 0])
    assert plant.y[:2] == pytest.approx([1.75, 0.7 * flow], rel=1e-9)
    plant.step(0.1, [1, 0])
    assert plant["chaser.propellant"] == pytest.approx(0.8 * flow, rel=1e-9)
    assert plant["chaser.wy"] == pytest.approx(10 * 1.0 * 0.1 / 2, rel=1e-3)
    plant.step(10.0, [1, 1])
    assert plant["chaser.propellant"] == pytest.approx(0.03, rel=1e-9)


def test_pulses_last_their_shortest_time_and_follow_their_delay():
    names = ["chaser/left.valve", "chaser/right.valve"]
    plant = Plant(thruster_case(minimum_on_time=0.05, delay=0.02), inputs=names, outputs=["chaser.vz"])
    plant.step(0.01, [1, 1])
    assert plant["chaser.vz"] == 0.0
    plant.step(0.01, [0, 0])
    plant.step(0.2)
    assert plant["chaser.vz"] == pytest.approx(0.05 * 20 / 4, rel=1e-9)
    # A new pulse while the last one is not complete comes after it.
    for valve in (1, 0, 1, 0):
        plant.step(0.001, [valve, valve])
    plant.step(0.5)
    assert plant["chaser.vz"] == pytest.approx(3 * 0.05 * 20 / 4, rel=1e-9)


def test_events_are_visible_however_many_there_are():
    """A ball on a spring passes the origin twice per period; the log of a run would be full after 10 000 events."""
    system = {
        "duration": 40,
        "bodies": {"ball": Body(mass=1.0, inertia=BALL, joint=Prismatic(axis="z", speed=0.1))},
        "springs": {"s": {"joint": "ball", "stiffness": 4.0 * np.pi**2}},
        "events": {
            "passes": Event(when="ball.joint > 0", once=False),
            "end": Event(when="time > 30.2", then=[Action(stop=True)]),
        },
    }
    plant = Plant(system, outputs=["ball.joint"])
    while plant.ending is None:
        plant.step(0.1)
    passes = [event.time for event in plant.events if event.name == "passes"]
    np.testing.assert_allclose(np.diff(passes), 1.0, rtol=1e-5)
    assert plant.ending is Ending.STOPPED
    assert plant.time == pytest.approx(30.2)
    assert plant.result().outcome == "end"
    with pytest.raises(
        RunError, match=r"has ended at 30.2 s. An event stopped the run. The last event is 'end'"
    ):
        plant.step(1.0)


def test_outputs_may_be_formulas():
    plant = Plant(CHASER, inputs=["chaser.fz"], outputs=["chaser.vz * chaser.vz", "chaser.vz"])
    plant.step(1.0, [4.0])
    assert plant.y == pytest.approx([1.0, 1.0])
    assert plant.outputs["chaser.vz * chaser.vz"] == "m^2*s^-2"


def test_result_has_outcome_and_metrics_of_the_run():
    plant = Plant({**CHASER, "metrics": {"fastest": Metric(max="chaser.vz")}}, inputs=["chaser.fz"])
    plant.step(1.0, [4.0])
    assert plant.result().metrics["fastest"] == pytest.approx(1.0)
    plant.step(1.0)
    assert plant.result().metrics["fastest"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("inputs", "outputs", "field", "words"),
    [
        (["chaser.fq"], [], "inputs.0", "fx, fy, fz"),
        (["chaser.fx", "chasr.fx"], [], "inputs.1", "did you mean 'chaser'"),
        (["chaser.effort"], [], "inputs.0", "body on a joint"),
        (["motor.target"], [], "inputs.0", "there are: none"),
        (["a/b.valve"], [], "inputs.0", "no controller"),
        (["chaser.fx", "chaser.force"], [], "inputs.1", "given twice"),
        (["chaser@[1, 2].fx"], [], "inputs.0", "point"),
        (["nonsense"], [], "inputs.0", "An input is"),
        ([], ["chaser.q"], "outputs.0", "q"),
        ([], ["chasr.z"], "outputs.0", "chaser"),
        ("chaser.fx", [], "inputs", "list of names"),
    ],
)
def test_errors_of_names_say_what_exists(inputs, outputs, field, words):
    with pytest.raises(InputError) as raised:
        Plant(CHASER, inputs=inputs, outputs=outputs)
    (problem,) = raised.value.problems
    assert problem.field == field
    assert words in str(problem)


def test_errors_of_values_name_the_input_and_change_nothing():
    plant = Plant(CHASER, inputs=["chaser.fx", "chaser.fz"], outputs=["chaser.vz"])
    with pytest.raises(InputError, match=r"inputs.chaser.fz: Must be a finite number"):
        plant.step(1.0, [0.0, np.nan])
    assert plant.time == 0.0
    assert plant.step(1.0, [0.0, 4.0]) == pytest.approx([1.0])
    with pytest.raises(InputError, match=r"one number per input: chaser\.fx, chaser\.fz"):
        plant.step(1.0, [1.0])
    with pytest.raises(InputError, match="finite time"):
        plant.step(np.inf)
    with pytest.raises(InputError, match=r"did you mean .chaser\.fx."):
        plant["chaser.gx"] = 1.0
    with pytest.raises(InputError, match="not written by"):
        plant.restore(b"")
    with pytest.raises(InputError, match="another model"):
        plant.restore(Plant(CHASER, outputs=["chaser.vz"]).save())
    with pytest.raises(InputError, match="kind multibody"):
        Plant("latch-paper")
    with (
        PlantPool(CHASER, 2, inputs=["chaser.fx"]) as pool,
        pytest.raises(InputError, match=r"shape \(2, 1\)"),
    ):
        pool.step(1.0, [[1.0]])
