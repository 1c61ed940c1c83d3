"""One time step: take it, accept or reject it, locate stops and events in it, record it and move to its end."""

import math

from softdock.dynamics.kernels.channels.channels import read_channels
from softdock.dynamics.kernels.control.controllers import next_controller_time
from softdock.dynamics.kernels.forces.bonds import update_largest_bond_loads
from softdock.dynamics.kernels.forces.contacts import (
    flag_tunnelling,
    observe_contacts,
    refresh_lists,
    release_bristles,
    update_extremes,
    widen_lists,
    worst_overreach,
)
from softdock.dynamics.kernels.forces.derivative import derivative, set_motion
from softdock.dynamics.kernels.forces.interfaces import (
    any_pin_pushes,
    pin_step_limit,
    update_largest_pin_depths,
)
from softdock.dynamics.kernels.integration.force_errors import add_up_errors, keep_errors_of_peaks
from softdock.dynamics.kernels.integration.rosenbrock import prepare_implicit_dense, take_implicit_step
from softdock.dynamics.kernels.integration.step_control import (
    ORDER,
    accept_step,
    choose_step,
    judge_trial,
    next_break,
    observe_stability,
    smaller_step,
)
from softdock.dynamics.kernels.integration.step_errors import estimate_error, store_branches
from softdock.dynamics.kernels.integration.stepping import (
    END,
    StepMethod,
    all_finite,
    copy,
    interpolate,
    normalise,
    prepare_dense,
    take_step,
)
from softdock.dynamics.kernels.recording.evaluation import (
    defer_peak_at_end,
    evaluate_channels,
    has_room_beside_samples,
    needs_peak_row,
    nothing_touches,
    record_peak_at_end,
    record_peaks_inside,
    record_samples,
    write_row,
)
from softdock.dynamics.kernels.recording.run_data import RunStatus
from softdock.dynamics.kernels.run.conservation import check_step
from softdock.dynamics.kernels.run.engagement import (
    accumulate_tension,
    change_state,
    first_change,
    longest_step_to,
    shorten_step,
)
from softdock.dynamics.kernels.run.state_update import (
    apply_jumps,
    complete_deferred_row,
    restore_links,
    update_slope,
    update_state,
)
from softdock.dynamics.kernels.run.sticking import (
    FOLLOWED_SHARE,
    arrives_unresolved,
    first_friction_change,
    forget_used_friction,
    settle_friction,
)
from softdock.dynamics.kernels.search.events import (
    mark_changed_events,
    next_due_event,
    next_event,
    next_timer,
)
from softdock.dynamics.kernels.search.quadrature import integrate_channels
from softdock.dynamics.kernels.search.step_search import search_step
from softdock.elements.kernels.dispatch import next_element_break, update_largest_angles
from softdock.native.decorators import inline, kernel


@kernel
def try_step(run):
    """Take a step; complete it if its error is small enough, else propose a smaller one."""
    settings, s, work = run.settings[0], run.progress[0], run.workspace
    # Steps end where a load, an event, a window, a controller or the segment of a command changes something.
    t_change = next_timer(run, s.t, next_break(run.breaks, s.t, math.inf))
    t_change = min(t_change, next_controller_time(run.system.gnc))
    s.next_change = next_element_break(run.system, s.t, run.y, t_change)
    t_limit = min(s.next_change, s.t_end)
    method, h, reaches_limit = choose_step(settings, s, t_limit)
    t_max = math.nextafter(t_limit, -math.inf)
    forget_used_friction(run.system)
    # At the stages only what is watched is read, and reactions where no previous step tells their change.
    sampled = settings.watched if s.previous_step > 0.0 else settings.searched
    if method == StepMethod.ROSENBROCK:
        take_implicit_step(
            run.system, run.channels, sampled, s.t, t_max, h, run.y, work.k, work.y_new, work.y_stage,
            work.early, work.late, work.linear,
        )  # fmt: skip
    else:
        take_step(
            run.system, run.channels, sampled, method, s.t, t_max, h, run.y, work.k, work.y_new, work.y_stage,
            work.early, work.late,
        )  # fmt: skip
    accepted, status = judge_step(run, method, h, reaches_limit)
    if accepted:
        status = complete_step(run, method, h, t_limit if reaches_limit else s.t + h, t_max, reaches_limit)
    return status


@kernel
def judge_step(run, method, h, reaches_limit):
    """Accept or reject a step and choose the size of the next; returns whether it is accepted, and the status."""
    settings, s, work, system = run.settings[0], run.progress[0], run.workspace, run.system
    adaptive = settings.fixed_step == 0.0
    status, accepted, error = RunStatus.RUNNING, True, 0.0
    if system.pairs.shape[0] > 0 and worst_overreach(system.pair_states) > 0.0:
        accepted = False
        if not replace_lists(run, h, adaptive):
            status = RunStatus.LISTS_TOO_LONG
    elif adaptive:
        error = estimate_error(run, method, h)
        if method != s.method:
            accepted = judge_trial(
                settings, s, method, h, error, work.k, work.y_stage, work.y_new, work.tolerance
            )
        elif error <= 1.0:
            accept_step(settings, s, h, error, reaches_limit, ORDER[method])
            s.steps_until_trial -= 1
            if method == StepMethod.DORMAND_PRINCE and settings.automatic == 1:
                observe_stability(s, True, h, work.k, work.y_stage, work.y_new, work.tolerance)
        else:
            accepted = False
            s.step = smaller_step(h, error, ORDER[method])
            s.after_rejection = 1
    elif not all_finite(work.y_new):
        accepted, status = False, RunStatus.NOT_FINITE
    if not accepted:
        s.rejected += 1
        if status == RunStatus.RUNNING and adaptive and s.step < settings.min_step:
            status = RunStatus.STEP_TOO_SMALL if math.isfinite(error) else RunStatus.NOT_FINITE
    return accepted, status


@kernel
def replace_lists(run, h, adaptive):
    """Replace near lists that a step has left: rebuild them and halve the step, or widen them if the step is fixed.

    Returns whether they fit in memory.
    """
    s, system = run.progress[0], run.system
    set_motion(system, run.y)
    if not adaptive:
        return widen_lists(system) >= 0
    s.step = 0.5 * h
    rebuilt, _ = refresh_lists(system, True, 0.0)
    derivative(system, s.t, run.y, run.workspace.k[0])
    return rebuilt >= 0


@kernel
def complete_step(run, method, h, t_new, t_max, reaches_limit):
    """Check an accepted step, search it for events and peaks, record it and move to its end or first event.

    `t_max` is the last instant before the next jump of a command or load.
    """
    settings, s, work, system = run.settings[0], run.progress[0], run.workspace, run.system
    if settings.fixed_step == 0.0:
        add_up_errors(run)
    if method == StepMethod.ROSENBROCK:
        prepare_implicit_dense(run.y, work.y_new, work.k, work.dense)
    else:
        prepare_dense(method, h, run.y, work.y_new, work.k, work.dense)
    changed = end_at_change(run, h, t_max)
    if s.step_part < 1.0:
        h, t_new, reaches_limit = s.step_part * h, s.t + s.step_part * h, False
        derivative(system, t_new, work.y_new, work.k[END])
    observe_end(run)  # first: the search evaluates states inside the step with the same data
    evaluations, pin_step, event = system.counters[0].evaluations, pin_step_limit(system.interface_states), -1
    if run.channels.shape[0] > 0:
        t_new, event = search_and_record(
            run, method, h, t_new, t_max, reaches_limit or changed >= 0 or s.reached_axis >= 0
        )
    if settings.fixed_step == 0.0:
        keep_errors_of_peaks(run)
    if system.counters[0].evaluations != evaluations:
        restore_links(system, work.y_new)
    accumulate_tension(run, t_new - s.t)
    move_to_end(run, t_new)
    s.pin_step, s.pending_event = pin_step, event
    if event >= 0:
        s.reached_axis = -1
    if settings.fixed_step > 0.0:
        flag_tunnelling(system, h)
    status = RunStatus.PENETRATED if update_extremes(system.pair_states) else RunStatus.RUNNING
    if event < 0 and not continue_from_end(run, changed, reaches_limit):
        status = RunStatus.LISTS_TOO_LONG
    return status


@inline
def end_at_change(run, h, t_max):
    """Shorten a step of size h to the first instant at which a state changes; returns the index of its element or -1.

    Where an axis begins or ceases to slide, it becomes `reached_axis`. A step that is too long to show when an engaged
    element is freed, or how several axes come to rest, is shortened before that instant, and nothing changes. Forces
    are evaluated no later than `t_max`.
    """
    settings, s, changed = run.settings[0], run.progress[0], -1
    s.step_part, s.reached_axis = 1.0, -1
    if settings.fixed_step == 0.0:
        theta, changed = first_change(run, h)
        if changed >= 0:
            longest = longest_step_to(run, changed)
            if theta * h > longest:
                theta, changed = longest / h, -1
                s.step = max(0.5 * longest, settings.min_step)
        earlier, axis = first_friction_change(run, h, t_max, min(theta, 1.0))
        if axis >= 0 and arrives_unresolved(run, axis):
            theta, changed = FOLLOWED_SHARE * earlier, -1
            s.step = max(theta * h, settings.min_step)
        elif axis >= 0:
            theta, changed, s.reached_axis = earlier, -1, axis
        s.step_part = min(max(theta, settings.min_step / h), 1.0)  # so that time advances
        if s.step_part < 1.0:
            shorten_step(run.workspace, s.step_part)
    return changed


@inline
def observe_end(run):
    """Check energy and momentum at the end of a step, and update branches and extremes that are not channels."""
    s, work, system = run.progress[0], run.workspace, run.system
    release_bristles(system, work.y_new)
    check_step(system, work.y_new, work.conserved, work.check)
    store_branches(run)
    if s.closed_contacts > 0:
        s.unstable_steps = 0
    observe_contacts(system)
    update_largest_angles(system.element_data)
    if system.bonds.shape[0] > 0:
        update_largest_bond_loads(system.bonds)
    update_largest_pin_depths(system.interface_states)


@kernel
def search_and_record(run, method, h, t_new, t_max, may_jump):
    """Search a step for events and peaks and record it; returns its end, which may be an event, and the event or -1.

    If forces may jump at its end (`may_jump`), rows there have the values before the jump: they are evaluated no later
    than `t_max`, as the step itself.
    """
    settings, s, work, system, count = (
        run.settings[0],
        run.progress[0],
        run.workspace,
        run.system,
        run.channels.shape[0],
    )
    evaluations = system.counters[0].evaluations
    deferrable = not may_jump and nothing_touches(system)
    closed = s.closed_contacts > 0 or any_pin_pushes(system.interface_states)
    contact_step = closed and settings.record_contact == 1 and has_room_beside_samples(run)
    read_channels(
        run.channels, count if contact_step else settings.searched, system, t_new, work.y_new, work.end
    )
    theta, event = search_step(run, method, h)
    integrate_channels(run, h, theta)
    if event >= 0:
        contact_step = False
        t_new = s.t + theta * h
        interpolate(work.dense, theta, work.y_new)
        evaluate_channels(run, settings.searched, min(t_new, t_max), work.y_new, work.k[END], work.end)
        mark_changed_events(run, work.start, work.end, event)
        observe_contacts(system)
    record_peaks_inside(run, h, t_new)
    sample_at_end = record_samples(run, h, t_new, contact_step)
    if contact_step:
        write_row(run, t_new, work.end)
    elif (sample_at_end or event >= 0 or t_new >= settings.duration) and s.record_rows < run.record.shape[0]:
        evaluate_channels(run, count, min(t_new, t_max), work.y_new, work.k[1], work.values)
        write_row(run, t_new, work.values)
    elif needs_peak_row(run, t_new):
        if deferrable and event < 0:
            defer_peak_at_end(run, t_new, min(s.t + h, t_max), work.y_new)
        else:
            record_peak_at_end(run, t_new, t_max, work.y_new, system.counters[0].evaluations == evaluations)
    return t_new, event


@inline
def move_to_end(run, t_new):
    """Make the end of a step the present state."""
    s, work = run.progress[0], run.workspace
    normalise(run.system.links, work.y_new, work.k[END])
    copy(work.y_new, run.y)
    copy(work.k[END], work.k[0])
    copy(work.end, work.start)
    s.t = t_new
    s.steps += 1


@inline
def continue_from_end(run, changed, reaches_limit):
    """Update everything to the end of a step without an event; returns whether the near lists fit in memory.

    The element of index `changed` changes its state there, none if that is -1.
    """
    s, system = run.progress[0], run.system
    # At the end of a call the next one updates everything, at a sample of a controller `operate` does.
    switched = reaches_limit and s.t < s.t_end and next_controller_time(system.gnc) > s.t
    changes = changed >= 0 or s.reached_axis >= 0
    if changes:
        complete_deferred_row(run)
    if changed >= 0:
        change_state(run, changed)
    room = update_state(run, switched)
    if changes and not switched:
        settle_friction(run, s.reached_axis)
        update_slope(run)
    if switched or changes:
        apply_jumps(run)
        if room:
            s.pending_event = next_event(run)
    s.reached_axis = -1
    if s.pending_event < 0:
        s.pending_event = next_due_event(run)
    return room
