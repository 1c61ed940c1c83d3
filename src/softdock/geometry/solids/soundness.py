"""Sentences about what is wrong with a solid, so that it cannot be used."""

from softdock.geometry.solids.checks import crossing_faces, largest_jump
from softdock.geometry.solids.solid import Solid

LARGEST_SIZE = 500.0
"""Of a solid [m]; larger ones have a wrong unit."""
ALLOWED_JUMP = 20.0
"""Of the depth, in deviations of approximated faces: their triangles do not meet exact faces exactly."""


def solid_problems(solid: Solid, deviation: float) -> tuple[str, ...]:
    """Return why a solid cannot be used; `deviation` is that of its approximated faces [m]."""
    sentences = []
    if solid.size > LARGEST_SIZE:
        sentences.append(f"It is {solid.size:.4g} m large: check the unit with which it was exported.")
    sentences += _crossing_sentences(solid)
    jump = largest_jump(solid)
    if not sentences and jump.size > ALLOWED_JUMP * deviation:
        x, y, z = (1e3 * c for c in jump.place)
        sentences.append(
            f"Its faces contradict each other near ({x:.4g}, {y:.4g}, {z:.4g}) mm: the depth jumps there by "
            f"{jump.size * 1e3:.2g} mm. Faces meet there almost tangentially, or a boundary is damaged."
        )
    return tuple(sentences)


def _crossing_sentences(solid: Solid) -> list[str]:
    sentences = []
    for crossing in crossing_faces(solid)[:10]:
        a, b = (solid.faces[k] for k in crossing.faces)
        x, y, z = (1e3 * c for c in crossing.place)
        pair = (
            f"Faces {a.number} ({a.kind}) and {b.number} ({b.kind}) cross"
            if a.number != b.number
            else f"Face {a.number} ({a.kind}) crosses itself"
        )
        sentences.append(f"{pair} near ({x:.4g}, {y:.4g}, {z:.4g}) mm.")
    return sentences
