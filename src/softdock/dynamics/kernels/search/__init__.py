"""Bounds of channels in a step; events, peaks, reactions and integrals in it."""
