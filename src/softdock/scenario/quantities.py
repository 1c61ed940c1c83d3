"""Moved."""
from softdock.quantities.fields import *  # noqa: F403
