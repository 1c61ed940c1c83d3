"""Sentences about parts of contact surfaces that are left out, or that no file determines."""

from softdock.geometry.profile_arrays import closed_chain
from softdock.scenario.multibody import MultibodyScenario


def surface_notices(system: MultibodyScenario) -> list[str]:
    """Return sentences about what surfaces in contacts leave out, and what their files do not determine."""
    closures = assumed_closures(system, from_files=True)
    return [*left_out_faces(system), *(f"Surface {name!r} is {text}" for name, text in closures.items())]


def left_out_faces(system: MultibodyScenario) -> list[str]:
    """Return a sentence for every surface in a contact with faces that are left out on purpose."""
    return [
        f"Nothing touches a part of surface {name!r}. {sentence}"
        for name in _touching(system)
        for sentence in system.surfaces[name].left_out(system.directory)
    ]


def assumed_closures(system: MultibodyScenario, *, from_files: bool) -> dict[str, str]:
    """Return for every open surface in a contact, from a file or a profile, by which lines it is closed behind."""
    closures = {}
    for name in _touching(system):
        surface = system.surfaces[name]
        if (surface.file is not None) != from_files or surface.is_closure_known(system.directory):
            continue
        chain, before, after = closed_chain(surface.read(system.directory)[0])
        lines = [*chain[len(chain) - after :], *chain[:before]]
        places = [line.start for line in lines[:1]] + [line.end for line in lines]
        listed = ", ".join(f"({1e3 * z:.4g}, {1e3 * r:.4g})" for z, r in places if r >= 0.0)
        source = "its file does not determine" if from_files else "its profile leaves open"
        closures[name] = (
            f"closed behind along (z, r) = {listed} mm, which {source}: contact there means nothing."
        )
    return closures


def _touching(system: MultibodyScenario) -> list[str]:
    """Return the names of the surfaces in contacts."""
    return list(dict.fromkeys(c for contact in system.contacts.values() for c in (contact.a, contact.b)))
