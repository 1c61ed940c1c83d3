"""Command `softdock robot`: serving, clean termination and error messages."""

import json
import re
import signal
import subprocess
import sys

import pytest

from softdock.robot.link import RobotMode, monitor
from softdock.robot.udp import connect

MAIN = [sys.executable, "-c", "from softdock.cli import main; main()", "robot"]


def test_serve_ends_cleanly_at_ctrl_c() -> None:
    command = [*MAIN, "serve", "joints", "--port", "0", "--cycle", "5 ms", "--loss", "5 %", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(
            r"Robot 'joints' \(7 joints\) listens on (127\.0\.0\.1):(\d+), cycle 5 ms, loss", said
        )
        assert found, said
        with connect(found[1], int(found[2])) as link:
            for _ in range(30):
                assert link.cycle(monitor(7)).mode is RobotMode.MONITOR
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == ""
    served = json.loads(out)
    assert served["sessions"] == 1
    assert served["accepted"] > 15
    assert set(served["refused"].values()) == {0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "--cycle", "0.5 ms"], "Error: cycle: The cycle must be 1 to 100 ms. Given: 0.5 ms."),
        (["serve", "joints", "--delay", "3"], "listens"),
        (["serve", "--delay", "3 m"], "Error: --delay: The value is a length [m], but a time is needed"),
        (["serve", "--loss", "150 %"], "Error: loss: Must be a fraction from 0 to 1. Given: 1.5."),
        (
            ["serve", "joints", "--port", "99999"],
            "Error: port: A port must be a number from 0 to 65535. Given: 99999.",
        ),
        (
            ["serve", "joints", "--host", "no such host"],
            "Error: host: Unknown host. Given: no such host.",
        ),
        (["serve", "no-such-robot"], "no-such-robot"),
        (["check", "--host", "no such host"], "Error: host: Unknown host. Given: no such host."),
    ],
)
def test_invalid_options_give_a_message(arguments: list[str], said: str) -> None:
    if said == "listens":  # a plain number is in seconds
        arguments = [*arguments, "--port", "0", "--duration", "0.1 s"]
    done = subprocess.run([*MAIN, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == (0 if said == "listens" else 2)
