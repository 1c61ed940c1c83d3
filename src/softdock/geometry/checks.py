"""Checks of the numbers of user-facing models."""

import math

from softdock.errors import InputError, Problem


def require(field: str, value: float, allowed: str, ok: bool) -> None:
    """Raise `InputError` unless the value is finite and `ok`; `allowed` describes the allowed values."""
    if not (ok and math.isfinite(value)):
        raise InputError(Problem(field=field, message=f"must be {allowed}.", given=f"{value:g}"))
