"""Compiled kernels at run time: decorators, argument types, entry points and the shared library.

The library is built by `kernel_builder`, next to this package in the source tree. No compiler is imported here.
"""

from softdock.native import sources as sources  # before any kernel: notes the digest of the sources
