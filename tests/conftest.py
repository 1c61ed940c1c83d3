"""Settings of all tests: linear algebra in one thread, Hypothesis without deadlines, slow files first.

Tests run in parallel, so that more threads would mostly wait: they cost five times the time that they save.
"""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings
from tests.browser import FAILED, chromium, tab  # noqa: F401

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
settings.register_profile("no deadline", deadline=None)  # times depend on the load of the machine
settings.load_profile("no deadline")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest files first (browser tests, then slow tests); a worker runs whole files in this order."""
    browser = {item.path for item in items if "chromium" in getattr(item, "fixturenames", ())}
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in browser, item.path not in slow))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note failures of tests, so that the fixture `tab` saves a screenshot."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report
