"""Replay page: player, scene and curves in one HTML file without external resources."""

import base64
import functools
import json
import re
from importlib import resources
from typing import Any, Literal

import numpy as np

from softdock.presentation.chart import DASHES, dash_of
from softdock.presentation.colours import SERIES, SERIES_DARK
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.replay.gltf import write_glb
from softdock.replay.scene import Scene

Theme = Literal["auto", "light", "dark"]
DRAWING_SCRIPTS = ("algebra.js", "webgl.js")
PLAYER_SCRIPTS = ("orbit.js", "glb.js", "charts.js", "view.js", "player.js")
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
"""Content security policy: only inline scripts and styles, no network access."""
_SCENE = re.compile(
    r'<script type="application/json" id="data">[^<]*</script>\n'
    r'<script type="text/plain" id="curves">[A-Za-z0-9+/=]*</script>\n'
    r'<script type="text/plain" id="glb">[A-Za-z0-9+/=]*</script>\n</body>\n</html>\n'
)


def player_html(scene: Scene, *, theme: Theme = "auto", system: UnitSystem = AUTOMATIC) -> str:
    """Return the HTML page that plays a scene; it needs no network and also works inside a frame."""
    return player_shell(theme=theme, system=system) + player_scene(scene)


def player_shell(*, theme: Theme = "auto", style: str = "", system: UnitSystem = AUTOMATIC) -> str:
    """Return the page up to the scene: equal for all scenes, so that a browser can start before the scene is ready."""
    chosen = "" if theme == "auto" else f' data-theme="{theme}"'
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"{chosen}>',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<title>Replay</title>",
            '<link rel="icon" href="data:,">',
            f"<style>{_file('player.css')}{style}</style>",
            "</head>",
            "<body>",
            _file("player.html"),
            f'<script type="application/json" id="presentation">{_json(_presentation(system))}</script>',
            f"<script>{_escaped(''.join(map(_file, DRAWING_SCRIPTS)))}</script>",
            # Modules run after the whole page is loaded, independent of their position.
            f'<script type="module">{_escaped("".join(map(_file, PLAYER_SCRIPTS)))}</script>',
            "",
        ]
    )


def player_scene(scene: Scene) -> str:
    """Return the rest of the page: scene and curves."""
    return "\n".join(
        [
            f'<script type="application/json" id="data">{_json(_data(scene))}</script>',
            f'<script type="text/plain" id="curves">{_base64(_curves(scene))}</script>',
            f'<script type="text/plain" id="glb">{_base64(write_glb(scene))}</script>',
            "</body>",
            "</html>",
            "",
        ]
    )


def is_player_scene(text: str) -> bool:
    """Return whether a text is the rest of a page as `player_scene` writes it, without other elements or scripts."""
    return _SCENE.fullmatch(text) is not None


@functools.cache
def _file(name: str) -> str:
    return (resources.files("softdock.replay") / "player" / name).read_text(encoding="utf-8")


def _escaped(code: str) -> str:
    r"""Return code that cannot close its script element: in strings `<\/` equals `</` and `<\!` equals `<!`."""
    return code.replace("</script", "<\\/script").replace("</SCRIPT", "<\\/SCRIPT").replace("<!--", "<\\!--")


def _json(data: Any) -> str:
    """Return JSON with escaped markup characters."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _presentation(system: UnitSystem) -> dict[str, Any]:
    """Return display units, and colours and patterns of curves, for the scripts of the player."""
    dashes = [dash_of(number) for number in range(len(SERIES) * len(DASHES))]
    return {"units": system.table(), "light": SERIES, "dark": SERIES_DARK, "dashes": dashes}


def _data(scene: Scene) -> dict[str, Any]:
    return {
        "name": scene.name,
        "title": scene.title,
        "outcome": scene.outcome,
        "message": scene.message,
        "start": scene.start,
        "end": scene.end,
        "events": [{"time": e.time, "name": e.name, "message": e.message} for e in scene.events],
        "curves": [{"name": c.name, "unit": c.unit, "points": len(c.time)} for c in scene.curves],
        "charts": scene.charts,
        "notes": scene.notes,
        "program": str(scene.metadata.get("program", "")),
    }


def _curves(scene: Scene) -> bytes:
    """Return the points of all curves as float32: times from the start, then values, curve by curve."""
    largest = np.finfo("f4").max  # a stop without a limit on one side has a deflection beyond it
    arrays = [np.stack([c.time - scene.start, np.clip(c.values, -largest, largest)]) for c in scene.curves]
    return b"".join(array.astype("<f4").tobytes() for array in arrays)
