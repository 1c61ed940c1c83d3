"""One-dimensional chains of masses, propagated exactly between events."""

from softdock.lumped.chain import Chain, Pad, Wedge
from softdock.lumped.chain_run import ChainRun, Outcome, run_chain

__all__ = ["Chain", "ChainRun", "Outcome", "Pad", "Wedge", "run_chain"]
