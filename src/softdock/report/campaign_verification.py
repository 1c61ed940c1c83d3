"""Verification of a stored campaign: its digests, its verdicts, its exported runs and its stored histories."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from softdock.campaign.export import RUNS_FILE, export_runs
from softdock.campaign.status import status_of
from softdock.campaign.store import HISTORIES, TABLE_FILE
from softdock.campaign.verification import check_verdicts
from softdock.errors import InputError
from softdock.files.parquet import equal_tables
from softdock.files.regular_file import read_regular_file
from softdock.presentation.labels import shorten_list
from softdock.report.verification import Agreement, Check, discrepancy_check, verify_run
from softdock.result.storage import LARGEST_FILE, RESULT_FILE

MOST_NAMED = 8
"""Verdicts that a check lists."""


def verify_campaign(folder: Path) -> list[Check]:
    """Return the checks of a stored campaign; raises InputError where there is none, or where it is damaged."""
    return [
        *_table_checks(folder),
        *_verdict_checks(folder),
        *_export_checks(folder),
        *_history_checks(folder),
    ]


def _table_checks(folder: Path) -> Iterator[Check]:
    """Yield whether rows and entries of the table agree with their digests."""
    status = status_of(folder)
    for text in status["discrepancies"]:
        yield discrepancy_check(TABLE_FILE, text)
    if not status["discrepancies"]:
        text = f"{status['done']:,} of {status['stopped_at'] or status['runs']:,} runs are in the table."
        yield Check(name=TABLE_FILE, agreement=Agreement.AGREES, text=text)


def _verdict_checks(folder: Path) -> Iterator[Check]:
    """Yield whether the verdicts of the rows follow from their metrics and outcomes."""
    compared, others = check_verdicts(folder)
    if others:
        text = f"Verdicts that do not follow from the row: {shorten_list(others, MOST_NAMED)}."
        yield Check(name="requirements", agreement=Agreement.DIFFERS, text=text)
    elif compared:
        text = f"{compared:,} verdicts and margins follow from metrics and outcomes of their rows."
        yield Check(name="requirements", agreement=Agreement.AGREES, text=text)


def _export_checks(folder: Path) -> Iterator[Check]:
    """Yield whether the exported runs are those of the table."""
    path = folder / RUNS_FILE
    if not path.exists():
        return
    text = ""
    with tempfile.TemporaryDirectory() as temporary:
        again = Path(temporary) / RUNS_FILE
        export_runs(folder, again)
        try:
            stored, exported = (read_regular_file(file, largest=LARGEST_FILE) for file in (path, again))
            same = equal_tables(path, stored, exported)
        except InputError as error:
            same, text = False, f"{error.problems[0].message} "
    text = "" if same else f"{text}It is not what an export of the table gives now; export it again."
    agreement = Agreement.AGREES if same else Agreement.DIFFERS
    yield Check(name=RUNS_FILE, agreement=agreement, text=text)


def _history_checks(folder: Path) -> Iterator[Check]:
    """Yield the checks of the stored histories that do not agree, and how many of each file agree."""
    for stored in sorted((folder / HISTORIES).glob(f"*/{RESULT_FILE}")):
        name = f"{HISTORIES}/{stored.parent.name}"
        try:
            checks = verify_run(stored.parent)
        except InputError as error:
            yield Check(name=name, agreement=Agreement.DIFFERS, text=error.problems[0].message)
            continue
        bad = [check for check in checks if check.agreement in (Agreement.DIFFERS, Agreement.NO_DIGEST)]
        for check in bad:
            yield Check(name=name, agreement=check.agreement, text=check.text or check.name)
        if not bad:
            yield Check(name=name, agreement=Agreement.AGREES)
