"""Names of the faces of a STEP file, which the reader of shapes does not return."""

import re
from collections.abc import Sequence

from softdock.geometry.facets import ExactFace

_STATEMENT = re.compile(
    rb"#(\d+)\s*=\s*(ADVANCED_FACE|CLOSED_SHELL|MANIFOLD_SOLID_BREP|BREP_WITH_VOIDS|PLANE|\w+_SURFACE|"
    rb"ORIENTED_CLOSED_SHELL)\s*\(((?:'(?:[^']|'')*'|[^';])*)\)\s*;"
)
_NAME = re.compile(rb"\s*'((?:[^']|'')*)'")
_REFERENCE = re.compile(rb"#(\d+)")
_KINDS = {
    b"PLANE": "plane",
    b"CYLINDRICAL_SURFACE": "cylinder",
    b"CONICAL_SURFACE": "cone",
    b"SPHERICAL_SURFACE": "sphere",
    b"TOROIDAL_SURFACE": "torus",
}


def face_names(data: bytes, faces: Sequence[ExactFace | None]) -> tuple[str, ...] | None:
    """Return the names of the faces of a body, `""` for none; None where the file has no solid with these faces.

    A solid of the file is that body if its faces have the same kinds in the same order, or if all solids that have them
    give the same names.
    """
    statements = {int(m[1]): (m[2], m[3]) for m in _STATEMENT.finditer(data)}
    kinds = [None if face is None else face.kind for face in faces]
    found = {
        names
        for kind, text in statements.values()
        if kind in (b"MANIFOLD_SOLID_BREP", b"BREP_WITH_VOIDS")
        for names, own in [_named_kinds(statements, text)]
        if own == kinds
    }
    return found.pop() if len(found) == 1 else None


def _named_kinds(
    statements: dict[int, tuple[bytes, bytes]], text: bytes
) -> tuple[tuple[str, ...], list[str | None]]:
    """Return the names and kinds of the faces of a solid, None for splines."""
    shells = [number for number in _references(text) if number in statements]
    shells = [
        inner
        for number in shells
        for inner in (
            _references(statements[number][1])
            if statements[number][0] == b"ORIENTED_CLOSED_SHELL"
            else (number,)
        )
        if statements.get(inner, (b"", b""))[0] == b"CLOSED_SHELL"
    ]
    names, kinds = [], []
    for shell in shells:
        for number in _references(statements[shell][1]):
            kind, face = statements.get(number, (b"", b""))
            if kind == b"ADVANCED_FACE":
                names.append(_name_of(face))
                surface = statements.get(_references(face)[-1], (b"", b""))[0]
                kinds.append(_KINDS.get(surface))
    return tuple(names), kinds


def _references(text: bytes) -> list[int]:
    return [int(number) for number in _REFERENCE.findall(re.sub(rb"'(?:[^']|'')*'", b"", text))] or [-1]


def _name_of(text: bytes) -> str:
    name = _NAME.match(text)
    return name[1].decode("utf-8", "replace").replace("''", "'") if name else ""
