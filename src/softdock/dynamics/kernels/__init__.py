"""Kernels of the multibody core: kinematics, dynamics, elements, integration."""
