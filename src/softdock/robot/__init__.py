"""Robots, real or simulated: arms, joint stiffness control, and the links that experiments speak to."""
