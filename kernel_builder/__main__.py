"""Command line: `python -m kernel_builder`."""

import argparse
import sys
from pathlib import Path

from kernel_builder import source_tree  # noqa: F401  first: where softdock is imported from
from kernel_builder.build import build
from kernel_builder.linker import LinkError, wheel_platform
from softdock.native.library import default_builds, path_of


def main() -> int:
    """Build the kernels; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m kernel_builder", description="Compile Softdock's kernels."
    )
    parser.add_argument(
        "--build", action="append", metavar="NAME",
        help=f"build to make: x86-64-v2, -v3, -v4, aarch64, boundscheck (default: {', '.join(default_builds())})",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, help="processes to compile with (default: number of cores)")
    parser.add_argument("--out", type=Path, help="folder for the libraries (default: inside the package)")
    parser.add_argument(
        "--print-wheel-platform",
        action="store_true",
        help="print the platform tag of a wheel with these libraries",
    )
    options = parser.parse_args()
    builds = options.build or default_builds()
    try:
        print(build(builds, options.jobs, options.out))
        if options.print_wheel_platform:
            print(wheel_platform([path_of(name) for name in builds]))
    except LinkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
