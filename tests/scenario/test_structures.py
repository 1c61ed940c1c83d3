"""Flexible structures, locks and orbits in scenario files: modes from files, and messages about bad input."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from softdock.cli import app
from softdock.errors import InputError, Problem
from softdock.flexible import Beam, RigidPart, Section, Structure, base_modes, mesh
from softdock.scenario.loading import load

GOOD = """\
softdock: 1
kind: multibody
duration: 2 s
bodies:
  station: {}
  chaser: {mass: 3 t, inertia: [4000, 4000, 3000], joint: {type: free, position: [-9, 0, 0], velocity: [0.05, 0, 0]}}
structures:
  tower:
    body: station
    base: foot
    damping: 0.01
    modes: 4
    members:
      nodes: {foot: [0, 0, 0], hub: [0, 0, -20], top: [0, 0, -40]}
      sections:
        mast: {axial: 1e7, bending_y: 2e6, bending_z: 2e6, torsion: 1e6, mass_per_length: 12, polar: 0.5}
      beams:
        low: {nodes: [foot, hub], section: mast, elements: 3}
        high: {nodes: [hub, top], section: mast, elements: 3}
      parts: {bus: {node: foot, mass: 8 t, inertia: [2e4, 2e4, 1e4]}}
locks:
  hard-dock: {a: {body: station, at: [-8, 0, 0]}, b: {body: chaser, at: [1, 0, 0]}}
loads:
  push: {body: station, node: tower/top, force: [1, 0, 0], pulses: [{start: 0 s, duration: 0.5 s}]}
events:
  docking: {when: time > 1 s, then: [{enable: hard-dock}]}
orbit: {altitude: 500 km}
metrics: {tip: max tower/top.deflection, rate: max tower/low.1.dx_rate, pitch: final station.qy in hill}
"""


def refusal(tmp_path: Path, old: str, new: str) -> Problem:
    assert old in GOOD
    file = tmp_path / "case.yaml"
    file.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(file)
    return caught.value.problems[0]


def test_a_scenario_with_structure_lock_load_and_orbit_runs(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(GOOD, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(file), "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    m = result["metrics"]
    assert m["modes_tower"] == 4
    assert 0.0 < m["residual_tower"] < 1.0
    assert m["tip"] > 0.0
    assert m["rate"] > 0.0
    assert [event["name"] for event in result["events"]] == ["docking"]
    assert result["audit"]["energy_residual"] < 1e-4


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            "nodes: [hub, top], section",
            "nodes: [foot, hub], section",
            17,
            "no chain of beams leads from node",
        ),
        ("top: [0, 0, -40]", "top: [0, 0, -20]", 19, "oincide: a beam needs a length"),
        ("torsion: 1e6", "torsion: 0", 13, "is a mechanism: node"),
        ("modes: 4", "modes: 400", 12, "ust be at most 36"),
        ("modes: 4", "modes: {below: 1 Hz, share: 0.1}", 12, "exactly one of below, share and residual"),
        ("damping: 0.01", "damping: 1.5", 11, "below 1"),
        ("damping: 0.01", "damping: [0.01, 0.02]", 11, "one for each mode that is kept"),
        ("base: foot", "base: feet", 10, "no node called 'feet'"),
        ("body: station\n    base", "body: sation\n    base", 9, "no body called 'sation'"),
        ("altitude: 500 km", "altitude: -7000 km", 27, "intersects the Earth"),
        ("altitude: 500 km", "altitude: 500 km, eccentricity: 1.2", 27, "below 1"),
        ("station: {}", "station: {joint: {type: fixed}}", 5, "no ground"),
        ("node: tower/top", "node: tower/tip", 24, "no node 'tip'"),
        ("max tower/top.deflection", "max tower/tip.deflection", 28, "did you mean 'top'"),
        ("max tower/top.deflection", "max tower/top.bending", 28, "has no 'bending'"),
        ("enable: hard-dock", "enable: soft-dock", 26, "no element or contact called 'soft-dock'"),
        ("b: {body: chaser", "b: {body: station", 22, "ust be another body"),
    ],
)
def test_bad_input_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    problem = refusal(tmp_path, old, new)
    assert message in problem.message
    assert problem.line == line
    assert problem.file.endswith("case.yaml")


def write_modes_file(tmp_path: Path, defect: str = "") -> None:
    section = Section(axial=1e7, bending_y=2e6, bending_z=2e6, torsion=1e6, mass_per_length=12.0, polar=0.5)
    structure = Structure(
        nodes={"foot": (0.0, 0.0, 0.0), "top": (0.0, 0.0, -40.0)},
        sections={"mast": section},
        beams={"mast": Beam(nodes=("foot", "top"), section="mast", elements=6)},
        parts={"bus": RigidPart(node="foot", mass=8000.0, inertia=(2e4, 2e4, 1e4))},
    )
    meshed = mesh(structure)
    modes = base_modes(meshed, "foot", 5)
    shapes = modes.shapes.copy()
    if defect == "scaled":
        shapes[:, :, 2] *= 1.1
    if defect == "mixed":
        shapes[:, :, 1] = np.sqrt(0.5) * (shapes[:, :, 1] + shapes[:, :, 3])
    np.savez(
        tmp_path / "modes.npz", names=np.array(meshed.names), positions=meshed.positions, frequency=modes.frequency,
        shapes=shapes, mass=meshed.mass.toarray(),
    )  # fmt: skip


def with_file() -> str:
    start, end = GOOD.index("    members:"), GOOD.index("locks:")
    text = GOOD[:start] + "    file: modes.npz\n" + GOOD[end:]
    return text.replace("tower/low.1", "tower/mast.1")


def test_modes_are_read_from_a_file(tmp_path: Path) -> None:
    write_modes_file(tmp_path)
    (tmp_path / "case.yaml").write_text(with_file(), encoding="utf-8")
    scenario = load(tmp_path / "case.yaml")
    kept = scenario.structures["tower"].find_modes(tmp_path)  # type: ignore[attr-defined]
    assert kept.frequency.size == 4
    done = CliRunner().invoke(app, ["run", str(tmp_path / "case.yaml"), "--json"])
    assert done.exit_code == 0, done.output


def write_nastran_files(folder: Path, mass: float = 5.0) -> Structure:
    """Write bulk data and punched eigenvectors of a mast with lumped masses, as Nastran would."""
    section = Section(axial=1e7, bending_y=2e6, bending_z=2e6, torsion=1e6, mass_per_length=0.0)
    places = {"foot": (0.0, 0.0, 0.0), "top": (0.0, 0.0, -40.0)}
    masses = {"foot": (8000.0, (2e4, 2e4, 1e4)), "top": (mass, (4.0, 3.0, 2.0))}
    structure = Structure(
        nodes=places,
        sections={"mast": section},
        beams={"mast": Beam(nodes=("foot", "top"), section="mast")},
        parts={node: RigidPart(node=node, mass=m, inertia=J) for node, (m, J) in masses.items()},
    )
    modes = base_modes(mesh(structure), "foot")
    bulk = ["BEGIN BULK"]
    for grid, node in enumerate(places, 1):
        m, J = masses[node]
        bulk += [f"GRID,{grid},,{','.join(map(str, places[node]))}", f"CONM2,{10 + grid},{grid},,{m}"]
        bulk += [f"+,{J[0]},,{J[1]},,,{J[2]}"]
    punch = []
    for k, f in enumerate(modes.frequency):
        punch += ["$TITLE   =", "$EIGENVECTOR", "$REAL OUTPUT"]
        punch += [f"$EIGENVALUE = {(2 * np.pi * f) ** 2:14.7E}  MODE = {k + 1:5d}"]
        for grid in (1, 2):
            turn, shift = modes.shapes[grid - 1, :3, k], modes.shapes[grid - 1, 3:, k]
            punch += [f"{grid:>10}       G{''.join(f'{v:18.6E}' for v in shift)}"]
            punch += [f"-CONT-{'':12}{''.join(f'{v:18.6E}' for v in turn)}"]
    (folder / "mast.bdf").write_text("\n".join([*bulk, "ENDDATA"]), encoding="utf-8")
    (folder / "mast.pch").write_text("\n".join(punch), encoding="utf-8")
    return structure


def with_nastran() -> str:
    start, end = GOOD.index("    members:"), GOOD.index("locks:")
    text = GOOD[:start] + "    nastran: {bulk: mast.bdf, eigenvectors: mast.pch}\n" + GOOD[end:]
    text = text.replace("base: foot", "base: 1").replace("tower/top", "tower/2")
    return text.replace("tower/low.1", "tower/2")


def test_modes_from_nastran_move_as_the_members_that_they_describe(tmp_path: Path) -> None:
    structure = write_nastran_files(tmp_path)
    (tmp_path / "case.yaml").write_text(with_nastran(), encoding="utf-8")
    imported = load(tmp_path / "case.yaml")
    tower = imported.structures["tower"].model_copy(  # type: ignore[attr-defined]
        update={"nastran": None, "base": "foot", "members": structure}
    )
    wanted = tower.find_modes(tmp_path)
    done = CliRunner().invoke(app, ["run", str(tmp_path / "case.yaml"), "--json"])
    assert done.exit_code == 0, done.output
    metrics = json.loads(done.stdout)["metrics"]
    assert metrics["modes_tower"] == 4
    kept = imported.structures["tower"].find_modes(tmp_path)  # type: ignore[attr-defined]
    printed = 2e-6  # seven digits
    np.testing.assert_allclose(kept.frequency, wanted.frequency, rtol=printed)
    text = with_nastran().replace("tower/2", "tower/top").replace("base: 1", "base: foot")
    members = f"members: {structure.model_dump_json()}"
    text = text.replace("nastran: {bulk: mast.bdf, eigenvectors: mast.pch}", members)
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    own = json.loads(CliRunner().invoke(app, ["run", str(tmp_path / "own.yaml"), "--json"]).stdout)["metrics"]
    assert metrics["tip"] == pytest.approx(own["tip"], rel=1e-4)
    assert own["tip"] > 0.0


def test_messages_about_bad_nastran_files_name_them(tmp_path: Path) -> None:
    write_nastran_files(tmp_path)
    case = tmp_path / "case.yaml"
    case.write_text(with_nastran(), encoding="utf-8")
    bulk = (tmp_path / "mast.bdf").read_text(encoding="utf-8")
    (tmp_path / "mast.bdf").write_text(bulk.replace(",,5.0", ",,6.0"), encoding="utf-8")
    with pytest.raises(InputError, match="mass-normalised") as caught:
        load(case)
    assert caught.value.problems[0].field == "structures.tower.nastran"
    case.write_text(with_nastran().replace("base: 1", "base: 7"), encoding="utf-8")
    (tmp_path / "mast.bdf").write_text(bulk, encoding="utf-8")
    with pytest.raises(InputError, match="7"):
        load(case)
    (tmp_path / "mast.pch").unlink()
    with pytest.raises(InputError, match=r"does not exist \(mast.pch\)"):
        load(case)
    (tmp_path / "mast.bdf").write_text(bulk.replace("GRID,2,,0.0", "GRID,2,,0.0x"), encoding="utf-8")
    with pytest.raises(InputError, match=r"in field 4 \(mast.bdf, line 5, given 0.0x\)"):
        load(case)


def plain_array() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"\x00\x01", plain_array()])
def test_files_without_arrays_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "modes.npz").write_bytes(content)
    (tmp_path / "case.yaml").write_text(with_file(), encoding="utf-8")
    with pytest.raises(InputError, match="not an archive of plain arrays") as caught:
        load(tmp_path / "case.yaml")
    assert caught.value.problems[0].field == "structures.tower.file"


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    write_modes_file(tmp_path)
    file = tmp_path / "modes.npz"
    file.write_bytes(file.read_bytes()[:2000])
    (tmp_path / "case.yaml").write_text(with_file(), encoding="utf-8")
    with pytest.raises(InputError, match="not an archive of plain arrays"):
        load(tmp_path / "case.yaml")


@pytest.mark.parametrize(("defect", "message"), [("scaled", "mass"), ("mixed", "orthogonal")])
def test_modes_that_are_not_normalised_or_orthogonal_are_refused(
    tmp_path: Path, defect: str, message: str
) -> None:
    write_modes_file(tmp_path, defect)
    (tmp_path / "case.yaml").write_text(with_file(), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path / "case.yaml")
    problem = caught.value.problems[0]
    assert problem.field == "structures.tower.file"
    assert problem.line == 13


def test_a_missing_file_of_modes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text(with_file(), encoding="utf-8")
    with pytest.raises(InputError, match="does not exist"):
        load(tmp_path / "case.yaml")


def test_far_nodes_and_huge_numbers_are_refused(tmp_path: Path) -> None:
    far = refusal(tmp_path, "top: [0, 0, -40]", "top: [0, 0, -1e12]")
    assert (far.field, far.line) == ("structures.tower.members.nodes.top", 14)
    assert "at most 1e+06 m" in far.message
    huge = refusal(tmp_path, "top: [0, 0, -40]", "top: [0, 0, 1.7e308]")
    assert huge.field == "structures.tower.members.nodes.top.2"
    assert "magnitude of at most 1e+100" in huge.message
