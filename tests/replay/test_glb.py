"""Animated glTF files: validity, and agreement with the recorded poses."""

import io

import numpy as np
import pytest
import trimesh
from tests.replay import runs
from tests.replay.gltf_rules import Glb, check_gltf

from softdock.replay.gltf import write_glb
from softdock.replay.scene import Node, Part, Scene
from softdock.replay.scene_builder import scene

RUNS = {
    "nominal": runs.nominal,
    "spinning": runs.spinning,
    "impact": lambda: runs.run("impact-a"),
    "robot": runs.reaching,
    "boom": runs.boom,
    "pins": lambda: runs.run("pins-1", **{"duration": "2 s"}),
    "latch": lambda: runs.run("latch-multibody"),
}


@pytest.fixture(params=RUNS, scope="module")
def scene_and_file(request: pytest.FixtureRequest) -> tuple[Scene, Glb]:
    shown = scene(RUNS[request.param]())
    return shown, check_gltf(write_glb(shown))


def test_file_is_valid_and_animated(scene_and_file: tuple[Scene, Glb]) -> None:
    shown, glb = scene_and_file
    animation = glb.document["animations"][0]
    assert len(animation["channels"]) >= 1
    assert {node["name"] for node in glb.document["nodes"]} >= {node.name for node in shown.nodes}


def test_trimesh_reads_the_same_triangles(scene_and_file: tuple[Scene, Glb]) -> None:
    shown, _ = scene_and_file
    loaded = trimesh.load_scene(io.BytesIO(write_glb(shown)), file_type="glb", process=False)
    meshes = [g for g in loaded.geometry.values() if isinstance(g, trimesh.Trimesh)]
    triangles = {
        (id(part.mesh), part.material): len(part.mesh.indices)
        for node in shown.nodes
        for part in node.parts
        if part.mesh.indices.shape[1] == 3
    }
    assert sum(len(mesh.faces) for mesh in meshes) == sum(triangles.values())


def rotation_matrices(q_xyzw: np.ndarray) -> np.ndarray:
    x, y, z, w = q_xyzw.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def interpolate(times: np.ndarray, values: np.ndarray, t: np.ndarray) -> np.ndarray:
    out = np.stack([np.interp(t, times, column) for column in values.astype(float).T], axis=1)
    return out if values.shape[1] == 3 else out / np.linalg.norm(out, axis=1)[:, None]


@pytest.mark.parametrize(("name", "body", "reach"), [("nominal", "bumper", 0.2), ("spinning", "rod", 1.0)])
def test_poses_between_keyframes_match_the_record(name: str, body: str, reach: float) -> None:
    result = RUNS[name]()
    shown = scene(result)
    glb = check_gltf(write_glb(shown))
    size = shown.focus.radius if shown.focus else 1.0
    t, h = result.history.time, result.history
    p = interpolate(*glb.track(body, "translation"), t)
    recorded = np.stack([h[f"{body}.{k}"] for k in "xyz"], axis=1)
    assert np.linalg.norm(p - recorded, axis=1).max() < 2e-4 * size + 1e-6
    R = rotation_matrices(interpolate(*glb.track(body, "rotation"), t))
    R_recorded = rotation_matrices(np.stack([h[f"{body}.q{k}"] for k in "xyzw"], axis=1))
    assert reach * np.abs(R - R_recorded).max() < 4e-4 * size


def test_keyframes_are_dense_during_contact() -> None:
    glb = check_gltf(write_glb(scene(runs.nominal())))
    times, _ = glb.track("bumper", "translation")
    free, hit = np.sum(times < 2.9), np.sum((times > 4.7) & (times < 5.3))
    assert hit > 5 * free, "free flight needs hardly any frame, the hit at the bottom many"


def test_arrow_length_follows_the_force_and_is_zero_without_it() -> None:
    result = runs.nominal()
    glb = check_gltf(write_glb(scene(result)))
    times, scales = glb.track("force of bumper-drogue", "scale")
    assert not scales[times < 2.9].any()
    force = result.history["bumper-drogue.force"]
    at = result.history.time[np.argmax(force)]
    assert abs(times[np.argmax(scales[:, 0])] - at) < 0.01
    assert (scales == scales[:, :1]).all()


def test_structure_deflects_as_recorded_times_its_magnification() -> None:
    result = runs.boom()
    shown = scene(result)
    glb = check_gltf(write_glb(shown))
    note = next(note for note in shown.notes if "magnified" in note)
    factor = float(note.rstrip(".").split()[-1])
    part = next(node for node in glb.document["nodes"] if node["name"] == "boom (structure)")
    primitive = glb.document["meshes"][part["mesh"]]["primitives"][0]
    points = glb.values(primitive["attributes"]["POSITION"])
    shifts = np.stack([glb.values(target["POSITION"]) for target in primitive["targets"]], axis=2)
    tip = points[:, 1] < points[:, 1].min() + 0.1  # the end of the members, symmetric about its node
    np.testing.assert_allclose(
        points[tip].mean(axis=0), [0.0, -15.0, 0.8], atol=0.1
    )  # turned by 90 deg about x
    times, weights = glb.track("boom (structure)", "weights")
    weights = weights.reshape(len(times), -1)
    assert np.abs(weights).max() <= 1.0 + 1e-6
    moved = weights @ shifts[tip].mean(axis=0).T
    largest = factor * max(np.abs(result.history[f"boom/tip.d{k}"]).max() for k in "xyz")
    for axis, name in enumerate("xyz"):
        recorded = np.interp(times, result.history.time, result.history[f"boom/tip.d{name}"])
        np.testing.assert_allclose(moved[:, axis], factor * recorded, atol=0.02 * largest)


def test_times_too_close_for_float32_do_not_repeat() -> None:
    from softdock.replay.keyframes import increasing_rows

    time = np.array([0.0, 1.0, 1.0, 1.0 + 1e-9, 1000.0, 1000.0 + 1e-6, 1001.0])
    rows = increasing_rows(time)
    assert (np.diff(time[rows].astype(np.float32)) > 0).all()
    assert rows.tolist() == [0, 3, 5, 6]


def test_validation_detects_errors() -> None:
    shown = scene(runs.spinning())
    node = shown.nodes[0]
    bad_track = {
        "translation": type(node.tracks["rotation"])(time=np.array([0.0, 0.0]), values=np.zeros((2, 3)))
    }
    bad = Scene(**{**vars(shown), "nodes": (Node(name="brick", parts=node.parts, tracks=bad_track),)})
    with pytest.raises(AssertionError, match="increase"):
        check_gltf(write_glb(bad))
    part = node.parts[0]
    far = type(part.mesh)(points=part.mesh.points, normals=part.mesh.normals, indices=part.mesh.indices + 1)
    worse = Scene(
        **{**vars(shown), "nodes": (Node(name="brick", parts=(Part(**{**vars(part), "mesh": far}),)),)}
    )
    with pytest.raises(AssertionError):
        check_gltf(write_glb(worse))
