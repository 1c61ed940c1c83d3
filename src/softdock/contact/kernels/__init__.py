"""Kernels of the contact of two surfaces of revolution: near list, motion bound, force."""
