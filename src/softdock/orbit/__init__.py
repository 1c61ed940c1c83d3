"""Orbits about the Earth: two-body motion, transfers between points, and the kernels of relative motion."""
