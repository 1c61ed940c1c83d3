"""Writing of a report as HTML or PDF, by the suffix of its name."""

from collections.abc import Callable
from pathlib import Path

from softdock.errors import InputError, file_errors
from softdock.files.atomic import write_atomic
from softdock.report.page import PAPERS
from softdock.report.pdf import print_to_pdf, require_browser

SUFFIXES = (".html", ".htm", ".pdf")
DEFAULT_PAPER = "a4"


def check_report_name(path: Path, option: str = "--report") -> None:
    """Raise InputError where a report cannot be written: an unknown suffix, or a PDF without a browser."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        message = f"The name of a report must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}."
        raise InputError(message, field=option, given=str(path))
    if suffix == ".pdf":
        require_browser(option, path)


def find_paper(given: str | None) -> str:
    """Return a key of `PAPERS`; the default where none is given."""
    name = (given or DEFAULT_PAPER).strip().lower()
    if name not in PAPERS:
        message = f"Must be {' or '.join(PAPERS)}."
        raise InputError(message, field="--paper", given=given or "")
    return name


def write_report_file(path: Path, render: Callable[[str], str], paper: str = "") -> None:
    """Write a report, which `render` returns as a page for a paper (empty for HTML); atomically."""
    check_report_name(path, option="")
    with file_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix.lower() == ".pdf":
            write_atomic(path, print_to_pdf(render(paper or DEFAULT_PAPER)))
        else:
            write_atomic(path, render(""))
