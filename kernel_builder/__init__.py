"""Compiles the kernels of Softdock into shared libraries, at build time.

The only part of the repository that uses Numba and LLVM. See README.md in this folder.
"""
