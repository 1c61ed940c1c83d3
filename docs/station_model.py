"""Statements of the station paper, judged for a place of the docked Orbiter, a station and a choice of modes.

Everything is linear: the weld of a station at rest, and free vibration with the closed form of damped modes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from softdock.flexible.meshing import mesh
from softdock.flexible.modes import BaseModes, base_modes
from softdock.flexible.station import APPROACHES
from softdock.flexible.structure import RigidPart, Structure
from softdock.flexible.welding import motion_about
from softdock.quantities.units import FOOT
from softdock.spatial.inertia import rigid_inertia_matrix
from softdock.spatial.vectors import motion_shift

Floats = NDArray[np.float64]
KEPT = 60
"""Clamped modes of the converged model; with 200 the tip of the keel moves 0.04 % more."""
AFTER, DAMPING = 150.0, 0.01
"""Time after the docking [s] and damping ratio of the paper."""
ORBITER_MASS = 104_326.0
ATTITUDES = {
    "nose up": (8.57e6, 8.16e6, 1.12e6),
    "nose forward": (1.12e6, 8.16e6, 8.57e6),
    "nose sideways": (8.16e6, 1.12e6, 8.57e6),
}
"""Inertias of the Orbiter about x, y and z [kg m2] by the direction of its roll axis."""
PAPER = ("x", "xy", "xz")
"""Approaches whose deflections the paper compares."""
CLAIMS = {
    "1": "the change of angular rate is proportional to the closing rate",
    "2X": "along X the hybrid model turns more than the rigid one",
    "2Y": "along Y the rigid model turns more",
    "2Z": "along Z the rigid model turns more",
    "3": "of X, XY and XZ the approach XZ turns the station least",
    "4": "B deflects about twice as much as A (1.5 to 3 times, in all three approaches)",
    "5": "X gives the largest deflections of A and of B, XY the smallest",
    "6": "A and B move in phase for X and XZ (correlation of 0.5 or more, of either sign), not for XY",
}


@dataclass(frozen=True)
class Method:
    """Modes and axes in which deflections are counted."""

    name: str
    clamped: int
    """Clamped modes from which the free-free modes of station and Orbiter are built."""
    free: int | None
    """Free-free modes that are kept; all that follow from the clamped ones if None."""
    mean_axes: bool
    """Whether deflections are counted from mean axes, as in the paper, or from the base."""


METHODS = (
    Method("paper: 8 free-free modes, mean axes", KEPT, 8, True),
    Method("8 free-free modes, from the base", KEPT, 8, False),
    Method("8 clamped modes, from the base", 8, None, False),
    Method("all modes, mean axes", KEPT, None, True),
    Method("all modes, from the base", KEPT, None, False),
)
PUBLISHED, CONVERGED = METHODS[0], METHODS[4]


@dataclass(frozen=True)
class Tower:
    """A station with what the statements need of it."""

    modes: BaseModes
    point_a: str = "keel-top"
    point_b: str = "panel-starboard-outer-upper.2"

    @classmethod
    def of(cls, structure: Structure, panel_elements: int) -> "Tower":
        """Return the station of a structure."""
        middle = f"panel-starboard-outer-upper.{panel_elements // 2}"
        return cls(base_modes(mesh(structure), "foot", KEPT), point_b=middle)

    def rows(self, node: str) -> tuple[Floats, Floats]:
        """Return translations of a node by clamped modes (3, modes), and by motions of the base (3, 6)."""
        at = self.modes.node(node)
        return self.modes.shapes[at, 3:], motion_shift(self.modes.positions[at])[3:]


def varied_tower(
    tower: Structure,
    *,
    truss_stiffness: float = 1.0,
    panel_stiffness: float = 1.0,
    keel_mass: float = 1.0,
    panel_mass: float = 1.0,
) -> Structure | None:
    """Return a Power Tower with factors on stiffness and masses, its base changed so that Table 2 still holds.

    None where no rigid base has the inertia that this needs. Panels keep their frequencies when their mass changes.
    """
    factors = {"keel": (truss_stiffness, keel_mass), "boom": (truss_stiffness, 1.0)}
    factors["panel"] = (panel_stiffness * panel_mass, panel_mass)
    sections = {}
    for name, (stiffness, mass) in factors.items():
        section = tower.sections[name]
        stiff = ("axial", "bending_y", "bending_z", "torsion", "shear_y", "shear_z")
        changes = {
            key: getattr(section, key) * stiffness for key in stiff if getattr(section, key) is not None
        }
        changes |= {key: getattr(section, key) * mass for key in ("mass_per_length", "polar")}
        sections[name] = section.model_copy(update=changes)
    changed = tower.model_copy(update={"sections": sections})
    wanted, base = mesh(tower).mass_properties(), tower.parts["base"]
    mass, x, z = base.mass, base.centre_of_mass[0], base.centre_of_mass[2]
    J = np.diag(base.inertia_matrix())
    for _ in range(30):  # fixed-point iteration; each pass changes mass, product of inertia and moments
        part = RigidPart.model_construct(node="foot", mass=mass, centre_of_mass=(x, 0.0, z), inertia=tuple(J))
        result = changed.model_copy(update={"parts": {"base": part}})
        found = mesh(result).mass_properties()
        mass += wanted.mass - found.mass
        x *= wanted.inertia[0, 2] / found.inertia[0, 2]
        J = J + np.diag(wanted.inertia) - np.diag(found.inertia)
    possible = mass > 0.0 and J.min() > 0.0 and 2.0 * J.max() <= J.sum()
    return result if possible else None


@dataclass(frozen=True)
class Findings:
    """What the docking at 1 ft/s gives, by approach or by axis."""

    rigid: dict[str, float]
    """Change of angular rate of the rigid station [rad/s]."""
    hybrid: dict[str, float]
    a: dict[str, float]
    """Largest deflection of A [m]."""
    b: dict[str, float]
    correlation: dict[str, float]

    def claims(self) -> dict[str, bool]:
        """Return which statements hold; the first one follows from linearity."""
        ratio = [self.b[key] / self.a[key] for key in PAPER]
        order = [p["x"] == max(p.values()) and p["xy"] == min(p.values()) for p in (self.a, self.b)]
        phase = {key: abs(value) >= 0.5 for key, value in self.correlation.items()}
        return {
            "1": True,
            "2X": self.hybrid["x"] > self.rigid["x"],
            "2Y": self.rigid["y"] > self.hybrid["y"],
            "2Z": self.rigid["z"] > self.hybrid["z"],
            "3": self.hybrid["xz"] < min(self.hybrid["x"], self.hybrid["xy"]),
            "4": all(1.5 <= r <= 3.0 for r in ratio),
            "5": all(order),
            "6": phase["x"] and phase["xz"] and not phase["xy"],
        }


def examine(
    tower: Tower,
    centre: tuple[float, ...],
    inertia: tuple[float, ...],
    step: float = 0.25,
    methods: Sequence[Method] = METHODS,
) -> Iterator[tuple[Method, Findings]]:
    """Yield what every method finds for a docked Orbiter; `step` is that of the histories [s]."""
    body = rigid_inertia_matrix(ORBITER_MASS, np.asarray(centre), np.diag(inertia))
    incoming = np.column_stack([motion_about(centre, FOOT * axis) for axis in np.eye(3)])
    rigid = np.linalg.solve(tower.modes.inertia + body, body @ incoming)
    bases: dict[int, tuple[Floats, Floats, Floats]] = {}
    for method in methods:
        if method.clamped not in bases:
            bases[method.clamped] = _free_modes(tower.modes.lowest(method.clamped), body)
        yield method, _findings(tower, method, bases[method.clamped], rigid, body, incoming, step)


def _free_modes(modes: BaseModes, body: Floats) -> tuple[Floats, Floats, Floats]:
    """Return angular frequencies, clamped coordinates and motions of the base of the free-free modes; Eq. (F18)."""
    omega = 2.0 * np.pi * modes.frequency
    moved = np.linalg.solve(modes.inertia + body, modes.participation)
    reduced = np.eye(omega.size) - modes.participation.T @ moved
    inverse, x = eigh(reduced / omega / omega[:, None])
    found = 1.0 / np.sqrt(inverse[::-1])
    q = x[:, ::-1] / omega[:, None] * found
    return found, q, -moved @ q


def _findings(
    tower: Tower,
    method: Method,
    free: tuple[Floats, Floats, Floats],
    rigid: Floats,
    body: Floats,
    incoming: Floats,
    step: float,
) -> Findings:
    kept = slice(method.free)
    omega, q, base = free[0][kept], free[1][:, kept], free[2][:, kept]
    rate = base.T @ (body @ incoming)  # Eqs. (F83), (F84) of a station at rest
    if method.clamped == KEPT and method.free is None:  # all modes: the limit of the impulse
        hybrid = np.linalg.solve(tower.modes.rigid_part_inertia + body, body @ incoming)
    else:
        hybrid = rigid + base @ rate
    time = np.arange(0.0, AFTER, step)
    damped = omega * np.sqrt(1.0 - DAMPING**2)
    history = np.exp(-DAMPING * omega * time[:, None]) * np.sin(damped * time[:, None]) / damped
    moves = []
    for node in (tower.point_a, tower.point_b):
        clamped, rigid_rows = tower.rows(node)
        shapes = clamped[:, : method.clamped] @ q + (rigid_rows @ base if method.mean_axes else 0.0)
        moves.append(np.einsum("tk,ck,kd->tcd", history, shapes, rate, optimize=True))
    along = {key: np.asarray(direction) for key, direction in APPROACHES.items()}
    sizes = [{key: float(np.linalg.norm(m @ along[key], axis=1).max()) for key in PAPER} for m in moves]
    return Findings(
        rigid={key: float(np.linalg.norm(rigid[:3] @ d)) for key, d in along.items()},
        hybrid={key: float(np.linalg.norm(hybrid[:3] @ d)) for key, d in along.items()},
        a=sizes[0],
        b=sizes[1],
        correlation={key: _correlation(*(m @ along[key] for m in moves)) for key in PAPER},
    )


def _correlation(a: Floats, b: Floats) -> float:
    """Return the correlation of two histories (times, 3), each along its axis of largest motion."""
    largest = [moves[:, np.argmax(np.ptp(moves, axis=0))] for moves in (a, b)]
    return float(np.corrcoef(largest)[0, 1])


def with_free_modes(method: Method, count: int) -> Method:
    """Return the method with another number of free-free modes."""
    return replace(method, free=count)
