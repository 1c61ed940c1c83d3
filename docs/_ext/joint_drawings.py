"""Drawings of joint types as SVG: parent in grey, body in colour, arrows for the motions that the joint allows.

python docs/_ext/joint_drawings.py FOLDER      writes one file per joint type
"""

import math
import sys
from pathlib import Path

WIDTH, HEIGHT = 240, 166
PARENT, BODY, MOTION = "#8a9099", "#2f7fc1", "#d1495b"
Place = tuple[float, float]
X: Place = (-0.75, 0.42)
Y: Place = (0.9, 0.25)
Z: Place = (0.0, -1.0)
"""Directions of the axes on the page (x towards the reader)."""


def joint_svg(kind: str) -> str:
    """Return the drawing of a joint type as an SVG element."""
    drawn = "".join(DRAWINGS[kind]())
    return (
        f'<svg class="joint" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        f'aria-label="Drawing of a {kind} joint" xmlns="http://www.w3.org/2000/svg">{drawn}</svg>'
    )


def _at(p: Place, *steps: tuple[Place, float]) -> Place:
    x, y = p
    for direction, length in steps:
        x, y = x + direction[0] * length, y + direction[1] * length
    return x, y


def _line(a: Place, b: Place, colour: str, width: float = 2.0, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{colour}" '
        f'stroke-width="{width}" stroke-linecap="round"{dashed}/>'
    )


def _box(centre: Place, colour: str, a: float = 22, b: float = 22, c: float = 16) -> str:
    """Return a block of half-lengths a, b, c along x, y, z."""

    def corner(i: int, j: int, k: int) -> Place:
        return _at(centre, (X, i * a), (Y, j * b), (Z, k * c))

    faces = (
        (((1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)), 0.75),
        (((-1, 1, -1), (1, 1, -1), (1, 1, 1), (-1, 1, 1)), 0.55),
        (((-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)), 0.95),
    )
    return "".join(
        f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in (corner(*c) for c in corners))}" '
        f'fill="{_tint(colour, opacity)}" stroke="{colour}"/>'
        for corners, opacity in faces
    )


def _tint(colour: str, opacity: float) -> str:
    """Return a colour mixed with white."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (part - 255) * opacity):02x}" for part in parts)


def _arrow(a: Place, b: Place, both: bool = True) -> str:
    """Return a straight arrow for a translation."""
    angle = math.atan2(b[1] - a[1], b[0] - a[0])
    heads = _head(b, angle) + (_head(a, angle + math.pi) if both else "")
    return _line(a, b, MOTION, 2.2) + heads


def _head(tip: Place, angle: float, size: float = 7.0) -> str:
    points = [tip] + [
        (tip[0] - size * math.cos(angle + turn), tip[1] - size * math.sin(angle + turn))
        for turn in (0.45, -0.45)
    ]
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="{MOTION}"/>'


def _turn(centre: Place, u: Place, v: Place, radius: float = 17.0) -> str:
    """Return a circular arrow in the plane of directions u and v for a rotation about their normal."""
    angles = [math.radians(a) for a in range(20, 321, 10)]
    points = [_at(centre, (u, radius * math.cos(a)), (v, radius * math.sin(a))) for a in angles]
    (x0, y0), (x1, y1) = points[-2], points[-1]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    line = f'<polyline points="{path}" fill="none" stroke="{MOTION}" stroke-width="2.2"/>'
    return line + _head((x1, y1), math.atan2(y1 - y0, x1 - x0))


def _label(p: Place, text: str) -> str:
    return f'<text x="{p[0]:.1f}" y="{p[1]:.1f}" font-size="12" fill="currentColor">{text}</text>'


def _free() -> list[str]:
    c = (120.0, 82.0)
    return [
        _line(_at(c, (X, -60)), _at(c, (X, 62)), PARENT, 1, "4 3"),
        _line(_at(c, (Y, -66)), _at(c, (Y, 66)), PARENT, 1, "4 3"),
        _box(c, BODY),
        _line(_at(c, (Z, 16)), _at(c, (Z, 66)), PARENT, 1, "4 3"),
        _arrow(_at(c, (X, 26)), _at(c, (X, 58))), _arrow(_at(c, (Y, 28)), _at(c, (Y, 62))),
        _arrow(_at(c, (Z, 24)), _at(c, (Z, 58))), _turn(_at(c, (Z, 42)), X, Y, 13),
        _label((8, 160), "3 translations, 3 rotations"),
    ]  # fmt: skip


def _fixed() -> list[str]:
    c = (120.0, 100.0)
    return [
        _box(c, PARENT, 34, 34, 14),
        _box(_at(c, (Z, 36)), BODY, 22, 22, 22),
        _label((8, 160), "no motion"),
    ]


def _revolute() -> list[str]:
    c = (120.0, 104.0)
    return [
        _box(c, PARENT, 30, 30, 12), _line(_at(c, (Z, 12)), _at(c, (Z, 28)), PARENT, 9),
        _box(_at(c, (Z, 42)), BODY, 12, 40, 12), _line(_at(c, (Z, 54)), _at(c, (Z, 94)), PARENT, 1, "4 3"),
        _turn(_at(c, (Z, 74)), X, Y, 17), _label(_at(c, (Z, 90), (Y, 10)), "axis"), _label((8, 160), "joint"),
    ]  # fmt: skip


def _prismatic() -> list[str]:
    c = (120.0, 104.0)
    return [
        _box(c, PARENT, 30, 30, 12), _line(_at(c, (Z, 12)), _at(c, (Z, 84)), PARENT, 9),
        _box(_at(c, (Z, 46)), BODY, 22, 22, 14), _line(_at(c, (Z, 60)), _at(c, (Z, 84)), PARENT, 9),
        _arrow(_at(c, (Z, 28), (Y, 44)), _at(c, (Z, 74), (Y, 44))), _label(_at(c, (Z, 78), (Y, 6)), "axis"),
        _label((8, 160), "joint"),
    ]  # fmt: skip


def _cylindrical() -> list[str]:
    c = (120.0, 104.0)
    return [
        *_prismatic()[:-2], _turn(_at(c, (Z, 88)), X, Y, 15), _label(_at(c, (Z, 84), (Y, 24)), "axis"),
        _label((8, 160), "joint (position), joint1 (angle)"),
    ]  # fmt: skip


def _universal() -> list[str]:
    c = (120.0, 72.0)
    return [
        _box(_at(c, (Z, -36)), PARENT, 26, 26, 9),
        _line(_at(c, (Z, -27), (X, 24)), _at(c, (X, 24)), PARENT, 6),
        _line(_at(c, (Z, -27), (X, -24)), _at(c, (X, -24)), PARENT, 6),
        _line(_at(c, (X, -24)), _at(c, (X, 24)), PARENT, 3), _line(_at(c, (Y, -24)), _at(c, (Y, 24)), BODY, 3),
        _line(_at(c, (Y, 24)), _at(c, (Y, 24), (Z, 28)), BODY, 6),
        _line(_at(c, (Y, -24)), _at(c, (Y, -24), (Z, 28)), BODY, 6), _box(_at(c, (Z, 36)), BODY, 24, 26, 8),
        _turn(_at(c, (X, 46)), Y, Z, 12), _turn(_at(c, (Y, 50)), Z, X, 12),
        _label((8, 160), "joint (first axis), joint1 (second)"),
    ]  # fmt: skip


def _spherical() -> list[str]:
    c = (120.0, 88.0)
    return [
        _box(_at(c, (Z, -24)), PARENT, 30, 30, 10),
        f'<circle cx="{c[0]}" cy="{c[1]}" r="16" fill="{PARENT}"/>',
        f'<circle cx="{c[0]}" cy="{c[1]}" r="11" fill="{BODY}"/>',
        _line(c, _at(c, (Z, 36)), BODY, 6), _box(_at(c, (Z, 46)), BODY, 22, 22, 10),
        _turn(_at(c, (Z, 72)), X, Y, 13), _turn(_at(c, (X, 58)), Y, Z, 12), _turn(_at(c, (Y, 58)), Z, X, 12),
        _label((8, 160), "3 rotations about one point"),
    ]  # fmt: skip


def _planar() -> list[str]:
    c = (120.0, 92.0)
    return [
        _box(_at(c, (Z, -10)), PARENT, 58, 58, 4), _box(_at(c, (Z, 10)), BODY, 18, 18, 12),
        _arrow(_at(c, (X, 24)), _at(c, (X, 54))), _arrow(_at(c, (Y, 24)), _at(c, (Y, 54))),
        _turn(_at(c, (Z, 40)), X, Y, 14), _label((8, 160), "joint (x), joint1 (y), joint2 (angle)"),
    ]  # fmt: skip


DRAWINGS = {
    "free": _free, "fixed": _fixed, "revolute": _revolute, "prismatic": _prismatic, "cylindrical": _cylindrical,
    "universal": _universal,
    "spherical": _spherical, "planar": _planar,
}  # fmt: skip
"""One drawing per joint type; a test checks that all types have one."""

if __name__ == "__main__":
    for name in DRAWINGS:
        Path(sys.argv[1], f"joint-{name}.svg").write_text(joint_svg(name), encoding="utf-8")
