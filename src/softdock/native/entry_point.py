"""Entry points: kernels that can be called from Python."""

import ctypes
import functools
import inspect
from collections.abc import Callable
from typing import Any

from softdock.native.argument_types import (
    BOOLEAN,
    ArgumentType,
    Scalar,
    Signature,
    Tuple,
    plain_value,
)
from softdock.native.library import KernelError, check_sources, native_function, runs_as_python


class EntryPoint:
    """A kernel with declared argument types, compiled into the shared library under a symbol of its own.

    With `SOFTDOCK_KERNELS=python` in the environment it runs as plain Python, without checks of its arguments.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *arguments: ArgumentType,
        returns: Scalar | Tuple | None = None,
        separate: bool = False,
        check: Callable[..., str | None] | None = None,
    ) -> None:
        """Declare an entry point.

        Set `separate` for a large kernel that is also called by other kernels: they then call the code of this entry
        point instead of containing a copy. `check` receives all arguments and returns a description of a problem with
        sizes that depend on each other, or None.
        """
        self.function, self.separate = function, separate
        self.symbol = f"{function.__module__}.{function.__qualname__}".replace(".", "_")
        names = inspect.signature(function).parameters
        if len(names) != len(arguments):
            raise TypeError(f"{function.__qualname__} takes {len(names)} arguments, not {len(arguments)}")
        self.signature = Signature(
            function.__qualname__, dict(zip(names, arguments, strict=True)), returns, check
        )
        self._native: Any = None
        check_sources.cache_clear()
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any) -> Any:
        """Call the kernel. Raises TypeError if an argument does not have the declared type and shape."""
        return self._as_python(args)() if runs_as_python() else self._call(self.signature.pack(args))

    def bind(self, *args: Any) -> Callable[[], Any]:
        """Return a function that calls the kernel with fixed arguments, which are checked and packed once.

        Values written to the arrays between calls are visible to the kernel. One thread may call it at a time.
        """
        if runs_as_python():
            return self._as_python(args)
        block, signature = self.signature.pack(args), self.signature
        results, native = ctypes.create_string_buffer(signature.results.size), self._native
        is_number = isinstance(signature.returns, Scalar) and signature.returns is not BOOLEAN
        read_number = signature.results.unpack_from

        def call(alive: tuple[Any, ...] = args) -> Any:  # the block refers to the memory of the arguments
            nonlocal native
            if native is None:
                native = self._native = native_function(self.symbol)
            if native(block, results) != 0:
                raise KernelError(f"The kernel {self.symbol} was stopped by an error.")
            return read_number(results)[0] if is_number else signature.unpack(results.raw)

        return call

    def _as_python(self, args: tuple[Any, ...]) -> Callable[[], Any]:
        return functools.partial(self.function, *map(plain_value, args))

    def _call(self, block: bytes) -> Any:
        native = self._native
        if native is None:
            native = self._native = native_function(self.symbol)
        results = ctypes.create_string_buffer(self.signature.results.size)
        if native(block, results) != 0:
            raise KernelError(f"The kernel {self.symbol} was stopped by an error.")
        return self.signature.unpack(results.raw)

    def __repr__(self) -> str:
        return f"<entry point {self.symbol}>"
