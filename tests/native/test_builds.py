"""The libraries of all instruction sets give the same bits.

`python -m tests.native.test_builds` compares every bundled scenario; the test runs a selection that uses all kernels:
contact with implicit steps, phases with pins and couplings, controllers, a robot arm, a flexible station, a chain.
"""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from softdock.native.library import runs_as_python, usable_builds

SELECTION = (
    "assist-passive",
    "assist-jammed-coupling",
    "assist-approach",
    "peg-rim",
    "power-tower-x",
    "impact-a",
)
SCRIPT = """
import json, sys
import softdock

found = {}
for name in sys.argv[1:]:
    result = softdock.simulate(name).to_json()
    del result["timing"]["wall_s"]
    found[name] = {key: value for key, value in result.items() if key != "timing"} | result["timing"]
print(json.dumps(found))
"""


def results_of(build: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the results of scenarios by name, simulated with a build of the kernels."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *names],
        env={**os.environ, "SOFTDOCK_KERNELS": build}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(runs_as_python(), reason="about compiled kernels")
def test_all_builds_give_the_same_bits():
    builds = usable_builds()
    if len(builds) < 2:
        pytest.skip(f"this processor runs {', '.join(builds)} only")
    first, *others = (results_of(build, SELECTION) for build in builds)
    for other in others:
        for name in SELECTION:
            assert other[name] == first[name], name


def main() -> int:
    """Compare all bundled scenarios; return the number of those that differ."""
    from softdock.scenario.loading import bundled_names

    names, builds = tuple(bundled_names()), usable_builds()
    first, *others = (results_of(build, names) for build in builds)
    different = [name for name in names if any(other[name] != first[name] for other in others)]
    print(f"{len(names)} scenarios with {', '.join(builds)}: {', '.join(different) or 'none'} different.")
    return len(different)


if __name__ == "__main__":
    sys.exit(main())
