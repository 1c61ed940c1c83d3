"""Thumbnails: every bundled scenario has one, with all of its pins and beams."""

from xml.etree import ElementTree

import pytest

from softdock.scenario.loading import bundled, load
from softdock.scenario.station import StationScenario
from softdock.studio.thumbnails import CHASER, TARGET, draw, placeholder


@pytest.mark.parametrize("name", [one.name for one in bundled()])
def test_every_bundled_scenario_has_a_picture_of_its_own(name: str) -> None:
    picture = draw(load(name))
    ElementTree.fromstring(picture)
    assert placeholder() not in picture
    assert CHASER in picture
    assert TARGET in picture
    assert "nan" not in picture


@pytest.mark.parametrize(("name", "pins"), [("pins-1", 1), ("pins-200", 6), ("peg-rim", 1)])
def test_pins_are_drawn_side_by_side(name: str, pins: int) -> None:
    assert draw(load(name)).count("0 0 1 0") == pins


def test_a_station_is_drawn_by_its_beams() -> None:
    scenario = load("power-tower-y")
    assert isinstance(scenario, StationScenario)
    assert draw(scenario).count('stroke-width="3"') == len(scenario.members().all_beams())
