"""Files that are made of a kept run when somebody asks for them."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from softdock.files.atomic import write_atomic

if TYPE_CHECKING:
    from softdock.result import Result

FILES = {"figure": "figure.png", "scene": "replay.scene", "glb": "replay.glb", "report": "report.html"}
"""`scene` is a replay without its player, which is the same for all."""


def make(kind: str, result: "Result", path: Path) -> None:
    """Write one file of a result; all writers are atomic."""
    MAKERS[kind](result, path)


def _figure(result: "Result", path: Path) -> None:
    result.plot(path)


def _scene(result: "Result", path: Path) -> None:
    from softdock.replay import scene
    from softdock.replay.page import player_scene

    write_atomic(path, player_scene(scene(result)))


def _glb(result: "Result", path: Path) -> None:
    from softdock.replay import scene, write_glb

    write_atomic(path, write_glb(scene(result)))


def _report(result: "Result", path: Path) -> None:
    from softdock.report.run import write_run_report

    write_run_report(result, path)


MAKERS: "dict[str, Callable[[Result, Path], None]]" = {
    "figure": _figure, "scene": _scene, "glb": _glb, "report": _report,
}  # fmt: skip
