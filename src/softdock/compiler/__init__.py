"""From kernels to machine code on disk: Numba's compiler made shorter, units of code, and where they are kept.

`softdock.jit` is the door.
"""
