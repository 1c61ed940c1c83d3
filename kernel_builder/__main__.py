"""Command line: `python -m kernel_builder`."""

import argparse
import sys
from pathlib import Path

from kernel_builder import source_tree  # noqa: F401  first: where softdock is imported from
from kernel_builder.build import BuildError, build, build_runtime
from kernel_builder.linker import LinkError, wheel_platform
from softdock.native.library import BUILDS, FOLDER, default_builds


def main() -> int:
    """Build the kernels; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m kernel_builder", description="Compile Softdock's kernels."
    )
    parser.add_argument(
        "--build", action="append", choices=BUILDS,
        help=f"build to make, may be repeated (default: {', '.join(default_builds())})",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, help="processes to compile with (default: number of cores)")
    parser.add_argument(
        "--out", type=Path, default=FOLDER, help="folder for the libraries (default: the package)"
    )
    parser.add_argument(
        "--print-wheel-platform",
        action="store_true",
        help="print the platform tag of a wheel with these libraries",
    )
    parser.add_argument(
        "--runtime", action="store_true", help="build only the programs in C that run plants without Python"
    )
    options = parser.parse_args()
    builds = options.build or default_builds()
    try:
        if options.runtime:
            build_runtime(options.out)
            return 0
        libraries = build(builds, options.jobs, options.out)
        if set(builds) & set(default_builds()) and sys.platform != "win32":
            build_runtime(options.out)
        if options.print_wheel_platform:
            print(wheel_platform(libraries))
    except (BuildError, LinkError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted; what was compiled is kept.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
