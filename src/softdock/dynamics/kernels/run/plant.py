"""Runs that another program steps: inputs that are constant in each piece, and outputs at its end."""

import math

from softdock.dynamics.kernels.control.actuators import propellant_used
from softdock.dynamics.kernels.control.gnc_records import PULSES
from softdock.dynamics.kernels.recording.evaluation import evaluate_channels
from softdock.dynamics.kernels.recording.run_data import InputKind, RunStatus
from softdock.dynamics.kernels.run.time_loop import advance_run
from softdock.elements.kernels.dispatch import set_target
from softdock.native.decorators import inline, kernel

OPEN = 0.5
"""Value of a valve above which it is open."""


@kernel
def advance_plant(run):
    """Apply the inputs, integrate to `progress.t_end` with them and evaluate all channels there.

    Returns the `RunStatus`; NOT_FINITE without any change where an input is not finite. Where no input changed, the run
    continues without a new evaluation of its start.
    """
    s = run.progress[0]
    for i in range(run.inputs.values.shape[0]):
        if not math.isfinite(run.inputs.values[i]):
            return RunStatus.NOT_FINITE.value
    changed = apply_inputs(run)
    s.undisturbed = 1 if s.settled == 1 and not changed and s.next_change > s.t else 0
    s.settled = 0
    status = advance_run(run)
    if status != RunStatus.LISTS_TOO_LONG:
        evaluate_channels(run, run.channels.shape[0], s.t, run.y, run.workspace.k[1], run.workspace.values)
    if status == RunStatus.TIME_REACHED:
        s.settled = 1
    return status


@kernel
def observe_plant(run):
    """Apply the inputs and evaluate all channels at the present state; returns whether all inputs are finite."""
    for i in range(run.inputs.values.shape[0]):
        if not math.isfinite(run.inputs.values[i]):
            return False
    if apply_inputs(run):
        run.progress[0].settled = 0
    evaluate_channels(
        run, run.channels.shape[0], run.progress[0].t, run.y, run.workspace.k[1], run.workspace.values
    )
    return True


@kernel
def apply_inputs(run):
    """Pass all inputs that changed to what they set; returns whether any did."""
    inputs, changed, switched = run.inputs, False, False
    for i in range(inputs.values.shape[0]):
        if inputs.values[i] != inputs.applied[i]:
            apply_input(run, inputs.records[i], inputs.values[i], inputs.applied[i])
            inputs.applied[i], changed = inputs.values[i], True
            switched = switched or inputs.records[i].kind == InputKind.THRUSTER
    for i in range(run.system.gnc.controllers.shape[0] if switched else 0):
        close_valves_of_empty_tank(run.system.gnc, inputs, i, run.progress[0].t)
    return changed


@kernel
def apply_input(run, record, value, before):
    """Pass a new value of an input to what it sets."""
    system, s = run.system, run.progress[0]
    if record.kind == InputKind.LOAD:
        system.states.load[record.index].wrench[record.component] = value
    elif record.kind == InputKind.EFFORT:
        system.axes[record.index].effort = value
    elif record.kind == InputKind.TARGET:
        set_target(system, record.index, s.t, run.y, value)
    elif (value > OPEN) != (before > OPEN):
        switch_valve(system.gnc, record.component, record.index, s.t, value > OPEN)


@inline
def switch_valve(gnc, controller, thruster, t, opened):
    """Open or close the valve of a thruster after its delay; a pulse lasts at least its shortest time.

    The controller of the thruster takes no samples.
    """
    constants, pulses = gnc.thrusters[thruster], gnc.thruster_states[thruster]
    last = (pulses.firings + 1) % PULSES  # pulses take turns
    if opened:
        slot = pulses.firings % PULSES
        pulses.spent += constants.flow * (pulses.off[slot] - pulses.on[slot])
        pulses.on[slot] = max(t + constants.delay, pulses.off[last])  # one after the other
        pulses.off[slot] = math.inf
        pulses.firings += 1
    else:
        end = max(t + constants.delay, pulses.on[last] + constants.shortest)
        pulses.off[last] = min(pulses.off[last], end)
    gnc.controller_states[controller].next_time = t


@kernel
def close_valves_of_empty_tank(gnc, inputs, controller, t):
    """Set the time at which the open valves of a controller have used all of its propellant."""
    c = gnc.controllers[controller]
    left, flow = c.capacity - propellant_used(gnc, c, t), 0.0
    if c.capacity == math.inf:
        return
    for i in range(inputs.values.shape[0]):
        record = inputs.records[i]
        if record.kind == InputKind.THRUSTER and record.component == controller:
            constants, pulses = gnc.thrusters[record.index], gnc.thruster_states[record.index]
            last = (pulses.firings + 1) % PULSES
            if inputs.applied[i] > OPEN:
                flow += constants.flow
                left += constants.flow * (max(pulses.on[last], t) - t)
            else:  # what a pulse that is not complete will use
                left -= constants.flow * max(pulses.off[last] - max(pulses.on[last], t), 0.0)
    for i in range(inputs.values.shape[0]):
        record = inputs.records[i]
        if record.kind == InputKind.THRUSTER and record.component == controller and inputs.applied[i] > OPEN:
            pulses = gnc.thruster_states[record.index]
            last = (pulses.firings + 1) % PULSES
            pulses.off[last] = max(t + max(left, 0.0) / flow, pulses.on[last])
