"""Replay of a run: an animated scene, written as a glTF file or as a self-contained HTML page."""

from softdock.replay.gltf import write_glb
from softdock.replay.page import player_html
from softdock.replay.scene import Scene
from softdock.replay.scene_builder import scene

__all__ = ["Scene", "player_html", "scene", "write_glb"]
