"""Damaged CAD files: each gives a surface or an error that names the file, and nothing is printed."""

import os
import re
import struct
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import trimesh

from softdock.errors import InputError
from softdock.files import cache, child_process
from softdock.geometry.cad import read_surface
from softdock.geometry.facets import read_bodies
from softdock.geometry.profile_cache import read_meridian
from softdock.replay.cad import cad_mesh

PART = Path(__file__).parent / "files/tube_inch.step"
SAMPLE = 18
"""Damaged STEP files of a normal test run."""


def damaged_step_files() -> Iterator[tuple[str, str]]:
    """Yield name and text of copies with one deleted line or one reference to an entity that does not exist."""
    lines = PART.read_text().splitlines(keepends=True)
    for k, line in enumerate(lines):
        yield f"deleted-{k + 1}.step", "".join([*lines[:k], *lines[k + 1 :]])
        found = re.search(r"=.*?(#\d+)", line)
        if found:
            dangling = line[: found.start(1)] + "#99999" + line[found.end(1) :]
            yield f"dangling-{k + 1}.step", "".join([*lines[:k], dangling, *lines[k + 1 :]])


def outcome(path: Path) -> str:
    """Return `read`, `crashed` or `rejected`; an error that does not name the file is returned as text."""
    try:
        read_surface(path)
    except InputError as error:
        if error.problems[0].file != str(path):
            return f"unnamed: {error}"
        return "crashed" if "crashed" in str(error) else "rejected"
    return "read"


def outcomes(folder: Path, files: list[tuple[str, str]]) -> Counter[str]:
    for name, text in files:
        (folder / name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ThreadPoolExecutor(2) as threads:
            return Counter(threads.map(outcome, [folder / name for name, _ in files]))


def test_damaged_step_files_give_errors(tmp_path, capfd):
    files = list(damaged_step_files())
    found = outcomes(tmp_path, files[:: len(files) // SAMPLE])
    assert found["crashed"] >= 3
    assert found["rejected"] >= 3
    assert found["read"] >= 3
    assert len(found) == 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
def test_every_damaged_step_file_gives_an_error(tmp_path, capfd):
    files = list(damaged_step_files())
    found = outcomes(tmp_path, files)
    assert sum(found.values()) == len(files) > 350
    assert found["crashed"] > 50
    assert len(found) == 3
    assert capfd.readouterr() == ("", "")


@pytest.fixture(scope="module")
def bumper() -> trimesh.Trimesh:
    body = read_bodies(PART)[0]
    return trimesh.Trimesh(body.vertices, body.triangles, process=False)


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "glb"])
def test_truncated_meshes_give_errors(bumper, tmp_path, ending):
    content = bumper.export(file_type=ending)
    content = content.encode() if isinstance(content, str) else content
    for share in (0.05, 0.7):
        path = tmp_path / f"part.{ending}"
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(InputError) as caught:
            read_surface(path)
        assert caught.value.problems[0].file == str(path)


def test_meshes_with_wrong_numbers_name_the_file(tmp_path):
    head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    head += "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    corners = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
    faces = "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
    obj = "".join(f"v {line}\n" for line in corners.splitlines())
    cases = {
        "index.ply": (head + corners + faces.replace("3 1 2 3", "3 1 2 7"), "vertex 7"),
        "huge.ply": (head + corners.replace("0 0 1", "0 0 1e30") + faces, "below 100000 m"),
        "nan.ply": (head + corners.replace("0 0 1", "0 0 nan") + faces, "not finite"),
        "index.obj": (obj + "f 1 2 9\n", "OBJ file cannot be read"),
        "two.obj": (obj.replace("v 0 0 1", "v 0 0") + "f 1 2 3\nf 1 2 4\n", "three coordinates"),
        "words.obj": (obj.replace("v 0 0 1", "v zero 0 0") + "f 1 2 3\n", "OBJ file cannot be read"),
        "zero.obj": (obj + "f 0 1 2\n", "different vertices"),
        "plane.obj": (obj + "f 1 2 3\n", "open shell"),
    }
    for name, (text, sentence) in cases.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=sentence) as caught:
            read_surface(tmp_path / name)
        assert caught.value.problems[0].file == str(tmp_path / name)


def test_many_separate_triangles_are_rejected_at_once(tmp_path):
    corner = struct.Struct("<3f")
    rows = (
        corner.pack(0, 0, 1) + b"".join(corner.pack(i, j, k) for j, k in ((0, 0), (1, 0), (0, 1))) + b"\0\0"
        for i in range(2000)
    )
    (tmp_path / "dust.stl").write_bytes(b" " * 80 + struct.pack("<I", 2000) + b"".join(rows))
    with pytest.raises(InputError, match="2000 surfaces without connection"):
        read_bodies(tmp_path / "dust.stl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX only")
@pytest.mark.parametrize(
    "read", [read_surface, read_bodies, read_meridian, lambda path: cad_mesh(path, None)]
)
def test_pipes_devices_and_folders_are_rejected_before_reading(tmp_path, read):
    os.mkfifo(tmp_path / "pipe.step")
    (tmp_path / "zero.step").symlink_to("/dev/zero")
    (tmp_path / "folder.step").mkdir()
    for name, sentence in (("pipe", "a named pipe"), ("zero", "a device"), ("folder", "a folder")):
        with pytest.raises(InputError, match=sentence):
            read(tmp_path / f"{name}.step")


def test_cached_files_need_no_child_process(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "cache_folders", lambda: [tmp_path])
    before = read_meridian(PART)[0]
    mesh = cad_mesh(PART, None)
    monkeypatch.setattr(child_process.subprocess, "Popen", None)
    assert read_meridian(PART)[0] == before
    assert cad_mesh(PART, None) is mesh
