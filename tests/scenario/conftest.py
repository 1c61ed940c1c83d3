"""The scenario kind `toy`, and a fixture that writes scenario files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from softdock.scenario.kinds import KINDS, ScenarioKind


@pytest.fixture(scope="module", autouse=True)
def _toy_kind() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(
            KINDS, "toy", ScenarioKind("toy", "toy_scenario:ToyScenario", "toy_scenario:PreparedToy", "")
        )
        yield


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write_file(content: str | bytes, name: str = "case.yaml") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file
