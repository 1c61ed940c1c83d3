"""Runs of the bundled experiments, once for all tests."""

import pytest

import softdock
from softdock.result import Result


@pytest.fixture(scope="session")
def flat() -> Result:
    return softdock.simulate("peg-flat")


@pytest.fixture(scope="session")
def rim() -> Result:
    return softdock.simulate("peg-rim")
