"""Interfaces of pins and holes in multibody scenarios: laws, closed forms and keys of the file."""

import dataclasses

import numpy as np
import pytest

from softdock.assembly.assembler import assemble
from softdock.assembly.interfaces import interface_records
from softdock.dynamics.settings import Settings, StepTolerances
from softdock.dynamics.simulation import Simulation
from softdock.errors import InputError
from softdock.model.interfaces import Circle, Grid, Interface, Layout, Misalignment
from softdock.model.system import Body, System
from softdock.scenario.loading import load
from softdock.simulation import simulate

TIGHT = ["integrator.accuracy.length=1e-11", "integrator.accuracy.angle=1e-11",
         "integrator.accuracy.speed=1e-10", "integrator.accuracy.rate=1e-10"]  # fmt: skip


def interface(**changes):
    fields = {
        "pins": {"body": "module", "at": [0.0, 0.0, 0.2]},
        "holes": {"body": "port", "at": [0.0, 0.0, -0.5]},
        "layout": {"circle": {"count": 4, "radius": 0.1}},
        "pin": {"diameter": 0.035, "length": 0.06},
        "hole": {"clearance": 0.5e-3, "depth": 0.06, "chamfer": 3e-3},
        "contact": {"stiffness": 1e5},
    }
    return Interface.model_validate(fields | changes)


def test_momentum_is_exact_and_energy_balances():
    """Momentum to rounding; energy to what the accuracy of the steps allows."""
    result = simulate(load("pins-1", [*TIGHT, "duration=3"]))
    assert result.audit.linear_momentum_drift < 1e-12
    assert result.audit.angular_momentum_drift < 1e-12
    assert result.audit.energy_residual < 1e-5
    assert result.metrics["peak_pin_force"] > 1.0


def test_without_damping_and_friction_no_energy_is_lost():
    changes = [*TIGHT, "duration=3", "interfaces.berth.contact.damping.factor=0",
               "interfaces.berth.contact.friction.coefficient=0"]  # fmt: skip
    result = simulate(load("pins-1", changes))
    assert result.audit.energy_residual < 1e-6
    assert result.metrics["peak_pin_force"] > 1.0


def simulate_impact_on_bottoms(layout, mass=10.0, k=1e5, speed=0.01):
    """Simulate a plate whose pins hit the bottoms of their holes without damping; return the run."""
    plate = Body.model_validate(
        {
            "mass": mass,
            "inertia": [1.0, 1.0, 1.0],
            "joint": {"type": "free", "position": [0, 0, -0.001], "velocity": [0.0, 0.0, speed]},
        }
    )
    one = interface(
        pins={"body": "plate"},
        holes={"body": "world"},
        layout=layout,
        pin={"diameter": 0.01, "length": 0.03},
        hole={"clearance": 1e-4, "depth": 0.03},
        contact={"stiffness": k},
    )
    system = System(bodies={"plate": plate}, interfaces={"berth": one})
    assembly = assemble(system)
    interfaces, pins = interface_records(system, assembly)
    from softdock.assembly.channels.records import channel_records
    from softdock.dynamics.kernels.channels.channels import LARGEST
    from softdock.model.observations import Observation

    watched = [Observation(name="berth", field=f) for f in ("force", "pin_force", "contacts", "insertion")]
    channels = channel_records(system, assembly, watched)
    channels.track[:] = LARGEST
    return Simulation(
        assembly=assembly,
        settings=Settings(
            duration=0.3, accuracy=StepTolerances(length=1e-10, angle=1e-10, speed=1e-9, rate=1e-9)
        ),
        channels=channels,
        interfaces=interfaces,
        pins=pins,
    ).run()


@pytest.mark.parametrize("count", [1, 3, 40])
def test_n_pins_have_the_stiffness_of_n_springs(count):
    """Clearance at the bottom: a cap in a wider round bottom touches at its pole; peak sqrt(n k m) v."""
    layout = {"places": [[0.0, 0.0]]} if count == 1 else {"circle": {"count": count, "radius": 0.1}}
    run = simulate_impact_on_bottoms(layout)
    peak = np.sqrt(count * 1e5 * 10.0) * 0.01
    assert run.peaks[0].largest == pytest.approx(peak, rel=1e-4)
    assert run.peaks[1].largest == pytest.approx(peak / count, rel=1e-4)
    assert run.peaks[2].largest == count
    assert run.end.kinetic == pytest.approx(run.start.kinetic, rel=5e-4)


def test_layouts_place_the_pins():
    grid = Layout(grid=Grid(rows=2, columns=3, pitch=0.1)).points()
    rows = [[-0.1, -0.05], [0, -0.05], [0.1, -0.05], [-0.1, 0.05], [0, 0.05], [0.1, 0.05]]
    assert grid == pytest.approx(np.array(rows))
    circle = Layout(circle=Circle(count=4, radius=0.1)).points()
    assert circle == pytest.approx(np.array([[0.1, 0], [0, 0.1], [-0.1, 0], [0, -0.1]]), abs=1e-15)


def test_scatter_is_the_same_for_the_same_seed():
    placed = [
        interface(misalignment={"scatter": 1e-4, "seed": seed}).hole_and_pin_positions()[1]
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(placed[0], placed[1])
    assert not np.array_equal(placed[0], placed[2])
    assert 1e-6 < np.abs(placed[0] - interface().hole_and_pin_positions()[1]).max() < 1e-3


def test_misalignment_moves_the_pins():
    X = Misalignment(offset=(1e-3, 0.0, 0.0), tilt=(0.0, 0.02), roll=0.01).pose()
    assert X.p == pytest.approx([1e-3, 0, 0])
    assert X.R[:, 2] == pytest.approx([np.sin(0.02), 0.0, np.cos(0.02)])
    assert X.R[1, 0] == pytest.approx(np.sin(0.01), rel=1e-3)


def test_search_and_direct_method_give_the_same_run():
    runs = [
        simulate(load("pins-1", [*TIGHT, "duration=3", f"interfaces.berth.rim={rim}"]))
        for rim in ("direct", "search")
    ]
    assert runs[0].metrics["insertion"] == pytest.approx(runs[1].metrics["insertion"], abs=1e-6)


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ("interfaces.berth.hole.depth=1 mm", "interfaces.berth.hole.depth", "round bottom"),
        ("interfaces.berth.hole.box=[10 mm, 10 mm]", "interfaces.berth.hole.box", "opening"),
        ("interfaces.berth.pin.length=1 mm", "interfaces.berth.pin.length", "half the diameter"),
        ("interfaces.berth.pins.body=port", "interfaces.berth.pins.body", "another body"),
        ("interfaces.berth.pins.body=modul", "interfaces.berth.pins.body", "no body called"),
        ("interfaces.berth.contact.damping.coefficient=1", "interfaces.berth.contact.damping", "hunt-crossley"),
        ("interfaces.berth.contact.friction.at_rest=0.01", "interfaces.berth.contact.friction.at_rest", "or more"),
        ("interfaces.berth.rim=guess", "interfaces.berth.rim", "direct"),
    ],
)  # fmt: skip
def test_bad_interfaces_are_refused_with_their_field(change, field, words):
    with pytest.raises(InputError) as error:
        load("pins-1", [change])
    text = " ".join(f"{p.field} {p.message}" for p in error.value.problems)
    assert field in text
    assert words in text


def test_pins_inside_the_material_are_refused():
    with pytest.raises(InputError, match="inside the material at the start"):
        simulate(load("pins-1", ["approach.distance=0 mm", "approach.offset=[40 mm, 0 mm]",
                                 "interfaces.berth.misalignment.offset=[0 mm, 0 mm, 5 mm]"]))  # fmt: skip


def test_events_observe_and_disable_interfaces():
    off = [
        "events.touched.then=[{disable: berth}]",
        "duration=4",
    ]
    enabled, result = simulate(load("pins-1", ["duration=4"])), simulate(load("pins-1", off))
    touched, first = ({event.name: event for event in run.events}["touched"] for run in (result, enabled))
    assert touched.message == "A pin touches."
    assert touched.time == pytest.approx(first.time, rel=1e-9)  # the same motion until then
    history = result.history
    forces, after = history["berth.force"], history.time > touched.time
    assert enabled.history["berth.force"].max() > 1.0
    assert forces.max() < 1e-3
    assert not forces[after].any()
    for rate in ("vx", "vy", "vz", "wx", "wy", "wz"):  # free, with equal principal moments
        assert np.ptp(history[f"module.{rate}"][after]) < 1e-12
    assert dataclasses.asdict(result.audit)["energy_residual"] < 1e-3
