"""Compiles the kernels of Softdock into shared libraries, at build time.

The only part of the repository that uses Numba and LLVM. See README.md in this folder.
"""

import os

# Otherwise Numba formats a message with terminal colours for every rule of type inference that does not apply.
os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
