"""Channels: only requested peaks cost evaluations, and shortcuts of their evaluation change no bit."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dynamics.systems import SCENE_NAMES, SCENES, assemble, scene
from softdock.assembly.channels.records import channel_records
from softdock.assembly.channels.registry import default_observations, list_channels, unit_of
from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST
from softdock.dynamics.settings import Settings
from softdock.dynamics.simulation import Simulation
from softdock.elements.spring.model import Spring
from softdock.model.observations import parse_observation
from softdock.model.system import Body, System
from softdock.scenario.loading import load
from softdock.tree.joints import Prismatic

BODY = ("x", "distance", "vy", "velocity", "wz", "rate", "tilt", "qw", "qy")


def simulation_with_channels(system, observations, duration, **settings):
    assembly = assemble(system)
    channels = channel_records(system, assembly, observations)
    return Simulation(assembly=assembly, settings=Settings(duration=duration, **settings), channels=channels)


def test_only_requested_peaks_cost_evaluations():
    """A mass oscillates about the rest position of its spring, whose energy is zero twice a period."""
    system = System(
        bodies={"mass": Body(mass=1.0, joint=Prismatic(position=0.1))},
        springs={"spring": Spring(joint="mass", stiffness=400.0)},
    )
    simulation = simulation_with_channels(system, [parse_observation("spring.energy")], 3.0, record_rate=0.0)
    runs = {}
    for track in (0, LARGEST, SMALLEST, LARGEST | SMALLEST):
        simulation.channels.track = track
        runs[track] = simulation.run()
    both = runs[LARGEST | SMALLEST]
    assert len({run.state.tobytes() for run in runs.values()}) == 1
    assert runs[LARGEST].peaks[0].largest == both.peaks[0].largest == pytest.approx(2.0, rel=1e-9)
    assert runs[SMALLEST].peaks[0].smallest == pytest.approx(0.0, abs=1e-6)
    assert both.peaks[0].smallest == pytest.approx(0.0, abs=1e-6)
    assert runs[LARGEST].peaks[0].smallest == -math.inf
    assert runs[SMALLEST].peaks[0].largest == math.inf
    nothing, largest, smallest, all_of_them = (run.evaluations for run in runs.values())
    assert nothing < min(largest, smallest)
    assert all_of_them - nothing <= (largest - nothing) + (smallest - nothing)


@pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
def test_world_as_an_explicit_frame_gives_the_same_bits(kind, floating):
    """Channels in world axes are evaluated without a frame, or in the frame of the world."""
    system = scene(kind, floating, lossy=True)
    names = [f"{body}.{field}" for body in system.bodies for field in BODY]
    simulation = simulation_with_channels(system, [parse_observation(name) for name in names], 0.2)
    channels = simulation.channels.copy()
    assert channels.in_world.all()
    channels.in_world = 0
    assert np.array_equal(simulation.run().history, replace(simulation, channels=channels).run().history)


def test_components_that_share_a_frame_have_the_bits_of_separate_ones():
    system = scene("universal", True, lossy=True)
    simulation = simulation_with_channels(system, default_observations(system), 0.2)
    channels = simulation.channels.copy()
    assert channels.shared.any()
    channels.shared = 0
    assert np.array_equal(simulation.run().history, replace(simulation, channels=channels).run().history)


@pytest.mark.parametrize("name", ["assist-soft-docking", "assist-approach", "probe-retraction", "pins-1"])
def test_every_channel_that_is_listed_or_recorded_can_be_asked_for(name):
    """With the unit listed; zones are listed for every contact of their surface, though none is recorded."""
    system = load(name)
    listed = {channel: unit for channel, unit, _ in list_channels(system)}
    units = {channel: unit_of(system, parse_observation(channel)) for channel in listed}
    assert units == listed
    known = {parse_observation(channel) for channel in listed}
    assert set(default_observations(system)) <= known
    for contact, members in system.contacts.items():
        for zone in system.surfaces[members.a].zones:
            assert listed[f"{contact}/{zone}.force"] == "N"
