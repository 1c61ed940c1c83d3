"""A system ready to run."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.kernels.layout import DEPTH
from softdock.contact.pair import ContactPair
from softdock.multibody.assemble import Assembly
from softdock.multibody.kernels.channels import CHANNEL
from softdock.multibody.kernels.contacts import PAIR, apply_contacts
from softdock.multibody.kernels.events import ACTION, EVENT
from softdock.multibody.kernels.interfaces import INTERFACE, PIN
from softdock.multibody.kernels.tree import records
from softdock.multibody.session import Run, Session, machine_of, meet
from softdock.multibody.settings import Settings


@dataclass(kw_only=True)
class Simulation:
    """A system ready to run: its assembly, what to watch, and what may happen."""

    assembly: Assembly
    settings: Settings
    channels: np.recarray = field(default_factory=lambda: records(0, CHANNEL))
    events: np.recarray = field(default_factory=lambda: records(0, EVENT))
    actions: np.recarray = field(default_factory=lambda: records(0, ACTION))
    pairs: np.recarray = field(default_factory=lambda: records(0, PAIR))
    contact_pairs: Sequence[ContactPair] = ()
    interfaces: np.recarray = field(default_factory=lambda: records(0, INTERFACE))
    pins: np.recarray = field(default_factory=lambda: records(0, PIN))
    watched: int | None = None
    """So many channels, the first ones, are looked at in every step (events, peaks); None: all of them."""

    def begin(self) -> Session:
        """Start a run that is advanced piece by piece; the simulation stays untouched."""
        return Session(self)

    def run(self) -> Run:
        """Integrate over the whole duration and return what happened."""
        session = self.begin()
        session.advance(self.settings.duration)
        return session.finish()

    def depths_at_start(self, session: Session | None = None) -> list[float]:
        """Return how deep the active contacts are at the initial state [m]; a session that has begun may know."""
        if session is not None and session.near_at_start:
            return [float(depth) for depth in session.machine.pairs["out"][:, DEPTH]]
        arrays = contact_arrays(self.contact_pairs)
        machine = machine_of(self.assembly)._replace(pairs=self.pairs.copy(), arrays=arrays)
        for capacity in (64, 1024, 16384):
            machine = machine._replace(lists=contact_lists(arrays, capacity))
            if meet(machine, self.assembly.y):
                break
        apply_contacts(machine.links, machine.pairs, arrays, machine.lists)
        return [float(pair.out[DEPTH]) for pair in machine.pairs]
