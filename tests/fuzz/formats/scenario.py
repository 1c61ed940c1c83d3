"""Scenario files (YAML and JSON): loaded, and prepared where they are valid."""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.corpus import mutate_blocks, text_of
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import TEXT, mutate, to_json

from softdock.errors import InputError
from softdock.scenario.loading import load
from softdock.scenario.source import parse
from softdock.simulation import prepare
from softdock.studio import limits

NAMES = (
    "impact-a", "latch-paper", "pins-1", "assist-soft-docking", "peg-rim", "power-tower-x", "latch-multibody",
    "sequence",
    "sequence", "moves", "assist-approach", "assist-hard-docking", "assist-undocking", "probe-retraction",
    "module-exchange",
    "assist-arm-berthing",
)  # fmt: skip
TEXTS = (
    *["impact-a", "latch-paper", "pins-1", "moves", "assist-jammed-coupling"] * 4, "sequence", "sequence",
    "assist-approach",
)  # fmt: skip
"""Small texts more often: the parser of YAML, which refuses most mutations, takes 0.1 s for a large one."""
OWN = (
    "softdock: 1\nbase: impact-a\ntitle: My own\nspeed: 0.06 m/s\n",
    "softdock: 1\nbase: pins-4\nduration: 0.1 s\nrecord: {rate: 10 Hz}\n",
    "softdock: 1\nbase: assist-soft-docking\nbodies: {chaser: {mass: 3 t}}\nduration: 1 s\n",
    "softdock: 1\nbase: assist-undocking\nduration: 1 s\nphases: [{name: a, until: time > 1 s, within: 2 s}]\n",
    "softdock: 1\nbase: latch-slow\nchaser: {masses: [1 kg, 2 kg]}\nspeed: &s 0.1 m/s\n",
)


@cache
def _texts() -> tuple[bytes, ...]:
    return (*(text_of(name).encode() for name in TEXTS), *(text.encode() for text in OWN * 2))


@cache
def _data() -> tuple[Any, ...]:
    return tuple(parse(text_of(name)).data for name in NAMES)


def make(random: Random) -> Files:
    """Return a text with mutated characters, or mutated data as JSON."""
    if random.random() < 0.5:
        return {"case.yaml": mutate(random.choice(_texts()), random, TEXT)}
    try:
        return {"case.json": to_json(mutate_blocks(random.choice(_data()), random), random)}
    except RecursionError:
        return {"case.json": json.dumps(random.choice(_data())).encode()}


def read(files: Files, folder: Path) -> None:
    """Load a scenario, and prepare it within the limits of the studio."""
    (name,) = files
    scenario = load(folder / name)
    try:
        limits.check(scenario)
        limits.check_data(scenario.to_data())
    except InputError:
        return  # valid, but not within the time of the fuzzer
    prepare(scenario)


FORMAT = Format(make=make, read=read, seconds=60.0)
