"""Kernels of arms."""
