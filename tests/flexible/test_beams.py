"""Beam elements: closed forms, order of convergence and conservation laws."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation
from tests.flexible.structures import LENGTH, ROUND, beam, satellite

from softdock.errors import InputError
from softdock.flexible import Beam, RigidPart, Section, Structure, base_modes, deflect, free_modes, mesh
from softdock.theory import beams as theory
from softdock.theory.beams import Ends

SLENDER = Section(
    axial=3.0e9, bending_y=2.0e4, bending_z=5.0e4, torsion=1.5e9, mass_per_length=4.0, polar=0.02
)
"""Axial and torsional modes are far above the bending modes under test."""
STUBBY = Section(
    axial=3.0e9,
    bending_y=2.0e4,
    bending_z=5.0e4,
    torsion=1.5e9,
    shear_y=1.0e5,
    shear_z=4.0e4,
    mass_per_length=4.0,
    rotary_y=0.3,
    rotary_z=0.5,
    polar=0.02,
)


def bending_frequencies(section: Section, ends: Ends, elements: int, modes: int) -> np.ndarray:
    """Return the lowest frequencies, including both bending planes."""
    m = mesh(beam(elements, section))
    return (base_modes(m, "root", modes) if ends is Ends.CANTILEVER else free_modes(m, modes)).frequency


@pytest.mark.parametrize("ends", Ends, ids=lambda e: e.name)
@pytest.mark.parametrize("mode", [1, 2])
def test_bending_frequencies_converge_in_fourth_order(ends: Ends, mode: int) -> None:
    """Cubic shape functions give omega too high by (beta h)^4 / 1440."""
    exact = theory.bending_frequency(ends, mode, SLENDER.bending_y, SLENDER.mass_per_length, LENGTH)
    errors = []
    for elements in (8, 16, 32):
        f = bending_frequencies(SLENDER, ends, elements, 6)
        found = f[np.argmin(np.abs(f / exact - 1.0))]
        errors.append(found / exact - 1.0)
        wave = theory.wave_number(ends, mode) / elements
        assert errors[-1] == pytest.approx(wave**4 / 1440.0, rel=0.1, abs=1e-9)
    assert errors[-1] < 1.2e-6 * mode**3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.15)


def test_frequencies_are_accurate_to_1e6() -> None:
    for ends in Ends:
        exact = theory.bending_frequency(ends, 1, SLENDER.bending_y, SLENDER.mass_per_length, LENGTH)
        assert bending_frequencies(SLENDER, ends, 40, 1)[0] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("ends", Ends, ids=lambda e: e.name)
def test_timoshenko_frequencies_converge_in_second_order(ends: Ends) -> None:
    """Shear is constant in an element and has at most one wave along the beam: its energy error is (k h)^2 / 12."""
    for EI, GA, rotary in (
        (STUBBY.bending_y, STUBBY.shear_z, STUBBY.rotary_y),
        (STUBBY.bending_z, STUBBY.shear_y, STUBBY.rotary_z),
    ):
        exact = theory.timoshenko_frequency(
            ends, 1, bending=EI, shear=GA, mass_per_length=4.0, rotary=rotary, length=LENGTH
        )
        share = 1.0 - (exact / theory.bending_frequency(ends, 1, EI, 4.0, LENGTH)) ** 2
        assert share > 0.05  # shear and rotary inertia matter here
        errors = []
        for elements in (8, 16, 32):
            f = bending_frequencies(STUBBY, ends, elements, 4)
            errors.append(np.abs(f / exact - 1.0).min())
            assert errors[-1] < share * (2.0 * np.pi / elements) ** 2 / 24.0
        assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("kind", ["stretch", "twist"])
def test_rods_converge_in_second_order(kind: str) -> None:
    """Linear shape functions give omega too high by (k h)^2 / 24."""
    section = ROUND.model_copy(
        update={"bending_y": 1e9, "bending_z": 1e9, "torsion": 1.5e4 if kind == "twist" else 1e9}
    )
    stiffness, inertia = (section.axial, 4.0) if kind == "stretch" else (section.torsion, 0.02)
    exact = theory.rod_frequency(Ends.CANTILEVER, 1, stiffness, inertia, LENGTH)
    for elements in (4, 8, 16):
        f = base_modes(mesh(beam(elements, section)), "root").frequency
        error = np.abs(f / exact - 1.0).min()
        assert error == pytest.approx((np.pi / 2 / elements) ** 2 / 24.0, rel=0.05)


@pytest.mark.parametrize("section", [SLENDER, STUBBY], ids=["slender", "stubby"])
@pytest.mark.parametrize("elements", [1, 5])
def test_cantilever_deflection_is_exact(section: Section, elements: int) -> None:
    m = mesh(beam(elements, section))
    for way, EI, GA in ((4, section.bending_z, section.shear_y), (5, section.bending_y, section.shear_z)):
        load = np.zeros(6)
        load[way] = 70.0
        found = deflect(m, {"tip": load}, ["root"])
        exact = theory.tip_deflection(70.0, EI, LENGTH, GA)
        assert found.motion[m.index("tip"), way] == pytest.approx(exact, rel=1e-9)
        assert found.energy == pytest.approx(0.5 * 70.0 * exact, rel=1e-9)
        np.testing.assert_allclose(found.reactions[0, 3:], -load[3:], atol=1e-7)


def test_slope_twist_and_elongation_of_the_tip_are_exact() -> None:
    m = mesh(beam(3, ROUND))
    motion = deflect(m, {"tip": (5.0, 0.0, 0.0, 40.0, 10.0, 0.0)}, ["root"]).motion[m.index("tip")]
    assert motion[0] == pytest.approx(5.0 * LENGTH / ROUND.torsion, rel=1e-10)
    assert motion[3] == pytest.approx(40.0 * LENGTH / ROUND.axial, rel=1e-10)
    assert motion[2] == pytest.approx(10.0 * LENGTH**2 / (2 * ROUND.bending_z), rel=1e-10)


def test_sway_of_a_portal_frame_equals_the_closed_form() -> None:
    """Columns and beam are inextensible; sway and moments at the feet are known."""
    height, span, column, girder, force = 3.0, 5.0, 2.0e4, 5.0e4, 100.0
    stiff = {"axial": 1e11, "torsion": 1e6, "mass_per_length": 1.0}
    frame = Structure(
        nodes={"a": (0, 0, 0), "b": (0, 0, height), "c": (span, 0, height), "d": (span, 0, 0)},
        sections={
            "column": Section(bending_y=column, bending_z=column, **stiff),
            "girder": Section(bending_y=girder, bending_z=girder, **stiff),
        },
        beams={
            "left": Beam(nodes=("a", "b"), section="column"),
            "top": Beam(nodes=("b", "c"), section="girder", elements=2),
            "right": Beam(nodes=("d", "c"), section="column"),
        },
    )
    m = mesh(frame)
    found = deflect(m, {"b": (0, 0, 0, force / 2, 0, 0), "c": (0, 0, 0, force / 2, 0, 0)}, ["a", "d"])
    # stretch of the columns adds about EI / (EA L^2) = 1e-8, which is also what conditioning costs
    assert found.motion[m.index("b"), 3] == pytest.approx(
        theory.portal_sway(force, height, span, column, girder), rel=1e-6
    )
    moment = theory.portal_foot_moment(force, height, span, column, girder)
    assert abs(found.reactions[m.index("a"), 1]) == pytest.approx(moment, rel=1e-6)
    assert found.reactions[:, 3].sum() == pytest.approx(-force, rel=1e-7)


def test_offset_acts_as_a_rigid_arm() -> None:
    arm = np.array([0.0, 0.4, 0.3])
    held = beam(4, ROUND)
    tip = tuple(np.array([LENGTH, 0.0, 0.0]) + arm)
    away = Structure(
        nodes={"root": (0.0, 0.0, 0.0), "tip": tip},
        sections=held.sections,
        beams={"b": Beam(nodes=("root", "tip"), section="s", elements=4, end_offset=tuple(-arm))},
    )
    force = np.array([30.0, -20.0, 10.0])
    at_end = deflect(mesh(held), {"tip": np.concatenate([np.cross(arm, force), force])}, ["root"])
    at_node = deflect(mesh(away), {"tip": np.concatenate([np.zeros(3), force])}, ["root"])
    turn, shift = at_end.motion[1, :3], at_end.motion[1, 3:]
    np.testing.assert_allclose(at_node.motion[1, :3], turn, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(at_node.motion[1, 3:], shift + np.cross(turn, arm), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_rigid_motions_have_no_energy_and_free_modes_equal_those_of_the_full_problem(seed: int) -> None:
    m = mesh(satellite(np.random.default_rng(seed), elements=1))
    K, M = m.stiffness.toarray(), m.mass.toarray()
    np.testing.assert_allclose(K, K.T, atol=1e-14 * np.abs(K).max())
    R = m.rigid_motions(m.positions[0])
    assert np.abs(K @ R).max() <= 1e-14 * np.abs(K).max() * np.abs(R).max() * K.shape[0]
    square = eigh(K, M, eigvals_only=True)
    assert np.abs(square[:6]).max() <= 1e-15 * square[-1] * K.shape[0]  # zero to round-off of the largest
    f = free_modes(m)
    assert f.frequency.size == K.shape[0] - 6
    np.testing.assert_allclose((2 * np.pi * f.frequency) ** 2, square[6:], rtol=1e-8)
    flat = f.shapes.reshape(K.shape[0], -1)[:, :20]
    np.testing.assert_allclose(flat.T @ M @ flat, np.eye(20), atol=1e-9)
    np.testing.assert_allclose(R.T @ M @ flat, 0.0, atol=1e-9 * np.sqrt(np.abs(R.T @ M @ R).max()))


def test_rotating_the_structure_does_not_change_its_modes() -> None:
    """Frame invariance, with a section that is different in y and z."""
    turned = []
    for rotation in (np.eye(3), Rotation.random(random_state=3).as_matrix()):
        s = beam(4, STUBBY, end=tuple(rotation @ [LENGTH, 0, 0]), side=tuple(rotation @ [0, 1.0, 0]))
        turned.append(base_modes(mesh(s), "root", 8).frequency)
    np.testing.assert_allclose(turned[0], turned[1], rtol=1e-9)


def test_dividing_a_beam_at_a_node_does_not_change_its_modes() -> None:
    whole = mesh(beam(4, STUBBY))
    half = Structure(
        nodes={"root": (0, 0, 0), "half": (LENGTH / 2, 0, 0), "tip": (LENGTH, 0, 0)},
        sections={"s": STUBBY},
        beams={
            "one": Beam(nodes=("root", "half"), section="s", elements=2, side=(0, 1, 0)),
            "two": Beam(nodes=("tip", "half"), section="s", elements=2, side=(0, -1, 0)),
        },
    )
    np.testing.assert_allclose(
        free_modes(whole, 10).frequency, free_modes(mesh(half), 10).frequency, rtol=1e-9
    )


def test_mass_properties_of_a_rod_with_a_ball_equal_closed_forms() -> None:
    m = mesh(
        beam(3, ROUND).model_copy(
            update={"parts": {"ball": RigidPart(node="tip", mass=6.0, inertia=(1.0, 1.0, 1.0))}}
        )
    )
    found = m.mass_properties()
    rod = ROUND.mass_per_length * LENGTH
    mass, centre = rod + 6.0, (rod * LENGTH / 2 + 6.0 * LENGTH) / (rod + 6.0)
    across = rod * LENGTH**2 / 12 + rod * (LENGTH / 2 - centre) ** 2 + 6.0 * (LENGTH - centre) ** 2 + 1.0
    assert found.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(found.centre_of_mass, [centre, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(
        np.diag(found.inertia), [ROUND.polar * LENGTH + 1.0, across, across], rtol=1e-12
    )


def test_sparse_and_dense_solvers_find_the_same_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every frequency of a structure with four equal arms is a multiple one."""
    ends = {"e": (2.0, 0, 0), "n": (0, 2.0, 0), "w": (-2.0, 0, 0), "s": (0, -2.0, 0)}
    cross = Structure(
        nodes={"hub": (0, 0, 0), **ends},
        sections={"s": ROUND},
        beams={k: Beam(nodes=("hub", k), section="s", elements=10) for k in ends},
        parts={"hub": RigidPart(node="hub", mass=300.0, inertia=(90.0, 90.0, 90.0))},
    )
    m = mesh(cross)
    dense = [base_modes(m, "hub", 24).frequency, free_modes(m, 24).frequency]
    monkeypatch.setattr("softdock.flexible.clamped_structure.MAX_DENSE_SIZE", 0)
    sparse = [base_modes(m, "hub", 24).frequency, free_modes(m, 24).frequency]
    np.testing.assert_allclose(sparse, dense, rtol=1e-9)
    np.testing.assert_allclose(dense[0][:8], dense[0][0], rtol=1e-9)  # eight times the same


def test_large_structures_are_solved_sparsely() -> None:
    """12 000 degrees of freedom; the modes of a chain of 2000 elements."""
    f = base_modes(mesh(beam(2000, SLENDER)), "root", 4).frequency
    exact = theory.bending_frequency(Ends.CANTILEVER, 1, SLENDER.bending_y, SLENDER.mass_per_length, LENGTH)
    assert f[0] == pytest.approx(exact, rel=1e-4)  # 2000 elements condition the stiffness by 2000^4


def test_invalid_structures_are_rejected() -> None:
    s = beam(1, ROUND)
    with pytest.raises(InputError, match=r'(?i)no chain of beams leads from node "root" to "far"'):
        Structure(nodes={**s.nodes, "far": (9, 9, 9)}, sections=s.sections, beams=s.beams)
    with pytest.raises(InputError, match=r"(?i)a beam needs a length"):
        Structure(nodes={"root": (1, 2, 3), "tip": (1, 2, 3)}, sections=s.sections, beams=s.beams)
    with pytest.raises(InputError, match=r"(?i)no node called .nowhere.; there are: root, tip"):
        Structure(
            nodes=s.nodes, sections=s.sections, beams={"b": Beam(nodes=("root", "nowhere"), section="s")}
        )
    with pytest.raises(InputError, match=r'(?i)section "s" has different properties along y and z'):
        Structure(
            nodes=s.nodes, sections={"s": SLENDER}, beams={"b": Beam(nodes=("root", "tip"), section="s")}
        )
    with pytest.raises(InputError, match=r"(?i)nor point along the beam"):
        beam(1, SLENDER, side=(2.0, 0.0, 0.0))
    with pytest.raises(InputError, match=r"(?i)is impossible: principal moments"):
        RigidPart(node="a", mass=1.0, inertia=(1.0, 1.0, 3.0))
    with pytest.raises(InputError, match=r"(?i)above 0 kg"):
        RigidPart(node="a", mass=0.0, inertia=(1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("update", "how"), [({"torsion": 0.0}, "rotate about x"), ({"axial": 0.0}, "move along x")]
)
def test_mechanisms_are_named(update: dict[str, float], how: str) -> None:
    m = mesh(beam(3, ROUND.model_copy(update=update)))
    with pytest.raises(InputError, match=f"is a mechanism: node .* can {how} without resistance"):
        base_modes(m, "root", 2)
    with pytest.raises(InputError, match="is a mechanism"):
        free_modes(m, 2)
    with pytest.raises(InputError, match="is a mechanism"):
        deflect(m, {}, ["root"])


def test_invalid_arguments_are_rejected() -> None:
    m = mesh(beam(1, ROUND))
    with pytest.raises(InputError, match="must be at most 6: the structure has no more"):
        base_modes(m, "root", 7)
    massless = mesh(beam(1, ROUND.model_copy(update={"polar": 0.0})))
    with pytest.raises(InputError, match="must be at most 5"):
        base_modes(
            mesh(
                beam(1, ROUND.model_copy(update={"polar": 0.0})).model_copy(
                    update={"parts": {"hub": RigidPart(node="root", mass=1.0, inertia=(1.0, 1.0, 1.0))}}
                )
            ),
            "root",
            6,
        )
    with pytest.raises(InputError, match="must be at least 1"):
        base_modes(m, "root", 0)
    with pytest.raises(InputError, match="given for a structure of 6000 degrees of freedom"):
        free_modes(mesh(beam(1000)))
    with pytest.raises(InputError, match="no inertia about one of its axes"):
        free_modes(massless, 1)
    with pytest.raises(InputError, match="no such node; known: root, tip"):
        base_modes(m, "hub", 1)
    with pytest.raises(InputError, match="at least one node to clamp"):
        deflect(m, {}, [])
    with pytest.raises(InputError, match="six numbers"):
        deflect(m, {"tip": (1.0, 2.0)}, ["root"])
