"""Links on whose motion the search for events and peaks depends."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.channels.channels import (
    ChannelKind,
    is_about_elements,
    is_about_frames,
    is_acceleration,
)
from softdock.dynamics.system_arrays import SystemArrays


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
