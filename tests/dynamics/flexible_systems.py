"""Systems with flexible structures that the tests share."""

import numpy as np

from dynamics.systems import attitude, joint, solid, vector
from softdock.flexible import Beam, RigidPart, Section, Structure
from softdock.model.structures import Flexible
from softdock.model.system import Body, System


def bent_boom(rng: np.random.Generator, stiffness: float = 1.0, elements: int = 2) -> Structure:
    """Return two soft beams at an angle with a mass at the end; modes of a few hertz times sqrt(stiffness)."""
    section = Section(
        axial=200.0 * stiffness,
        bending_y=0.6 * stiffness,
        bending_z=0.9 * stiffness,
        torsion=0.5 * stiffness,
        mass_per_length=0.4,
        rotary_y=0.004,
        rotary_z=0.005,
        polar=0.006,
    )
    middle = np.array([0.5, 0.2, -0.1])
    return Structure(
        nodes={
            "root": (0.1, -0.2, 0.3),
            "middle": tuple(middle),
            "end": tuple(middle + rng.uniform(0.2, 0.5, 3)),
        },
        sections={"s": section},
        beams={
            "lower": Beam(
                nodes=("root", "middle"), section="s", elements=elements, side=tuple(rng.normal(size=3))
            ),
            "upper": Beam(
                nodes=("middle", "end"), section="s", elements=elements, side=tuple(rng.normal(size=3))
            ),
        },
        parts={
            "foot": RigidPart(
                node="root", mass=0.5, centre_of_mass=(0.1, 0.0, 0.05), inertia=(0.02, 0.02, 0.03)
            ),
            "knob": RigidPart(node="end", mass=0.3, inertia=(0.002, 0.003, 0.004)),
        },
    )


def flexible_scene(kind: str, floating: bool, seed: int = 5, damping: float = 0.0, **options) -> System:
    """Return a base (or the ground), an arm on a joint of the given kind and a hand; base and arm have structures."""
    rng = np.random.default_rng(seed)
    bodies = {"base": Body(**solid(rng), joint=joint("free", rng))} if floating else {}
    on_base = floating and kind != "free"
    bodies["arm"] = Body(**solid(rng), joint=joint(kind, rng), **({"parent": "base"} if on_base else {}))
    bodies["hand"] = Body(**solid(rng), joint=joint("revolute", rng), parent="arm")
    structures = {
        "boom": Flexible(
            body="arm",
            base="root",
            at=vector(rng, 0.2),
            attitude=attitude(rng),
            members=bent_boom(rng),
            damping=damping,
            **{"modes": 6, **options},
        ),
        "mast": Flexible(
            body="base" if floating else "world",
            base="root",
            at=vector(rng, 0.2),
            attitude=attitude(rng),
            members=bent_boom(rng),
            damping=damping,
            **{"modes": 4, **options},
        ),
    }
    return System(
        bodies=bodies, structures=structures, gravity=(0.3, -0.2, 0.5) if not floating else (0, 0, 0)
    )
