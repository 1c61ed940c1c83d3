"""Main program of a worker process: `python -m softdock.studio.worker FOLDER`.

Reads one task per line from stdin and writes stages and results to stdout, as JSON. A task that fails is answered with
its error; a worker that is killed loses only the task in progress.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import IO, Any

from softdock.errors import InputError, RunError
from softdock.studio import limits
from softdock.studio.folder import Folder


def main() -> None:
    """Execute tasks until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the studio, which then ends its workers
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # text printed by a library goes to stderr, not into the messages
    memory = limits.limit_memory()
    folder = Folder(Path(sys.argv[1]))
    try:
        for line in sys.stdin:
            request = json.loads(line)
            _send(output, {"id": request["id"], **_execute(folder, request, output, memory)})
    except BrokenPipeError:  # the studio was killed
        os._exit(1)  # without writing what is buffered


def _execute(folder: Folder, request: dict[str, Any], output: IO[str], memory: int) -> dict[str, Any]:
    def report_stage(stage: str) -> None:
        _send(output, {"id": request["id"], "stage": stage})

    from softdock.studio import campaign_drafts, tasks

    known = {task.__name__: task for task in (*tasks.TASKS, *campaign_drafts.TASKS)}
    try:
        return {"done": known[request["task"]](folder, report_stage, **request["with"])}
    except InputError as error:
        return {"problems": [limits.problem_data(problem) for problem in error.problems]}
    except RunError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"The run needs more than the {memory / 1e9:.2g} GB that the studio gives it."}
    except Exception as error:
        traceback.print_exc()
        return {"error": f"Internal error: {' '.join(f'{type(error).__name__}: {error}'.split())[:300]}"}


def _send(output: IO[str], message: dict[str, Any]) -> None:
    output.write(json.dumps(message, allow_nan=False) + "\n")
    output.flush()


if __name__ == "__main__":
    main()
