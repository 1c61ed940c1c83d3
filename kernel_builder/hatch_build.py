"""Hook of the build backend: compiles the kernels before a wheel is made, editable or not."""

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelBuildHook(BuildHookInterface):
    """Builds the libraries into the package and marks the wheel as specific to this platform."""

    def dependencies(self) -> list[str]:
        """Return what the build needs beside the requirements of pyproject.toml: a linker where there is none."""
        command = [sys.executable, "-m", "kernel_builder.linker"]
        return subprocess.run(
            command, cwd=self.root, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.split()

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the kernels; called by Hatchling before the files of a wheel are collected."""
        done = subprocess.run([sys.executable, "-m", "kernel_builder", "--print-wheel-platform"], cwd=self.root,
                              stdout=subprocess.PIPE, text=True, check=False)  # fmt: skip
        if done.returncode != 0:
            sys.exit("The kernels could not be built; the reason is above.")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{done.stdout.split()[-1]}"
