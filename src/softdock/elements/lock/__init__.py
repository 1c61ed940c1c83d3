"""Rigid connections of two frames."""
