"""Campaign files: loaded, and sampled where they are valid."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.campaign.conftest import CHEAP
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import TEXT, mutate, mutate_data, to_json

from softdock.campaign.loading import load
from softdock.scenario.source import parse

RICH = """\
softdock: 1
kind: campaign
title: Many speeds
scenario: latch-paper
runs: 200
seed: 3
sampling: sobol
dispersions:
  speed: {uniform: [0.02 m/s, 0.16 m/s]}
  chaser.masses.0: {normal: {mean: 50 kg, deviation: 3 kg, low: 20 kg, high: 90 kg}}
  chaser.masses.1: {choice: [20 kg, 30 kg]}
correlations:
  - {fields: [speed, chaser.masses.0], matrix: [[1, 0.5], [0.5, 1]]}
stop: {half_width: 0.01, at_least: 50}
success: [latched]
histories: none
"""


@cache
def _data() -> tuple[Any, ...]:
    return tuple(parse(text).data for text in (CHEAP, RICH))


def make(random: Random) -> Files:
    """Return a text with mutated characters, or mutated data as JSON."""
    if random.random() < 0.5:
        return {"many.yaml": mutate(random.choice((CHEAP, RICH)).encode(), random, TEXT)}
    return {"many.json": to_json(mutate_data(random.choice(_data()), random), random)}


def read(files: Files, folder: Path) -> None:
    """Load a campaign and sample its first runs."""
    (name,) = files
    plan = load(folder / name)
    plan.inputs(0, min(3, plan.runs))


FORMAT = Format(make=make, read=read, seconds=60.0, share=25)
