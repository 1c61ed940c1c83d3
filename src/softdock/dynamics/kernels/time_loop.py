"""The time loop of a run: take a step, accept or reject it, locate events, perform their actions, record."""

import math

from softdock.dynamics.kernels.bonds import update_largest_bond_loads
from softdock.dynamics.kernels.channels import read_channels, read_controller_channels
from softdock.dynamics.kernels.conservation import (
    IN_WORLD,
    begin_check,
    check_step,
    compare_with_start,
    is_floating,
    write_conserved,
)
from softdock.dynamics.kernels.contacts import (
    flag_tunnelling,
    observe_contacts,
    refresh_lists,
    update_extremes,
    widen_lists,
    worst_overreach,
)
from softdock.dynamics.kernels.controllers import next_controller_time, operate_controllers
from softdock.dynamics.kernels.couplings import decide_entry_at_start
from softdock.dynamics.kernels.derivative import (
    EXTRA_STATES,
    derivative,
    impose_locks,
    set_motion,
    total_stored_energy,
)
from softdock.dynamics.kernels.elements import update_largest_angles
from softdock.dynamics.kernels.evaluation import (
    commit_pending_row,
    complete_pending_row,
    defer_peak_at_end,
    evaluate_channels,
    has_room_beside_samples,
    needs_peak_row,
    nothing_touches,
    record_peak_at_end,
    record_peaks_inside,
    record_samples,
    update_peaks,
    write_row,
)
from softdock.dynamics.kernels.events import (
    becomes_true,
    change_dwell,
    log_event,
    mark_true_at_start,
    next_due_event,
    next_event,
    next_timer,
    perform_actions,
)
from softdock.dynamics.kernels.interfaces import any_pin_pushes, pin_step_limit, update_largest_pin_depths
from softdock.dynamics.kernels.motion_profiles import next_knot
from softdock.dynamics.kernels.quadrature import integrate_channels
from softdock.dynamics.kernels.rosenbrock import (
    prepare_implicit_dense,
    take_implicit_step,
)
from softdock.dynamics.kernels.run_data import PendingRow, Status
from softdock.dynamics.kernels.step_control import (
    FIRST_TRIAL,
    ORDER,
    accept_step,
    choose_step,
    first_step,
    judge_trial,
    next_break,
    next_trial_method,
    observe_stability,
    smaller_step,
)
from softdock.dynamics.kernels.step_errors import estimate_error, store_branches
from softdock.dynamics.kernels.step_search import search_step
from softdock.dynamics.kernels.stepping import (
    DORMAND_PRINCE,
    END,
    ROSENBROCK,
    all_finite,
    copy,
    interpolate,
    normalise,
    prepare_dense,
    take_step,
)
from softdock.dynamics.kernels.windows import begin_statistics
from softdock.native.decorators import inline, kernel


@kernel
def begin_run(run):
    """Evaluate the initial state: first samples of controllers, near lists, channels, energy and momentum.

    Returns whether the near lists fit in memory.
    """
    system, work = run.system, run.workspace
    system.world[0].floating = 1 if is_floating(system) else 0
    set_motion(system, run.y)
    decide_entry_at_start(system.elements, system.links)
    if next_controller_time(system.gnc) <= run.state[0].t:
        operate_controllers(system, run.state[0].t, run.y)
    room = True
    if system.pairs.shape[0] > 0:
        room = refresh_lists(system.links, system.pairs, system.arrays, system.lists, True, 0.0)[0] >= 0
    observe(run)
    begin_check(system, run.y, work.conserved, work.check)
    return room


@kernel
def observe(run):
    """Evaluate the present state: all channels, energy and momentum relative to N."""
    work = run.workspace
    evaluate_channels(run, run.channels.shape[0], run.state[0].t, run.y, work.k[1], work.values)
    write_conserved(run.system, run.y, False, work.conserved[IN_WORLD])


@kernel
def finish_run(run):
    """Evaluate the final state and complete the conservation check with it."""
    commit_pending_row(run)
    observe(run)
    compare_with_start(run.system, run.y, run.workspace.conserved, run.workspace.check)


@kernel
def advance_run(run):
    """Integrate to `state.t_end`; returns the `Status` at the end. May be called again to continue."""
    s = run.state[0]
    status = resume(run)
    while status == Status.RUNNING:
        if s.pending_event >= 0:
            status = process_event(run)
        elif s.t >= s.t_end:
            status = Status.TIME_REACHED
        elif s.steps >= s.max_steps:
            status = Status.STEPS_USED_UP
        elif next_controller_time(run.system.gnc) <= s.t:
            status = operate(run)
        else:
            status = try_step(run)
    complete_deferred_row(run)  # before the caller changes the state or an input
    return status.value


@kernel
def resume(run):
    """Update everything to the present state, which the caller may have changed; start the run if it is new."""
    s, work = run.state[0], run.workspace
    copy(work.start, work.end)
    room = update_state(run, True)
    if s.started == 1:
        apply_jumps(run)
    if not room:
        return Status.LISTS_TOO_LONG
    account_switch(run)
    if s.started == 0:
        start(run)
    s.pending_event = next_event(run)
    store_branches(run)
    return Status.RUNNING


@kernel
def start(run):
    """Record the initial state and choose the first step."""
    s, work, count = run.state[0], run.workspace, run.channels.shape[0]
    s.started, s.next_sample, s.previous_error, s.list_step = 1, 1, 1.0, math.inf
    s.steps_until_trial, s.trial_period = FIRST_TRIAL, FIRST_TRIAL
    s.trial_method = next_trial_method(s, s.method)
    impose_locks(run.system, run.y)
    evaluate_channels(run, count, s.t, run.y, work.k[0], work.values)
    s.pin_step = pin_step_limit(run.system.interfaces)
    update_peaks(run.channels, count, s.t, 0.0, work.values)
    mark_true_at_start(run.events, work.values)
    write_row(run, s.t, work.values)
    s.step = s.fixed_step if s.fixed_step > 0.0 else first_step(work.k[0], work.tolerance, s.max_step)


@kernel
def process_event(run):
    """Log the pending event and perform its actions."""
    s, work, system = run.state[0], run.workspace, run.system
    event = s.pending_event
    complete_deferred_row(run)
    if run.events[event].dwell > 0.0 and not change_dwell(run.events[event], s.t):
        room = update_state(run, True)
        s.pending_event = next_event(run)
        return Status.RUNNING if room else Status.LISTS_TOO_LONG
    # The last row is older than the event if switching an element made its condition true.
    if s.record_rows > 0 and run.record[s.record_rows - 1, 0] < s.t:
        evaluate_channels(run, run.channels.shape[0], s.t, run.y, work.k[1], work.values)
        write_row(run, s.t, work.values)
        restore_links(system, run.y)
    if s.log_rows >= run.log.shape[0] and run.events[event].capture == 0:
        return Status.LOG_FULL
    log_event(run, event, s.t, run.y)
    status = Status.RUNNING
    if run.events[event].actions > 0:
        evaluate_channels(run, s.searched, s.t, run.y, work.k[0], work.start)
        if s.fixed_step == 0.0:
            s.step = max(0.1 * s.step, s.min_step)  # the switched element may be stiff
        s.stored_before_switch = total_stored_energy(system)
        stop = perform_actions(run, event)
        impose_locks(system, run.y)
        s.switched = 1
        if stop:
            s.stop_event, status = event, Status.STOPPED
            evaluate_channels(run, s.searched, s.t, run.y, work.k[0], work.start)  # with the same near lists
            begin_statistics(run)
        else:
            copy(work.start, work.end)
            room = update_state(run, True)
            apply_jumps(run)
            if not room:
                return Status.LISTS_TOO_LONG
        account_switch(run)
    s.pending_event = next_event(run)
    return status


@kernel
def operate(run):
    """Let the controllers that are due act, and switch thrusters.

    Samples that change no force leave slope, near lists and all channels but those of controllers as they are.
    """
    s, work, system, room = run.state[0], run.workspace, run.system, True
    complete_deferred_row(run)
    set_motion(system, run.y)
    switched = operate_controllers(system, s.t, run.y)
    copy(work.start, work.end)
    if switched:
        room = update_state(run, True)
    else:
        read_controller_channels(run.channels, s.searched, system, s.t, work.start)
    apply_jumps(run)
    s.pending_event = next_event(run)
    return Status.RUNNING if room else Status.LISTS_TOO_LONG


@inline
def account_switch(run):
    """Add the change of stored energy by a switch to the dissipated energy if it is a loss, else to the work.

    Expects that the switched elements were evaluated; does nothing if none was switched.
    """
    s, system, y = run.state[0], run.system, run.y
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


@kernel
def try_step(run):
    """Take a step; complete it if its error is small enough, else propose a smaller one."""
    s, work = run.state[0], run.workspace
    t_stop = next_timer(run, s.t, next_break(run.breaks, s.t, s.t_end))
    t_stop = min(t_stop, next_controller_time(run.system.gnc))
    t_stop = next_knot(run.system.elements, s.t, run.y, t_stop)
    method, h, reaches_stop = choose_step(s, t_stop)
    t_max = math.nextafter(t_stop, -math.inf)
    if method == ROSENBROCK:
        take_implicit_step(
            run.system, run.channels, s.watched, s.t, t_max, h, run.y, work.k, work.y_new, work.y_stage,
            work.early, work.late, work.linear,
        )  # fmt: skip
    else:
        take_step(
            run.system, run.channels, s.watched, method, s.t, t_max, h, run.y, work.k, work.y_new, work.y_stage,
            work.early, work.late,
        )  # fmt: skip
    accepted, status = judge_step(run, method, h, reaches_stop)
    if accepted:
        status = complete_step(run, method, h, t_stop if reaches_stop else s.t + h, t_max, reaches_stop)
    return status


@kernel
def judge_step(run, method, h, reaches_stop):
    """Accept or reject a step and choose the size of the next."""
    s, work, system = run.state[0], run.workspace, run.system
    adaptive = s.fixed_step == 0.0
    status, accepted, error = Status.RUNNING, True, 0.0
    if system.pairs.shape[0] > 0 and worst_overreach(system.pairs) > 0.0:
        accepted = False
        if not replace_lists(run, h, adaptive):
            status = Status.LISTS_TOO_LONG
    elif adaptive:
        error = estimate_error(run, method, h)
        if method != s.method:
            accepted = judge_trial(s, method, h, error, work.k, work.y_stage, work.y_new, work.tolerance)
        elif error <= 1.0:
            accept_step(s, h, error, reaches_stop, ORDER[method])
            s.steps_until_trial -= 1
            if method == DORMAND_PRINCE and s.automatic == 1:
                observe_stability(s, True, h, work.k, work.y_stage, work.y_new, work.tolerance)
        else:
            accepted = False
            s.step = smaller_step(h, error, ORDER[method])
            s.after_rejection = 1
    elif not all_finite(work.y_new):
        accepted, status = False, Status.NOT_FINITE
    if not accepted:
        s.rejected += 1
        if adaptive and s.step < s.min_step:
            status = Status.STEP_TOO_SMALL if math.isfinite(error) else Status.NOT_FINITE
    return accepted, status


@kernel
def replace_lists(run, h, adaptive):
    """Replace near lists that a step has left: rebuild them and halve the step, or widen them if the step is fixed.

    Returns whether they fit in memory.
    """
    s, system = run.state[0], run.system
    set_motion(system, run.y)
    if not adaptive:
        return widen_lists(system.links, system.pairs, system.arrays, system.lists) >= 0
    s.step = 0.5 * h
    rebuilt, _ = refresh_lists(system.links, system.pairs, system.arrays, system.lists, True, 0.0)
    derivative(system, s.t, run.y, run.workspace.k[0])
    return rebuilt >= 0


@kernel
def complete_step(run, method, h, t_new, t_max, reaches_stop):
    """Check an accepted step, search it for events and peaks, record it and move to its end or first event.

    `t_max` is the last instant before the next jump of a command or load.
    """
    s, work, system = run.state[0], run.workspace, run.system
    # Before other evaluations overwrite the forces.
    check_step(system, work.y_new, work.conserved, work.check)
    if method == ROSENBROCK:
        prepare_implicit_dense(run.y, work.y_new, work.k, work.dense)
    else:
        prepare_dense(method, h, run.y, work.y_new, work.k, work.dense)
    evaluations = system.world[0].evaluations
    pin_step = pin_step_limit(system.interfaces)
    store_branches(run)
    if s.closed_contacts > 0:
        s.unstable_steps = 0
    observe_contacts(system.links, system.pairs, system.arrays, system.lists)
    update_largest_angles(system.elements)
    if system.bonds.shape[0] > 0:
        update_largest_bond_loads(system.bonds)
    update_largest_pin_depths(system.interfaces)
    event = -1
    if run.channels.shape[0] > 0:
        t_new, event = search_and_record(run, method, h, t_new, t_max, reaches_stop)
    if system.world[0].evaluations != evaluations:
        restore_links(system, work.y_new)
    move_to_end(run, t_new)
    s.pin_step, s.pending_event = pin_step, event
    if s.fixed_step > 0.0:
        flag_tunnelling(system.links, system.pairs, system.arrays, system.lists, h)
    status = Status.PENETRATED if update_extremes(system.pairs) else Status.RUNNING
    if event < 0:
        # At the end of a call the next one updates everything, at a sample of a controller `operate` does.
        switched = reaches_stop and s.t < s.t_end and next_controller_time(system.gnc) > s.t
        room = update_state(run, switched)
        if switched:
            apply_jumps(run)
            if room:
                s.pending_event = next_event(run)
        if s.pending_event < 0:
            s.pending_event = next_due_event(run)
        if not room:
            status = Status.LISTS_TOO_LONG
    return status


@kernel
def search_and_record(run, method, h, t_new, t_max, reaches_stop):
    """Search a step for events and peaks and record it; returns its end, which may be an event, and the event or -1.

    Rows at the end have the values before the jump that may follow there: at most at `t_max`, as the step itself.
    """
    s, work, system, count = run.state[0], run.workspace, run.system, run.channels.shape[0]
    evaluations = system.world[0].evaluations
    deferrable = not reaches_stop and nothing_touches(system)
    closed = s.closed_contacts > 0 or any_pin_pushes(system.interfaces)
    contact_step = closed and s.record_contact == 1 and has_room_beside_samples(run)
    read_channels(run.channels, count if contact_step else s.searched, system, t_new, work.y_new, work.end)
    theta, event = search_step(run, method, h)
    integrate_channels(run, h, theta)
    if event >= 0:
        contact_step = False
        t_new = s.t + theta * h
        interpolate(work.dense, theta, work.y_new)
        evaluate_channels(run, s.searched, min(t_new, t_max), work.y_new, work.k[END], work.end)
        observe_contacts(system.links, system.pairs, system.arrays, system.lists)
    record_peaks_inside(run, h, t_new)
    sample_at_end = record_samples(run, h, t_new, contact_step)
    if contact_step:
        write_row(run, t_new, work.end)
    elif (sample_at_end or event >= 0 or t_new >= s.duration) and s.record_rows < run.record.shape[0]:
        evaluate_channels(run, count, min(t_new, t_max), work.y_new, work.k[1], work.values)
        write_row(run, t_new, work.values)
    elif needs_peak_row(run, t_new):
        if deferrable and event < 0:
            defer_peak_at_end(run, t_new, min(s.t + h, t_max), work.y_new)
        else:
            record_peak_at_end(run, t_new, t_max, work.y_new, system.world[0].evaluations == evaluations)
    return t_new, event


@inline
def move_to_end(run, t_new):
    """Make the end of a step the present state."""
    s, work = run.state[0], run.workspace
    normalise(run.system.links, work.y_new, work.k[END])
    copy(work.y_new, run.y)
    copy(work.k[END], work.k[0])
    copy(work.end, work.start)
    s.t = t_new
    s.steps += 1


@inline
def restore_links(system, y):
    """Set poses and velocities of the links to a state again after evaluations inside the step."""
    if system.pairs.shape[0] > 0:
        set_motion(system, y)
        worst_overreach(system.pairs)


@inline
def complete_deferred_row(run):
    """Evaluate a deferred row before something changes that is not part of the state, and restore the links."""
    if run.state[0].pending_row == PendingRow.DEFERRED:
        complete_pending_row(run)
        restore_links(run.system, run.y)


@kernel
def apply_jumps(run):
    """Update peaks, begin windows and mark events whose conditions changed when an element was switched."""
    s, work = run.state[0], run.workspace
    begin_statistics(run)
    if update_peaks(run.channels, s.searched, s.t, 0.0, work.start) and needs_peak_row(run, s.t):
        record_peak_at_end(run, s.t, s.t, run.y, False)
        restore_links(run.system, run.y)
    for i in range(run.events.shape[0]):
        if becomes_true(run.events[i], work.end, work.start):
            run.events[i].fresh = 1


@kernel
def update_state(run, switched):
    """Update near lists, slope and channels to the present state; returns whether the near lists fit in memory.

    The links are at the present state already, unless an element was switched. Only then is the slope computed again:
    a new near list gives the same forces as the old one up to the error of its cells.
    """
    s, work, system = run.state[0], run.workspace, run.system
    links, pairs, world = system.links, system.pairs, system.world
    if not switched and pairs.shape[0] == 0:
        return True
    if switched:
        set_motion(system, run.y)
    rebuilt = 0
    if pairs.shape[0] > 0:
        rebuilt, s.list_step = refresh_lists(
            links, pairs, system.arrays, system.lists, bool(switched), s.step
        )
        world[0].rebuilds += max(rebuilt, 0)
    if switched:
        evaluate_channels(run, s.searched, s.t, run.y, work.k[0], work.start)
        store_branches(run)
        s.previous_step = 0.0
    if switched or rebuilt > 0:
        worst_overreach(pairs)
    return rebuilt >= 0
