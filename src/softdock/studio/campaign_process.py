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
from pathlib import Path
from typing import Any

from softdock.errors import InputError, RunError
from softdock.files.atomic import write_atomic
from softdock.studio.folder import Folder

PROGRESS, STOP, LOG = "progress.json", "stop", "studio.log"
EVERY = 0.4  # s between two notes


class Notes:
    """Writes how far the campaign is, and passes on the wish to stop."""

    def __init__(self, place: Path) -> None:
        self.place, self._last, self._stopping = place, 0.0, False

    def watch(self, tally: Any) -> None:
        """Note a tally now and then; raise KeyboardInterrupt once where a stop is wished for."""
        now = time.monotonic()
        if tally.finished or tally.interrupted or now - self._last >= EVERY:
            self._last = now
            self.write(
                total=tally.total, done=tally.done, outcomes=dict(tally.outcomes.most_common()), rate=tally.rate,
                finished=tally.finished, interrupted=tally.interrupted, stopped_at=tally.stopped_at,
            )  # fmt: skip
        if not self._stopping and (self.place / STOP).exists():
            self._stopping = True
            raise KeyboardInterrupt

    def write(self, **entries: Any) -> None:
        """Replace the note."""
        text = json.dumps({"pid": os.getpid(), "time": time.time(), **entries})
        write_atomic(self.place / PROGRESS, text)


def main() -> int:
    """Run or resume a campaign; the exit code is that of the command line."""
    how, root, campaign, *rest = sys.argv[1:]
    folder = Folder(Path(root))
    place = folder.campaign(campaign)
    place.mkdir(parents=True, exist_ok=True)
    notes = Notes(place)
    (place / STOP).unlink(missing_ok=True)
    try:
        _work(how, folder, place, notes, rest)
    except KeyboardInterrupt:  # before the first run, or while the last rows are written
        notes.write(interrupted=True)
    except (InputError, RunError) as error:
        notes.write(error=str(error))
        return 1
    except Exception as error:
        traceback.print_exc()
        notes.write(error=f"Internal error: {type(error).__name__}: {error}")
        return 1
    finally:
        (place / STOP).unlink(missing_ok=True)
    return 0


def _work(how: str, folder: Folder, place: Path, notes: Notes, rest: list[str]) -> None:
    from softdock.campaign import runner
    from softdock.campaign.loading import load
    from softdock.studio.tasks import campaign_source

    if how == "resume":
        runner.resume(place, watch=notes.watch)
        return
    name, runs, seed = rest
    plan = load(
        campaign_source(folder, name), runs=int(runs) if runs else None, seed=int(seed) if seed else None
    )
    notes.write(total=plan.runs, done=0, outcomes={}, rate=0.0)
    runner.run(plan, place, watch=notes.watch)


if __name__ == "__main__":
    sys.exit(main())
