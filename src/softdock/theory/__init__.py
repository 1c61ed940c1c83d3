"""Closed-form solutions, used as references for the simulator and for predictions.

`rmi`: impacts between multibody systems; `restitution`: restitution of spring-damper and layer contacts; `latch`: wedge
and latch; `rigid_body`: torque-free bodies, pendulums, oscillators; `beams`: deflections and frequencies of beams;
`libration`: motion in the gravity gradient; `delay`: restitution with a delayed force; `joining`: couplings, conical
seats, separation. Functions accept arrays.
"""
