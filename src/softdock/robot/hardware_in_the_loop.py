"""Hardware in the loop: a simulated free mass whose contact force is measured by a robot.

The experiment integrates the motion of a free mass, commands the robot to follow it, and applies the force that the
robot measures to the mass. Delay in the loop creates energy: docs/theory/delay.md.
"""

from dataclasses import dataclass

import numpy as np

from softdock.errors import RunError
from softdock.robot.link import Command, RobotLink


@dataclass(frozen=True, kw_only=True)
class HybridImpact:
    """Impact of a free mass on an obstacle at position zero of the robot's single joint."""

    mass: float
    """[kg]"""
    speed: float
    """Speed at first contact [m/s]."""
    max_duration: float = 10.0
    """Time after which a mass still in contact is an error [s]."""

    def restitution(self, link: RobotLink) -> float:
        """Run the impact through a link and return the ratio of the speeds after and before.

        In each cycle the mean force of the previous cycle changes the speed of the mass.
        """
        h, ones = link.period, np.ones(link.limits.joints)
        x, v, a, in_contact = 0.0, self.speed, 0.0, False
        for _ in range(int(self.max_duration / h)):
            x += v * h + 0.5 * a * h * h
            state = link.cycle(
                Command(q=x * ones, stiffness=ones, damping_ratio=0.0 * ones, tau_ff=0.0 * ones)
            )
            if state.refusal is not None:
                raise RunError(f"The robot does not follow the mass: {state.refusal.value}")
            a = float(state.tau_external[0]) / self.mass
            v += a * h
            if in_contact and a == 0.0:
                return -v / self.speed
            in_contact = in_contact or a != 0.0
        raise RunError(f"The mass has not left the contact within {self.max_duration:g} s.")
