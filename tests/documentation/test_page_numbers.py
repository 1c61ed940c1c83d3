"""Numbers of guides and theory pages that follow from closed forms or short runs."""

import math

import pytest
from scipy.optimize import brentq
from tests.documentation.quoted_numbers import assert_quoted, find_numbers
from tests.dynamics.test_restitution import SPEED, STIFFNESS, simulate_bounce

import softdock
from softdock.bench.link import restitution
from softdock.theory.delay import delayed_restitution
from softdock.theory.restitution import ramp_restitution

PARAMETERS, DELAY, OWN = "guides/contact-parameters", "theory/delay", "own-mechanism"


def test_stiffness_from_the_mount() -> None:
    phrase = "$k$ = {} N/µm at $F$ = {} N and $R$ = {} mm give $c$ = {} N/m³"
    assert_quoted(PARAMETERS, phrase, [1.0, 100.0, 20.0, 1e12 / (4.0 * math.pi * 0.020 * 100.0)])


def test_damping_from_the_restitution() -> None:
    a_v, c, s_0, v = 1.433, 1e9, 2e-3, 0.05
    assert ramp_restitution(a_v, 1.0) == pytest.approx(0.5, abs=1e-3)
    phrase = "for $e$ = {} at {} mm/s with $c$ = {} N/m³ and $s_0$ = {} mm, $d_0$ = {} N s/m³"
    assert_quoted(PARAMETERS, phrase, [0.5, 1e3 * v, c, 1e3 * s_0, a_v * c * s_0 / v])


@pytest.mark.parametrize("zeta", [0.0, 0.1])
@pytest.mark.parametrize("delay", [0.0, 3.0, 3.5, 4.0])
def test_restitution_with_delay(zeta: float, delay: float) -> None:
    """Closed form and link; the published values are data."""
    closed = delayed_restitution(mass=300.0, stiffness=106.59e3, damping_ratio=zeta, delay=1e-3 * delay)
    linked = restitution(zeta, 1e-3 * delay)
    row = f"| {zeta:g} | {delay:g}{' ms' if delay else ''} | {{}} | {{}} | {{}} |"
    assert_quoted(DELAY, row, [closed, closed, linked])


def test_energy_and_stroke_of_the_own_mechanism() -> None:
    docking = softdock.load("docs/tutorials/own-mechanism/docking.yaml")
    tree = {"chaser": 0.0, "target": 0.0}
    for name, body in docking.bodies.items():
        tree["chaser" if "chaser" in docking.lineage(name) else "target"] += body.mass
    mass = tree["chaser"] * tree["target"] / sum(tree.values())
    energy, spring = 0.5 * mass * docking.approach.speed**2, docking.springs["probe-spring"]
    k, preload = spring.stiffness, spring.preload
    stroke = (math.sqrt(preload**2 + 2.0 * k * energy) - preload) / k  # k s^2 / 2 + F s = E
    phrase = "of {} kg and {} mm/s this is {} J, and the spring takes it in {} mm"
    assert_quoted(OWN, phrase, [mass, 1e3 * docking.approach.speed, energy, 1e3 * stroke])


def test_restitution_at_zero_penetration() -> None:
    """Eqs. (D3) and (D4) without damping, at the time at which the mass passes zero penetration."""
    w = math.sqrt(106.59e3 / 300.0)

    def series(t: float, tau: float, less: int) -> float:
        terms = range(int(t / tau) + 1)
        return sum(
            (-1) ** n * w ** (2 * n) * (t - n * tau) ** (2 * n + 1 - less) / math.factorial(2 * n + 1 - less)
            for n in terms
        )

    found = []
    for tau in (3.0e-3, 3.5e-3, 4.0e-3):
        T = brentq(lambda t, tau=tau: series(t, tau, 0), 0.5 * math.pi / w, 1.5 * math.pi / w)
        found.append(-series(T, tau, 1))
    assert_quoted(DELAY, "they would be {}, {} and {} without damping", found)


def test_restitution_of_a_ball() -> None:
    """Within the damping depth and beyond it, simulated and predicted."""
    values = []
    for damping, depth in ((1e6, 2e-3), (1e7, 2e-3), (1e8, 2e-3), (1e6, 5e-5), (1e7, 5e-5), (1e8, 5e-5)):
        result = softdock.simulate(simulate_bounce(damping, depth))
        assert result.prediction is not None
        values += [-result.metrics["end"] / SPEED, result.prediction["restitution"]]
    phrase = (
        "simulated against predicted: {} and {}, {} and {}, {} and {} within a damping depth of 2 mm; "
        "{} and {}, {} and {}, {} and {} beyond one of 0.05 mm."
    )
    assert_quoted("theory/impact", phrase, values)
    assert_quoted("theory/impact", "radius 20 mm at {} m/s on a layer of {} N/m³", [SPEED, STIFFNESS])


def test_speed_of_the_separation_by_its_equation() -> None:
    """Eq. (W13): v = sqrt(2 E / m), with the reduced mass of both spacecraft and their parts."""
    scenario = softdock.load("assist-undocking")
    tree = {"servicer": 0.0, "client": 0.0}
    for name, body in scenario.bodies.items():
        tree["servicer" if "servicer" in scenario.lineage(name) else "client"] += body.mass
    energy = softdock.simulate(scenario).metrics["separation_energy"]
    speed = math.sqrt(2.0 * energy * sum(tree.values()) / (tree["servicer"] * tree["client"]))
    assert_quoted("sequence", "equation {eq}`eq-W13`: {} mm/s; the tool keeps", [1e3 * speed])


def test_conservation_of_the_sequence() -> None:
    audit = softdock.simulate(softdock.load("assist-hard-docking")).audit
    momentum, energy = find_numbers(
        "sequence", "Momentum is conserved to {}, the energy balance closes within {} %"
    )
    assert max(audit.linear_momentum_drift, audit.angular_momentum_drift) < float(momentum)
    assert 0.5 * float(energy) < 100.0 * audit.energy_residual < float(energy)


def test_share_of_the_speed_that_an_impact_removes() -> None:
    ratio = softdock.predict("impact-a")["effective_mass_ratio"]
    assert_quoted("impact", "removes only 2 · {} = {} % of the relative", [ratio, 200.0 * ratio])


def test_the_fast_latch_closes() -> None:
    scenario = softdock.load("latch-fast")
    assert_quoted("latch", "`softdock run latch-fast`, at {} m/s, latches", [scenario.speed])
    assert softdock.simulate(scenario).outcome == "latched"
    assert softdock.simulate(softdock.load("latch-paper")).outcome == "not_latched"


def test_cost_of_the_search_for_loads() -> None:
    shares = []
    for name in ("assist-soft-docking", "assist-passive"):
        full, less = (
            softdock.simulate(softdock.load(name, changes)) for changes in ([], ["record.loads=false"])
        )
        shares.append(100.0 * (full.timing.evaluations / less.timing.evaluations - 1.0))
    phrase = (
        "search costs {} % of the evaluations of `assist-soft-docking` and {} % of those of `assist-passive`"
    )
    assert_quoted("scenario-files.md", phrase, shares)


@pytest.mark.slow
def test_steps_with_friction_in_light_joints() -> None:
    phrase = (
        "{} N m below {} rad/s in all joints makes the first {} s of `peg-rim`, begun 4 cm lower, "
        "take {} times the steps"
    )
    torque, speed, duration, ratio = find_numbers("robot", phrase)
    friction = f"arm.friction={{coulomb: {torque}, speed: {speed}}}"
    lower = (
        "arm.start=[0 deg, -31 deg, 0 deg, 100 deg, 0 deg, -49 deg, 0 deg]"  # so that the arm moves at once
    )
    plain, rough = (
        softdock.simulate(softdock.load("peg-rim", [f"duration={duration} s", lower, *changes])).timing.steps
        for changes in ([], [friction])
    )
    assert rough / plain == pytest.approx(float(ratio), rel=0.05)
    (explicit_ratio,) = find_numbers("robot", "Dormand-Prince takes {} times the steps")
    changes = [f"duration={duration} s", lower, friction, "integrator.method=dormand-prince"]
    explicit = softdock.simulate(softdock.load("peg-rim", changes)).timing.steps
    assert explicit / plain == pytest.approx(float(explicit_ratio), rel=0.05)


@pytest.mark.parametrize("method", ["automatic", "dormand-prince"])
def test_steps_of_a_damped_drive_on_a_light_part(method: str) -> None:
    phrase = "A drive with 25 000 1/s on a light part then takes {} steps; Dormand-Prince takes {}."
    numbers = dict(zip(("automatic", "dormand-prince"), find_numbers("theory/multibody", phrase)))
    hook = {"mass": 0.02, "inertia": [2e-5] * 3, "joint": {"type": "revolute", "axis": "x"}}
    motor = {"joint": "hook", "stiffness": 100.0, "damping": 0.5, "target": 0.5, "rate": 1.0}
    scenario = {
        "kind": "multibody", "duration": 1.0, "bodies": {"hook": hook}, "drives": {"motor": motor},
        "integrator": {"method": method},
    }  # fmt: skip
    assert softdock.simulate(scenario).timing.steps == pytest.approx(float(numbers[method]), rel=0.05)
