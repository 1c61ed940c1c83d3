"""Names that the expressions of the page on the papers may use: runs, predictions, theory, and a few checks."""

import functools
import inspect
import re
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from importlib.resources import files
from math import degrees, log, pi, radians, sin
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

import softdock
from softdock.bench import peg as peg_bench
from softdock.campaign.loading import read_campaign
from softdock.contact.layer import ElasticLayer, FrictionLaw
from softdock.contact.pair import MotionState
from softdock.flexible import read_modes, read_nastran, truss
from softdock.flexible.station import Orbiter
from softdock.flexible.welding import momentum, motion_about, weld
from softdock.geometry.cad import read_surface
from softdock.geometry.facets import read_bodies
from softdock.geometry.pins import Hole, Pin
from softdock.model.contact_conditions import preset_box
from softdock.model.orbit import SystemOrbit
from softdock.model.surfaces import Contact, Surface
from softdock.orbit.kepler import MU, RADIUS, mean_motion
from softdock.prediction.chain import predict_masses, predict_ratios
from softdock.report.figures import impact, station
from softdock.robot import experiment
from softdock.scenario.kinds import KINDS
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.robot import RobotScenario
from softdock.simulation import simulate as run_once
from softdock.theory import latch, libration, rmi
from softdock.theory.restitution import ramp_restitution

Result = softdock.Result
PAPER_PAIR = peg_bench.PAIR
"""Pin and hole of 35 mm."""
PLAIN = (degrees, radians, log, pi, sin, fields, get_args, Pin, Hole, Surface, SystemOrbit, MultibodyScenario)
ROBOT = RobotScenario


def _frozen(changes: Mapping[str, Any] | None) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((changes or {}).items()))


def load(name: str) -> Any:
    """Return a bundled scenario."""
    return softdock.load(name)


@functools.cache
def _run(name: str, changes: tuple[tuple[str, Any], ...]) -> Result:
    return run_once(softdock.load(name, dict(changes)))


def simulate(name: str, changes: Mapping[str, Any] | None = None) -> Result:
    """Return the result of a scenario with changes; runs are kept."""
    return _run(name, _frozen(changes))


def predict(name: str, changes: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Return the prediction of a scenario."""
    found = softdock.predict(name, dict(changes or {}))
    assert found is not None
    return found


def published(approach: str) -> Mapping[str, Any]:
    """Return the metrics of a docking by the station paper's own method."""
    return simulate("power-tower-published", {"direction": approach}).metrics


def figures(paper: str, *numbers: int) -> bool:
    """Return whether the set of figures of a paper draws these."""
    known = {*station.RATE_FIGURES, *station.HISTORY_FIGURES} if paper == "station" else set()
    folder = Path(inspect.getfile(impact)).parent
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    drawn = {int(number) for number in re.findall(rf'"{paper}-figure-(\d+)"', text)} | known
    return set(numbers) <= drawn


def commands() -> set[str]:
    """Return the names of the commands."""
    folder = files("softdock") / "cli"
    return {path.name.removesuffix(".py") for path in folder.iterdir()}


def has_option(command: str, option: str) -> bool:
    """Return whether a command has an option."""
    return f'"{option}"' in (files("softdock") / "cli" / f"{command}.py").read_text(encoding="utf-8")


def real_time_kinds() -> set[str]:
    """Return the kinds of scenarios that run in real time."""
    return {name for name, kind in KINDS.items() if kind.real_time}


def mappings() -> tuple[str, ...]:
    """Return the names of the mappings between surfaces."""
    return tuple(get_args(Contact.model_fields["mapping"].annotation))


def frictions() -> tuple[str, ...]:
    """Return the names of the laws of friction of surfaces."""
    return tuple(law.value for law in FrictionLaw)


def has_name(module: str, name: str) -> bool:
    """Return whether a module has a public name."""
    return hasattr(import_module(module), name)


def largest_error_of_equation_19() -> float:
    """Return the largest difference of e_I and A/(A+B) for 1000 sets of masses."""
    m1, m2, m3, m4 = np.random.default_rng(19).uniform(0.1, 100.0, (4, 1000))
    A = m1 * m2 * m3 + m2**2 * m3 + m2 * m3**2 + m2 * m3 * m4
    B = m1 * m3**2 + m1 * m2 * m4 + m1 * m3 * m4 + m2**2 * m4
    return float(np.abs(rmi.effective_mass_ratio(m1, m2, m3, m4) - A / (A + B)).max())


def stiff_contact_error(stiffness: float) -> float:
    """Return the difference of simulated and predicted velocity after an impact of case A [m/s]."""
    result = simulate("impact-a", {"contact.stiffness": stiffness})
    return abs(result.metrics["relative_velocity_after"] - predict("impact-a")["relative_velocity_after"])


def cad(name: str) -> Path:
    """Return a part of the reference mechanism."""
    return Path(str(files("softdock") / "scenario" / "bundled" / "cad" / f"{name}.step"))


@functools.cache
def surface(name: str) -> Any:
    """Return the surface of a part of the reference mechanism."""
    return read_surface(cad(name))


def facets(name: str) -> int:
    """Return the number of triangles of a part."""
    return len(read_bodies(cad(name), None)[0].triangles)


def swapped_force() -> float:
    """Return the peak force of the soft docking with the roles of bumper and cavity exchanged [N]."""
    contact = softdock.load("assist-soft-docking").to_data()["contacts"]["bumper-drogue"]
    roles = {"contacts.bumper-drogue.a": contact["b"], "contacts.bumper-drogue.b": contact["a"]}
    return float(simulate("assist-soft-docking", roles).metrics["peak_contact_force_bumper_drogue"])


def exponential_force(ratio: float) -> float:
    """Return the force of an exponential spring over k times its reference, at a deflection over the reference."""
    return ratio * (1.0 + ratio**4)


def transformation_error() -> float:
    """Return the error of a point that is transformed to another frame and back [m]."""
    from softdock.spatial.rotations import matrix_from_quaternion

    R = matrix_from_quaternion(np.array([0.5, 0.5, -0.5, 0.5]))
    p = np.array([0.1, -0.2, 0.3])
    return float(np.abs(R.T @ (R @ p) - p).max())


@functools.cache
def campaign(name: str) -> dict[str, float]:
    """Run a bundled campaign and return the numbers that the page needs."""
    import tempfile

    from scipy.stats import spearmanr

    from softdock.campaign.runner import run
    from softdock.campaign.table import read_table

    with tempfile.TemporaryDirectory() as folder:
        run(read_campaign(name), Path(folder) / "out")
        table = read_table(Path(folder) / "out")
        opening = np.asarray(table.metrics["opening_time"], float)
        speed = np.asarray(table.inputs["approach.speed"], float)
        mass = np.asarray(table.inputs["bodies.servicer.mass"], float)
        aside = np.asarray(table.inputs["approach.offset.norm"], float)
        rest = opening * speed
        fast = opening[speed > 0.02]
        return {
            "runs": len(opening),
            "within": int(
                (
                    (np.asarray(table.metrics["bumper_stroke_max"], float) <= 12.7e-3)
                    & (np.asarray(table.metrics["gimbal_angle_max"], float) <= radians(5))
                ).sum()
            ),
            "time_min": float(np.nanmin(opening)),
            "time_max": float(np.nanmax(opening)),
            "share_in_band": float(((fast >= 1.0) & (fast <= 2.0)).mean()),
            "rank_offset": float(spearmanr(aside, rest, nan_policy="omit").statistic),
            "rank_mass": float(spearmanr(mass, rest, nan_policy="omit").statistic),
        }


def modal_errors() -> tuple[float, float, float]:
    """Return errors of identities of modes: rest of the base, momentum and inertia by all modes, relative."""
    scenario = softdock.load("power-tower-x")
    modes = scenario.flexible().model_copy(update={"modes": "all"}).find_modes(scenario.directory)
    base = float(np.abs(modes.shapes[modes.names.index(modes.base)]).max())
    rest = modes.articulated_inertia - modes.rigid_part_inertia
    scale = np.sqrt(np.diag(modes.inertia))
    left = np.abs(rest) / np.outer(scale, scale)
    return base, float(left[3:, 3:].max()), float(left[:3, :3].max())


def orbit_radius(altitude: float) -> float:
    """Return the radius of an orbit [m]."""
    return RADIUS + altitude


def orbit_rate(altitude: float) -> float:
    """Return the rate of a circular orbit [rad/s]."""
    return mean_motion(orbit_radius(altitude))


def orbit_speed(altitude: float) -> float:
    """Return the speed of a circular orbit [m/s]."""
    return float((MU / orbit_radius(altitude)) ** 0.5)


def _inertias() -> tuple[float, float, float]:
    metrics = simulate("power-tower-x").metrics
    return metrics["inertia_xx"], metrics["inertia_yy"], metrics["inertia_zz"]


def libration_period() -> float:
    """Return the period of small pitch librations of the station [s]."""
    return libration.pitch_period(orbit_rate(500e3), _inertias())


def unstable_growth_time() -> float:
    """Return the time in which roll and yaw of the station grow by e [s]."""
    return 1.0 / libration.roll_yaw(orbit_rate(500e3), _inertias()).growth


def docking_momentum_error() -> float:
    """Return the relative error of momentum over a weld impulse of Orbiter and station."""
    scenario = softdock.load("power-tower-xz")
    modes, orbiter = scenario.flexible().find_modes(scenario.directory), Orbiter()
    before = motion_about(orbiter.centre, scenario.velocity())
    done = weld(modes, body=orbiter.inertia_about_foot(), body_motion=before)
    given: NDArray[np.float64] = orbiter.inertia_about_foot() @ (before - done.motion)
    gained = momentum(modes, done.motion, done.modal_rate)
    return float(np.abs(given - gained).max() / np.abs(given).max())


def truss_stiffness() -> tuple[float, float]:
    """Return EA [N] and EI [N m2] of a beam that is equivalent to a bay of 9 ft of the station's truss."""
    side = 9 * 0.3048
    bay = truss.square_bay(side=side, length=side, longeron=6.645e7, diagonal=6.645e7, crossed=False)
    section = truss.equivalent_beam(bay).section
    return section.axial, section.bending_y


def correlation(approach: str) -> float:
    """Return the correlation of the deflections of points A and B after a docking with sixty modes."""
    return station.correlation_of_points(simulate(f"power-tower-{approach}", {"modes": 60}))


def touched(place: tuple[float, float, float]) -> list[str]:
    """Return the features of a hole of 35 mm that an upright pin touches with its tip at a place [m]."""
    return sorted(touch.feature.name.lower() for touch in peg_bench.PAIR.touches(place, (0.0, 0.0, 1.0)))


@functools.cache
def hole_inertia() -> tuple[float, float, float]:
    """Return relative errors of mass, centre and largest moment of a hole against sums over points, and its products.

    The box has sides of 90 and 80 mm; points are the middles of cells of 1 mm.
    """
    hole = Hole(radius=0.0175, straight=0.05, sides=(0.09, 0.08))
    cell = 5e-4
    x, y, z = np.meshgrid(
        np.arange(-0.045 + cell / 2, 0.045, cell),
        np.arange(-0.04 + cell / 2, 0.04, cell),
        np.arange(-0.0675 + cell / 2, 0.0, cell),
        indexing="ij",
        sparse=True,
    )
    aside = x**2 + y**2
    empty = (aside < 0.0175**2) & (z > -0.05) | (aside + (z + 0.05) ** 2 < 0.0175**2)
    m = np.where(empty, 0.0, 1000.0 * cell**3)
    found = hole.mass_properties(1000.0)
    centre = float((m * z).sum() / m.sum())
    about = float((m * (y**2 + (z - centre) ** 2)).sum())
    moment = float(np.asarray(found.inertia)[0, 0])
    return (
        float(abs(found.mass / m.sum() - 1.0)),
        float(abs(found.centre[2] / centre - 1.0)),
        float(abs(moment / about - 1.0)),
    )


def hole_products() -> int:
    """Return the number of products of inertia of a hole in a box."""
    tensor = Hole(radius=0.0175, straight=0.05, sides=(0.09, 0.08)).mass_properties(1000.0).inertia
    return int(np.count_nonzero(tensor - np.diag(np.diag(tensor))))


def rim_difference() -> float:
    """Return the largest difference of depths at the rim by search and by the direct solution, 10,000 poses [m]."""
    return float(peg_bench.rim_difference(peg_bench.PAIR, 10_000, 1)[2])


def seconds_per_pair() -> float:
    """Return the time of one evaluation of a pin in its hole, with its cap on the bottom [s]."""
    place, axis = peg_bench.poses()["cap on bottom"]
    return float(peg_bench.pair_times("cap on bottom", place, axis)[0]["value"])


def arm_joints() -> int:
    """Return the number of joints of the bundled arm."""
    return len(load("peg-flat").to_data()["arm"]["start"])


def keys_of(name: str, field: str) -> set[str]:
    """Return the keys that a field of a bundled scenario may have."""
    return set(type(getattr(load(name), field)).model_fields)


def names() -> dict[str, Any]:
    """Return everything that expressions may use."""
    return {name: value for name, value in globals().items() if not name.startswith("_")}


LIBRARIES: tuple[ModuleType | Any, ...] = (
    latch, ElasticLayer, MotionState, predict_masses, predict_ratios, preset_box, read_modes, read_nastran,
    ramp_restitution, experiment,
)  # fmt: skip
