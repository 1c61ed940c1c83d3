"""Scenarios of kind `chain`: two chains of masses and springs on a line, with contact and latch between them."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from softdock.quantities.fields import (
    Damping,
    Flag,
    Fraction,
    Integer,
    Length,
    NonNegativeLength,
    NonNegativeNumber,
    PositiveFrequency,
    PositiveLength,
    PositiveMass,
    PositiveSpeed,
    PositiveStiffness,
    PositiveTime,
    Quantity,
    Speed,
)
from softdock.quantities.model import FieldError, Findings, Model
from softdock.scenario.base import ScenarioBase

MOST_MASSES = 1000
MOST_ROWS = 1_000_000
STEEPEST = math.radians(89.9)  # rad, largest wedge angle
VELOCITY_TOLERANCE = 1e-6
"""Largest departure of a centre of mass from its given velocity, fraction of the largest given velocity."""

METRIC_UNITS = {
    "relative_velocity_before": "m/s",
    "oscillation_before": "m/s",
    "relative_velocity_after": "m/s",
    "chaser_velocity_after": "m/s",
    "target_velocity_after": "m/s",
    "effective_mass_ratio": "1",
    "impulse": "N*s",
    "peak_contact_force": "N",
    "contact_duration": "s",
    "impacts": "1",
    "kinetic_energy_before": "J",
    "kinetic_energy_after": "J",
    "energy_dissipated": "J",
}
"""SI units of the metrics of every run that are one number."""
CONTACT_METRIC_UNITS = {"penetration_max": "m"}
CONTACT, LATCH, LATCH_SPRING = "contact", "latch", "latch-spring"
"""Names of the reactions between the chains: whole force, share of the latch along the axis, latch spring."""
LATCH_METRIC_UNITS = {"insertion_max": "m", "latch_time": "s", "latched": "1", "minimum_speed": "m/s"}

Masses = Annotated[tuple[PositiveMass, ...], Field(min_length=1, max_length=MOST_MASSES)]
WedgeAngle = Annotated[float, Quantity("rad", gt=0, le=STEEPEST)]
FrictionAngle = Annotated[float, Quantity("rad", ge=0, le=STEEPEST)]


class Chaser(Model):
    """The chaser: masses from the rear to the touching one, springs and dampers between neighbours."""

    masses: Masses
    """Masses from the rear to the touching one."""
    stiffness: tuple[PositiveStiffness, ...] = ()
    """Springs between neighbours, one fewer than masses."""
    damping: tuple[Damping, ...] = ()
    """Dampers beside the springs; none by default."""
    velocities: tuple[Speed, ...] = ()
    """Velocity of every mass at the start; that of their centre of mass must be the closing speed of the scenario plus
    the target's velocity, which all masses have by default."""
    deflections: tuple[Length, ...] = ()
    """Displacement of every mass at the start from where the springs are relaxed; none by default."""

    @model_validator(mode="after")
    def _count(self) -> Self:
        _check_length("stiffness", len(self.stiffness), len(self.masses), 0)
        if self.damping:
            _check_length("damping", len(self.damping), len(self.masses), 0)
        _check_start(self)
        return self


class Target(Model):
    """The target: masses from the touching one to the far end, springs and dampers between neighbours."""

    masses: Masses
    """Masses from the touching one to the far end."""
    stiffness: tuple[PositiveStiffness, ...] = ()
    """Springs between neighbours, one fewer than masses; one more, to the wall, if anchored."""
    damping: tuple[Damping, ...] = ()
    """Dampers beside the springs; none by default."""
    velocity: Speed = 0.0
    """Velocity at the start."""
    anchored: Flag = False
    """Whether a last spring joins the far end to a fixed wall."""
    velocities: tuple[Speed, ...] = ()
    """Velocity of every mass at the start; that of their centre of mass must be `velocity`, which all masses have by
    default. Those of an anchored target are arbitrary."""
    deflections: tuple[Length, ...] = ()
    """Displacement of every mass at the start from where the springs are relaxed; none by default."""

    @model_validator(mode="after")
    def _count(self) -> Self:
        _check_length("stiffness", len(self.stiffness), len(self.masses), int(self.anchored))
        if self.damping:
            _check_length("damping", len(self.damping), len(self.masses), int(self.anchored))
        if self.anchored and self.velocity != 0.0:
            raise FieldError("velocity", "must be 0 for an anchored target")
        _check_start(self)
        if self.velocities and not self.anchored:
            _check_centre_of_mass(self.masses, self.velocities, self.velocity, "`velocity`")
        return self


class ChainContact(Model):
    """Contact between the chains: a spring and damper, or an impulse with restitution."""

    stiffness: PositiveStiffness | None = None
    """Stiffness of a contact that cannot pull."""
    damping: Damping | None = None
    """Damping beside the stiffness; none by default."""
    damping_ratio: NonNegativeNumber | None = None
    """Damping relative to critical, for the effective mass of the touching bodies; instead of `damping`."""
    restitution: Fraction | None = None
    """Coefficient of restitution of an impulsive impact; instead of a stiffness."""

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        if (self.stiffness is None) == (self.restitution is None):
            raise FieldError("", "needs either 'stiffness' (with 'damping') or 'restitution'")
        if self.damping is not None and self.damping_ratio is not None:
            raise FieldError("damping_ratio", "cannot be given together with 'damping'")
        if self.restitution is not None and (self.damping is not None or self.damping_ratio is not None):
            raise FieldError("restitution", "cannot be given together with a damping")
        return self


class Latch(Model):
    """A spring-loaded latch that is lifted by the wedge of the probe tip."""

    stiffness: PositiveStiffness
    """Stiffness of the latch spring, across the axis."""
    angle: WedgeAngle
    """Angle of the wedge from the axis."""
    tip_length: PositiveLength
    """Insertion depth at which the latch closes."""
    friction: NonNegativeNumber | None = None
    """Coefficient of friction between wedge and latch; none by default."""
    friction_angle: FrictionAngle | None = None
    """Angle of friction, instead of the coefficient."""

    @model_validator(mode="after")
    def _one_friction(self) -> Self:
        if self.friction is not None and self.friction_angle is not None:
            raise FieldError("friction_angle", "cannot be given together with 'friction'")
        return self

    @property
    def angle_of_friction(self) -> float:
        """Angle of friction [rad]."""
        return math.atan(self.friction or 0.0) if self.friction_angle is None else self.friction_angle


class ChainEnd(Model):
    """End of the run; a run also ends when the latch closes or the wedge jams."""

    time: PositiveTime
    """Latest end of the run."""
    impacts: Annotated[Integer, Field(ge=1)] | None = None
    """Number of separations after which the run ends."""


class ChainRecord(Model):
    """Recording of the history."""

    rate: PositiveFrequency = 1000.0
    """Rows per second; additional rows are recorded just before and just after each event."""


class ChainScenario(ScenarioBase):
    """Two chains of masses on one line that collide."""

    kind: Literal["chain"] = "chain"
    """Kind of scenario."""
    speed: PositiveSpeed
    """Closing speed of the chaser relative to the target."""
    chaser: Chaser
    """Chain that approaches."""
    target: Target
    """Chain that is approached."""
    gap: NonNegativeLength = 0.0
    """Distance between the touching bodies at the start, with the deflections that they have then."""
    contact: ChainContact | None = None
    """Contact of the touching bodies; may be left out if there is a latch."""
    latch: Latch | None = None
    """Latch behind the contact; a contact with `restitution` acts once, at first touch."""
    stop: ChainEnd
    """End of the run."""
    record: ChainRecord = ChainRecord()
    """Recording of the history."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.contact is None and self.latch is None:
            raise FieldError("", "needs a 'contact', a 'latch' or both")
        if self.chaser.velocities:
            expected, keys = self.target.velocity + self.speed, "`speed` plus `target.velocity`"
            try:
                _check_centre_of_mass(self.chaser.masses, self.chaser.velocities, expected, keys)
            except FieldError as error:
                raise FieldError("chaser.velocities", str(error)) from None
        rows = self.stop.time * self.record.rate
        if rows > MOST_ROWS:
            raise FieldError(
                "record.rate", f"would record {rows:.3g} rows in {self.stop.time:g} s; at most {MOST_ROWS:,}"
            )
        findings = Findings()
        self._check_requirements(findings)
        findings.report()
        return self

    def has_internal_motion(self) -> bool:
        """Return whether masses move within their chain, or springs are deflected, at the start."""
        V_t = self.target.velocity
        moves = any(v != V_t + self.speed for v in self.chaser.velocities)
        moves = moves or any(v != V_t for v in self.target.velocities)
        return moves or any(self.chaser.deflections) or any(self.target.deflections)

    def metric_units(self) -> dict[str, str]:
        """Return the SI units of all metrics of a run that are one number, by name; `1` if dimensionless."""
        units = METRIC_UNITS | (CONTACT_METRIC_UNITS if self.latch is None else LATCH_METRIC_UNITS)
        return units | {f"peak_force_{name.replace('-', '_')}": "N" for name in self.reaction_names()}

    def springs(self) -> dict[str, int]:
        """Return the names of the springs between the masses, with the index of the mass at their rear end."""
        chaser = {f"chaser-spring-{i + 1}": i for i in range(len(self.chaser.stiffness))}
        first = len(self.chaser.masses)
        return chaser | {f"target-spring-{i + 1}": first + i for i in range(len(self.target.stiffness))}

    def reaction_names(self) -> list[str]:
        """Return the names of the reactions of a run; the force of a rigid impact is not finite and is none of them."""
        is_rigid = self.contact is not None and self.contact.restitution is not None
        latch = [] if self.latch is None else [LATCH, LATCH_SPRING]
        return [*self.springs(), *([] if is_rigid else [CONTACT]), *latch]

    def possible_outcomes(self) -> list[str]:
        """Return the outcomes of completed runs."""
        from softdock.lumped.chain_run import ChainOutcome  # loads kernels

        return [outcome.identifier for outcome in ChainOutcome]

    @property
    def interface_effective_mass(self) -> float:
        """Effective mass of the two touching bodies [kg]."""
        a, b = self.chaser.masses[-1], self.target.masses[0]
        return a / (1.0 + a / b)

    @property
    def contact_damping(self) -> float:
        """Damping of the contact [N s/m], 0 if it has none."""
        if self.contact is None or self.contact.stiffness is None:
            return 0.0
        if self.contact.damping_ratio is None:
            return self.contact.damping or 0.0
        critical = 2.0 * math.sqrt(self.contact.stiffness * self.interface_effective_mass)
        return self.contact.damping_ratio * critical


def _check_start(chain: Chaser | Target) -> None:
    """Raise FieldError for velocities or deflections that are not one per mass."""
    for name in ("velocities", "deflections"):
        given, needed = len(getattr(chain, name)), len(chain.masses)
        if given not in (0, needed):
            entries = "1 entry" if needed == 1 else f"{needed} entries"
            raise FieldError(name, f"needs {entries}, one for each mass, and has {given}")


def _check_centre_of_mass(
    masses: tuple[float, ...], velocities: tuple[float, ...], expected: float, keys: str
) -> None:
    """Raise FieldError where the centre of mass of velocities [m/s] does not move as other keys say."""
    total = math.fsum(masses)
    given = math.fsum(m * v for m, v in zip(masses, velocities)) / total
    if abs(given - expected) <= VELOCITY_TOLERANCE * max(abs(expected), *map(abs, velocities)):
        return
    last = velocities[-1] + (expected - given) * total / masses[-1]
    raise FieldError(
        "velocities",
        f"must give the centre of mass {expected:.9g} m/s, which is {keys}, and give it {given:.9g} m/s; "
        f"with {last:.9g} m/s for the last mass they would fit",
    )


def _check_length(name: str, given: int, masses: int, wall: int) -> None:
    needed = masses - 1 + wall
    if given != needed:
        entries = "1 entry" if needed == 1 else f"{needed} entries"
        why = f"{masses} mass{'es' if masses > 1 else ''}{' and a wall' if wall else ''}"
        raise FieldError(name, f"needs {entries} for {why} and has {given}")
