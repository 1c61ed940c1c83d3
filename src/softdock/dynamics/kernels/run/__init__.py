"""The time loop: steps, stops that engage, events, the conservation check."""
