"""Initial state of a chaser: the requested motion of its tip relative to a moving port."""

import numpy as np
import pytest

from softdock.assembly.approach import chaser_start, docking_poses
from softdock.assembly.assembler import assemble
from softdock.assembly.initial_motion import motions_at_state, replace_start
from softdock.model.system import Body, System
from softdock.tree.frames import Anchor
from softdock.tree.joints import Free, Revolute

BALL = {"mass": 2.0, "inertia": (0.3, 0.4, 0.5)}
P_PT, V_PT, W_PT = np.array([0.1, -0.2, -1.5]), np.array([0.01, -0.02, 0.05]), np.array([0.02, 0.01, -0.03])


def system(velocity, rate, speed) -> System:
    """Return a station with a port on a hinge, and a chaser at an arbitrary place."""
    station = Free(position=(1.0, 2.0, 3.0), attitude=(0.8, 0.0, 0.6, 0.0), velocity=velocity, rate=rate)
    hinge = Revolute(axis=(0.0, 1.0, 0.0), angle=0.3, rate=speed)
    return System(
        bodies={
            "station": Body(joint=station, **BALL),
            "port": Body(parent="station", joint=hinge, **BALL),
            "chaser": Body(joint=Free(position=(9.0, 9.0, 9.0), velocity=(5.0, 0.0, 0.0)), **BALL),
        }
    )


def motion(links, motions, i) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position, velocity and angular velocity of the origin of a link in the world."""
    link, base = motions[i], motions[links[i].root]
    R = base.R_NB.reshape(3, 3)
    w, v = R @ link.V[:3], R @ link.V[3:]
    p = base.p_NB + R @ link.p
    return p, v + np.cross(w, p - base.p_NB), w


@pytest.mark.parametrize(
    ("velocity", "rate", "speed"),
    [
        ((0.0,) * 3, (0.0,) * 3, 0.0),
        ((0.3, -0.1, 0.2), (0.0,) * 3, 0.0),
        ((0.3, -0.1, 0.2), (0.1, 0.2, -0.3), 0.4),
    ],
)
def test_chaser_starts_with_the_requested_motion_relative_to_the_port(velocity, rate, speed):
    described = assemble(system(velocity, rate, speed))
    poses = docking_poses(described, "chaser", Anchor(body="chaser"), Anchor(body="port"))
    start = chaser_start(described.system, poses, p_PT=P_PT, turn=np.zeros(3), roll=0.0, v_PT=V_PT, w_PT=W_PT)
    assembly = replace_start(described, "chaser", start)
    links, motions = assembly.links, motions_at_state(assembly, assembly.y)
    port, chaser = (assembly.placed[name].link for name in ("port", "chaser"))
    p_P, v_P, w_P = motion(links, motions, port)
    p_T, v_T, w_T = motion(links, motions, chaser)
    R_NP = motions[links[port].root].R_NB.reshape(3, 3) @ motions[port].R.reshape(3, 3)
    R_NP = R_NP @ assembly.placed["port"].X_LB.R
    assert R_NP.T @ (p_T - p_P) == pytest.approx(P_PT, abs=1e-14)
    assert R_NP.T @ (v_T - v_P - np.cross(w_P, p_T - p_P)) == pytest.approx(V_PT, abs=1e-14)
    assert R_NP.T @ (w_T - w_P) == pytest.approx(W_PT, abs=1e-14)
