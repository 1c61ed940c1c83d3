"""Validity of the contact model: warnings, and runs that end as penetrated."""

import math

import pytest

from softdock.elements.spring.model import Spring
from softdock.model.surfaces import Contact, Layer, Surface
from softdock.model.system import Body
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.tree.joints import Fixed, Free, Spherical

STIFFNESS = 1e10  # N/m3


def ball_profile(radius):
    quarters = [((0.0, radius)), ((radius, 0.0))]
    return ((-radius, 0.0), *({"arc_to": end, "radius": radius, "turn": "right"} for end in quarters))


def plate_profile(thickness, radius=0.1):
    return ((0.0, 0.0), (0.0, radius), (thickness, radius), (thickness, 0.0))


def throw(
    speed=1.0, thickness=3e-3, radius=0.01, start=None, plate_is_b=False, layer=None, plate=None, **changes
):
    """Simulate a ball of 1 kg against a fixed plate with its front at z = 0; return the result."""
    place = (0.0, 0.0, -radius - 1e-4) if start is None else start
    sides = ("ball", "plate") if plate_is_b else ("plate", "ball")
    scenario = MultibodyScenario(
        kind="multibody",
        bodies={
            "plate": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Fixed()),
            "ball": Body(
                mass=1.0, inertia=(1e-3, 1e-3, 1e-3), joint=Free(position=place, velocity=(0.0, 0.0, speed))
            ),
        },
        surfaces={
            "plate": Surface(body="plate", profile=plate or plate_profile(thickness)),
            "ball": Surface(body="ball", profile=ball_profile(radius)),
        },
        contacts={
            "hit": Contact(
                a=sides[0],
                b=sides[1],
                layer=layer or Layer(stiffness=STIFFNESS),
                **changes.pop("contact", {}),
            )
        },
        metrics={"end": "final ball.vz", "depth": "max hit.depth"},
        **({"duration": 0.05} | changes),
    )
    return simulate(scenario, with_prediction=False)


@pytest.mark.parametrize("plate_is_b", [False, True])
def test_run_ends_when_a_ball_passes_the_middle_of_a_plate(plate_is_b):
    result = throw(plate_is_b=plate_is_b)
    assert (result.outcome, result.valid, result.completed) == ("penetrated", "no", False)
    assert result.timing.simulated_s < 0.01
    assert any("middle of a wall in hit" in warning for warning in result.warnings)


@pytest.mark.parametrize(("speed", "step"), [(10.0, 0.02), (40.0, 0.005), (40.0, 0.02)])
def test_a_fixed_step_that_may_pass_a_wall_gets_a_warning(speed, step):
    result = throw(speed=speed, thickness=1e-3, start=(0.0, 0.0, -0.3), integrator={"step": step})
    assert result.valid != "yes"
    assert any("passed" in warning for warning in result.warnings), result.warnings


def test_ball_that_passes_a_plate_ends_the_run_as_penetrated():
    """Over radii, speeds and thicknesses a run is either `penetrated`, or completed with the ball in front."""
    ends = [throw(speed, thickness, radius) for radius in (2e-3, 0.01, 0.02) for speed in (0.3, 3.0, 30.0)
            for thickness in (3e-3, 0.3e-3)]  # fmt: skip
    through = [result for result in ends if result.outcome == "penetrated"]
    back = [result for result in ends if result.outcome == "completed"]
    assert len(through) + len(back) == len(ends)
    assert len(through) >= 10
    assert all(result.valid == "no" for result in through)
    assert all(result.metrics["end"] < 0.0 for result in back)


@pytest.mark.parametrize("plate_is_b", [False, True])
def test_warning_of_a_wall_grows_with_the_depth(plate_is_b):
    thick, thin = throw(0.2, 20e-3, plate_is_b=plate_is_b), throw(0.2, 1.6e-3, plate_is_b=plate_is_b)
    assert (thick.valid, thick.warnings) == ("yes", ())
    assert thin.valid == "warned"
    assert thin.metrics["depth"] == pytest.approx(thick.metrics["depth"], rel=1e-3)
    share = thin.metrics["depth"] / 0.8e-3
    (text,) = thin.warnings
    assert float(text.split("deep: ")[1].split("%")[0]) == pytest.approx(100 * share, abs=3.0)


def test_depth_beyond_the_smallest_radius_is_warned():
    """The smallest radius of the whole surface counts, not that at the contact."""
    edge = {"at": (0.0, 0.1), "fillet": 0.2e-3}
    result = throw(0.2, plate=((0.0, 0.0), edge, (0.05, 0.1), (0.05, 0.0)))
    assert result.valid == "warned"
    assert "smallest radius of its surfaces, 0.2 mm" in result.warnings[0]


def test_overlap_at_the_start_is_warned():
    result = throw(0.0, 20e-3, start=(0.0, 0.0, -0.01 + 20e-6))
    assert result.valid == "warned"
    assert result.warnings[0] == "The surfaces of hit overlap by 0.02 mm at the start." or (
        "overlap by 0.019" in result.warnings[0]
    )
    assert throw(0.0, 20e-3).valid == "yes"


def test_pressure_above_the_strength_is_warned():
    result = throw(0.2, 20e-3, layer=Layer(stiffness=STIFFNESS, strength=1e6))
    assert result.valid == "warned"
    assert "strength of its layer, 1e+06 Pa" in result.warnings[0]
    assert throw(0.2, 20e-3, layer=Layer(stiffness=STIFFNESS, strength=1e8)).valid == "yes"


def test_cells_too_coarse_for_the_force_are_warned():
    coarse = throw(0.01, 20e-3, contact={"resolved_force": 100.0})
    assert coarse.valid == "warned"
    assert "lower its resolved_force" in coarse.warnings[0]
    assert throw(0.01, 20e-3, contact={"resolved_force": 0.1}).valid == "yes"


def test_contact_beyond_a_meridian_is_warned():
    """A plate of one line: its front is described, its rim and its back are not."""
    plate = ((0.0, 0.1), (0.0, 0.0))[::-1]
    assert throw(0.02, plate=plate).warnings == ()
    behind = throw(-0.02, plate=plate, start=(0.0, 0.0, 0.025 + 0.01 + 1e-4))
    assert behind.metrics["end"] > 0.0
    assert behind.warnings == ("hit has touched beyond the end of the meridian of its surface a.",)


def test_ball_far_outside_the_rim_of_an_open_cone_has_no_contact():
    cone = ((0.1, 0.02), (0.0, 0.05))
    result = throw(1.0, plate=cone, start=(0.14, 0.0, -0.02), duration=0.12)
    assert result.metrics["end"] == 1.0
    assert result.metrics["peak_contact_force"] == 0.0


@pytest.mark.parametrize(("rate", "valid"), [(1.0, "yes"), (30.0, "warned")])
def test_spring_of_a_ball_joint_near_half_a_turn_is_warned(rate, valid):
    body = Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Spherical(rate=(rate, 0.0, 0.0)), parent="world")
    scenario = MultibodyScenario(
        kind="multibody", duration=0.12, bodies={"top": body},
        springs={"twist": Spring(joint="top", stiffness=1.0)},
    )  # fmt: skip
    result = simulate(scenario, with_prediction=False)
    assert result.valid == valid
    assert math.pi * 0.95 < 0.12 * 30.0
    assert all("twist turns by 1" in warning for warning in result.warnings)


def test_validity_is_saved_and_results_of_earlier_versions_are_unknown(tmp_path):
    result = throw(0.2, 1.6e-3)
    result.save(tmp_path)
    loaded = Result.load(tmp_path)
    assert (loaded.valid, loaded.warnings) == (result.valid, result.warnings)
    path = tmp_path / "result.json"
    text = "\n".join(line for line in path.read_text().splitlines() if '"valid"' not in line)
    path.write_text(text)
    assert Result.load(tmp_path).valid == "unknown"


def test_docking_far_too_fast_is_warned():
    from softdock.scenario.loading import load

    result = simulate(load("assist-soft-docking", ["approach.speed=0.12"]), with_prediction=False)
    assert result.valid == "warned"
    assert any("smallest radius of its surfaces, 1.5 mm" in warning for warning in result.warnings)
    assert result.to_json()["warnings"] == list(result.warnings)
    assert "Valid: warned" in result.summary()


def test_pins_wider_than_their_holes_are_warned():
    from softdock.scenario.loading import load

    changes = ["interfaces.berth.hole.clearance=-50 um", "duration=3 s"]
    result = simulate(load("pins-1", changes), with_prediction=False)
    assert result.valid == "warned"
    assert any("wider than their holes" in warning for warning in result.warnings)


@pytest.mark.parametrize("plate_is_b", [False, True])
def test_tip_of_a_cone_is_not_penetrated(plate_is_b):
    """The thickness of a cone falls to zero at its tip, which is not a wall."""
    cone = ((0.0, 0.0), (0.05, 0.015), (0.05, 0.0))
    result = throw(0.05, plate=cone, plate_is_b=plate_is_b)
    assert result.outcome == "completed"
    assert result.metrics["end"] < 0.05
