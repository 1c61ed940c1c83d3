"""Compliant connections of two frames."""
