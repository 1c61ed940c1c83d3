"""Results that were read from a folder, whose scenario and history may be damaged or forged."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from softdock.errors import InputError
from softdock.result import Result


@contextmanager
def damaged_result_errors(result: Result) -> Iterator[None]:
    """Raise errors of the block as InputError if the result was read from a folder; arithmetic warnings are not shown.

    The stored scenario is not validated again, because files that it names may be missing and older results stay
    readable, so that what shows a result may find parts of another type.
    """
    if result.prepared is not None:  # computed by this process
        yield
        return
    try:
        with np.errstate(all="ignore"):
            yield
    except InputError:
        raise
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        message = "The scenario or the history in this result is damaged."
        reason = f"{type(error).__name__}: {error}"
        hint = "Run the scenario again with --out to write a new result."
        raise InputError(message, given=reason, hint=hint) from error
