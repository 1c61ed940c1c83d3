"""Robots, real or simulated: arm models, joint impedance control, motion planning and robot links."""
