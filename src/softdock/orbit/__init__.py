"""Orbits about the Earth: two-body motion, gravity gradient, relative motion, simple disturbances."""
