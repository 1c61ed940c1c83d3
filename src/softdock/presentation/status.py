"""The statuses in which results are assessed."""

from enum import Enum


class Status(Enum):
    """Assessment of a value; `value` is the CSS class that reports and studio use."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    FAILED = "failed"
    NEUTRAL = "neutral"
    """Not assessed, or neither good nor bad."""
