"""Kernels of contacts between solids of any shape."""
