"""Functions common to all commands: output on stdout, messages and progress on stderr, errors as sentences."""

import errno
import json
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console

from softdock.errors import (
    CONTROL_CHARACTERS,
    InputError,
    InputWarning,
    RunError,
    file_error,
    printable,
    reason_of,
)
from softdock.files.regular_file import path_exists
from softdock.presentation.progress import Progress

if TYPE_CHECKING:
    from softdock.presentation.unit_systems import UnitSystem
    from softdock.result import RequirementVerdict, Result

PIPE_WIDTH = 200  # characters
INTERRUPT_PERIOD = 0.5  # s between looks at signals; on Linux and macOS a signal also ends the wait
T = TypeVar("T")
EXIT_RUN, EXIT_INPUT, EXIT_VIOLATED, EXIT_UNDECIDED, EXIT_INTERRUPTED, EXIT_PIPE = 1, 2, 3, 4, 130, 141


def stdout_console() -> Console:
    """Return the console of stdout; in a pipe its width is `PIPE_WIDTH`."""
    return Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def print_message(message: str) -> None:
    """Print a message on stderr."""
    print(printable(message, "\n"), file=sys.stderr, flush=True)


def print_discrepancies(discrepancies: Iterable[str]) -> None:
    """Print on stderr what of a stored result or campaign does not agree with its digest."""
    from softdock.presentation.discrepancies import discrepancy_texts

    for text in discrepancy_texts(tuple(discrepancies)):
        print_message(text)


def print_text(text: str = "") -> None:
    """Print lines that may have names of received files, without control characters, on stdout."""
    print(printable(text, "\n"))


def print_result(
    result: "Result", written: Iterable[object] = (), system: "UnitSystem | None" = None
) -> None:
    """Print the summary of a run, in the colours of its statuses on a terminal, and the files written."""
    from softdock.presentation.colours import TERMINAL_STYLES
    from softdock.report.summary import summary_lines

    console = stdout_console()
    for text, status in summary_lines(result, system):
        console.print(text, style=TERMINAL_STYLES[status] or None, soft_wrap=True)
    for path in written:
        print(f"Written to {path}")


@contextmanager
def printed_warnings() -> Iterator[None]:
    """Print warnings about the input as sentences, without their position in the code."""
    with warnings.catch_warnings():
        show_default = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, InputWarning):
                print_message(f"Warning: {message}")
            else:
                show_default(message, category, *where, **more)

        warnings.showwarning = show
        warnings.simplefilter("always", InputWarning)
        yield


def print_json(data: Any) -> None:
    """Print one JSON document on stdout with escaped control characters; all numbers must be finite."""
    text = json.dumps(data, indent=2, allow_nan=False, ensure_ascii=False)
    print(
        CONTROL_CHARACTERS.sub(
            lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text
        )
    )


def check_suffix(option: str, path: Path | None, *suffixes: str) -> None:
    """Raise InputError where the name of an output file has none of the suffixes."""
    if path is not None and path.suffix.lower() not in suffixes:
        message = f"The name of this file must end in {' or '.join(suffixes)}."
        raise InputError(message, field=option, given=str(path))


def make_folder(path: Path) -> None:
    """Create a folder for output and its parents where they do not exist."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(path, "make", error) from error


@contextmanager
def output_folders(*paths: Path) -> Iterator[None]:
    """Create folders for output; where the block fails, delete those that it created and that are empty."""
    created = [folder for path in paths for folder in (path, *path.parents) if not path_exists(folder)]
    try:
        for path in paths:
            make_folder(path)
        yield
    except BaseException:
        for folder in sorted(created, key=lambda path: len(path.parts), reverse=True):
            with suppress(OSError):  # not empty, or used by another process
                folder.rmdir()
        raise


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show a progress bar on stderr if that is a terminal; yield the function that updates it."""
    if not sys.stderr.isatty():
        yield lambda what, fraction: None
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda what, fraction: bar.update(task, description=f"{title}: {what}", completed=fraction)


def run_interruptible(work: Callable[[], T]) -> T:
    """Return the result of a function that may stay long in a kernel; Ctrl-C raises KeyboardInterrupt at once.

    Python handles signals between its own instructions only, so the function runs on a thread and this one waits. After
    an interrupt the thread is left to end with the process.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    while True:
        with suppress(TimeoutError):
            return outcome.result(timeout=INTERRUPT_PERIOD)


class ReportedExit(SystemExit):
    """An exit whose reason has been printed already."""


def refuse_check_without(requirements: Collection[Any], what: str) -> None:
    """Raise InputError for `--check` where there are no requirements."""
    if not requirements:
        message = f"The {what} has no requirements to check."
        hint = "Add them under `requirements`, or leave --check out."
        raise InputError(message, field="--check", hint=hint)


def exit_by_verdicts(verdicts: "Iterable[RequirementVerdict]") -> None:
    """Name violated or else undecided requirements on stderr and exit with their code; return where all are met."""
    by_verdict: dict[str, list[str]] = {"violated": [], "undecided": [], "met": []}
    for requirement in verdicts:
        by_verdict[requirement.verdict].append(requirement.id)
    for verdict, code in (("violated", EXIT_VIOLATED), ("undecided", EXIT_UNDECIDED)):
        if by_verdict[verdict]:
            print_message(f"Requirements {verdict}: {', '.join(by_verdict[verdict])}")
            raise ReportedExit(code)


def report(error: BaseException) -> int:
    """Print an error on stderr and return the exit code."""
    match error:
        case InputError():
            for problem in error.problems:
                print_message(f"Error: {problem}")
            return EXIT_INPUT
        case RunError():
            print_message(f"The run could not be completed: {error}")
            return EXIT_RUN
        case KeyboardInterrupt():
            print_message("Interrupted.")
            return EXIT_INTERRUPTED
        case BrokenPipeError():
            _discard_output()  # the reader of the pipe has ended
            return EXIT_PIPE
        case OSError(errno=errno.ENOSPC | errno.EDQUOT | errno.EIO):
            _discard_output()
            print_message(f"The output could not be written: {reason_of(error)}.")
            return EXIT_RUN
        case OSError(errno=errno.ENAMETOOLONG | errno.ELOOP):
            return report(file_error(str(error.filename), "use", error))
        case _:
            return _report_internal(error)


def _discard_output() -> None:
    """Redirect buffered output of stdout to the null device, so that the exit does not write it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_internal(error: BaseException) -> int:
    if os.environ.get("SOFTDOCK_DEBUG"):
        traceback.print_exception(error)
    line = " ".join(f"{type(error).__name__}: {error}".split())
    print_message(f"Internal error: {line}")
    print_message(
        "This is a defect of Softdock: please report it with the command and its output with SOFTDOCK_DEBUG=1."
    )
    return EXIT_RUN
