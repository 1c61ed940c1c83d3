"""Sessions: runs that are advanced in pieces, with constant joint efforts in each piece."""

import numpy as np
import pytest

from softdock.assembly.assembler import assemble
from softdock.dynamics.run_results import Ending
from softdock.dynamics.settings import Settings, StepTolerances
from softdock.dynamics.simulation import Simulation
from softdock.elements.spring.model import Spring
from softdock.model.system import Body, System
from softdock.tree.joints import Free, Prismatic, Revolute
from softdock.tree.kernels.tree import copy_records

BALL = (1.0, 1.0, 1.0)


def arm() -> System:
    """Return a free base with an arm on a joint with a spring."""
    return System(
        bodies={
            "base": Body(mass=10.0, inertia=BALL, joint=Free(rate=(0.1, 0.2, 0.3))),
            "boom": Body(
                mass=2.0, inertia=BALL, parent="base", joint=Revolute(axis=(1, 0, 0), at=(0, 0, 1), angle=0.5)
            ),
        },
        springs={"hinge": Spring(joint="boom", stiffness=5.0)},
    )


def begin_session(system, duration, **settings):
    return Simulation(assembly=assemble(system), settings=Settings(duration=duration, **settings)).begin()


def test_run_in_pieces_with_fixed_steps_has_the_same_bits():
    whole, pieces = begin_session(arm(), 1.0, step=2.0**-8), begin_session(arm(), 1.0, step=2.0**-8)
    assert whole.advance(1.0) is Ending.TIME_REACHED
    for frame in range(1, 17):
        ending = pieces.advance(frame / 16)
        assert (ending is None) == (frame < 16)
    np.testing.assert_array_equal(whole.state, pieces.state)
    assert len(whole.finish().history) == len(pieces.finish().history)


@pytest.mark.plain_python
def test_held_effort_is_a_constant_force_and_its_work_is_counted():
    """A slider of mass m under force f: x = f t^2 / 2m, work f x; the next effort acts from the next piece on."""
    slider = System(bodies={"slider": Body(mass=2.0, inertia=BALL, joint=Prismatic(axis=(0, 0, 1)))})
    run = begin_session(slider, 2.0)
    run.efforts[:] = 3.0
    run.advance(1.0)
    x, v = run.state[:2]
    assert (x, v) == pytest.approx((0.75, 1.5), rel=1e-12)
    run.efforts[:] = -3.0
    run.advance(2.0)
    assert run.state[:2] == pytest.approx((1.5, 0.0), rel=1e-12, abs=1e-12)
    end = run.finish().end
    assert end.work == pytest.approx(3.0 * 0.75 - 3.0 * 0.75, abs=1e-11)
    assert end.kinetic == pytest.approx(0.0, abs=1e-12)


@pytest.mark.plain_python
def test_held_efforts_conserve_momentum_and_balance_energy():
    run = begin_session(arm(), 1.0, accuracy=StepTolerances(length=1e-7, angle=1e-7, speed=1e-6, rate=1e-6))
    rng = np.random.default_rng(1)
    for frame in range(1, 11):
        run.efforts[-1] = rng.normal()
        run.advance(0.1 * frame)
    done = run.finish()
    assert done.end.balance == pytest.approx(done.start.balance, rel=1e-6)
    np.testing.assert_allclose(done.end.angular_momentum, done.start.angular_momentum, rtol=1e-12, atol=1e-12)


@pytest.mark.plain_python
def test_finished_run_does_not_advance():
    run = begin_session(arm(), 0.5)
    assert run.advance(9.0) is Ending.TIME_REACHED
    assert run.advance(10.0) is Ending.TIME_REACHED
    assert run.time == 0.5


@pytest.mark.plain_python
def test_copies_of_records_have_separate_memory():
    before = assemble(arm()).links
    after = copy_records(before)
    assert (type(after), after.dtype, after.shape) == (type(before), before.dtype, before.shape)
    assert after.tobytes() == before.tobytes()
    after[0].own[:] = 7.0
    assert after["own"][0].tolist() == [7.0] * 10 != before["own"][0].tolist()
    assert copy_records(before[:0]).shape == (0,)
