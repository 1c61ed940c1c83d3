"""Trees of links: models of joints and frames, indices of the state, and the kernels of kinematics and inertia."""
