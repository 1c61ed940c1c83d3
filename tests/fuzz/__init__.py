"""Fuzzer: seeded mutations of valid inputs of every format that Softdock reads (`make fuzz`, docs/robustness.md)."""
