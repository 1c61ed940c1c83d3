"""A simulated robot: an arm in its surroundings under joint impedance control, seen as a real one would be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.session import Session
from softdock.dynamics.simulation import Simulation
from softdock.robot.arm import Arm, felt
from softdock.robot.entry_points import impedance_torque, joint_loads
from softdock.robot.impedance import Compensation, damping_of
from softdock.robot.kernels.control import DYNAMICS, GRAVITY, NOTHING, Law
from softdock.robot.link import Command, Limits, Mode, State

Floats = NDArray[np.float64]
KNOWN = {
    Compensation.NONE: NOTHING,
    Compensation.GRAVITY: GRAVITY,
    Compensation.DYNAMICS: DYNAMICS,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Friction:
    """Friction of all joints; arrays (joints,)."""

    viscous: Floats
    """[N m s/rad or N s/m]"""
    coulomb: Floats
    """[N m or N]"""
    speed: float
    """Below it Coulomb friction fades [rad/s or m/s]."""

    def torque(self, qdot: Floats) -> Floats:
        """Return what friction takes from the motors' torques; Eq. (A20)."""
        return self.viscous * qdot + self.coulomb * qdot / np.hypot(qdot, self.speed)


@dataclass(frozen=True, kw_only=True, eq=False)
class Drives:
    """How the robot makes its torques."""

    limits: Limits
    torque_period: float = 1e-3
    """Time for which a torque is held before the next is computed [s]."""
    compensation: Compensation = Compensation.DYNAMICS
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """As the robot believes it to be, in the world [m/s2]."""
    friction: Friction | None = None
    """Of the joints, between the motors and the sensors of torque; None where they do not rub."""


class SimulatedRobot:
    """A robot that lives in a simulation; follows the protocol `softdock.robot.link.Robot`.

    Its joints obey `tau = k (q_cmd - q) - D qdot + tau_ff + compensation` within the limits of torque and speed, D
    designed anew with every command for the arm as it stands. Torques are held for `torque_period`.
    """

    def __init__(self, simulation: Simulation, arm: Arm, drives: Drives) -> None:
        self.arm, self.drives = arm, drives
        self.session: Session = simulation.begin()
        places = [simulation.assembly.joints[name] for name in arm.bodies]
        self._n_q = int(simulation.assembly.world[0].n_q)
        self._at_q = np.array([place.at_q for place in places])
        self._at_u = np.array([place.at_u for place in places])
        links = simulation.assembly.links
        self._moved = np.array(
            [np.flatnonzero((links.at_u == at) & (links.rows > 0))[0] for at in self._at_u]
        )
        self._work = np.zeros((len(links), 6))
        self._q, self._qdot, self._tau = np.zeros((3, arm.joints))
        self._gravity = arm.X_NB.R.T @ np.asarray(drives.gravity)
        self._period = drives.torque_period
        self._last: State | None = None

    @property
    def limits(self) -> Limits:
        """What the robot must not be asked for."""
        return self.drives.limits

    @property
    def ended(self) -> bool:
        """Whether the simulation has come to its end; the robot then stands still."""
        return self.session.ending is not None

    def advance(self, command: Command, duration: float) -> None:
        """Follow a command for a duration [s]."""
        begin = self.session.time
        ticks = max(1, round(duration / self._period))
        law, efforts = self._law(command, duration / ticks), self.session.efforts
        set_torque = impedance_torque.bind(
            self.arm.model, self.arm.motion, law, self._q, self._qdot, self._tau
        )
        for tick in range(ticks):
            self._q[:], self._qdot[:] = self._joints()
            set_torque()
            efforts[self._at_u] = self._tau
            ending = self.session.advance(begin + (tick + 1) * duration / ticks)
            if ending is not None:
                break

    def state(self) -> State:
        """Return what is measured now."""
        if self._last is not None and self._last.t == self.session.time:
            return self._last
        q, qdot = self._joints()
        self._last = State(
            t=self.session.time,
            q=q,
            qdot=qdot,
            tau_measured=self._tau - (self.drives.friction.torque(qdot) if self.drives.friction else 0.0),
            tau_external=self._external(),
            mode=Mode.COMMAND,
        )
        return self._last

    def _joints(self) -> tuple[Floats, Floats]:
        y = self.session.state
        return y[self._at_q], y[self._n_q + self._at_u]

    def _law(self, command: Command, period: float) -> Law:
        """Design the damping for the arm as it stands, and hold the command; Eq. (A10)."""
        n, limits = self.arm.joints, self.limits
        q, _ = self._joints()
        M = felt(self.arm.dynamics(q, np.zeros(n), self._gravity).M, self.arm.floating)
        return Law(
            q_cmd=np.array(command.q, float),
            stiffness=np.array(command.stiffness, float),
            D=np.ascontiguousarray(damping_of(M, command.stiffness, command.damping_ratio)),
            tau_ff=np.array(command.tau_ff, float),
            max_torque=np.array(limits.torque, float),
            max_speed=np.array(limits.speed, float),
            gravity=self._gravity,
            compensation=KNOWN[self.drives.compensation],
            first=0 if self.arm.floating else 6,
            period=period,
            u=np.zeros(6 + n),
            still=np.zeros(6 + n),
            M=np.zeros((6 + n, 6 + n)),
            L=np.zeros((6 + n, 6 + n)),
            h=np.zeros(6 + n),
            weight=np.zeros(6 + n),
            a=np.zeros(6 + n),
            column=np.zeros(6 + n),
        )

    def _external(self) -> Floats:
        """Return the torques that the joints bear because of the surroundings: what the arm pushes with; Eq. (A19)."""
        m, out = self.session.system, np.zeros(self.arm.joints)
        self.session.evaluate()
        joint_loads(m.links, m.groups, self._moved, self._work, out)
        return out
