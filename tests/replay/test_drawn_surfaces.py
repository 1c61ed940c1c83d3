"""Surfaces in the replay: what touches is drawn as it is computed, the rest as in the CAD file."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

import softdock
from softdock.geometry.cad import read_surface
from softdock.replay import cad, solids
from softdock.replay.cad import cad_mesh
from softdock.replay.scene import Role
from softdock.replay.scene_builder import scene
from softdock.result import Result

CAD = Path(softdock.__file__).parent / "scenario/bundled/cad"
FILES = Path(__file__).parents[1] / "geometry/files"
PROBE = """
softdock: 1
kind: multibody
title: "A probe on ball joints"
duration: 20 ms
bodies:
  chaser: {mass: 500 kg, inertia: [200, 200, 200]}
  arm: {parent: chaser, joint: {type: spherical, at: [0, 0, 1 m]}, mass: 2 kg, inertia: [0.05, 0.05, 0.01]}
  probe: {parent: arm, joint: {type: spherical, at: [0, 0, 0.5 m]}, mass: 1 kg, inertia: [0.01, 0.01, 0.01]}
  wrist: {parent: probe, joint: {type: spherical, at: [0, 0, 0.19 m]}, mass: 0.1 kg, inertia: [0.001, 0.001, 0.001]}
  target: {mass: 500 kg, inertia: [200, 200, 200], joint: {type: free, position: [0, 0, 2 m]}}
surfaces:
  tip: {body: probe, file: bumper.step}
  cup: {body: target, file: drogue.step, side: inside}
contacts:
  touch: {a: cup, b: tip, layer: {stiffness: 2e9 N/m^3}}
approach: {chaser: chaser, tip: {body: probe}, port: {body: target}, distance: 260 mm, speed: 0.1 m/s}
"""


@pytest.fixture
def probe(tmp_path: Path) -> Result:
    """A saved run in a folder with copies of its CAD files."""
    for name in ("bumper.step", "drogue.step"):
        shutil.copy(CAD / name, tmp_path)
    (tmp_path / "probe.yaml").write_text(PROBE)
    softdock.simulate(softdock.load(tmp_path / "probe.yaml"), with_prediction=False).save(tmp_path / "out")
    return Result.load(tmp_path / "out")


def test_a_large_part_with_few_faces_is_drawn_with_few_triangles(tmp_path: Path) -> None:
    """Half an ellipsoid of 7 m and of 70 um: the facets depend on the shape, not on the size."""
    text = (FILES / "half_ellipsoid.step").read_text()
    for unit in (".DECI.", ".MICRO."):
        path = tmp_path / f"part{unit}step"
        path.write_text(text.replace("SI_UNIT(.MILLI.,.METRE.)", f"SI_UNIT({unit},.METRE.)"))
        mesh = cad_mesh(path, None)
        assert mesh is not None
        assert 500 < len(mesh.indices) < 5000


def test_facets_become_coarser_where_there_would_be_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    fine = cad_mesh(CAD / "drogue.step", None)
    monkeypatch.setattr(cad, "MAX_TRIANGLES", 8000)
    monkeypatch.setattr(cad.CACHE, "read", lambda *_: None)
    monkeypatch.setattr(cad.CACHE, "write", lambda *_: None)
    cad._read.cache_clear()
    coarse = cad_mesh(CAD / "drogue.step", None)
    cad._read.cache_clear()
    assert fine is not None
    assert coarse is not None
    assert len(coarse.indices) <= 8000 < len(fine.indices)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda path: path.unlink(), "cup is drawn by its meridian alone: drogue.step is missing."),
        (lambda path: path.write_bytes(path.read_bytes() + b"\n"), "drogue.step has changed since the run."),
        (lambda path: (path.unlink(), path.mkdir()), "drogue.step cannot be read."),
    ],
)
def test_the_note_says_why_a_file_is_not_drawn(
    probe: Result, change: Callable[[Path], object], words: str
) -> None:
    assert scene(probe).notes == ()
    change(Path(probe.directory) / "drogue.step")
    assert any(words in note for note in scene(probe).notes)


def test_a_mesh_with_too_many_triangles_is_said_to_have_them(
    probe: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("softdock.replay.surfaces.cad_mesh", lambda *_: None)
    assert any("cup" in note and "more than 60,000 triangles" in note for note in scene(probe).notes)


def test_what_touches_is_drawn_as_it_is_computed_and_once(probe: Result) -> None:
    """The facets of the revolved meridian, and those of the file without its cavity: together the area of the part."""
    drawn = next(node for node in scene(probe).nodes if node.name == "target").parts[0]
    assert drawn.role is Role.CAVITY
    found, whole = read_surface(CAD / "drogue.step", side="inside"), cad_mesh(CAD / "drogue.step", None)
    assert whole is not None
    outline = solids.revolve_finely(found.profile, 1e-4)
    exact = found.frame.R_FS @ outline.points[::50].T + found.frame.p_FS[:, None]
    distance = np.linalg.norm(drawn.mesh.points[:, None] - exact.T, axis=2).min(axis=0)
    assert distance.max() < 1e-6
    area = _area(drawn.mesh.points, drawn.mesh.indices)
    assert area == pytest.approx(_area(whole.points, whole.indices), rel=5e-3)


@pytest.mark.parametrize(
    "second", ["", ", z_range: [-20 mm, 20 mm]"], ids=["the same surface", "a part of it"]
)
def test_a_file_is_drawn_whose_facets_all_belong_to_its_first_surface(tmp_path: Path, second: str) -> None:
    trimesh.creation.uv_sphere(radius=0.05, count=(32, 64)).export(tmp_path / "ball.stl")
    shutil.copy(CAD / "drogue.step", tmp_path)
    ball = "{body: probe, file: ball.stl"
    text = PROBE.replace("tip: {body: probe, file: bumper.step}", f"tip: {ball}}}\n  twin: {ball}{second}}}")
    (tmp_path / "probe.yaml").write_text(text)
    softdock.simulate(softdock.load(tmp_path / "probe.yaml"), with_prediction=False).save(tmp_path / "out")
    drawn = scene(Result.load(tmp_path / "out"))
    assert drawn.notes == ()
    assert len(next(node for node in drawn.nodes if node.name == "probe").parts[0].mesh.indices)


def _area(points: np.ndarray, indices: np.ndarray) -> float:
    a, b, c = (points[indices[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0])
def test_drawn_facets_keep_their_distance_from_a_surface_of_any_size(scale: float) -> None:
    """A surface of 100 times its size stays below the limit."""
    arc = {"arc_to": (0.0, scale), "radius": scale, "turn": "right"}
    profile = softdock.Surface(body="a", profile=((-scale, 0.0), arc)).to_profile()  # type: ignore[arg-type]
    mesh = solids.revolve_finely(profile, 1e-3 * min(scale, 1.0))
    middles = mesh.points[mesh.indices].mean(axis=1)
    assert len(mesh.indices) <= solids.MAX_TRIANGLES
    departure = float(np.abs(np.linalg.norm(middles, axis=1) - scale).max())
    assert departure < (1e-3 * min(scale, 1.0) if scale <= 1.0 else 1e-3 * scale)


def test_stand_ins_of_links_do_not_hide_what_touches(probe: Result) -> None:
    """The ball of the wrist, whose size is that of the longest link, contains the probe; that of the arm does not."""
    parts = {node.name: node.parts for node in scene(probe).nodes}
    assert [(part.role, part.material.opacity < 0.5) for part in parts["wrist"]] == [(Role.PLACEHOLDER, True)]
    assert {part.role for part in parts["arm"]} == {Role.LINK}
