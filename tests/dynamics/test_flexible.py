"""Flexible structures on bodies: laws, limits, and closed forms of the finite-element model."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.flexible_systems import bent_boom, flexible_scene
from dynamics.systems import (
    SCENE_NAMES,
    SCENES,
    TIGHT,
    energy_and_momentum,
    evaluate,
    joint,
    simulate,
    simulate_with_peaks,
    solid,
)
from softdock.assembly.arrays import Assembly
from softdock.assembly.assembler import assemble
from softdock.dynamics.impulse import ImpulseResponse
from softdock.elements.load.model import Load
from softdock.errors import InputError
from softdock.flexible import base_modes, deflect, free_modes, mesh
from softdock.model.structures import Flexible, ModeChoice
from softdock.model.system import Body, FullInertia, System
from softdock.tree.indices import StateKind
from softdock.tree.joints import Fixed, Free

every_scene = pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)


def excite_modes(assembly: Assembly, seed: int = 1) -> Assembly:
    """Return the system with random modal displacements, some centimetres, and rates, some decimetres per second."""
    rng, y = np.random.default_rng(seed), assembly.y.copy()
    for kind, size in ((StateKind.MODAL, 0.02), (StateKind.MODAL_RATE, 0.1)):
        here = assembly.state_kinds == kind
        y[here] = size * rng.normal(size=here.sum())
    return replace(assembly, y=y)


def free_structure(structure, **options) -> System:
    """Return a free body that consists of a structure only."""
    return System(
        bodies={"body": Body(joint=Free())},
        structures={"s": Flexible(body="body", base="root", members=structure, **options)},
    )


@every_scene
@pytest.mark.parametrize("damping", [0.0, 0.05], ids=["undamped", "damped"])
def test_momentum_and_energy_balance(kind, floating, damping):
    """For structures on every kind of joint; 1 s at tolerances of 1e-10 and energies of 1 J."""
    run = simulate(
        excite_modes(assemble(flexible_scene(kind, floating, damping=damping))), accuracy=TIGHT, record_rate=0
    )
    assert (run.end.dissipated > 0.0) == (damping > 0.0)
    assert abs(run.end.balance - run.start.balance) <= 1e-10 * run.steps**0.5
    if floating:
        drift = np.abs(run.end.linear_momentum - run.start.linear_momentum).max()
        turned = np.abs(run.end.angular_momentum - run.start.angular_momentum).max()
        assert max(drift, turned) <= 1e-16 * 100 * run.steps**0.5 * (1.0 + run.start.momentum_scale)


@pytest.mark.plain_python
def test_energy_and_momentum_are_those_of_the_lagrangian():
    """Kinetic energy and momentum equal their definitions, Eq. (F46), with the inertia of the deformed structure."""
    assembly = excite_modes(assemble(flexible_scene("fixed", True)))
    _, m = evaluate(assembly)
    found, kinetic = energy_and_momentum(m, assembly.y), 0.0
    n_q = int(assembly.world[0].n_q)
    q, rate = (
        assembly.y[assembly.state_kinds == StateKind.MODAL],
        assembly.y[assembly.state_kinds == StateKind.MODAL_RATE],
    )
    impact = ImpulseResponse(assembly, assembly.y)
    for i, link in enumerate(m.links):
        if link.kind != 0:
            V = impact.motion[i]
            kinetic += 0.5 * V @ impact._inertias[i] @ V
    for a in m.appendages:
        link = m.motions[a.link]
        own = rate[a.at_q - (n_q - len(q)) :][: a.count]
        L = m.modes.c[a.first : a.first + a.count, :6]
        R = link.R.reshape(3, 3)
        w = R.T @ link.V[:3]
        v = R.T @ (link.V[3:] + np.cross(link.V[:3], link.p))
        kinetic += own @ (L @ np.concatenate([w, v])) + 0.5 * own @ own
    assert found.kinetic == pytest.approx(kinetic, rel=1e-12)


@pytest.mark.plain_python
def test_structure_without_modes_moves_as_a_rigid_body():
    """The rigid body has the mass, centre of mass and inertia of the structure."""
    structure = bent_boom(np.random.default_rng(2))
    M = base_modes(mesh(structure), "root").inertia
    m, centre = M[3, 3], np.array([M[2, 4], M[0, 5], M[1, 3]]) / M[3, 3]
    J = M[:3, :3] - m * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    inertia = FullInertia(xx=J[0, 0], yy=J[1, 1], zz=J[2, 2], xy=J[0, 1], xz=J[0, 2], yz=J[1, 2])
    start = Free(velocity=(0.1, -0.2, 0.3), rate=(0.4, -0.6, 0.5))
    rigid = System(bodies={"body": Body(mass=m, centre_of_mass=tuple(centre), inertia=inertia, joint=start)})
    bare = System(
        bodies={"body": Body(joint=start)},
        structures={"s": Flexible(body="body", base="root", members=structure, modes=0)},
    )
    states = [simulate(system, duration=5.0, accuracy=TIGHT).state for system in (rigid, bare)]
    np.testing.assert_allclose(states[1], states[0], atol=1e-11)


def test_coupled_frequencies_are_those_of_the_free_structure():
    """With all modes, small motions of a free body have the free-free frequencies of the finite-element model."""
    structure = bent_boom(np.random.default_rng(7))
    assembly = assemble(free_structure(structure))
    n, eps = len(assembly.y) - 2, 1e-5
    A = np.empty((n, n))
    for i in range(n):
        step = np.zeros(n + 2)
        step[i] = eps
        A[:, i] = (evaluate(assembly, assembly.y + step)[0] - evaluate(assembly, assembly.y - step)[0])[
            :n
        ] / (2 * eps)
    found = np.linalg.eigvals(A)
    found = np.sort(found.imag[found.imag > 1e-2]) / (2.0 * np.pi)
    wanted = free_modes(mesh(structure)).frequency
    np.testing.assert_allclose(found, wanted, rtol=1e-7)


def test_effective_inertia_with_all_modes_is_that_of_the_rigid_part():
    structure = bent_boom(np.random.default_rng(7))
    assembly = assemble(free_structure(structure))
    impact = ImpulseResponse(assembly, assembly.y)
    compliance = np.array([impact.response({1: wrench})[0][1] for wrench in np.eye(6)]).T
    limit = base_modes(mesh(structure), "root").rigid_part_inertia
    np.testing.assert_allclose(np.linalg.inv(compliance), limit, atol=1e-9 * np.abs(limit).max())


def test_motion_of_stiff_structures_tends_to_that_of_a_rigid_body():
    """The difference of the pose after 1 s falls with the stiffness."""

    def turned(stiffness, modes):
        rng = np.random.default_rng(3)
        bodies = {
            "body": Body(**solid(rng), joint=joint("free", rng)),
            "arm": Body(**solid(rng), joint=joint("revolute", rng), parent="body"),
        }
        system = System(
            bodies=bodies,
            structures={
                "s": Flexible(
                    body="body",
                    base="root",
                    members=bent_boom(np.random.default_rng(1), stiffness),
                    modes=modes,
                    damping=0.05,
                )
            },
        )
        return simulate(system, accuracy=TIGHT, record_rate=0).state[:7]

    rigid = turned(1.0, 0)
    soft, stiff, stiffer = (float(np.abs(turned(k, 5) - rigid).max()) for k in (10.0, 1e3, 1e4))
    assert soft > 2.0 * stiff > 10.0 * stiffer
    assert stiffer < 1e-4


@pytest.mark.parametrize("node", ["end", "middle"])
def test_a_steady_load_at_a_node_deflects_it_as_the_static_model_does(node):
    structure = bent_boom(np.random.default_rng(5))
    wrench = np.array([0.001, 0.002, -0.001, 0.004, -0.003, 0.002])
    wanted = deflect(mesh(structure), {node: wrench}, ["root"])
    system = System(
        bodies={"wall": Body(joint=Fixed())},
        structures={"s": Flexible(body="wall", base="root", members=structure, damping=0.7)},
        loads={
            "push": Load(body="wall", node=f"s/{node}", torque=tuple(wrench[:3]), force=tuple(wrench[3:]))
        },
    )
    names = [f"s/end.{field}" for field in ("rx", "ry", "rz", "dx", "dy", "dz")]
    run, seen = simulate_with_peaks(
        system, [*names, "s.energy", "s/end.dx_rate"], duration=60.0, record_rate=1.0, accuracy=TIGHT
    )
    end = mesh(structure).names.index("end")
    np.testing.assert_allclose([seen[name][-1] for name in names], wanted.motion[end], rtol=1e-5, atol=1e-9)
    assert seen["s.energy"][-1] == pytest.approx(wanted.energy, rel=1e-5)
    # The residual is 14 times the accuracy, also at ten times the accuracy.
    assert abs(run.end.balance - run.start.balance) < 30.0 * TIGHT.length * run.end.work


def test_weight_bends_a_structure_on_the_ground():
    structure = bent_boom(np.random.default_rng(5))
    gravity = np.array([0.02, -0.03, 0.01])
    model = mesh(structure)
    pull = (model.mass @ np.tile([0, 0, 0, *gravity], len(model.names))).reshape(-1, 6)
    wanted = deflect(model, dict(zip(model.names, pull)), ["root"]).motion[model.names.index("end")]
    system = System(
        bodies={"wall": Body(joint=Fixed())},
        structures={"s": Flexible(body="wall", base="root", members=structure, damping=0.7)},
        gravity=tuple(gravity),
    )
    names = ["s/end.dx", "s/end.dy", "s/end.dz"]
    run, seen = simulate_with_peaks(system, names, duration=60.0, record_rate=1.0, accuracy=TIGHT)
    np.testing.assert_allclose([seen[name][-1] for name in names], wanted[3:], rtol=1e-5)
    assert abs(run.end.balance - run.start.balance) < 1e-9


@pytest.mark.parametrize(
    ("choice", "check"),
    [
        (ModeChoice(below=2.0), lambda kept, all_: kept.frequency.size == (all_.frequency <= 2.0).sum()),
        (
            ModeChoice(share=0.01),
            lambda kept, all_: kept.frequency.size == (all_.effective_mass_fraction >= 0.01).sum(),
        ),
        (ModeChoice(residual=0.05), lambda kept, all_: kept.residual <= 0.05 < all_.lowest(1).residual),
        (3, lambda kept, all_: kept.frequency.size == 3),
        ("all", lambda kept, all_: kept.frequency.size == all_.frequency.size),
    ],
    ids=["below", "share", "residual", "count", "all"],
)
def test_modes_are_chosen(choice, check, tmp_path):
    structure = bent_boom(
        np.random.default_rng(9), elements=20
    )  # more modes than the first guess of a choice
    kept = Flexible(body="b", base="root", members=structure, modes=choice).find_modes(tmp_path)
    assert check(kept, base_modes(mesh(structure), "root"))


def test_more_modes_than_exist_are_refused(tmp_path):
    flexible = Flexible(body="b", base="root", members=bent_boom(np.random.default_rng(9)), modes=1000)
    with pytest.raises(InputError, match="must be at most 24"):
        flexible.find_modes(tmp_path)
