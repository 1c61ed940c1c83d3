"""External forces and torques."""
