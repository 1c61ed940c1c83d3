"""Poses and velocities of links from shared memory equal those from separate memory."""

import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from tests.dynamics.systems import scene

from softdock.assembly.arrays import Assembly
from softdock.assembly.assembler import assemble
from softdock.dynamics.entry_points import set_motion
from softdock.dynamics.link_motion import LinkMotion
from softdock.dynamics.system_records import system_records


def cases() -> list[tuple[Assembly, np.ndarray]]:
    """Return systems of different sizes, each at two states."""
    systems = [assemble(scene(kind, True)) for kind in ("revolute", "spherical", "planar")]
    return [(one, factor * one.y) for factor in (1.0, 1.0 + 1e-3) for one in systems]


def expected_motions(assembly: Assembly, y: np.ndarray) -> bytes:
    system = system_records(assembly)
    set_motion(system, y)
    return system.motions.tobytes()


@pytest.mark.plain_python
def test_one_evaluator_serves_systems_of_any_size():
    motion = LinkMotion()
    for assembly, y in cases():
        assert motion.at(assembly, y).tobytes() == expected_motions(assembly, y)


def test_threads_share_an_evaluator():
    motion, wanted = LinkMotion(), 50 * cases()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda case: motion.at(*case).tobytes(), wanted))
    assert found == [expected_motions(*case) for case in wanted]


def test_returned_motions_do_not_change_with_later_evaluations():
    (assembly, y), *_ = cases()
    motion = LinkMotion()
    first = motion.at(assembly, y)
    before = first.tobytes()
    motion.at(assembly, 1.1 * y)
    assert first.tobytes() == before


def test_records_of_another_type_are_refused():
    (assembly, y), *_ = cases()
    other = replace(assembly, links=np.zeros(len(assembly.links)))
    with pytest.raises(TypeError, match="record"):
        assembly.link_motion.at(other, y)


def test_copy_of_an_evaluator_has_separate_memory():
    (assembly, y), *_ = cases()
    copied = copy.deepcopy(assembly)
    assert copied.link_motion is not assembly.link_motion
    assert copied.link_motion.at(copied, y).tobytes() == expected_motions(assembly, y)
