"""Benchmark of plants and the contact routine: what calls cost beside the kernels, and pieces beside a whole run."""

import time

import numpy as np

from softdock.bench.contact_kinds import ball
from softdock.bench.measurement import Row, row, shortest_time, shortest_times
from softdock.contact.layer import CoulombFriction, ElasticLayer
from softdock.contact.pair import ContactPair, MotionState
from softdock.geometry.vertices import profile_from_list
from softdock.presentation.progress import Progress
from softdock.simulation.plant import Plant

SCENARIO, DURATION, PIECE = "assist-soft-docking", 6.0, 1e-3  # s
CONE = [[0.12, 0], [0.12, 0.02], [0, 0.11]]
STATES = 5000
OVERHEAD, CALL, PIECES = 3e-6, 5e-6, 10.0
"""Aims: of a step above the kernel [s], of a call of the contact routine [s], of pieces over a whole run."""


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    progress("steps of a plant", 0.0)
    rows = _steps()
    progress("state of a plant", 0.5)
    rows += _state()
    progress("contact routine", 0.7)
    return rows + _contact()


def _steps() -> list[Row]:
    """Compare pieces of 1 ms with one call, and the plant with the session that calls the kernel."""
    plant = Plant(SCENARIO, inputs=["servicer.force"], outputs=["servicer.z", "servicer.vz", "bumper.joint"])
    ends = [(k + 1) * PIECE for k in range(round(DURATION / PIECE))]

    def whole() -> float:
        plant.reset()
        return shortest_time(lambda: plant.advance(DURATION), 1, time.process_time)

    def pieces() -> float:
        plant.reset()
        start = time.process_time()
        for end in ends:
            plant.advance(end)
        return time.process_time() - start

    def kernel() -> float:
        plant.reset()
        call, set_end = plant.bare_advance()
        start = time.process_time()
        for end in ends:
            set_end(end)
            call()
        return time.process_time() - start

    in_one, in_pieces, bare = shortest_times(whole, pieces, kernel, rounds=5)
    what = f"{SCENARIO}, {DURATION:g} s"
    return [
        row(f"{what} in one call", in_one, "s"),
        row(f"{what} in pieces of 1 ms, time over that of one call", in_pieces / in_one, "1", PIECES),
        row("step of 1 ms with outputs", in_pieces / len(ends), "s"),
        row("step above the call of the kernel", (in_pieces - bare) / len(ends), "s", OVERHEAD),
    ]


def _state() -> list[Row]:
    plant = Plant(SCENARIO, inputs=["servicer.force"])
    plant.advance(1.0)
    saved = plant.save()
    return [
        row("saved state", len(saved), "1"),
        row("save", shortest_time(plant.save, 50, time.process_time), "s"),
        row("restore", shortest_time(lambda: plant.restore(saved), 50, time.process_time), "s"),
        row("reset", shortest_time(plant.reset, 20, time.process_time), "s"),
    ]


def _contact() -> list[Row]:
    """Time the contact routine for a ball that enters a cone, one state per call and all in one call."""
    still = np.zeros(3)
    pair = ContactPair(
        surface_A=profile_from_list(CONE),
        surface_B=ball(0.03),
        layer=ElasticLayer(areal_stiffness=1e8, damping=2e5, damping_depth=1e-4),
        friction=CoulombFriction(coefficient=0.1),
    )
    S_1 = MotionState(r=still, v=still, omega=still, A=np.eye(3))
    r = np.linspace([0.02, 0.005, 0.03], [0.02, 0.005, 0.076], STATES)
    velocity = np.array([0.0, 0.0, 0.05])
    states = [MotionState(r=p, v=velocity, omega=still, A=np.eye(3)) for p in r]
    together = MotionState(r=r, v=velocity, omega=still, A=np.eye(3))

    def many() -> float:
        return shortest_time(lambda: pair.forces_many(S_1, together), 1, time.process_time)

    def single() -> float:
        start = time.process_time()
        for S_2 in states:
            pair.forces(S_1, S_2)
        return time.process_time() - start

    in_array, in_calls = shortest_times(many, single, rounds=5)
    return [
        row("contact routine, one state", in_calls / STATES, "s", CALL),
        row("contact routine, per state of an array", in_array / STATES, "s"),
    ]
