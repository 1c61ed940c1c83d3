"""Fuzzer: seeded mutations of valid inputs of every format that Softdock reads (`make fuzz`, docs/robustness.md)."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # formats run in parallel; before NumPy is imported
