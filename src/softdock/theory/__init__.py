"""Closed forms only: what the simulator must agree with.

`rmi` predicts impacts between multibody systems, `restitution` the coefficient of restitution of a spring
and damper, `latch` whether a wedge lifts its latch. Arrays in, arrays out.
"""

from softdock.theory import latch, restitution, rmi

__all__ = ["latch", "restitution", "rmi"]
