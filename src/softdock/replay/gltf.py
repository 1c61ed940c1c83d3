"""Writer of binary glTF 2.0 files (GLB): one buffer and one animation."""

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.replay.scene import Material, Mesh, Node, Scene, Track

FLOAT, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5123, 5125
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963
LINES, TRIANGLES = 1, 4
MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942


def write_glb(scene: Scene) -> bytes:
    """Return the scene as the bytes of a GLB file."""
    return _GltfWriter(scene).glb()


class _GltfWriter:
    """Collects the objects of a glTF document; equal objects are stored once."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.binary = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.known: dict[Any, int] = {}
        self.first_part: dict[str, int] = {}

    def glb(self) -> bytes:
        """Return the bytes of the file."""
        nodes = self.nodes()
        document: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Softdock"},
            "scene": 0,
            "scenes": [
                {"name": self.scene.title or self.scene.name, "nodes": [0], "extras": _extras(self.scene)}
            ],
            "nodes": nodes,
        }
        animation = self.animation()
        if animation["channels"]:
            document["animations"] = [animation]
        lists = {"meshes": self.meshes, "materials": self.materials, "accessors": self.accessors}
        document |= {name: values for name, values in (lists | {"bufferViews": self.views}).items() if values}
        if self.binary:
            document["buffers"] = [{"byteLength": len(self.binary)}]
        return _container(document, bytes(self.binary))

    def nodes(self) -> list[dict[str, Any]]:
        """Return all nodes; the first is the world, rotated to the display axes."""
        nodes = self.scene.nodes
        number = {node.name: i + 1 for i, node in enumerate(nodes)}
        root: dict[str, Any] = {"name": "world", "rotation": _xyzw(self.scene.display_rotation_wxyz)}
        out = [root]
        for node in nodes:
            out.append(self.node(node))
        for node in nodes:
            parent = out[0 if node.parent is None else number[node.parent]]
            parent.setdefault("children", []).append(number[node.name])
        # Every part is a child node of its body, so that a viewer can show and hide it.
        for node in nodes:
            for k, part in enumerate(node.parts):
                name = f"{node.name} ({part.role.value}{'' if k == 0 else f' {k + 1}'})"
                out[number[node.name]].setdefault("children", []).append(len(out))
                self.first_part.setdefault(node.name, len(out))
                mesh = self.mesh(part.mesh, part.material, name)
                out.append({"name": name, "mesh": mesh, "extras": {"role": part.role.value}})
        return out

    def node(self, node: Node) -> dict[str, Any]:
        """Return one node with its static transform; a moving node has that of its first keyframe."""
        start = {name: track.values[0].tolist() for name, track in node.tracks.items() if name != "weights"}
        out: dict[str, Any] = {"name": node.name, "extras": {"body": node.name}}
        translation = start.get("translation", node.translation)
        rotation = start.get("rotation", node.rotation_wxyz)
        scale = start.get("scale", node.scale)
        if tuple(translation) != (0.0, 0.0, 0.0):
            out["translation"] = [float(x) for x in translation]
        if tuple(rotation) != (1.0, 0.0, 0.0, 0.0):
            out["rotation"] = _xyzw(rotation)
        if tuple(scale) != (1.0, 1.0, 1.0):
            out["scale"] = [float(x) for x in scale]
        return out

    def animation(self) -> dict[str, Any]:
        """Return the animation, with a sampler and a channel for every track."""
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []
        for i, node in enumerate(self.scene.nodes):
            for path, track in node.tracks.items():
                samplers.append({"input": self.times(track), "output": self.values(path, track)})
                target = {"node": i + 1 if path != "weights" else self.first_part[node.name], "path": path}
                channels.append({"sampler": len(samplers) - 1, "target": target})
        return {"name": "run", "samplers": samplers, "channels": channels}

    def times(self, track: Track) -> int:
        """Return the accessor of keyframe times, relative to the start of the replay [s]."""
        return self.accessor((track.time - self.scene.start).astype("<f4"), "SCALAR", bounds=True)

    def values(self, path: str, track: Track) -> int:
        """Return the accessor of keyframe values; quaternions are stored as xyzw."""
        if path == "weights":
            return self.accessor(track.values.ravel().astype("<f4"), "SCALAR")
        if path == "rotation":
            return self.accessor(_unit(track.values[:, [1, 2, 3, 0]]), "VEC4")
        return self.accessor(track.values.astype("<f4"), "VEC3")

    def mesh(self, mesh: Mesh, material: Material, name: str) -> int:
        """Return the index of a mesh with one primitive."""
        key = (id(mesh), material)
        if key not in self.known:
            attributes = {
                "POSITION": self.accessor(mesh.points.astype("<f4"), "VEC3", ARRAY_BUFFER, bounds=True)
            }
            if mesh.normals is not None:
                attributes["NORMAL"] = self.accessor(_unit(mesh.normals), "VEC3", ARRAY_BUFFER)
            small = len(mesh.points) < 0xFFFF
            indices = mesh.indices.ravel().astype("<u2" if small else "<u4")
            primitive = {
                "attributes": attributes,
                "indices": self.accessor(indices, "SCALAR", ELEMENT_ARRAY_BUFFER),
                "material": self.material(material),
                "mode": LINES if mesh.indices.shape[1] == 2 else TRIANGLES,
            }
            entry: dict[str, Any] = {"name": name, "primitives": [primitive]}
            if mesh.morphs:
                displacements = [
                    self.accessor(m.astype("<f4"), "VEC3", ARRAY_BUFFER, bounds=True) for m in mesh.morphs
                ]
                primitive["targets"] = [{"POSITION": displacement} for displacement in displacements]
                entry["weights"] = [0.0] * len(displacements)
            self.known[key] = len(self.meshes)
            self.meshes.append(entry)
        return self.known[key]

    def material(self, material: Material) -> int:
        """Return the index of a material."""
        if material not in self.known:
            self.known[material] = len(self.materials)
            entry: dict[str, Any] = {
                "name": material.name,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*material.colour, material.opacity],
                    "metallicFactor": material.metallic,
                    "roughnessFactor": material.roughness,
                },
            }
            if material.opacity < 1.0:
                entry["alphaMode"] = "BLEND"
            if material.double_sided:
                entry["doubleSided"] = True
            self.materials.append(entry)
        return self.known[material]

    def accessor(
        self, array: NDArray[Any], kind: str, target: int | None = None, bounds: bool = False
    ) -> int:
        """Store an array and return the index of its accessor; equal arrays of the same use are stored once."""
        data = array.tobytes()
        key = (data, kind, target)
        if key in self.known:
            return self.known[key]
        self.binary += b"\0" * (-len(self.binary) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        self.binary += data
        self.views.append(view)
        component = {"f4": FLOAT, "u2": UNSIGNED_SHORT, "u4": UNSIGNED_INT}[array.dtype.str[1:]]
        accessor = {
            "bufferView": len(self.views) - 1,
            "componentType": component,
            "count": len(array),
            "type": kind,
        }
        if bounds:
            rows = array.reshape(len(array), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.known[key] = len(self.accessors)
        self.accessors.append(accessor)
        return self.known[key]


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return vectors as float32 with unit length."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None], "<f4")


def _xyzw(wxyz: Any) -> list[float]:
    w, x, y, z = (float(v) for v in wxyz)
    length = float(np.linalg.norm([w, x, y, z]))
    return [x / length, y / length, z / length, w / length]


def _extras(scene: Scene) -> dict[str, Any]:
    """Return data for the player that glTF has no fields for."""
    extras: dict[str, Any] = {
        "scenario": scene.name,
        "outcome": scene.outcome,
        "message": scene.message,
        "start": scene.start,
        "duration": scene.end - scene.start,
        "events": [{"time": e.time, "name": e.name, "message": e.message} for e in scene.events],
        "notes": list(scene.notes),
        **scene.metadata,
    }
    if scene.focus is not None:
        f = scene.focus
        extras["focus"] = {"node": f.node, "centre": f.centre, "axis": f.axis, "radius": f.radius}
    return extras


def _container(document: Mapping[str, Any], binary: bytes) -> bytes:
    """Return header and chunks; JSON is padded with spaces, binary data with zeros."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if binary:
        binary += b"\0" * (-len(binary) % 4)
        chunks += struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    return struct.pack("<III", MAGIC, 2, 12 + len(chunks)) + chunks
