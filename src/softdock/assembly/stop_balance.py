"""Start of joints that springs press against a stop: in balance, so that nothing moves before something touches."""

from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.model.system import System
from softdock.tree.joints import JointAxis

HALVINGS = 60
"""Of the depth of a linear balance: below the rounding of a position."""


def start_position(system: System, name: str, axis: JointAxis) -> float:
    """Return where a joint with one axis starts [m or rad]: as given, or in balance of its springs with a stop.

    A joint that starts at rest at a limit of a stop begins beyond it, where the stop balances the springs. Otherwise a
    preload would press it into the stop, and it would vibrate there; a model cannot give that position, because a stop
    may not push at the given one. Eq. (M121).
    """
    given = axis.position
    if axis.speed != 0.0:
        return given
    stops = [s for s in system.elements_of(Stop).values() if s.joint == name and s.active]
    for outwards, touched in (
        (-1.0, [s for s in stops if s.lower == given]),
        (1.0, [s for s in stops if _upper(s) == given]),
    ):
        if touched:
            springs = [s for s in system.elements_of(Spring).values() if s.joint == name and s.active]
            return given + outwards * _depth(springs, given, outwards, sum(s.stiffness for s in touched))
    return given


def _upper(stop: Stop) -> float | None:
    return stop.upper if stop.limit is None else stop.limit


def _depth(springs: list[Spring], limit: float, outwards: float, stiffness: float) -> float:
    """Return how deep springs press a joint beyond a limit [m or rad], into stops of a stiffness [N/m or N m/rad]."""

    def excess(depth: float) -> float:
        x = limit + outwards * depth
        return outwards * sum(_force(spring, x) for spring in springs) - stiffness * depth

    low, high = 0.0, max(excess(0.0), 0.0) / stiffness  # springs pull back more beyond the limit, never less
    for _ in range(HALVINGS if high > 0.0 else 0):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return high


def _force(spring: Spring, x: float) -> float:
    """Return the force of a spring at rest on its joint at a position, positive towards larger positions; Eq. (M20)."""
    s = x - spring.rest
    growth = 0.0
    if spring.exponential is not None:
        growth = (abs(s) / spring.exponential.reference) ** spring.exponential.exponent
    return -spring.stiffness * (1.0 + growth) * s - spring.preload
