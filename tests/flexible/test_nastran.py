"""Reader of Nastran files, with files written from computed modes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from softdock.errors import InputError
from softdock.flexible import (
    BaseModes,
    Beam,
    RigidPart,
    Section,
    Structure,
    base_modes,
    free_modes,
    mesh,
    read_nastran,
)
from softdock.flexible.nastran import read_free_nastran

LIGHT = Section(axial=1e6, bending_y=2e4, bending_z=5e4, torsion=1e4, mass_per_length=0.0)
LOPSIDED = ((2.0, 0.1, 0.2), (0.1, 1.5, 0.3), (0.2, 0.3, 1.0))
PARTS = {
    1: RigidPart(node="n1", mass=200.0, inertia=(50.0, 60.0, 70.0)),
    2: RigidPart(
        node="n2",
        mass=4.0,
        centre_of_mass=(0.1, -0.2, 0.3),
        inertia=((2, 0.1, 0.2), (0.1, 1.5, 0.3), (0.2, 0.3, 1)),
    ),
    3: RigidPart(node="n3", mass=1.5, inertia=(0.4, 0.3, 0.2)),
}
NODES = {1: (0.0, 0.0, 0.0), 2: (3.0, 0.5, 0.0), 3: (3.5, 2.0, -1.25)}
COUNT = 8


@pytest.fixture(scope="module")
def own() -> BaseModes:
    return computed_modes()


def computed_modes() -> BaseModes:
    beams = {
        f"b{i}": Beam(nodes=(f"n{i}", f"n{i + 1}"), section="light", side=(0.0, 0.0, 1.0)) for i in (1, 2)
    }
    structure = Structure(
        nodes={f"n{i}": p for i, p in NODES.items()},
        sections={"light": LIGHT},
        beams=beams,
        parts={f"p{i}": part for i, part in PARTS.items()},
    )
    return base_modes(mesh(structure), "n1", COUNT)


def mass_fields(part: RigidPart) -> list[float]:
    J = part.inertia_matrix()
    return [part.mass, *part.centre_of_mass, J[0, 0], -J[1, 0], J[1, 1], -J[2, 0], -J[2, 1], J[2, 2]]


def free_field() -> str:
    lines = ["SOL 103", "CEND", "  VECTOR(PUNCH)=ALL", "BEGIN BULK", "$ grid points"]
    lines += [f"GRID,{i},,{p[0]},{p[1]},{p[2]}" for i, p in NODES.items()]
    for i, part in PARTS.items():
        m, x, y, z, *J = mass_fields(part)
        lines += [f"CONM2,{10 + i},{i},,{m},{x},{y},{z},,+C{i}", f"+C{i},{','.join(map(str, J))}"]
    return "\n".join([*lines, "CBAR,7,1,1,2,0.,0.,1.", "ENDDATA"])


def short(value: float) -> str:
    """Return a number in eight columns; an exponent is written without its letter."""
    text = f"{value:.5g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa if '.' in mantissa else mantissa + '.'}{int(exponent):+d}"
    elif "." not in text:
        text += "."
    return f"{text:>8}"


def small_field() -> str:
    lines = [f"GRID    {i:>8}{'':8}{''.join(map(short, p))}" for i, p in NODES.items()]
    for i, part in PARTS.items():
        m, x, y, z, *J = mass_fields(part)
        lines += [f"CONM2   {10 + i:>8}{i:>8}{'':8}{''.join(map(short, (m, x, y, z)))}{'':8}+C{i}"]
        lines += [f"+C{i}     {''.join(map(short, J))}"]
    return "\n".join(lines)


def large_field() -> str:
    def wide(*values: object) -> str:
        return "".join(f"{v:>16}" for v in values)

    lines = []
    for i, p in NODES.items():
        lines += [
            f"GRID*   {wide(i, '', f'{p[0]:.8E}', f'{p[1]:.8E}')}*G{i}",
            f"*G{i}     {wide(f'{p[2]:.8E}'.replace('E', 'D'))}",
        ]
    for i, part in PARTS.items():
        m, x, y, z, *J = mass_fields(part)
        lines += [f"CONM2*  {wide(10 + i, i, '', m)}", f"*       {wide(x, y, z, '')}"]
        lines += [f"*       {wide(*J[:4])}", f"*       {wide(*J[4:])}"]
    return "\n".join(lines)


def punch(modes: BaseModes) -> str:
    lines, n = [], 0

    def put(text: str) -> None:
        nonlocal n
        n += 1
        lines.append(f"{text:<72}{n:>8}")

    for k, f in enumerate(modes.frequency):
        for table in ("$EIGENVECTOR", "$SPCF"):  # the table of forces at the base has the same form
            for text in (
                "$TITLE   =",
                "$SUBTITLE=",
                "$LABEL   =",
                table,
                "$REAL OUTPUT",
                "$SUBCASE ID =           1",
            ):
                put(text)
            put(f"$EIGENVALUE = {(2 * np.pi * f) ** 2:14.7E}  MODE = {k + 1:5d}")
            for i in NODES:
                turn, shift = modes.shapes[i - 1, :3, k], modes.shapes[i - 1, 3:, k]
                put(f"{i:>10}       G{''.join(f'{v:18.6E}' for v in shift)}")
                put(f"-CONT-{'':12}{''.join(f'{v:18.6E}' for v in turn)}")
    return "\n".join(lines)


def test_free_modes_are_read_without_rigid_body_modes(tmp_path: Path) -> None:
    """A free run prints six rigid-body modes with eigenvalues of round-off, of either sign, before the elastic ones."""
    beams = {
        f"b{i}": Beam(nodes=(f"n{i}", f"n{i + 1}"), section="light", side=(0.0, 0.0, 1.0)) for i in (1, 2)
    }
    meshed = mesh(
        Structure(
            nodes={f"n{i}": p for i, p in NODES.items()},
            sections={"light": LIGHT},
            beams=beams,
            parts={f"p{i}": part for i, part in PARTS.items()},
        )
    )
    own = free_modes(meshed, 5)
    R = meshed.rigid_motions(meshed.positions[0])
    rigid = np.linalg.solve(np.linalg.cholesky(R.T @ (meshed.mass @ R)), R.T).T.reshape(3, 6, 6)
    written = replace(
        base_modes(meshed, "n1", COUNT),
        frequency=np.concatenate([np.full(6, 1e-5), own.frequency]),
        shapes=np.concatenate([rigid, own.shapes], axis=2),
    )
    (tmp_path / "m.bdf").write_text(free_field())
    text = punch(written)
    (tmp_path / "m.pch").write_text(
        text.replace("$EIGENVALUE =  3.9478418E-09", "$EIGENVALUE = -3.9478418E-09", 4)
    )
    found_mesh, found = read_free_nastran(tmp_path / "m.bdf", tmp_path / "m.pch", base=1)
    np.testing.assert_allclose(found.frequency, own.frequency, rtol=1e-6)
    np.testing.assert_allclose(found.shapes, own.shapes, atol=1e-5 * np.abs(own.shapes).max())
    np.testing.assert_allclose(found_mesh.mass.toarray(), meshed.mass.toarray(), atol=1e-9)
    with pytest.raises(InputError, match=r"must be clamped|must be zero at the base"):
        read_nastran(tmp_path / "m.bdf", tmp_path / "m.pch", base=1)


def f06(modes: BaseModes) -> str:
    lines = [
        "1    MSC.NASTRAN JOB",
        "0                R E A L   E I G E N V A L U E S",
        "   MODE    EXTRACTION",
    ]
    for k, f in enumerate(modes.frequency):
        for page in ((1, 2), (3,)):  # a page break in the middle of the mode
            lines += [f"      EIGENVALUE = {(2 * np.pi * f) ** 2:13.6E}"]
            lines += [
                f"          CYCLES = {f:13.6E}         R E A L   E I G E N V E C T O R   N O . {k + 1:>10}",
                "",
            ]
            lines += ["      POINT ID.   TYPE          T1             T2             T3             R1"]
            for i in page:
                row = np.concatenate([modes.shapes[i - 1, 3:, k], modes.shapes[i - 1, :3, k]])
                lines.append(
                    f"{i:>14}      G   {''.join(f'{v:15.6E}' if v else '   0.0         ' for v in row)}"
                )
        lines += ["     F O R C E S   O F   S I N G L E - P O I N T   C O N S T R A I N T"]
        lines += ["             1      G      1.0  2.0  3.0  4.0  5.0  6.0"]
    return "\n".join(lines)


@pytest.mark.parametrize("bulk", [free_field, small_field, large_field])
@pytest.mark.parametrize("results", [punch, f06])
def test_nastran_files_are_read(
    tmp_path: Path, own: BaseModes, bulk: Callable[[], str], results: Callable[[BaseModes], str]
) -> None:
    (tmp_path / "model.bdf").write_text(bulk())
    (tmp_path / "modes").write_text(results(own))
    found = read_nastran(tmp_path / "model.bdf", tmp_path / "modes", base=1)
    printed = 2e-6  # seven digits
    np.testing.assert_allclose(found.frequency, own.frequency, rtol=printed)
    np.testing.assert_allclose(found.shapes, own.shapes, atol=printed * np.abs(own.shapes).max())
    np.testing.assert_allclose(found.inertia, own.inertia, rtol=1e-12, atol=1e-12)
    scale = np.sqrt(np.abs(np.diag(own.inertia)))[:, None]
    np.testing.assert_allclose(found.participation / scale, own.participation / scale, atol=10 * printed)
    assert found.names == ("1", "2", "3")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "GRID,3,,",
            "GRID,3,5,",
            r"model\.bdf:8: GRID must be in the basic coordinate system\. Given: system 5",
        ),
        ("GRID,3,,3.5", "GRID,3,,3.5x", r"model\.bdf:8: GRID needs a number in field 4\. Given: 3\.5x"),
        ("GRID,3,,3.5", "GRID,3,,1e999", r"model\.bdf:8: GRID needs a number up to 1e\+100 in field 4"),
        ("GRID,3,,3.5", "GRID,3,,1e80", r"modes\.pch: positions: must be at most 1e\+06 m"),
        ("GRID,3,", "GRID,4,", r"CONM2 refers to GRID 3, which does not exist"),
        ("CONM2,12,2,,4.0", "CONM2,12,2,,8.0", r"must be mass-normalised: mode \d has the modal mass"),
    ],
)
def test_errors_in_bulk_data_are_rejected(
    tmp_path: Path, own: BaseModes, old: str, new: str, message: str
) -> None:
    text = free_field()
    assert old in text
    (tmp_path / "model.bdf").write_text(text.replace(old, new))
    (tmp_path / "modes.pch").write_text(punch(own))
    with pytest.raises(InputError, match=message):
        read_nastran(tmp_path / "model.bdf", tmp_path / "modes.pch", base=1)


def test_errors_in_results_are_rejected(tmp_path: Path, own: BaseModes) -> None:
    bulk, results = tmp_path / "model.bdf", tmp_path / "modes.f06"
    bulk.write_text(free_field())

    def refused(text: str, message: str) -> None:
        results.write_text(text)
        with pytest.raises(InputError, match=message):
            read_nastran(bulk, results, base=1)

    refused("nothing here", "has no eigenvectors: ask Nastran for")
    good = f06(own)
    rows = [line for line in good.splitlines() if line.startswith("             3")]
    refused(good.replace(rows[2] + "\n", ""), "Mode 3 has no motion of grid point 3")
    refused(good.replace(rows[2], rows[2] + "\n" + rows[2]), "grid point 3 appears twice in one mode")
    refused(
        "\n".join(line for line in good.splitlines() if line not in rows),
        "no motion of grid point 3, which has mass",
    )
    value = f"EIGENVALUE = {'9' * 5000}"
    refused(good.replace("EIGENVALUE =", value).replace("E-", "D-"), r"modes\.f06: frequency: must be finite")
    with pytest.raises(InputError, match="a folder"):
        read_nastran(bulk, tmp_path, base=1)
    with pytest.raises(InputError, match="does not exist"):
        read_nastran(tmp_path / "none.bdf", results, base=1)
    bulk.write_text("SOL 103")
    with pytest.raises(InputError, match="has no GRID"):
        read_nastran(bulk, results, base=1)
