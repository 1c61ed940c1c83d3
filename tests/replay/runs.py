"""Runs that the tests replay; each is simulated once."""

import functools

import softdock
from softdock.result import Result


@functools.cache
def run(name: str, **overrides: str) -> Result:
    return softdock.simulate(softdock.load(name, overrides))


def nominal() -> Result:
    return run("assist-soft-docking")


COMMON_FIELDS = {"softdock": 1, "kind": "multibody", "duration": 1.0}
SPINNING = {
    **COMMON_FIELDS,
    "title": "A spinning brick and a swinging rod",
    "bodies": {
        "brick": {
            "mass": 12.0,
            "inertia": [13.0, 10.0, 5.0],
            "joint": {"type": "free", "rate": [0.1, 6.0, 0.1], "velocity": [0.0, 0.0, 0.5]},
        },
        "rod": {
            "mass": 1.0,
            "inertia": [0.1, 0.1, 0.0],
            "centre_of_mass": [0.0, 0.0, 0.5],
            "parent": "brick",
            "joint": {"type": "revolute", "axis": "x", "at": [0.0, 0.0, 1.0], "rate": 2.0},
        },
    },
}
"""No contact and fast rotations."""


BOOM = {
    **COMMON_FIELDS,
    "title": "A hub with a boom is kicked",
    "duration": 4.0,
    "bodies": {"hub": {"mass": 500.0, "inertia": [200.0, 200.0, 200.0]}},
    "structures": {
        "boom": {
            "body": "hub",
            "base": "root",
            "at": [0.0, 0.0, 0.8],
            "attitude": {"axis": "x", "angle": "90 deg"},
            "modes": 6,
            "members": {
                "nodes": {"root": [0.0, 0.0, 0.0], "tip": [0.0, 0.0, 15.0]},
                "sections": {
                    "tube": {
                        "axial": 1e7,
                        "bending_y": 2e5,
                        "bending_z": 2e5,
                        "torsion": 1e5,
                        "mass_per_length": 3.0,
                        "polar": 0.01,
                    }
                },
                "beams": {"mast": {"nodes": ["root", "tip"], "section": "tube", "elements": 6}},
            },
        }
    },
    "loads": {
        "kick": {"body": "hub", "force": [50.0, 20.0, 0.0], "pulses": [{"start": 0.5, "duration": 1.0}]}
    },
    "record": {"also": ["boom/tip.dx", "boom/tip.dy", "boom/tip.dz"]},
}
"""A structure with small deflections, on a moving body."""


@functools.cache
def boom() -> Result:
    from softdock.scenario.loading import from_data

    return softdock.simulate(from_data(BOOM, "boom"))


REACHING = {
    "softdock": 1,
    "kind": "robot",
    "gravity": [0.0, 0.0, -9.81],
    "arm": {"file": "lwr4plus", "start": ["0 deg", "30 deg", "0 deg", "-80 deg", "0 deg", "70 deg", "0 deg"]},
    "control": {"stiffness": [1000, 1000, 1000, 1000, 300, 300, 100]},
    "moves": [{"by": [0.01, 0.0, -0.03]}],
}


@functools.cache
def reaching() -> Result:
    from softdock.scenario.loading import from_data

    return softdock.simulate(from_data(REACHING, "reaching"))


@functools.cache
def spinning() -> Result:
    from softdock.scenario.loading import from_data

    return softdock.simulate(from_data(SPINNING, "spinning"))
