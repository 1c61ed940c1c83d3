"""Dynamics of trees of bodies on arrays: kernels, integrators, event location, recording."""
