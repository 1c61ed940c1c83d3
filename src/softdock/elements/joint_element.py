"""Base of the models of elements along joints."""

from typing import Annotated

from pydantic import Field

from softdock.quantities.fields import Integer
from softdock.quantities.model import Model


class JointElement(Model):
    """Fields that all elements along a joint share."""

    joint: str
    """Name of the body whose joint this acts on."""
    axis: Annotated[Integer, Field(ge=0, le=2)] | None = None
    """Which axis of a joint with several; leave out to act on the joint as a whole."""
