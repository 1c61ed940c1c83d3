"""Mappings given to the Python interface: scenarios with overrides, and campaigns; valid scenarios are prepared.

No text is parsed and no file is written, so that many more inputs reach the models than by files.
"""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.corpus import data_of, mutate_blocks
from tests.fuzz.formats import Files, Format
from tests.fuzz.formats.campaign import SEEDS
from tests.fuzz.mutations import TEXTS, VALUES, mutate_data

from softdock import Campaign, Scenario
from softdock.errors import InputError
from softdock.simulation import prepare
from softdock.studio import limits

NAMES = (
    *["sequence"] * 12, *["moves"] * 4, *["impact-a", "latch-paper", "latch-multibody", "power-tower-x"] * 3,
    *["pins-1"] * 3,
    *["probe-retraction"] * 3, "assist-soft-docking", "assist-hard-docking", "assist-approach", "module-exchange",
)  # fmt: skip
PREPARED = 10
"""One valid scenario in so many is prepared, which takes longer than validation."""


@cache
def _campaigns() -> tuple[dict[str, Any], ...]:
    from softdock.scenario.source import parse

    return tuple(parse(text).data for text in SEEDS)


def make(random: Random) -> Files:
    """Return a scenario or campaign as JSON, with the arguments of its constructor."""
    kind = random.choice(("scenario", "scenario", "scenario", "campaign", "overrides"))
    name = random.choice(NAMES)
    given: dict[str, Any] = {"kind": kind, "name": name, "prepare": random.randrange(PREPARED) == 0}
    if kind == "campaign":
        given["data"] = mutate_data(random.choice(_campaigns()), random)
    elif kind == "overrides":
        given["overrides"] = dict(
            _override(data_of(name)[0], random) for _ in range(random.choice((1, 1, 2)))
        )
    else:
        given["data"] = mutate_blocks(data_of(name)[0], random)
    return {"input.json": json.dumps(given).encode(errors="surrogatepass")}


def _override(data: Any, random: Random) -> tuple[str, Any]:
    """Return the dotted path of a value, sometimes a wrong one, and another value."""
    path = []
    while isinstance(data, dict | list) and data and (not path or random.random() < 0.9):
        key = random.choice(list(data)) if isinstance(data, dict) else random.randrange(len(data))
        path.append(str(key))
        data = data[key]
    if random.random() < 0.2:
        path.insert(random.randrange(len(path) + 1), random.choice((*TEXTS, "0", "-1", "99")))
    changed = mutate_data(data, random) if random.random() < 0.5 else random.choice((*VALUES, *TEXTS))
    return ".".join(path), changed


def read(files: Files, folder: Path) -> None:
    """Construct a scenario or campaign; prepare some scenarios, and sample campaigns."""
    given = json.loads(files["input.json"])
    if given["kind"] == "campaign":
        if not isinstance(given["data"], dict):
            raise InputError("No mapping.")
        repr(
            Campaign({key: value for key, value in given["data"].items() if key not in ("softdock", "kind")})
        )
        return
    data, directory = data_of(given["name"])
    changed = given.get("data", data)
    if not isinstance(changed, dict):
        raise InputError("No mapping.")
    fields = {key: value for key, value in changed.items() if key != "softdock"}
    scenario = Scenario(fields, given.get("overrides", {}), name=given["name"], directory=directory)
    repr(scenario)
    if given["prepare"]:
        try:
            limits.check(scenario)
            limits.check_data(scenario.to_data())
        except InputError:
            return  # valid, but not within the time of the fuzzer
        prepare(scenario)


FORMAT = Format(make=make, read=read, stored=False, seconds=60.0)
