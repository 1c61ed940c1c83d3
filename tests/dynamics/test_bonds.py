"""Bonded contacts: force, stiffness and energy of the contact they replace, the end of a bond, limits of validity."""

import math
import re

import numpy as np
import pytest
from tests.contact.conical_seats import STIFFNESS, seat_area, seat_contact, seat_surfaces

from softdock import simulate
from softdock.elements.load.model import Load
from softdock.elements.spring.model import Spring
from softdock.errors import InputError
from softdock.model.events import Event
from softdock.model.surfaces import Contact, Friction, Layer, Surface
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.tree.joints import Prismatic

ANGLE = math.radians(30.0)  # half opening angle of the seat
AXIAL = STIFFNESS * seat_area(ANGLE) * math.sin(ANGLE) ** 2  # axial stiffness [N/m], without friction
PRELOAD, ADDED_LOAD = 200.0, 40.0  # N
BOND_TIME, LOAD_TIME = 0.3, 0.5  # s


def seat(
    *, bond: bool, force: float = ADDED_LOAD, then: tuple = (), friction: float = 0.0
) -> MultibodyScenario:
    """Return a cone of 2 kg that a preload presses into a fixed conical cavity; a load is added at 0.5 s."""
    events = {"bond": Event(when=f"time > {BOND_TIME} s", then=({"bond": "seat"},))} if bond else {}
    if then:
        events["then"] = Event(when="time > 0.8 s", then=then)
    return MultibodyScenario(
        duration=1.2,
        bodies={"cone": Body(mass=2.0, joint=Prismatic(axis="z"))},
        springs={"press": Spring(joint="cone", damping=8000.0, preload=-PRELOAD)},
        loads={"more": Load(body="cone", force=(0, 0, force), table=((0.0, 0.0), (LOAD_TIME, 1.0)))},
        surfaces=seat_surfaces(ANGLE),
        contacts={"seat": seat_contact(friction, creep=1e-3)},
        events=events,
        metrics={"z": "final cone.joint", "force": "final seat.force", "energy": "final seat.energy"},
        integrator=Integrator(accuracy={"length": 1e-10, "speed": 1e-9, "angle": 1e-9, "rate": 1e-9}),
    )


def value_at(result, name: str, t: float) -> float:
    """Return the value of a channel at a time [s], interpolated."""
    return float(np.interp(t, result.history.time, result.history[name]))


@pytest.fixture(scope="module")
def bonded():
    return simulate(seat(bond=True))


def test_bonded_seat_keeps_its_force_and_position(bonded):
    """The switch changes neither force nor energy: the cone stays where it rests."""
    before, after = BOND_TIME - 0.01, LOAD_TIME - 0.01
    assert value_at(bonded, "seat.force", before) == pytest.approx(PRELOAD, rel=1e-6)
    assert value_at(bonded, "seat.force", after) == pytest.approx(PRELOAD, rel=1e-6)
    assert value_at(bonded, "cone.joint", after) == pytest.approx(
        value_at(bonded, "cone.joint", before), abs=1e-10
    )
    assert bonded.audit.energy_residual < 1e-6
    assert bonded.valid == "yes"


def test_bonded_seat_yields_by_the_stiffness_of_the_closed_form(bonded):
    """dz = dF / (c A sin^2 a); its energy is that of the compressed layer."""
    move = bonded.metrics["z"] - value_at(bonded, "cone.joint", LOAD_TIME - 0.01)
    assert move == pytest.approx(ADDED_LOAD / AXIAL, rel=2e-3)
    assert bonded.metrics["force"] == pytest.approx(PRELOAD + ADDED_LOAD, rel=1e-6)
    assert bonded.metrics["energy"] == pytest.approx(0.5 * (PRELOAD + ADDED_LOAD) ** 2 / AXIAL, rel=5e-3)


@pytest.mark.parametrize("friction", [0.0, 0.1])
def test_bonded_and_true_contact_agree_under_a_small_load(friction):
    results = [simulate(seat(bond=bond, friction=friction)) for bond in (True, False)]
    a, b = (result.metrics for result in results)
    assert a["z"] == pytest.approx(b["z"], rel=2e-3)
    assert a["force"] == pytest.approx(b["force"], rel=2e-3)
    assert a["energy"] == pytest.approx(b["energy"], rel=5e-3)


def test_bond_holds_a_pull_that_would_open_the_contact_and_warns():
    """The warning names the share of the preload; `enable` ends the bond, and the cone leaves its seat."""
    pull = -1.2 * PRELOAD
    held = simulate(seat(bond=True, force=pull))
    assert held.metrics["z"] == pytest.approx((PRELOAD + pull) / AXIAL, rel=2e-2)
    assert held.valid == "warned"
    assert "bonded contact seat changes by 12" in held.warnings[0]  # 120 %, with a small overshoot
    released = simulate(seat(bond=True, force=pull, then=({"enable": "seat"},)))
    assert released.metrics["z"] < -1e-3
    assert released.metrics["force"] == 0.0
    assert released.audit.energy_residual < 1e-6


@pytest.mark.parametrize("bond", [True, False])
def test_energy_of_a_closed_contact_that_is_switched_off_counts_as_dissipated(bond):
    result = simulate(seat(bond=bond, then=({"disable": "seat"},)))
    assert result.metrics["force"] == 0.0
    assert result.audit.energy_residual < 1e-6


def test_open_contact_is_not_bonded():
    """A cone that is held away from its seat is not bonded there; it meets the seat later."""
    case = seat(bond=True).model_dump()
    case["bodies"]["cone"]["joint"]["position"] = -1e-3
    case["events"]["bond"]["when"] = "time > 1 ms"
    result = simulate(MultibodyScenario.model_validate(case))
    assert result.metrics["force"] == pytest.approx(PRELOAD + ADDED_LOAD, rel=1e-3)


@pytest.mark.parametrize("name", ["press", "sea"])
def test_only_contacts_are_bonded(name):
    case = seat(bond=True).model_dump()
    case["events"]["bond"]["then"] = [{"bond": name}]
    with pytest.raises(InputError) as error:
        MultibodyScenario(**case)
    assert error.value.problems[0].field == "events.bond.then.0.bond"


def bent_seat(torque: float, duration: float) -> MultibodyScenario:
    """Return the cone as a free body that is pressed into its seat, bonded, and loaded by a torque."""
    case = seat(bond=True, friction=0.1).model_dump()
    del case["bodies"]["cone"]["joint"]
    case["bodies"]["cone"]["inertia"] = (2e-3, 2e-3, 2e-3)
    case["contacts"]["seat"]["layer"] |= {"damping": 1e7, "damping_depth": 1e-5}
    table = ((0.0, 0.0), (0.4, 0.0), (0.5, 1.0))
    loads = {"press": {"body": "cone", "force": (0, 0, PRELOAD)}}
    loads["bend"] = {"body": "cone", "torque": (torque, 0, 0), "table": table}
    case |= {"duration": duration, "springs": {}, "loads": loads, "integrator": {}}
    case["metrics"] = {"force": "final seat.force"}
    return MultibodyScenario.model_validate(case)


def test_torque_that_would_lift_one_side_of_a_bonded_seat_is_reported():
    """The torque does not change the force, but at 6 N m a contact without a bond would leave its seat."""
    result = simulate(bent_seat(6.0, duration=0.7))
    assert result.metrics["force"] == pytest.approx(PRELOAD, rel=1e-3)
    assert result.valid == "warned"
    assert "bonded contact seat" in result.warnings[0]
    assert simulate(bent_seat(0.2, duration=0.7)).valid == "yes"


def test_bond_that_turns_conserves_energy():
    """The torque of the preload moves with the body: without it the error is 1.3e-3 at 3 N m."""
    assert simulate(bent_seat(3.0, duration=0.7)).audit.energy_residual < 1e-5


def pushed_pad(sideways: float) -> MultibodyScenario:
    """Return a free flat pad that a preload presses on a fixed plane; bonded, and pushed sideways from 0.5 s on."""
    layer = Layer(stiffness=STIFFNESS, damping=1e7, damping_depth=1e-5)
    friction = Friction(coefficient=0.1, speed=1e-3)
    push = Load(body="pad", force=(sideways, 0, 0), table=((0.0, 0.0), (LOAD_TIME, 1.0)))
    return MultibodyScenario(
        duration=0.7,
        bodies={"pad": Body(mass=2.0, inertia=(2e-3, 2e-3, 2e-3))},
        loads={"press": Load(body="pad", force=(0, 0, PRELOAD)), "push": push},
        surfaces={
            "face": Surface(body="pad", profile=((-0.01, 0.0), (-0.01, 0.02), (0.0, 0.02), (0.0, 0.0))),
            "plane": Surface(body="world", profile=((0.0, 0.0), (0.0, 0.05), (0.02, 0.05), (0.02, 0.0))),
        },
        contacts={"seat": Contact(a="plane", b="face", layer=layer, friction=friction, resolved_force=20.0)},
        events={"bond": Event(when=f"time > {BOND_TIME} s", then=({"bond": "seat"},))},
    )


@pytest.mark.parametrize("share", [0.03, 0.3])
def test_bond_that_would_slip_is_reported(share):
    """A force of 30 % of the preload is three times the friction; one of 3 % is 30 % of it, and the pad only creeps."""
    result = simulate(pushed_pad(share * PRELOAD))
    assert result.metrics["peak_contact_force"] > PRELOAD
    assert result.valid == ("yes" if share < 0.05 else "warned")
    if share > 0.1:
        # A sudden load overshoots the 300 % on the tangential spring.
        assert re.search(r"bonded contact seat needs 3[01]\d% of its friction", result.warnings[0])
