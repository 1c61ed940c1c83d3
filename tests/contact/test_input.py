"""Input of contact pairs: invalid values and poses, threads, and stiff layers."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.contact.test_laws import pressed_contact

from softdock.bench.contact_kinds import ball, plate, state
from softdock.contact import ContactPair, CoulombFriction, CutCells, ElasticLayer, Points
from softdock.errors import InputError
from softdock.geometry.profile import Line, Profile


def test_areal_stiffness_of_aluminium_is_that_of_the_closed_form():
    """70 GPa and 0.33: c b = 1.037e11 N/m2."""
    layer = ElasticLayer.of_material(youngs_modulus=70e9, poisson_ratio=0.33, thickness=1e-3)
    assert layer.areal_stiffness * 1e-3 == pytest.approx(1.037e11, rel=1e-3)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ElasticLayer(areal_stiffness=0.0), "areal_stiffness: must be more than 0"),
        (lambda: ElasticLayer(areal_stiffness=math.nan), "areal_stiffness: must be more than 0"),
        (lambda: ElasticLayer(areal_stiffness=math.inf), "areal_stiffness: must be more than 0"),
        (lambda: ElasticLayer(areal_stiffness=1.0, damping=-1.0), "damping: must be 0"),
        (lambda: ElasticLayer(areal_stiffness=1.0, damping=1.0), "damping_depth: must be more than 0"),
        (
            lambda: ElasticLayer.of_material(youngs_modulus=1e9, poisson_ratio=0.5, thickness=1e-3),
            "poisson_ratio: must be above -1 and below 0.5",
        ),
        (
            lambda: ElasticLayer.of_material(youngs_modulus=1e9, poisson_ratio=0.3, thickness=0.0),
            "thickness: must be more than 0",
        ),
        (
            lambda: ElasticLayer.of_material(youngs_modulus=0.0, poisson_ratio=0.3, thickness=1.0),
            "youngs_modulus: must be more than 0",
        ),
        (lambda: CoulombFriction(coefficient=-0.1), "coefficient: must be 0 or more"),
        (lambda: CoulombFriction(threshold_speed=0.0), "threshold_speed: must be more than 0"),
        (lambda: CutCells(resolved_force=0.0), "resolved_force: must be more than 0"),
        (lambda: Points(spacing=0.0), "spacing: must be more than 0"),
        (
            lambda: ContactPair(
                surface_A=plate(),
                surface_B=Profile(segments=(Line(start=(0.0, 0.1), end=(0.1, -0.1)),)),
                layer=ElasticLayer(areal_stiffness=1.0),
            ),
            "surface_B.segments.0: A profile must not cross its axis",
        ),
    ],
)
def test_invalid_values_are_rejected(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()


def test_forces_are_thread_safe():
    pair = ContactPair(surface_A=plate(), surface_B=ball(0.01), layer=ElasticLayer(areal_stiffness=2e9))
    depths = np.linspace(1e-5, 5e-4, 40)
    alone = [float(pair.forces(state(), state(r=(0.0, 0.0, 0.01 - d)))[1].F[2]) for d in depths]
    workers = 4
    barrier = threading.Barrier(workers, timeout=60.0)  # all threads begin together

    def work(k):
        order = np.random.default_rng(k).permutation(len(depths))
        barrier.wait()
        return {i: pair.forces(state(), state(r=(0.0, 0.0, 0.01 - depths[i])))[1].F[2] for i in order}

    with ThreadPoolExecutor(workers) as pool:
        answers = list(pool.map(work, range(workers)))  # raises the exception of a thread
    assert len(answers) == workers
    for forces in answers:
        together = [forces[i] for i in range(len(depths))]
        assert together == pytest.approx(alone, rel=1e-3)  # the near list may differ


def test_a_stiff_thin_layer_is_resolved():
    """Aluminium, 1 mm: depths below a micrometre; the cell size depends on the stiffness."""
    c, R = 1.037e14, 0.01
    pair = ContactPair(surface_A=plate(), surface_B=ball(R), layer=ElasticLayer(areal_stiffness=c))
    for force in (0.1, 1.0, 10.0):
        depth = math.sqrt(force / (c * math.pi * R))
        answer = pair.forces(state(), state(r=(0.003, 0.0, R - depth)))[1].F[2]
        assert answer == pytest.approx(force, rel=1e-2 if force < 1.0 else 5e-3)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_pose_that_is_not_finite_is_refused_and_does_not_change_the_pair(bad):
    kind, R, p = pressed_contact("ball (6 mm) on cone", force=5.0)
    pair = kind.pair()
    force = pair.contact(state(), state(r=p, A=R)).wrench_B.F
    with pytest.raises(InputError, match="finite"), np.errstate(invalid="ignore"):
        pair.contact(state(), state(r=(bad, 0.0, 0.0), A=R))
    again = pair.contact(state(), state(r=p, A=R)).wrench_B.F
    assert again == pytest.approx(force, rel=1e-9)


@pytest.mark.parametrize("far", [1e9, 1e15, 1e200])
def test_a_very_distant_pose_does_not_change_later_forces(far):
    kind, R, p = pressed_contact("ball (6 mm) on cone", force=5.0)
    pair = kind.pair()
    force = pair.contact(state(), state(r=p, A=R)).wrench_B.F
    assert not pair.contact(state(), state(r=(far, 0.0, 0.0), A=R)).wrench_B.F.any()
    again = pair.contact(state(), state(r=p, A=R)).wrench_B.F
    assert again == pytest.approx(force, rel=1e-3)
