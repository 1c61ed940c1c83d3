"""Closed forms only: what the simulator must agree with."""
