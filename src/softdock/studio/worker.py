"""A worker of the studio: takes one task a line on stdin, answers on stdout; `python -m softdock.studio.worker FOLDER`.

A task that goes wrong is answered like any other; a worker that is killed takes only its own task along.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from softdock.errors import InputError, RunError
from softdock.studio import limits
from softdock.studio.folder import Folder


def main() -> None:
    """Work until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the studio, which then ends its workers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints must not be taken for an answer
    memory = limits.bound_memory()
    folder = Folder(Path(sys.argv[1]))
    for line in sys.stdin:
        order = json.loads(line)
        answer = {"id": order["id"], **_done(folder, order, answers, memory)}
        answers.write(json.dumps(answer, allow_nan=False) + "\n")
        answers.flush()


def _done(folder: Folder, order: dict[str, Any], answers: Any, memory: int) -> dict[str, Any]:
    def say(stage: str) -> None:
        answers.write(json.dumps({"id": order["id"], "stage": stage}) + "\n")
        answers.flush()

    from softdock.studio import campaign_drafts, tasks

    known = {task.__name__: task for task in (*tasks.ALL, *campaign_drafts.ALL)}
    try:
        return {"done": known[order["task"]](folder, say, **order["with"])}
    except InputError as error:
        return {"problems": [limits.told(problem) for problem in error.problems]}
    except RunError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"The run needs more than the {memory / 1e9:.2g} GB that the studio gives it."}
    except Exception as error:
        traceback.print_exc()
        return {"error": f"Internal error: {' '.join(f'{type(error).__name__}: {error}'.split())[:300]}"}


if __name__ == "__main__":
    main()
