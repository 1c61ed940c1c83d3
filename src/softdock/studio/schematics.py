"""Schematic SVG drawings of plates with pins and of structures of beams."""

import numpy as np

from softdock.flexible.structure import Structure
from softdock.model.interfaces import Interface
from softdock.result import Array
from softdock.scenario.station import Visitor

MOST_PINS = 6  # drawn side by side


def draw_pins(interface: Interface, size: tuple[float, float], chaser: str, target: str) -> str:
    """Return pins in front of their holes in side view, in the proportions of the interface."""
    width, height = size
    places = interface.layout.points()
    side = places[:, int(np.argmax(np.ptp(places, axis=0)))]
    rows = np.unique(np.round(side, 6))
    rows = rows[np.linspace(0, rows.size - 1, min(rows.size, MOST_PINS)).round().astype(int)]
    pitch = 0.66 * height / rows.size
    length = 0.26 * width
    thick = min(0.6 * pitch, length * interface.pin.diameter / interface.pin.length)
    depth = min(length * interface.hole.depth / interface.pin.length, 0.32 * width)
    wide = thick * (1.0 + min(interface.hole.clearance / interface.pin.diameter, 0.3)) + 3.0
    x, mouth = 0.16 * width, 0.52 * width
    tall = pitch * rows.size + 0.06 * height
    top = 0.5 * (height - tall)
    parts = [
        f'<rect x="{x - 14:.1f}" y="{top:.1f}" width="14" height="{tall:.1f}" rx="2" fill="{chaser}" '
        f'fill-opacity=".3" stroke="{chaser}" stroke-width="2"/>'
    ]
    edge = [f"M{mouth:.1f} {top:.1f}"]
    for i in range(rows.size):
        y = 0.5 * height + pitch * (i - 0.5 * (rows.size - 1))
        parts.append(
            f'<path d="M{x:.1f} {y - thick / 2:.1f}h{length - thick / 2:.1f}a{thick / 2:.1f} {thick / 2:.1f} 0 0 1 0 '
            f'{thick:.1f}h{thick / 2 - length:.1f}z" fill="{chaser}" fill-opacity=".3" stroke="{chaser}" '
            'stroke-width="1.8"/>'
        )
        edge.append(f"V{y - wide / 2:.1f}h{depth:.1f}v{wide:.1f}H{mouth:.1f}")
    edge.append(f"V{top + tall:.1f}H{mouth + 0.34 * width:.1f}V{top:.1f}z")
    parts.append(
        f'<path d="{"".join(edge)}" fill="{target}" fill-opacity=".2" stroke="{target}" stroke-width="2"/>'
    )
    return "".join(parts)


def draw_station(
    members: Structure, visitor: Visitor | None, size: tuple[float, float], chaser: str, ink: str
) -> str:
    """Return the beams of a structure and the visitor as a box, projected along the axis of smallest extent."""
    beams = [np.array([members.nodes[name] for name in beam.nodes]) for beam in members.all_beams().values()]
    if not beams:
        return ""
    every = np.vstack(beams)
    far, near = np.argsort(-np.ptp(every, axis=0))[:2]
    if visitor is not None:
        every = np.vstack((every, 2.0 * np.asarray(visitor.centre) - visitor.port))
    low, high = every.min(axis=0), every.max(axis=0)
    span = np.maximum(high - low, 1e-6)
    scale = min((size[0] - 40) / span[far], (size[1] - 36) / max(span[near], 1e-6))

    def flat(point: Array) -> str:
        x, y = (point - (low + high) / 2)[[far, near]] * scale + np.array(size) / 2
        return f"{x:.1f} {y:.1f}"

    parts = [f'<path d="M{flat(a)}L{flat(b)}" stroke="{ink}" stroke-width="3"/>' for a, b in beams]
    if visitor is not None:
        port, centre = np.asarray(visitor.port), np.asarray(visitor.centre)
        parts.append(
            f'<path d="M{flat(port)}L{flat(2 * centre - port)}" stroke="{chaser}" stroke-width="11"/>'
        )
    return "".join(parts)
