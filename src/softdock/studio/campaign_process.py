"""Runs one campaign in its own process, so that it continues when the page or the studio is closed.

Usage: `python -m softdock.studio.campaign_process run FOLDER CAMPAIGN NAME [RUNS] [SEED]` or
`... resume FOLDER CAMPAIGN`. Writes its progress to `progress.json` beside the table. Stops after the runs in progress,
keeping every finished run, when a file `stop` appears.
"""

import json
import os
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softdock.errors import InputError, RunError
from softdock.files.atomic import write_atomic
from softdock.studio.folder import Folder

if TYPE_CHECKING:
    from softdock.campaign.runner import CampaignProgress

PROGRESS, STOP, LOG = "progress.json", "stop", "studio.log"
INTERVAL = 0.4  # s between two writes of the progress


class ProgressFile:
    """Writes the progress of the campaign and passes on a request to stop."""

    def __init__(self, campaign_folder: Path) -> None:
        self.campaign_folder, self._last_write, self._stopping = campaign_folder, 0.0, False

    def update(self, progress: "CampaignProgress") -> None:
        """Write the progress every `INTERVAL`; raise KeyboardInterrupt once when a stop is requested."""
        now = time.monotonic()
        if progress.finished or progress.interrupted or now - self._last_write >= INTERVAL:
            self._last_write = now
            self.write(
                total=progress.total, done=progress.done, rate=progress.rate,
                outcomes=dict(progress.outcomes.most_common()),
                finished=progress.finished, interrupted=progress.interrupted, stopped_at=progress.stopped_at,
            )  # fmt: skip
        if not self._stopping and (self.campaign_folder / STOP).exists():
            self._stopping = True
            raise KeyboardInterrupt

    def write(self, **entries: Any) -> None:
        """Replace the file; on a full disk it keeps its content, and the table decides whether to continue."""
        text = json.dumps({"pid": os.getpid(), "time": time.time(), **entries})
        with suppress(OSError):
            write_atomic(self.campaign_folder / PROGRESS, text)


def main() -> int:
    """Run or resume a campaign; the exit code is that of the command line."""
    command, root, campaign, *rest = sys.argv[1:]
    folder = Folder(Path(root))
    campaign_folder = folder.campaign(campaign)
    campaign_folder.mkdir(parents=True, exist_ok=True)
    progress_file = ProgressFile(campaign_folder)
    (campaign_folder / STOP).unlink(missing_ok=True)
    try:
        _execute(command, folder, campaign_folder, progress_file, rest)
    except KeyboardInterrupt:  # raised before the first run or while the last rows were written
        progress_file.write(interrupted=True)
    except (InputError, RunError) as error:
        progress_file.write(error=str(error))
        return 1
    except Exception as error:
        traceback.print_exc()
        progress_file.write(error=f"Internal error: {type(error).__name__}: {error}")
        return 1
    finally:
        (campaign_folder / STOP).unlink(missing_ok=True)
    return 0


def _execute(
    command: str, folder: Folder, campaign_folder: Path, progress_file: ProgressFile, rest: list[str]
) -> None:
    from softdock.campaign import runner
    from softdock.campaign.loading import read_campaign
    from softdock.studio.tasks import campaign_source, check_origin

    if command == "resume":
        origin = check_origin(folder, campaign_folder)
        runner.resume(campaign_folder, on_progress=progress_file.update, campaign=origin)
        return
    name, runs, seed = rest
    plan = read_campaign(
        campaign_source(folder, name), runs=int(runs) if runs else None, seed=int(seed) if seed else None
    )
    progress_file.write(total=plan.runs, done=0, outcomes={}, rate=0.0)
    runner.run(plan, campaign_folder, on_progress=progress_file.update)


if __name__ == "__main__":
    sys.exit(main())
