"""Tables of the theory page on flexible structures are those of the program."""

import functools
import re
from typing import Any

import pytest
from tests.documentation.quoted_numbers import DOCS, assert_quoted

import softdock

PAGE = "theory/flexible"
DIRECTIONS = ("x", "y", "z", "xy", "xz")
EIGHT, MOST_SHARE, MANY = 8, {"residual": 0.01}, 200
TIMES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)


def docked(direction: str, modes: object, **changes: Any) -> dict[str, float]:
    overrides = {"closing_rate": "1 ft/s", "modes": modes, **changes}
    return dict(softdock.simulate(softdock.load(f"power-tower-{direction}", overrides)).metrics)


def test_a_rigid_station_and_all_modes() -> None:
    rigid = docked("x", 0, before="1 s", after="1 s")
    assert_quoted(PAGE, "| 0 (rigid) | {} | {} | |", [rigid["delta_rate"], rigid["residual_inertia"]])
    row = "| all 689 | {} | 0 | {} |"
    assert_quoted(PAGE, row, [rigid["delta_rate_all_modes"], _eighth(60)])


@functools.cache
def _short(modes: int) -> dict[str, float]:
    return docked("x", modes, before="1 s", after="1 s")


def _eighth(modes: int) -> float:
    return _short(modes)["coupled_frequency_8"]


@pytest.mark.slow
@pytest.mark.parametrize("modes", [8, 28, 60, 200])
def test_change_of_rate_by_modes(modes: int) -> None:
    found = _short(modes)
    row = f"| {modes} | {{}} | {{}} | {{}} |"
    assert_quoted(PAGE, row, [found["delta_rate"], found["residual_inertia"], _eighth(modes)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "modes"), [("8 lowest", EIGHT), ("25 of largest share", MOST_SHARE), ("200 lowest", MANY)]
)
def test_deflections_by_modes(row: str, modes: object) -> None:
    runs = [docked(direction, modes) for direction in DIRECTIONS]
    assert {str(int(run["modes"])) for run in runs[:1]} == {row.split()[0]}
    values = [run[f"max_deflection_{point}"] for run in runs for point in "ab"]
    assert_quoted(PAGE, f"| {row} |" + " A {}, B {} |" * len(DIRECTIONS), values)


@pytest.mark.slow
def test_a_short_contact_is_an_impulse() -> None:
    """The table of contact times, with the modes and times of example 06."""
    settings: dict[str, Any] = {"modes": {"residual": 0.02}, "before": "5 s", "after": "60 s"}
    impulse = softdock.simulate("power-tower-x", settings).metrics
    caught = [
        softdock.simulate("power-tower-x", {**settings, "contact_time": time}).metrics for time in TIMES
    ]
    assert_quoted(PAGE, "({} modes that leave a residual of 0.02, the highest at {} Hz",
                  [impulse["modes"], impulse["highest_frequency"]])  # fmt: skip
    cells = " {} |" * len(TIMES)
    assert_quoted(PAGE, "| contact time, s |" + cells, TIMES)
    rates = [run["delta_rate_simulated"] / impulse["delta_rate"] for run in caught]
    assert_quoted(PAGE, "| change of rate, of the impulse's |" + cells, rates)
    tips = [run["max_deflection_a"] / impulse["max_deflection_a"] for run in caught]
    assert_quoted(PAGE, "| deflection of A, of the impulse's |" + cells, tips)


def test_modes_for_a_residual() -> None:
    text = (DOCS / f"{PAGE}.md").read_text(encoding="utf-8")
    found = re.search(r"(\d+) modes leave a residual below ([\d.]+), (\d+) one below ([\d.]+)\.", text)
    assert found
    for count, residual in (found.groups()[:2], found.groups()[2:]):
        run = docked("x", {"residual": float(residual)}, before="1 s", after="1 s")
        assert run["modes"] == int(count)
        assert run["residual_inertia"] < float(residual)
