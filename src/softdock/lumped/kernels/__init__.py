"""Kernels of the lumped chain: Taylor polynomials, the chain's motion, its events, the run."""
