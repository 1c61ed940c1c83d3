"""Imprint of a report: author, revision, date, digests and versions."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from softdock.errors import InputError
from softdock.presentation.tables import Table


@dataclass(frozen=True, kw_only=True)
class Imprint:
    """Who made a report, when, from what and with which program."""

    subject: str
    """What `digest` identifies: `scenario` or `campaign`."""
    digest: str
    """SHA-256 of the subject."""
    date: str
    author: str = ""
    revision: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of files and of the history, by name."""

    @property
    def version(self) -> str:
        """Version of Softdock."""
        return self.versions.get("softdock", "")

    def line(self) -> str:
        """Return author, revision and date in one line."""
        revision = f"revision {self.revision}" if self.revision else ""
        return ", ".join(part for part in (self.author, revision, self.date) if part)

    def table(self) -> Table:
        """Return everything in a table."""
        rows = [
            ("author", self.author or "not stated"),
            ("revision", self.revision or "not stated"),
            ("date", self.date),
            (f"{self.subject} (SHA-256)", self.digest),
            *((f"{name} (SHA-256)", digest) for name, digest in self.digests.items()),
            ("versions", ", ".join(f"{name} {value}" for name, value in self.versions.items())),
        ]
        return Table(header=("", ""), rows=rows, left=(0, 1), code=())


def report_date() -> str:
    """Return the date of a report (UTC): now, or `SOURCE_DATE_EPOCH` [s] for reports that are reproducible."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not given:
        return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    try:
        return datetime.fromtimestamp(int(given), UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        message = "Must be a number of seconds since 1970."
        raise InputError(message, field="SOURCE_DATE_EPOCH", given=given) from None
