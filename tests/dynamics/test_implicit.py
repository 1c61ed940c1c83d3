"""Implicit steps: Jacobian of stiff forces, conservation of momentum, and cost with steep friction."""

import numpy as np
import pytest
from tests.dynamics.systems import SCENE_NAMES, SCENES, evaluate, scene, simulate

from softdock.assembly.assembler import assemble
from softdock.dynamics.entry_points import LINEAR, derivative, linearise
from softdock.dynamics.kernels.integration.rosenbrock import (
    ALPHA,
    ERROR_WEIGHTS,
    GAMMA,
    GAMMA_BELOW_DIAGONAL,
    SOLUTION_WEIGHTS,
    STAGES,
    prepare_implicit_dense,
    take_implicit_step,
)
from softdock.dynamics.kernels.integration.stages import factorise, solve_stage
from softdock.dynamics.kernels.integration.stepping import END, interpolate
from softdock.dynamics.settings import Method, Settings
from softdock.dynamics.simulation import Simulation
from softdock.dynamics.system_records import system_records
from softdock.elements.drive.model import Drive
from softdock.elements.kernels.held_pose import hold_present_pose
from softdock.elements.kernels.motion_profiles import rest_at
from softdock.elements.kinds import KINDS
from softdock.elements.lock.model import Lock
from softdock.elements.spring.model import Spring
from softdock.errors import InputError
from softdock.model.system import Body, System
from softdock.native.simd import LANES
from softdock.native.structure_memory import allocate
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate as simulate_scenario
from softdock.simulation.multibody import PreparedMultibody
from softdock.theory.rosenbrock import order_defects, stability_function
from softdock.tree.joints import Prismatic
from softdock.tree.kernels.tree import BALL

SPAN = 1e-3
ALPHA_MATRIX = np.array([(*row, *(0.0,) * (STAGES - len(row))) for row in ALPHA])
GAMMA_MATRIX = np.array([(*row, GAMMA, *(0.0,) * (STAGES - 1 - len(row))) for row in GAMMA_BELOW_DIAGONAL])


@pytest.mark.plain_python
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_order_for_any_matrix(order):
    """The method has order 4 for any approximation of the Jacobian, the embedded solution order 3."""
    embedded = np.subtract(SOLUTION_WEIGHTS, ERROR_WEIGHTS)
    assert order_defects(ALPHA_MATRIX, GAMMA_MATRIX, SOLUTION_WEIGHTS, order) == pytest.approx(0.0, abs=1e-14)
    assert (np.abs(order_defects(ALPHA_MATRIX, GAMMA_MATRIX, embedded, order)).max() < 1e-14) == (order < 4)


@pytest.mark.plain_python
def test_fast_modes_decay():
    """No oscillation grows for any step (A-stable), and infinitely fast modes vanish in one step (L-stable)."""
    rates = 1j * np.geomspace(1e-3, 1e9, 20001)
    factors = np.abs(stability_function(ALPHA_MATRIX, GAMMA_MATRIX, SOLUTION_WEIGHTS, rates))
    assert factors.max() < 1.0 + 1e-11
    assert factors[-1] < 1e-8
    oscillation = stability_function(ALPHA_MATRIX, GAMMA_MATRIX, SOLUTION_WEIGHTS, 0.5j)[0]
    assert oscillation == pytest.approx(np.exp(0.5j), abs=2e-5)


@pytest.mark.plain_python
def test_stiff_parts_follow_slow_commands():
    """Errors of h^2 in stages of stiff components (Prothero and Robinson) affect neither the end nor the estimate."""
    both, times = ALPHA_MATRIX + GAMMA_MATRIX, ALPHA_MATRIX.sum(1)
    assert both[-1] == pytest.approx(SOLUTION_WEIGHTS, abs=1e-16)  # stiffly accurate
    error = times**2 - 2.0 * both @ both @ np.ones(STAGES)
    assert np.abs(error).max() > 0.1
    for power in range(-3, STAGES):
        stiff = np.linalg.matrix_power(both, power) @ error
        scale = 1e-13 * np.abs(stiff).max()
        assert SOLUTION_WEIGHTS @ stiff == pytest.approx(0.0, abs=scale)
        assert ERROR_WEIGHTS @ stiff == pytest.approx(0.0, abs=scale)


@pytest.mark.plain_python
def test_stages_lie_within_the_step():
    """Commands and loads are evaluated where they act; near lists cover neighbouring stages half a step apart."""
    times = np.sort(ALPHA_MATRIX.sum(1))
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(1.0, abs=1e-15)
    assert np.diff(times).max() < 0.5


def linear_memory(speeds, links, connections):
    """Return memory for the linear equations of implicit steps."""
    width = -(-speeds // LANES) * LANES
    return allocate(
        LINEAR, {"speeds": speeds, "width": width, "linear links": links, "connections": connections}
    ).value


def compare_jacobians(machine, t, y, scales):
    """Return the Jacobian of implicit steps and that of central differences, for speeds and for positions."""
    n_q, n_u, n = int(machine.world[0].n_q), int(machine.world[0].n_u), len(y)
    connections = len(machine.pairs) + len(machine.elements) + len(machine.interfaces)
    linear = linear_memory(n_u, len(machine.links), connections)
    linearise(machine, t, y, linear)
    factorise(linear, SPAN)
    answers, out = np.zeros((n, n)), np.zeros(n)
    for j in range(n):
        solve_stage(machine, linear, SPAN, 0.0, y, np.eye(n)[j], out)
        answers[:, j] = out
    differences, ahead, behind = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for j in range(n_q + n_u):
        derivative(machine, t, y + scales[j] * np.eye(n)[j], ahead)
        derivative(machine, t, y - scales[j] * np.eye(n)[j], behind)
        differences[:, j] = (ahead - behind) / (2.0 * scales[j])
    moving = slice(n_q, n_q + n_u)
    used = np.eye(n) / SPAN - np.linalg.inv(answers)
    return used[moving, : n_q + n_u], differences[moving, : n_q + n_u], used[:n_q], differences[:n_q]


@pytest.mark.plain_python
@pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
def test_jacobian_of_stiff_elements_at_rest_equals_central_differences(kind, floating):
    """For stiff springs, struts and welds at rest: the omitted terms are proportional to force and speed."""
    assembly = bring_to_rest(assemble(scene(kind, floating, lossy=True)))
    for name in ("spring", "strut", "weld"):
        laws = getattr(assembly.laws, name)
        laws["stiffness"] *= 1e6
        laws["damping"] *= 1e4
    used, true, turns, rates = compare_jacobians(
        system_records(assembly), 0.0, assembly.y, np.full(len(assembly.y), 1e-7)
    )
    assert np.abs(true).max() > 1e5
    assert np.abs(used - true).max() < 1e-5 * np.abs(true).max()
    n_q = turns.shape[0]
    moving = slice(n_q, n_q + true.shape[0])
    assert turns[:, moving] == pytest.approx(rates[:, moving], rel=1e-6, abs=1e-6 * np.abs(rates).max())


def bring_to_rest(assembly):
    """Return the system without motion and without force in springs, struts, welds and drives."""
    n_q = int(assembly.world[0].n_q)
    assembly.y[n_q:] = 0.0
    for link in assembly.links:
        if link.kind == BALL:
            assembly.y[link.at_q : link.at_q + 4] = 1.0, 0.0, 0.0, 0.0
    laws, states, names = assembly.laws, assembly.states, list(KINDS)
    for element in assembly.elements:
        if names[element.kind] == "spring":
            laws.spring[element.row].preload = 0.0
            if element.ball == 0:
                at = element.at_q
                assembly.y[at : at + element.rows] = laws.spring[element.row].rest
    _, machine = evaluate(assembly)
    for element, seen in zip(assembly.elements, machine.element_data):
        name, row = names[element.kind], element.row
        if name == "strut":
            laws.strut[row].preload = 0.0
            laws.strut[row].length += seen.deflection
        elif name == "weld":
            hold_present_pose(element, states.weld[row], machine.links, machine.motions)
        elif name == "drive":
            rest_at(states.drive[row], 0.0, float(assembly.y[element.at_q]))
    return assembly


@pytest.mark.parametrize(
    ("time", "pushing"), [(4.3, 1), (5.5, 1), (6.7, 2)], ids=["cone", "bottom", "fingers"]
)
def test_fast_modes_of_a_docking_agree_with_central_differences(time, pushing):
    """Probe and drogue touch with cut cells and friction; modes above 100 rad/s agree within 2 %."""
    session = PreparedMultibody(load("assist-soft-docking")).begin()
    session.advance(time)
    machine, y = session.system, session.state.copy()
    derivative(machine, time, y, np.zeros_like(y))
    assert sum(machine.pair_states["force"] > 0.0) >= pushing
    n_q, n_u = int(machine.world[0].n_q), int(machine.world[0].n_u)
    used, true, turns, rates = compare_jacobians(machine, time, y, np.full(len(y), 1e-8))
    both = [np.linalg.eigvals(np.vstack([q[:, : n_q + n_u], u])) for q, u in ((turns, used), (rates, true))]
    fast = [np.sort(np.abs(modes)[np.abs(modes) > 100.0]) for modes in both]
    assert len(fast[1]) >= 2
    assert fast[0] == pytest.approx(fast[1], rel=0.02)


def stalling_drive(direction: float, efficiency: float = 1.0) -> MultibodyScenario:
    """Return a slide that a self-locking drive pushes into a stiff spring up to its force limit of 100 N."""
    return MultibodyScenario(
        duration=5.0,
        bodies={"slide": Body(mass=2.0, joint=Prismatic(axis="z"))},
        springs={"wall": Spring(joint="slide", stiffness=2e4, damping=20.0)},
        drives={
            "push": Drive(
                joint="slide", profile="trapezoidal", target=0.02 * direction, rate=5e-3, acceleration=0.05,
                stiffness=2e6, damping=2e3, max_force=100.0, efficiency=efficiency, self_locking=True,
            )
        },
        metrics={"position": "final slide.joint"},
        integrator={"method": "rosenbrock"},
    )  # fmt: skip


@pytest.mark.parametrize(("direction", "efficiency"), [(1.0, 1.0), (-1.0, 1.0), (1.0, 0.7)])
def test_the_jacobian_of_a_drive_that_its_force_limit_slows_down(direction, efficiency):
    """Derivatives of the rates of position, delay and speed, at 95 to 100 % of the limit."""
    session = PreparedMultibody(stalling_drive(direction, efficiency)).begin()
    session.advance(0.05 + 0.97 * efficiency)
    machine, y = session.system, session.state.copy()
    derivative(machine, session.time, y, np.zeros_like(y))
    assert 0.01 < machine.states.drive[0].speed_ratio < 0.9
    used, true, turns, rates = compare_jacobians(machine, session.time, y, np.full(len(y), 1e-9))
    assert used == pytest.approx(true, rel=1e-4, abs=1e-6 * np.abs(true).max())
    n = used.shape[1]
    assert turns[:, :n] == pytest.approx(rates[:, :n], rel=1e-4, abs=1e-6 * np.abs(rates).max())


def test_a_stalling_drive_takes_few_steps():
    """The drive creeps to its limit, 100 N at 2e4 N/m; without this term of the Jacobian it takes 712 steps."""
    result = simulate_scenario(stalling_drive(1.0))
    assert result.metrics["position"] == pytest.approx(100.0 / 2e4, rel=1e-3)
    assert result.timing.steps < 450


@pytest.fixture(scope="module")
def steep_friction():
    """Return the passive docking with friction that changes sign within 0.5 mm/s, by method."""
    edits = [
        "contacts.bumper-drogue.friction.speed=0.5 mm/s",
        "contacts.pantograph-drogue.friction.speed=0.5 mm/s",
    ]
    methods = ("automatic", "dormand-prince", "bogacki-shampine", "rosenbrock")
    return {
        name: simulate_scenario(load("assist-passive", [*edits, f"integrator.method={name}"]))
        for name in methods
    }


def test_automatic_method_reduces_the_cost_of_steep_friction(steep_friction):
    evaluations = {name: result.timing.evaluations for name, result in steep_friction.items()}
    explicit = min(evaluations["dormand-prince"], evaluations["bogacki-shampine"])
    assert evaluations["automatic"] < 0.7 * explicit


@pytest.mark.parametrize("name", ["automatic", "rosenbrock"])
def test_implicit_and_explicit_steps_give_the_same_docking(steep_friction, name):
    true, seen = steep_friction["dormand-prince"], steep_friction[name]
    assert seen.outcome == true.outcome == "rebounded"
    assert seen.metrics["peak_contact_force"] == pytest.approx(true.metrics["peak_contact_force"], rel=2e-4)
    assert seen.metrics["opening_time"] == pytest.approx(true.metrics["opening_time"], rel=1e-3)
    assert seen.audit.linear_momentum_drift < 1e-13
    assert (
        seen.audit.angular_momentum_drift < 1e-11
    )  # about the centre of mass, which has the error of positions
    assert seen.audit.energy_residual < 1e-4


@pytest.mark.parametrize(
    ("method", "damping"), [("rosenbrock", 0.05), ("rosenbrock", 0.5), ("automatic", 0.5)]
)
def test_a_damped_drive_moves_a_light_part_in_few_steps(method, damping):
    """Steps use the speed of the command of a ramp: the part follows it with the lag c/k, and energy is balanced.

    With the stronger damping explicit steps are stable for 2.8 / (25,000 rad/s), which are 8,900 steps. The automatic
    choice finds implicit ones though nothing touches.
    """
    hook = {"mass": 0.02, "inertia": [2e-5] * 3, "joint": {"type": "revolute", "axis": "x"}}
    motor = {"joint": "hook", "stiffness": 100.0, "damping": damping, "target": 0.5, "rate": 1.0}
    data = {"duration": 1.0, "bodies": {"hook": hook}, "drives": {"motor": motor}}
    result = simulate_scenario(MultibodyScenario.model_validate(data | {"integrator": {"method": method}}))
    assert result.timing.steps < 500
    assert result.audit.energy_residual < 1e-4
    t, x = result.history.time, result.history["hook.joint"]
    moving = (t > 0.1) & (t < 0.5)
    np.testing.assert_allclose(x[moving], t[moving], atol=2e-6)
    assert x[-1] == pytest.approx(0.5, abs=2e-6)


def test_long_steps_damp_out_the_mode_of_a_stiff_spring():
    """Steps of 30,000 periods of the fast mode damp it out (L-stable) and follow the slow one."""
    bodies = {
        "heavy": {"mass": 10.0, "inertia": [1, 1, 1], "joint": {"type": "prismatic", "axis": "z", "position": 0.1}},
        "light": {
            "parent": "heavy", "mass": 0.1, "inertia": [1, 1, 1],
            "joint": {"type": "prismatic", "axis": "z", "position": 1e-4},
        },
    }  # fmt: skip
    springs = {"slow": {"joint": "heavy", "stiffness": 100.0}, "fast": {"joint": "light", "stiffness": 1e13}}
    assembly = assemble(System.model_validate({"bodies": bodies, "springs": springs}))
    run = simulate(assembly, 1.0, step=0.02, method=Method.ROSENBROCK)
    assert run.state[0] == pytest.approx(0.1 * np.cos(np.sqrt(100.0 / 10.1)), abs=1e-5)
    assert abs(run.state[1]) < 1e-9


def inside_step(
    stiffness: float, damping: float, y: tuple[float, float], h: float, theta: float = 0.5
) -> np.ndarray:
    """Return position and speed of 1 kg on a spring with a damper, interpolated inside an implicit step."""
    bodies = {"slide": {"mass": 1.0, "inertia": [1, 1, 1], "joint": {"type": "prismatic", "axis": "z"}}}
    springs = {"pad": {"joint": "slide", "stiffness": stiffness, "damping": damping}}
    assembly = assemble(System.model_validate({"bodies": bodies, "springs": springs}))
    machine, n = system_records(assembly), len(assembly.y)
    start, k, single, dense = assembly.y.copy(), np.zeros((END + 1, n)), np.zeros((3, n)), np.zeros((5, n))
    start[:2] = y
    derivative(machine, 0.0, start, k[0])
    channels, none = Simulation(assembly=assembly, settings=Settings(duration=1.0)).channels, np.zeros(0)
    linear = linear_memory(1, len(machine.links), len(machine.elements))
    take_implicit_step(machine, channels, 0, 0.0, 1.0, h, start, k, single[0], single[1], none, none, linear)
    prepare_implicit_dense(start, single[0], k, dense)
    interpolate(dense, theta, single[2])
    return single[2, :2]


@pytest.mark.plain_python
@pytest.mark.parametrize("rate", [10.0, 100.0, 1e3, 2e5])
def test_the_interpolation_of_a_fast_mode_stays_within_its_amplitude(rate):
    """The mode decays by up to 2e4 in the step; a cubic Hermite interpolation would reach 2500 amplitudes."""
    for theta in np.linspace(0.05, 1.0, 20):
        assert abs(inside_step(0.0, rate, (0.0, 1e-5), 0.1, theta)[1]) < 1e-5


@pytest.mark.plain_python
def test_order_of_the_interpolation():
    """Error h^4 in the middle of a step."""
    errors = []
    for h in (0.1, 0.05):
        x, v = inside_step(4.0, 0.0, (1.0, 0.0), h)
        errors.append(max(abs(x - np.cos(h)), abs(v + 2.0 * np.sin(h))))
    assert errors[0] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.2)


def leaning_pin() -> MultibodyScenario:
    """Return a free plate whose pin touches the wall of its hole 0.1 um deep, 100 N, and slides."""
    plate = {
        "mass": 10.0,
        "inertia": [1.0, 1.2, 1.4],
        "joint": {
            "type": "free",
            "position": [0.3001e-3, 0, 0],
            "velocity": [0, 1e-3, 1e-3],
            "rate": [1e-3, 0, 2e-3],
        },
    }
    berth = {
        "pins": {"body": "plate"},
        "holes": {"body": "world", "at": [0, 0, 10e-3]},
        "layout": {"places": [[0.0, 0.0]]},
        "pin": {"diameter": 10e-3, "length": 25e-3},
        "hole": {"clearance": 0.6e-3, "depth": 32e-3, "chamfer": 4e-3},
        "contact": {
            "stiffness": 1e9,
            "damping": {"law": "hunt-crossley", "factor": 10.0},
            "friction": {"coefficient": 0.15, "speed": 2e-3},
        },
    }
    return MultibodyScenario.model_validate(
        {"duration": 1.0, "bodies": {"plate": plate}, "interfaces": {"berth": berth}}
    )


@pytest.mark.plain_python
def test_the_jacobian_of_a_pin_in_its_hole():
    """The omitted term, the change of the normal direction, is proportional to the force."""
    session = PreparedMultibody(leaning_pin()).begin()
    machine, y = session.system, session.state.copy()
    derivative(machine, session.time, y, np.zeros_like(y))
    assert machine.interface_states[0].result[0] > 50.0
    used, true, _, _ = compare_jacobians(machine, session.time, y, np.full(len(y), 1e-9))
    n_q = int(machine.world[0].n_q)
    assert np.abs(true[:, n_q:]).max() > 100.0
    assert used[:, n_q:] == pytest.approx(true[:, n_q:], abs=1e-3 * np.abs(true[:, n_q:]).max())
    assert used[:, :3] == pytest.approx(true[:, :3], abs=2e-3 * np.abs(true[:, :3]).max())


def test_implicit_steps_refuse_systems_with_locks():
    bodies = {name: Body(mass=1.0, inertia=(1, 1, 1)) for name in ("one", "two")}
    locks = {"rigid": Lock.model_validate({"a": {"body": "one"}, "b": {"body": "two"}})}
    assembly = assemble(System(bodies=bodies, locks=locks))
    with pytest.raises(InputError, match=r"method: rosenbrock .* locks"):
        Simulation(assembly=assembly, settings=Settings(duration=1.0, method=Method.ROSENBROCK))
