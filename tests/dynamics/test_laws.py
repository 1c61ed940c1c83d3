"""Laws that every joint obeys, on the ground and floating, with every integrator."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from dynamics.systems import (
    EPS,
    INTEGRATORS,
    ORDERS,
    SCENE_NAMES,
    SCENES,
    STEP,
    TIGHT,
    assemble,
    body_pose,
    energy_and_momentum,
    evaluate,
    positions,
    quaternions,
    reversed_motion,
    scene,
    simulate,
    speeds,
)
from softdock.model.system import Body, FullInertia, System
from softdock.spatial.rotations import matrix_from_quaternion, quaternion_product
from softdock.tree.frames import Anchor
from softdock.tree.joints import (
    Cylindrical,
    Fixed,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    direction,
)

every_scene = pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)
every_fixed_step = pytest.mark.parametrize("integrator", ORDERS)


def rounding_bound(run):
    """Return a relative bound of accumulated rounding: some hundred operations per step."""
    return 100 * EPS * run.steps


def energy_per_error(assembly, run):
    """Return the energy error for a unit error of every state [J], the larger one of start and end.

    The gradient of the energy is known without differences: forces for positions, velocities for momenta.
    """
    worst = 0.0
    for y in (assembly.y, run.state):
        dy, _ = evaluate(assembly, y)
        n = int(assembly.world[0].n_q) + int(assembly.world[0].n_u)
        worst = max(worst, float(np.abs(dy[:n]).sum()))
    return worst


@every_integrator
@pytest.mark.parametrize("kind", [kind for kind, floating in SCENES if floating])
def test_momentum_of_a_floating_system_is_conserved(kind, integrator):
    run = simulate(scene(kind, True, lossy=True), **INTEGRATORS[integrator])
    start, end = run.start, run.end
    assert (
        np.abs(end.linear_momentum - start.linear_momentum).max()
        <= rounding_bound(run) * start.momentum_scale
    )
    turned = np.abs(end.angular_momentum - start.angular_momentum).max()
    assert turned <= rounding_bound(run) * start.angular_momentum_scale


@every_scene
@pytest.mark.parametrize("lossy", [False, True], ids=["conservative", "lossy"])
def test_energy_balances_within_the_allowed_error(kind, floating, lossy):
    system = scene(kind, floating, lossy)
    assembly = assemble(system)
    run = simulate(assembly, accuracy=TIGHT)
    assert (run.end.dissipated > 0.0) == lossy
    assert abs(run.end.balance - run.start.balance) <= run.steps * TIGHT.speed * energy_per_error(
        assembly, run
    )


@every_scene
@every_fixed_step
def test_order_of_convergence(kind, floating, integrator):
    """State, quaternions, work, dissipation and energy balance converge with the order of the method.

    Where the leading error happens to be small, coarse steps converge one order faster.
    """
    order = ORDERS[integrator]
    assembly = assemble(scene(kind, floating, lossy=True))
    settings = INTEGRATORS[integrator]
    runs = [simulate(assembly, 0.64, **{**settings, "step": STEP / 2**i}) for i in range(3)]
    coarse, fine = (np.abs(a.state - b.state).max() for a, b in pairwise(runs))
    assert fine > 100 * EPS * runs[-1].steps, "the difference must not be rounding"
    assert order - 0.2 <= np.log2(coarse / fine) <= order + 1.2
    drift = [abs(run.end.balance - run.start.balance) for run in runs]
    floor = rounding_bound(runs[-1]) * (runs[0].start.kinetic + runs[0].start.stored)
    assert drift[2] <= max(drift[1] / 2 ** (order - 0.8), floor)


@every_fixed_step
def test_measured_order_of_convergence(integrator):
    """Three runs of a smooth problem give the order by Richardson: 5 for Dormand-Prince, 4 for Runge-Kutta 4."""
    order = ORDERS[integrator]
    assembly = assemble(scene("prismatic", True, lossy=True))
    runs = [simulate(assembly, 0.64, **{**INTEGRATORS[integrator], "step": 0.005 / 2**i}) for i in range(3)]
    coarse, fine = (np.abs(a.state - b.state).max() for a, b in pairwise(runs))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.1)


@every_scene
@every_integrator
def test_lossless_motion_is_reversible(kind, floating, integrator):
    settings = INTEGRATORS[integrator]

    def error_of_return(**settings):
        assembly = assemble(scene(kind, floating))
        there = simulate(assembly, 0.5, **settings)
        back = simulate(reversed_motion(assembly, there.state), 0.5, **settings)
        home = reversed_motion(assembly, back.state).y
        return np.abs(home - assembly.y).max(), there.steps + back.steps

    error, steps = error_of_return(**settings)
    if integrator == "adaptive":
        # Every step adds at most the allowed error (of momenta: speeds times some kg); a factor of ten for its growth.
        assert error <= 10 * steps * 10 * TIGHT.speed
    else:
        finer, steps = error_of_return(**{**settings, "step": STEP / 2})
        assert finer <= max(error / 2 ** (ORDERS[integrator] - 0.5), 100 * EPS * steps)


@every_integrator
@pytest.mark.parametrize("kind", ["free", "spherical"])
def test_quaternions_stay_unit(kind, integrator):
    assembly = assemble(scene(kind, True))
    run = simulate(assembly, 2.0, **INTEGRATORS[integrator])
    for q in quaternions(assembly, run.state):
        assert abs(np.linalg.norm(q) - 1.0) <= 4 * EPS


# Frame invariance: the result of a rotated, shifted and boosted scene is the rotated, shifted and boosted result.

TURN = np.array([0.5, 0.5, -0.1, 0.7]) / np.linalg.norm([0.5, 0.5, -0.1, 0.7])
SHIFT, BOOST = np.array([0.7, -0.4, 0.2]), np.array([0.3, 0.5, -0.2])


def move_scene(system: System, boost=(0.0, 0.0, 0.0)) -> System:
    """Return the scene after a rotation, a shift and, for free bodies, a boost [m/s]."""
    R = matrix_from_quaternion(TURN)

    def moved(body: Body) -> Body:
        j = body.joint
        if body.parent != "world":
            return body
        q = tuple(quaternion_product(TURN, np.array(j.attitude)))
        if isinstance(j, Free):
            new = {"position": tuple(R @ j.position + SHIFT), "velocity": tuple(R @ j.velocity + boost)}
        else:
            new = {"at": tuple(R @ j.at + SHIFT)}
        return body.model_copy(update={"joint": j.model_copy(update={"attitude": q, **new})})

    return system.model_copy(
        update={
            "bodies": {name: moved(body) for name, body in system.bodies.items()},
            "gravity": tuple(R @ system.gravity),
        }
    )


def compare_with_moved_scene(system: System, boost, **settings):
    """Return the largest difference of final poses of the moved scene from moved final poses, and both runs."""
    other = move_scene(system, boost)
    run, image = (simulate(s, 1.0, **settings) for s in (system, other))
    a, b = assemble(system), assemble(other)
    R, worst = matrix_from_quaternion(TURN), 0.0
    for name in system.bodies:
        R_NB, p_NB = body_pose(a, run.state, name)
        R_image, p_image = body_pose(b, image.state, name)
        worst = max(worst, np.abs(p_image - (R @ p_NB + SHIFT + boost)).max())
        worst = max(worst, np.abs(R_image - R @ R_NB).max())
    return worst, run, image


@every_scene
@every_fixed_step
def test_result_is_invariant_under_rigid_motion_of_the_scene(kind, floating, integrator):
    """Runge-Kutta methods of fixed step keep this symmetry exactly, so that only rounding remains."""
    system = scene(kind, floating, lossy=True).model_copy(update={"gravity": (0.5, -1.0, -2.0)})
    worst, run, image = compare_with_moved_scene(system, np.zeros(3), **INTEGRATORS[integrator])
    assert worst <= 10 * rounding_bound(run)  # errors grow by less than a factor of ten in a second
    assert image.end.dissipated == pytest.approx(run.end.dissipated, rel=10 * rounding_bound(run))
    assert image.end.work == pytest.approx(
        run.end.work, rel=10 * rounding_bound(run), abs=10 * rounding_bound(run)
    )


@every_scene
def test_result_is_invariant_under_rigid_motion_with_error_control(kind, floating):
    """The allowed error is per component, so steps are not the same after a rotation."""
    worst, run, image = compare_with_moved_scene(scene(kind, floating), np.zeros(3), accuracy=TIGHT)
    assert worst <= 10 * (run.steps + image.steps) * TIGHT.length


@every_fixed_step
@pytest.mark.parametrize("kind", [kind for kind, floating in SCENES if floating])
def test_result_is_invariant_under_a_galilean_boost(kind, integrator):
    """Angular momentum of a boosted part is not linear in time, so the errors differ; they fall with the order."""
    settings = INTEGRATORS[integrator]
    coarse, run, _ = compare_with_moved_scene(scene(kind, True, lossy=True), BOOST, **settings)
    fine, _, _ = compare_with_moved_scene(
        scene(kind, True, lossy=True), BOOST, **{**settings, "step": STEP / 2}
    )
    assert fine <= max(coarse / 2 ** (ORDERS[integrator] - 0.8), 20 * rounding_bound(run))


# Mirror symmetry: x -> -x. Polar vectors are mirrored; axial vectors are mirrored and reversed.

MIRROR = np.array([-1.0, 1.0, 1.0])


def mirror_attitude(q):
    return (q[0], q[1], -q[2], -q[3])


def mirror_joint(j):
    def polar(v):
        return tuple(MIRROR * direction(v) if isinstance(v, str) else MIRROR * np.array(v))

    def axial(v):
        return tuple(-np.array(polar(v)))

    new = {"attitude": mirror_attitude(j.attitude)}
    if isinstance(j, Free):
        new |= {"position": polar(j.position), "velocity": polar(j.velocity), "rate": axial(j.rate)}
        return j.model_copy(update=new)
    new["at"] = polar(j.at)
    if isinstance(j, Revolute):
        new["axis"] = axial(j.axis)
    elif isinstance(j, Prismatic):
        new["axis"] = polar(j.axis)
    elif isinstance(j, Cylindrical):
        new |= {"axis": polar(j.axis), "angle": -j.angle, "rate": -j.rate}
    elif isinstance(j, Universal):
        new["axes"] = tuple(axial(axis) for axis in j.axes)
    elif isinstance(j, Spherical):
        new |= {"turned": mirror_attitude(j.turned), "rate": axial(j.rate)}
    elif isinstance(j, Planar):
        new |= {"position": (-j.position[0], j.position[1]), "angle": -j.angle}
        new |= {"velocity": (-j.velocity[0], j.velocity[1]), "rate": -j.rate}
    else:
        assert isinstance(j, Fixed)
    return j.model_copy(update=new)


def mirror_system(system: System) -> System:
    def anchor(x: Anchor) -> Anchor:
        return x.model_copy(update={"at": tuple(MIRROR * x.at), "attitude": mirror_attitude(x.attitude)})

    def body(x: Body) -> Body:
        i = x.inertia
        assert isinstance(i, FullInertia)
        return x.model_copy(
            update={
                "centre_of_mass": tuple(MIRROR * x.centre_of_mass),
                "inertia": i.model_copy(update={"xy": -i.xy, "xz": -i.xz}),
                "joint": mirror_joint(x.joint),
            }
        )

    def link(x):
        return x.model_copy(update={"a": anchor(x.a), "b": anchor(x.b)})

    return system.model_copy(
        update={
            "bodies": {n: body(b) for n, b in system.bodies.items()},
            "struts": {n: link(s) for n, s in system.struts.items()},
            "welds": {n: link(w) for n, w in system.welds.items()},
            "gravity": tuple(MIRROR * system.gravity),
        }
    )


@every_scene
@every_integrator
def test_mirrored_scene_has_the_mirrored_motion(kind, floating, integrator):
    system = scene(kind, floating, lossy=True).model_copy(update={"gravity": (0.5, -1.0, -2.0)})
    other = mirror_system(system)
    run, image = (simulate(s, 1.0, **INTEGRATORS[integrator]) for s in (system, other))
    a, b = assemble(system), assemble(other)
    M = np.diag(MIRROR)
    for name in system.bodies:
        R_NB, p_NB = body_pose(a, run.state, name)
        R_image, p_image = body_pose(b, image.state, name)
        assert np.abs(p_image - M @ p_NB).max() <= rounding_bound(run)
        assert np.abs(R_image - M @ R_NB @ M).max() <= rounding_bound(run)


@pytest.mark.plain_python
@every_scene
def test_power_is_the_rate_of_energy(kind, floating):
    """The rate of kinetic plus stored energy equals power minus dissipation, to second order of the difference."""
    from softdock.dynamics.system_records import system_records

    system = scene(kind, floating, lossy=True)
    if not floating:
        system = system.model_copy(update={"gravity": (0.5, -1.0, -2.0)})
    assembly = assemble(system)
    dy, _ = evaluate(assembly)
    energies = []
    h = 1e-4
    for sign in (-1.0, 1.0):
        found = energy_and_momentum(system_records(assembly), assembly.y + sign * h * dy)
        energies.append(found.kinetic + found.stored)
    rate = (energies[1] - energies[0]) / (2 * h)
    scale = float(np.abs(dy).sum()) * 10
    assert rate == pytest.approx(dy[-1] - dy[-2], abs=scale * (h**2 * 10 + EPS / h * 10))


@pytest.mark.plain_python
def test_system_at_rest_without_forces_stays_at_rest():
    system = scene("spherical", True)
    still = system.model_copy(update={"springs": {}, "struts": {}, "welds": {}})
    assembly = assemble(still)
    y = assembly.y.copy()
    speeds(assembly, y)[:] = 0.0
    run = simulate(replace(assembly, y=y), 0.1, step=0.05)
    assert np.array_equal(run.state[: len(positions(assembly, y))], positions(assembly, y))
    assert run.end.kinetic == 0.0
