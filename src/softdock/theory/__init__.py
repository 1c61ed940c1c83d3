"""Closed forms only: what the simulator must agree with.

`rmi` predicts impacts between multibody systems, `restitution` the coefficient of restitution of a spring
and damper, `latch` whether a wedge lifts its latch, `rigid_body` how torque-free bodies, pendulums and oscillators
move, `beams` how beams bend and ring, `libration` how a body swings in the gravity gradient, `delay` what a late
force does to an impact. Arrays in, arrays out.
"""
