"""Decorators that mark functions as kernels.

A kernel is a plain function over numbers, tuples, arrays and records. The decorators only mark it for the kernel
builder, which compiles every kernel that an entry point reaches. Called from Python, a kernel runs as plain Python;
compiled code is called through the entry points (`entry_points.py` of each package).
"""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

MARK = "__softdock_kernel__"
"""Attribute with the kind of a kernel, KERNEL or INLINE, for the kernel builder."""
KERNEL = "kernel"
INLINE = "inline"


def kernel(function: Function) -> Function:
    """Mark a function as a kernel; the compiler decides where it is inlined."""
    setattr(function, MARK, KERNEL)
    return function


def inline(function: Function) -> Function:
    """Mark a small function as a kernel that is always inlined into its callers.

    It is compiled once per call with literal arguments, so that integer and boolean literals act as constants.
    """
    setattr(function, MARK, INLINE)
    return function
