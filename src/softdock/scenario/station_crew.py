"""Motion of the crew in the rigid base of a station: masses that move along lines by prescribed profiles."""

import math
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import model_validator

from softdock.elements.drive.model import Drive
from softdock.model.events import Action, Event
from softdock.model.system import Body
from softdock.quantities.fields import Length, Number, PositiveMass, Quantity, Time, Vector3
from softdock.quantities.model import FieldError, Model
from softdock.spatial.vectors import unit_vector
from softdock.tree.joints import Prismatic

CREW_BANDWIDTH = 10.0
"""Natural frequency of the drive that prescribes the motion of the crew [Hz]: far above that of the motions."""
CREW_RISE = 0.1
"""Time in which the force of the crew rises [s]; assumed, the shortest that the drive follows within a few percent."""
CREW_GYRATION = 0.3
"""Radius of gyration of a person [m]; assumed, without effect: a person turns with the station."""

CrewActivity = Literal["push-off", "walk", "console-kick"]


@dataclass(frozen=True)
class CrewValues:
    """Values of an activity of the crew that a scenario leaves out [kg, N, m/s, m]."""

    mass: float
    force: float
    speed: float
    distance: float


# Forces: D. J. Newman, A. R. Amir, S. M. Beck, "Astronaut-Induced Disturbances to the Microgravity Environment of the
# Mir Space Station", Journal of Spacecraft and Rockets 38(4), 2001. Of 2806 disturbances on foot restraints and hand
# holds 137 N is the largest force; the largest force stayed below 60 N for 96 % of the time, and the rms force below
# 9 N for 95 % of the motions. Masses, speeds and ways, and which force belongs to which activity: assumed.
ACTIVITIES: dict[CrewActivity, CrewValues] = {
    "push-off": CrewValues(mass=82.0, force=137.0, speed=1.0, distance=6.0),
    "walk": CrewValues(mass=82.0, force=9.0, speed=0.3, distance=6.0),
    "console-kick": CrewValues(mass=27.0, force=60.0, speed=1.0, distance=0.3),
}
"""Values by activity."""


class CrewMotion(Model):
    """Motion of a crew member in the rigid base: a mass that moves along a line and comes to rest.

    It speeds up and slows down with the same force, and moves at constant speed in between. Without values the
    force is that of the activity (see the theory of flexible structures for sources), the mass that of a person.

    >>> from softdock.scenario.station_crew import CrewMotion
    >>> CrewMotion(activity="push-off", direction=(1, 0, 0), start="60 s").peak_force()
    137.0
    """

    activity: CrewActivity
    """`push-off`: from one wall to another; `walk`: slowly along handrails; `console-kick`: a short stroke of the
    legs against a console."""
    mass: PositiveMass | None = None
    """Moving mass; 82 kg, of a console kick the legs."""
    start: Time = 0.0
    """Time at which it begins."""
    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Where it begins, from the base node in station axes."""
    direction: Vector3[Number]
    """Direction of the motion in station axes, of any length."""
    distance: Annotated[float, Quantity("m", gt=0)] | None = None
    """Length of the way."""
    force: Annotated[float, Quantity("N", gt=0)] | None = None
    """Largest force on the station."""
    speed: Annotated[float, Quantity("m/s", gt=0)] | None = None
    """Largest speed."""

    @model_validator(mode="after")
    def _moves(self) -> Self:
        if not any(self.direction):
            raise FieldError("direction", "must not be the zero vector")
        return self

    def moving_mass(self) -> float:
        """Return the moving mass [kg]."""
        return self.mass if self.mass is not None else ACTIVITIES[self.activity].mass

    def peak_force(self) -> float:
        """Return the largest force [N]."""
        return self.force if self.force is not None else ACTIVITIES[self.activity].force

    def top_speed(self) -> float:
        """Return the largest commanded speed [m/s]."""
        return self.speed if self.speed is not None else ACTIVITIES[self.activity].speed

    def way(self) -> float:
        """Return the length of the way [m]."""
        return self.distance if self.distance is not None else ACTIVITIES[self.activity].distance

    def acceleration(self) -> float:
        """Return the largest acceleration relative to the station [m/s2]."""
        return self.peak_force() / self.moving_mass()

    def duration(self) -> float:
        """Return the time of the motion [s]: acceleration, coasting and deceleration; Eq. (F92)."""
        acceleration = self.acceleration()
        speed = min(self.top_speed(), math.sqrt(self.way() * acceleration))
        return self.way() / speed + speed / acceleration  # Eq. (F92)


def crew_body(name: str) -> str:
    """Return the name of the body of a motion of the crew, and of its joint."""
    return f"crew-{name}"


def crew_motion(name: str) -> str:
    """Return the name of the drive of a motion of the crew, and of the event that starts it."""
    return f"crew-{name}-motion"


def crew_member(motion: CrewMotion) -> Body:
    """Return a crew member that slides along a line in the base."""
    mass = motion.moving_mass()
    x, y, z = (float(d) for d in unit_vector(motion.direction))
    inertia = mass * CREW_GYRATION**2
    joint = Prismatic(at=motion.at, axis=(x, y, z))
    return Body(mass=mass, inertia=(inertia, inertia, inertia), parent="station", joint=joint)


def crew_drive(name: str, motion: CrewMotion) -> Drive:
    """Return the drive that moves a crew member; its command has the force of the motion, Eq. (F92)."""
    mass = motion.moving_mass()
    omega = 2.0 * np.pi * CREW_BANDWIDTH
    return Drive(
        joint=crew_body(name),
        target=0.0,
        profile="s-curve",
        rate=motion.top_speed(),
        acceleration=motion.acceleration(),
        jerk=motion.acceleration() / CREW_RISE,
        stiffness=mass * omega**2,
        damping=2.0 * mass * omega,
    )


def crew_event(name: str, motion: CrewMotion) -> Event:
    """Return the event that starts a motion."""
    return Event(
        when=f"time > {motion.start!r} s",
        then=(Action(drive=crew_motion(name), target=motion.way()),),
        message=f"The crew moves: {motion.activity}.",
    )
