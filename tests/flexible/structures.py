"""Small structures shared by the tests."""

import numpy as np

from softdock.flexible import Beam, RigidPart, Section, Structure

ROUND = Section(axial=3.0e7, bending_y=2.0e4, bending_z=2.0e4, torsion=1.5e4, mass_per_length=4.0, polar=0.02)
LENGTH = 6.0


def beam(elements: int, section: Section = ROUND, end=(LENGTH, 0.0, 0.0), side=(0.0, 1.0, 0.0)) -> Structure:
    return Structure(
        nodes={"root": (0.0, 0.0, 0.0), "tip": end},
        sections={"s": section},
        beams={"b": Beam(nodes=("root", "tip"), section="s", elements=elements, side=side)},
    )


def satellite(rng: np.random.Generator, elements: int = 3) -> Structure:
    """Return a random structure: a rigid hub with three bent appendages, offset beams and a tip mass."""
    nodes: dict[str, tuple[float, ...]] = {"hub": tuple(rng.normal(size=3))}
    beams, sections = {}, {}
    for i in range(3):
        last = "hub"
        for j in range(2):
            name = f"n{i}{j}"
            nodes[name] = tuple(np.array(nodes[last]) + rng.uniform(1.0, 3.0) * unit_vector(rng))
            sections[name] = Section(
                axial=rng.uniform(1e5, 1e6),
                bending_y=rng.uniform(1e3, 1e4),
                bending_z=rng.uniform(1e3, 1e4),
                torsion=rng.uniform(1e3, 1e4),
                shear_y=rng.uniform(1e5, 1e6),
                shear_z=rng.uniform(1e5, 1e6),
                mass_per_length=rng.uniform(0.5, 5.0),
                rotary_y=rng.uniform(0.01, 0.1),
                rotary_z=rng.uniform(0.01, 0.1),
                polar=rng.uniform(0.01, 0.1),
            )
            beams[name] = Beam(
                nodes=(last, name),
                section=name,
                elements=elements,
                side=tuple(rng.normal(size=3)),
                start_offset=tuple(0.1 * rng.normal(size=3)),
            )
            last = name
    hub = RigidPart(
        node="hub",
        mass=rng.uniform(50.0, 500.0),
        centre_of_mass=tuple(0.2 * rng.normal(size=3)),
        inertia=tuple(rng.uniform(40.0, 60.0, 3)),
    )
    tip = RigidPart(node="n01", mass=rng.uniform(1.0, 20.0))
    return Structure(nodes=nodes, sections=sections, beams=beams, parts={"hub": hub, "tip": tip})


def unit_vector(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)
