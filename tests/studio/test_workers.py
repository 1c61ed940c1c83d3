"""Workers and campaigns without a page: refused input, cancelling, and campaigns that outlive the studio."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from softdock.errors import InputError, RunError
from softdock.scenario.loading import bundled_text
from softdock.studio.campaign_process import PROGRESS
from softdock.studio.campaigns import Campaigns
from softdock.studio.folder import Folder
from softdock.studio.runs import Runs
from softdock.studio.worker_processes import WorkerProcess

TIMEOUT = 60.0  # s
MANY = (
    "softdock: 1\nkind: campaign\nscenario: latch-paper\nruns: 4000\nseed: 3\n"
    "dispersions: {speed: {uniform: [0.02 m/s, 0.16 m/s]}}\nsuccess: [latched]\n"
)


def run_with_worker(folder: Path, work: Callable[[WorkerProcess], Awaitable[Any]]) -> Any:
    async def start_and_stop() -> Any:
        worker = WorkerProcess(Folder(folder))
        try:
            return await work(worker)
        finally:
            await worker.stop()

    return asyncio.run(start_and_stop())


def test_workers_do_not_load_the_web_server() -> None:
    script = (
        "import sys, softdock.studio.worker, softdock.studio.tasks, softdock.studio.campaign_process;"
        "print(sorted({'nicegui', 'fastapi', 'uvicorn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_one_worker_checks_refuses_runs_and_is_cancelled(tmp_path: Path) -> None:
    text = bundled_text("latch-slow")[0]

    async def work(worker: WorkerProcess) -> None:
        wrong = await worker.call("change_value", text=text, name="latch-slow", path="speed", value="-3 kg")
        (problem,) = wrong["problems"]
        assert (problem["field"], problem["line"]) == ("speed", text[: text.index("speed:")].count("\n") + 1)
        assert problem["message"] == "Is a mass [kg], but a speed is needed, for example '0.05 m/s'."

        for bad in (
            "softdock: 1\nspeed: [",
            "softdock: 1\nkind: !!python/name:os.system x\n",
            "\0",
            "[1, 2]",
            "",
        ):
            answer = await worker.call("check_text", text=bad, name="latch-slow")
            assert answer["problems"], bad
        with pytest.raises(InputError, match="below the studio's folder"):
            await worker.call("read_text", name="../../etc/passwd")
        outside = await worker.call("check_text", text="softdock: 1\nbase: ../secret.yaml\n", name="x.yaml")
        assert "only files below its folder" in outside["problems"][0]["message"]

        changed = await worker.call(
            "change_value", text=text, name="latch-slow", path="speed", value="0.2 m/s"
        )
        assert changed["changes"] == [["speed", "0.05 m/s", "0.2 m/s"]]
        runs = Runs(worker.folder, worker)
        activity = runs.start("latch-slow", changed["text"])
        assert activity.task is not None
        await activity.task
        assert activity.summary is not None, activity.error
        assert activity.summary["outcome"] == "latched"
        kept = worker.folder.run(activity.run)
        assert {"result.json", "history.parquet", "replay.scene"} <= {path.name for path in kept.iterdir()}
        curves = await worker.call("read_curves", run=activity.run, names=["relative_velocity", "no such"])
        assert list(curves) == ["relative_velocity"]

        slow = asyncio.create_task(
            worker.call("run_scenario", text=endless_scenario(), name="impact-a", run="endless")
        )
        await asyncio.sleep(0.05)
        await worker.stop(RunError("Cancelled."))
        with pytest.raises(RunError, match="Cancelled"):
            await slow
        assert (await worker.call("summarise_run", run=activity.run))["outcome"] == "latched"

    run_with_worker(tmp_path, work)


def test_a_killed_worker_fails_its_task_and_the_next_task_starts_another(tmp_path: Path) -> None:
    async def work(worker: WorkerProcess) -> None:
        begun = asyncio.Event()
        slow = asyncio.create_task(
            worker.call(
                "run_scenario",
                on_stage=lambda stage: begun.set(),
                text=endless_scenario(),
                name="impact-a",
                run="endless",
            )
        )
        await asyncio.wait_for(begun.wait(), TIMEOUT)
        assert worker._process is not None
        worker._process.kill()
        with pytest.raises(RunError, match=r"^The worker has ended unexpectedly; perhaps memory ran out\.$"):
            await asyncio.wait_for(slow, TIMEOUT)
        answer = await worker.call("check_text", text=bundled_text("latch-slow")[0], name="latch-slow")
        assert not answer["problems"]

    run_with_worker(tmp_path, work)


def test_a_campaign_stops_resumes_and_outlives_its_studio(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text(MANY)
    first = Campaigns(Folder(tmp_path))
    campaign = first.start("many.yaml", None, None)
    wait_until(lambda: first.state(campaign).done > 100)
    other = Campaigns(Folder(tmp_path))  # as in a studio that was started again
    assert other.known() == [campaign]
    assert other.state(campaign).running
    other.stop(campaign)
    wait_until(lambda: not other.state(campaign).running)
    stopped = other.state(campaign)
    assert 100 < stopped.done < 4000
    assert not stopped.complete
    assert "all completed runs are saved" in stopped.sentence
    other.resume(campaign)
    wait_until(lambda: other.state(campaign).done > stopped.done)
    other.stop(campaign)
    wait_until(lambda: not other.state(campaign).running)
    columns = other.columns(campaign)
    columns.update()
    assert columns.size == other.state(campaign).done


def test_a_killed_campaign_is_stopped_and_keeps_its_completed_runs(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text(MANY)
    first = Campaigns(Folder(tmp_path))
    campaign = first.start("many.yaml", 20_000, None)
    wait_until(lambda: first.state(campaign).done > 0)
    progress = json.loads((tmp_path / "campaigns" / campaign / PROGRESS).read_text())
    os.kill(progress["pid"], signal.SIGKILL)
    wait_until(lambda: not first.state(campaign).running)
    for campaigns in (first, Campaigns(Folder(tmp_path))):
        state = campaigns.state(campaign)
        assert progress["done"] <= state.done < 20_000
        assert not state.running
        assert not state.complete
        wanted = f"Stopped after {state.done:,} of 20,000 runs; all completed runs are saved."
        assert state.sentence == wanted
        columns = campaigns.columns(campaign)
        columns.update()
        assert columns.size == state.done


def test_a_campaign_with_a_file_outside_the_folder_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text("softdock: 1\nkind: campaign\nscenario: ../x.yaml\nruns: 5\n")
    campaigns = Campaigns(Folder(tmp_path))
    campaign = campaigns.start("wrong.yaml", None, None)
    wait_until(lambda: not campaigns.state(campaign).running)
    assert "only files below its folder" in campaigns.state(campaign).sentence


def endless_scenario() -> str:
    """Return a scenario that takes very long: 600 masses for 50 s."""
    masses = ", ".join(["1 kg"] * 300)
    springs = ", ".join(["1e5 N/m"] * 299)
    return (
        f"softdock: 1\nkind: chain\nspeed: 0.05 m/s\nchaser: {{masses: [{masses}], stiffness: [{springs}]}}\n"
        f"target: {{masses: [{masses}], stiffness: [{springs}]}}\ncontact: {{stiffness: 1e6 N/m}}\n"
        "stop: {time: 50 s}\nrecord: {rate: 100 Hz}\n"
    )


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.1)
