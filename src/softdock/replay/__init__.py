"""Replay: a run as a scene that moves, as an animated glTF file and as one page that needs nothing else."""

from softdock.replay.gltf import write_glb
from softdock.replay.page import player_html
from softdock.replay.scene import Scene
from softdock.replay.scenes import scene

__all__ = ["Scene", "player_html", "scene", "write_glb"]
