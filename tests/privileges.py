"""Tests of file permissions, which root ignores: they run in a child process without privileges."""

import ctypes
import functools
import os
import struct
import sys
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

CAPABILITY_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3, capset(2)
Test = TypeVar("Test", bound=Callable[..., None])


def without_privileges(test: Test) -> Test:
    """Run a test in a child process that obeys file permissions, where the present user is root."""

    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        if not hasattr(os, "geteuid") or os.geteuid() != 0:
            test(*arguments, **named)
            return
        if sys.platform != "linux":
            pytest.skip("the administrator has no privileges to drop on this platform")
        child = os.fork()
        if not child:
            _run_and_exit(test, arguments, named)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "see the traceback of the child above"

    return run  # type: ignore[return-value]


def _run_and_exit(test: Callable[..., None], arguments: Any, named: Any) -> None:
    code = 1
    try:
        _drop_capabilities()
        test(*arguments, **named)
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _drop_capabilities() -> None:
    """Drop all capabilities of this process, above all CAP_DAC_OVERRIDE."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, none = struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24)
    if libc.capset(header, none) != 0:
        raise OSError(ctypes.get_errno(), "capset")
