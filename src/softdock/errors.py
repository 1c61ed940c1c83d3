"""Errors and warnings about the input, with file, line, field and hint."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One problem of the input: location, given value and what is allowed."""

    message: str
    """Sentence that states the problem and what is allowed."""
    field: str = ""
    """Dotted path of the field, for example `chaser.masses.0`."""
    file: str = ""
    line: int | None = None
    """Line in the file, counted from 1."""
    given: str = ""
    """The refused value as it was written."""
    hint: str = ""
    """What to do, for example 'did you mean "stiffness"?'."""

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line is not None else "")
        parts = [part for part in (place, self.field) if part]
        text = ": ".join([*parts, self.message])
        if self.given:
            text += f" Given: {self.given}."
        if self.hint:
            text += f" {self.hint}"
        return text


class InputError(Exception):
    """The input cannot be used; contains all problems found. The command line exits with code 2."""

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = tuple(p if isinstance(p, Problem) else Problem(message=p) for p in problems)
        super().__init__("\n".join(map(str, self.problems)))


class InputWarning(UserWarning):
    """The input can be used but is probably a mistake."""


class RunError(Exception):
    """A run could not be completed. The command line exits with code 1."""


_REASONS = {
    errno.ENOENT: "it does not exist",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EEXIST: "a file of that name is in the way",
    errno.ENAMETOOLONG: "the name is too long",
}


def file_error(path: Path | str, action: str, error: OSError) -> InputError:
    """Return the `InputError` for a failed operation on a file or folder; `action` is a verb such as `write`."""
    return InputError(Problem(message=f"Cannot {action} it: {reason_of(error)}.", file=str(path)))


@contextmanager
def file_errors(path: Path | str, action: str) -> Iterator[None]:
    """Raise an OSError of the block as the `InputError` of `file_error`."""
    try:
        yield
    except OSError as error:
        raise file_error(path, action, error) from error


def reason_of(error: OSError) -> str:
    """Return the reason of an OSError as text."""
    return _REASONS.get(error.errno or 0, error.strerror or str(error))
