"""Laws of drives: limits, backlash, friction, efficiency, self-locking, stall and new targets."""

import math

import numpy as np
import pytest

from dynamics.systems import TIGHT, assemble, evaluate, simulate, simulate_with_peaks
from softdock import simulate as run_scenario
from softdock.dynamics.kernels.recording.evaluation import AFTER_JUMP
from softdock.dynamics.settings import Method, StepTolerances
from softdock.elements.drive.model import Drive
from softdock.elements.load.model import Load
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.errors import InputError
from softdock.model.events import Action, Event
from softdock.model.system import Body, System
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.tree.joints import Prismatic, Revolute

MASS = 2.0
LIMITS = {"rate": 0.1, "acceleration": 0.5, "jerk": 5.0}
PROFILES = {
    "ramp": {"rate": 0.1},
    "trapezoidal": {"profile": "trapezoidal", "rate": 0.1, "acceleration": 0.5},
    "s-curve": {"profile": "s-curve", **LIMITS},
}
FINE = StepTolerances(length=1e-8, angle=1e-8, speed=1e-8, rate=1e-8)
"""For implicit steps."""
every_profile = pytest.mark.parametrize("profile", PROFILES)
METHODS = {"explicit": Method.DORMAND_PRINCE, "implicit": Method.ROSENBROCK}
every_method = pytest.mark.parametrize("method", METHODS)


def stiff_drive(**more):
    """Return a drive that follows its command closely: 50 Hz, critically damped with the mass."""
    k = MASS * (2.0 * math.pi * 50.0) ** 2
    return Drive(
        **{"joint": "mass", "target": 0.05, "stiffness": k, "damping": 2.0 * math.sqrt(k * MASS), **more}
    )


def slider(drive, position=0.0, speed=0.0, push=0.0, **more):
    """Return a mass on a slide along z with a drive and a constant force [N]."""
    loads = {"push": Load(body="mass", force=(0.0, 0.0, push), axes="world")} if push else {}
    return System(
        bodies={"mass": Body(mass=MASS, joint=Prismatic(position=position, speed=speed))},
        drives={"motor": drive},
        **{"loads": loads, **more},
    )


def scenario(drive, duration=1.0, **more):
    parts = {
        "bodies": {"mass": Body(mass=MASS, joint=Prismatic())},
        "drives": {"motor": drive},
        "duration": duration,
        "integrator": Integrator(accuracy={"length": 1e-9, "angle": 1e-9, "speed": 1e-9, "rate": 1e-9}),
        "record": {
            "also": ["motor.command", "motor.command_speed", "motor.lag", "motor.power", "motor.force"]
        },
    }
    return MultibodyScenario(**{**parts, **more})


def balance(run):
    """Return the error of the energy balance [J]."""
    return run.end.balance - run.start.balance


# Commands


@every_profile
@every_method
def test_a_joint_follows_its_command_and_ends_at_the_target(profile, method):
    run, seen = simulate_with_peaks(
        slider(stiff_drive(**PROFILES[profile])),
        ["mass.joint", "motor.command", "motor.command_speed"],
        1.2,
        accuracy=FINE,
        method=METHODS[method],
    )
    assert seen["mass.joint"][-1] == pytest.approx(0.05, abs=1e-7)
    assert seen["motor.command"][-1] == 0.05
    assert np.abs(seen["motor.command_speed"]).max() <= 0.1
    assert balance(run) == pytest.approx(0.0, abs=1e-8)


def test_step_ends_at_the_end_of_a_ramp():
    """The peak force of the drive at the end of a ramp is its closed form.

    The joint follows the ramp exactly after the initial transient has decayed; when the command stops, the force
    jumps to that of the damping, -d v. A step across the end of the ramp would miss it.
    """
    drive = Drive(joint="mass", target=0.05, rate=0.1, stiffness=2e4, damping=400.0)
    run, _ = simulate_with_peaks(slider(drive), ["motor.force"], 1.0)
    assert run.peaks[0].smallest == pytest.approx(-400.0 * 0.1, rel=1e-4)
    assert run.peaks[0].t_smallest == pytest.approx(0.5 + AFTER_JUMP, abs=1e-12)


@every_profile
def test_a_new_target_while_moving_has_no_jump_of_the_command(profile):
    back = Event(when="time > 0.3 s", then=(Action(drive="motor", target=-0.02),))
    result = run_scenario(scenario(stiff_drive(**PROFILES[profile]), 2.0, events={"back": back}))
    t, command, speed = (result.history[name] for name in ("time", "motor.command", "motor.command_speed"))
    steps = np.diff(t) + AFTER_JUMP  # the row after the jump has the values of the jump, at a later time
    moved = np.abs(np.diff(command))
    assert moved.max() <= 0.1 * steps[moved.argmax()] * (1.0 + 1e-9) + 1e-15
    assert np.all(moved <= 0.1 * steps * (1.0 + 1e-9) + 1e-15)
    if profile != "ramp":
        assert np.all(np.abs(np.diff(speed)) <= 0.5 * steps * (1.0 + 1e-9) + 1e-15)
    assert command[-1] == -0.02
    assert result.history["mass.joint"][-1] == pytest.approx(-0.02, abs=1e-6)
    assert result.audit.energy_residual <= 1e-6


def test_a_drive_that_is_switched_on_starts_at_the_speed_of_its_joint():
    """A trapezoidal command that starts at the speed of a coasting mass needs only the force of its acceleration."""
    drive = stiff_drive(**PROFILES["trapezoidal"], target=0.2, active=False)
    on = Event(when="time > 0.1 s", then=(Action(enable="motor"),))
    result = run_scenario(
        scenario(
            drive, 3.0, events={"on": on},
            bodies={"mass": Body(mass=MASS, joint=Prismatic(speed=0.06))},
        )
    )  # fmt: skip
    assert np.abs(result.history["motor.force"]).max() <= 2.0 * MASS * 0.5
    assert result.history["mass.joint"][-1] == pytest.approx(0.2, abs=1e-6)


# Limits of force and power


@every_profile
def test_no_profile_exceeds_the_limits_of_force_and_power(profile):
    drive = stiff_drive(**PROFILES[profile], max_force=0.6, max_power=0.03, target=0.2)
    run, seen = simulate_with_peaks(
        slider(drive), ["motor.force", "motor.power", "mass.joint"], 6.0, accuracy=TIGHT
    )
    # The instant at which the limit is reached is located to rounding of the position, here 1e-11 of the force.
    assert run.peaks[0].largest <= 0.6 * (1.0 + 1e-10)
    assert run.peaks[1].largest <= 0.03 * (1.0 + 1e-9)
    assert seen["mass.joint"][-1] == pytest.approx(0.2, abs=0.01)


def test_constant_power_accelerates_a_mass_with_the_root_of_time():
    """v = sqrt(v0^2 + 2 P t / m) while the limit of power holds."""
    drive = Drive(joint="mass", target=100.0, stiffness=1e6, max_power=5.0)
    run, seen = simulate_with_peaks(
        slider(drive, speed=0.2), ["mass.joint_rate", "motor.power"], 2.0, accuracy=TIGHT
    )
    assert seen["mass.joint_rate"] == pytest.approx(np.sqrt(0.04 + 2.0 * 5.0 * seen["time"] / MASS), rel=1e-7)
    assert seen["motor.power"] == pytest.approx(5.0, rel=1e-9)
    assert balance(run) == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("self_locking", [False, True])
@pytest.mark.parametrize("efficiency", [1.0, 0.7])
def test_retraction_speed_is_power_over_force(self_locking, efficiency):
    """Against a constant force a drive at its limit of power moves at v = efficiency P / F."""
    drive = Drive(
        joint="mass", target=-5.0, rate=1.0, stiffness=1e5, damping=2e3, max_power=4.0,
        efficiency=efficiency, self_locking=self_locking,
    )  # fmt: skip
    run, seen = simulate_with_peaks(slider(drive, push=20.0), ["mass.joint_rate", "motor.power"], 4.0)
    assert seen["mass.joint_rate"][-1] == pytest.approx(-efficiency * 4.0 / 20.0, rel=1e-5)
    assert seen["motor.power"][-1] == pytest.approx(4.0, rel=1e-5)
    assert balance(run) == pytest.approx(0.0, abs=1e-3 * run.end.work)


# Backlash


@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("x", "force"), [(0.0, 0.0), (0.9e-3, 0.0), (-0.9e-3, 0.0), (1.5e-3, -5.0), (-1.5e-3, 5.0)]
)
def test_a_drive_with_backlash_has_no_force_in_the_gap(x, force):
    drive = Drive(joint="mass", target=0.0, stiffness=1e4, damping=7.0, backlash=2e-3)
    assembly = assemble(slider(drive, position=x))
    _, system = evaluate(assembly)
    assert system.element_data[0].force == pytest.approx(force, abs=1e-9)


def test_backlash_gives_a_hysteresis_of_its_width():
    """A joint that moves slowly there and back against dry friction lags by half of the backlash each way."""
    gap, k = 1e-3, 1e5
    drive = Drive(
        joint="mass", target=0.02, rate=0.02, stiffness=k, damping=500.0, backlash=gap, friction=1.0
    )
    back = Event(when="time > 1.5 s", then=(Action(drive="motor", target=0.0),))
    result = run_scenario(scenario(drive, 3.0, events={"back": back}))
    t = result.history.time
    lag = result.history["motor.command"] - result.history["mass.joint"]
    forth, home = lag[np.abs(t - 0.8).argmin()], lag[np.abs(t - 2.3).argmin()]
    assert forth - home == pytest.approx(gap + 2.0 * 1.0 / k, rel=1e-2)
    # While the gap is crossed the joint rests.
    crossing = (t > 1.5) & (t < 1.5 + 0.5 * gap / 0.02)
    assert np.ptp(result.history["mass.joint"][crossing]) < 0.05 * gap
    assert result.audit.energy_residual <= 1e-4


# Friction and efficiency


@every_method
def test_friction_of_a_drive_dissipates_the_kinetic_energy(method):
    """A coasting mass without power stops after v^2 / (2 F / m); friction dissipates its kinetic energy."""
    drive = Drive(joint="mass", target=0.0, friction=0.4, friction_speed=1e-5, active=False)
    run, seen = simulate_with_peaks(
        slider(drive, speed=0.2), ["mass.joint", "motor.force"], 1.2, accuracy=TIGHT, method=METHODS[method]
    )
    assert seen["mass.joint"][-1] == pytest.approx(0.04 * MASS / (2.0 * 0.4), rel=1e-3)
    assert run.end.dissipated == pytest.approx(0.5 * MASS * 0.04, rel=1e-8)
    assert run.peaks[1].smallest == pytest.approx(-0.4, rel=1e-6)


def test_viscous_friction_gives_an_exponential_decay_of_speed():
    drive = Drive(joint="mass", target=0.0, viscous_friction=3.0, active=False)
    _, seen = simulate_with_peaks(slider(drive, speed=0.2), ["mass.joint_rate"], 1.0, accuracy=TIGHT)
    assert seen["mass.joint_rate"] == pytest.approx(0.2 * np.exp(-1.5 * seen["time"]), rel=1e-7)


@pytest.mark.plain_python
@pytest.mark.parametrize(("speed", "factor"), [(1.0, 0.8), (-1.0, 1.0 / (2.0 - 1.0 / 0.8))])
def test_efficiency_of_a_drive_forward_and_backward(speed, factor):
    """A screw has the efficiency 2 - 1/e when its load drives it; Eq. (M108)."""
    drive = Drive(joint="mass", target=1.0, stiffness=10.0, efficiency=0.8, friction_speed=1e-6)
    _, system = evaluate(assemble(slider(drive, speed=speed)))
    record = system.element_data[0]
    assert record.force == pytest.approx(10.0 * factor, rel=1e-9)
    assert record.loss == pytest.approx((10.0 - record.force) * speed, rel=1e-9)
    assert record.loss > 0.0


# Self-locking


def self_locking_drive(**more):
    return Drive(
        **{
            "joint": "mass", "target": 0.05, "rate": 0.1, "stiffness": 1e6, "damping": 1e3, "max_force": 50.0,
            "self_locking": True, **more,
        }
    )  # fmt: skip


@every_method
@pytest.mark.parametrize("active", [False, True])
def test_a_load_does_not_move_a_self_locking_drive(active, method):
    """A load of forty times its force deflects the transmission by F / k and no further."""
    drive = self_locking_drive(active=active, target=0.0)
    run, seen = simulate_with_peaks(
        slider(drive, push=2000.0), ["mass.joint"], 1.0, accuracy=FINE, method=METHODS[method]
    )
    assert seen["mass.joint"][-1] == pytest.approx(2000.0 / 1e6, rel=1e-6)
    assert run.peaks[0].largest <= 2.0 * 2000.0 / 1e6
    assert balance(run) == pytest.approx(0.0, abs=1e-6)


def test_drive_without_power_does_not_hold_unless_it_is_self_locking():
    free = self_locking_drive(active=False, self_locking=False)
    _, seen = simulate_with_peaks(slider(free, push=4.0), ["mass.joint"], 1.0, accuracy=TIGHT)
    assert seen["mass.joint"][-1] == pytest.approx(0.5 * 4.0 / MASS, rel=1e-8)


def test_a_self_locking_drive_that_loses_power_holds_its_position():
    off = Event(when="time > 0.2 s", then=(Action(disable="motor"),))
    load = Load(body="mass", force=(0.0, 0.0, -500.0), axes="world", table=((0.4, 1.0),))
    result = run_scenario(scenario(self_locking_drive(), 1.0, events={"off": off}, loads={"load": load}))
    t, x, command = result.history.time, result.history["mass.joint"], result.history["motor.command"]
    held_at = command[-1]
    assert held_at == pytest.approx(0.02, abs=3e-4)  # the start is late: 50 N accelerate the mass within 4 ms
    assert np.all(command[t > 0.2] == held_at)
    assert x[np.abs(t - 0.39).argmin()] == pytest.approx(held_at, abs=1e-6)
    assert x[-1] == pytest.approx(held_at - 500.0 / 1e6, abs=1e-6)
    assert result.audit.energy_residual <= 1e-6


def test_a_self_locking_drive_continues_after_a_loss_of_power():
    events = {
        "off": Event(when="time > 0.2 s", then=(Action(disable="motor"),)),
        "on": Event(when="time > 0.5 s", then=(Action(enable="motor"),)),
    }
    result = run_scenario(scenario(self_locking_drive(), 1.5, events=events))
    t, command = result.history.time, result.history["motor.command"]
    assert command[np.abs(t - 0.6).argmin()] == pytest.approx(0.02 + 0.1 * 0.1, abs=1e-3)
    assert result.history["mass.joint"][-1] == pytest.approx(0.05, abs=1e-6)


@every_profile
@every_method
def test_stalled_self_locking_drive_keeps_position_and_force(profile, method):
    """Against a stop the force ends at the limit; a load beyond it then deflects the transmission only."""
    stop = Stop(joint="mass", upper=0.005, stiffness=1e6, damping=1e3)
    load = Load(body="mass", force=(0.0, 0.0, -900.0), axes="world", table=((1.5, 1.0),))
    drive = self_locking_drive(**{**PROFILES[profile], "rate": 0.01})
    system = slider(drive, stops={"stop": stop}, loads={"load": load})
    run, seen = simulate_with_peaks(
        system, ["motor.force", "motor.command", "mass.joint"], 2.0, accuracy=FINE, method=METHODS[method]
    )
    before = np.abs(seen["time"] - 1.49).argmin()
    command = seen["motor.command"][before]
    assert seen["motor.force"][before] == pytest.approx(
        50.0, rel=2e-2
    )  # the impact on the stop moves it by another 1 um
    assert command == pytest.approx(0.005 + 2.0 * 50.0 / 1e6, abs=2e-6)
    assert seen["motor.command"][-1] == pytest.approx(command, abs=2e-6)
    assert seen["mass.joint"][-1] == pytest.approx(command - 900.0 / 1e6, abs=1e-5)
    assert balance(run) == pytest.approx(0.0, abs=1e-6)


def test_self_locking_drive_follows_its_command_under_an_assisting_load():
    run, seen = simulate_with_peaks(
        slider(self_locking_drive(), push=300.0), ["mass.joint", "motor.command"], 0.5, accuracy=TIGHT
    )
    assert seen["mass.joint"][-1] - seen["motor.command"][-1] == pytest.approx(300.0 / 1e6, rel=1e-3)
    assert balance(run) == pytest.approx(0.0, abs=1e-6)


# Stall


@pytest.mark.parametrize("self_locking", [False, True])
def test_a_stall_is_detected_after_its_time(self_locking):
    """The drive meets a stop at 0.2 s; its force then rises with k v to the limit. An event waits 0.1 s."""
    k, rate, limit = 1e4, 0.1, 50.0
    drive = Drive(
        joint="mass", target=0.1, rate=rate, stiffness=k, damping=300.0, max_force=limit, self_locking=self_locking,
    )  # fmt: skip
    stop = Stop(joint="mass", upper=0.02, stiffness=1e7, damping=1e4)
    events = {
        "limit": Event(when="motor.stalled"),
        "stalled": Event(when="motor.stalled for 0.1 s"),
        "both": Event(when="motor.lag > 4 mm and motor.force > 45 N"),
    }
    result = run_scenario(scenario(drive, 1.0, events=events, stops={"stop": stop}))
    found = {event.name: event.time for event in result.events}
    rise = (limit - 300.0 * rate) / k / rate if not self_locking else (0.95 * limit - 300.0 * rate) / k / rate
    assert found["limit"] == pytest.approx(0.2 + rise, abs=0.004)
    assert found["stalled"] == pytest.approx(found["limit"] + 0.1, abs=1e-9)
    assert "both" in found


def test_a_drive_that_moves_freely_is_never_stalled():
    drive = stiff_drive(**PROFILES["trapezoidal"], max_force=50.0)
    result = run_scenario(scenario(drive, 1.0, events={"stalled": Event(when="motor.stalled")}))
    assert "stalled" not in [event.name for event in result.events]


# Bad input


BAD = {
    "acceleration of a ramp": ({"rate": 0.1, "acceleration": 1.0}, "acceleration", "trapezoidal"),
    "trapezoid without acceleration": ({"profile": "trapezoidal", "rate": 0.1}, "acceleration", "must be given"),
    "trapezoid without rate": ({"profile": "trapezoidal", "acceleration": 0.1}, "rate", "must be given"),
    "jerk missing": ({"profile": "s-curve", "rate": 0.1, "acceleration": 1.0}, "jerk", "must be given"),
    "jerk of a trapezoid": ({"profile": "trapezoidal", **LIMITS}, "jerk", "s-curve"),
    "profile of a speed": ({"follows": "speed", "profile": "s-curve", **LIMITS}, "profile", "ramp"),
    "negative backlash": ({"stiffness": 1.0, "backlash": -1e-3}, "backlash", "least 0"),
    "backlash without stiffness": ({"backlash": 1e-3}, "stiffness", "above zero"),
    "locking without stiffness": ({"self_locking": True, "rate": 0.1}, "stiffness", "above zero"),
    "locking without rate": ({"self_locking": True, "stiffness": 1.0}, "rate", "must be given"),
    "locking speed": ({"follows": "speed", "self_locking": True}, "self_locking", "position"),
    "low efficiency": ({"efficiency": 0.4}, "efficiency", "self_locking"),
    "efficiency above one": ({"efficiency": 1.2}, "efficiency", "most 1"),
    "stall without limits": ({"stall_speed": 0.01}, "stall_speed", "max_force"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_impossible_drive_is_refused(case):
    fields, key, text = BAD[case]
    with pytest.raises(InputError) as raised:
        Drive(joint="mass", target=0.1, **fields)
    (problem,) = raised.value.problems
    assert problem.field == key
    assert text.lower() in problem.message.lower()


def test_a_new_target_with_the_unit_of_another_joint_is_refused():
    turn = {"turn": {"when": "time > 1 s", "then": [{"drive": "motor", "target": "5 deg"}]}}
    with pytest.raises(InputError, match="unit of a turning joint, but this one is sliding"):
        scenario(stiff_drive(), events=turn)


@pytest.mark.parametrize(
    ("follows", "target", "words"),
    [
        ({"stiffness": 1e4}, "5 mm/s", "has the unit of a speed, but the drive follows a position"),
        ({"follows": "speed", "damping": 9.0}, "5 mm", "has the unit of a position, but the drive follows a speed"),
    ],
)  # fmt: skip
def test_a_target_with_the_unit_of_the_other_kind_of_drive_is_refused(follows, target, words):
    with pytest.raises(InputError, match=f"(?i){words}"):
        Drive(joint="mass", target=target, **follows)
    drive = Drive(joint="mass", target=0.0, **follows)
    for more in (
        {"events": {"go": {"when": "time > 1 s", "then": [{"drive": "motor", "target": target}]}}},
        {"phases": [{"name": "go", "do": [{"drive": "motor", "target": target}], "until": "time > 1 s"}]},
    ):
        with pytest.raises(InputError, match=f"(?i){words}"):
            scenario(drive, **more)


# Turning joints, plain Python


@pytest.mark.plain_python
def test_a_turning_self_locking_drive_runs_in_few_steps():
    drive = Drive(
        joint="arm", target=0.01, profile="s-curve", rate=0.5, acceleration=2.0, jerk=40.0, stiffness=2e3,
        damping=60.0, max_force=5.0, backlash=1e-4, friction=0.01, efficiency=0.45, self_locking=True,
    )  # fmt: skip
    system = System(
        bodies={"arm": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute())},
        drives={"motor": drive},
        springs={"spring": Spring(joint="arm", stiffness=1.0)},
    )
    run = simulate(system, 0.3)
    assert run.state[0] == pytest.approx(0.01, abs=2e-4)
    assert balance(run) == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("method", ["rosenbrock", "automatic"])
@pytest.mark.parametrize(("power", "force"), [(1.0, 300.0), (5.0, 500.0)])
def test_a_drive_at_its_power_limit_takes_few_steps(power, force, method):
    """The speed is P / F; the limit damps with P / v^2, which is 30,000 / s here and part of implicit steps."""
    drive = Drive(
        joint="mass",
        target=1.0,
        rate=0.05,
        stiffness=1e6,
        damping=5e3,
        max_force=2.0 * force,
        max_power=power,
    )
    result = run_scenario(
        scenario(
            drive,
            20.0,
            bodies={"mass": Body(mass=3.0, joint=Prismatic())},
            loads={"pull": Load(body="mass", force=(0.0, 0.0, -force), axes="world")},
            integrator=Integrator(method=method),
            record={"rate": 0.0},
            metrics={"speed": "final mass.joint_rate"},
        )
    )
    assert result.metrics["speed"] == pytest.approx(power / force, rel=1e-9)
    assert result.timing.steps < 200
