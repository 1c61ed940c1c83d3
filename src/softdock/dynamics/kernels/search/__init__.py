"""Bounds of channels in a step; events, peaks, loads and integrals in it."""
