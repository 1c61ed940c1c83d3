"""Files derived from a stored run and written on request: figure, replay scene, GLB and report."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from softdock.files.atomic import write_atomic

if TYPE_CHECKING:
    from softdock.result import Result

FILES = {"figure": "figure.png", "scene": "replay.scene", "glb": "replay.glb", "report": "report.html"}
"""File names by kind. `scene` is a replay without the player, which is the same for all runs."""


def write_run_file(kind: str, result: "Result", path: Path) -> None:
    """Write one file of a result; every writer replaces the file atomically."""
    WRITERS[kind](result, path)


def _write_figure(result: "Result", path: Path) -> None:
    result.plot(path)


def _write_scene(result: "Result", path: Path) -> None:
    from softdock.replay.page import player_scene
    from softdock.replay.scene_builder import scene

    write_atomic(path, player_scene(scene(result)))


def _write_glb(result: "Result", path: Path) -> None:
    from softdock.replay.gltf import write_glb
    from softdock.replay.scene_builder import scene

    write_atomic(path, write_glb(scene(result)))


def _write_report(result: "Result", path: Path) -> None:
    from softdock.report.run import write_run_report

    write_run_report(result, path)


WRITERS: "dict[str, Callable[[Result, Path], None]]" = {
    "figure": _write_figure, "scene": _write_scene, "glb": _write_glb, "report": _write_report,
}  # fmt: skip
