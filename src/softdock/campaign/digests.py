"""Digests of the rows and entries of a campaign's table, and what does not agree with them.

The digest of a row covers its run number, all of its columns and the definition of the campaign, so that rows cannot be
exchanged between runs or campaigns. That of an entry (state, units, what a search found) covers its name and its text.
"""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from softdock.campaign.execution import ENCODER, Row
from softdock.presentation.labels import shorten_list
from softdock.result.digest import NO_DIGEST, text_digest

DIGEST_OF = "digest of "
"""Beginning of the key of an entry that is the digest of another one."""
REAL = ("simulated_s", "wall_s")
"""Columns of real numbers."""
MOST_NAMED = 8
"""Runs that a sentence lists."""
MOST_TABLES = 16
"""Tables whose discrepancies are kept by a process, until they change."""


def entry_digest(key: str, text: str) -> str:
    """Return the digest of an entry of the manifest table as it is stored; that of the manifest is in all rows."""
    return text_digest(f"{key}\n{text}")


def row_digest(campaign: str, row: Sequence[Any]) -> str:
    """Return the digest of a row with its numbers as SQLite returns them; `campaign` is the digest of the manifest.

    Columns with their defaults are left out, so that a column that a later version adds changes no digest.
    """
    if len(row) > len(Row._fields):
        raise ValueError("The row has other columns.")
    pairs = {name: _stored(name, value) for name, value in zip(Row._fields, row)}
    kept = {k: v for k, v in pairs.items() if k not in Row._field_defaults or v != Row._field_defaults[k]}
    return text_digest(ENCODER.encode([campaign, kept]))


def find_discrepancies(database: sqlite3.Connection) -> tuple[str, ...]:
    """Return what of a table does not agree with its digests, one sentence each; reads all rows once."""
    entries = dict(database.execute("SELECT key, value FROM manifest"))
    campaign = entries.get(f"{DIGEST_OF}manifest")
    if campaign is None:
        return (NO_DIGEST,)
    return (*_entry_sentences(entries), *_row_sentences(database, str(campaign)))


def _stored(name: str, value: Any) -> Any:
    """Return a value as the table returns it: a column of real numbers has no integers and no NaN."""
    if name not in REAL or not isinstance(value, int | float):
        return value
    return float(value) if math.isfinite(value) else None


def _entry_sentences(entries: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each entry that was changed, added or removed."""
    named = {key.removeprefix(DIGEST_OF) for key in entries if key.startswith(DIGEST_OF)}
    present = {key for key in entries if not key.startswith(DIGEST_OF)} - {"format"}
    for key in sorted(named | present):
        what = "definition of the campaign" if key == "manifest" else f"entry '{key}'"
        if key not in present:
            yield f"The {what} was removed after it was stored."
        elif key not in named:
            yield f"The {what} has no digest: it was added or its digest was removed."
        elif entries[f"{DIGEST_OF}{key}"] != _digest_or_none(key, entries[key]):
            yield f"The {what} does not agree with its digest: it was changed after it was stored."


def _digest_or_none(key: str, text: Any) -> str | None:
    try:
        return entry_digest(key, str(text))
    except UnicodeEncodeError:
        return None


def _row_sentences(database: sqlite3.Connection, campaign: str) -> Iterator[str]:
    """Yield sentences about rows that were changed, that have no digest, that are repeated, and that are missing."""
    if not database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'digests'").fetchone()[0]:
        yield "The digests of the runs were removed."
        return
    changed: list[Any] = []
    without: list[Any] = []
    numbers: Counter[Any] = Counter()
    for *row, digest in database.execute(_ROWS):
        numbers[row[0]] += 1
        if digest is None:
            without.append(row[0])
        elif not _agrees(campaign, row, digest):
            changed.append(row[0])
    repeated = [number for number, count in numbers.items() if count > 1]
    missing = [number for (number,) in database.execute(_MISSING)]
    if changed:
        named = _runs(changed, "does not", "do not")
        yield f"{named} agree with the digest of the row, which was changed after it was stored."
    if without:
        yield f"{_runs(without, 'does not', 'do not')} have a digest: the row was added, or its digest was removed."
    if repeated:
        yield f"{_runs(repeated, 'has', 'have')} more than one row."
    if missing:
        yield f"{_runs(missing, 'does not', 'do not')} have a row any more: it was removed after it was stored."


_ROWS = (
    "SELECT runs.*, digests.digest FROM runs LEFT JOIN digests ON digests.run = runs.run ORDER BY runs.run"
)
_MISSING = "SELECT run FROM digests WHERE run NOT IN (SELECT run FROM runs) ORDER BY run"


def _agrees(campaign: str, row: Sequence[Any], digest: Any) -> bool:
    try:
        return bool(row_digest(campaign, row) == digest)
    except (TypeError, ValueError):  # other columns, bytes, infinite numbers, text that is not Unicode
        return False


def _runs(numbers: Sequence[Any], singular: str, plural: str) -> str:
    """Return the beginning of a sentence about runs, with its verb for one run and for several."""
    listed = shorten_list([str(number)[:20] for number in numbers], MOST_NAMED)
    return f"Run {listed} {singular}" if len(numbers) == 1 else f"{len(numbers):,} runs ({listed}) {plural}"


def discrepancies_of(path: Path, database: sqlite3.Connection) -> tuple[str, ...]:
    """Return `find_discrepancies` of the open table at a path; computed again only where its files have changed."""
    stamps = (_stamp(path), _stamp(path.with_name(path.name + "-wal")))
    known = _KNOWN.get(path)
    if known is None or known[0] != stamps:
        if len(_KNOWN) >= MOST_TABLES:
            _KNOWN.clear()
        _KNOWN[path] = known = (stamps, find_discrepancies(database))
    return known[1]


_KNOWN: dict[Path, tuple[Any, tuple[str, ...]]] = {}
"""Files of a table as they were when it was read, and its discrepancies."""


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file is written; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
