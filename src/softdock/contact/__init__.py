"""Contact forces between surfaces: elastic layer, damping, friction."""
