"""Vectors, rotations, poses and spatial inertia."""
