"""Kernels of robot arms: rigid-body dynamics and impedance control."""
