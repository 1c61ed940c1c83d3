"""What the commands share: text on stdout, messages and progress on stderr, every error as a sentence."""

import errno
import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from softdock.errors import InputError, InputWarning, Problem, RunError, file_error, reason_of

Progress = Callable[[str, float], None]

PIPE_WIDTH = 200  # characters; tables take only what they need
EXIT_RUN, EXIT_INPUT, EXIT_INTERRUPTED, EXIT_PIPE = 1, 2, 130, 141


def out() -> Console:
    """Return the console of stdout; in a pipe lines are not broken at the width of a terminal."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def say(message: str) -> None:
    """Print a message for the person at the terminal, on stderr."""
    print(message, file=sys.stderr, flush=True)


@contextmanager
def warnings_said() -> Iterator[None]:
    """Say what is doubtful about the input as a sentence, without the line of code that noticed."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, InputWarning):
                say(f"Warning: {message}")
            else:
                usual(message, category, *where, **more)

        warnings.showwarning = show
        warnings.simplefilter("always", InputWarning)
        yield


def print_json(data: Any) -> None:
    """Print one JSON document on stdout; numbers that are not finite must have become null before."""
    print(json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False))


def check_ending(option: str, path: Path | None, *endings: str) -> None:
    """Refuse a file to write whose name does not end as its content asks."""
    if path is not None and path.suffix.lower() not in endings:
        message = f"The name of this file ends in {' or '.join(endings)}."
        raise InputError(Problem(message=message, field=option, given=str(path)))


def make_folder(path: Path) -> None:
    """Make a folder for output, with its parents, if it is not there yet."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(path, "make", error) from error


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show a progress bar on stderr if that is a terminal; yield the function that moves it."""
    if not sys.stderr.isatty():
        yield lambda what, fraction: None
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda what, fraction: bar.update(task, description=f"{title}: {what}", completed=fraction)


class Told(SystemExit):
    """An end with an exit code, of which the person has been told already."""


def report(error: BaseException) -> int:
    """Say on stderr what went wrong and return the exit code."""
    match error:
        case InputError():
            for problem in error.problems:
                say(f"Error: {problem}")
            return EXIT_INPUT
        case RunError():
            say(f"The run could not be completed: {error}")
            return EXIT_RUN
        case KeyboardInterrupt():
            say("Interrupted.")
            return EXIT_INTERRUPTED
        case BrokenPipeError():
            _abandon_output()  # whoever read it has gone; nobody is left to tell
            return EXIT_PIPE
        case OSError(errno=errno.ENOSPC | errno.EDQUOT | errno.EIO):
            _abandon_output()
            say(f"The output could not be written: {reason_of(error)}.")
            return EXIT_RUN
        case _:
            return _internal(error)


def _abandon_output() -> None:
    """Send what is still waiting for stdout nowhere, so that the exit does not try again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _internal(error: BaseException) -> int:
    if os.environ.get("SOFTDOCK_DEBUG"):
        traceback.print_exception(error)
    line = " ".join(f"{type(error).__name__}: {error}".split())
    say(f"Internal error: {line}")
    say("This is a fault in Softdock: please report it, with the command and what SOFTDOCK_DEBUG=1 shows.")
    return EXIT_RUN
