"""Benchmark of impacts: predictions per second, and one impact run against SciPy's integrators on the same case.

The peer uses its fastest setup: the equations of each phase as a prepared matrix product, terminal
events for contact and separation, and the fastest of its methods at the tolerance. Both sides integrate from the state
at the start to the relative velocity after the impact; neither records a history beyond its steps and events.
The exact solution is the matrix exponential of the contact phase, with its end found by root search.
"""

from functools import cache, partial

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

from softdock.bench.measurement import Row, compare, row, shortest_time
from softdock.lumped.chain import Chain, Pad
from softdock.lumped.chain_run import run_chain
from softdock.presentation.progress import Progress
from softdock.result import Array
from softdock.theory import rmi

COUNT = 1_000_000
METHODS = ("DOP853", "RK45", "LSODA")
CASE = Chain(  # case A of the paper, with an initial gap of 1 mm
    chaser_masses=(17.0, 2.0),
    target_masses=(1.5, 15.0),
    chaser_stiffness=(1000.0,),
    target_stiffness=(200.0,),
    speed=0.05,
    gap=1e-3,
    pad=Pad(stiffness=15000.0),
)
END = 0.12  # s
RTOL, ATOL = 1e-10, 1e-13


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    progress("predictions", 0.0)
    rows = [_predictions()]
    progress("impact run", 0.3)
    rows += _impact_run(progress)
    return rows


def _predictions() -> Row:
    masses = np.random.default_rng(1).uniform(1.0, 100.0, (4, COUNT))
    rmi.predict_many(*masses, speed=0.05)
    seconds = shortest_time(lambda: rmi.predict_many(*masses, speed=0.05), repeats=20)
    name = "predictions of e_I and velocity after, arrays of a million quadruples, one core"
    return row(name, COUNT / seconds, "1/s", 5e7)


def _impact_run(progress: Progress) -> list[Row]:
    exact = _exact()
    ours, our_seconds = _softdock(), shortest_time(_softdock, repeats=200)
    peers = {}
    for i, method in enumerate(METHODS):
        progress(f"scipy {method}", 0.4 + 0.15 * i)
        answer = _scipy(method)
        peers[method] = (shortest_time(partial(_scipy, method), repeats=10), abs(answer - exact))
    best = min(peers, key=lambda method: peers[method][0])
    peer_seconds, peer_error = peers[best]
    peer = f"scipy solve_ivp {best}, rtol {RTOL:g}"
    error = max(abs(ours - exact), np.finfo(float).eps * CASE.speed)  # avoids a ratio to zero
    speed = row("one impact run, from the start to the velocity after", our_seconds, "s", 100.0)
    accuracy = row("error of the velocity after the impact", error, "m/s", 1.0)
    return [
        compare(speed, peer, peer_seconds, peer_seconds / our_seconds),
        compare(accuracy, peer, peer_error, peer_error / error),
    ]


def _softdock() -> float:
    return _relative(run_chain(CASE, end_time=END, impacts=1, rate=10.0).velocities_after)


def _scipy(method: str) -> float:
    """Integrate approach and contact with terminal events; return the relative velocity at separation [m/s]."""
    separated, in_contact = _phases()
    state = np.concatenate((np.zeros(4), CASE.velocities))

    def overlap(t: float, y: Array) -> float:
        return float(y[1] - y[2] - CASE.gap)

    t = 0.0
    for matrix, load, direction in ((separated, np.zeros(8), 1.0), (*in_contact, -1.0)):
        overlap.direction, overlap.terminal = direction, True  # type: ignore[attr-defined]
        done = solve_ivp(
            lambda t, y, A=matrix, b=load: A @ y + b,
            (t, END),
            state,
            method,
            rtol=RTOL,
            atol=ATOL,
            events=overlap,
        )
        t, state = done.t[-1], done.y[:, -1]
    return _relative(state[4:])


def _exact() -> float:
    """Return the relative velocity by matrix exponential [m/s]; there is no deformation during the approach."""
    _, (matrix, load) = _phases()
    augmented = np.zeros((9, 9))
    augmented[:8, :8], augmented[:8, 8] = matrix, load
    at_contact = np.concatenate((CASE.velocities * (CASE.gap / CASE.speed), CASE.velocities, [1.0]))

    def overlap(t: float) -> float:
        y = expm(augmented * t) @ at_contact
        return float(y[1] - y[2] - CASE.gap)

    # Half a period of the contact is 0.024 s.
    duration = brentq(overlap, 0.01, 0.04, xtol=1e-16, rtol=8.9e-16)
    return _relative((expm(augmented * duration) @ at_contact)[4:8])


def _relative(velocities: Array) -> float:
    V_c, V_t = (velocities @ CASE.system_weights).tolist()
    return float(V_c - V_t)


@cache
def _phases() -> tuple[Array, tuple[Array, Array]]:
    """Return the matrix of the separated chains, and matrix and constant load of the chains in contact."""
    assert CASE.pad is not None
    links = ((0, 1, CASE.chaser_stiffness[0]), (2, 3, CASE.target_stiffness[0]))
    mass = CASE.mass

    def matrix(springs: tuple[tuple[int, int, float], ...]) -> Array:
        A = np.zeros((8, 8))
        A[:4, 4:] = np.eye(4)
        for i, j, k in springs:
            A[4 + i, [i, j]] += np.array([-k, k]) / mass[i]
            A[4 + j, [i, j]] += np.array([k, -k]) / mass[j]
        return A

    load = np.zeros(8)
    preload = CASE.pad.stiffness * CASE.gap
    load[5], load[6] = preload / mass[1], -preload / mass[2]
    return matrix(links), (matrix((*links, (1, 2, CASE.pad.stiffness))), load)
