"""Poses of all bodies of a multibody run over time, as it was recorded."""

from dataclasses import dataclass

import numpy as np

from softdock.errors import InputError, Problem
from softdock.model.system import WORLD
from softdock.replay.keyframes import increasing
from softdock.replay.scene import Floats
from softdock.replay.scenes import REMEDY
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import matrix

GROUND = "ground"
"""Name of the node that carries what belongs to the world."""


@dataclass(frozen=True, kw_only=True)
class Motion:
    """Poses of all bodies over time, `world` among them."""

    time: Floats
    p: dict[str, Floats]
    """p_NB_N [m], (n, 3)."""
    q: dict[str, Floats]
    """wxyz, (n, 4)."""

    def rotations(self, body: str) -> Floats:
        """Return R_NB, (n, 3, 3)."""
        return np.moveaxis(matrix(self.q[body].T), -1, 0)

    @property
    def extent(self) -> float:
        """Half the diagonal of the box that the bodies' origins stay in [m]."""
        places = np.concatenate([p for name, p in self.p.items() if name != WORLD])
        return max(0.5 * float(np.linalg.norm(np.ptp(places, axis=0))), 1e-3)


def motion_of(result: Result, scenario: MultibodyScenario) -> Motion:
    """Return the recorded poses; raises `InputError` where some were not recorded."""
    channels = result.history.channels
    missing = [
        name for name in scenario.bodies if f"{name}.x" not in channels or f"{name}.qw" not in channels
    ]
    if missing:
        message = "The history does not hold the poses of all bodies, which a replay needs."
        raise InputError(Problem(message=message, given=f"nothing of {', '.join(missing)}", hint=REMEDY))
    rows = increasing(result.history.time)
    p = {b: np.stack([channels[f"{b}.{k}"].values[rows] for k in "xyz"], axis=1) for b in scenario.bodies}
    q = {b: np.stack([channels[f"{b}.q{k}"].values[rows] for k in "wxyz"], axis=1) for b in scenario.bodies}
    n = len(rows)
    p[WORLD], q[WORLD] = np.zeros((n, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    return Motion(time=result.history.time[rows], p=p, q=q)


def node_name(body: str) -> str:
    """Return the name of a body's node."""
    return GROUND if body == WORLD else body
