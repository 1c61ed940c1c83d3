"""One-dimensional chains of masses, propagated exactly between events."""
