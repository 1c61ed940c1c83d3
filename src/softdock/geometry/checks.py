"""Checks of the numbers of user-facing models."""

import math

from softdock.errors import InputError


def require(field: str, value: float, allowed: str, ok: bool) -> None:
    """Raise `InputError` unless the value is finite and `ok`; `allowed` describes the allowed values."""
    if not (ok and math.isfinite(value)):
        raise InputError(f"must be {allowed}.", field=field, given=f"{value:g}")
