"""Recordings of experiments, loaded as results, and comparison of two results."""

from softdock.recording.alignment import Alignment
from softdock.recording.comparison import Comparison, Deviation, compare
from softdock.recording.loading import load, load_run

__all__ = ["Alignment", "Comparison", "Deviation", "compare", "load", "load_run"]
