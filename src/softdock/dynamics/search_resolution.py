"""Resolution of the search for events and peaks, and the links on whose motion it depends."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.channels.channels import (
    ChannelKind,
    is_about_elements,
    is_about_frames,
    is_acceleration,
)
from softdock.dynamics.settings import StepTolerances
from softdock.dynamics.system_arrays import SystemArrays

Floats = NDArray[np.float64]
RESOLVED = 0.01  # error of a peak over the tolerance of a step
# Reactions that would change the speed of the lightest link by its resolution within this time [s] do not matter.
# Moments have the same number, for an arm of 1 m.
FLOOR_TIME = 10.0


def set_resolutions(
    resolutions: np.recarray,
    channels: np.recarray,
    accuracy: StepTolerances,
    tolerance: Floats,
    lightest: float,
) -> None:
    """Set the resolutions of channels from the tolerances of a step and the mass of the lightest link [kg]."""
    out, records, allowed = (
        resolutions.view(np.ndarray),
        channels.view(np.ndarray),
        np.zeros(len(ChannelKind)),
    )
    allowed[ChannelKind.POSITION], allowed[ChannelKind.VELOCITY] = accuracy.length, accuracy.speed
    allowed[ChannelKind.TURN_RATE] = accuracy.rate
    allowed[[ChannelKind.TILT, ChannelKind.ATTITUDE]] = accuracy.angle
    kind = records["kind"]
    state = (kind == ChannelKind.JOINT_POSITION) | (kind == ChannelKind.JOINT_SPEED)
    allowed_of = np.where(state, tolerance[records["at"]], allowed[kind])
    strut = (records["bounded"] == 1) & (
        (kind == ChannelKind.ELEMENT_DEFLECTION) | (kind == ChannelKind.ELEMENT_FORCE)
    )
    allowed_of[strut] = accuracy.length / records["scale"][strut]
    out["resolution"] = RESOLVED * allowed_of
    energy = (kind == ChannelKind.ELEMENT_ENERGY) | (kind == ChannelKind.STRUCTURE_ENERGY)
    out["negligible"] = np.where(energy, RESOLVED * lightest * accuracy.speed**2, 0.0)
    # Lengths, angles or speeds. Without a limit the search resolves rounding errors of joints at rest.
    finest = min(accuracy.length, accuracy.angle, accuracy.speed, accuracy.rate)
    out["negligible"][kind == ChannelKind.ELEMENT_DEFLECTION] = RESOLVED * finest
    out["floor"] = RESOLVED * lightest * accuracy.speed / FLOOR_TIME


def needed_links(assembly: SystemArrays, channels: NDArray[Any]) -> NDArray[np.int64]:
    """Return 1 for every link on whose motion a channel depends, and for those that carry it."""
    elements = assembly.elements.view(np.ndarray)
    ends: set[int] = set()
    for kind, i, j, in_world in zip(*(channels[name].tolist() for name in ("kind", "i", "j", "in_world"))):
        if is_about_frames(kind) or is_acceleration(kind):
            ends |= {i} if in_world else {i, j}
        elif kind == ChannelKind.REACTION:
            ends.add(int(assembly.reactions.view(np.ndarray)["link"][i]))
        elif is_about_elements(kind) and (elements["at_u"][i] < 0 or elements["ball"][i]):
            ends |= {int(elements["a"][i]), int(elements["b"][i])}  # -1 without frame a
    needed, parents = np.zeros(len(assembly.links), np.int64), assembly.links.view(np.ndarray)["parent"]
    for link in ends:
        while link >= 0 and not needed[link]:
            needed[link] = 1
            link = int(parents[link])
    return needed
