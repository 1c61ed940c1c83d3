"""Numbers of the manual that follow from dimensions: of the reference mechanism, the own mechanism and the station."""

import math
from pathlib import Path

import pytest
from mechanism.shapes import drogue_profile, load_parameters, throat_z
from tests.documentation.quoted_numbers import DOCS, assert_quoted, find_numbers

import softdock
from softdock.flexible import station
from softdock.geometry.profile import Line
from softdock.geometry.profile_cache import read_meridian
from softdock.quantities.units import FOOT

PARTS = load_parameters()
DROGUE, PROBE = PARTS["drogue"], PARTS["probe"]
MM = 1e3


def inlet() -> Line:
    """Return the cone of the drogue: the longest line with its half angle."""
    lines = [segment for segment in drogue_profile(DROGUE).segments if isinstance(segment, Line)]
    slope = math.tan(DROGUE["inlet_half_angle"])
    cones = [
        line
        for line in lines
        if abs(line.end[1] - line.start[1]) == pytest.approx(slope * abs(line.end[0] - line.start[0]))
        and line.start[0] > line.end[0]  # runs towards the mouth, so that it is on the inside
    ]
    return max(cones, key=lambda line: line.length)


def test_the_mouth_of_the_drogue() -> None:
    angle = DROGUE["inlet_half_angle"]
    offset = 0.020 + 0.100 * math.tan(math.radians(11.3))
    touch = offset + PROBE["bumper_radius"] * math.cos(angle)
    end = max(inlet().start[1], inlet().end[1])
    phrase = "A nose of {} mm then touches the {}° cone at r = {} + 9 cos 30° = {} mm; the cone reaches out to {} mm"
    expected = [PROBE["bumper_radius"] * MM, math.degrees(angle), offset * MM, touch * MM, end * MM]
    assert_quoted("cad", phrase, expected)
    assert_quoted("cad", "| mouth | {} mm radius |", [DROGUE["mouth_radius"] * MM])
    assert touch < end


def test_throat_and_bottom_of_the_drogue() -> None:
    throat, widest = DROGUE["throat_radius"], PROBE["widest_radius"]
    phrase = "| throat | {} mm radius, fillet {} mm |"
    assert_quoted("cad", phrase, [throat * MM, DROGUE["throat_fillet"] * MM])
    phrase = "the widest section ({} mm) passes with {} mm to spare"
    assert_quoted("cad", phrase, [widest * MM, (throat - widest) * MM])
    shaft = PROBE["shaft_radius"]
    phrase = "| shaft | {} mm radius | {} mm of play in the throat"
    assert_quoted("cad", phrase, [shaft * MM, (throat - shaft) * MM])
    nose, depth = PROBE["tip"] - PROBE["widest"], DROGUE["throat_to_bottom"]
    phrase = (
        "the nose ({} mm in front of the widest section) meets the bottom, the widest section is {} mm behind"
    )
    assert_quoted("cad", phrase, [nose * MM, (depth - nose) * MM])
    clear = depth * math.sin(math.radians(16.0)) + PROBE["bumper_radius"]
    phrase = "({} sin 16° + {} = {} mm); fingers spread to {} mm fit, and cannot leave through {} mm"
    values = [depth, PROBE["bumper_radius"], clear, PROBE["opened_radius"], throat]
    assert_quoted("cad", phrase, [MM * value for value in values])
    assert clear < DROGUE["chamber_radius"]


def test_the_joint_of_the_probe() -> None:
    tip, outside = PROBE["tip"], PROBE["tip"] - (throat_z(DROGUE) + DROGUE["throat_to_bottom"])
    phrase = "| joint to tip | {} mm | ±5° move the tip by ±{} mm, the largest offset."
    assert_quoted("cad", phrase, [tip * MM, tip * math.sin(math.radians(5.0)) * MM])
    assert_quoted("cad", "with the nose at the bottom it is {} mm outside the mouth", [outside * MM])


def test_the_stiffness_at_the_bottom() -> None:
    """A ball on a layer: k = 2 sqrt(pi R c F), with the relative radius R of both spheres."""
    layer = softdock.load("assist-soft-docking").contacts["bumper-drogue"].layer.stiffness
    radius = 1.0 / (1.0 / PROBE["bumper_radius"] - 1.0 / DROGUE["chamber_radius"])
    (force,) = find_numbers("docking", "with a peak force of {} N")
    stiffness = 2.0 * math.sqrt(math.pi * radius * layer * float(force))
    assert_quoted("docking", "The contact layer of {} N/m³ is an assumption", [layer])
    assert_quoted("docking", "about {} N/µm at the bottom", [1e-6 * stiffness])


def test_the_parts_of_the_own_mechanism() -> None:
    folder = Path(DOCS, "tutorials", "own-mechanism")
    receptacle, probe = (
        read_meridian(folder / "receptacle.step", side="inside"),
        read_meridian(folder / "probe.step"),
    )
    bottom, pole = (max(s.end[0] for s in profile.segments) for profile, *_ in (receptacle, probe))
    bottom = max(bottom, max(segment.start[0] for segment in receptacle[0].segments))
    assert_quoted("own-mechanism", "its bottom is at {} mm", [bottom * MM])
    assert_quoted("own-mechanism", "whose pole is at {} mm", [pole * MM])


def test_the_assumptions_of_the_station() -> None:
    """Dimensions are those of the model; a uniform panel is 48 ft from the boom, root mean square."""
    page, tower = "theory/flexible", station.power_tower()
    base = tower.parts["base"]
    values = [
        station.KEEL_BAYS,
        station.BAY / FOOT,
        16,
        station.BOOM_BAY,
        station.PANEL_LENGTH,
        base.centre_of_mass[0],
    ]
    phrase = (
        "a keel of {} bays of {} ft, a boom of {} bays across it at bay {}, eight panels of {} m on the boom, and a "
        "rigid base below the keel's foot, whose centre of mass lies {} m ahead of the keel"
    )
    assert_quoted(page, phrase, values)
    assert sum(beam.section == "panel" for beam in tower.beams.values()) == 8
    assert sum(beam.elements for beam in tower.beams.values() if beam.section == "boom") == 16
    assert station.PANEL_LENGTH / math.sqrt(3.0) == pytest.approx(48.0 * FOOT, rel=1e-3)
    assert_quoted(
        page, r"whose bars all have $EA = {} \cdot 10^7$ N", [station.SECTIONS["keel"].axial / 4.0 / 1e7]
    )


def test_the_player_of_the_replay() -> None:
    folder = Path(softdock.__file__).parent / "replay" / "player"
    (size,) = find_numbers("replay.md", "the player's own scripts, about {} kB")
    assert sum(file.stat().st_size for file in folder.glob("*.js")) / 1e3 == pytest.approx(
        float(size), rel=0.1
    )
