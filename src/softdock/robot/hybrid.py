"""Hardware in the loop: a body that floats in the computer and touches in the laboratory.

The experiment integrates the motion of a free mass, lets the robot follow it, and takes the force that the
robot measures as the force on the mass. What is late in the loop creates energy: docs/theory/delay.md.
"""

from dataclasses import dataclass

import numpy as np

from softdock.errors import RunError
from softdock.robot.link import Command, RobotLink


@dataclass(frozen=True, kw_only=True)
class HybridImpact:
    """A free mass that runs against whatever stands at zero of the robot's one joint."""

    mass: float
    """kg."""
    speed: float
    """Speed at first touch [m/s]."""
    longest: float = 10.0
    """Time after which the mass is taken to stay in contact [s]."""

    def restitution(self, link: RobotLink) -> float:
        """Run the impact through a link and return the speed afterwards over the speed before.

        In each cycle the mean force of the last one, as it arrives, changes the speed of the mass.
        """
        h, one = link.period, np.ones(link.limits.joints)
        x, v, a, touched = 0.0, self.speed, 0.0, False
        for _ in range(int(self.longest / h)):
            x += v * h + 0.5 * a * h * h
            state = link.cycle(Command(q=x * one, stiffness=one, damping_ratio=0.0 * one, tau_ff=0.0 * one))
            if state.refusal is not None:
                raise RunError(f"The robot does not follow the mass: {state.refusal.value}")
            a = float(state.tau_external[0]) / self.mass
            v += a * h
            if touched and a == 0.0:
                return -v / self.speed
            touched = touched or a != 0.0
        raise RunError(f"The mass has not left the contact within {self.longest:g} s.")
