"""Writing of replays as files, by the suffix of their names."""

from dataclasses import replace
from pathlib import Path

from softdock.errors import InputError
from softdock.files.atomic import write_together
from softdock.presentation.reactions import largest_reaction_text
from softdock.presentation.unit_systems import UnitSystem, unit_system_of
from softdock.replay.gltf import write_glb
from softdock.replay.page import player_html
from softdock.replay.scene_builder import scene
from softdock.result import Result

PAGES, MODELS = (".html", ".htm"), (".glb",)


def write_replay(result: Result, *paths: Path, system: UnitSystem | None = None) -> None:
    """Write the animation of a run to files: `.html` is a page for browsers, `.glb` an animated glTF file.

    Values are in the given unit system, or in that of the scenario. Raises InputError.
    """
    for path in paths:
        if path.suffix.lower() not in (*PAGES, *MODELS):
            message = f"The name of a replay must end in {', '.join((*PAGES, *MODELS))}."
            raise InputError(message, given=str(path))
    system = system or unit_system_of(result.definition)
    shown = scene(result)
    headline = largest_reaction_text(result.loads, system)
    shown = replace(shown, notes=(headline, *shown.notes)) if headline else shown
    files = {
        path: write_glb(shown)
        if path.suffix.lower() in MODELS
        else player_html(shown, system=system).encode()
        for path in paths
    }
    for path, data in files.items():
        write_together(path.parent, {path.name: data})
