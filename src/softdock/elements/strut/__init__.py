"""Springs and dampers between two points."""
