"""Closed loops in a run: step response, feed-forward, limit cycle, momentum and energy, guidance, propellant."""

import math

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from tests.gnc.chasers import G0, INERTIA, MASS, box_of_thrusters, chaser, controller

from softdock.result import Result
from softdock.simulation import prepare, simulate


def values(result: Result, name: str) -> np.ndarray:
    return result.history.channels[name].values


def damped_step(w: float, zeta: float, t: np.ndarray) -> np.ndarray:
    """Return the step response of a damped oscillator that starts at 1."""
    root = math.sqrt(1 - zeta**2)
    return np.exp(-zeta * w * t) * (np.cos(w * root * t) + zeta / root * np.sin(w * root * t))


def test_step_response_is_that_of_a_damped_oscillator() -> None:
    """Offset 0.4 m along y: without saturation the response is the closed form up to the delay of a sample."""
    w, zeta, offset = 0.3, 0.7, 0.4
    gnc = controller(
        mode="approach", rate=20.0, translation={"bandwidth": w, "damping": zeta},
        guidance={"min_speed": 1e-6, "max_speed": 1e-6, "end": 5.0},
    )  # fmt: skip
    result = simulate(chaser(gnc, {"position": (0.0, offset, -5.0)}, duration=25.0))
    t, y = result.history.time, values(result, "chaser.y")
    exact = offset * damped_step(w, zeta, t)
    assert np.abs(y - exact).max() < w / 20.0 * offset
    assert result.audit.energy_residual < 1e-9


@pytest.mark.plain_python
def test_attitude_step_response_is_that_of_a_damped_oscillator() -> None:
    w, zeta, angle = 0.5, 0.8, 0.05
    gnc = controller(mode="hold", rate=10.0, attitude={"bandwidth": w, "damping": zeta})
    result = simulate(
        chaser(gnc, {"attitude": {"axis": (0, 0, 1), "angle": angle}}, duration=1.0, record={"rate": 4.0})
    )
    t, turned = result.history.time, 2 * np.arcsin(values(result, "chaser.qz"))
    exact = angle * damped_step(w, zeta, t)
    assert np.abs(turned - exact).max() < w / 10.0 * angle
    assert turned[-1] < 0.95 * angle


@pytest.mark.parametrize("regulator", [False, True])
def test_both_laws_bring_all_axes_to_rest(regulator: bool) -> None:
    laws = {
        "translation": {"regulator": {"position": 0.1, "speed": 0.05, "acceleration": 0.02}},
        "attitude": {"regulator": {"angle": 0.02, "rate": 0.02, "acceleration": 0.01}},
    }
    gnc = controller(**(laws if regulator else {})) | {
        "mode": "approach",
        "guidance": {"min_speed": 1e-6, "max_speed": 1e-6, "end": 5.0},
    }
    start = {
        "position": (0.3, -0.2, -5.1),
        "attitude": {"axis": (1, 2, 3), "angle": 0.1},
        "rate": (0.01, 0.0, -0.02),
    }
    result = simulate(chaser(gnc, start, duration=120.0))
    assert values(result, "chaser.position_error")[-1] < 1e-3
    assert values(result, "chaser.angle_error")[-1] < 1e-3


def test_gains_of_a_run_equal_those_of_scipy() -> None:
    weights = {"position": 0.1, "speed": 0.05, "acceleration": 0.02}
    session = prepare(chaser(controller(rate=2.0, translation={"regulator": weights}))).begin()  # type: ignore[union-attr]
    found = session.system.gnc.controllers[0].position_gains
    A, B = np.kron([[1.0, 0.5], [0.0, 1.0]], np.eye(3)), np.kron([[0.125], [0.5]], np.eye(3))
    Q, R = np.diag([0.1**-2] * 3 + [0.05**-2] * 3), 0.02**-2 * np.eye(3)
    X = solve_discrete_are(A, B, Q, R)
    np.testing.assert_allclose(found, np.linalg.solve(R + B.T @ X @ B, B.T @ X @ A), rtol=1e-9, atol=1e-12)


def test_hold_below_the_target_needs_the_thrust_of_the_gravity_gradient() -> None:
    """At a height difference z in the Hill frame a hold needs the acceleration 3 n^2 z; Clohessy-Wiltshire."""
    height, isp, duration = 1000.0, 220.0, 300.0
    gnc = controller(target={"body": "hill"})
    scenario = chaser(
        gnc,
        {"position": (0.0, 0.0, height)},
        duration=duration,
        orbit={"altitude": "500 km"},
        record={"rate": 0.1},
    )
    result = simulate(scenario)
    n = scenario.orbit.mean_motion  # type: ignore[union-attr]
    exact = MASS * 3 * n**2 * height * duration / (isp * G0)
    # Second order of height over radius: 1.5 e-4; the turn of the body with the orbit costs little.
    assert values(result, "chaser.propellant")[-1] == pytest.approx(exact, rel=5e-3)
    assert values(result, "chaser.position_error")[-1] < 1e-3
    assert result.audit.energy_residual < 1e-6


def test_without_feed_forward_the_hold_has_the_static_error_of_its_gains() -> None:
    """The error is g = 3 n^2 z over the gain w^2, less 2 zeta w g T / 2: before its pulse the body falls at g T / 2."""
    height, w, period = 1000.0, 0.3, 0.1
    gnc = controller(
        target={"body": "hill"}, feed_forward=False, translation={"bandwidth": w, "damping": 1.0}
    )
    scenario = chaser(
        gnc,
        {"position": (0.0, 0.0, height)},
        duration=100.0,
        orbit={"altitude": "500 km"},
        record={"rate": 0.1},
    )
    result = simulate(scenario)
    n = scenario.orbit.mean_motion  # type: ignore[union-attr]
    assert values(result, "chaser.position_error")[-1] == pytest.approx(
        3 * n**2 * height / w**2 * (1 - w * period), rel=5e-3
    )


def test_drift_in_orbit_is_the_clohessy_wiltshire_solution() -> None:
    from softdock.orbit.relative import clohessy_wiltshire

    scenario = chaser(
        controller(target={"body": "hill"}, mode="drift"), {"position": (-20.0, 1.0, 2.0), "velocity": (0.05, 0, 0)},
        duration=600.0, orbit={"altitude": "500 km"},
        record={"rate": 0.01, "also": [f"chaser.{k} in hill" for k in "xyz"]},
    )  # fmt: skip
    result = simulate(scenario)
    end = [values(result, f"chaser.{k} in hill")[-1] for k in "xyz"]
    exact = clohessy_wiltshire(scenario.orbit.mean_motion, 600.0) @ [-20.0, 1.0, 2.0, 0.05, 0.0, 0.0]  # type: ignore[union-attr]
    np.testing.assert_allclose(end, exact[:3], atol=1e-3)
    assert values(result, "chaser.propellant")[-1] == 0.0


def test_minimum_impulse_gives_the_limit_cycle_of_the_closed_form() -> None:
    """Rate dw/2 and period 8 theta / dw for pulses at the angle theta, two per period."""
    force, shortest, band, rate = 1.0, 0.05, math.radians(0.2), 20.0
    step = 2 * force * shortest / INERTIA[2]  # couple of two thrusters with an arm of 1 m
    couple = {
        "a": {"at": (0, 1, 0), "direction": (-1, 0, 0)}, "b": {"at": (0, -1, 0), "direction": (1, 0, 0)},
        "c": {"at": (0, 1, 0), "direction": (1, 0, 0)}, "d": {"at": (0, -1, 0), "direction": (-1, 0, 0)},
        "e": {"at": (0, 0, 1), "direction": (1, 0, 0)}, "f": {"at": (0, 0, -1), "direction": (-1, 0, 0)},
        "g": {"at": (0, 0, 1), "direction": (-1, 0, 0)}, "h": {"at": (0, 0, -1), "direction": (1, 0, 0)},
        "i": {"at": (0, 0, 1), "direction": (0, 1, 0)}, "j": {"at": (0, 0, -1), "direction": (0, -1, 0)},
        "k": {"at": (0, 0, 1), "direction": (0, -1, 0)}, "l": {"at": (0, 0, -1), "direction": (0, 1, 0)},
    }  # fmt: skip
    thrusters = {name: one | {"thrust": force, "minimum_on_time": shortest} for name, one in couple.items()}
    w, zeta = 0.3, 1.0
    gnc = controller(
        mode="stabilise", rate=rate, translation=None, thrusters=thrusters,
        attitude={"bandwidth": w, "damping": zeta, "dead_band": band},
    )  # fmt: skip
    result = simulate(chaser(gnc, {"rate": (0.0, 0.0, step / 2)}, duration=2000.0))
    t, rates, angle = (
        result.history.time,
        values(result, "chaser.wz"),
        2 * np.arcsin(values(result, "chaser.qz")),
    )
    coasting = np.abs(np.diff(rates)) < 1e-9 * step
    np.testing.assert_allclose(np.abs(rates[1:][coasting]), step / 2, rtol=1e-6)
    turns = t[1:][(rates[1:] > 0) & (rates[:-1] <= 0)]
    assert len(turns) >= 9
    np.testing.assert_allclose(np.diff(turns), 8 * band / step, rtol=0.01)
    assert np.abs(angle).max() == pytest.approx(band, abs=0.5 * step / rate)  # the drift in one sample
    assert np.abs(values(result, "chaser.propellant")[-1] - 0.05 * 2 * 2 * len(turns) / (220 * G0)) < 0.2 / (
        220 * G0
    )


@pytest.mark.parametrize("shortest", [0.02, 0.05])
def test_a_torque_that_many_thrusters_share_is_not_lost_by_the_minimum_pulse(shortest: float) -> None:
    """Every pulse of the allocation is below half of the shortest one; their sum must still be produced, Eq. (K45)."""
    gnc = controller(
        mode="stabilise", translation=None, attitude={"bandwidth": 0.1, "dead_band": 0.01},
        thrusters=box_of_thrusters(minimum_on_time=shortest),
    )  # fmt: skip
    result = simulate(chaser(gnc, {"rate": (0.005, -0.002, 0.003)}, duration=200.0))
    late = result.history.time > 60.0
    # A pulse changes the rate by up to F x / J; at the border of the dead band it takes 2 zeta / w to return.
    step = 22.0 * shortest / min(INERTIA)
    assert values(result, "chaser.angle_error")[late].max() < math.sqrt(3.0) * (0.01 + 2 * 0.8 / 0.1 * step)


def test_thrust_changes_momentum_by_force_times_time() -> None:
    """10 N made of pulses of 22 N thrusters: momentum is exact to clock ticks, energy is counted as work."""
    gnc = controller(mode="thrust", thrust=10.0)
    result = simulate(chaser(gnc, duration=5.0))
    assert MASS * values(result, "chaser.vz")[-1] == pytest.approx(50.0, rel=1e-6)
    assert values(result, "chaser.propellant")[-1] == pytest.approx(50.0 / (220.0 * G0), rel=1e-6)
    assert result.audit.energy_residual < 1e-8
    assert result.audit.linear_momentum_drift is None


def test_delay_shifts_all_pulses() -> None:
    delay = 0.03
    gnc = controller(mode="thrust", thrust=10.0, thrusters=box_of_thrusters(delay=delay))
    result = simulate(chaser(gnc, duration=1.0, record={"rate": 100.0}))
    t, v = result.history.time, values(result, "chaser.vz")
    assert (v[t <= delay + 1e-9] == 0.0).all()
    assert v[np.isclose(t, delay + 0.01)] > 0.0
    # The tenth pulse begins at 0.93 s and ends before the end of the run.
    assert MASS * v[-1] == pytest.approx(10.0, rel=1e-6)


def test_misalignment_and_thrust_error_act_on_the_body_only() -> None:
    angle = 0.02
    gnc = controller(mode="thrust", thrust=10.0, thrusters=box_of_thrusters(thrust_error=0.05))
    result = simulate(chaser(gnc, duration=1.0))
    assert MASS * values(result, "chaser.vz")[-1] == pytest.approx(10.5, rel=1e-6)
    for name, one in gnc["thrusters"].items():
        gnc["thrusters"][name] = one | {"misalignment": (angle, 0.0), "thrust_error": 0.0}
    result = simulate(chaser(gnc, duration=1.0))
    assert MASS * values(result, "chaser.vz")[-1] == pytest.approx(10.0 * math.cos(angle), rel=1e-4)


@pytest.mark.parametrize("factor", [0.5, 1.5])
def test_assumed_mass_and_inertia_multiply_the_gains(factor: float) -> None:
    """Frequency and damping ratio of the loop change by the root of the factor."""
    w, zeta, offset, angle = 0.3, 0.6, 0.2, 0.05
    assumed = {"mass": factor * MASS, "inertia": tuple(factor * one for one in INERTIA)}
    law = {"bandwidth": w, "damping": zeta}
    gnc = controller(
        mode="approach", rate=20.0, translation=law, attitude=law, assumed=assumed,
        guidance={"min_speed": 1e-6, "max_speed": 1e-6, "end": 5.0},
    )  # fmt: skip
    start = {"position": (0.0, offset, -5.0), "attitude": {"axis": (0, 0, 1), "angle": angle}}
    result = simulate(chaser(gnc, start, duration=15.0))
    exact = damped_step(w * math.sqrt(factor), zeta * math.sqrt(factor), result.history.time)
    assert np.abs(values(result, "chaser.y") / offset - exact).max() < w / 20.0
    assert np.abs(2 * np.arcsin(values(result, "chaser.qz")) / angle - exact).max() < w / 20.0


def test_thrust_acts_along_the_assumed_centre_of_mass() -> None:
    """A force along z that passes the actual centre of mass at x = 0.1 m turns the body about -y."""
    gnc = controller(mode="thrust", thrust=10.0, assumed={"centre_of_mass": (0.1, 0.0, 0.0)})
    result = simulate(chaser(gnc, duration=1.0))
    assert values(result, "chaser.wy")[-1] == pytest.approx(-0.1 * 10.0 / INERTIA[1], rel=1e-4)


def test_the_tip_is_held_at_its_roll_angle() -> None:
    gnc = controller(roll=0.2, translation=None)
    result = simulate(chaser(gnc, duration=40.0))
    assert 2 * math.asin(values(result, "chaser.qz")[-1]) == pytest.approx(0.2, abs=1e-4)


def test_retreat_from_beyond_its_point_holds_the_position() -> None:
    gnc = approach(corridor={"radius": 0.05}, retreat=8.0)
    result = simulate(chaser(gnc, {"position": (1.0, 0.0, -10.0)}, duration=60.0, bodies=TARGET))
    assert values(result, "chaser.violations")[-1] == 1
    assert values(result, "chaser.z")[-1] == pytest.approx(-10.0, abs=0.01)


def reaction_wheels(max_momentum: float) -> dict:
    axes = {"wx": (1, 0, 0), "wy": (0, 1, 0), "wz": (0, 0, 1)}
    return {
        name: {
            "mass": 5.0, "inertia": (0.05, 0.05, 0.05), "parent": "chaser",
            "joint": {"type": "revolute", "axis": axis},
        }
        for name, axis in axes.items()
    }  # fmt: skip


def test_wheels_turn_the_body_and_exchange_momentum_to_rounding() -> None:
    wheels = {name: {"body": name, "max_torque": 0.5, "max_momentum": 20.0} for name in ("wx", "wy", "wz")}
    gnc = controller(mode="hold", translation=None, thrusters={}, wheels=wheels) | {"mode": "stabilise"}
    gnc["attitude"] = {"bandwidth": 0.1}
    start = {"attitude": {"axis": (1, 1, 1), "angle": 0.1}, "rate": (0.01, -0.005, 0.004)}
    result = simulate(chaser(gnc, start, duration=120.0, bodies=reaction_wheels(20.0)))
    assert result.audit.angular_momentum_drift < 1e-12  # type: ignore[operator]
    assert values(result, "chaser.rate_error")[-1] < 1e-5
    assert values(result, "chaser.angle_error")[-1] < 1e-3
    assert result.audit.energy_residual < 1e-8


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_thrusters_produce_the_torque_beyond_the_limit_of_wheels(axis: int) -> None:
    """The step response needs J x 0.5^2 /s2 x 0.1 rad, 12 to 18 N m, and wheels produce 0.5 N m of it."""
    w, zeta, angle, wheel = 0.5, 0.8, 0.1, ("wx", "wy", "wz")[axis]
    wheels = {name: {"body": name, "max_torque": 0.5, "max_momentum": 20.0} for name in ("wx", "wy", "wz")}
    law = {"bandwidth": w, "damping": zeta}
    gnc = controller(rate=20.0, mode="hold", translation=None, wheels=wheels, attitude=law)
    start = {"attitude": {"axis": "xyz"[axis], "angle": angle}}
    result = simulate(chaser(gnc, start, duration=15.0, bodies=reaction_wheels(20.0)))
    t, turned = result.history.time, 2 * np.arcsin(values(result, f"chaser.q{'xyz'[axis]}"))
    assert np.abs(turned - angle * damped_step(w, zeta, t)).max() < w / 20.0 * angle
    # The body turns back, so the momentum of the wheel has the sign of the error.
    momentum = 0.05 * values(result, f"{wheel}.joint_rate")[10]
    assert momentum == pytest.approx(0.5 * t[10], rel=0.05)


def test_attitude_errors_do_not_couple_while_the_target_turns() -> None:
    """Eq. (K19): relative to a port that turns about z an error about x is a damped oscillator about x alone."""
    w, zeta, angle, spin = 0.3, 0.5, 0.05, 0.05
    law = {"bandwidth": w, "damping": zeta}
    gnc = controller(rate=20.0, mode="hold", target={"body": "target"}, translation=None, attitude=law)
    start = {
        "attitude": {"axis": "x", "angle": angle},
        "rate": (0.0, spin * math.sin(angle), spin * math.cos(angle)),
    }
    target = {
        "mass": 100.0,
        "inertia": (50.0, 50.0, 50.0),
        "joint": {"type": "free", "rate": (0.0, 0.0, spin)},
    }
    result = simulate(chaser(gnc, start, duration=20.0, bodies={"target": target}))
    exact = angle * np.abs(damped_step(w, zeta, result.history.time))
    assert np.abs(values(result, "chaser.angle_error") - exact).max() < w / 20.0 * angle


def test_wheels_stop_at_their_momentum_limit() -> None:
    limit = 2.0
    wheels = {name: {"body": name, "max_torque": 0.5, "max_momentum": limit} for name in ("wx", "wy", "wz")}
    gnc = controller(mode="stabilise", translation=None, thrusters={}, wheels=wheels)
    result = simulate(
        chaser(
            gnc,
            {"rate": (0.0, 0.0, 0.02)},
            duration=60.0,
            bodies=reaction_wheels(limit),
            record={"rate": 10.0},
        )
    )
    momentum = 0.05 * values(result, "wz.joint_rate")
    assert np.abs(momentum).max() == pytest.approx(limit, rel=1e-3)
    # 14 N m s at the start: the wheel stores its limit, and the body keeps the rest.
    assert values(result, "chaser.wz")[-1] == pytest.approx((14.0 - limit) / 700.0, rel=1e-2)


def test_body_drifts_when_the_tank_is_empty() -> None:
    gnc = controller(mode="thrust", thrust=10.0, propellant=0.01)
    result = simulate(chaser(gnc, duration=10.0))
    assert result.completed
    assert values(result, "chaser.propellant")[-1] == pytest.approx(0.01, rel=1e-12)
    assert MASS * values(result, "chaser.vz")[-1] == pytest.approx(0.01 * 220.0 * G0, rel=1e-9)


def approach(**fields: object) -> dict:
    guidance = {"time_constant": 40.0, "min_speed": 0.05, "max_speed": 0.3, **fields}
    return controller(mode="approach", guidance=guidance, target={"body": "target"})


TARGET = {"target": {"mass": 5000.0, "inertia": (4000.0, 4000.0, 4000.0)}}


def test_approach_follows_the_glide_slope_and_waits_at_its_hold_points() -> None:
    gnc = approach(
        holds=[
            {"distance": 5.0, "duration": 20.0, "gate": {"position": 0.02, "speed": 0.005, "angle": 0.01}}
        ],
        end=1.0,
    )
    result = simulate(
        chaser(gnc, {"position": (0.2, 0.0, -10.0)}, duration=200.0, bodies=TARGET, record={"rate": 1.0})
    )
    reference, z = values(result, "chaser.reference"), values(result, "chaser.z")
    waiting = np.isclose(reference, 5.0)
    assert 20.0 <= waiting.sum() <= 23.0
    assert reference[-1] == 1.0
    assert z[-1] == pytest.approx(-1.0, abs=1e-3)
    moving = (values(result, "chaser.speed_error") < 0.005) & ~waiting & (reference > 3.0)
    assert moving.sum() > 10
    assert values(result, "chaser.violations")[-1] == 0


def test_a_gate_that_is_not_passed_in_time_leads_to_retreat() -> None:
    hold = {"distance": 8.0, "duration": 1.0, "gate": {"position": 1e-9}, "patience": 5.0}
    gnc = approach(holds=[hold], retreat=12.0)
    result = simulate(chaser(gnc, {"position": (0.0, 0.0, -10.0)}, duration=150.0, bodies=TARGET))
    assert values(result, "chaser.violations")[-1] == 1
    assert values(result, "chaser.mode")[-1] == 3
    assert values(result, "chaser.z")[-1] == pytest.approx(-12.0, abs=0.01)


def test_a_gate_on_attitude_counts_where_the_attitude_is_not_controlled() -> None:
    hold = {"distance": 9.0, "gate": {"angle": 0.1}, "patience": 3.0}
    for angle, violations in ((0.05, 0), (0.2, 1)):
        gnc = approach(holds=[hold]) | {"attitude": None}
        start = {"position": (0.0, 0.0, -10.0), "attitude": {"axis": (1, 0, 0), "angle": angle}}
        result = simulate(chaser(gnc, start, duration=40.0, bodies=TARGET))
        assert values(result, "chaser.violations")[-1] == violations
        assert values(result, "chaser.angle_error")[-1] == pytest.approx(angle, abs=0.02)


def test_a_gate_at_the_start_counts() -> None:
    hold = {"distance": 10.0, "gate": {"position": 0.05}, "patience": 3.0}
    start = {"position": (1.0, 0.0, -10.0)}
    result = simulate(chaser(approach(holds=[hold]), start, duration=5.0, bodies=TARGET))
    assert values(result, "chaser.violations")[-1] == 1


def test_hold_points_count_again_in_another_approach() -> None:
    gnc = approach(holds=[{"distance": 8.0, "duration": 10.0}], retreat=9.0)
    back = {"when": "chaser.z > -7.5 m", "then": [{"control": "chaser", "mode": "retreat"}, {"arm": "again"}]}
    again = {"when": "chaser.z < -8.9 m", "armed": False, "then": [{"control": "chaser", "mode": "approach"}]}
    result = simulate(
        chaser(
            gnc, {"position": (0.0, 0.0, -9.0)}, duration=150.0, bodies=TARGET, record={"rate": 1.0},
            events={"back": back, "again": again},
        )
    )  # fmt: skip
    waiting = np.isclose(values(result, "chaser.reference"), 8.0)
    assert 20 <= waiting.sum() <= 26


def test_an_empty_tank_produces_no_impulse_in_the_filter() -> None:
    sensor = {"rate": 10.0, "noise": 0.01, "angle_noise": 0.001}
    gnc = controller(mode="thrust", thrust=20.0, propellant=0.01, navigation={"sensor": sensor}, seed=3)
    result = simulate(chaser(gnc, duration=30.0))
    error = np.abs(values(result, "chaser.estimate_z") - values(result, "chaser.z"))[100:]
    assert error.max() < 5.0 * values(result, "chaser.position_sigma")[100:].max()


def test_leaving_the_corridor_leads_to_retreat() -> None:
    gnc = approach(corridor={"radius": 0.05, "half_angle": "5 deg"}, retreat=12.0)
    result = simulate(chaser(gnc, {"position": (2.0, 0.0, -10.0)}, duration=150.0, bodies=TARGET))
    assert values(result, "chaser.violations")[-1] == 1
    assert values(result, "chaser.z")[-1] == pytest.approx(-12.0, abs=0.01)


def test_an_event_changes_the_mode_at_the_next_sample() -> None:
    events = {"near": {"when": "chaser.reference < 8 m", "then": [{"control": "chaser", "mode": "drift"}]}}
    result = simulate(
        chaser(approach(), {"position": (0.0, 0.0, -10.0)}, duration=60.0, bodies=TARGET, events=events)
    )
    t, mode = result.history.time, values(result, "chaser.mode")
    at = result.events[0].time
    assert (mode[t > at + 0.11] == 0).all()
    used = values(result, "chaser.propellant")
    assert used[-1] == pytest.approx(used[t > at + 0.25][0], abs=0)
    v = values(result, "chaser.vz")
    assert v[-1] == pytest.approx(v[t > at + 0.25][0], rel=1e-12)


def test_noise_depends_on_the_seed_only() -> None:
    def end(seed: int) -> float:
        gnc = controller(mode="thrust", thrust=10.0, thrusters=box_of_thrusters(noise=0.05), seed=seed)
        return float(values(simulate(chaser(gnc, duration=5.0)), "chaser.vz")[-1])

    assert end(1) == end(1)
    assert end(1) != end(2)
    assert MASS * end(1) == pytest.approx(50.0, rel=0.05)


def test_pieces_of_a_session_give_the_same_commands() -> None:
    """Samples at the end of one call of `advance` are executed once, in the next."""
    scenario = chaser(approach(), {"position": (0.3, 0.0, -10.0)}, duration=5.0, bodies=TARGET)
    whole, parts = prepare(scenario).begin(), prepare(scenario).begin()  # type: ignore[union-attr]
    whole.advance(5.0)
    for k in range(1, 51):
        parts.advance(0.1 * k)
    np.testing.assert_allclose(parts.state, whole.state, rtol=1e-9, atol=1e-9)
    assert parts.system.gnc.controller_states[0].tick == whole.system.gnc.controller_states[0].tick


def test_thruster_firings_excite_flexible_structures_and_slosh() -> None:
    """A mast on the chaser bends, a mass on a spring moves, when thrusters push; energy is conserved."""
    from softdock.scenario.multibody import MultibodyScenario

    mast = {
        "body": "chaser", "base": "foot", "damping": 0.005, "modes": 4,
        "members": {
            "nodes": {"foot": (0, 0, 0), "top": (0, 8, 0)},
            "sections": {
                "mast": {
                    "axial": 1e7, "bending_y": 2e4, "bending_z": 2e4, "torsion": 1e4, "polar": 0.1,
                    "mass_per_length": 2,
                }
            },
            "beams": {"mast": {"nodes": ["foot", "top"], "section": "mast", "elements": 6}},
            "parts": {"bus": {"node": "foot", "mass": 800.0, "inertia": (500.0, 600.0, 700.0)}},
        },
    }  # fmt: skip
    scenario = MultibodyScenario.model_validate(
        {
            "duration": 4.0,
            "bodies": {
                "chaser": {},
                "fuel": {"mass": 60.0, "parent": "chaser", "joint": {"type": "prismatic", "axis": "z"}},
            },
            "springs": {"slosh": {"joint": "fuel", "stiffness": 200.0, "damping": 2.0}},
            "structures": {"array": mast},
            "gnc": {"chaser": controller(mode="thrust", thrust=20.0)},
            "record": {"rate": 50.0, "also": ["array/top.dz"]},
            "integrator": {"accuracy": {"length": 1e-9, "angle": 1e-9, "speed": 1e-8, "rate": 1e-8}},
        }
    )
    result = simulate(scenario)
    assert np.abs(values(result, "array/top.dz")).max() > 1e-3
    # Static compression of the slosh spring under the mean acceleration, and as much again in oscillation.
    mass = 800.0 + 16.0 + 60.0
    assert np.abs(values(result, "fuel.joint")).max() == pytest.approx(
        2 * 60.0 * 20.0 / mass / 200.0, rel=0.15
    )
    assert result.audit.energy_residual < 1e-6


def test_rows_of_peak_loads_show_the_thrusters_that_were_on():
    """A row whose channels are evaluated later must not have the commands of a later sample."""
    compared = 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        case = controller(rate=float(rng.choice([0.2, 0.5, 1.0])), translation={"bandwidth": 0.02})
        del case["attitude"]  # the chaser tumbles: several steps between two samples
        rate = tuple(rng.normal(size=3) * rng.uniform(0.3, 2.0))
        start = tuple(0.3 * rng.normal(size=3))
        boxes = {
            f"box{i}": {
                "mass": 50.0,
                "inertia": (3.0, 4.0, 5.0),
                "parent": "chaser",
                "joint": {"type": "fixed", "at": tuple(rng.normal(size=3))},
            }
            for i in range(6)
        }
        joint = {"position": start, "rate": rate}
        result = simulate(chaser(case, joint=joint, duration=20.0, bodies=boxes, record={"rate": 0.1}))
        for load in result.loads:
            row = result.history.time == load.t_peak_force
            assert result.history[f"{load.name}.joint_force"][row].max() == pytest.approx(
                load.peak_force, rel=1e-9
            )
            compared += 1
    assert compared == 90
