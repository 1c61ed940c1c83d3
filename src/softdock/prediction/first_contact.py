"""The first contact of a run: where, along which normal and how stiff."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softdock.contact.kernels.bristle import BRISTLE_STATES
from softdock.contact.kernels.layout import ENERGY, FORCE, TORQUE
from softdock.contact.pair import ContactPair
from softdock.dynamics.impulse import ImpulseResponse
from softdock.dynamics.kernels.forces.contacts import PAIR
from softdock.dynamics.run_results import CapturedState
from softdock.dynamics.session import Session, update_near_lists
from softdock.dynamics.settings import Settings
from softdock.dynamics.simulation import Simulation
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import cross
from softdock.tree.kernels.tree import records

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class FirstContact:
    """State of a system where two bodies first touch; vectors in N."""

    contact: str
    time: float
    state: Floats
    a: int
    b: int
    """Links that carry the surfaces."""
    point: Floats
    normal: Floats
    """Direction in which b is pushed."""
    normal_a: Floats
    """The same in axes of link a."""
    pair: ContactPair
    session: Session
    """The contact alone, at this state."""

    @classmethod
    def of(
        cls, simulation: Simulation, name: str, index: int, captured: CapturedState
    ) -> "FirstContact | None":
        """Evaluate a contact, by its index, at the state that a run captured; None where it carries no force there."""
        pairs = records(1, PAIR)
        pairs[0] = simulation.pairs[index]
        # At rest, with a bristle that is not displaced, there is neither friction nor damping: the force is normal.
        at_rest = captured.state.copy()
        at_rest[int(simulation.assembly.world[0].n_q) :] = 0.0
        if pairs[0].at_state >= 0:
            at_rest[pairs[0].at_state : pairs[0].at_state + BRISTLE_STATES] = 0.0
        at_contact = replace(simulation.assembly, y=at_rest)
        pairs.active[0] = 1  # an event may have enabled it
        alone = Simulation(
            assembly=at_contact,
            settings=Settings(duration=0.0, record_rate=0.0, record_contact=False),
            pairs=pairs,
            contact_pairs=[simulation.contact_pairs[index]],
        ).begin()
        alone.unshare_model()  # `elastic_energy` moves surface A
        pair = alone.system.pairs[0]
        out = alone.system.pair_states[0].out
        force, torque = out[FORCE : FORCE + 3], out[TORQUE : TORQUE + 3]
        if not force.any():
            return None
        impact = ImpulseResponse(at_contact, captured.state)
        X_aA = Pose(R=pair.R_aA.reshape(3, 3), p=pair.p_aA)
        X_NA = impact.pose(pair.a) @ X_aA
        nearest = cross(force, torque) / (force @ force)  # point of the line of action nearest to A's origin
        return cls(
            contact=name,
            time=captured.time,
            state=captured.state,
            a=int(pair.a),
            b=int(pair.b),
            point=X_NA.point(nearest),
            normal=X_NA.vector(force) / np.linalg.norm(force),
            normal_a=X_aA.vector(force) / np.linalg.norm(force),
            pair=simulation.contact_pairs[index],
            session=alone,
        )

    def elastic_energy(self, depth: float) -> float:
        """Return the elastic energy of the contact when the surfaces are pressed by a depth [m] from here [J]."""
        system, place = self.session.system, self.session.system.pairs["p_aA"][0]
        at_contact = place.copy()
        place += depth * self.normal_a
        update_near_lists(system, self.session.state)
        self.session.evaluate()
        place[:] = at_contact
        return float(system.pair_states["out"][0, ENERGY])
