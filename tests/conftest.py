"""One thread for linear algebra: tests run side by side, and waiting threads cost five times what they give."""

import os

import pytest
from tests.browser import chromium, tab  # noqa: F401

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests that need the browser share one worker."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))
