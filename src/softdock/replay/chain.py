"""The scene of a chain: masses and springs in a line, the latch or the pad where they meet."""

import math

import numpy as np

from softdock.replay import solids
from softdock.replay.curves import curves_of, first_charts
from softdock.replay.keyframes import increasing, track
from softdock.replay.scene import Floats, Focus, Material, Mesh, Node, Part, Role, Scene
from softdock.replay.scenes import facts, scenario_of
from softdock.result import Result
from softdock.scenario.chain import ChainScenario

FINE = 1e-3  # of the lightest mass's side
BLUE = Material(name="chaser", colour=(0.10, 0.28, 0.55), roughness=0.55)
ORANGE = Material(name="target", colour=(0.80, 0.42, 0.10), roughness=0.55)
STEEL = Material(name="spring", colour=(0.30, 0.32, 0.35), metallic=0.4, roughness=0.4)
WALL = Material(name="wall", colour=(0.25, 0.25, 0.25), roughness=0.9)
RED = Material(name="contact force", colour=(0.75, 0.02, 0.02), roughness=0.5)
SMALLEST = 0.45  # side of the lightest mass, of the heaviest one's
SPRING = 1.1  # length of a spring at rest, in sides of the heaviest mass


def build(result: Result) -> Scene:
    """Return the scene of a chain; the line is the z axis of the world."""
    scenario = scenario_of(result)
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
        turn_wxyz=(0.5, 0.5, 0.5, 0.5),  # z to the right, x up
        focus=Focus(
            node="target 1", centre=(0.0, 0.0, -layout.half(1)), axis=(0.0, 0.0, 1.0), radius=1.6 * size
        ),
        events=result.events,
        curves=curves,
        charts=first_charts(curves, wanted),
        notes=(
            "Masses have no size in this scenario: they are drawn as large as the motion needs, "
            "with sides that grow with the cube root of the mass.",
        ),
        facts=facts(result),
    )


class _Layout:
    """Where masses stand at the start, and how they move along z [m]."""

    def __init__(self, scenario: ChainScenario, result: Result) -> None:
        self.scenario = scenario
        history = result.history
        rows = increasing(history.time)
        self.time = history.time[rows]
        n = len(scenario.chaser.masses)
        self.masses = np.array([*scenario.chaser.masses, *scenario.target.masses])
        self.names = [f"chaser {i + 1}" for i in range(n)] + [
            f"target {i + 1}" for i in range(len(self.masses) - n)
        ]
        self.touching = n - 1
        self.moved = np.stack(
            [history[f"{name.replace(' ', '.')}.displacement"][rows] for name in self.names], axis=1
        )
        self.force = history["contact.force"][rows]
        travel = float(np.abs(self.moved - self.moved[0]).max())
        self.side = max(0.8 * travel, 4.0 * self._stroke(), 1e-3)
        growth = (self.masses / self.masses.max()) ** (1.0 / 3.0)
        self.sides = self.side * np.maximum(growth, SMALLEST)
        self.places = self._places()

    def _stroke(self) -> float:
        latch = self.scenario.latch
        return max(self.scenario.gap, latch.tip_length if latch else 0.0)

    def half(self, i: int) -> float:
        """Half the side of the i-th mass from the touching one of the chaser on."""
        return float(0.5 * self.sides[self.touching + i])

    def _places(self) -> Floats:
        """Return centres at the start; the chaser's front is at z = 0 when it touches."""
        n, sides = self.touching + 1, self.sides
        places = np.zeros(len(sides))
        places[n - 1] = -0.5 * sides[n - 1]
        for i in range(n - 2, -1, -1):
            places[i] = places[i + 1] - 0.5 * (sides[i] + sides[i + 1]) - SPRING * self.side
        places[n] = 0.5 * sides[n] + 2.0 * self._tip()  # the tip is at the mouth of the housing
        for i in range(n + 1, len(sides)):
            places[i] = places[i - 1] + 0.5 * (sides[i] + sides[i - 1]) + SPRING * self.side
        return places

    def _tip(self) -> float:
        """Length of the probe's tip that stands out of the touching mass [m]."""
        latch = self.scenario.latch
        return 1.6 * latch.tip_length if latch else 0.0

    @property
    def z(self) -> Floats:
        """Positions of the centres over time, (n, masses)."""
        start = self.moved[0]
        offset = np.zeros(len(self.masses))
        offset[: self.touching + 1] = -self.scenario.gap
        return np.asarray(self.places + offset + (self.moved - start))

    def nodes(self) -> list[Node]:
        """Return masses, springs, wall, latch and the arrow of the force."""
        z, tolerance = self.z, FINE * float(self.sides.min())
        out = []
        for i, name in enumerate(self.names):
            material = BLUE if i <= self.touching else ORANGE
            parts = [Part(mesh=solids.box(np.full(3, self.sides[i])), material=material, role=Role.CAD)]
            if i == self.touching and self.scenario.latch:
                parts.append(Part(mesh=self._tip_mesh(), material=STEEL, role=Role.CAD))
            out.append(_sliding(name, z[:, i], parts, self.time, tolerance))
        out += self._springs(z, tolerance)
        if self.scenario.latch:
            out += self._latch(z, tolerance)
        return out + self._arrow(z)

    def _tip_mesh(self) -> Mesh:
        """Return the tip: a cone of the wedge's angle as long as the latch asks for, behind it a neck."""
        latch = self.scenario.latch
        assert latch is not None
        front, length = 0.5 * self.sides[self.touching], latch.tip_length
        radius = length * math.tan(latch.angle)
        neck = 0.4 * radius
        stem = front + self._tip() - length
        return solids.revolved(
            [(front, 0.0), (front, neck), (stem, neck), (stem, radius), (stem + length, 0.0)], 32
        )

    def _springs(self, z: Floats, tolerance: float) -> list[Node]:
        out = []
        for i in range(len(self.masses) - 1):
            if i == self.touching:
                continue
            a, b = z[:, i] + 0.5 * self.sides[i], z[:, i + 1] - 0.5 * self.sides[i + 1]
            out.append(self._spring(f"spring {self.names[i]} to {self.names[i + 1]}", a, b, tolerance))
        if self.scenario.target.anchored:
            a = z[:, -1] + 0.5 * self.sides[-1]
            wall = a[0] + SPRING * self.side
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
            "translation": track(self.time, _along(a), tolerance),
            "scale": track(self.time, long, tolerance),
        }
        return Node(
            name=name,
            parts=(Part(mesh=mesh, material=STEEL, role=Role.LINK),),
            tracks=tracks,
        )

    def _latch(self, z: Floats, tolerance: float) -> list[Node]:
        """Return two pawls at the target's mouth, lifted as far as the tip has come in."""
        latch = self.scenario.latch
        assert latch is not None
        n = self.touching + 1
        mouth = z[:, n] - 0.5 * self.sides[n] - self._tip()
        apex = z[:, n - 1] + 0.5 * self.sides[n - 1] + self._tip()
        inside = apex - mouth
        slope = math.tan(latch.angle)
        lift = np.where(
            inside < latch.tip_length, np.clip(inside, 0.0, None) * slope, 0.4 * latch.tip_length * slope
        )
        size = np.array([0.5, 1.2, 0.12]) * latch.tip_length
        out = []
        for sign, name in ((1.0, "upper latch"), (-1.0, "lower latch")):
            place = np.stack(
                [sign * (lift + 0.5 * size[0]), np.zeros_like(lift), mouth + 0.5 * size[2]], axis=1
            )
            part = Part(mesh=solids.box(size), material=ORANGE, role=Role.CAD)
            out.append(
                Node(name=name, parts=(part,), tracks={"translation": track(self.time, place, tolerance)})
            )
        sleeve = Part(mesh=self._sleeve(), material=PALE, role=Role.CAVITY)
        out.append(_sliding("sleeve", mouth, [sleeve], self.time, tolerance))
        return out

    def _sleeve(self) -> Mesh:
        """Return the housing of the latch, from its mouth to the touching mass of the target."""
        latch = self.scenario.latch
        assert latch is not None
        radius = 1.35 * latch.tip_length * math.tan(latch.angle) + 0.5 * latch.tip_length
        thick = 0.06 * latch.tip_length
        return solids.revolved(
            [
                (0.0, radius),
                (0.0, radius + thick),
                (self._tip(), radius + thick),
                (self._tip(), radius),
                (0.0, radius),
            ],
            48,
        )

    def _arrow(self, z: Floats) -> list[Node]:
        if not np.isfinite(self.force).all() or not (self.force > 0.0).any():
            return []
        n = self.touching
        length = self.side * np.sqrt(np.maximum(self.force, 0.0) / self.force.max())
        front = z[:, n] + 0.5 * self.sides[n]
        up = np.full_like(front, 0.62 * self.sides[n : n + 2].max())
        place = np.stack([up, np.zeros_like(up), front], axis=1)
        out = []
        for name, turn in (("force on the target", 0.0), ("force on the chaser", math.pi)):
            half = 0.5 * turn
            tracks = {
                "translation": track(self.time, place, FINE * self.side),
                "scale": track(self.time, np.repeat(length[:, None], 3, axis=1), 5e-3 * self.side),
            }
            part = Part(mesh=ARROW, material=RED, role=Role.FORCE)
            wxyz = (math.cos(half), 0.0, math.sin(half), 0.0)
            out.append(Node(name=name, parts=(part,), rotation_wxyz=wxyz, tracks=tracks))
        return out


PALE = Material(name="latch housing", colour=(0.75, 0.53, 0.35), opacity=0.35, double_sided=True)
ARROW = solids.transformed(solids.arrow(), np.eye(3), np.array([0.0, 0.0, 1.0]))
"""Starts at the origin, its head at z = 1."""


def _along(z: Floats) -> Floats:
    return np.stack([np.zeros_like(z), np.zeros_like(z), z], axis=1)


def _sliding(name: str, z: Floats, parts: list[Part], time: Floats, tolerance: float) -> Node:
    tracks = {"translation": track(time, _along(z), tolerance)}
    return Node(name=name, parts=tuple(parts), tracks=tracks)
