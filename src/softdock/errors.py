"""Errors and warnings about the input, with file, line, field and hint."""

import errno
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One problem of the input: location, given value and what is allowed.

    >>> from softdock import Problem
    >>> print(Problem(message="Must be above 0 kg.", field="bodies.probe.mass", given="-1 kg"))
    bodies.probe.mass: Must be above 0 kg. Given: -1 kg.
    """

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
        place = _shown(self.file) + (f":{self.line}" if self.line is not None else "")
        parts = [part for part in (place, _shown(self.field, LONGEST_VALUE)) if part]
        text = ": ".join([*parts, _shown(self.message)])
        if self.given:
            text += f" Given: {_shown(self.given, LONGEST_VALUE)}."
        if self.hint:
            text += f" {_shown(self.hint)}"
        return text


LONGEST_VALUE, LONGEST_PART = 120, 400
"""Characters of a value or a field, and of any other part of a problem that are shown."""
MOST_NAMES = 30
"""Names that a message lists; a structure may have thousands of nodes."""
MOST_PROBLEMS = 50
"""Problems that an error lists; a file of another program may have thousands."""
CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal interprets, that change the order of a line, or that cannot be written."""


def _shown(text: str, longest: int = LONGEST_PART) -> str:
    """Return a text on one line, with escaped control characters and without the middle of a long text."""
    if len(text) > longest:
        text = f"{text[: longest // 2]}...({len(text):,} characters)...{text[-longest // 4 :]}"
    return printable(text)


def printable(text: str, kept: str = "") -> str:
    r"""Return a text with escaped control characters, except those in `kept`, for example `"\n"`."""
    return CONTROL_CHARACTERS.sub(
        lambda match: match[0] if match[0] in kept else match[0].encode("unicode_escape").decode(), text
    )


def suggest(given: str, known: Iterable[str]) -> str:
    """Return ` (did you mean ...?)` for a misspelt name, or nothing."""
    import difflib  # imported late: only errors need it

    close = difflib.get_close_matches(given, list(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def no_such(what: str, name: str, known: Iterable[str]) -> str:
    """Return the message about a name that refers to nothing, with a similar name and the known names."""
    names = list(known)
    listed = ", ".join(names[:MOST_NAMES]) or "none"
    if len(names) > MOST_NAMES:
        listed += f" and {len(names) - MOST_NAMES} more"
    return f"there is no {what} called {name!r}{suggest(name, names)}; there are: {listed}"


def first_problems(problems: Sequence[Problem], noun: str) -> tuple[Problem, ...]:
    """Return the first problems, and one that says how many more there are; `noun` is what they are called."""
    more = len(problems) - MOST_PROBLEMS
    if more <= 1:  # one more is listed: it may be the sentence below
        return tuple(problems)
    return (*problems[:MOST_PROBLEMS], Problem(message=f"There are {more:,} more {noun}."))


class InputError(Exception):
    """The input cannot be used; `problems` has what was found, with the dotted path of the field.

    A problem is given as an object, or as its message with the other fields of `Problem` by keyword. Of more than 50
    problems it has the first 50, and one that says how many more there are. The command line exits with code 2.

    >>> from softdock import Body, InputError
    >>> try:
    ...     Body(mass="20 N", joint={"type": "gimbal"})
    ... except InputError as error:
    ...     for problem in error.problems:
    ...         print(problem.field, "|", problem.given)
    mass | 20 N
    joint.type | gimbal
    """

    def __init__(
        self,
        *problems: Problem | str,
        field: str = "",
        file: str = "",
        line: int | None = None,
        given: str = "",
        hint: str = "",
    ) -> None:
        listed = tuple(
            p if isinstance(p, Problem)
            else Problem(message=p, field=field, file=file, line=line, given=given, hint=hint)
            for p in problems
        )  # fmt: skip
        self.problems = first_problems(listed, "problems")
        super().__init__("\n".join(map(str, self.problems)))


def require(field: str, value: float, allowed: str, ok: bool) -> None:
    """Raise `InputError` unless the value is finite and `ok`; `allowed` describes the allowed values."""
    if not (ok and math.isfinite(value)):
        raise InputError(f"must be {allowed}.", field=field, given=f"{value:g}")


class InputWarning(UserWarning):
    """The input can be used but is probably a mistake."""


class RunError(Exception):
    """A run or a campaign could not be completed. The command line exits with code 1.

    >>> from softdock import RunError
    >>> issubclass(RunError, Exception)
    True
    """


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
    errno.ELOOP: "the links lead in a circle",
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


@contextmanager
def collected(problems: list[Problem]) -> Iterator[None]:
    """Add the problems of an `InputError` of the block to a list, so that others can be found as well."""
    try:
        yield
    except InputError as error:
        problems += error.problems


def reason_of(error: OSError) -> str:
    """Return the reason of an OSError as text."""
    return _REASONS.get(error.errno or 0, error.strerror or str(error))
