"""One-dimensional chains of masses, propagated exactly between events."""

from softdock.lumped.chain import Chain, ChainRun, Outcome, Pad, Wedge, run_chain

__all__ = ["Chain", "ChainRun", "Outcome", "Pad", "Wedge", "run_chain", "warm_up"]


def warm_up() -> None:
    """Compile (or load) the kernels."""
    run_chain(
        Chain(chaser_masses=(1.0,), target_masses=(1.0,), speed=1.0, pad=Pad(stiffness=1.0)), end_time=1e-3
    )
