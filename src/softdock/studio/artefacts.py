"""Files that are made of a kept run when somebody asks for them."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from softdock.result import Result

FILES = {"figure": "figure.png", "scene": "replay.scene", "glb": "replay.glb", "report": "report.html"}
"""`scene` is a replay without its player, which is the same for all."""


def make(kind: str, result: "Result", path: Path) -> None:
    """Make one file of a result; it takes its place only when it is complete."""
    hidden = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        MAKERS[kind](result, hidden)
        hidden.replace(path)
    finally:
        with suppress(OSError):
            hidden.unlink()


def _figure(result: "Result", path: Path) -> None:
    result.plot(path)


def _scene(result: "Result", path: Path) -> None:
    from softdock.replay import scene
    from softdock.replay.page import player_scene

    path.write_text(player_scene(scene(result)), encoding="utf-8")


def _glb(result: "Result", path: Path) -> None:
    from softdock.replay import scene, write_glb

    path.write_bytes(write_glb(scene(result)))


def _report(result: "Result", path: Path) -> None:
    from softdock.report.run import write_run_report

    write_run_report(result, path)


MAKERS: "dict[str, Callable[[Result, Path], None]]" = {
    "figure": _figure, "scene": _scene, "glb": _glb, "report": _report,
}  # fmt: skip
