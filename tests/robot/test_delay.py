"""A delayed force creates energy: the published hardware-in-the-loop case, by theory and through a delayed link."""

import math

import numpy as np
import pytest

from softdock.bench.link import LinearStage
from softdock.errors import InputError, RunError
from softdock.robot.hardware_in_the_loop import HybridImpact
from softdock.robot.link_local import LocalLink
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import RobotServer
from softdock.robot.simulated_network import Conditions, SimulatedNetwork
from softdock.theory.delay import delayed_restitution

MASS, SPEED, STIFFNESS = 300.0, 5e-3, 106.59e3  # kg, m/s, N/m: about 3 Hz
PUBLISHED = [  # damping ratio, delay [s], restitution; DOI 10.1061/JAEEEZ.ASENG-6727
    (0.0, 0.0, 1.0000), (0.0, 3.0e-3, 1.0928), (0.0, 3.5e-3, 1.1090), (0.0, 4.0e-3, 1.1255),
    (0.1, 0.0, 0.7292), (0.1, 3.0e-3, 0.7973), (0.1, 3.5e-3, 0.8093), (0.1, 4.0e-3, 0.8216),
]  # fmt: skip


def restitution_through_link(
    zeta: float, delay: float, period: float, mass: float = MASS, k: float = STIFFNESS
) -> float:
    rail = LinearStage(stiffness=k, damping=2.0 * zeta * math.sqrt(k * mass))
    network = SimulatedNetwork(RobotServer(rail, period), Conditions(delay=delay / 2.0))
    with RemoteLink(network.transport()) as link:
        return HybridImpact(mass=mass, speed=SPEED).restitution(link)


@pytest.mark.parametrize(("zeta", "delay", "published"), PUBLISHED)
def test_theory_gives_the_published_restitution(zeta: float, delay: float, published: float) -> None:
    e = delayed_restitution(mass=MASS, stiffness=STIFFNESS, damping_ratio=zeta, delay=delay)
    assert e == pytest.approx(published, abs=1e-4)


@pytest.mark.parametrize(("zeta", "delay", "published"), PUBLISHED)
def test_the_delayed_link_gives_the_published_restitution(
    zeta: float, delay: float, published: float
) -> None:
    assert restitution_through_link(zeta, delay, delay / 2.0 or 1e-3) == pytest.approx(published, abs=1e-3)


@pytest.mark.parametrize(
    ("zeta", "mass", "stiffness", "delay"), [(0.05, 80.0, 2e4, 8e-3), (0.2, 1000.0, 3e5, 6e-3)]
)
def test_link_converges_to_theory_with_the_square_of_the_cycle(
    zeta: float, mass: float, stiffness: float, delay: float
) -> None:
    theory = delayed_restitution(mass=mass, stiffness=stiffness, damping_ratio=zeta, delay=delay)
    omega = math.sqrt(stiffness / mass)
    for cycles in (2, 4):
        period = delay / cycles
        e = restitution_through_link(zeta, delay, period, mass, stiffness)
        assert abs(e - theory) < theory * (omega * period) ** 2


def test_theory_agrees_with_a_fine_integration() -> None:
    """The same delayed equation in steps of 1/2000 of the delay: velocity Verlet, second order."""
    zeta, late, steps = 0.15, 0.2, 2000
    h = late / steps
    x, v = [0.0], [1.0]

    def force(i: int) -> float:
        return -x[i] - 2.0 * zeta * v[i] if i >= 0 else 0.0

    while x[-1] >= 0.0:
        i = len(x) - 1
        a, b = force(i - steps), force(i + 1 - steps)
        x.append(x[-1] + h * v[-1] + h * h * (2.0 * a + b) / 6.0)
        v.append(v[-1] + 0.5 * h * (a + b))
    last = len(x) - 1
    speed = v[-1] + h * sum(force(i) for i in range(last - steps, last))
    e = delayed_restitution(mass=1.0, stiffness=1.0, damping_ratio=zeta, delay=late)
    assert e == pytest.approx(-speed, abs=2.0 * h)


def test_small_delay_acts_as_a_negative_damper() -> None:
    """zeta - omega tau / 2 to first order, so e grows by pi omega tau / 2."""
    omega = math.sqrt(STIFFNESS / MASS)
    for tau in (1e-4, 1e-5):
        e = delayed_restitution(mass=MASS, stiffness=STIFFNESS, delay=tau)
        assert e - 1.0 == pytest.approx(math.pi * omega * tau / 2.0, rel=2.0 * omega * tau)


def test_impossible_cases_are_refused() -> None:
    with pytest.raises(InputError, match="delay"):
        delayed_restitution(mass=1.0, stiffness=1.0, delay=2.0)
    with pytest.raises(InputError, match="mass"):
        delayed_restitution(mass=-1.0, stiffness=1.0)
    with pytest.raises(RunError, match="has not left the contact"):
        HybridImpact(mass=1e6, speed=SPEED, max_duration=0.1).restitution(
            LocalLink(LinearStage(stiffness=1.0))
        )
    with pytest.raises(RunError, match="moves faster"):
        HybridImpact(mass=1.0, speed=5.0).restitution(LocalLink(LinearStage(stiffness=1.0)))


def test_the_stage_has_force_only_in_contact() -> None:
    """The mean force over a cycle is the impulse of k x + c v on the part of the path with x > 0."""
    from softdock.bench.link import _mean_force

    fine = np.linspace(-0.3, 0.7, 200_001)
    x = 0.5 * (fine[1:] + fine[:-1])
    impulse = np.where(x > 0.0, 10.0 * x + 3.0, 0.0).mean()
    assert _mean_force(-0.3, 0.7, 1.0, 10.0, 3.0) == pytest.approx(impulse, rel=1e-4)
    assert _mean_force(-0.3, -0.1, 1.0, 10.0, 3.0) == 0.0
    assert _mean_force(0.2, 0.2, 0.0, 10.0, 3.0) == pytest.approx(2.0)
