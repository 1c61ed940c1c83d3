"""Random chains, and an independent integration of the same equations by scipy."""

import numpy as np
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from softdock.lumped.chain import Chain, Pad

values = st.floats(0.2, 20.0)


@st.composite
def chains(draw, most=3, damped=True, anchored=None, contact="pad"):
    """Draw chains of up to `most` masses per side; stiffness of order 100, stiffer contact, speed of order 0.1."""
    n, m = draw(st.integers(1, most)), draw(st.integers(1, most))
    wall = draw(st.booleans()) if anchored is None else anchored
    damping = st.floats(0.0, 5.0) if damped else st.just(0.0)

    def several(strategy, count, factor=1.0):
        return tuple(factor * draw(strategy) for _ in range(count))

    pad = Pad(stiffness=1000.0 * draw(values), damping=10.0 * draw(damping)) if contact == "pad" else None
    return Chain(
        chaser_masses=several(values, n),
        target_masses=several(values, m),
        chaser_stiffness=several(values, n - 1, 50.0),
        target_stiffness=several(values, m - 1 + wall, 50.0),
        chaser_damping=several(damping, n - 1),
        target_damping=several(damping, m - 1 + wall),
        anchored=wall,
        speed=draw(st.floats(0.01, 1.0)),
        gap=draw(st.floats(0.0, 0.01)),
        pad=pad,
        restitution=draw(st.floats(0.0, 1.0)) if contact == "impulse" else None,
    )


def matrices(chain):
    """Return mass, stiffness and damping matrices of the chain without its interface."""
    mass = chain.mass
    n = len(mass)
    K, D = np.zeros((n, n)), np.zeros((n, n))
    first = len(chain.chaser_masses)
    for matrix, chaser, target in (
        (K, chain.chaser_stiffness, chain.target_stiffness),
        (D, chain.chaser_damping, chain.target_damping),
    ):
        for offset, links in ((0, chaser), (first, target)):
            for j, value in enumerate(links):
                i = offset + j
                matrix[i, i] += value
                if i + 1 < n:
                    matrix[i + 1, i + 1] += value
                    matrix[i, i + 1] -= value
                    matrix[i + 1, i] -= value
    return mass, K, D


def reference(chain, end_time, rtol=1e-11):
    """Integrate with SciPy to `end_time` [s], one smooth phase after the other; return the final state."""
    mass, K, D = matrices(chain)
    n, a = len(mass), len(chain.chaser_masses) - 1
    k, d = chain.pad.stiffness, chain.pad.damping

    def overlap(y):
        return y[a] - y[a + 1] - chain.gap, y[n + a] - y[n + a + 1]

    def force(y):
        s, rate = overlap(y)
        return k * s + d * rate

    def right_side(pressed):
        def f(t, y):
            pull = -K @ y[:n] - D @ y[n:]
            if pressed:
                push = force(y)
                pull[a] -= push
                pull[a + 1] += push
            return np.concatenate((y[n:], pull / mass))

        return f

    t, y = 0.0, np.concatenate((np.zeros(n), chain.velocities))
    phase = "press" if chain.gap == 0.0 else "clear"
    while t < end_time:
        functions = {
            # Contact begins at an overlap of a picometre: round-off after a separation would hide the next contact.
            "clear": [(lambda t, y: overlap(y)[0] - 1e-12, 1, "press")],
            "press": [(lambda t, y: force(y), -1, "overlap" if d > 0 else "clear")],
            "overlap": [(lambda t, y: force(y), 1, "press"), (lambda t, y: overlap(y)[0], -1, "clear")],
        }[phase]
        events = []
        for function, direction, _ in functions:
            event = lambda t, y, function=function: function(t, y)  # noqa: E731
            event.direction, event.terminal = direction, True
            events.append(event)
        longest = (
            max(0.02 * d / k, 1e-7) if phase == "overlap" else 2e-4
        )  # two events within one step would be missed
        done = solve_ivp(
            right_side(phase == "press"),
            (t, end_time),
            y,
            "DOP853",
            rtol=rtol,
            atol=1e-14,
            max_step=longest,
            events=events,
        )
        t, y = done.t[-1], done.y[:, -1]
        for (_, _, following), times in zip(functions, done.t_events):
            if len(times):
                phase = following
                if t < end_time:  # step off the root, so that the next phase does not find it again
                    hop = min(1e-12, end_time - t)
                    y = y + hop * right_side(phase == "press")(t, y)
                    t += hop
                if (
                    phase == "overlap" and overlap(y)[0] <= 0.0
                ):  # with little damping the pad recovers immediately
                    phase = "clear"
                break
    return y[:n], y[n:]
