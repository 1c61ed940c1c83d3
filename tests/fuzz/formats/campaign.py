"""Campaign files: loaded, and sampled where they are valid."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.campaign.conftest import CHEAP
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import TEXT, mutate, mutate_data, to_json

from softdock.campaign.loading import read_campaign
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
  target.masses.0: {choice: [20 kg, 30 kg]}
correlations:
  - {fields: [speed, chaser.masses.0], matrix: [[1, 0.5], [0.5, 1]]}
stop: {half_width: 0.01, minimum: 50}
success: [latched]
histories: none
"""
SEQUENCE = """\
softdock: 1
kind: campaign
scenario: latch-fast
runs: 20
seed: 1
sampling: latin-hypercube
dispersions:
  speed: {normal: {mean: 0.1 m/s, deviation: 6 mm/s, low: 0.01 m/s}}
success: [latched]
metrics: [minimum_speed, latch_time]
requirements:
  R-1: {text: Latched, outcome: [latched], probability: 0.9, confidence: 0.9, source: assumed}
"""
SUBSET = """\
softdock: 1
kind: campaign
scenario: latch-fast
set: {latch.friction: 0.05, record.rate: 10 Hz}
runs: 1200
seed: 1
method: subset
margin: {metric: relative_velocity_before, at_least: minimum_speed}
subset: {level_runs: 200}
dispersions:
  speed: {normal: {mean: 0.1 m/s, deviation: 6 mm/s, low: 0.01 m/s}}
  latch.friction: {uniform: [0, 0.1]}
"""
BOUNDARY = """\
softdock: 1
kind: campaign
scenario: latch-fast
runs: 80
seed: 1
method: boundary
margin: {metric: relative_velocity_before, at_least: 0.1 m/s}
dispersions:
  speed: {uniform: [0.005 m/s, 0.05 m/s]}
  latch.stiffness: {log_uniform: [50 N/m, 180 N/m]}
"""
SEEDS = (CHEAP, RICH, SEQUENCE, SUBSET, BOUNDARY)


@cache
def _data() -> tuple[Any, ...]:
    return tuple(parse(text).data for text in SEEDS)


def make(random: Random) -> Files:
    """Return a text with mutated characters, or mutated data as JSON."""
    if random.random() < 0.5:
        return {"many.yaml": mutate(random.choice(SEEDS).encode(), random, TEXT)}
    return {"many.json": to_json(mutate_data(random.choice(_data()), random), random)}


def read(files: Files, folder: Path) -> None:
    """Load a campaign and sample its first runs."""
    (name,) = files
    plan = read_campaign(folder / name)
    plan.inputs(0, min(3, plan.runs))


FORMAT = Format(make=make, read=read, seconds=60.0)
