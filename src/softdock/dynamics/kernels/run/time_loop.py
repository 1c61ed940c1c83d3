"""The time loop of a run: steps, events and their actions, samples of controllers."""

import math

from softdock.dynamics.kernels.channels.channels import read_controller_channels
from softdock.dynamics.kernels.control.controllers import next_controller_time, operate_controllers
from softdock.dynamics.kernels.forces.contacts import refresh_lists
from softdock.dynamics.kernels.forces.derivative import (
    EXTRA_STATES,
    derivative,
    impose_locks,
    set_motion,
    total_stored_energy,
)
from softdock.dynamics.kernels.forces.interfaces import pin_step_limit
from softdock.dynamics.kernels.integration.step_control import FIRST_TRIAL, first_step, next_trial_method
from softdock.dynamics.kernels.integration.step_errors import store_branches
from softdock.dynamics.kernels.integration.stepping import copy
from softdock.dynamics.kernels.recording.evaluation import (
    commit_pending_row,
    evaluate_channels,
    update_peaks,
    write_row,
)
from softdock.dynamics.kernels.recording.run_data import RunStatus
from softdock.dynamics.kernels.run.conservation import (
    IN_WORLD,
    begin_check,
    compare_with_start,
    write_conserved,
)
from softdock.dynamics.kernels.run.docking_motion import write_docking_motion
from softdock.dynamics.kernels.run.engagement import keep_states_in_steps, update_states
from softdock.dynamics.kernels.run.reaction_peaks import write_reaction_peaks
from softdock.dynamics.kernels.run.run_start import set_run_start
from softdock.dynamics.kernels.run.run_summary import summarise
from softdock.dynamics.kernels.run.state_update import (
    apply_jumps,
    complete_deferred_row,
    restore_links,
    update_state,
)
from softdock.dynamics.kernels.run.sticking import begin_friction, release_all, settle_friction
from softdock.dynamics.kernels.run.time_step import try_step
from softdock.dynamics.kernels.search.events import (
    Logging,
    change_dwell,
    log_event,
    mark_true_at_start,
    next_event,
    perform_actions,
)
from softdock.dynamics.kernels.search.resolution import set_resolutions
from softdock.dynamics.kernels.search.windows import begin_statistics
from softdock.elements.kernels.dispatch import decide_at_start
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.appendages import write_undeformed


@kernel
def begin_run(run):
    """Evaluate the initial state, and set what the run has from it: tolerances, inertias, resolutions.

    First samples of controllers, near lists, channels, energy and momentum. Returns whether the near lists fit in
    memory.
    """
    system, work = run.system, run.workspace
    write_undeformed(system)
    set_motion(system, run.y)
    if run.settings[0].fixed_step == 0.0:
        keep_states_in_steps(system.element_data)
    decide_at_start(system)
    if next_controller_time(system.gnc) <= run.progress[0].t:
        operate_controllers(system, run.progress[0].t, run.y)
    room = True
    if system.pairs.shape[0] > 0:
        room = refresh_lists(system, True, 0.0)[0] >= 0
    observe(run)
    begin_check(system, run.y, work.conserved, work.check)
    set_run_start(run)
    set_resolutions(run)
    for i in range(run.inputs.values.shape[0]):
        run.inputs.values[i] = run.inputs.applied[i] = run.inputs.records[i].start
    return room


@kernel
def observe(run):
    """Evaluate the present state: all channels, energy and momentum relative to N."""
    work = run.workspace
    update_states(run)
    settle_friction(run, -1)
    evaluate_channels(run, run.channels.shape[0], run.progress[0].t, run.y, work.k[1], work.values)
    write_conserved(run.system, run.y, False, work.conserved[IN_WORLD])


@kernel
def finish_run(run):
    """Evaluate the final state, complete the conservation check with it, and write what is read of the run."""
    commit_pending_row(run)
    write_docking_motion(run)
    observe(run)
    compare_with_start(run.system, run.y, run.workspace.conserved, run.workspace.check)
    summarise(run)
    write_reaction_peaks(run)


@kernel
def advance_run(run):
    """Integrate to `progress.t_end`; returns the `RunStatus` at the end. May be called again to continue."""
    settings, s = run.settings[0], run.progress[0]
    status = resume(run)
    while status == RunStatus.RUNNING:
        if s.pending_event >= 0:
            status = process_event(run)
        elif s.t >= s.t_end or (s.returns_at_events == 1 and s.log_rows > 0):
            status = RunStatus.TIME_REACHED
        elif s.steps >= settings.max_steps:
            status = RunStatus.STEPS_USED_UP
        elif next_controller_time(run.system.gnc) <= s.t:
            status = operate(run)
        else:
            status = try_step(run)
    complete_deferred_row(run)  # before the caller changes the state or an input
    return status.value


@kernel
def resume(run):
    """Update everything to the present state, which the caller may have changed; start the run if it is new."""
    s, work = run.progress[0], run.workspace
    if s.undisturbed == 1:
        s.undisturbed = 0
        return RunStatus.RUNNING
    copy(work.start, work.end)
    if s.started == 0 and run.settings[0].fixed_step == 0.0:
        begin_friction(run)  # expects the tolerances, and that these were set with all joints free
    room = update_state(run, True)
    if s.started == 1:
        apply_jumps(run)
    if not room:
        return RunStatus.LISTS_TOO_LONG
    account_switch(run)
    if s.started == 0:
        start(run)
    s.pending_event = next_event(run)
    store_branches(run)
    return RunStatus.RUNNING


@kernel
def start(run):
    """Record the initial state and choose the first step."""
    settings, s, work, count = run.settings[0], run.progress[0], run.workspace, run.channels.shape[0]
    s.started, s.next_sample, s.previous_error, s.list_step = 1, 1, 1.0, math.inf
    s.steps_until_trial, s.trial_period = FIRST_TRIAL, FIRST_TRIAL
    s.trial_method = next_trial_method(settings, s, s.method)
    lock_links(run)
    evaluate_channels(run, count, s.t, run.y, work.k[0], work.values)
    s.pin_step = pin_step_limit(run.system.interface_states)
    update_peaks(run.peaks, count, s.t, 0.0, work.values)
    mark_true_at_start(run.events, run.event_states, work.values)
    write_row(run, s.t, work.values)
    s.step = (
        settings.fixed_step
        if settings.fixed_step > 0.0
        else first_step(work.k[0], work.tolerance, settings.max_step)
    )


@inline
def lock_links(run):
    """Apply the impulses after which locked links move as one; friction resists none of them."""
    system = run.system
    if system.locks.shape[0] > 0:
        if system.counters[0].stuck > 0:
            release_all(system)
            derivative(system, run.progress[0].t, run.y, run.workspace.k[0])
        impose_locks(system, run.y)
        settle_friction(run, -1)


@kernel
def process_event(run):
    """Log the pending event and perform its actions."""
    settings, s, work, system = run.settings[0], run.progress[0], run.workspace, run.system
    event = s.pending_event
    complete_deferred_row(run)
    if run.events[event].dwell > 0.0 and not change_dwell(run.events[event], run.event_states[event], s.t):
        copy(work.start, work.end)
        room = update_state(run, True)
        apply_jumps(run)
        s.pending_event = next_event(run)
        return RunStatus.RUNNING if room else RunStatus.LISTS_TOO_LONG
    # The last row is older than the event if switching an element made its condition true.
    if s.record_rows > 0 and run.record[s.record_rows - 1, 0] < s.t:
        evaluate_channels(run, run.channels.shape[0], s.t, run.y, work.k[1], work.values)
        write_row(run, s.t, work.values)
        restore_links(system, run.y)
    if s.log_rows >= run.log.shape[0] and run.events[event].logging == Logging.LOGGED:
        return RunStatus.LOG_FULL
    log_event(run, event, s.t, run.y)
    status = RunStatus.RUNNING
    if run.events[event].actions > 0:
        evaluate_channels(run, settings.searched, s.t, run.y, work.k[0], work.start)
        if settings.fixed_step == 0.0:
            s.step = max(0.1 * s.step, settings.min_step)  # the switched element may be stiff
        s.stored_before_switch = total_stored_energy(system)
        stops_run = perform_actions(run, event)
        lock_links(run)
        s.switched = 1
        if stops_run:
            s.stop_event, status = event, RunStatus.STOPPED
            evaluate_channels(
                run, settings.searched, s.t, run.y, work.k[0], work.start
            )  # with the same near lists
            begin_statistics(run)
        else:
            copy(work.start, work.end)
            room = update_state(run, True)
            apply_jumps(run)
            if not room:
                return RunStatus.LISTS_TOO_LONG
        account_switch(run)
    s.pending_event = next_event(run)
    return status


@kernel
def operate(run):
    """Let the controllers that are due act, and switch thrusters.

    Samples that change no force leave slope, near lists and all channels but those of controllers as they are.
    """
    settings, s, work, system, room = run.settings[0], run.progress[0], run.workspace, run.system, True
    complete_deferred_row(run)
    set_motion(system, run.y)
    switched = operate_controllers(system, s.t, run.y)
    copy(work.start, work.end)
    if switched:
        room = update_state(run, True)
    else:
        read_controller_channels(run.channels, settings.searched, system, s.t, work.start)
    apply_jumps(run)
    s.pending_event = next_event(run)
    return RunStatus.RUNNING if room else RunStatus.LISTS_TOO_LONG


@inline
def account_switch(run):
    """Add the change of stored energy by a switch to the dissipated energy if it is a loss, else to the work.

    Expects that the switched elements were evaluated; does nothing if none was switched.
    """
    s, system, y = run.progress[0], run.system, run.y
    if s.switched == 0:
        return
    s.switched = 0
    gained = total_stored_energy(system) - s.stored_before_switch
    at = system.world[0].n_q + system.world[0].n_u
    if gained < 0.0:
        y[at] -= gained
    else:
        y[at + 1] += gained
        if y.shape[0] > at + EXTRA_STATES:
            y[at + EXTRA_STATES] += gained
