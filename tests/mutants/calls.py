"""Plugin of pytest: notes the functions of the package that each test calls, or runs chosen tests in a given order."""

import json
import os
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType

import pytest

import softdock

PACKAGE = str(Path(softdock.__file__).parent) + os.sep
NOTES = Path(os.environ["MUTANTS_NOTES"])
"""File of the notes: for each test its seconds and the functions that it calls, as `path:first line`."""
CHOSEN = os.environ.get("MUTANTS_TESTS")
"""File with the tests to run, one in a line."""
called: dict[int, CodeType] = {}
shared: dict[str, set[str]] = {}
"""Functions that fixtures of a file call; they are made once for all its tests."""
own: dict[str, tuple[str, set[str]]] = {}
seconds: dict[str, float] = {}


def _note(frame: FrameType, event: str, argument: object) -> None:
    called[id(frame.f_code)] = frame.f_code


def _functions() -> set[str]:
    """Return the functions of the package that were called since the last time."""
    found = {
        f"{code.co_filename[len(PACKAGE) :]}:{code.co_firstlineno}"
        for code in list(called.values())
        if code.co_filename.startswith(PACKAGE)
    }
    called.clear()
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHOSEN is not None:
        place = {test: i for i, test in enumerate(Path(CHOSEN).read_text(encoding="utf-8").splitlines())}
        items[:] = sorted(
            (item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid]
        )
    else:
        sys.settrace(_note)
        threading.settrace(_note)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    called.clear()
    yield
    shared.setdefault(str(item.path), set()).update(_functions())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    yield
    own[item.nodeid] = str(item.path), _functions()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish() -> None:
    if CHOSEN is None:
        sys.settrace(None)
        notes = {
            test: (seconds[test], sorted(functions | shared[path])) for test, (path, functions) in own.items()
        }
        NOTES.write_text(json.dumps(notes), encoding="utf-8")
