"""Trees of links: kinematics, inertia, flexible appendages and the orbit, as kernels on arrays."""
