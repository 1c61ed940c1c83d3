"""Rotations, poses, spatial vectors and inertias, for NumPy and for kernels."""
