"""Dispatch to the kernels of the kinds of elements.

The module `kernels` of a kind may define these functions, of element `i` of a system; what it leaves out does nothing:

- `apply(system, i, t, q, u, dy)`: add its wrenches and write its results; write the rates of its own state entries.
  Only that of springs, stops and struts is inlined: with those of all kinds the loop over the elements is 20 % slower
- `add_tangents(system, i, t, q, u, linear)`: stiffness and damping along its joint, for implicit steps
- `connect(system, i, t, q, u, linear, c)`: stiffness and damping between two bodies, for implicit steps
- `error_gains(system, i, t, q, u)`: stiffness and damping along its joint by which errors of position and speed become
  errors of its force
- `switch_on(system, i, t, y)`, `switch_off(system, i, t, y)`: after and before it is switched
- `may_switch_on(system, i, t, y)`: whether switching it on has an effect at present
- `set_target(system, i, t, y, value)`: a new target
- `next_break(system, i, t, y)`: next instant at which its force changes abruptly, infinite if there is none
- `one_sided(system, i)`: if it pushes only beyond one or two limits: the number of these limits at present, stiffness,
  damping, and 1 if its energy counts as stored
- `depth(system, i, side, t, q, u)`: depth beyond the limit on a side (1, -1; 0: the nearer one), its rate, and the side
- `may_engage(system, i, dense)`: whether bounds of the interpolation of a step let it reach a limit
- `friction_axes(system, i)`: number of axes of its joint that its friction sticks together; 0 if it does not stick
- `hold(system, i, q)`: add its share of the holding force of a stuck joint to the force that it transmits
- `has_branches(system, i)`: whether its law has branches between which its force is continuous
- `branch(system, i)`, `set_branch(system, i, branch)`: the one of the present step, and another one from now on
- `branch_at(system, i, t, q, u)`: the one of a state
- `value(system, i, component)`: its observable fields beside force, energy, deflection and wrench
- `decide(system, i)`: its decision where the field `acts_above_zero` of its declaration rises through zero;
  `decide_at_start(system, i)`: the same for the initial state
- `set_tolerance(system, i, tolerance)`: tolerances of its own entries in the state, from those of positions
"""

import math
from collections import namedtuple
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from softdock.elements.kernels.one_sided import free
from softdock.elements.kinds import KINDS
from softdock.native.decorators import inline, kernel

KERNELS = {name: import_module(f"softdock.elements.{name}.kernels") for name in KINDS}
"""Modules with the kernels of the kinds, in the order of their numbers."""
LAWS = {name: module.LAW for name, module in KERNELS.items() if hasattr(module, "LAW")}
"""Record types of the parameters of the kinds."""
STATES = {name: module.STATE for name, module in KERNELS.items() if hasattr(module, "STATE")}
"""Record types of what the kinds remember during a run."""
if TYPE_CHECKING:

    class Laws(tuple[np.recarray, ...]):
        """Parameters of the elements of each kind; constant."""

        def __getattr__(self, name: str) -> np.recarray: ...
        def _asdict(self) -> dict[str, np.recarray]: ...

    class States(tuple[np.recarray, ...]):
        """What the elements of each kind remember; changes during a run."""

        def __getattr__(self, name: str) -> np.recarray: ...
        def _asdict(self) -> dict[str, np.recarray]: ...
else:
    Laws = namedtuple("Laws", LAWS)
    Laws.__doc__ = "Parameters of the elements of each kind; constant."
    States = namedtuple("States", STATES)
    States.__doc__ = "What the elements of each kind remember; changes during a run."


@inline
def do_nothing(system, i, *arguments):
    """Do nothing: the kind has no such function."""


@inline
def no_time(system, i, *arguments):
    """Return an instant that is never reached."""
    return math.inf


@inline
def no_gains(system, i, *arguments):
    """Return no stiffness and no damping."""
    return 0.0, 0.0


@inline
def no_sides(system, i, *arguments):
    """Return no limits, no stiffness and damping, and no stored energy."""
    return 0, 0.0, 0.0, 0.0


@inline
def no_depth(system, i, *arguments):
    """Return a depth that is never reached."""
    return -math.inf, 0.0, 1


@inline
def is_possible(system, i, *arguments):
    """Return True: no bound tells otherwise."""
    return True


@inline
def is_impossible(system, i, *arguments):
    """Return False."""
    return False


@inline
def no_branch(system, i, *arguments):
    """Return 0: the only branch, no axes."""
    return 0


@inline
def no_value(system, i, *arguments):
    """Return zero."""
    return 0.0


def choose(name, otherwise):
    """Return a kernel that calls the function `name` of the kind of element i, or `otherwise` where it has none."""
    chosen = otherwise
    for number, module in reversed(list(enumerate(KERNELS.values()))):
        if hasattr(module, name):
            chosen = choose_by_number(number, getattr(module, name), chosen)
    return chosen


def choose_by_number(number, function, otherwise):
    """Return a kernel that calls one function for elements of a kind, and another one for all others."""

    @inline
    def call(system, i, *arguments):
        if system.elements[i].kind == number:
            return function(system, i, *arguments)
        return otherwise(system, i, *arguments)

    return call


apply = choose("apply", do_nothing)
add_tangents = choose("add_tangents", do_nothing)
connect = choose("connect", do_nothing)
error_gains = choose("error_gains", no_gains)
may_switch_on = choose("may_switch_on", is_possible)
switch_on = choose("switch_on", do_nothing)
switch_off = choose("switch_off", do_nothing)
change_target = choose("set_target", do_nothing)
break_after = choose("next_break", no_time)
element_value = choose("value", no_value)
one_sided = choose("one_sided", no_sides)
depth_at = choose("depth", no_depth)
may_engage = choose("may_engage", is_possible)
friction_axes = choose("friction_axes", no_branch)
hold = choose("hold", do_nothing)
has_branches = choose("has_branches", is_impossible)
present_branch = choose("branch", no_branch)
branch_at = choose("branch_at", no_branch)
set_branch = choose("set_branch", do_nothing)
decide = choose("decide", do_nothing)
decide_start = choose("decide_at_start", do_nothing)
set_tolerance = choose("set_tolerance", do_nothing)


@kernel
def apply_elements(system, t, q, u, dy):
    """Add the forces of all elements; returns power dissipated and power supplied [W].

    Their own entries in the state keep their values unless their kernels write rates.
    """
    loss, power, w = 0.0, 0.0, system.world[0]
    for k in range(w.n_q - w.element_states, w.n_q):
        dy[k] = 0.0
    for i in range(system.elements.shape[0]):
        data = system.element_data[i]
        data.force, data.energy, data.loss, data.power = 0.0, 0.0, 0.0, 0.0
        data.branch, data.static_friction = 0, 0.0
        if data.active == 1 or system.elements[i].always == 1:
            apply(system, i, t, q, u, dy)
            loss += data.loss
            power += data.power
    return loss, power


@kernel
def update_largest_angles(elements):
    """Update the largest rotations of elements whose torque is ambiguous beyond half a turn."""
    for i in range(elements.shape[0]):
        data = elements[i]
        if data.active == 1:
            data.largest_angle = max(data.largest_angle, data.angle)


@kernel
def next_element_break(system, t, y, t_limit):
    """Return the first time after t at which the force of an element changes abruptly, at most t_limit [s]."""
    for i in range(system.elements.shape[0]):
        t_limit = min(t_limit, break_after(system, i, t, y))
    return t_limit


@kernel
def switch_element(system, i, on, t, y):
    """Switch an element on or off."""
    data = system.element_data[i]
    if on and data.active == 0:
        if may_switch_on(system, i, t, y):
            data.active = 1
            switch_on(system, i, t, y)
    elif not on:
        switch_off(system, i, t, y)
        data.active = 0
        free(data)


@kernel
def set_target(system, i, t, y, value):
    """Give an element a new target, and switch it on."""
    change_target(system, i, t, y, value)
    system.element_data[i].active = 1


@kernel
def decide_at_start(system):
    """Let all elements take the decisions that their initial state asks for."""
    for i in range(system.elements.shape[0]):
        decide_start(system, i)
