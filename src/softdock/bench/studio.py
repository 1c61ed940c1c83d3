"""Benchmark of the studio: start to the gallery, click on Run to the replay, and idle processor time.

A real browser opens the pages. The studio runs as a separate process in a fresh folder, with
thumbnails drawn by an earlier start.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softdock.bench.browser import FLAGS, NARROW, missing
from softdock.bench.measurement import row
from softdock.presentation.progress import Progress
from softdock.report.pdf import find_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCENARIO = "assist-soft-docking"
COMMAND = (
    sys.executable,
    "-c",
    "from softdock.cli import main; main()",
    "studio",
    "--no-browser",
    "--no-token",
)
STARTS, CLICKS = 3, 3
READING_TIME = 4.0  # s between the page of the scenario and the first click
IDLE_TIME = 30.0  # s
TIMEOUT = 180_000.0  # ms, for a busy machine
GALLERY = {"name": "command to gallery", "unit": "s", "aim": 3.0}
ADDRESS = {"name": "command to its address", "unit": "s"}
CLICK = {"name": "click on Run to the replay of the nominal docking", "unit": "s", "aim": 2.0}
IDLE = {"name": f"processor time of {IDLE_TIME:g} s at rest", "unit": "%", "aim": 2.0}
PAGE_TIMES = """() => {
  const page = performance.getEntriesByType("navigation")[0];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return { answer: page.responseEnd, scripts: page.domContentLoadedEventEnd, paint: paint ? paint.startTime : null };
}"""
PARTS = {
    "answer": "address in the browser to the whole first page received",
    "paint": "address in the browser to the first thing painted",
    "scripts": "address in the browser to all scripts run",
}


@dataclass
class RunningStudio:
    """A running studio process; `begun` and `answered` are the times of its start and of its address [s]."""

    process: "subprocess.Popen[str]"
    address: str
    begun: float
    answered: float


def run(progress: Progress, /) -> list[dict[str, Any]]:
    """Measure and return one row per quantity; without a browser the rows name what is missing."""
    lack = missing()
    if lack:
        progress(lack, 1.0)
        return [
            {**row, "name": f"{row['name']} (not measured: {lack})", "value": None}
            for row in (GALLERY, CLICK, IDLE)
        ]
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        progress("warming", 0.0)
        with _studio(Path(folder)) as studio, _tab(browser) as page:
            page.goto(studio.address, wait_until="networkidle")
            _open(page, studio)
            _click(page)
        rows = _measure_starts(browser, Path(folder), progress)
        rows += _measure_use(browser, Path(folder), progress)
        browser.close()
    return rows


def _measure_starts(browser: "Browser", folder: Path, progress: Progress) -> list[dict[str, Any]]:
    """Start the studio several times and report the shortest time."""
    seen = []
    for i in range(STARTS):
        progress("starting", 0.1 + 0.1 * i)
        with _tab(browser) as page, _studio(folder) as studio:
            page.goto(studio.address, wait_until="commit")
            page.get_by_text(SCENARIO, exact=True).wait_for(timeout=TIMEOUT)
            shown, used = time.perf_counter() - studio.begun, _processor_time(studio.process.pid)
            page.wait_for_load_state("load")
            seen.append((shown, studio.answered - studio.begun, page.evaluate(PAGE_TIMES), used))
    shown, answered, marks, _ = min(seen, key=lambda measured: measured[0])
    return [
        {**GALLERY, "value": shown},
        row("processor time of the studio for it", min(measured[3] for measured in seen), "s"),
        {**ADDRESS, "value": answered},
        *(row(name, marks[key] / 1e3, "s") for key, name in PARTS.items() if marks[key] is not None),
    ]


def _measure_use(browser: "Browser", folder: Path, progress: Progress) -> list[dict[str, Any]]:
    with _studio(folder) as studio, _tab(browser) as page:
        _open(page, studio)
        time.sleep(READING_TIME)
        clicks, costs = [], []
        for i in range(CLICKS):
            progress("clicking", 0.4 + 0.1 * i)
            before = _processor_time(studio.process.pid)
            clicks.append(_click(page))
            costs.append(_processor_time(studio.process.pid) - before)
            time.sleep(1.0)
        page.goto(studio.address, wait_until="networkidle")
        time.sleep(3.0)
        progress("resting", 0.7)
        before = _processor_time(studio.process.pid)
        time.sleep(IDLE_TIME)
        used = _processor_time(studio.process.pid) - before
    return [
        {**CLICK, "name": f"first {CLICK['name']}", "value": clicks[0]},
        {**CLICK, "name": f"later {CLICK['name']}", "value": min(clicks[1:])},
        row("processor time of the studio and its workers for it", min(costs[1:]), "s"),
        {**IDLE, "value": 100.0 * used / IDLE_TIME},
    ]


def _open(page: "Page", studio: RunningStudio) -> None:
    page.goto(f"{studio.address}scenario?name={SCENARIO}")
    page.get_by_role("button", name="Run", disabled=False).wait_for(timeout=TIMEOUT)
    page.get_by_label("speed", exact=True).wait_for(timeout=TIMEOUT)


def _click(page: "Page") -> float:
    """Click Run and return the time until the new replay is shown [s]."""
    begun = time.perf_counter()
    page.evaluate("for (const one of document.querySelectorAll('iframe.replay')) one.classList.add('old')")
    page.get_by_role("button", name="Run", exact=True).click()
    frame = page.frame_locator("iframe.replay:not(.old)")
    # Pressed once the view is built.
    frame.locator("[data-view][aria-pressed=true]").wait_for(timeout=TIMEOUT)
    frame.get_by_role("button", name="Section").wait_for(timeout=TIMEOUT)
    return time.perf_counter() - begun


@contextmanager
def _studio(folder: Path) -> Iterator[RunningStudio]:
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, "--folder", str(folder), "--port", "0"], stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )  # fmt: skip
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("Softdock studio: "):
                yield RunningStudio(process, line.split()[-1], begun, time.perf_counter())
                break
        else:
            raise RuntimeError("the studio has not started")
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def _tab(browser: "Browser") -> Iterator["Page"]:
    """Open a tab with an empty cache."""
    context = browser.new_context(viewport=NARROW)  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


def _processor_time(pid: int) -> float:
    """Return the processor time of a process and its children [s], from /proc (Linux)."""
    pids = [pid, *_children(pid)]
    ticks = 0
    for process in pids:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    children = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        children += [int(pid) for pid in path.read_text(encoding="utf-8").split()]
    return children
