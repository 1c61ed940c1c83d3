"""Replays: scenes drawn from received results, and received scene files."""

import hashlib
from functools import cache
from pathlib import Path
from random import Random

from tests.fuzz.formats import Files, Format
from tests.fuzz.formats.result import changed_history, saved
from tests.fuzz.mutations import TEXT, TEXTS, mutate, mutate_data, to_json

from softdock.errors import InputError
from softdock.replay.gltf import write_glb
from softdock.replay.page import is_player_scene, player_scene
from softdock.replay.scene_builder import scene
from softdock.result import Result
from softdock.simulation import simulate

RUNS = ("impact-a", "latch-slow", "sequence", "moves")
KEYS = ("definition", "events", "outlines", "metrics", "units", "prediction", "message", "phases", "loads")
MARKUP = (b"<script>", b"</script>", b"<img src=x onerror=a()>", b"<!--", b"&lt;", b"<base href=//a>")


@cache
def _scene() -> bytes:
    return player_scene(scene(simulate(RUNS[0]))).encode()


def make(random: Random) -> Files:
    """Return a mutated scene file, or a result whose definition or history is mutated."""
    if random.random() < 0.6:
        text = _scene()
        if random.random() < 0.5:
            at = random.randrange(len(text))
            text = text[:at] + random.choice((*MARKUP, random.choice(TEXTS).encode())) + text[at:]
        return {"replay.scene": mutate(text, random, TEXT)}
    document, history = saved(random.choice(RUNS))
    if random.random() < 0.4:
        history = changed_history(history, random)
        document = {**document, "history_sha256": hashlib.sha256(history).hexdigest()}
    else:
        key = random.choice([key for key in KEYS if key in document])
        document = {**document, key: mutate_data(document[key], random)}
    return {"result.json": to_json(document, random), "history.parquet": history}


def read(files: Files, folder: Path) -> None:
    """Draw a result, or accept a scene file."""
    if "replay.scene" in files:
        text = files["replay.scene"].decode(errors="replace")
        if not is_player_scene(text):
            raise InputError("The scene was not written by Softdock.")
        inside = text.replace('<script type="application/json" id="data">', "", 1)
        inside = inside.replace('<script type="text/plain" id="curves">', "", 1)
        inside = inside.replace('<script type="text/plain" id="glb">', "", 1).replace("</script>", "", 3)
        assert inside.count("<") == 2, "an element that Softdock does not write"  # </body> and </html>
        return
    drawn = scene(Result.load(folder))
    player_scene(drawn)
    write_glb(drawn)


FORMAT = Format(make=make, read=read, seconds=60.0)
