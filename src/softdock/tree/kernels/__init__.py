"""Kinematics and inertia of the tree of links, flexible appendages, and the orbit that carries it."""
