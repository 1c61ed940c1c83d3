"""Systems in orbit: librations, relative motion, precision of small distances, disturbances."""

import math
from decimal import Context, Decimal, localcontext

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from tests.orbit.reference_orbits import drag, gravity_gradient, relative_motion, solar_pressure

from dynamics.systems import EPS, evaluate, simulate, simulate_with_peaks
from softdock.assembly.assembler import assemble
from softdock.dynamics.settings import StepTolerances
from softdock.elements.strut.model import Strut
from softdock.flexible import Beam, Section, Structure, base_modes, mesh
from softdock.model.orbit import BodyPlate, SystemOrbit
from softdock.model.structures import Flexible
from softdock.model.system import Body, System
from softdock.orbit.kepler import MU, ROTATION
from softdock.theory.libration import pitch_period, roll_yaw
from softdock.tree.frames import Anchor
from softdock.tree.indices import StateKind
from softdock.tree.joints import AxisAngle, Free
from softdock.tree.kernels import orbit as orbit_kernels

ORBIT = SystemOrbit(altitude=500e3)
N = ORBIT.mean_motion
TABLE_2 = (8.5620e7, 7.8819e7, 1.0718e7)
FINE = StepTolerances(length=1e-9, angle=1e-11, speed=1e-13, rate=1e-15)


def station(inertia=TABLE_2, orbit=ORBIT, **start) -> System:
    return System(bodies={"station": Body(mass=120_710.0, inertia=inertia, joint=Free(**start))}, orbit=orbit)


@pytest.mark.parametrize("degrees", [0.01, 10.0])
def test_pitch_libration_has_the_period_of_the_closed_form(degrees: float) -> None:
    angle = math.radians(degrees)
    names = ["station.qw in hill", "station.qy in hill"]
    _, seen = simulate_with_peaks(
        station(attitude=AxisAngle(axis="y", angle=angle)),
        names,
        duration=9000.0,
        record_rate=0.1,
        accuracy=FINE,
    )
    pitch = 2.0 * np.arctan2(seen[names[1]], seen[names[0]])
    crossings = CubicSpline(seen["time"], pitch).roots(extrapolate=False)
    assert crossings[2] - crossings[0] == pytest.approx(pitch_period(N, TABLE_2, angle), rel=1e-4)


def test_roll_and_yaw_grow_at_the_rate_of_the_closed_form() -> None:
    growth = roll_yaw(N, TABLE_2).growth
    start = AxisAngle(axis=(1.0, 0.0, 1.0), angle=1e-7)
    _, seen = simulate_with_peaks(
        station(attitude=start),
        ["station.qz in hill"],
        duration=12.0 / growth,
        record_rate=growth,
        accuracy=FINE,
    )
    yaw = np.interp(np.array([8.0, 12.0]) / growth, seen["time"], seen["station.qz in hill"])
    assert math.log(yaw[1] / yaw[0]) / 4.0 == pytest.approx(1.0, rel=0.01)


def test_energy_and_angular_momentum_are_conserved_for_ten_orbits() -> None:
    """The energy integral of a circular orbit and the angular momentum about the Earth's centre are constant.

    Their parts from rotation are tiny relative to those of the orbital motion; relative coordinates resolve them.
    """
    J = np.diag([8.0e7, 8.5e7, 1.0e7])
    system = station(
        inertia=tuple(np.diag(J)), attitude=AxisAngle(axis=(0.6, 0.8, 0.0), angle=0.4), rate=(1e-4, 2e-4, 0.0)
    )
    assembly, mass = assemble(system), 120_710.0
    fine = StepTolerances(length=1e-13, angle=1e-14, speed=1e-17, rate=1e-17)
    run = simulate(assembly, duration=10.0 * ORBIT.period, record_rate=0, accuracy=fine)

    def constants(t: float, y: np.ndarray) -> tuple[float, np.ndarray]:
        _, m = evaluate(assembly, y, t)
        base, hill, o = m.motions[2], m.motions[1], m.orbit_motion[0]
        R, w = base.R_NB.reshape(3, 3), base.V[:3]
        R_HB = hill.R_NB.reshape(3, 3).T @ R
        slip, side, down = w - R_HB.T @ hill.V[:3], R_HB[1], R_HB[2]
        energy = slip @ J @ slip - N**2 * side @ J @ side + 3 * N**2 * down @ J @ down
        d, v = base.p_NB, R @ base.V[3:]
        carried = (
            np.cross(o.r, v) + np.cross(d, o.v) + np.cross(d, v)
        )  # without that of the reference point, which is constant
        return float(energy) / 2.0, R @ J @ w + mass * carried

    (e_0, h_0), (e_1, h_1) = constants(0.0, assembly.y), constants(run.time, run.state)
    assert abs(e_1 - e_0) < 1e-9 * N**2 * J.max()
    assert np.abs(h_1 - h_0).max() < 1e-9 * N * J.max()
    assert abs(run.end.balance - run.start.balance) < 1e-9 * run.start.kinetic


@pytest.mark.parametrize("j2", [False, True], ids=["two-body", "flattened"])
@pytest.mark.parametrize("eccentricity", [0.0, 0.1])
def test_relative_motion_of_two_bodies_equals_the_exact_difference(eccentricity: float, j2: bool) -> None:
    """A kilometre apart for a quarter of an hour, against an integration of the exact difference."""
    orbit = SystemOrbit(
        altitude=400e3,
        eccentricity=eccentricity,
        inclination=0.9,
        ascending_node=0.3,
        perigee=0.5,
        anomaly=0.7,
        j2=j2,
    )
    p, v = np.array([-300.0, 200.0, 900.0]), np.array([0.2, -0.1, 0.3])
    bodies = {
        "target": Body(mass=1.0, inertia=(1.0, 1.0, 1.0)),
        "chaser": Body(mass=2.0, inertia=(1.0, 2.0, 2.0), joint=Free(position=tuple(p), velocity=tuple(v))),
    }
    system = System(bodies=bodies, orbit=orbit)
    run = simulate(system, duration=900.0, record_rate=0.01, accuracy=FINE)
    wanted, _ = relative_motion(orbit.state(), (p, v), [0.0, 900.0], j2=j2)
    assembly = assemble(system)
    _, m = evaluate(assembly, run.state, run.time)
    between = m.motions[3].p_NB - m.motions[2].p_NB
    R_NH = m.motions[1].R_NB.reshape(3, 3)
    if not j2:  # with J2 the target leaves the reference point, and its own Hill frame rotates away
        np.testing.assert_allclose(R_NH.T @ between, wanted[-1], atol=1e-6)
    assert np.linalg.norm(between) == pytest.approx(np.linalg.norm(wanted[-1]), abs=2e-6)


def test_relative_motion_resolves_a_micrometre_in_orbit() -> None:
    """Two bodies on a spring oscillate by 1 um as in free space; a radius vector would round this off."""

    def swing(orbit: SystemOrbit | None) -> np.ndarray:
        bodies = {
            "a": Body(mass=1000.0, inertia=(300.0, 300.0, 300.0), joint=Free(position=(-1.0, 0.0, 0.0))),
            "b": Body(mass=500.0, inertia=(300.0, 300.0, 300.0), joint=Free(position=(1.000001, 0.0, 0.0))),
        }
        strut = Strut(a=Anchor(body="a"), b=Anchor(body="b"), stiffness=1e6, length=2.0)
        system = System(bodies=bodies, struts={"s": strut}, orbit=orbit)
        fine = StepTolerances(length=1e-14, angle=1e-12, speed=1e-13, rate=1e-13)
        _, seen = simulate_with_peaks(
            system, ["s.deflection"], duration=1.0, record_rate=200.0, record_peaks=False, accuracy=fine
        )
        return seen["s.deflection"]

    free, around = swing(None), swing(ORBIT)
    assert np.abs(free).max() == pytest.approx(1e-6, rel=1e-6)
    # The tidal force along the track is zero, and the spring is a million times stiffer than the gravity gradient.
    np.testing.assert_allclose(around, free, atol=1e-12)
    assert EPS * ORBIT.semi_major_axis > 1e-9


@pytest.mark.plain_python
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e3, 1e6])
def test_difference_of_gravity_has_full_precision(size: float) -> None:
    mu, o = 3.986e14, np.zeros(1, orbit_kernels.ORBIT_MOTION).view(np.recarray)[0]
    o.r[:] = 4e6, -3e6, 5e6
    r = float(np.linalg.norm(o.r))
    o.inverse_distance, o.gradient = 1.0 / r, mu / r**3
    offset = size * np.array([0.6, -0.3, 0.5])
    with localcontext(Context(prec=50)):
        near, d = ([Decimal(float(x)) for x in vector] for vector in (o.r, offset))
        far = [a + b for a, b in zip(near, d)]
        cubes = [sum(x * x for x in vector) ** Decimal("1.5") for vector in (near, far)]
        exact = [float(-Decimal(mu) * (b / cubes[1] - a / cubes[0])) for a, b in zip(near, far)]
    # Rounding of the few operations of Eqs. (O3) and (O4).
    np.testing.assert_allclose(
        orbit_kernels.differential_gravity(o, *offset), exact, rtol=0.0, atol=1e-15 * o.gradient * size
    )


def test_gravity_gradient_and_rotation_deform_a_structure() -> None:
    """A long mast on a heavy base at rest in the Hill frame deforms according to Eq. (F38)."""
    section = Section(
        axial=50.0, bending_y=20.0, bending_z=30.0, torsion=5.0, mass_per_length=0.1, polar=0.01
    )
    mast = Structure(
        nodes={"root": (0.0, 0.0, 0.0), "top": (3.0, 4.0, -30.0)},
        sections={"s": section},
        beams={"b": Beam(nodes=("root", "top"), section="s", elements=4, side=(0.0, 1.0, 0.0))},
    )
    system = System(
        bodies={"hub": Body(mass=1e9, inertia=(1e15, 1e15, 1e15))},
        structures={"m": Flexible(body="hub", base="root", members=mast, modes=6, damping=0.7)},
        orbit=ORBIT,
    )
    assembly = assemble(system)
    run = simulate(assembly, duration=600.0, record_rate=0, accuracy=StepTolerances(length=1e-9, speed=1e-10))
    modes = base_modes(mesh(mast), "root", 6)
    turning = np.array([[0.0, 0.0, -N], [0.0, 0.0, 0.0], [N, 0.0, 0.0]])  # [w]x of (0, -n, 0)
    field = gravity_gradient([0.0, 0.0, -ORBIT.semi_major_axis]) - turning @ turning
    wanted = np.einsum("kij,ij->k", modes.moment, field) / (2.0 * np.pi * modes.frequency) ** 2
    found = run.state[assembly.state_kinds == StateKind.MODAL]
    np.testing.assert_allclose(found, wanted, atol=2e-4 * np.abs(wanted).max())
    assert np.abs(wanted).max() > 1e-4


@pytest.mark.plain_python
def test_plates_have_drag_and_solar_pressure() -> None:
    plate = BodyPlate(
        body="b", area=3.0, normal=(1.0, 0.2, -0.3), centre=(0.4, -0.5, 0.6), specular=0.3, diffuse=0.2
    )
    orbit = SystemOrbit(
        altitude=400e3, inclination=0.8, density=4e-12, sun=(1.0, -1.0, 0.5), plates={"p": plate}
    )
    body = Body(
        mass=1e3, inertia=(200.0, 300.0, 400.0), joint=Free(attitude=AxisAngle(axis=(1, 2, 3), angle=0.3))
    )
    assembly, bare = (
        assemble(System(bodies={"b": body}, orbit=orbit.model_copy(update=change)))
        for change in ({}, {"plates": {}})
    )
    (pushed, m), (falling, _) = evaluate(assembly), evaluate(bare)
    o, R = m.orbit_motion[0], m.motions[2].R_NB.reshape(3, 3)
    w = R @ m.motions[2].V[:3]
    at = R @ plate.centre
    wind = ROTATION * np.cross(m.orbit[0].pole, o.r + at) - o.v - np.cross(w, at)
    wanted = drag(plate, 4e-12, R.T @ wind) + solar_pressure(plate, R.T @ np.asarray(orbit.sun))
    n_q = int(assembly.world[0].n_q)
    change = (pushed - falling)[n_q : n_q + 6]
    np.testing.assert_allclose(
        change, np.concatenate([R @ wanted[:3], R @ wanted[3:]]), rtol=1e-9, atol=1e-14
    )
    assert (o.v @ o.v) ** 0.5 == pytest.approx((MU / (orbit.semi_major_axis)) ** 0.5)
