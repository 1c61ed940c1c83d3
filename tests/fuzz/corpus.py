"""Valid scenarios that are mutated: bundled ones, and small ones with all blocks of a sequence and of an arm."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.mutations import mutate_data

from softdock.scenario.loading import bundled_text, parse_with_base

SMALL = ("sequence", "moves")
"""Own scenarios: phases, couplings, drives, controllers, requirements; an arm with moves that events start."""
SEEDS = Path(__file__).parent / "seeds"
BLOCKS = (
    "phases", "couplings", "drives", "gnc", "moves", "events", "outcomes", "metrics", "requirements", "reactions",
    "stiffness",
    "welds", "interfaces", "contacts", "surfaces", "approach", "orbit", "record", "control", "arm", "sources",
)  # fmt: skip
"""Keys whose values are mutated more often than titles and masses."""


def text_of(name: str) -> str:
    """Return the text of a scenario."""
    return (SEEDS / f"{name}.yaml").read_text() if name in SMALL else bundled_text(name)[0]


@cache
def data_of(name: str) -> tuple[dict[str, Any], Path]:
    """Return the plain data of a scenario with its base, and the folder of its files."""
    text, folder = (text_of(name), SEEDS) if name in SMALL else bundled_text(name)
    source = parse_with_base(text, name, folder)
    return dict(source.data), folder


def mutate_blocks(data: Any, random: Random) -> Any:
    """Return mutated plain data of a scenario, mostly changed inside one of its blocks."""
    blocks = [key for key in BLOCKS if key in data] if isinstance(data, dict) else []
    if not blocks or random.random() < 0.4:
        return mutate_data(data, random)
    key = random.choice(blocks)
    return {**data, key: mutate_data(data[key], random)}
