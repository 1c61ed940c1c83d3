"""Received results with markup in their texts: report, notebook and studio show it as text.

Names of phases, bodies, loads, events, outcomes and requirements are replaced in the document and in the columns of the
history, so that they stay consistent.
"""

import hashlib
import io
import json
import zlib
from functools import cache
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
from tests.fuzz.formats import Files, Format
from tests.fuzz.formats.result import saved
from tests.fuzz.mutations import mutate_data, to_json

from softdock.presentation.unit_systems import SYSTEMS
from softdock.replay.page import player_html
from softdock.replay.scene_builder import scene
from softdock.report import notebook
from softdock.report.run import run_report
from softdock.result import Result
from softdock.studio.run_data import summarise_result

MARKUP = (
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "\"><svg onload=alert(1)>", "'onmouseover='alert(1)",
    "</title><b>", "</script><b>", "&lt;b&gt;", "$\\frac{$", "javascript:alert(1)", "{{7*7}}", ":formatter",
)  # fmt: skip
RAW = ("<img src=x", "<script>alert", "<svg onload", "</title><b>", "</script><b>")
"""What no page may contain."""
PICTURE = 4
"""One input in so many is also shown as in a notebook."""
WORDS = (
    "mating", "closing", "coupling_jammed", "servicer", "plug-1", "link", "motor", "R-1", "R-2", "late", "pulled",
    "plus-x-1", "mean_force", "bolts", "assumed", "The coupling is mated.", "sequence", "The port was not reached.",
    "port", "time limit",
)  # fmt: skip
KEYS = (
    "definition", "events", "metrics", "units", "prediction", "message", "phases", "loads", "requirements", "outcome",
    "warnings",
)  # fmt: skip


@cache
def _text() -> tuple[str, bytes]:
    document, history = saved("sequence")
    return json.dumps(document), history


def make(random: Random) -> Files:
    """Return a result in which some names are markup, sometimes with one mutated part."""
    text, history = _text()
    table = pq.read_table(io.BytesIO(history))
    names = table.column_names
    for _ in range(random.choice((1, 1, 2, 3))):
        word, markup = random.choice(WORDS), random.choice(MARKUP)
        text = text.replace(word, json.dumps(markup)[1:-1])
        names = [name.replace(word, markup) for name in names]
    buffer = io.BytesIO()
    pq.write_table(table.rename_columns(names), buffer)
    document = {**json.loads(text), "history_sha256": hashlib.sha256(buffer.getvalue()).hexdigest()}
    if random.random() < 0.5:
        key = random.choice([key for key in KEYS if key in document])
        document[key] = mutate_data(document[key], random)
    return {"result.json": to_json(document, random), "history.parquet": buffer.getvalue()}


def read(files: Files, folder: Path) -> None:
    """Show a result on every page."""
    from softdock.studio.pages import run_summary

    result = Result.load(folder)
    summary = json.loads(json.dumps(summarise_result(result)))
    units = next(iter(SYSTEMS))
    pages = [run_summary.verdict_html(summary), run_summary.headline_html(summary, units)]
    pages += [
        show(summary, units) for show in (run_summary.requirement_tiles_html, run_summary.reactions_html)
    ]
    pages += [run_summary.phase_bars(summary), run_summary.events_html(summary)]
    pages += [run_summary.phases_html(summary, units), run_summary.metrics_html(summary, summary, units)]
    pages.append(run_report(result))
    if _with_picture(files):
        pages.append(notebook.result_html(result))
    try:
        pages.append(player_html(scene(result)))
    finally:
        for page in pages:
            for raw in RAW:
                assert raw not in page, page[max(0, page.index(raw) - 200) :][:400]


def _with_picture(files: Files) -> bool:
    """Return whether the picture of a notebook is drawn, which takes longer than all pages together."""
    return zlib.crc32(files["result.json"]) % PICTURE == 0


FORMAT = Format(make=make, read=read, seconds=60.0)
