"""Tethers and their reels: closed forms of bounces, braking and winding, energy, steps and input."""

import math

import numpy as np
import pytest

from dynamics.systems import EPS, assemble, evaluate
from dynamics.test_implicit import compare_jacobians
from softdock import simulate as simulate_scenario
from softdock.dynamics.system_records import system_records
from softdock.elements.kernels.yielding import KNEE
from softdock.elements.tether.model import Reel, Tether
from softdock.errors import InputError
from softdock.model.events import Action, Event
from softdock.model.mjcf import to_mjcf
from softdock.model.phases import Phase
from softdock.model.system import Body, System
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.theory.restitution import kelvin_voigt_restitution
from softdock.tree.frames import Anchor
from softdock.tree.joints import Free

TUG, TARGET, LENGTH, STIFFNESS, LIMIT = 30.0, 10.0, 5.0, 4000.0, 20.0
REDUCED = TUG * TARGET / (TUG + TARGET)
METHODS = ("automatic", "rosenbrock", "bogacki-shampine")
STRETCH, STORED = LIMIT / STIFFNESS, LIMIT**2 / (2.0 * STIFFNESS)
"""Stretch [m] and elastic energy [J] at the force limit."""


def cable(**fields) -> Tether:
    ends = {"a": Anchor(body="tug"), "b": Anchor(body="target")}
    return Tether(**ends | {"stiffness": STIFFNESS, "length": LENGTH} | fields)


def body(mass, x=0.0, speed=0.0) -> Body:
    inertia = (0.1 * mass,) * 3
    return Body(mass=mass, inertia=inertia, joint=Free(position=(x, 0.0, 0.0), velocity=(speed, 0.0, 0.0)))


def towed(
    speed,
    duration=1.0,
    method="automatic",
    refinement=1.0,
    distance=LENGTH - 0.05,
    tug=TUG,
    target=TARGET,
    **parts,
) -> MultibodyScenario:
    """Return two free bodies that move apart at a speed; their centre of mass is at rest."""
    accuracy = {"length": 1e-6, "angle": 1e-6, "speed": 1e-5, "rate": 1e-5}
    share = target / (tug + target)
    return MultibodyScenario(
        duration=duration,
        bodies={"tug": body(tug, 0.0, -share * speed), "target": body(target, distance, (1.0 - share) * speed)},
        metrics={
            "peak": "max line.force", "rate": "final target.vx in tug", "longest": "max line.deflection",
            "distance": "final target.x in tug", "farthest": "max target.x in tug", "length": "final line.length",
        },
        events={
            "taut": Event(when="line.deflection > 0 m"), "slack": Event(when="line.deflection < 0 m after taut"),
        } | parts.pop("events", {}),
        integrator=Integrator(method=method, accuracy={name: refinement * one for name, one in accuracy.items()}),
        **{"tethers": {"line": cable()}} | parts,
    )  # fmt: skip


def run(*arguments, **fields):
    result = simulate_scenario(towed(*arguments, **fields), with_prediction=False)
    assert result.valid == "yes", result.warnings
    return result


def instant(result, name: str) -> float:
    return next(event.time for event in result.events if event.name == name)


# Cables


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("speed", [0.05, 1.0])
def test_half_an_oscillation_of_two_bodies(speed, method):
    """The taut phase lasts pi sqrt(m / k) with the reduced mass; the relative speed is reversed."""
    result = run(speed, 0.05 / speed + 0.3, method, 1e-3)
    assert instant(result, "slack") - instant(result, "taut") == pytest.approx(
        math.pi * math.sqrt(REDUCED / STIFFNESS), rel=1e-5
    )
    assert result.metrics["rate"] == pytest.approx(-speed, rel=1e-5)
    assert result.metrics["peak"] == pytest.approx(speed * math.sqrt(REDUCED * STIFFNESS), rel=1e-5)
    assert result.metrics["longest"] == pytest.approx(speed * math.sqrt(REDUCED / STIFFNESS), rel=1e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("zeta", [0.1, 0.5, 0.9])
def test_restitution_with_damping(zeta, method):
    """That of a spring and damper that is released without force, as a damped end stop."""
    damping = 2.0 * zeta * math.sqrt(REDUCED * STIFFNESS)
    result = run(0.5, 0.6, method, 1e-3, tethers={"line": cable(damping=damping)})
    assert result.metrics["rate"] == pytest.approx(-0.5 * kelvin_voigt_restitution(zeta), rel=1e-5)
    assert result.history["line.force"].min() >= 0.0


@pytest.mark.parametrize("method", ["automatic", "rosenbrock"])
@pytest.mark.parametrize("zeta", [0.8, 3.0, 10.0])
def test_the_tension_of_a_damped_cable_begins_with_its_damping(zeta, method):
    """For large damping the largest tension is c v, at the first instant."""
    damping = 2.0 * zeta * math.sqrt(REDUCED * STIFFNESS)
    result = run(0.5, 0.3, method, tethers={"line": cable(damping=damping)})
    assert result.metrics["peak"] == pytest.approx(0.5 * damping, rel=1e-3)


def test_a_slack_cable_does_nothing():
    result = run(-0.1, 5.0)
    assert result.metrics["peak"] == 0.0
    assert result.metrics["rate"] == pytest.approx(-0.1, abs=1e-15)


def test_a_whirling_pair_keeps_energy_and_angular_momentum():
    """The cable turns with its bodies about their centre of mass: its stretch balances the centrifugal force."""
    spin = 0.5
    stretch = LENGTH * REDUCED * spin**2 / (STIFFNESS - REDUCED * spin**2)
    line, share = LENGTH + stretch, TARGET / (TUG + TARGET)
    bodies = {"tug": (TUG, -share * line), "target": (TARGET, (1.0 - share) * line)}
    scenario = towed(0.0, 20.0, refinement=1e-3).model_copy(
        update={
            "bodies": {
                name: Body(
                    mass=mass, inertia=(1.0, 1.0, 1.0), joint=Free(position=(x, 0, 0), velocity=(0, spin * x, 0))
                )
                for name, (mass, x) in bodies.items()
            },
            "metrics": {"least": "min line.deflection", "most": "max line.deflection"}, "events": {},
        }
    )  # fmt: skip
    result = simulate_scenario(scenario, with_prediction=False)
    for name in ("least", "most"):
        assert result.metrics[name] == pytest.approx(stretch, rel=1e-4)


# Reels


def test_a_reel_winds_a_slack_cable_to_its_target():
    """At constant speed, then within speed x response exponentially."""
    speed, response, target, end = 0.2, 0.5, 3.0, 15.0
    reel = Reel(speed=speed, force_limit=LIMIT, target=target, response=response)
    result = run(0.0, end, refinement=1e-3, distance=1.0, tethers={"line": cable(reel=reel)})
    t = np.asarray(result.history.time)
    slow = (LENGTH - target) / speed - response
    late = np.maximum(t - slow, 0.0)
    expected = np.where(t < slow, LENGTH - speed * t, target + speed * response * np.exp(-late / response))
    assert result.history["line.length"] == pytest.approx(expected, abs=1e-7)
    assert result.metrics["peak"] == 0.0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("damping", [0.0, 300.0])
def test_a_slipping_clutch_brakes_two_bodies_with_its_limit(damping, method):
    """The length that slips is that of Eq. (T10); without damping the tension never exceeds the limit."""
    speed, reel = 0.5, Reel(speed=1e-9, force_limit=LIMIT)
    result = run(speed, 1.0, method, 1e-3, tethers={"line": cable(reel=reel, damping=damping)})
    assert result.metrics["peak"] <= LIMIT * (1.0 + 1e-6)
    assert result.metrics["peak"] == pytest.approx(LIMIT, rel=1e-4)
    energy = 0.5 * REDUCED * speed**2
    if damping == 0.0:
        slipped = (energy - STORED * (1.0 - KNEE**2)) / LIMIT
        assert result.metrics["length"] - LENGTH == pytest.approx(slipped, rel=1e-5)
        assert result.metrics["farthest"] == pytest.approx(LENGTH + slipped + STRETCH, rel=1e-6)
        assert result.metrics["rate"] == pytest.approx(-math.sqrt(2.0 * STORED / REDUCED), rel=1e-5)
    else:
        assert result.metrics["farthest"] - LENGTH == pytest.approx(energy / LIMIT, rel=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_a_reel_pulls_with_its_limit(method):
    """The limit accelerates the bodies to the winding speed; then the elastic energy of the cable adds its own."""
    speed = 1.0
    reel = Reel(speed=speed, force_limit=LIMIT, target=0.0)
    parts = {"tethers": {"line": cable(reel=reel)}, "distance": LENGTH}
    end, rise = 0.5 * REDUCED * speed / LIMIT, STRETCH / speed
    half = run(0.0, end, method, 1e-3, **parts)
    assert half.metrics["peak"] == pytest.approx(LIMIT, rel=1e-5)
    assert -half.metrics["rate"] == pytest.approx(LIMIT / REDUCED * (end - 0.5 * rise), rel=2e-3)
    whole = run(0.0, 2.0, method, 1e-3, **parts)
    assert -whole.metrics["rate"] == pytest.approx(speed + LIMIT / math.sqrt(STIFFNESS * REDUCED), rel=1e-4)


def test_a_reel_between_fixed_ends_stalls_at_its_limit():
    """Bodies that are much heavier than the pull: the tension approaches the limit and stays."""
    reel = Reel(speed=0.01, force_limit=LIMIT, target=0.0)
    result = run(
        0.0, 5.0, refinement=1e-2, distance=LENGTH, tug=1e9, target=1e9, tethers={"line": cable(reel=reel)}
    )
    assert result.history["line.force"][-1] == pytest.approx(LIMIT, rel=1e-6)
    assert result.metrics["length"] == pytest.approx(LENGTH - STRETCH, rel=1e-6)


def test_a_reel_that_starts_too_short_slips_at_once():
    """The tension is the limit from the first instant."""
    reel = Reel(speed=1e-9, force_limit=LIMIT)
    result = run(0.0, 0.001, distance=LENGTH + 1.0, tethers={"line": cable(reel=reel)})
    assert result.history["line.force"][0] == pytest.approx(LIMIT, rel=1e-9)
    assert result.history["line.length"][0] == pytest.approx(LENGTH + 1.0 - STRETCH, rel=1e-9)


@pytest.mark.parametrize("begins", ["event", "phase"])
def test_actions_give_a_reel_its_target(begins):
    reel = Reel(speed=0.5, force_limit=LIMIT)
    wind = (Action(drive="line", target="2 m"),)
    parts = (
        {"events": {"go": Event(when="time > 1 s", then=wind)}}
        if begins == "event"
        else {
            "phases": (
                Phase(name="wait", until="time > 1 s"),
                Phase(name="wind", do=wind, until="time > 10 s"),
            )
        }
    )
    result = run(0.0, 9.0, distance=1.0, tethers={"line": cable(reel=reel)}, **parts)
    lengths = dict(zip(np.round(result.history.time, 6), result.history["line.length"]))
    assert lengths[1.0] == pytest.approx(LENGTH, abs=1e-9)
    assert result.metrics["length"] == pytest.approx(2.0, abs=1e-6)


def test_a_tether_that_is_cut_pulls_no_more_and_its_reel_stands_still():
    reel = Reel(speed=0.1, force_limit=LIMIT, target=0.0)
    cut = {"cut": Event(when="time > 2 s", then=(Action(disable="line"),))}
    result = run(0.0, 4.0, distance=1.0, tethers={"line": cable(reel=reel)}, events=cut)
    assert result.metrics["length"] == pytest.approx(LENGTH - 0.2, abs=1e-6)


# Laws


@pytest.mark.plain_python
@pytest.mark.parametrize("stretch", [-0.1, 1e-3, 0.97 * STRETCH, 1.2 * STRETCH])
@pytest.mark.parametrize("rate", [-0.3, 0.3])
@pytest.mark.parametrize("damping", [0.0, 10.0])
@pytest.mark.parametrize("has_reel", [False, True])
def test_tension_is_opposite_and_energy_is_balanced(stretch, rate, damping, has_reel):
    """Power on the bodies, rate of the stored energy, loss and power of the motor add up to zero."""
    reel = Reel(speed=0.05, force_limit=LIMIT, target=0.0) if has_reel else None
    scenario = towed(rate, distance=LENGTH + stretch, tethers={"line": cable(reel=reel, damping=damping)})
    assembly = assemble(scenario)
    dy, records = evaluate(assembly)
    data, n_q = records.element_data[0], int(assembly.world[0].n_q)
    first, second = dy[n_q : n_q + 6], dy[n_q + 6 : n_q + 12]
    assert first == pytest.approx(-second, abs=1e-12)
    paid_out = dy[records.elements[0].at_state] if has_reel else 0.0
    on_bodies = -data.force * rate
    stored = STIFFNESS * max(stretch, 0.0) * (rate - paid_out)
    assert on_bodies + stored + data.loss - data.power == pytest.approx(0.0, abs=1e-12 + 64 * EPS * LIMIT)
    assert data.loss >= -1e-15
    assert data.force >= 0.0
    if not has_reel:
        assert data.force == pytest.approx(
            max(0.0, STIFFNESS * stretch + damping * rate) * (stretch > 0.0), rel=1e-9
        )
    elif stretch < STRETCH:
        assert data.force <= LIMIT * (1.0 + 1e-12)


@pytest.mark.parametrize("stretch", [-0.1, 1e-6])
@pytest.mark.parametrize("has_reel", [False, True])
def test_tangents_are_central_differences(stretch, has_reel):
    """For positions and momenta, with a small tension: the omitted terms are proportional to it."""
    reel = Reel(speed=1e-9, force_limit=LIMIT) if has_reel else None
    assembly = assemble(
        towed(0.0, distance=LENGTH + stretch, tethers={"line": cable(reel=reel, damping=30.0)})
    )
    used, true, _, _ = compare_jacobians(
        system_records(assembly), 0.0, assembly.y, np.full(len(assembly.y), 1e-8)
    )
    motion = np.arange(used.shape[1]) != (14 if has_reel else -1)  # a reel's length stands between them
    if stretch > 0.0:
        assert np.abs(true[:, motion]).max() > 0.5 * STIFFNESS
    assert used[:, motion] == pytest.approx(true[:, motion], abs=2e-5 * max(np.abs(true).max(), 1.0))


@pytest.mark.parametrize("seed", range(12))
def test_random_bounces_agree_with_tight_tolerances(seed):
    """Peaks and lengths of random cables and reels, over several bounces."""
    rng = np.random.default_rng(seed)
    stiffness, speed = 10.0 ** rng.uniform(2.0, 5.5), 10.0 ** rng.uniform(-2.0, 0.5)
    damping = 2.0 * rng.choice([0.0, 0.05, 0.4]) * math.sqrt(stiffness * REDUCED)
    peak = speed * math.sqrt(stiffness * REDUCED)
    reel = Reel(speed=speed * rng.uniform(0.2, 1.0), force_limit=peak * rng.uniform(0.1, 1.5), target=2.0)
    line = cable(stiffness=stiffness, damping=damping, reel=reel if seed % 3 else None)
    usual, tight = (
        run(
            speed, min(2.0 / speed, 20.0), ("automatic", "rosenbrock")[seed % 2], refinement,
            tethers={"line": line},
        )
        for refinement in (1.0, 1e-2)
    )  # fmt: skip
    assert usual.metrics["peak"] == pytest.approx(tight.metrics["peak"], rel=2e-3)
    assert usual.metrics["length"] == pytest.approx(tight.metrics["length"], rel=1e-3)
    assert usual.metrics["rate"] == pytest.approx(tight.metrics["rate"], abs=5e-3 * speed)


# Input


def problems_of(events=None, **fields) -> str:
    with pytest.raises(InputError) as caught:
        towed(0.0, tethers={"line": cable(**fields)}, events=events or {})
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"stiffness": 0.0}, "above 0 N/m"),
        ({"length": 0.0}, "Must be above 0 m without a reel"),
        ({"b": Anchor(body="tug")}, "Must be another body than a's"),
        ({"reel": {"speed": 0.1, "force_limit": 0.0}}, "above 0 N"),
        ({"reel": {"speed": "1 N", "force_limit": 1.0}}, "m/s"),
    ],
)
def test_wrong_input_is_named(fields, message):
    assert message in problems_of(**fields)


def test_a_cable_may_be_wound_up_wholly_on_its_reel():
    assert cable(length=0.0, reel=Reel(speed=0.1, force_limit=LIMIT)).length == 0.0


@pytest.mark.parametrize(
    ("target", "has_reel", "message"),
    [
        ("2 m", False, "Needs a tether with a `reel`"),
        (-1.0, True, "at least 0 m"),
        ("2 m/s", True, "a length in m"),
    ],
)
def test_wrong_targets_are_named(target, has_reel, message):
    reel = Reel(speed=0.1, force_limit=LIMIT) if has_reel else None
    events = {"go": Event(when="time > 1 s", then=(Action(drive="line", target=target),))}
    assert message in problems_of(events, reel=reel)


def test_the_export_to_mjcf_lists_tethers():
    bodies = {"tug": body(TUG), "target": body(TARGET, 4.0)}
    left_out = to_mjcf(System(bodies=bodies, tethers={"line": cable()})).left_out
    assert "tethers.line: MuJoCo's tendons are damped while they are slack, and have no reel." in left_out
