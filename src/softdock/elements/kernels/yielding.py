"""Yielding at a limit of force: crushing of a core, slip of a clutch."""

from softdock.native.decorators import inline

KNEE = 0.1
"""Part of the limit over which yielding sets in.

Without it the state would have no error control at the limit: rounding would decide whether it is reached. Smaller
values need more steps: a core about stroke / (3 KNEE elastic limit) for its whole stroke.
"""
RESOLVED = 1e-4
"""Error that one step may make of a yielded length, over the elastic length at the limit."""


@inline
def yielding_share(ratio):
    """Return the part of the motion that yields at a force over its limit; Eqs. (Z4), (T5).

    It exceeds 1 where an error of a step has led beyond the limit, and leads back to it.
    """
    return max(0.0, (ratio - (1.0 - KNEE)) / KNEE)
