"""Kernels of runs: forces, control, channels, integration, search, recording and the time loop."""
