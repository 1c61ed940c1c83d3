"""Resolution of the search for events and peaks: differences of channels that do not matter in a run."""

import math

from softdock.dynamics.kernels.channels.channels import ChannelKind
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.native.decorators import inline, kernel

RESOLVED = 0.01  # error of a peak over the tolerance of a step
# Reactions that would change the speed of the lightest link by its resolution within this time [s] do not matter.
# Moments have the same number, for an arm of 1 m.
FLOOR_TIME = 10.0


@kernel
def set_resolutions(run):
    """Set the resolutions of channels from the tolerances of a step and the mass of the lightest link."""
    settings, lightest = run.settings[0], lightest_mass(run.system.links)
    speed, rate = settings.speed_tolerance[FORCE], settings.speed_tolerance[MOMENT]
    # Lengths, angles or speeds. Without a limit the search resolves rounding errors of joints at rest.
    finest = min(settings.length_accuracy, settings.angle_accuracy, speed, rate)
    for i in range(run.channels.shape[0]):
        channel, out = run.channels[i], run.resolutions[i]
        out.resolution = RESOLVED * allowed_error(channel, settings, run.workspace.tolerance)
        out.negligible = 0.0
        if channel.kind == ChannelKind.ELEMENT_ENERGY or channel.kind == ChannelKind.STRUCTURE_ENERGY:
            out.negligible = RESOLVED * lightest * (speed * speed)
        elif channel.kind == ChannelKind.ELEMENT_DEFLECTION:
            out.negligible = RESOLVED * finest
        out.floor = RESOLVED * lightest * speed / FLOOR_TIME


@inline
def allowed_error(channel, settings, tolerance):
    """Return the error of a channel that follows from the errors allowed in a step; 0 where none follows."""
    kind = channel.kind
    if kind == ChannelKind.JOINT_POSITION or kind == ChannelKind.JOINT_SPEED:
        return tolerance[channel.at]
    if kind == ChannelKind.POSITION:
        return settings.length_accuracy
    if kind == ChannelKind.VELOCITY:
        return settings.speed_tolerance[FORCE]
    if kind == ChannelKind.TURN_RATE:
        return settings.speed_tolerance[MOMENT]
    if kind == ChannelKind.TILT or kind == ChannelKind.ATTITUDE:
        return settings.angle_accuracy
    about_line = kind == ChannelKind.ELEMENT_DEFLECTION or kind == ChannelKind.ELEMENT_FORCE
    return settings.length_accuracy / channel.scale if about_line and channel.bounded == 1 else 0.0


@inline
def lightest_mass(links):
    """Return the mass of the lightest link that has one; 0 if none has [kg]."""
    lightest = math.inf
    for i in range(links.shape[0]):
        if links[i].own[0] > 0.0:
            lightest = min(lightest, links[i].own[0])
    return lightest if lightest < math.inf else 0.0
