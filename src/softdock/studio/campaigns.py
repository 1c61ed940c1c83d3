"""Campaigns of the folder: start, state, stop, resume. Each runs in a process that outlives the studio."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softdock.errors import InputError
from softdock.files.atomic import write_new
from softdock.files.in_place import open_to_append
from softdock.files.regular_file import read_regular_file
from softdock.presentation.campaign import progress_text
from softdock.presentation.discrepancies import discrepancy_texts
from softdock.studio.campaign_process import LOG, PROGRESS, STOP
from softdock.studio.folder import CAMPAIGN_TABLE, Folder

if TYPE_CHECKING:
    from softdock.studio.columns import Columns

PROCESS = "softdock.studio.campaign_process"
LARGEST_PROGRESS = 1_000_000  # bytes
MOST_TABLES = 4  # campaigns whose columns are held in memory


@dataclass
class CampaignState:
    """Progress of a campaign."""

    total: int = 0
    done: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    rate: float = 0.0
    running: bool = False
    stopping: bool = False
    complete: bool = False
    error: str = ""
    discrepancies: tuple[str, ...] = ()
    """What of its table does not agree with its digests; not checked while it runs."""

    @property
    def sentence(self) -> str:
        """Progress as a sentence, after what does not agree with the digests of the table."""
        return " ".join([*discrepancy_texts(self.discrepancies), self._progress()])

    def _progress(self) -> str:
        if self.error:
            return self.error
        if self.complete:
            return f"All {self.done:,} runs are complete."
        if self.stopping:
            return "Completing active runs ..."
        if self.running:
            return f"{progress_text(self.done, self.total, self.rate)}."
        return f"Stopped after {self.done:,} of {self.total:,} runs; all completed runs are saved."


class Campaigns:
    """The campaigns of a folder, and the processes that run them."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._complete: dict[str, CampaignState] = {}
        self._tables: dict[str, Columns] = {}

    def start(self, name: str, runs: int | None, seed: int | None) -> str:
        """Start a campaign that has been checked; return its identifier."""
        stem = name.rpartition("/")[2].removesuffix(".yaml").removesuffix(".yml")
        campaign = self.folder.new_run(stem)
        self.folder.campaign(campaign).mkdir(parents=True)
        self._launch("run", campaign, name, _argument(runs), _argument(seed))
        return campaign

    def resume(self, campaign: str) -> None:
        """Resume a stopped campaign."""
        if not self.state(campaign).running:
            self._complete.pop(campaign, None)
            (self.folder.campaign(campaign) / PROGRESS).unlink(missing_ok=True)
            self._launch("resume", campaign)

    def stop(self, campaign: str) -> None:
        """Ask the process to end after the runs in progress."""
        with suppress(FileExistsError):
            write_new(self.folder.campaign(campaign) / STOP, b"")

    def state(self, campaign: str) -> CampaignState:
        """Return the progress of a campaign."""
        known = self._complete.get(campaign)
        if known is not None:
            return known
        campaign_folder = self.folder.campaign(campaign)
        running, progress = self._is_running(campaign, campaign_folder), _read_progress(campaign_folder)
        state = CampaignState(
            total=progress.get("total", 0), done=progress.get("done", 0), outcomes=progress.get("outcomes", {}),
            rate=progress.get("rate", 0.0), running=running, stopping=running and (campaign_folder / STOP).exists(),
            error=progress.get("error", ""),
        )  # fmt: skip
        if not running and not state.error and (campaign_folder / CAMPAIGN_TABLE).is_file():
            from softdock.campaign.status import status_of

            with suppress(InputError):
                status = status_of(campaign_folder)
                state.total, state.done = status["stopped_at"] or status["runs"], status["done"]
                state.outcomes, state.complete = status["outcomes"], status["complete"]
                state.discrepancies = tuple(status["discrepancies"])
        if state.complete:
            self._complete[campaign] = state
        return state

    def columns(self, campaign: str) -> "Columns":
        """Return the columns of the table; call `update` to read new rows."""
        from softdock.studio.columns import Columns

        if campaign not in self._tables:
            while len(self._tables) >= MOST_TABLES:
                del self._tables[next(iter(self._tables))]
            self._tables[campaign] = Columns(self.folder.campaign(campaign))
        return self._tables[campaign]

    def known(self) -> list[str]:
        """Return the campaigns of the folder, newest first, including those without a table yet."""
        begun = [name for name, process in self._processes.items() if process.poll() is None]
        listed = self.folder.campaigns()
        return [*(name for name in reversed(begun) if name not in listed), *listed]

    def _launch(self, command: str, campaign: str, *rest: str) -> None:
        log = self.folder.campaign(campaign) / LOG
        with open_to_append(log) as output:
            # In its own session, so that neither Ctrl-C nor the end of the studio stops the campaign.
            self._processes[campaign] = subprocess.Popen(
                [sys.executable, "-m", PROCESS, command, str(self.folder.root), campaign, *rest],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip

    def _is_running(self, campaign: str, campaign_folder: Path) -> bool:
        process = self._processes.get(campaign)
        if process is not None:
            return process.poll() is None
        from softdock.campaign.store import is_locked

        return is_locked(campaign_folder)  # started by an earlier studio or from a terminal


def _read_progress(campaign_folder: Path) -> dict[str, Any]:
    try:
        progress = json.loads(read_regular_file(campaign_folder / PROGRESS, largest=LARGEST_PROGRESS))
    except (InputError, OSError, ValueError, RecursionError):
        return {}
    return progress if isinstance(progress, dict) else {}


def _argument(number: int | None) -> str:
    return "" if number is None else str(number)
