"""Impulses: impact by RMI in three dimensions, and weld impulse, for any system."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.systems import energy_and_momentum, weld_impulse
from softdock.assembly.assembler import assemble
from softdock.dynamics.impulse import ImpulseResponse, apply_impact
from softdock.dynamics.system_records import system_records
from softdock.model.system import Body, System
from softdock.theory import rmi
from softdock.tree.joints import AxisAngle, Free, Planar, Prismatic, Revolute, Spherical, Universal

EPS = np.finfo(float).eps
masses = st.floats(0.1, 1e4)


def line_of_four(m1, m2, m3, m4, speed):
    ball = (1.0, 1.0, 1.0)
    return System(
        bodies={
            "m1": Body(mass=m1, inertia=ball, joint=Free(velocity=(0, 0, speed))),
            "m2": Body(mass=m2, inertia=ball, parent="m1", joint=Prismatic(at=(0, 0, 1))),
            "m4": Body(mass=m4, inertia=ball, joint=Free(position=(0, 0, 3))),
            "m3": Body(mass=m3, inertia=ball, parent="m4", joint=Prismatic(at=(0, 0, -1))),
        }
    )


def momentum_and_energy(assembly, y):
    found = energy_and_momentum(system_records(assembly), y)
    return np.concatenate([found.angular_momentum, found.linear_momentum]), found.kinetic


@given(masses, masses, masses, masses, st.floats(1e-3, 1.0), st.floats(0.0, 1.0))
@settings(deadline=None, max_examples=30)
def test_four_masses_in_a_line_obey_the_impact_theory(m1, m2, m3, m4, speed, restitution):
    assembly = assemble(line_of_four(m1, m2, m3, m4, speed))
    a, b = assembly.placed["m2"].link, assembly.placed["m3"].link
    struck = apply_impact(
        assembly, assembly.y, a, b, np.array([0, 0, 1.5]), np.array([0, 0, 1.0]), restitution
    )
    theory = rmi.predict_impact(m1, m2, m3, m4, speed=speed, restitution=restitution)
    # Locked masses are sums over bodies, free ones result from an elimination: a few rounding errors each.
    spread = max(m1, m2, m3, m4) / min(m2, m3)
    assert struck.effective_mass_ratio == pytest.approx(theory.effective_mass_ratio, rel=50 * EPS * spread)
    assert struck.impulse == pytest.approx(theory.impulse, rel=50 * EPS * spread)
    assert struck.relative_velocity_after == pytest.approx(
        theory.relative_velocity_after, abs=50 * EPS * spread * speed
    )


def random_pair(seed):
    rng = np.random.default_rng(seed)

    def inertia():
        a, b = rng.uniform(0.5, 2.0, 2)
        return (a, b, rng.uniform(abs(a - b), a + b))

    def vector(scale):
        return tuple(scale * rng.normal(size=3))

    joints = [
        lambda: Revolute(at=vector(0.5), axis=vector(1.0), angle=rng.normal(), rate=rng.normal()),
        lambda: Spherical(at=vector(0.5), rate=vector(0.3)),
        lambda: Universal(at=vector(0.5), angles=tuple(rng.normal(size=2)), rates=tuple(rng.normal(size=2))),
        lambda: Prismatic(at=vector(0.5), axis=vector(1.0), position=rng.normal(), speed=rng.normal()),
    ]
    bodies = {}
    for tree in "ab":
        q = rng.normal(size=4)
        bodies[tree] = Body(
            mass=rng.uniform(1, 10),
            inertia=inertia(),
            centre_of_mass=vector(0.2),
            joint=Free(
                position=vector(1.0),
                attitude=tuple(q / np.linalg.norm(q)),
                velocity=vector(0.5),
                rate=vector(0.5),
            ),
        )
        for i in range(3):
            parent = tree if i == 0 else f"{tree}{i - 1}"
            bodies[f"{tree}{i}"] = Body(
                mass=rng.uniform(0.5, 3),
                inertia=inertia(),
                centre_of_mass=vector(0.2),
                parent=parent,
                joint=joints[rng.integers(4)](),
            )
    return System(bodies=bodies)


@pytest.mark.plain_python
@pytest.mark.parametrize("seed", range(12))
def test_a_weld_impulse_keeps_momentum_loses_energy_and_joins(seed):
    assembly = assemble(random_pair(seed))
    a, b = assembly.placed["a2"].link, assembly.placed["b2"].link
    after, lost = weld_impulse(assembly, assembly.y, a, b)
    h0, kinetic0 = momentum_and_energy(assembly, assembly.y)
    h1, kinetic1 = momentum_and_energy(assembly, after)
    assert np.abs(h1 - h0).max() <= 1e-12 * np.abs(h0).max()
    assert lost >= 0.0
    assert kinetic0 - kinetic1 == pytest.approx(lost, abs=1e-11 * kinetic0)
    motion = ImpulseResponse(assembly, after).motion
    assert np.abs(motion[a] - motion[b]).max() <= 1e-11 * np.abs(motion).max()


@pytest.mark.plain_python
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_a_directional_impulse_obeys_its_law(seed, restitution):
    assembly = assemble(random_pair(seed))
    a, b = assembly.placed["a2"].link, assembly.placed["b2"].link
    point, normal = np.array([0.3, -0.2, 0.5]), np.array([0.2, 1.0, -0.4])
    struck = apply_impact(assembly, assembly.y, a, b, point, normal, restitution)
    if struck.closing_speed < 0.0:  # separating: reverse the impact
        normal = -normal
        struck = apply_impact(assembly, assembly.y, a, b, point, normal, restitution)
    again = apply_impact(assembly, struck.state, a, b, point, normal, restitution)
    assert again.closing_speed == pytest.approx(-restitution * struck.closing_speed, abs=1e-11)
    assert 0.0 < struck.effective_mass_ratio <= 1.0 + 1e-12  # free joints can only reduce the effective mass
    h0, kinetic0 = momentum_and_energy(assembly, assembly.y)
    h1, kinetic1 = momentum_and_energy(assembly, struck.state)
    assert np.abs(h1 - h0).max() <= 1e-12 * np.abs(h0).max()
    loss = 0.5 * struck.effective_mass_free * (1 - restitution**2) * struck.closing_speed**2
    assert kinetic0 - kinetic1 == pytest.approx(loss, abs=1e-11 * kinetic0)


@pytest.mark.plain_python
@pytest.mark.parametrize(
    "table", [Prismatic(axis="z"), Planar(attitude=AxisAngle(axis="x", angle=np.pi / 2))]
)
def test_impact_on_a_planar_table_equals_that_of_floating_systems(table):
    """An impulse in the plane of the table is the same for floating and for sliding bases."""
    free = line_of_four(17.0, 2.0, 1.5, 15.0, 0.05)
    motion = {"speed": 0.05} if isinstance(table, Prismatic) else {"velocity": (0.0, 0.05)}
    slow = dict.fromkeys(motion, 0.0 if isinstance(table, Prismatic) else (0.0, 0.0))
    bodies = {
        "m1": free.bodies["m1"].model_copy(update={"joint": table.model_copy(update=motion)}),
        "m2": free.bodies["m2"],
        "m4": free.bodies["m4"].model_copy(
            update={"joint": table.model_copy(update={**slow, "at": (0.0, 0.0, 3.0)})}
        ),
        "m3": free.bodies["m3"],
    }
    if isinstance(table, Planar):  # its plane is x-z of the world, the bodies' y axis the world's z
        for name, side in (("m2", 1), ("m3", -1)):
            slide = Prismatic(at=(0.0, side * 1.0, 0.0), axis="y")
            bodies[name] = bodies[name].model_copy(update={"joint": slide})
    assembly = assemble(System(bodies=bodies))
    a, b = assembly.placed["m2"].link, assembly.placed["m3"].link
    struck = apply_impact(assembly, assembly.y, a, b, np.array([0, 0, 1.5]), np.array([0, 0, 1.0]))
    theory = rmi.predict_impact(17.0, 2.0, 1.5, 15.0, speed=0.05)
    assert struck.closing_speed == pytest.approx(0.05, rel=1e-12)
    assert struck.effective_mass_ratio == pytest.approx(theory.effective_mass_ratio, rel=1e-12)
    assert struck.relative_velocity_after == pytest.approx(theory.relative_velocity_after, rel=1e-12)
