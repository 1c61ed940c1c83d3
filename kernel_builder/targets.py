"""Instruction sets to build for, and machine code for them from LLVM bitcode."""

from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from softdock.native.library import BOUNDSCHECK, default_builds

OPTIMISATION = 3  # against level 2: see the measurements in README.md


@dataclass(frozen=True)
class Target:
    """An instruction set."""

    triple: str
    cpu: str
    features: str = ""
    boundscheck: bool = False
    """Array indices are checked; for tests."""

    def machine(self) -> Any:
        """Return LLVM's description of the target, for position-independent code."""
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        return llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=self.cpu, features=self.features, opt=OPTIMISATION, reloc="pic", codemodel="default"
        )


def find_target(build: str) -> Target:
    """Return the target of a build, by its name."""
    triple = llvm.get_process_triple()
    if build == BOUNDSCHECK:
        base = find_target(default_builds()[0])
        return Target(base.triple, base.cpu, base.features, boundscheck=True)
    if build.startswith("x86-64-"):
        return Target(triple, build, "-prefer-256-bit" if build == "x86-64-v4" else "")
    if build == "aarch64" and not triple.startswith("aarch64"):
        return Target("aarch64-unknown-linux-gnu", "generic")
    return Target(triple, "generic" if build in ("aarch64", "arm64") else build)


def machine_code(bitcode: bytes, target: Target) -> bytes:
    """Optimise a module for a target and return its object file."""
    module = llvm.parse_bitcode(bitcode)
    machine = target.machine()
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=OPTIMISATION)
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)
