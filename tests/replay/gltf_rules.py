"""Validation of GLB files against the relevant rules of the glTF 2.0 specification."""

import json
import struct
from typing import Any

import numpy as np

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
PATHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3", "weights": "SCALAR"}


class Glb:
    """A parsed GLB file; the constructor checks its container."""

    def __init__(self, data: bytes) -> None:
        magic, version, length = struct.unpack_from("<4sII", data)
        assert (magic, version, length) == (b"glTF", 2, len(data))
        chunks, at = [], 12
        while at < len(data):
            size, kind = struct.unpack_from("<I4s", data, at)
            assert size % 4 == 0, "chunks are aligned to 4 bytes"
            chunks.append((kind, data[at + 8 : at + 8 + size]))
            at += 8 + size
        assert [kind for kind, _ in chunks] == [b"JSON", b"BIN\0"]
        self.document: dict[str, Any] = json.loads(chunks[0][1])
        self.binary = chunks[1][1]

    def values(self, index: int) -> np.ndarray:
        """Return the values of an accessor, (count, width)."""
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        dtype, width = np.dtype(COMPONENTS[accessor["componentType"]]), WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        return np.frombuffer(self.binary, dtype, accessor["count"] * width, start).reshape(-1, width)

    def node(self, name: str) -> dict[str, Any]:
        """Return a node by its name."""
        return next(node for node in self.document["nodes"] if node.get("name") == name)

    def track(self, name: str, path: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the keyframe times and values of a node."""
        animation = self.document["animations"][0]
        number = self.document["nodes"].index(self.node(name))
        (channel,) = [c for c in animation["channels"] if c["target"] == {"node": number, "path": path}]
        sampler = animation["samplers"][channel["sampler"]]
        return self.values(sampler["input"])[:, 0], self.values(sampler["output"])


def check_gltf(data: bytes) -> Glb:
    """Validate a file and return it parsed."""
    glb = Glb(data)
    doc = glb.document
    assert doc["asset"]["version"] == "2.0"
    for name, entries in doc.items():
        assert entries != [], f"{name} must not be an empty list"
    _check_buffers(glb)
    _check_nodes(doc)
    for mesh in doc.get("meshes", []):
        for primitive in mesh["primitives"]:
            _check_primitive(glb, primitive)
    for material in doc.get("materials", []):
        colour = material["pbrMetallicRoughness"]["baseColorFactor"]
        assert len(colour) == 4
        assert all(0.0 <= c <= 1.0 for c in colour)
        assert material.get("alphaMode", "OPAQUE") == ("BLEND" if colour[3] < 1.0 else "OPAQUE")
    for animation in doc.get("animations", []):
        _check_animation(glb, animation)
    return glb


def _check_buffers(glb: Glb) -> None:
    doc = glb.document
    (buffer,) = doc["buffers"]
    assert "uri" not in buffer
    assert 0 <= len(glb.binary) - buffer["byteLength"] < 4
    end = 0
    for view in doc["bufferViews"]:
        assert view["byteOffset"] >= end, "views do not overlap"
        assert view["byteLength"] > 0
        end = view["byteOffset"] + view["byteLength"]
        assert view.get("target") in (None, 34962, 34963)
    assert end <= buffer["byteLength"]
    for i, accessor in enumerate(doc["accessors"]):
        view = doc["bufferViews"][accessor["bufferView"]]
        dtype = np.dtype(COMPONENTS[accessor["componentType"]])
        assert accessor["count"] >= 1
        assert (view["byteOffset"] + accessor.get("byteOffset", 0)) % dtype.itemsize == 0, "aligned"
        size = accessor["count"] * WIDTHS[accessor["type"]] * dtype.itemsize
        assert accessor.get("byteOffset", 0) + size <= view["byteLength"]
        values = glb.values(i)
        if dtype.kind == "f":
            assert np.isfinite(values).all()
        if "min" in accessor:  # as float32, exactly
            np.testing.assert_array_equal(np.array(accessor["min"], dtype), values.min(axis=0))
            np.testing.assert_array_equal(np.array(accessor["max"], dtype), values.max(axis=0))


def _check_nodes(doc: dict[str, Any]) -> None:
    nodes = doc["nodes"]
    children = [child for node in nodes for child in node.get("children", [])]
    assert len(children) == len(set(children)), "a node has one parent"
    roots = doc["scenes"][doc["scene"]]["nodes"]
    reached, waiting = set(), list(roots)
    while waiting:
        number = waiting.pop()
        assert number not in reached, "nodes form a tree"
        reached.add(number)
        waiting += nodes[number].get("children", [])
    assert reached == set(range(len(nodes)))
    for node in nodes:
        assert node.get("children") != []
        assert "mesh" not in node or 0 <= node["mesh"] < len(doc["meshes"])
        rotation = node.get("rotation", [0, 0, 0, 1])
        assert abs(np.linalg.norm(rotation) - 1.0) < 1e-5


def _check_primitive(glb: Glb, primitive: dict[str, Any]) -> None:
    doc = glb.document
    position = doc["accessors"][primitive["attributes"]["POSITION"]]
    assert position["type"] == "VEC3"
    assert position["componentType"] == 5126
    assert {"min", "max"} <= set(position), "positions need their bounds"
    for number in primitive["attributes"].values():
        assert doc["accessors"][number]["count"] == position["count"]
        assert doc["bufferViews"][doc["accessors"][number]["bufferView"]]["target"] == 34962
    for shifts in primitive.get("targets", []):
        accessor = doc["accessors"][shifts["POSITION"]]
        assert accessor["count"] == position["count"]
        assert {"min", "max"} <= set(accessor)
    indices = doc["accessors"][primitive["indices"]]
    assert indices["type"] == "SCALAR"
    assert indices["componentType"] in (5123, 5125)
    assert doc["bufferViews"][indices["bufferView"]]["target"] == 34963
    values = glb.values(primitive["indices"])
    assert values.max() < position["count"]
    assert values.max() < np.iinfo(values.dtype).max, "the largest index restarts a primitive"
    assert len(values) % {1: 2, 4: 3}[primitive["mode"]] == 0
    if primitive["mode"] == 4:
        normals = glb.values(primitive["attributes"]["NORMAL"])
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5)
    assert 0 <= primitive["material"] < len(doc["materials"])


def _width(doc: dict[str, Any], target: dict[str, Any]) -> int:
    """Return how many values each keyframe has: one for each morph target of the node's mesh."""
    if target["path"] != "weights":
        return 1
    mesh = doc["meshes"][doc["nodes"][target["node"]]["mesh"]]
    counts = {len(primitive["targets"]) for primitive in mesh["primitives"]}
    assert counts == {len(mesh["weights"])}
    return len(mesh["weights"])


def _check_animation(glb: Glb, animation: dict[str, Any]) -> None:
    doc = glb.document
    assert animation["channels"]
    assert animation["samplers"]
    targets = [(c["target"]["node"], c["target"]["path"]) for c in animation["channels"]]
    assert len(targets) == len(set(targets)), "a property is animated once"
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times = doc["accessors"][sampler["input"]]
        assert times["type"] == "SCALAR"
        assert "min" in times
        assert "max" in times
        assert times["min"][0] >= 0.0
        values = doc["accessors"][sampler["output"]]
        assert values["type"] == PATHS[channel["target"]["path"]]
        assert values["count"] == times["count"] * _width(doc, channel["target"])
        assert (np.diff(glb.values(sampler["input"])[:, 0]) > 0.0).all(), "times increase strictly"
        if channel["target"]["path"] == "rotation":
            lengths = np.linalg.norm(glb.values(sampler["output"]), axis=1)
            np.testing.assert_allclose(lengths, 1.0, atol=1e-5)
        for number in (sampler["input"], sampler["output"]):
            assert "target" not in doc["bufferViews"][doc["accessors"][number]["bufferView"]]
