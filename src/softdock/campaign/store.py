"""Folder of a campaign: one table in SQLite (WAL) with one writer and any number of readers.

A committed transaction survives `kill -9`; an uncommitted one leaves no trace. The lock of the writer ends with its
process.
"""

import contextlib
import json
import os
import shlex
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self

from softdock.campaign.digests import DIGEST_OF, entry_digest, row_digest
from softdock.campaign.execution import Row
from softdock.campaign.stored_entries import StoredEntryError, check_units, decode
from softdock.errors import InputError, RunError, file_errors
from softdock.files import locks
from softdock.files.file_systems import NETWORK_FILE_SYSTEMS, file_system
from softdock.files.in_place import connect_to_read, connect_to_write, refuse_link
from softdock.files.locks import LockHeldError, acquire_lock

TABLE_FILE = "campaign.sqlite"
LOCK_FILE = "campaign.lock"
RESULT_FILE = "result.json"
"""File of a single run (`softdock.result`), whose folder is not used for a campaign."""
HISTORIES = "histories"
FORMAT = 1
WAL_INDEX_BYTES = 32_768

_COLUMNS = ", ".join(
    f"{name} {'INTEGER PRIMARY KEY' if name == 'run' else kind}"
    for name, kind in zip(
        Row._fields,
        (
            "",
            "TEXT",
            "TEXT",
            "TEXT",
            "TEXT",
            "TEXT",
            "TEXT",
            "TEXT",
            "REAL",
            "INTEGER",
            "INTEGER",
            "REAL",
            *["TEXT"] * 5,
        ),
    )
)
_CREATE_DIGESTS = "CREATE TABLE IF NOT EXISTS digests (run INTEGER PRIMARY KEY, digest TEXT)"
"""Table of the digests of rows. It is a table of its own, so that rows are equal whatever their wall times are."""


class Store:
    """The open table of a campaign, locked for the process that writes it."""

    def __init__(self, folder: Path, database: sqlite3.Connection, lock: IO[bytes]) -> None:
        self.folder, self._database, self._lock = folder, database, lock
        self._identity = _identity(folder / TABLE_FILE)

    @classmethod
    def create(cls, folder: Path, manifest: dict[str, Any]) -> Self:
        """Create the table in a folder that contains none."""
        _check_file_system(folder)
        with file_errors(folder, "make"):
            folder.mkdir(parents=True, exist_ok=True)
        if (folder / RESULT_FILE).exists():
            raise InputError(
                "There is the result of a run here.",
                file=str(folder),
                hint="Choose another folder for the campaign.",
            )
        if (folder / TABLE_FILE).exists() and not _is_empty(folder):
            hint = f"Continue it with: softdock campaign resume {folder}. Or choose another folder."
            raise InputError("There is a campaign here already.", file=str(folder), hint=hint)
        store = cls._open(folder)
        try:
            store._create_tables(manifest)
        except BaseException:
            store.__exit__()
            raise
        return store

    def _create_tables(self, manifest: dict[str, Any]) -> None:
        kept = "No run was made and nothing is kept. When the cause is removed, start the campaign again."
        with self.transaction(kept) as database:
            database.execute(f"CREATE TABLE runs ({_COLUMNS})")
            database.execute("CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT)")
            database.execute(_CREATE_DIGESTS)
            database.execute("INSERT INTO manifest VALUES ('format', ?)", (json.dumps(FORMAT),))
            _write_entries(database, {"state": {}, "manifest": manifest})

    @classmethod
    def resume(cls, folder: Path) -> Self:
        """Open the table of an existing campaign for writing."""
        with open_readonly(folder):
            pass
        _check_file_system(folder)
        store = cls._open(folder)
        store._add_missing_columns()
        return store

    @classmethod
    def _open(cls, folder: Path) -> Self:
        refuse_link(folder / HISTORIES)
        lock = _lock(folder)
        try:
            database = connect_to_write(folder / TABLE_FILE)
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=NORMAL")
        except InputError:
            lock.close()
            raise
        except sqlite3.Error as error:
            lock.close()
            message = f"{_reason(error, folder)} Nothing was written."
            raise InputError(message, file=str(folder / TABLE_FILE)) from error
        return cls(folder, database, lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._database.close()
        self._lock.close()

    @contextlib.contextmanager
    def transaction(self, kept: str = "") -> Iterator[sqlite3.Connection]:
        """Execute the block as one transaction; database errors become RunError.

        `kept` says what is kept after an error; by default all runs that are in the table.
        """
        self.check_table()
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield self._database
            self._database.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")
            if not isinstance(error, sqlite3.Error):
                raise
            raise RunError(f"{_reason(error, self.folder)} {kept or self.kept_text()}") from error

    def kept_text(self) -> str:
        """Return how many runs are kept and how to continue."""
        count = "All"
        with contextlib.suppress(sqlite3.Error):
            count = f"{self._database.execute('SELECT count(*) FROM runs').fetchone()[0]:,}"
        return f"{count} runs up to here are kept in {self.folder}. {_resume_text(self.folder)}"

    def check_table(self) -> None:
        """Raise RunError where the table was moved, deleted or replaced; a deleted one is written again."""
        path = self.folder / TABLE_FILE
        if _identity(path) == self._identity:
            return
        (count,) = self._database.execute("SELECT count(*) FROM runs").fetchone()
        if not self.folder.is_dir():
            raise RunError(
                f"The folder {self.folder} was moved or deleted during the campaign. If it was moved, {count:,} runs "
                "are kept in it; continue with: softdock campaign resume NEW_FOLDER"
            )
        saved = path if not path.exists() else path.with_name(f"rescued-{TABLE_FILE}")
        try:
            self._copy_to(saved)
        except (OSError, sqlite3.Error, InputError) as error:
            raise RunError(
                f"The table {path} was deleted or replaced during the campaign and cannot be written again "
                f"({error}). No run is kept; start the campaign again."
            ) from error
        told = f"The table {path} was deleted or replaced during the campaign. {count:,} runs are kept in {saved}."
        move = "" if saved == path else f"Rename it to {TABLE_FILE}. "
        raise RunError(f"{told} {move}{_resume_text(self.folder)}")

    def _copy_to(self, path: Path) -> None:
        for suffix in ("-wal", "-shm"):  # of the deleted table; they would be applied to the copy
            if path.name == TABLE_FILE:
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        with contextlib.closing(connect_to_write(path)) as copy:
            self._database.backup(copy)

    def _add_missing_columns(self) -> None:
        """Add the columns that a table of an earlier version lacks, with their defaults, and the table of digests."""
        known = {str(row[1]) for row in self._database.execute("PRAGMA table_info(runs)")}
        missing = [(name, value) for name, value in Row._field_defaults.items() if name not in known]
        with self.transaction() as database:
            database.execute(_CREATE_DIGESTS)
            for name, value in missing:
                database.execute(f"ALTER TABLE runs ADD COLUMN {name} TEXT DEFAULT '{value}'")

    def add(self, rows: Iterable[Row]) -> None:
        """Insert rows with their digests in one transaction; rows that exist already are not changed."""
        marks = ", ".join("?" * len(Row._fields))
        with self.transaction() as database:
            campaign = _campaign_digest(database)
            for row in rows:
                if database.execute(f"INSERT OR IGNORE INTO runs VALUES ({marks})", row).rowcount:
                    digest = row_digest(campaign, row)
                    database.execute("INSERT OR REPLACE INTO digests VALUES (?, ?)", (row.run, digest))

    def add_units(self, units: Mapping[str, str]) -> None:
        """Store the SI units of columns; known ones are not changed."""
        known = read_units(self._database)
        if units.keys() <= known.keys():
            return
        with self.transaction() as database:
            _write_entries(database, {"units": {**units, **known}})

    def save_entry(self, key: str, value: Any) -> None:
        """Store an entry of the manifest table as JSON."""
        with self.transaction() as database:
            _write_entries(database, {key: value})

    def read_rows(self, start: int, stop: int) -> dict[int, Row]:
        """Return the stored rows of runs start to stop, by number."""
        rows = self._database.execute("SELECT * FROM runs WHERE run >= ? AND run < ?", (start, stop))
        return {row[0]: Row(*row) for row in rows}

    def finished_runs(self) -> Iterator[tuple[int, str, str]]:
        """Yield number, outcome and status of every stored run, in order."""
        yield from self._database.execute("SELECT run, outcome, status FROM runs ORDER BY run")

    def stopped_at(self) -> int | None:
        """Return the number of runs after which the campaign ended before its largest number; None otherwise."""
        count: int | None = read_entry(self._database, "state").get("stopped_at")
        return count

    def stop_at(self, runs: int) -> None:
        """Record that the campaign ended after `runs` runs by its stop rule or method, and delete later runs."""
        with self.transaction() as database:
            for table in ("runs", "digests"):
                database.execute(f"DELETE FROM {table} WHERE run >= ?", (runs,))
            _write_entries(database, {"state": {"stopped_at": runs}})


def _write_entries(database: sqlite3.Connection, entries: Mapping[str, Any]) -> None:
    """Write entries of the manifest table as JSON, each with its digest."""
    for key, value in entries.items():
        text = json.dumps(value)
        for name, content in ((key, text), (f"{DIGEST_OF}{key}", entry_digest(key, text))):
            database.execute("INSERT OR REPLACE INTO manifest VALUES (?, ?)", (name, content))


def _campaign_digest(database: sqlite3.Connection) -> str:
    """Return the digest of the manifest that the digests of rows contain; empty in a table of an earlier version."""
    row = database.execute("SELECT value FROM manifest WHERE key = ?", (f"{DIGEST_OF}manifest",)).fetchone()
    return str(row[0]) if row else ""


def _free_bytes(folder: Path) -> float:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return float("inf")


def _resume_text(folder: Path) -> str:
    return f"When the cause is removed, continue with: softdock campaign resume {shlex.quote(str(folder))}"


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and number of a file; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def open_readonly(folder: Path) -> Iterator[sqlite3.Connection]:
    """Open the table of a campaign for reading; also while the campaign runs."""
    path = folder / TABLE_FILE
    if not path.is_file() or _is_empty(folder):
        hint = "Start one with: softdock campaign run NAME|FILE --out DIR."
        raise InputError("There is no campaign in this folder.", file=str(folder), hint=hint)
    try:
        with contextlib.closing(_connect_readonly(path)) as database:
            _check_format(database, path)
            yield database
    except sqlite3.Error as error:
        message = f"The table cannot be read. {_reason(error, folder)}"
        raise InputError(message, file=str(path)) from error
    except (StoredEntryError, UnicodeDecodeError) as error:  # the latter for names of columns
        raise InputError(f"The table is damaged: {error}.", file=str(path)) from error


def _check_format(database: sqlite3.Connection, path: Path) -> None:
    others = (
        "SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'"
    )
    if database.execute(others).fetchone()[0]:  # a view can have rows without end
        raise StoredEntryError("it has views or triggers, which Softdock does not write")
    written = read_entry(database, "format")
    if type(written) is not int:
        raise StoredEntryError("it has no version of its format")
    if written > FORMAT:
        raise InputError("It was written by a newer Softdock.", file=str(path))


def read_entry(database: sqlite3.Connection, key: str) -> Any:
    """Return a decoded entry of the manifest table; raises StoredEntryError where it is missing or damaged."""
    row = database.execute("SELECT value FROM manifest WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise StoredEntryError(f"it has no {key}")
    return decode(row[0])


def read_optional_entry(database: sqlite3.Connection, key: str) -> Any:
    """Return a decoded entry of the manifest table; None where there is none."""
    row = database.execute("SELECT value FROM manifest WHERE key = ?", (key,)).fetchone()
    return decode(row[0]) if row else None


def read_units(database: sqlite3.Connection) -> dict[str, str]:
    """Return the SI units of columns by name; dimensionless and unknown columns have no entry."""
    return check_units(read_optional_entry(database, "units") or {})


def column_unit(units: Mapping[str, str], column: str) -> str:
    """Return the unit of a column; components and norms have that of their vector. Empty for a dimensionless one."""
    name = column.removeprefix("predicted.")
    while name not in units and "." in name:
        name = name.rpartition(".")[0]
    return units.get(name, "")


def _connect_readonly(path: Path) -> sqlite3.Connection:
    """Open read-only; also in a folder without write permission, where the WAL index cannot be created."""
    database = connect_to_read(path)
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        database.close()
        wal = path.with_name(path.name + "-wal")
        if os.access(path.parent, os.W_OK) or (wal.exists() and wal.stat().st_size):
            raise
        database = connect_to_read(path, immutable=True)
    return database


def _is_empty(folder: Path) -> bool:
    """Return whether the table is empty: its process ended before the first transaction."""
    try:
        with contextlib.closing(_connect_readonly(folder / TABLE_FILE)) as database:
            return not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except (sqlite3.Error, UnicodeDecodeError):  # the latter for a damaged schema in the message of an error
        return False


def _lock(folder: Path) -> IO[bytes]:
    """Lock the folder for this process; raises InputError where another process holds the lock."""
    try:
        with file_errors(folder, "write"):
            return acquire_lock(folder / LOCK_FILE)
    except LockHeldError as error:
        hint = "Wait for it to end, stop it, or choose another folder."
        message = "Another process is running this campaign."
        raise InputError(message, file=str(folder), hint=hint) from error


def is_locked(folder: Path) -> bool:
    """Return whether a process is running the campaign of a folder; False where that cannot be determined."""
    return locks.is_locked(folder / LOCK_FILE)


def _check_file_system(folder: Path) -> None:
    kind = file_system(folder)
    if kind in NETWORK_FILE_SYSTEMS:
        raise InputError(
            f"The folder is on a network drive ({kind}), where the table could be damaged.",
            file=str(folder),
            hint="Choose a local folder, and copy it when the campaign is done.",
        )


def _reason(error: sqlite3.Error, folder: Path) -> str:
    text = str(error)
    # Without space for its index, which is a file in shared memory, SQLite reports an input/output error.
    if "full" in text or ("I/O" in text and _free_bytes(folder) < WAL_INDEX_BYTES):
        return "The disk is full."
    if "readonly" in text or "read-only" in text or "unable to open" in text:
        return "The folder may not be written."
    if "not a database" in text or "malformed" in text:
        return "The table is damaged."
    return f"The database reports: {text}."
