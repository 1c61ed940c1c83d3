"""A studio for tests, in its own process, with its own folder and a free port."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

pytest.importorskip("nicegui", reason="the studio needs nicegui: pip install 'softdock[studio]'")

COMMAND = [sys.executable, "-c", "from softdock.cli import main; main()", "studio", "--no-browser"]
CAMPAIGN = """softdock: 1
kind: campaign
title: A latch at many speeds
scenario: latch-paper
runs: 200
seed: 3
dispersions:
  speed: {uniform: [0.02 m/s, 0.16 m/s]}
  chaser.masses.0: {uniform: [20 kg, 80 kg]}
success: [latched]
"""


@dataclass
class Served:
    """A running studio: its process, address and folder."""

    process: "subprocess.Popen[str]"
    address: str
    folder: Path


def start(folder: Path, *more: str, memory: int | None = None, token: bool = False) -> Served:
    """Start a studio; `memory` limits the memory of each of its processes [bytes]."""
    more = more if token else (*more, "--no-token")
    process = subprocess.Popen(
        [*COMMAND, "--folder", str(folder), "--port", "0", *more],
        stderr=subprocess.PIPE, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=None if memory is None else lambda: resource.setrlimit(resource.RLIMIT_DATA, (memory, memory)),
    )  # fmt: skip
    assert process.stderr is not None
    output = []
    for line in process.stderr:
        output.append(line)
        if line.startswith("Softdock studio: "):
            served = Served(process, line.split()[-1], folder)
            wait_for_answer(served)
            return served
    raise AssertionError(f"the studio did not start: {''.join(output)}")


def wait_for_answer(served: Served) -> None:
    """Wait until the studio answers; it prints its address before it has loaded."""
    with suppress(HTTPError):  # a refusal is an answer
        urlopen(
            f"http://127.0.0.1:{urlsplit(served.address).port}/thumbnail?name=impact-a", timeout=60
        ).close()


def stop(served: Served) -> None:
    served.process.terminate()
    served.process.wait(20)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "latch-campaign.yaml").write_text(CAMPAIGN)
    (folder / "mine.yaml").write_text("softdock: 1\nbase: impact-a\ntitle: My own impact\nspeed: 0.06 m/s\n")
    running = start(folder)
    yield running
    stop(running)
