"""Type of the functions that show the progress of long work."""

from collections.abc import Callable

Progress = Callable[[str, float], None]
"""Called by long work with what is being done and the fraction done so far, 0 to 1."""
