"""Settings of all tests: one thread for linear algebra, no deadlines, order of files, fixtures of the browser.

Tests run in parallel processes; more threads would wait for each other and make a test five times as slow.
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
    """Begin with the files that take longest (browser, then slow tests): a worker runs whole files in this order."""
    browser = {item.path for item in items if "chromium" in getattr(item, "fixturenames", ())}
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in browser, item.path not in slow))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note failures of tests, so that the fixture `tab` saves a picture of the page."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report
