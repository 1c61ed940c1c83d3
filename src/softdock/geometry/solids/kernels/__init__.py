"""Kernels of solids: distance, rays, crossings."""
