"""Faults of runs in the studio: runs without end, runs that need too much memory, killed processes."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.studio.conftest import Served, start, stop
from tests.studio.test_workers import endless_scenario, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.browser import Tab

LONG = 120_000.0  # ms
MEMORY_LIMIT = 700_000_000  # bytes; enough for the studio, not for every run
CAMPAIGN = (
    "softdock: 1\nkind: campaign\nscenario: latch-paper\nruns: 20000\nseed: 3\n"
    "dispersions: {speed: {uniform: [0.02 m/s, 0.16 m/s]}}\nsuccess: [latched]\n"
)


def large_scenario() -> str:
    """Return a scenario within all limits whose history exceeds the memory limit: 60 million numbers."""
    masses, springs = ", ".join(["1 kg"] * 50), ", ".join(["1e5 N/m"] * 49)
    side = f"{{masses: [{masses}], stiffness: [{springs}]}}"
    return (
        f"softdock: 1\nkind: chain\nspeed: 0.05 m/s\nchaser: {side}\ntarget: {side}\n"
        "contact: {stiffness: 1e6 N/m}\nstop: {time: 1 s}\nrecord: {rate: 199000 Hz}\n"
    )


@pytest.fixture
def small_studio(tmp_path: Path) -> Iterator[Served]:
    """A studio whose processes have a memory limit."""
    (tmp_path / "endless.yaml").write_text(endless_scenario())
    (tmp_path / "large.yaml").write_text(large_scenario())
    running = start(tmp_path, memory=MEMORY_LIMIT)
    yield running
    stop(running)


def start_run(page: "Page", served: Served, name: str) -> None:
    page.goto(f"{served.address}scenario?name={name}")
    page.get_by_role("button", name="Run", disabled=False).click(timeout=LONG)


@pytest.mark.long
def test_runs_are_cancelled_or_run_out_of_memory_and_the_next_one_works(
    tab: "Tab", small_studio: Served
) -> None:
    page = tab.page
    start_run(page, small_studio, "endless.yaml")
    page.get_by_text(re.compile("^Simulating")).wait_for(timeout=LONG)
    start_run(page, small_studio, "large.yaml")
    page.get_by_text(re.compile("^Waiting for an earlier run, ")).wait_for(timeout=LONG)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled.").wait_for()
    page.goto(f"{small_studio.address}runs")  # the page of the run is no longer open
    page.get_by_role("link", name=re.compile("^endless-")).click(timeout=LONG)
    page.get_by_role("button", name="Cancel").click(timeout=LONG)
    page.get_by_text("Cancelled.").wait_for()
    assert page.locator("iframe.replay").count() == 0
    start_run(page, small_studio, "large.yaml")
    page.get_by_text("The run needs more than the 0.7 GB that the studio gives it.").wait_for(timeout=LONG)
    start_run(page, small_studio, "latch-slow")
    page.get_by_text("Conservation check passed").first.wait_for(timeout=LONG)
    assert (
        len([path for path in (small_studio.folder / "runs").iterdir() if (path / "result.json").is_file()])
        == 1
    )


@pytest.mark.long
def test_killed_studio_and_campaign_are_found_again_and_resumed(tab: "Tab", tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text(CAMPAIGN)
    first = start(tmp_path)
    try:
        page = tab.page
        page.goto(f"{first.address}campaigns")
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/campaign/many-*", timeout=LONG)
        campaign = page.url.rpartition("/")[2]
        page.get_by_text(re.compile("^latched [0-9]+$")).first.wait_for(timeout=LONG)
        page.goto("about:blank")
    finally:
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(20)
    note = tmp_path / "campaigns" / campaign / "progress.json"
    before = json.loads(note.read_text())
    # The campaign continues after the studio was killed.
    wait_until(lambda: json.loads(note.read_text())["done"] > before["done"])
    os.kill(before["pid"], signal.SIGKILL)
    second = start(tmp_path)
    try:
        page.goto(f"{second.address}campaigns")
        page.get_by_role("link", name=campaign).click()
        sentence = page.get_by_text(
            re.compile("Stopped after [0-9,]+ of 20,000 runs; all completed runs are saved.")
        )
        done = _number(sentence.inner_text(timeout=LONG))
        assert done > before["done"]
        page.get_by_role("button", name="Resume").click()
        page.get_by_text(re.compile("[0-9,]+ of 20,000 runs, ")).wait_for(timeout=LONG)
        wait_until(lambda: json.loads(note.read_text()).get("done", 0) > done)
        page.get_by_role("button", name="Stop").click()
        assert _number(sentence.inner_text(timeout=LONG)) > done
    finally:
        stop(second)


def _number(text: str) -> int:
    return int(re.sub("[^0-9]", "", text.partition(" of ")[0]))
