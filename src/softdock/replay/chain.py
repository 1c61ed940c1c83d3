"""Scene of a chain: masses and springs in a line, with the latch or the contact pad between them."""

import math

import numpy as np

from softdock.replay import forces, solids
from softdock.replay.curves import curves_of, initial_charts
from softdock.replay.keyframes import increasing_rows, track
from softdock.replay.scene import Floats, Focus, Material, Mesh, Node, Part, Role, Scene
from softdock.replay.scene_builder import read_scenario, run_metadata
from softdock.result import Result
from softdock.scenario.chain import ChainScenario
from softdock.spatial.rotations import quaternion_from_axis_angle

POSITION_TOLERANCE = 1e-3  # fraction of the side of the lightest mass
BLUE = Material(name="chaser", colour=(0.10, 0.28, 0.55), roughness=0.55)
ORANGE = Material(name="target", colour=(0.80, 0.42, 0.10), roughness=0.55)
STEEL = Material(name="spring", colour=(0.30, 0.32, 0.35), metallic=0.4, roughness=0.4)
WALL = Material(name="wall", colour=(0.25, 0.25, 0.25), roughness=0.9)
MIN_SIDE = 0.45  # fraction of the side of the heaviest mass
SPRING_LENGTH = 1.1  # at rest, in sides of the heaviest mass


def build(result: Result) -> Scene:
    """Return the scene of a chain; the line is the z axis of the world."""
    scenario = read_scenario(result)
    assert isinstance(scenario, ChainScenario)
    layout = _Layout(scenario, result)
    curves = curves_of(result)
    wanted = ["contact.force", "relative_velocity", "chaser.velocity", "target.velocity"]
    wanted += ["overlap", "insertion"]
    size = layout.side
    return Scene(
        name=result.scenario,
        title=scenario.title,
        outcome=result.outcome,
        message=result.message,
        start=float(layout.time[0]),
        end=float(layout.time[-1]),
        nodes=tuple(layout.nodes()),
        display_rotation_wxyz=(0.5, 0.5, 0.5, 0.5),  # z to the right, x up
        focus=Focus(
            node="target 1", centre=(0.0, 0.0, -layout.half(1)), axis=(0.0, 0.0, 1.0), radius=1.6 * size
        ),
        events=result.events,
        curves=curves,
        charts=initial_charts(curves, wanted),
        notes=(
            "Masses have no size in this scenario: they are drawn in proportion to the motion, "
            "with sides proportional to the cube root of the mass.",
        ),
        metadata=run_metadata(result),
    )


class _Layout:
    """Initial positions of the masses and their motion along z [m]."""

    def __init__(self, scenario: ChainScenario, result: Result) -> None:
        self.scenario = scenario
        history = result.history
        rows = increasing_rows(history.time)
        self.time = history.time[rows]
        n = len(scenario.chaser.masses)
        self.masses = np.array([*scenario.chaser.masses, *scenario.target.masses])
        self.names = [f"chaser {i + 1}" for i in range(n)] + [
            f"target {i + 1}" for i in range(len(self.masses) - n)
        ]
        self.contact_mass = n - 1
        self.displacement = np.stack(
            [history[f"{name.replace(' ', '.')}.displacement"][rows] for name in self.names], axis=1
        )
        self.force = history["contact.force"][rows]
        travel = float(np.abs(self.displacement - self.displacement[0]).max())
        self.side = max(0.8 * travel, 4.0 * self._stroke(), 1e-3)
        growth = (self.masses / self.masses.max()) ** (1.0 / 3.0)
        self.sides = self.side * np.maximum(growth, MIN_SIDE)
        self.positions = self._initial_positions()

    def _stroke(self) -> float:
        latch = self.scenario.latch
        return max(self.scenario.gap, latch.tip_length if latch else 0.0)

    def half(self, i: int) -> float:
        """Return half the side of the i-th mass, counted from the chaser's contact mass [m]."""
        return float(0.5 * self.sides[self.contact_mass + i])

    def _initial_positions(self) -> Floats:
        """Return the initial centres [m]; the chaser's front is at z = 0 at first contact."""
        n, sides = self.contact_mass + 1, self.sides
        positions = np.zeros(len(sides))
        positions[n - 1] = -0.5 * sides[n - 1]
        for i in range(n - 2, -1, -1):
            positions[i] = positions[i + 1] - 0.5 * (sides[i] + sides[i + 1]) - SPRING_LENGTH * self.side
        positions[n] = 0.5 * sides[n] + 2.0 * self._tip()  # the tip is at the opening of the housing
        for i in range(n + 1, len(sides)):
            positions[i] = positions[i - 1] + 0.5 * (sides[i] + sides[i - 1]) + SPRING_LENGTH * self.side
        return positions

    def _tip(self) -> float:
        """Return the length of the probe's tip beyond the contact mass [m]."""
        latch = self.scenario.latch
        return 1.6 * latch.tip_length if latch else 0.0

    @property
    def z(self) -> Floats:
        """Positions of the centres over time, (n, masses) [m]."""
        n = self.contact_mass + 1
        offset = np.empty(len(self.masses))  # the touching masses start with the gap between them
        offset[:n] = -self.scenario.gap - self.displacement[0, n - 1]
        offset[n:] = -self.displacement[0, n]
        return np.asarray(self.positions + offset + self.displacement)

    def nodes(self) -> list[Node]:
        """Return masses, springs, wall, latch and force arrows."""
        z, tolerance = self.z, POSITION_TOLERANCE * float(self.sides.min())
        out = []
        for i, name in enumerate(self.names):
            material = BLUE if i <= self.contact_mass else ORANGE
            parts = [Part(mesh=solids.box(np.full(3, self.sides[i])), material=material, role=Role.CAD)]
            if i == self.contact_mass and self.scenario.latch:
                parts.append(Part(mesh=self._tip_mesh(), material=STEEL, role=Role.CAD))
            out.append(_translating_node(name, z[:, i], parts, self.time, tolerance))
        out += self._springs(z, tolerance)
        if self.scenario.latch:
            out += self._latch(z, tolerance)
        return out + self._force_arrows(z)

    def _tip_mesh(self) -> Mesh:
        """Return the tip: a cone with the angle and length of the latch's wedge, and a neck behind it."""
        latch = self.scenario.latch
        assert latch is not None
        front, length = 0.5 * self.sides[self.contact_mass], latch.tip_length
        radius = length * math.tan(latch.angle)
        neck = 0.4 * radius
        stem = front + self._tip() - length
        return solids.revolve_polyline(
            [(front, 0.0), (front, neck), (stem, neck), (stem, radius), (stem + length, 0.0)], 32
        )

    def _springs(self, z: Floats, tolerance: float) -> list[Node]:
        out = []
        for i in range(len(self.masses) - 1):
            if i == self.contact_mass:
                continue
            a, b = z[:, i] + 0.5 * self.sides[i], z[:, i + 1] - 0.5 * self.sides[i + 1]
            out.append(self._spring(f"spring {self.names[i]} to {self.names[i + 1]}", a, b, tolerance))
        if self.scenario.target.anchored:
            a = z[:, -1] + 0.5 * self.sides[-1]
            wall = a[0] - self.displacement[0, -1] + SPRING_LENGTH * self.side
            out.append(self._spring("spring to the wall", a, np.full_like(a, wall), tolerance))
            mesh = solids.box(np.array([1.6, 1.6, 0.15]) * self.side)
            part = Part(mesh=mesh, material=WALL, role=Role.CAD)
            out.append(Node(name="wall", parts=(part,), translation=(0.0, 0.0, wall + 0.075 * self.side)))
        return out

    def _spring(self, name: str, a: Floats, b: Floats, tolerance: float) -> Node:
        radius = 0.16 * self.side
        mesh = solids.coil(radius, 7, 0.12 * radius)
        long = np.stack([np.ones_like(a), np.ones_like(a), np.maximum(b - a, 1e-3 * self.side)], axis=1)
        tracks = {
            "translation": track(self.time, _z_vectors(a), tolerance),
            "scale": track(self.time, long, tolerance),
        }
        return Node(
            name=name,
            parts=(Part(mesh=mesh, material=STEEL, role=Role.LINK),),
            tracks=tracks,
        )

    def _latch(self, z: Floats, tolerance: float) -> list[Node]:
        """Return two pawls at the target's opening, lifted by the inserted tip, and the housing."""
        latch = self.scenario.latch
        assert latch is not None
        n = self.contact_mass + 1
        opening = z[:, n] - 0.5 * self.sides[n] - self._tip()
        apex = z[:, n - 1] + 0.5 * self.sides[n - 1] + self._tip()
        inside = apex - opening
        slope = math.tan(latch.angle)
        lift = np.where(
            inside < latch.tip_length, np.clip(inside, 0.0, None) * slope, 0.4 * latch.tip_length * slope
        )
        size = np.array([0.5, 1.2, 0.12]) * latch.tip_length
        out = []
        for sign, name in ((1.0, "upper latch"), (-1.0, "lower latch")):
            place = np.stack(
                [sign * (lift + 0.5 * size[0]), np.zeros_like(lift), opening + 0.5 * size[2]], axis=1
            )
            part = Part(mesh=solids.box(size), material=ORANGE, role=Role.CAD)
            out.append(
                Node(name=name, parts=(part,), tracks={"translation": track(self.time, place, tolerance)})
            )
        sleeve = Part(mesh=self._housing_mesh(), material=HOUSING, role=Role.CAVITY)
        out.append(_translating_node("sleeve", opening, [sleeve], self.time, tolerance))
        return out

    def _housing_mesh(self) -> Mesh:
        """Return the housing of the latch, from its opening to the target's contact mass."""
        latch = self.scenario.latch
        assert latch is not None
        radius = 1.35 * latch.tip_length * math.tan(latch.angle) + 0.5 * latch.tip_length
        thick = 0.06 * latch.tip_length
        return solids.revolve_polyline(
            [
                (0.0, radius),
                (0.0, radius + thick),
                (self._tip(), radius + thick),
                (self._tip(), radius),
                (0.0, radius),
            ],
            48,
        )

    def _force_arrows(self, z: Floats) -> list[Node]:
        if not np.isfinite(self.force).all() or not (self.force > 0.0).any():
            return []
        n = self.contact_mass
        length = self.side * np.sqrt(np.maximum(self.force, 0.0) / self.force.max())
        front = z[:, n] + 0.5 * self.sides[n]
        up = np.full_like(front, 0.62 * self.sides[n : n + 2].max())
        place = np.stack([up, np.zeros_like(up), front], axis=1)
        out = []
        for name, angle in (("force on the target", 0.0), ("force on the chaser", math.pi)):
            tracks = {
                "translation": track(self.time, place, POSITION_TOLERANCE * self.side),
                "scale": track(self.time, np.repeat(length[:, None], 3, axis=1), 5e-3 * self.side),
            }
            part = Part(mesh=ARROW, material=forces.MATERIAL, role=Role.FORCE)
            wxyz = tuple(quaternion_from_axis_angle(np.array([0.0, 1.0, 0.0]), angle).tolist())
            out.append(Node(name=name, parts=(part,), rotation_wxyz=wxyz, tracks=tracks))
        return out


HOUSING = Material(name="latch housing", colour=(0.75, 0.53, 0.35), opacity=0.35, double_sided=True)
ARROW = solids.transformed(forces.ARROW, np.eye(3), np.array([0.0, 0.0, 1.0]))
"""Arrow from the origin to z = 1."""


def _z_vectors(z: Floats) -> Floats:
    return np.stack([np.zeros_like(z), np.zeros_like(z), z], axis=1)


def _translating_node(name: str, z: Floats, parts: list[Part], time: Floats, tolerance: float) -> Node:
    tracks = {"translation": track(time, _z_vectors(z), tolerance)}
    return Node(name=name, parts=tuple(parts), tracks=tracks)
