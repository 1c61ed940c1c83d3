"""Texts in scenario files: conditions, metrics and formulas of a system, numbers with units; `--set` arguments."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.corpus import SEEDS
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import NUMBERS, TEXT, mutate

from softdock.errors import InputError, Problem
from softdock.quantities.units import parse_quantity
from softdock.scenario.expressions import check_condition, check_metric, check_recorded, metric_unit
from softdock.scenario.loading import load
from softdock.scenario.overrides import apply_overrides
from softdock.scenario.source import Location, Source

CONDITIONS = (
    "servicer.z in port > -0.515 m", "plug-1.mated or motor.stalled for 0.2 s",
    "max(link.force, 2 * plug-1.force) > 1 kN after closing", "time > 0 s for 8 s after late", "plane.joint < -40 mm",
    "not plug-1.jammed and link.moment > 3 N*m between late and pulled",
    "servicer.propellant_left < 1 g within 2 s after late",
    "norm(servicer.vx, servicer.vy) > 3 mm/s during mating", "servicer@[0, 0, 150 mm].z in port < 3 m before mating",
    "(link.force + 3 N) ^ 2 / 1 N^2 > sqrt(4)", "abs(client.rate in servicer) < 0.05 deg/s",
)  # fmt: skip
METRICS = (
    "max plug-1.stroke during mating", "mean link.force within 1 s after closing", "duration of mating",
    "time of late",
    "rms servicer.vz in port", "integral link.force before pulled", "min plane.joint between late and pulled",
    "final client.rate", "max (link.force * 2)", "start link.force after late",
    "max norm(servicer.x, servicer.y, servicer.z)",
)  # fmt: skip
RECORDED = (
    "plane.joint + 1 mm",
    "servicer@[0, 0, 150 mm].z in port",
    "link.fx",
    "min(link.force, motor.force)",
)
QUANTITIES = (
    "3.5 mm/s", "1e3 N*m/rad", "20 deg", "5 N/(m/s)", "-0.1 kg*m^2", "2 arcsec", "3 min", "1 lbf*ft", "0.05 %",
    "4 t", "1 h^-1",
    "2 kN*s/m^2", "+7 um",
)  # fmt: skip
UNITS = ("m/s", "N*m/rad", "rad", "N*s/m", "kg*m^2", "s", "1", "N", "kg")
OVERRIDES = (
    "gnc.servicer.thrusters.plus-x-1.thrust=30 N", "phases.1.within=3 s", "bodies.servicer.mass=500",
    "events.late.then=[{stop: true}]",
    "couplings.plug-1.limits={lateral: 2 mm}", "phases={name: a}",
)  # fmt: skip
WORDS = (
    " and ", " or ", " not ", " for 1 s", " after late", " during mating", "(", ")", "[", "]", " + ", " - ", "^",
    "/", " in port", "norm(",
    ", ", ".force", "1e999", "0", " between late and pulled", "max ", "@", ">", "<", "=", "((((((((((", "-" * 60,
    "^9" * 20,
)  # fmt: skip
KINDS = {
    "condition": CONDITIONS,
    "metric": METRICS,
    "recorded": RECORDED,
    "quantity": QUANTITIES,
    "override": OVERRIDES,
}


@cache
def _system() -> Any:
    return load(SEEDS / "sequence.yaml")


def make(random: Random) -> Files:
    """Return a text with changed characters, words or numbers, named by its kind."""
    kind = random.choice(list(KINDS))
    text = random.choice(KINDS[kind])
    for _ in range(random.choice((0, 1, 1, 2, 5))):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice((*WORDS, *NUMBERS)) + text[at + random.choice((0, 0, 1, 5)) :]
    data = text.encode() if random.random() < 0.4 else mutate(text.encode(), random, TEXT)
    return {f"{kind}.txt": data}


def read(files: Files, folder: Path) -> None:
    """Check a text as the model that contains it does; its ValueErrors are messages."""
    ((name, data),) = files.items()
    text, system = data.decode(errors="replace"), _system()
    try:
        if name == "condition.txt":
            check_condition(system, system.names, text)
        elif name == "metric.txt":
            metric_unit(system, check_metric(system, system.names, text))
        elif name == "recorded.txt":
            check_recorded(system, text)
        elif name == "override.txt":
            apply_overrides(Source(_data(), {(): Location("")}), [text])
        else:
            for unit in UNITS[:: 1 + len(text) % 3]:
                parse_quantity(text, unit)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(Problem(message=str(error), given=text)) from None


@cache
def _data() -> dict[str, Any]:
    found = _system().source.data
    assert isinstance(found, dict)
    return found


FORMAT = Format(make=make, read=read, stored=False)
