"""The "Power Tower" space station and the Orbiter of the station paper, with assumptions where the paper gives no data.

Axes of the paper: x along the velocity, y to starboard, z to the Earth; the origin is the foot of the keel.
Mass and inertias are those of Table 2; dimensions, stiffness and mass distribution are assumptions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.flexible.modes import BaseModes
from softdock.flexible.structure import Beam, RigidPart, Section, Structure
from softdock.flexible.welding import WeldImpulse, motion_about, weld
from softdock.quantities.units import FOOT
from softdock.spatial.inertia import rigid_inertia_matrix

Floats = NDArray[np.float64]

BAY = 9.0 * FOOT
"""Length of a bay and of an element of keel and boom [m]."""
KEEL_BAYS, BOOM_BAY = 44, 15
"""Number of bays of the keel, and the bay, counted from its foot, where the boom crosses it."""
PANEL_LENGTH = 25.34
"""[m]; gives a uniform panel a root-mean-square distance of 48 ft from the boom."""
PANEL_MASS = 1670.7
"""[kg]; one eighth of three quarters of the 39 288 lb of boom and arrays."""
PANEL_FREQUENCY = 0.08
"""Lowest bending frequency of a panel clamped at its root [Hz]; arrays of that time have 0.04 to 0.1 Hz."""
PANEL_GYRATION = 24.0 * FOOT / 12.0**0.5
"""Radius of gyration of a panel about its own axis [m], that of a width of 24 ft; reproduces Izz of Table 2."""


def _truss(mass_per_length: float) -> Section:
    """Return a truss of 9 ft cubes whose bars all have EA = 6.645e7 N (see `equivalent_beam`)."""
    return Section(
        axial=2.658e8,  # four longerons
        bending_y=5.0e8,
        bending_z=5.0e8,
        torsion=1.768e8,
        shear_y=4.70e7,
        shear_z=4.70e7,
        mass_per_length=mass_per_length,
    )


SECTIONS = {
    "keel": _truss(90.19),  # 24 000 lb over 396 ft
    "boom": _truss(101.51),  # a quarter of 39 288 lb over 144 ft
    "panel": Section(
        axial=1.0e8,  # stiff: axial modes are far above the relevant ones
        bending_y=5.556e5,  # out of plane: 0.08 Hz when clamped at its root
        bending_z=1.2502e6,  # in plane: 0.12 Hz
        torsion=6.80e4,  # 0.15 Hz
        mass_per_length=PANEL_MASS / PANEL_LENGTH,
        polar=PANEL_MASS / PANEL_LENGTH * PANEL_GYRATION**2,
    ),
}


def power_tower(*, panel_elements: int = 8, panel_frequency: float = PANEL_FREQUENCY) -> Structure:
    """Return the station: keel, boom, eight panels and the rigid base at node `foot`; `keel-top` is point A.

    `panel_frequency` is the lowest bending frequency of a panel clamped at its root [Hz]; its others scale with it.
    """
    height = -BOOM_BAY * BAY  # z points down
    nodes = {"foot": (0.0, 0.0, 0.0), "hub": (0.0, 0.0, height), "keel-top": (0.0, 0.0, -KEEL_BAYS * BAY)}
    beams = {
        "keel-lower": Beam(nodes=("foot", "hub"), section="keel", elements=BOOM_BAY),
        "keel-upper": Beam(nodes=("hub", "keel-top"), section="keel", elements=KEEL_BAYS - BOOM_BAY),
    }
    for side, sign in (("port", -1.0), ("starboard", 1.0)):
        last, bays = "hub", 0
        for place, at in (("inner", 5), ("outer", 7), ("tip", 8)):  # 45, 63 and 72 ft
            node = f"{side}-{place}"
            nodes[node] = (0.0, sign * at * BAY, height)
            beams[f"boom-{node}"] = Beam(nodes=(last, node), section="boom", elements=at - bays)
            last, bays = node, at
        for place, at in (("inner", 5), ("outer", 7)):
            for end, up in (("upper", -1.0), ("lower", 1.0)):
                panel = f"panel-{side}-{place}-{end}"
                nodes[f"{panel}-end"] = (0.0, sign * at * BAY, height + up * PANEL_LENGTH)
                beams[panel] = Beam(
                    nodes=(f"{side}-{place}", f"{panel}-end"),
                    section="panel",
                    elements=panel_elements,
                    side=(0.0, 1.0, 0.0),
                )
    base = RigidPart(
        node="foot",
        mass=92_003.0,
        centre_of_mass=(0.2826, 0.0, 2.4384),  # 0.2826 m reproduces Ixz of Table 2
        inertia=(5.998e6, 3.6205e6, 6.219e6),
    )
    sections = {**SECTIONS, "panel": _panel((panel_frequency / PANEL_FREQUENCY) ** 2)}
    return Structure(nodes=nodes, sections=sections, beams=beams, parts={"base": base})


def _panel(factor: float) -> Section:
    """Return the section of the panels with a factor on its bending and torsion."""
    panel = SECTIONS["panel"]
    if factor == 1.0:
        return panel
    stiff = ("bending_y", "bending_z", "torsion")
    return panel.model_copy(update={key: getattr(panel, key) * factor for key in stiff})


@dataclass(frozen=True, kw_only=True)
class Orbiter:
    """A Shuttle Orbiter docked nose up with its payload bay towards +x; typical values, not those of the paper."""

    mass: float = 104_326.0
    """[kg]"""
    inertia: tuple[float, float, float] = (8.57e6, 8.16e6, 1.12e6)
    """About x (yaw), y (pitch) and z (roll) of the station [kg m2]."""
    centre: tuple[float, float, float] = (-10.4, 0.0, 12.44)
    """Centre of mass when docked [m]; the port at (-8, 0, 2.44) is 10 m forward of and 2.4 m above it."""

    def inertia_about_foot(self) -> Floats:
        """Return the 6x6 inertia about the foot of the keel, angular part first."""
        return rigid_inertia_matrix(self.mass, np.array(self.centre), np.diag(self.inertia))


APPROACHES = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "xy": (0.5**0.5, 0.5**0.5, 0.0),
    "xz": (0.5**0.5, 0.0, 0.5**0.5),
}
"""Directions of the closing velocity in station axes."""


def dock(
    modes: BaseModes, closing_rate: float, direction: Floats, orbiter: Orbiter | None = None
) -> WeldImpulse:
    """Dock the Orbiter at a closing rate [m/s] along a unit vector with the station at rest on its base `foot`.

    `modes.lowest(0)` is the rigid station.
    """
    orbiter = orbiter or Orbiter()
    velocity = closing_rate * np.asarray(direction, float)
    return weld(modes, body=orbiter.inertia_about_foot(), body_motion=motion_about(orbiter.centre, velocity))
