"""A system prepared for a run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from softdock.contact.pair import ContactPair
from softdock.dynamics.data_memory import DataMemory, MemoryOfThread
from softdock.dynamics.kernels.channels.channels import CHANNEL
from softdock.dynamics.kernels.channels.formulas import NODE
from softdock.dynamics.kernels.control.gnc_records import GncRecords, no_controllers
from softdock.dynamics.kernels.forces.contacts import PAIR
from softdock.dynamics.kernels.forces.interfaces import INTERFACE, PIN
from softdock.dynamics.kernels.recording.run_data import INPUT
from softdock.dynamics.kernels.run.docking_motion import DOCKING_FRAME
from softdock.dynamics.kernels.run.reaction_peaks import OBSERVED_REACTION
from softdock.dynamics.kernels.search.events import ACTION, EVENT
from softdock.dynamics.kernels.search.windows import WINDOW
from softdock.dynamics.model_memory import ModelMemory
from softdock.dynamics.run_memory import supports_implicit_steps
from softdock.dynamics.run_results import Run
from softdock.dynamics.session import Session
from softdock.dynamics.settings import Method, Settings
from softdock.dynamics.system_arrays import SystemArrays
from softdock.errors import InputError
from softdock.tree.kernels.tree import records

NO_INPUTS = records(0, INPUT)


@dataclass(kw_only=True)
class Simulation:
    """A system prepared for a run: assembly, settings, channels, contacts, events and actions."""

    assembly: SystemArrays
    settings: Settings
    channels: np.recarray = field(default_factory=lambda: records(0, CHANNEL))
    events: np.recarray = field(default_factory=lambda: records(0, EVENT))
    actions: np.recarray = field(default_factory=lambda: records(0, ACTION))
    pairs: np.recarray = field(default_factory=lambda: records(0, PAIR))
    contact_pairs: Sequence[ContactPair] = ()
    interfaces: np.recarray = field(default_factory=lambda: records(0, INTERFACE))
    pins: np.recarray = field(default_factory=lambda: records(0, PIN))
    formulas: np.recarray = field(default_factory=lambda: records(0, NODE))
    windows: np.recarray = field(default_factory=lambda: records(0, WINDOW))
    observed_reactions: np.recarray = field(default_factory=lambda: records(0, OBSERVED_REACTION))
    """Reactions whose peaks are results."""
    docking_frames: np.recarray = field(default_factory=lambda: records(0, DOCKING_FRAME))
    """Frames of tip and port whose relative motion at the first contact is a result."""
    gnc: GncRecords = field(default_factory=no_controllers)
    """Controllers, as they are at the start."""
    inputs: np.recarray = field(default_factory=lambda: NO_INPUTS)
    """What a caller that steps the run may set."""
    watched: int | None = None
    """Number of channels, the first ones, that are searched for events and peaks; None: all of them."""
    searched: int | None = None
    """Number of channels, the first ones, read in every step: also those of reactions; None: as `watched`."""

    def __post_init__(self) -> None:
        _check_settings(self.settings, self.assembly)

    def begin(self, memory: MemoryOfThread | None = None) -> Session:
        """Start a run that is advanced piece by piece; the simulation is not changed.

        With `memory` the run uses that of the run before it in the same thread, which must be finished.
        """
        return Session(DataMemory(ModelMemory(self)) if memory is None else memory.begin(self))

    def run(self) -> Run:
        """Integrate over the whole duration and return the results."""
        session = self.begin()
        session.advance(self.settings.duration)
        return session.finish()


def _check_settings(settings: Settings, assembly: SystemArrays) -> None:
    """Raise InputError for invalid or contradictory settings."""
    duration, step, method = settings.duration, settings.step, settings.method
    if not 0.0 <= duration < math.inf:
        raise InputError("Must be a finite time [s].", field="duration", given=str(duration))
    if not isinstance(method, Method):
        names = ", ".join(f"Method.{known.name}" for known in Method)
        raise InputError(f"Must be one of {names}.", field="method", given=repr(method))
    if step is not None and not 0.0 < step < math.inf:
        message = "Must be a time above 0 s, or None for error control."
        raise InputError(message, field="step", given=str(step))
    if step is None and method is Method.RUNGE_KUTTA_4:
        raise InputError("Must be given for rk4: it has no error control.", field="step")
    if method is Method.ROSENBROCK and not supports_implicit_steps(assembly):
        message = "rosenbrock is for systems that move and have neither locks nor flexible structures."
        raise InputError(message, field="method", hint="Leave it to automatic.")
