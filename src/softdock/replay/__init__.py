"""Replay of a run: an animated scene, written as a glTF file or as a self-contained HTML page."""
