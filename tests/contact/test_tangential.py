"""Tangential elasticity of contacts: holding, sliding, spinning and rolling against closed forms, and its energy."""

import itertools
import math

import numpy as np
import pytest

from softdock import simulate
from softdock.contact import ContactPair, CoulombFriction, CutCells, ElasticLayer, FrictionLaw
from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.entry_points import evaluate, rebuild
from softdock.contact.kernels import layout
from softdock.contact.kernels.bristle import YIELD_START, apply_bristle, bristle_energy
from softdock.contact.layer import SHEAR_RATIO
from softdock.elements.load.model import Load
from softdock.errors import InputError
from softdock.geometry.vertices import ArcTo, Vertex, profile_from_vertices
from softdock.model.profile_vertices import Curve
from softdock.model.surfaces import Contact, Friction, Layer, Surface
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator, Record
from softdock.simulation.multibody import PreparedMultibody
from softdock.tree.joints import Fixed, Free, Prismatic, Revolute

C, MU, RADIUS, PRELOAD, MASS = 1e9, 0.3, 0.03, 50.0, 2.0  # N/m3, 1, m, N, kg
AREA = math.pi * RADIUS**2
LIMIT = MU * PRELOAD  # N
DEPTH = PRELOAD / (C * AREA)  # m
# Tangential stiffness of the puck [N/m]: its side touches over its depth, too.
K = SHEAR_RATIO * C * (AREA + math.tau * RADIUS * DEPTH)
STRETCH = LIMIT / K  # at the limit [m]
FLAT = ((-0.3, 0.0), (-0.3, 2.0), (0.0, 2.0), (0.0, 0.0))
PUCK = ((-0.02, 0.0), (-0.02, RADIUS), (0.02, RADIUS), (0.02, 0.0))
FINER = Integrator(accuracy={"length": 1e-11, "speed": 1e-10, "angle": 1e-10, "rate": 1e-10})
FINE = Integrator(accuracy={"length": 1e-9, "speed": 1e-8, "angle": 1e-8, "rate": 1e-8})
HALF_MASS = 0.5 * MASS


def puck(loads=None, *, duration=1.0, speed=0.0, spin=0.0, friction=None, damping=1e6, swap=False, **more):
    """Return a puck that a preload presses on a plate: it slides along x, moves along z and turns about z."""
    contact = Contact(
        a="puck" if swap else "plate",
        b="plate" if swap else "puck",
        layer=Layer(stiffness=C, damping=damping, damping_depth=1e-4 if damping else 0.0),
        friction=friction or Friction(coefficient=MU),
        resolved_force=10.0 if swap else 0.1,
    )
    return MultibodyScenario(
        duration=duration,
        bodies={
            "slide": Body(mass=HALF_MASS, joint=Prismatic(axis="x", speed=speed)),
            "lift": Body(
                mass=0.5 * HALF_MASS, parent="slide", joint=Prismatic(axis="z", position=0.02 - DEPTH)
            ),
            "puck": Body(
                mass=0.5 * HALF_MASS,
                inertia=(1e-3, 1e-3, 1e-3),
                parent="lift",
                joint=Revolute(axis="z", rate=spin),
            ),
        },
        loads={"press": Load(body="lift", force=(0, 0, -PRELOAD))} | (loads or {}),
        surfaces={
            "plate": Surface(
                body="world",
                profile=FLAT if not swap else ((-0.01, 0.0), (-0.01, 0.06), (0.0, 0.06), (0.0, 0.0)),
            ),
            "puck": Surface(body="puck", profile=PUCK),
        },
        contacts={"c": contact},
        **{"integrator": FINE, "record": Record(rate=200.0)} | more,
    )


def run(scenario):
    """Return the result of a scenario without the prediction of an impact: the surfaces touch from the start."""
    return simulate(scenario, with_prediction=False)


RAMP = tuple((0.002 * i, 0.002 * i) for i in range(1, 501))
"""Factors that rise to 1 within a second: a sudden load would overshoot."""


def push(share, *, table=RAMP):
    """Return a load along x, as a share of the limit of friction."""
    return {"push": Load(body="puck", force=(share * LIMIT, 0, 0), axes="world", table=table)}


def turn(share):
    """Return a torque about the normal, as a share of that of a sliding disc under even pressure."""
    torque = share * 2.0 / 3.0 * LIMIT * RADIUS
    return {"turn": Load(body="puck", torque=(0, 0, torque), table=RAMP)}


def channel(result, name, t=None):
    """Return a channel, at a time [s] if one is given."""
    return (
        result.history[name] if t is None else float(np.interp(t, result.history.time, result.history[name]))
    )


def test_pushed_block_moves_by_force_over_stiffness_and_returns():
    """Below the start of yielding the contact is a spring of stiffness c_t A, Eq. (C61)."""
    back = tuple((2.0 + t, 1.0 - factor) for t, factor in RAMP)
    result = run(puck(push(0.7, table=RAMP + back), duration=4.0, integrator=FINER))
    assert channel(result, "slide.joint", 2.0) == pytest.approx(0.7 * STRETCH, rel=1e-4)
    assert channel(result, "c.friction_use", 2.0) == pytest.approx(0.7, rel=1e-4)
    assert abs(channel(result, "slide.joint", 4.0)) < 1e-4 * STRETCH
    assert result.audit.energy_residual < 1e-6


@pytest.mark.parametrize("method", ["automatic", "rosenbrock", "dormand-prince"])
def test_a_block_holds_at_99_per_cent_of_the_limit_and_slides_beyond_it(method):
    """The yielding of Eq. (C65) takes a finite stretch; beyond the limit the surplus accelerates the block."""
    fine = FINE.model_copy(update={"method": method})
    held = run(puck(push(0.99), duration=4.0, integrator=fine))
    part = (0.99 - YIELD_START) / (1.0 - YIELD_START)
    stretch = YIELD_START - (1.0 - YIELD_START) * math.log(1.0 - part)
    assert channel(held, "slide.joint", 4.0) == pytest.approx(stretch * STRETCH, rel=0.01)
    # Explicit steps at their limit of stability jitter by the tolerance of speeds.
    assert abs(channel(held, "slide.joint", 4.0) - channel(held, "slide.joint", 3.0)) < 2e-9
    slid = run(puck(push(1.01), duration=4.0, integrator=fine))
    acceleration = (channel(slid, "slide.joint_rate", 4.0) - channel(slid, "slide.joint_rate", 3.0)) / 1.0
    assert acceleration == pytest.approx(0.01 * LIMIT / MASS, rel=1e-3)
    assert channel(slid, "c.friction_use", 4.0) == pytest.approx(1.0, rel=1e-6)


def test_sliding_block_stops_after_the_distance_of_coulomb():
    """v^2/(2 mu g) to 1e-4, and then the bristle pushes it back: it swings about where no force is left."""
    speed = 0.2
    result = run(puck(speed=speed, duration=0.5, record=Record(rate=20000.0)))
    distance = speed**2 * MASS / (2 * LIMIT)
    farthest = channel(result, "slide.joint").max()
    assert farthest == pytest.approx(distance, rel=1e-4, abs=STRETCH)
    assert farthest - 2.0 * STRETCH < channel(result, "slide.joint", 0.5) <= farthest
    assert abs(channel(result, "slide.joint_rate", 0.5)) < 1e-6


def test_spinning_disc_is_braked_by_two_thirds_of_mu_N_R_and_holds_below():
    """The torque of Coulomb friction under even pressure; below it the disc turns by M/(c_t I_p)."""
    torque = 2.0 / 3.0 * LIMIT * RADIUS
    spun = run(puck(spin=60.0, duration=0.1))
    braking = (channel(spun, "puck.joint_rate", 0.02) - channel(spun, "puck.joint_rate", 0.08)) / 0.06
    assert braking * 1e-3 == pytest.approx(torque, rel=2e-3)
    held = run(puck(turn(0.7), duration=2.0))
    polar = 0.5 * AREA * RADIUS**2  # to 1 %: cells of up to 8 mm count at their centres
    assert channel(held, "puck.joint", 2.0) == pytest.approx(
        0.7 * torque / (SHEAR_RATIO * C * polar), rel=1e-2
    )
    firm = run(puck(turn(0.98), duration=3.0))
    assert abs(channel(firm, "puck.joint_rate", 3.0)) < 1e-7
    # Slow spinning meets up to 4 % more: the speeds of the cells are not yet beyond the friction speed.
    loose = run(puck(turn(1.06), duration=3.0))
    assert channel(loose, "puck.joint_rate", 3.0) > 1.0


def test_fast_spinning_takes_the_resistance_to_sliding():
    """A disc that spins resists slow sliding by mu N v/(omega R) only: cells slide across the motion."""
    result = run(puck(push(0.1, table=()), spin=200.0, duration=0.05))
    assert channel(result, "slide.joint", 0.05) > 20 * 0.1 * STRETCH


def test_varying_normal_load_does_not_move_a_held_block():
    """Without ratchet: +-30 % at 40 rad/s under a lateral load of 0.667 of the mean limit."""
    period, steps = math.tau / 40.0, 16
    times = [(i + 0.5) * period / steps for i in range(int(5.0 / period * steps))]
    table = tuple((1.0 + t, math.sin(40.0 * t)) for t in times)
    loads = push(0.667) | {"shake": Load(body="lift", force=(0, 0, -0.3 * PRELOAD), table=table)}
    result = run(puck(loads, duration=6.0))
    x, t = channel(result, "slide.joint"), result.history.time
    early, late = x[(t > 2.0) & (t < 2.0 + 4 * period)].mean(), x[t > 6.0 - 4 * period].mean()
    assert abs(late - early) < 1e-3 * STRETCH


def test_loop_of_micro_slip_dissipates_its_area():
    """Loads of 95 % to and fro: the work of the load over a loop is what the balance has as dissipated."""
    shares = [0.98 * math.sin(2.0 * math.pi * t) for t in np.arange(0.0, 3.0, 0.01)]
    table = tuple((0.01 * i, s) for i, s in enumerate(shares))
    result = run(puck(push(1.0, table=table), duration=3.0, record=Record(rate=2000.0), integrator=FINER))
    assert result.audit.energy_residual < 1e-6
    t, x = result.history.time, channel(result, "slide.joint")
    loop = (t >= 1.0) & (t <= 2.0)
    load = LIMIT * np.array(shares)[np.minimum((t[loop] / 0.01 + 1e-9).astype(int), len(shares) - 1)]
    area = float(np.sum(0.5 * (load[1:] + load[:-1]) * np.diff(x[loop])))
    assert 0.05 * LIMIT * STRETCH < area < LIMIT * STRETCH


def ball_scenario(*, friction=MU, speed=0.5, spin=0.0, attitude=None, duration=2.0, law="elastic"):
    """Return a ball on a plate under gravity, or on one that is turned as a whole with gravity."""
    radius, mass = 0.02, 0.25
    depth = math.sqrt(mass * 9.81 / (math.pi * radius * 1e11))
    ball = (
        (-radius, 0.0),
        Curve(arc_to=(0.0, radius), radius=radius, turn="right"),
        Curve(arc_to=(radius, 0.0), radius=radius, turn="right"),
    )
    R = np.eye(3) if attitude is None else attitude
    quaternion = (1.0, 0.0, 0.0, 0.0) if attitude is None else wxyz(R)
    inertia = 0.4 * mass * radius**2
    return MultibodyScenario(
        duration=duration,
        gravity=tuple(R @ (0.0, 0.0, -9.81)),
        bodies={
            "base": Body(mass=0.0, joint=Fixed(attitude=quaternion)),
            "ball": Body(
                mass=mass,
                inertia=(inertia,) * 3,
                joint=Free(
                    position=tuple(R @ (0, 0, radius - depth)),
                    attitude=quaternion,
                    velocity=tuple(R @ (speed, 0, 0)),
                    rate=(0, spin, 0),
                ),
            ),
        },
        surfaces={"plate": Surface(body="base", profile=FLAT), "ball": Surface(body="ball", profile=ball)},
        contacts={
            "c": Contact(
                a="plate", b="ball", layer=Layer(stiffness=1e11),
                friction=Friction(coefficient=friction, law=law), resolved_force=0.5,
            )
        },
        record=Record(rate=100.0),
    )  # fmt: skip


def wxyz(R):
    """Return the quaternion of a rotation."""
    w = 0.5 * math.sqrt(1.0 + np.trace(R))
    return (w, (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w))


def test_sliding_ball_ends_rolling_at_five_sevenths():
    result = run(ball_scenario(speed=0.5))
    assert channel(result, "ball.vx", 2.0) == pytest.approx(5.0 / 7.0 * 0.5, rel=2e-3)
    assert channel(result, "ball.wy", 2.0) * 0.02 == pytest.approx(5.0 / 7.0 * 0.5, rel=5e-3)


@pytest.mark.parametrize("friction", [0.1, 0.6])
def test_rolling_ball_stores_no_shear_and_keeps_its_speed(friction):
    """Material leaves the patch at its edge, Eq. (C67): rolling costs nothing, whatever the friction."""
    result = run(ball_scenario(speed=0.3, spin=0.3 / 0.02, friction=friction))
    assert channel(result, "ball.vx", 2.0) == pytest.approx(0.3, rel=1e-3)
    assert channel(result, "c.friction_use")[-50:].max() < 0.02


def test_result_does_not_depend_on_the_frame():
    angle, axis = 1.1, np.array([2.0, -1.0, 2.0]) / 3.0
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    R = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    plain, turned = (run(ball_scenario(duration=0.3, attitude=a)) for a in (None, R))
    moved = np.array([channel(turned, f"ball.{axis}", 0.3) for axis in "xyz"])
    expected = np.array([channel(plain, f"ball.{axis}", 0.3) for axis in "xyz"])
    assert np.allclose(R.T @ moved, expected, atol=2e-6)


def test_roles_of_the_surfaces_can_be_exchanged():
    """The puck's cells on the plate and the plate's cells below the puck hold alike."""
    loads = push(0.6)
    a, b = (channel(run(puck(loads, swap=swap, duration=2.0)), "slide.joint", 2.0) for swap in (False, True))
    assert b == pytest.approx(a, rel=0.02)


def test_momentum_of_two_free_bodies_is_kept_to_rounding():
    scenario = ball_scenario(duration=0.05)
    bodies = scenario.bodies | {
        "base": Body(mass=5.0, inertia=(0.1, 0.1, 0.1), joint=Free(velocity=(0.0, 0.0, 0.01)))
    }
    result = run(scenario.model_copy(update={"bodies": bodies, "gravity": (0.0, 0.0, 0.0)}))
    assert channel(result, "c.force").max() > 0.0
    assert result.audit.linear_momentum_drift < 1e-13
    assert result.audit.angular_momentum_drift < 1e-12


def test_parted_surfaces_lose_what_the_bristle_stored():
    """When the patch vanishes its energy is dissipated, and a new contact begins without stretch."""
    loads = push(0.7) | {
        "pull": Load(body="lift", force=(0, 0, 2 * PRELOAD), table=((0.0, 0.0), (1.1, 1.0), (1.15, 0.0)))
    }
    result = run(puck(loads, duration=1.2, integrator=FINER))
    t = result.history.time
    assert channel(result, "c.force")[(t > 1.11) & (t < 1.14)].max() == 0.0
    assert result.audit.energy_residual < 1e-6


def test_a_run_continues_from_a_saved_state_to_the_bit():
    prepared = PreparedMultibody(puck(push(0.9, table=()), duration=1.0))
    session, other = prepared.simulation.begin(), prepared.simulation.begin()
    session.advance(0.02)
    other.restore(session.save())
    session.advance(0.2)
    other.advance(0.2)
    assert np.array_equal(session.state, other.state)
    assert channel_states(prepared, session).any()


def channel_states(prepared, session):
    """Return the entries of the only bristle in the state."""
    at = int(prepared.simulation.pairs[0].at_state)
    return session.state[at : at + 4]


def random_states(count, seed=2):
    """Yield pose offset, motion and bristle of a ball pressed on a plate, from rest to fast sliding."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        size = 10.0 ** rng.uniform(-6, 0)
        yield (
            1e-5 * rng.uniform(0.2, 1.0),
            tuple(size * rng.normal(size=3) / 0.02),
            tuple(size * rng.normal(size=3)),
            10.0 ** rng.uniform(-9, -5) * rng.normal(size=4),
        )


def test_bristle_never_creates_energy_and_never_exceeds_the_limit():
    """Power into the contact is at least the rate of what it stores, at any motion and stretch; Eqs. (C64)-(C66)."""
    radius, c = 0.02, 1e11
    quarters = [ArcTo(arc_to=end, radius=radius, turn="right") for end in ((0.0, radius), (radius, 0.0))]
    pair = ContactPair(
        surface_A=profile_from_vertices([Vertex(at=point) for point in FLAT]),
        surface_B=profile_from_vertices([Vertex(at=(-radius, 0.0)), *quarters]),
        layer=ElasticLayer(areal_stiffness=c),
        friction=CoulombFriction(coefficient=MU, law=FrictionLaw.ELASTIC),
        quadrature=CutCells(resolved_force=0.1),
    )
    arrays = contact_arrays([pair])
    lists = contact_lists(arrays, capacity=512)
    rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    rebuild(arrays, lists, 0, rows, (0.0, 0.0, radius - 1e-5), 1e-4)
    data, work = arrays.pairs[0], lists.work[0]
    for depth, w, v, z in random_states(200):
        out, rate, pull, p = (
            np.zeros(layout.OUTPUT_SIZE),
            np.zeros(4),
            np.zeros(4),
            (0.0, 0.0, radius - depth),
        )
        evaluate(arrays, lists, 0, rows, p, w, v, out)
        elastic = out.copy()
        apply_bristle(data, work, p, w, v, z, rate, out, pull)
        scale = np.abs(out[layout.DISSIPATION]) + bristle_energy(data, z) + 1e-300
        assert out[layout.DISSIPATION] >= -1e-12 * scale
        moment = np.subtract(out[3:6], np.cross(p, out[:3]))
        before = np.subtract(elastic[3:6], np.cross(p, elastic[:3]))
        power = np.dot(out[:3] - elastic[:3], v) + np.dot(moment - before, w)
        stored = float(data["bristle_stiffness"]) * float(z @ rate)
        lost = out[layout.DISSIPATION] - elastic[layout.DISSIPATION]
        assert lost + stored + power == pytest.approx(0.0, abs=1e-9 * (abs(lost) + abs(stored) + abs(power)))
        # Cells of a spinning patch pull in different directions.
        assert out[layout.FRICTION_USE] <= 1.13


def test_stiffness_along_the_surface_follows_from_the_material():
    """The shear modulus over the thickness, Eq. (C60); without a material, the ratio of Mindlin."""
    layer = Layer(youngs_modulus=2e6, poisson_ratio=0.25, thickness=3e-3).to_layer()
    assert layer.shear_stiffness == pytest.approx(2e6 / 2.5 / 3e-3)
    assert Layer(stiffness=1e9).to_layer().shear_stiffness == pytest.approx(1e9 * 1.4 / 1.7)
    assert Layer(stiffness=1e9, tangential_stiffness=2e8).to_layer().shear_stiffness == 2e8
    with pytest.raises(InputError, match="tangential_stiffness"):
        Layer(stiffness=1e9, tangential_stiffness=0.0)


def test_channels_of_the_bristle_belong_to_its_law():
    with pytest.raises(InputError, match="friction_use"):
        puck(friction=Friction(coefficient=MU, law="smooth"), metrics={"use": "max c.friction_use"})


def test_a_smooth_law_still_creeps():
    result = run(puck(push(0.667), friction=Friction(coefficient=MU, law="smooth"), duration=2.0))
    assert channel(result, "slide.joint", 2.0) > 50 * STRETCH


def test_fixed_steps_give_the_same_result():
    runs = [Integrator(method="rk4", step=2e-5), FINE]
    ends = [channel(run(puck(push(0.7), duration=0.3, integrator=i)), "slide.joint", 0.3) for i in runs]
    assert all(a == pytest.approx(b, rel=1e-3) for a, b in itertools.pairwise(ends))
