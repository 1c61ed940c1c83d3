"""Runs of scenarios with extreme numbers: simulated, saved and loaded again."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.corpus import mutate_blocks, text_of
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import to_json

from softdock.errors import InputError, RunError
from softdock.result import Result
from softdock.scenario.loading import load
from softdock.scenario.source import parse
from softdock.simulation import simulate
from softdock.studio import limits

NAMES = (
    *[
        "impact-a", "impact-c", "latch-paper", "latch-fast", "latch-multibody", "pins-1", "assist-soft-docking",
        "peg-rim", "sequence", "sequence", "sequence", "moves", "probe-retraction", "assist-approach",
        "assist-undocking",
    ] * 4,
    "module-exchange",
)  # fmt: skip
"""The last one rarely, because planning its moves takes seconds."""
SHORT = {
    "multibody": {"duration": 0.05, "integrator": {"max_steps": 2000}},
    "robot": {"integrator": {"max_steps": 200}},
}
LONGEST_CHAIN = 20.0  # s of simulated time


@cache
def _data() -> tuple[dict[str, Any], ...]:
    return tuple(parse(text_of(name)).data for name in NAMES)


def make(random: Random) -> Files:
    """Return a scenario with mutated values, and a limited number of steps."""
    data = mutate_blocks(random.choice(_data()), random)
    if isinstance(data, dict):
        data = {**data, **SHORT.get(str(data.get("kind", "multibody")), {})}
    return {"case.json": to_json(data, random)}


def read(files: Files, folder: Path) -> None:
    """Run a scenario and save its result; what is saved must be complete."""
    scenario = load(folder / "case.json")
    try:
        limits.check(scenario)
        limits.check_data(scenario.to_data())
    except InputError:
        return
    stop = getattr(scenario, "stop", None)
    if stop is not None and getattr(stop, "time", 0.0) > LONGEST_CHAIN:
        return
    out = folder.parent / "result"
    result = simulate(scenario)
    result.save(out)
    assert {path.name for path in out.iterdir()} == {"result.json", "history.parquet"}
    Result.load(out)


FORMAT = Format(make=make, read=read, refusals=(InputError, RunError), seconds=60.0)
