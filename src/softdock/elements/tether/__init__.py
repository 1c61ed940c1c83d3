"""Tethers: cables between two points, with or without a reel."""
