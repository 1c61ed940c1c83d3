"""Softdock simulates the contact phase of spacecraft docking, berthing and servicing.

    import softdock

    scenario = softdock.load("impact-a")
    result = softdock.simulate(scenario)
    print(result.message)

Names are loaded when they are first used, so that `import softdock` stays quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

from softdock.errors import InputError
from softdock.predict import predict
from softdock.simulate import simulate

if TYPE_CHECKING:
    from softdock.model.system import System
    from softdock.result import Result
    from softdock.scenario import bundled, load

__version__ = "0.2.0"
__all__ = [
    "InputError",
    "Result",
    "System",
    "__version__",
    "bundled",
    "load",
    "predict",
    "simulate",
]

_HOMES = {
    "Result": "softdock.result",
    "System": "softdock.model.system",
    "bundled": "softdock.scenario",
    "load": "softdock.scenario",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
