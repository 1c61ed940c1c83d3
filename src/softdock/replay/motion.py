"""Recorded poses of all bodies of a multibody run over time."""

from dataclasses import dataclass

import numpy as np

from softdock.errors import InputError
from softdock.model.system import WORLD
from softdock.replay.keyframes import increasing_rows
from softdock.replay.scene import Floats
from softdock.replay.scene_builder import RERUN_HINT
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.rotations import matrix_from_quaternion

GROUND = "ground"
"""Name of the node for objects fixed to the world."""


@dataclass(frozen=True, kw_only=True)
class Motion:
    """Poses of all bodies over time, including `world`."""

    time: Floats
    p: dict[str, Floats]
    """p_NB_N [m], (n, 3)."""
    q: dict[str, Floats]
    """Unit quaternions wxyz, (n, 4)."""

    def rotations(self, body: str) -> Floats:
        """Return R_NB, (n, 3, 3)."""
        return np.moveaxis(matrix_from_quaternion(self.q[body].T), -1, 0)

    @property
    def extent(self) -> float:
        """Half the diagonal of the bounding box of the bodies' origins [m]."""
        places = np.concatenate([p for name, p in self.p.items() if name != WORLD])
        return max(0.5 * float(np.linalg.norm(np.ptp(places, axis=0))), 1e-3)


def recorded_motion(result: Result, scenario: MultibodyScenario) -> Motion:
    """Return the recorded poses; raise `InputError` if some are missing."""
    channels = result.history.channels
    missing = [
        name for name in scenario.bodies if f"{name}.x" not in channels or f"{name}.qw" not in channels
    ]
    if missing:
        message = "The history does not contain the poses of all bodies, which a replay needs: leave `record.all` true."
        raise InputError(message, given=f"no poses of {', '.join(missing)}", hint=RERUN_HINT)
    rows = increasing_rows(result.history.time)
    p = {b: np.stack([channels[f"{b}.{k}"].values[rows] for k in "xyz"], axis=1) for b in scenario.bodies}
    q = {b: np.stack([channels[f"{b}.q{k}"].values[rows] for k in "wxyz"], axis=1) for b in scenario.bodies}
    n = len(rows)
    p[WORLD], q[WORLD] = np.zeros((n, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    return Motion(time=result.history.time[rows], p=p, q=q)


def node_name(body: str) -> str:
    """Return the name of a body's node."""
    return GROUND if body == WORLD else body
