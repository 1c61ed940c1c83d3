"""Channels: quantities that can be observed in a system. Each is declared once, in the group of what it belongs to."""
