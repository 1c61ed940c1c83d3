"""Shadow of the Earth: entry and exit times of a circular orbit against closed forms, and sunlight on plates."""

import math

import numpy as np
import pytest

from softdock.errors import InputError
from softdock.orbit.kepler import MU, RADIUS, SOLAR_PRESSURE, SUN_DISTANCE, SUN_RADIUS
from softdock.orbit.kernels import CONE, CYLINDER, NO_SHADOW, sunlit_fraction, visible_disc
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate

ALTITUDE = 500e3
RADIUS_OF_ORBIT = RADIUS + ALTITUDE
N = math.sqrt(MU / RADIUS_OF_ORBIT**3)
SUN_ANGLE = math.asin(SUN_RADIUS / SUN_DISTANCE)
LOCATED = 0.02  # [s]: an event of a value that jumps is located to about 1e-4 of a step, here at most 60 s


def orbiting_plate(eclipse: str, sun: tuple[float, float, float], **fields: object) -> MultibodyScenario:
    """Return a black plate that faces the Sun at the start, over one orbit; x ahead, z to the Earth."""
    plate = {"body": "craft", "area": 10.0, "normal": sun}
    return MultibodyScenario.model_validate(
        {
            "duration": 2.0 * math.pi / N,
            "bodies": {"craft": {"mass": 100.0, "inertia": (50.0, 50.0, 50.0)}},
            "orbit": {
                "altitude": ALTITUDE, "sun": sun, "eclipse": eclipse, "plates": {"p": plate}, "start": "world",
            },
            "events": {
                "dimmed": {"when": "hill.sunlight < 0.999999"},
                "dark": {"when": "hill.sunlight < 0.000001"},
                "dawn": {"when": "hill.sunlight > 0.000001 after dark"},
                "bright": {"when": "hill.sunlight > 0.999999 after dark"},
            },
            "record": {"rate": 0.1},
            "integrator": {"max_step": 60.0},
            **fields,
        }
    )  # fmt: skip


def times(scenario: MultibodyScenario) -> dict[str, float]:
    return {event.name: event.time for event in simulate(scenario).events}


@pytest.mark.parametrize("beta", [0.0, 0.6])
def test_entry_and_exit_of_the_cylinder_are_those_of_the_closed_form(beta: float) -> None:
    """Above the sub-solar point at time zero; half of the shadow: cos(a) = sqrt(r^2 - R^2) / (r cos(beta))."""
    sun = (0.0, math.sin(beta), -math.cos(beta))
    found = times(orbiting_plate("cylindrical", sun))
    half = math.acos(math.sqrt(RADIUS_OF_ORBIT**2 - RADIUS**2) / (RADIUS_OF_ORBIT * math.cos(beta)))
    assert found["dark"] == pytest.approx((math.pi - half) / N, abs=LOCATED)
    assert found["bright"] == pytest.approx((math.pi + half) / N, abs=LOCATED)


def test_penumbra_begins_and_ends_where_the_discs_touch() -> None:
    """In the plane of the orbit the angle between Earth and Sun is pi - n t; discs touch at b + a and b - a."""
    found = times(orbiting_plate("conical", (0.0, 0.0, -1.0)))
    earth = math.asin(RADIUS / RADIUS_OF_ORBIT)
    assert found["dimmed"] == pytest.approx((math.pi - earth - SUN_ANGLE) / N, abs=5 * LOCATED)
    assert found["dark"] == pytest.approx((math.pi - earth + SUN_ANGLE) / N, abs=5 * LOCATED)
    assert found["dawn"] == pytest.approx((math.pi + earth - SUN_ANGLE) / N, abs=5 * LOCATED)
    assert found["bright"] == pytest.approx((math.pi + earth + SUN_ANGLE) / N, abs=5 * LOCATED)


def test_an_orbit_over_the_terminator_has_no_eclipse() -> None:
    assert times(orbiting_plate("conical", (0.0, 1.0, 0.0))) == {}


def test_pressure_acts_in_sunlight_only() -> None:
    """The world does not turn: a plate that faces the Sun gains the impulse of the lit part of the orbit."""
    sun = (0.0, 0.0, -1.0)
    speeds = {}
    for eclipse in ("none", "cylindrical"):
        # Relative to an equal craft without a plate, so that gravity cancels.
        bodies = {name: {"mass": 1e6, "inertia": (1e6, 1e6, 1e6)} for name in ("craft", "dark")}
        short = orbiting_plate(eclipse, sun, bodies=bodies, duration=4.0, events={})
        orbit = short.orbit.model_copy(update={"anomaly": math.pi})
        late = short.model_copy(update={"orbit": orbit})
        for name, scenario in (("noon", short), ("midnight", late)):
            result = simulate(scenario)
            speeds[eclipse, name] = abs(result.history["craft.vz"][-1] - result.history["dark.vz"][-1])
    expected = SOLAR_PRESSURE * 10.0 * 4.0 / 1e6
    for key in (("none", "noon"), ("cylindrical", "noon"), ("none", "midnight")):
        assert speeds[key] == pytest.approx(expected, rel=1e-3)
    assert speeds["none", "midnight"] == pytest.approx(expected, rel=1e-3)


@pytest.mark.plain_python
def test_visible_disc_has_its_limits_and_is_half_at_equal_radii() -> None:
    assert visible_disc(0.1, 1.0, 1.1) == 1.0
    assert visible_disc(0.1, 1.0, 0.9) == 0.0
    assert visible_disc(1.0, 0.1, 0.0) == pytest.approx(0.99)
    lens = 2.0 / 3.0 * math.pi - math.sqrt(3.0) / 2.0  # two unit circles through each other's centre
    assert visible_disc(1.0, 1.0, 1.0) == pytest.approx(1.0 - lens / math.pi)
    assert visible_disc(0.0047, 1.2, 1.2) == pytest.approx(0.5, abs=2e-3)


@pytest.mark.plain_python
def test_shadow_models_give_zero_sunlight_behind_the_earth() -> None:
    sun = np.array([1.0, 0.0, 0.0])
    for model, inside in ((NO_SHADOW, 1.0), (CYLINDER, 0.0), (CONE, 0.0)):
        assert sunlit_fraction(model, -7e6, 0.0, 0.0, sun, RADIUS, SUN_ANGLE) == inside
        assert sunlit_fraction(model, 7e6, 0.0, 0.0, sun, RADIUS, SUN_ANGLE) == 1.0
        assert sunlit_fraction(model, -7e6, 7e6, 0.0, sun, RADIUS, SUN_ANGLE) == 1.0


def test_sunlight_needs_a_sun() -> None:
    with pytest.raises((InputError, ValueError), match=r"orbit\.sun"):
        MultibodyScenario.model_validate(
            {
                "duration": 1.0,
                "bodies": {"craft": {"mass": 1.0, "inertia": (1, 1, 1)}},
                "orbit": {"altitude": ALTITUDE},
                "events": {"dark": {"when": "hill.sunlight < 0.5"}},
            }
        )
