"""Whether a CAD file is read as a surface of revolution or as a solid of any shape."""

import json
import warnings
from pathlib import Path
from typing import Any

from softdock.errors import InputError, InputWarning
from softdock.files.cache import Cache
from softdock.geometry.profile_cache import meridian_key, read_meridian
from softdock.geometry.solids.reading import read_solid

CACHE = Cache("shapes", ".json")


def is_of_revolution(path: Path, **options: Any) -> bool:
    """Return whether a file has the surface of revolution that `options` of `read_surface` select.

    Raises InputError where it has not, and is no solid either, or where the options select a part of a surface of
    revolution. The answer is cached by a digest of the file, the options and the sources of this package.
    """
    key = meridian_key(path, options)
    known = CACHE.read(key, _decode)
    if known is not None:
        return known
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)  # the reader whose result is used issues them
            read_meridian(path, **options)
        answer = True
    except InputError as error:
        if options["z_range"] is not None or options["ignore"]:
            raise
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InputWarning)
                read_solid(path, part=options["body"], unit=options["unit"])
        except InputError:
            raise error from None
        answer = False
    CACHE.write(key, json.dumps(answer))
    return answer


def _decode(data: bytes) -> bool:
    return bool(json.loads(data))
