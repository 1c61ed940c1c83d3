"""Source files of the kernels, and their digest.

The kernel builder stores the digest in the library. In a source checkout the loader compares it with that of the files
from which this process imported the kernels, because record layouts and constants of both must agree.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
"""The package `softdock`."""
BUILDER = PACKAGE.parents[1] / "kernel_builder"
"""The kernel builder; exists in a source checkout only."""
PATTERNS = ("**/kernels/**/*.py", "**/kernels.py", "*/entry_points.py", "elements/kinds.py", "native/*.py")
"""Files of the package that define kernels and entry points; kernels import no other modules of the package."""


def source_files() -> Iterator[Path]:
    """Return the source files of the library, sorted."""
    for pattern in PATTERNS:
        yield from sorted(PACKAGE.glob(pattern))
    for pattern in ("*.py", "*.c"):
        yield from sorted(BUILDER.glob(pattern))


def source_digest() -> str:
    """Return the digest of all source files, 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in source_files():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


DIGEST_AT_IMPORT = source_digest() if BUILDER.is_dir() else ""
"""Digest of the sources when this process began to import kernels; empty in an installation, which has no builder."""
