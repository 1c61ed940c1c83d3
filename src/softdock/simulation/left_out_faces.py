"""Sentences about faces of CAD files that a scenario leaves out of its contact surfaces."""

from softdock.scenario.multibody import MultibodyScenario


def left_out_faces(system: MultibodyScenario) -> list[str]:
    """Return a sentence for every surface in a contact with faces that are left out on purpose."""
    touching = dict.fromkeys(side for contact in system.contacts.values() for side in (contact.a, contact.b))
    return [
        f"Nothing touches a part of surface {name!r}. {sentence}"
        for name in touching
        for sentence in system.surfaces[name].left_out(system.directory)
    ]
