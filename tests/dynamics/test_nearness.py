"""Motion of a contact pair since its near list was built, for links of one tree and of two trees."""

import numpy as np
import pytest

from softdock.contact.entry_points import motion_bound
from softdock.dynamics.entry_points import derivative
from softdock.dynamics.session import update_near_lists
from softdock.scenario.loading import load
from softdock.simulation.multibody import PreparedMultibody


def frame_pose(system, link, R_LF, p_LF):
    """Return R_NF and p_NF_N of a frame that is given relative to a link."""
    base, link = system.motions[system.links[link].root], system.motions[link]
    R, p = link.R.reshape(3, 3), link.p
    R_NB = base.R_NB.reshape(3, 3)
    return R_NB @ R @ R_LF.reshape(3, 3), base.p_NB + R_NB @ (p + R @ p_LF)


def relative_pose(system, pair):
    R_NA, p_NA = frame_pose(system, pair.a, pair.R_aA, pair.p_aA)
    R_NB, p_NB = frame_pose(system, pair.b, pair.R_bB, pair.p_bB)
    R_AB = R_NA.T @ R_NB
    return tuple(tuple(map(float, row)) for row in R_AB), tuple(map(float, R_NA.T @ (p_NB - p_NA)))


@pytest.mark.parametrize("same_tree", [False, True], ids=["two trees", "one tree"])
def test_motion_bound_of_a_pair_is_that_of_its_relative_pose(same_tree):
    session = PreparedMultibody(load("assist-soft-docking")).begin()
    session.unshare_model()
    machine, y = session.system, session.state.copy()
    pairs, states, rng = machine.pairs, machine.pair_states, np.random.default_rng(5)
    states["active"] = 1
    if same_tree:  # put each surface A on the root of B's tree
        for pair in pairs:
            pair.a = machine.links[pair.b].root
        assert any(pair.a != pair.b for pair in pairs)
    assert update_near_lists(machine, y)
    states["overreach"] = -np.inf
    n_q = int(machine.world[0].n_q)
    y[:n_q] += rng.normal(0.0, 1e-3, n_q)
    derivative(machine, 0.0, y, np.zeros_like(y))
    moved = []
    for i, pair in enumerate(pairs):
        served = max(machine.lists.work[i]["reach"], machine.lists.work[i]["clearance"])
        moved.append(motion_bound(machine.arrays, machine.lists, i, *relative_pose(machine, pair)))
        assert states[i].overreach + served == pytest.approx(moved[-1], rel=1e-9, abs=1e-14)
    assert max(moved) > 1e-4
