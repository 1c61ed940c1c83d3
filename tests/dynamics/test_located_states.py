"""States that change at located instants: flanks of a backlash, limits of motors, end stops of couplings, tethers."""

import math
from typing import Any

import pytest

from softdock import Result, simulate
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy, Integrator
from softdock.theory import restitution

METHODS = ["automatic", "dormand-prince", "bogacki-shampine", "rosenbrock"]
ACCURACY = 2e-4  # of forces and speeds after an impact, at the default tolerances and speeds of 0.1 m/s
FINE = Accuracy(length=1e-8, angle=1e-8, speed=1e-7, rate=1e-7)
MASS, SPEED = 2.0, 0.3


def run(method: str, duration: float, accuracy: Accuracy | None = None, **parts: Any) -> Result:
    """Simulate a scenario of some parts without history."""
    integrator = Integrator(method=method, **({} if accuracy is None else {"accuracy": accuracy}))
    scenario = MultibodyScenario(duration=duration, integrator=integrator, record={"rate": 0.0}, **parts)
    result = simulate(scenario, with_prediction=False)
    assert result.completed, result.message
    return result


def peak_of(result: Result, name: str) -> float:
    """Return the peak force of an element or joint [N]."""
    (load,) = (one for one in result.loads if one.name == name)
    return load.peak_force


def slide(**joint: Any) -> dict[str, Any]:
    """Return a mass on a slide along z."""
    return {"mass": MASS, "inertia": [0.1] * 3, "joint": {"type": "prismatic", "axis": "z", **joint}}


@pytest.mark.plain_python
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e7])
def test_mass_bounces_between_the_flanks_of_a_backlash(method, stiffness):
    """Without damping both flanks return the speed; the largest force is v sqrt(k m)."""
    gap = 0.04
    half = math.pi * math.sqrt(MASS / stiffness)
    result = run(
        method,
        1.75 * gap / SPEED + 2.0 * half,  # from the middle to one flank, to the other, and half-way back
        bodies={"slide": slide(speed=SPEED)},
        drives={"motor": {"joint": "slide", "target": 0.0, "stiffness": stiffness, "backlash": gap}},
        metrics={"speed": "final slide.joint_rate", "place": "final slide.joint"},
    )
    assert peak_of(result, "motor") == pytest.approx(SPEED * math.sqrt(stiffness * MASS), rel=ACCURACY)
    assert result.metrics["speed"] == pytest.approx(SPEED, rel=ACCURACY)
    assert result.metrics["place"] == pytest.approx(-0.25 * gap, abs=ACCURACY * gap)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("self_locking", [False, True])
@pytest.mark.parametrize("zeta", [0.05, 0.3, 0.8])
def test_damped_flank_lets_go_at_zero_force(method, self_locking, zeta):
    """The restitution is that of a spring and damper that lets go where it would pull; the energy balance is closed."""
    stiffness = 1e5
    motor = {
        "joint": "slide", "target": 0.0, "rate": 1.0, "stiffness": stiffness, "backlash": 0.04,
        "damping": 2.0 * zeta * math.sqrt(stiffness * MASS), "self_locking": self_locking,
    }  # fmt: skip
    result = run(
        method,
        0.15,
        bodies={"slide": slide(speed=SPEED)},
        drives={"motor": motor},
        metrics={"speed": "final slide.joint_rate"},
    )
    e = restitution.kelvin_voigt_restitution(zeta)
    assert result.metrics["speed"] == pytest.approx(-e * SPEED, abs=ACCURACY * SPEED)
    assert result.audit.energy_residual < 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_motor_leaves_its_limit_where_its_spring_asks_for_less(method):
    """Constant acceleration F / m over x_0 - F / k, then an oscillation about the target with that speed."""
    limit, k, x = 4.0, 200.0, 0.5
    zone = limit / k
    w, speed = math.sqrt(k / MASS), math.sqrt(2.0 * limit / MASS * (x - zone))
    begin = speed * MASS / limit
    after = 0.25
    result = run(
        method,
        begin + after,
        bodies={"slide": slide(position=-x)},
        drives={"motor": {"joint": "slide", "target": 0.0, "stiffness": k, "max_force": limit}},
        metrics={"place": "final slide.joint", "most": "max motor.force"},
    )
    turn = math.atan2(zone * w, speed) / w  # until it passes the target
    amplitude = math.hypot(zone, speed / w)
    place = amplitude * math.sin(w * (after - turn))
    if place < zone:
        assert result.metrics["place"] == pytest.approx(place, abs=ACCURACY * x)
    assert result.metrics["most"] == pytest.approx(limit, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stiffness", [1e5, 1e7])
def test_plug_returns_from_the_end_stop_of_its_socket(method, stiffness):
    """An undamped end stop returns the speed; its largest force is v sqrt(k m)."""
    stroke = 0.01
    half = math.pi * math.sqrt(MASS / stiffness)
    result = run(
        method,
        1.5 * stroke / SPEED + half,
        bodies={"plug": slide(speed=SPEED)},
        couplings={
            "c": {
                "plug": {"body": "plug"}, "socket": {"body": "world"}, "stroke": stroke,
                "limits": {"lateral": 1e-3, "angle": 0.02}, "end_stop": {"stiffness": stiffness},
            }
        },
        metrics={"speed": "final plug.joint_rate", "place": "final plug.joint", "most": "max c.force"},
    )  # fmt: skip
    assert result.metrics["speed"] == pytest.approx(-SPEED, rel=ACCURACY)
    assert result.metrics["place"] == pytest.approx(0.5 * stroke, rel=10 * ACCURACY)
    assert result.metrics["most"] == pytest.approx(SPEED * math.sqrt(stiffness * MASS), rel=ACCURACY)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("zeta", [0.0, 0.3])
def test_tether_snaps_taut_and_slack_again(method, zeta):
    """Two free bodies that drift apart return with the restitution of spring and damper of their reduced mass."""
    a, b, stiffness = 3.0, 6.0, 1e4
    reduced = a * b / (a + b)
    bodies = {
        name: {
            "mass": mass,
            "inertia": [1, 1, 1],
            "joint": {"type": "free", "position": [x, 0, 0], "velocity": [v, 0, 0]},
        }
        for name, mass, x, v in (("a", a, 0.0, 0.0), ("b", b, 1.0, SPEED))
    }
    result = run(
        method,
        1.0,
        bodies=bodies,
        tethers={
            "line": {
                "a": {"body": "a"}, "b": {"body": "b"}, "length": 1.1, "stiffness": stiffness,
                "damping": 2.0 * zeta * math.sqrt(stiffness * reduced),
            }
        },
        metrics={"va": "final a.vx", "vb": "final b.vx", "most": "max line.force", "least": "min line.force"},
    )  # fmt: skip
    e = 1.0 if zeta == 0.0 else restitution.kelvin_voigt_restitution(zeta)
    assert result.metrics["vb"] - result.metrics["va"] == pytest.approx(-e * SPEED, abs=ACCURACY * SPEED)
    assert result.metrics["least"] >= 0.0
    assert result.audit.linear_momentum_drift < 1e-12
    if zeta == 0.0:
        assert result.metrics["most"] == pytest.approx(SPEED * math.sqrt(stiffness * reduced), rel=ACCURACY)


def geared_arm(law: str) -> dict[str, Any]:
    """Return a slide on a turning arm whose drive takes up its backlash while a pulse pushes it."""
    arm = {
        "mass": 0.5, "inertia": [0.006, 0.005, 0.005], "centre_of_mass": [0.01, 0.05, 0.0],
        "joint": {"type": "revolute", "axis": "z", "rate": 0.035},
    }  # fmt: skip
    bar = {
        "mass": 1.0, "inertia": [0.003, 0.004, 0.003], "parent": "arm",
        "joint": {"type": "prismatic", "axis": [0.2, 0.9, 0.3], "at": [0.1, 0.0, 0.0]},
    }  # fmt: skip
    return {
        "bodies": {"arm": arm, "bar": bar},
        "springs": {
            "hinge": {"joint": "arm", "stiffness": 0.1, "damping": 0.2, "friction": 0.002, "friction_law": law}
        },
        "drives": {
            "motor": {
                "joint": "bar", "target": -0.1, "rate": 0.06, "profile": "trapezoidal", "acceleration": 5.0,
                "stiffness": 110.0, "damping": 40.0, "backlash": 4e-4, "friction": 1.4, "friction_law": law,
            }
        },
        "loads": {
            "pulse": {
                "body": "bar", "at": [-0.17, 0.07, 0.0], "force": [-0.5, 2.1, -2.7],
                "pulses": [{"start": 0.2, "duration": 0.008}, {"start": 1.5, "duration": 0.004, "scale": -1.0}],
            }
        },
    }  # fmt: skip


@pytest.mark.parametrize("law", ["stick", "smooth"])
@pytest.mark.parametrize("method", METHODS)
def test_reactions_over_a_backlash_agree_with_finer_tolerances(method, law):
    """The damper of the transmission makes the force jump where a flank begins to push: 15 % of a peak if unlocated."""
    parts = geared_arm(law)
    coarse, fine = run(method, 2.0, **parts), run("automatic", 2.0, FINE, **parts)
    for one, other in zip(coarse.loads, fine.loads):
        assert one.name == other.name
        for key in ("peak_force", "peak_moment"):
            if (true := getattr(other, key)) is not None:
                assert getattr(one, key) == pytest.approx(true, rel=5e-3, abs=1e-3), (one.name, key)
