# Types of the public names, written by `python -m tests.public_stub`.
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from softdock.campaign.interface import Campaign as Campaign
from softdock.campaign.interface import Probability as Probability
from softdock.campaign.run_table import RunTable as RunTable
from softdock.errors import InputError as InputError
from softdock.errors import Problem as Problem
from softdock.errors import RunError as RunError
from softdock.result import History as History
from softdock.result import Result as Result
from softdock.scenario.base import ScenarioBase
from softdock.scenario.loading import Bundled
from softdock.scenario.overrides import Overrides
from softdock.simulation.control import Actuation as Actuation
from softdock.simulation.control import BodyMotion as BodyMotion
from softdock.simulation.control import ControlInterface as ControlInterface
from softdock.simulation.control import JointMotion as JointMotion
from softdock.simulation.control import Measurement as Measurement
from softdock.simulation.control import UserController as UserController
from softdock.simulation.control import Wrench as Wrench
from softdock.simulation.plant import Plant as Plant
from softdock.simulation.plant_pool import PlantPool as PlantPool
from softdock.simulation.real_time import RealTime

from softdock.campaign.model import Boundary as _Boundary
from softdock.campaign.model import Correlation as _Correlation
from softdock.campaign.model import Dispersion as _Dispersion
from softdock.campaign.model import Margin as _Margin
from softdock.campaign.model import Normal as _Normal
from softdock.campaign.model import StopRule as _StopRule
from softdock.campaign.model import Subset as _Subset
from softdock.elements.coupling.model import Coupling as _Coupling
from softdock.elements.coupling.model import CouplingEndStop as _CouplingEndStop
from softdock.elements.coupling.model import CouplingGuidance as _CouplingGuidance
from softdock.elements.coupling.model import CouplingLatch as _CouplingLatch
from softdock.elements.coupling.model import CouplingLimits as _CouplingLimits
from softdock.elements.coupling.model import CouplingSeal as _CouplingSeal
from softdock.elements.coupling.model import CouplingSpring as _CouplingSpring
from softdock.elements.crush.model import Crushable as _Crushable
from softdock.elements.drive.model import Drive as _Drive
from softdock.elements.load.model import Load as _Load
from softdock.elements.load.model import Pulse as _Pulse
from softdock.elements.lock.model import Lock as _Lock
from softdock.elements.spring.model import Exponential as _Exponential
from softdock.elements.spring.model import Spring as _Spring
from softdock.elements.stop.model import Stop as _Stop
from softdock.elements.strut.model import Strut as _Strut
from softdock.elements.tether.model import Reel as _Reel
from softdock.elements.tether.model import Tether as _Tether
from softdock.elements.weld.model import EngagementWindow as _EngagementWindow
from softdock.elements.weld.model import Weld as _Weld
from softdock.model.contact_conditions import ContactBox as _ContactBox
from softdock.model.control_laws import AttitudeLaw as _AttitudeLaw
from softdock.model.control_laws import AttitudeRegulator as _AttitudeRegulator
from softdock.model.control_laws import Corridor as _Corridor
from softdock.model.control_laws import Gate as _Gate
from softdock.model.control_laws import Glide as _Glide
from softdock.model.control_laws import HoldPoint as _HoldPoint
from softdock.model.control_laws import Transfer as _Transfer
from softdock.model.control_laws import TranslationLaw as _TranslationLaw
from softdock.model.control_laws import TranslationRegulator as _TranslationRegulator
from softdock.model.events import Action as _Action
from softdock.model.events import Event as _Event
from softdock.model.events import Outcome as _Outcome
from softdock.model.gnc import AssumedMass as _AssumedMass
from softdock.model.gnc import Controller as _Controller
from softdock.model.gnc import Filter as _Filter
from softdock.model.gnc import Gyro as _Gyro
from softdock.model.gnc import Navigation as _Navigation
from softdock.model.gnc import PoseSensor as _PoseSensor
from softdock.model.gnc import ReactionWheel as _ReactionWheel
from softdock.model.gnc import Thruster as _Thruster
from softdock.model.interfaces import Circle as _Circle
from softdock.model.interfaces import Grid as _Grid
from softdock.model.interfaces import HoleShape as _HoleShape
from softdock.model.interfaces import Interface as _Interface
from softdock.model.interfaces import Layout as _Layout
from softdock.model.interfaces import Misalignment as _Misalignment
from softdock.model.interfaces import PinContactLaw as _PinContactLaw
from softdock.model.interfaces import PinDamping as _PinDamping
from softdock.model.interfaces import PinFriction as _PinFriction
from softdock.model.interfaces import PinShape as _PinShape
from softdock.model.metrics import Metric as _Metric
from softdock.model.orbit import SystemOrbit as _SystemOrbit
from softdock.model.phases import Phase as _Phase
from softdock.model.profile_vertices import Corner as _Corner
from softdock.model.profile_vertices import Curve as _Curve
from softdock.model.requirements import Requirement as _Requirement
from softdock.model.solids import Box as _Box
from softdock.model.solids import Capsule as _Capsule
from softdock.model.solids import Cylinder as _Cylinder
from softdock.model.solids import Extrusion as _Extrusion
from softdock.model.solids import OutlineCorner as _OutlineCorner
from softdock.model.solids import OutlineCurve as _OutlineCurve
from softdock.model.solids import Revolution as _Revolution
from softdock.model.solids import SolidShape as _SolidShape
from softdock.model.solids import Sphere as _Sphere
from softdock.model.solids import Torus as _Torus
from softdock.model.solids import Union as _Union
from softdock.model.stiffness import LinkStiffness as _LinkStiffness
from softdock.model.structures import Flexible as _Flexible
from softdock.model.structures import ModeChoice as _ModeChoice
from softdock.model.structures import NastranFiles as _NastranFiles
from softdock.model.surfaces import Contact as _Contact
from softdock.model.surfaces import Friction as _Friction
from softdock.model.surfaces import Layer as _Layer
from softdock.model.surfaces import Surface as _Surface
from softdock.model.surfaces import Zone as _Zone
from softdock.model.system import Body as _Body
from softdock.model.system import FullInertia as _FullInertia
from softdock.model.system import System as _System
from softdock.scenario.run_settings import Accuracy as _Accuracy
from softdock.scenario.run_settings import Approach as _Approach
from softdock.scenario.run_settings import Impact as _Impact
from softdock.scenario.run_settings import Integrator as _Integrator
from softdock.scenario.run_settings import Record as _Record
from softdock.tree.frames import Anchor as _Anchor
from softdock.tree.joints import AxisAngle as _AxisAngle
from softdock.tree.joints import Cylindrical as _Cylindrical
from softdock.tree.joints import Fixed as _Fixed
from softdock.tree.joints import Free as _Free
from softdock.tree.joints import Planar as _Planar
from softdock.tree.joints import Prismatic as _Prismatic
from softdock.tree.joints import Revolute as _Revolute
from softdock.tree.joints import RollPitchYaw as _RollPitchYaw
from softdock.tree.joints import Spherical as _Spherical
from softdock.tree.joints import Universal as _Universal

__version__: str

_ScenarioLike = ScenarioBase | Mapping[str, Any] | str | os.PathLike[str]

def bundled() -> list[Bundled]: ...
def load(name_or_path: str | os.PathLike[str], overrides: Overrides = ...) -> Scenario: ...
def predict(scenario: _ScenarioLike, overrides: Overrides | None = ...) -> Mapping[str, Any] | None: ...
def simulate(
    scenario: _ScenarioLike,
    overrides: Overrides | None = ...,
    *,
    with_prediction: bool = ...,
    real_time: RealTime | None = ...,
    controller: UserController | None = ...,
) -> Result: ...

class Scenario(ScenarioBase):
    def __init__(
        self,
        source: _ScenarioLike | None = ...,
        /,
        overrides: Overrides = ...,
        *,
        name: str | None = ...,
        directory: str | os.PathLike[str] | None = ...,
        **fields: Any,
    ) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Accuracy(_Accuracy):
    """Error tolerances of one step."""

    def __init__(
        self,
        *,
        length: float | str = ...,
        angle: float | str = ...,
        speed: float | str = ...,
        rate: float | str = ...,
        force: float | str = ...,
    ) -> None: ...

class Action(_Action):
    """One action of an event or phase; exactly one key, except for `drive` with `target` and `control` with `mode`."""

    def __init__(
        self,
        *,
        enable: str | None = ...,
        disable: str | None = ...,
        bond: str | None = ...,
        arm: str | None = ...,
        disarm: str | None = ...,
        drive: str | None = ...,
        target: float | str | None = ...,
        control: str | None = ...,
        mode: Literal['drift', 'approach', 'hold', 'retreat', 'thrust', 'stabilise', 'transfer'] | None = ...,
        move: str | None = ...,
        stop: bool = ...,
    ) -> None: ...

class Anchor(_Anchor):
    """A frame on a body."""

    def __init__(
        self,
        *,
        body: str,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
    ) -> None: ...

class Approach(_Approach):
    """Initial state of a free chaser relative to the port of the target; overrides the state of its free joint."""

    def __init__(
        self,
        *,
        chaser: str,
        tip: _Anchor | Mapping[str, Any],
        port: _Anchor | Mapping[str, Any],
        distance: float | str = ...,
        offset: tuple[float | str, float | str] | Sequence[Any] = ...,
        tilt: tuple[float | str, float | str] | Sequence[Any] = ...,
        roll: float | str = ...,
        speed: float | str,
        lateral: tuple[float | str, float | str] | Sequence[Any] = ...,
        rate: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
    ) -> None: ...

class AssumedMass(_AssumedMass):
    """Mass properties that a controller assumes; the actual ones of the start where left out."""

    def __init__(
        self,
        *,
        mass: float | str | None = ...,
        centre_of_mass: tuple[float | str, float | str, float | str] | Sequence[Any] | None = ...,
        inertia: tuple[float | str, float | str, float | str] | Sequence[Any] | None = ...,
    ) -> None: ...

class AttitudeLaw(_AttitudeLaw):
    """Control of the attitude of the tip relative to the port."""

    def __init__(
        self,
        *,
        bandwidth: float | str | None = ...,
        damping: float | str = ...,
        regulator: _AttitudeRegulator | Mapping[str, Any] | None = ...,
        dead_band: float | str = ...,
    ) -> None: ...

class AttitudeRegulator(_AttitudeRegulator):
    """Weights of a linear-quadratic regulator: deviations that count as much as each other."""

    def __init__(
        self,
        *,
        angle: float | str,
        rate: float | str,
        acceleration: float | str,
    ) -> None: ...

class AxisAngle(_AxisAngle):
    """An attitude as one turn about an axis."""

    def __init__(
        self,
        *,
        axis: Literal['x', 'y', 'z', '-x', '-y', '-z'] | tuple[float | str, float | str, float | str] | Sequence[Any],
        angle: float | str,
    ) -> None: ...

class Body(_Body):
    """A rigid body and the joint that connects it to its parent."""

    def __init__(
        self,
        *,
        mass: float | str = ...,
        centre_of_mass: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        inertia: tuple[float | str, float | str, float | str] | Sequence[Any] | _FullInertia | Mapping[str, Any] = ...,
        parent: str = ...,
        joint: _Free | Mapping[str, Any] | _Fixed | _Revolute | _Prismatic | _Cylindrical | _Universal | _Spherical | _Planar = ...,
    ) -> None: ...

class Boundary(_Boundary):
    """Settings of the refinement of a boundary."""

    def __init__(
        self,
        *,
        initial: int | None = ...,
        holdout: int = ...,
        batch: int = ...,
        tolerance: float = ...,
    ) -> None: ...

class Box(_Box):
    """A box centred at its origin."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        size: tuple[float | str, float | str, float | str] | Sequence[Any],
    ) -> None: ...

class Capsule(_Capsule):
    """A cylinder about z with half balls at both ends, centred at its origin."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        radius: float | str,
        length: float | str,
    ) -> None: ...

class Circle(_Circle):
    """Places on a circle, the first one on the x axis."""

    def __init__(
        self,
        *,
        count: int,
        radius: float | str,
        phase: float | str = ...,
    ) -> None: ...

class Contact(_Contact):
    """Two surfaces that may touch: depth is measured below surface a, surface b is divided into cells."""

    def __init__(
        self,
        *,
        a: str,
        b: str,
        layer: _Layer | Mapping[str, Any],
        friction: _Friction | Mapping[str, Any] = ...,
        quadrature: Literal['cells', 'points'] = ...,
        spacing: float | str = ...,
        resolved_force: float | str = ...,
        mapping: Literal['distance', 'radial'] = ...,
        active: bool = ...,
    ) -> None: ...

class ContactBox(_ContactBox):
    """Limits of contact conditions: a largest size, or `[smallest, largest]`; conditions left out are not limited."""

    def __init__(
        self,
        *,
        axial_speed: float | str | tuple[float | str, float | str] | Sequence[Any] | None = ...,
        lateral_speed: float | str | tuple[float | str, float | str] | Sequence[Any] | None = ...,
        offset: float | str | tuple[float | str, float | str] | Sequence[Any] | None = ...,
        tilt: float | str | tuple[float | str, float | str] | Sequence[Any] | None = ...,
        roll: float | str | tuple[float | str, float | str] | Sequence[Any] | None = ...,
        tilt_rate: float | str | tuple[float | str, float | str] | Sequence[Any] | None = ...,
        roll_rate: float | str | tuple[float | str, float | str] | Sequence[Any] | None = ...,
    ) -> None: ...

class Controller(_Controller):
    """Controller of a free body: guidance, control and actuators, executed at its own rate."""

    def __init__(
        self,
        *,
        rate: float | str,
        mode: Literal['drift', 'approach', 'hold', 'retreat', 'thrust', 'stabilise', 'transfer'] = ...,
        tip: _Anchor | Mapping[str, Any] | None = ...,
        target: _Anchor | Mapping[str, Any],
        roll: float | str = ...,
        navigation: _Navigation | Mapping[str, Any] | None = ...,
        guidance: _Glide | Mapping[str, Any] | None = ...,
        transfer: _Transfer | Mapping[str, Any] | None = ...,
        translation: _TranslationLaw | Mapping[str, Any] | None = ...,
        attitude: _AttitudeLaw | Mapping[str, Any] | None = ...,
        feed_forward: bool = ...,
        thrust: float | str = ...,
        thrusters: Mapping[str, _Thruster | Mapping[str, Any]] = ...,
        wheels: Mapping[str, _ReactionWheel | Mapping[str, Any]] = ...,
        propellant: float | str | None = ...,
        assumed: _AssumedMass | Mapping[str, Any] = ...,
        seed: float | str = ...,
    ) -> None: ...

class Corner(_Corner):
    """A vertex of a profile, reached by a straight line and rounded by a fillet."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str] | Sequence[Any],
        fillet: float | str = ...,
    ) -> None: ...

class Correlation(_Correlation):
    """Correlated fields: correlation matrix of the underlying normal variables (Gaussian copula)."""

    def __init__(
        self,
        *,
        fields: Sequence[str],
        matrix: Sequence[Sequence[float]],
    ) -> None: ...

class Corridor(_Corridor):
    """Cone about the axis of the port that the tip must not leave during the approach."""

    def __init__(
        self,
        *,
        radius: float | str,
        half_angle: float | str = ...,
    ) -> None: ...

class Coupling(_Coupling):
    """A plug that is guided into a socket."""

    def __init__(
        self,
        *,
        plug: _Anchor | Mapping[str, Any],
        socket: _Anchor | Mapping[str, Any],
        stroke: float | str,
        limits: _CouplingLimits | Mapping[str, Any],
        capture_radius: float | str | None = ...,
        spring: _CouplingSpring | Mapping[str, Any] = ...,
        seal: _CouplingSeal | Mapping[str, Any] | None = ...,
        latch: _CouplingLatch | Mapping[str, Any] | None = ...,
        guidance: _CouplingGuidance | Mapping[str, Any] | None = ...,
        end_stop: _CouplingEndStop | Mapping[str, Any],
        lead_in: float | str = ...,
        tolerance: float | str = ...,
        active: bool = ...,
    ) -> None: ...

class CouplingEndStop(_CouplingEndStop):
    """End of the stroke; a jammed plug meets the same resistance at the face of the socket. It never pulls."""

    def __init__(
        self,
        *,
        stiffness: float | str,
        damping: float | str = ...,
    ) -> None: ...

class CouplingGuidance(_CouplingGuidance):
    """Centring of the plug in the socket, which sets in over the length `lead_in`; rotation about the axis is free."""

    def __init__(
        self,
        *,
        stiffness: float | str,
        angular_stiffness: float | str = ...,
        damping: float | str = ...,
        angular_damping: float | str = ...,
    ) -> None: ...

class CouplingLatch(_CouplingLatch):
    """Detent at the end of the stroke: resists over the first half of its width and pulls in over the second."""

    def __init__(
        self,
        *,
        force: float | str,
        width: float | str,
    ) -> None: ...

class CouplingLimits(_CouplingLimits):
    """Largest misalignment with which the plug enters the socket and mates."""

    def __init__(
        self,
        *,
        lateral: float | str,
        angle: float | str,
    ) -> None: ...

class CouplingSeal(_CouplingSeal):
    """Coulomb friction of a seal over a part of the stroke."""

    def __init__(
        self,
        *,
        friction: float | str,
        start: float | str = ...,
        end: float | str | None = ...,
        speed: float | str = ...,
    ) -> None: ...

class CouplingSpring(_CouplingSpring):
    """Spring that pushes the plug out of the socket: valve springs, spring-loaded contacts."""

    def __init__(
        self,
        *,
        stiffness: float | str = ...,
        preload: float | str = ...,
        start: float | str = ...,
    ) -> None: ...

class Crushable(_Crushable):
    """Crushable absorber, as honeycomb or foam: pushes back with its plateau force and remains deformed."""

    def __init__(
        self,
        *,
        joint: str,
        axis: int | None = ...,
        lower: float | str | None = ...,
        upper: float | str | None = ...,
        plateau: float | str,
        stroke: float | str,
        rebound_stiffness: float | str | None = ...,
        bottoming_stiffness: float | str | None = ...,
        crushed: float | str = ...,
        active: bool = ...,
    ) -> None: ...

class Curve(_Curve):
    """An arc from the vertex before: through a point, or with a radius and the side it turns to."""

    def __init__(
        self,
        *,
        arc_to: tuple[float | str, float | str] | Sequence[Any],
        through: tuple[float | str, float | str] | Sequence[Any] | None = ...,
        radius: float | str | None = ...,
        turn: Literal['left', 'right'] | None = ...,
    ) -> None: ...

class Cylinder(_Cylinder):
    """A cylinder about z, centred at its origin."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        radius: float | str,
        height: float | str,
    ) -> None: ...

class Cylindrical(_Cylindrical):
    """Slides along an axis and turns about it: a probe that may roll in its sleeve."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        axis: Literal['x', 'y', 'z', '-x', '-y', '-z'] | tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        position: float | str = ...,
        speed: float | str = ...,
        angle: float | str = ...,
        rate: float | str = ...,
    ) -> None: ...

class Dispersion(_Dispersion):
    """Distribution of a field; exactly one key, except for `weights` with `choice` and `axial` with `lateral`."""

    def __init__(
        self,
        *,
        uniform: tuple[Any, Any] | Sequence[Any] | None = ...,
        log_uniform: tuple[Any, Any] | Sequence[Any] | None = ...,
        normal: _Normal | Mapping[str, Any] | None = ...,
        choice: Sequence[Any] | None = ...,
        weights: Sequence[float] | None = ...,
        magnitude: Any | Mapping[str, Any] | None = ...,
        lateral: Any | Mapping[str, Any] | None = ...,
        axial: Any | Mapping[str, Any] | None = ...,
    ) -> None: ...

class Drive(_Drive):
    """Motor with a transmission that follows a profile of position or speed to its target, within its limits."""

    def __init__(
        self,
        *,
        joint: str,
        axis: int | None = ...,
        follows: Literal['position', 'speed'] = ...,
        target: float | str,
        profile: Literal['ramp', 'trapezoidal', 's-curve'] = ...,
        rate: float | str | None = ...,
        acceleration: float | str | None = ...,
        jerk: float | str | None = ...,
        stiffness: float | str = ...,
        damping: float | str = ...,
        max_force: float | str | None = ...,
        max_power: float | str | None = ...,
        backlash: float | str = ...,
        friction: float | str = ...,
        static_friction: float | str | None = ...,
        friction_law: Literal['stick', 'smooth'] = ...,
        viscous_friction: float | str = ...,
        friction_speed: float | str = ...,
        efficiency: float | str = ...,
        self_locking: bool = ...,
        stall_speed: float | str | None = ...,
        active: bool = ...,
    ) -> None: ...

class EngagementWindow(_EngagementWindow):
    """How close two frames must be so that a connection between them engages when it is switched on."""

    def __init__(
        self,
        *,
        distance: float | str,
        angle: float | str,
    ) -> None: ...

class Event(_Event):
    """A condition and the actions when it becomes true."""

    def __init__(
        self,
        *,
        when: str,
        then: Sequence[_Action | Mapping[str, Any]] = ...,
        message: str = ...,
        once: bool = ...,
        armed: bool = ...,
        opens: bool = ...,
    ) -> None: ...

class Exponential(_Exponential):
    """Stiffness that grows with the deflection s: k (1 + (s / reference)^exponent)."""

    def __init__(
        self,
        *,
        reference: float | str,
        exponent: float | str = ...,
    ) -> None: ...

class Extrusion(_Extrusion):
    """The solid between z = 0 and a height whose section is an outline."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        outline: Sequence[tuple[float | str, float | str] | Sequence[Any] | _OutlineCorner | Mapping[str, Any] | _OutlineCurve],
        height: float | str,
    ) -> None: ...

class Filter(_Filter):
    """Assumptions of the Kalman filters."""

    def __init__(
        self,
        *,
        drift: float | str = ...,
        position: float | str = ...,
        speed: float | str = ...,
        angle: float | str = ...,
        bias: float | str = ...,
    ) -> None: ...

class Fixed(_Fixed):
    """Rigidly attached."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
    ) -> None: ...

class Flexible(_Flexible):
    """A flexible structure that is clamped to a body by its base node; exactly one of members, file and nastran."""

    def __init__(
        self,
        *,
        body: str,
        base: str | int,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        members: Any | Mapping[str, Any] | None = ...,
        file: str | None = ...,
        nastran: _NastranFiles | Mapping[str, Any] | None = ...,
        damping: float | str | Sequence[float | str] = ...,
        settled: bool = ...,
        modes: int | Literal['all'] | _ModeChoice | Mapping[str, Any] = ...,
    ) -> None: ...

class Free(_Free):
    """Free motion in six degrees of freedom; the parent must be the world."""

    def __init__(
        self,
        *,
        position: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        velocity: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        rate: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
    ) -> None: ...

class Friction(_Friction):
    """Coulomb friction with tangential elasticity, or regularised by the sliding speed."""

    def __init__(
        self,
        *,
        coefficient: float | str = ...,
        speed: float | str = ...,
        law: Literal['elastic', 'smooth', 'ramp'] = ...,
    ) -> None: ...

class FullInertia(_FullInertia):
    """All six moments of inertia about the centre of mass, in body axes."""

    def __init__(
        self,
        *,
        xx: float | str,
        yy: float | str,
        zz: float | str,
        xy: float | str = ...,
        xz: float | str = ...,
        yz: float | str = ...,
    ) -> None: ...

class Gate(_Gate):
    """Limits of errors for going on; those left out do not count."""

    def __init__(
        self,
        *,
        position: float | str | None = ...,
        speed: float | str | None = ...,
        angle: float | str | None = ...,
        rate: float | str | None = ...,
    ) -> None: ...

class Glide(_Glide):
    """Guidance along the axis of the port: closing speed = distance / time constant, within limits."""

    def __init__(
        self,
        *,
        time_constant: float | str = ...,
        min_speed: float | str,
        max_speed: float | str,
        acceleration: float | str = ...,
        end: float | str = ...,
        holds: Sequence[_HoldPoint | Mapping[str, Any]] = ...,
        corridor: _Corridor | Mapping[str, Any] | None = ...,
        retreat: float | str | None = ...,
    ) -> None: ...

class Grid(_Grid):
    """Places in rows (along y) and columns (along x), the middle of all at the origin."""

    def __init__(
        self,
        *,
        rows: int,
        columns: int,
        pitch: float | str,
    ) -> None: ...

class Gyro(_Gyro):
    """Gyro, sampled with the controller."""

    def __init__(
        self,
        *,
        noise: float | str = ...,
        bias: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        random_walk: float | str = ...,
    ) -> None: ...

class HoldPoint(_HoldPoint):
    """A point on the axis of the port where the approach waits."""

    def __init__(
        self,
        *,
        distance: float | str,
        duration: float | str = ...,
        gate: _Gate | Mapping[str, Any] = ...,
        patience: float | str | None = ...,
    ) -> None: ...

class HoleShape(_HoleShape):
    """A hole for a pin: as wide as the pin and the clearance make it."""

    def __init__(
        self,
        *,
        clearance: float | str = ...,
        depth: float | str,
        through: bool = ...,
        chamfer: float | str = ...,
        chamfer_angle: float | str = ...,
        box: tuple[float | str, float | str] | Sequence[Any] | None = ...,
    ) -> None: ...

class Impact(_Impact):
    """Impact point for the prediction; found from the contacts if left out."""

    def __init__(
        self,
        *,
        a: _Anchor | Mapping[str, Any],
        b: _Anchor | Mapping[str, Any],
        normal: Literal['x', 'y', 'z', '-x', '-y', '-z'] | tuple[float | str, float | str, float | str] | Sequence[Any],
        restitution: float | str = ...,
    ) -> None: ...

class Integrator(_Integrator):
    """Settings of the time integration."""

    def __init__(
        self,
        *,
        method: Literal['automatic', 'dormand-prince', 'bogacki-shampine', 'rosenbrock', 'rk4'] = ...,
        step: float | str | None = ...,
        accuracy: _Accuracy | Mapping[str, Any] = ...,
        max_step: float | str | None = ...,
        max_steps: int = ...,
    ) -> None: ...

class Interface(_Interface):
    """Pins on one body against holes in another; pin number i belongs to hole number i."""

    def __init__(
        self,
        *,
        pins: _Anchor | Mapping[str, Any],
        holes: _Anchor | Mapping[str, Any],
        layout: _Layout | Mapping[str, Any],
        pin: _PinShape | Mapping[str, Any],
        hole: _HoleShape | Mapping[str, Any],
        misalignment: _Misalignment | Mapping[str, Any] = ...,
        contact: _PinContactLaw | Mapping[str, Any],
        rim: Literal['direct', 'search'] = ...,
        levels: int = ...,
        active: bool = ...,
    ) -> None: ...

class Layer(_Layer):
    """Elastic layer between two surfaces: its areal stiffness, or the material that it is made of."""

    def __init__(
        self,
        *,
        stiffness: float | str | None = ...,
        youngs_modulus: float | str | None = ...,
        poisson_ratio: float | str | None = ...,
        thickness: float | str | None = ...,
        damping: float | str = ...,
        damping_depth: float | str = ...,
        strength: float | str | None = ...,
        tangential_stiffness: float | str | None = ...,
    ) -> None: ...

class Layout(_Layout):
    """Where the pins are on their plate, and the holes on theirs: exactly one of the three."""

    def __init__(
        self,
        *,
        circle: _Circle | Mapping[str, Any] | None = ...,
        grid: _Grid | Mapping[str, Any] | None = ...,
        places: Sequence[tuple[float | str, float | str] | Sequence[Any]] | None = ...,
    ) -> None: ...

class LinkStiffness(_LinkStiffness):
    """Static stiffness of everything that connects two frames, at the end of the run."""

    def __init__(
        self,
        *,
        a: _Anchor | Mapping[str, Any],
        b: _Anchor | Mapping[str, Any],
    ) -> None: ...

class Load(_Load):
    """External force and torque: constant, in pulses, or by a table of steps."""

    def __init__(
        self,
        *,
        body: str,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        node: str | None = ...,
        force: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        torque: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        axes: Literal['body', 'world'] = ...,
        pulses: Sequence[_Pulse | Mapping[str, Any]] = ...,
        table: Sequence[tuple[float | str, float | str] | Sequence[Any]] = ...,
        active: bool = ...,
    ) -> None: ...

class Lock(_Lock):
    """Rigid connection of two frames, made by an impulse when it is switched on."""

    def __init__(
        self,
        *,
        a: _Anchor | Mapping[str, Any],
        b: _Anchor | Mapping[str, Any],
        active: bool = ...,
        window: _EngagementWindow | Mapping[str, Any] | None = ...,
    ) -> None: ...

class Margin(_Margin):
    """Continuous distance of a run from failure; a run fails where the margin is at most 0."""

    def __init__(
        self,
        *,
        metric: str,
        at_least: Any = ...,
        at_most: Any = ...,
    ) -> None: ...

class Metric(_Metric):
    """One number of a run: a statistic of a formula in a window, a time of events, or the duration of a phase."""

    def __init__(
        self,
        *,
        max: str | None = ...,
        min: str | None = ...,
        start: str | None = ...,
        final: str | None = ...,
        mean: str | None = ...,
        rms: str | None = ...,
        integral: str | None = ...,
        absolute: bool = ...,
        time_of: str | None = ...,
        time_from: tuple[str, str] | Sequence[Any] | None = ...,
        duration_of: str | None = ...,
        after: str | None = ...,
        before: str | None = ...,
        between: tuple[str, str] | Sequence[Any] | None = ...,
        within: tuple[float | str, str] | Sequence[Any] | None = ...,
        during: str | None = ...,
    ) -> None: ...

class Misalignment(_Misalignment):
    """Deviation of the pins from their nominal frame."""

    def __init__(
        self,
        *,
        offset: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        tilt: tuple[float | str, float | str] | Sequence[Any] = ...,
        roll: float | str = ...,
        scatter: float | str = ...,
        seed: int = ...,
    ) -> None: ...

class ModeChoice(_ModeChoice):
    """Which modes are kept: one way to choose."""

    def __init__(
        self,
        *,
        below: float | str | None = ...,
        share: float | str | None = ...,
        residual: float | str | None = ...,
    ) -> None: ...

class NastranFiles(_NastranFiles):
    """Modes that Nastran computed."""

    def __init__(
        self,
        *,
        bulk: str,
        eigenvectors: str,
    ) -> None: ...

class Navigation(_Navigation):
    """Sensors and filters; without them the controller knows the relative motion exactly."""

    def __init__(
        self,
        *,
        sensor: _PoseSensor | Mapping[str, Any],
        gyro: _Gyro | Mapping[str, Any] = ...,
        filter: _Filter | Mapping[str, Any] = ...,
    ) -> None: ...

class Normal(_Normal):
    """A normal distribution, truncated at the limits where they are given."""

    def __init__(
        self,
        *,
        mean: Any,
        deviation: Any,
        low: Any = ...,
        high: Any = ...,
    ) -> None: ...

class Outcome(_Outcome):
    """An outcome and its conditions; the first outcome of the list whose conditions hold applies."""

    def __init__(
        self,
        *,
        name: str,
        message: str,
        happened: Sequence[str] = ...,
        not_happened: Sequence[str] = ...,
    ) -> None: ...

class OutlineCorner(_OutlineCorner):
    """A vertex of an outline, reached by a straight line and rounded by a fillet."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str] | Sequence[Any],
        fillet: float | str = ...,
    ) -> None: ...

class OutlineCurve(_OutlineCurve):
    """An arc of an outline, from the vertex before through a point."""

    def __init__(
        self,
        *,
        arc_to: tuple[float | str, float | str] | Sequence[Any],
        through: tuple[float | str, float | str] | Sequence[Any],
    ) -> None: ...

class Phase(_Phase):
    """One phase of a sequence. The first phase begins with the run, each other one when the phase before it ends."""

    def __init__(
        self,
        *,
        name: str,
        do: Sequence[_Action | Mapping[str, Any]] = ...,
        until: str,
        within: float | str | None = ...,
        otherwise: str | None = ...,
        message: str = ...,
        next: str | None = ...,
    ) -> None: ...

class PinContactLaw(_PinContactLaw):
    """Law of every contact of a pin."""

    def __init__(
        self,
        *,
        stiffness: float | str,
        damping: _PinDamping | Mapping[str, Any] = ...,
        friction: _PinFriction | Mapping[str, Any] = ...,
    ) -> None: ...

class PinDamping(_PinDamping):
    """Damping of one contact."""

    def __init__(
        self,
        *,
        law: Literal['hunt-crossley', 'kelvin-voigt'] = ...,
        factor: float | str | None = ...,
        coefficient: float | str | None = ...,
    ) -> None: ...

class PinFriction(_PinFriction):
    """Regularised Coulomb friction, optionally with a larger coefficient at rest (Stribeck)."""

    def __init__(
        self,
        *,
        coefficient: float | str = ...,
        speed: float | str = ...,
        law: Literal['smooth', 'ramp'] = ...,
        at_rest: float | str | None = ...,
        stribeck_speed: float | str = ...,
    ) -> None: ...

class PinShape(_PinShape):
    """A pin that stands out of its plate."""

    def __init__(
        self,
        *,
        diameter: float | str,
        length: float | str,
    ) -> None: ...

class Planar(_Planar):
    """Slides in the x-y plane of the joint frame and turns about its z axis: an air-bearing table."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        position: tuple[float | str, float | str] | Sequence[Any] = ...,
        angle: float | str = ...,
        velocity: tuple[float | str, float | str] | Sequence[Any] = ...,
        rate: float | str = ...,
    ) -> None: ...

class PoseSensor(_PoseSensor):
    """Sensor of position and attitude of the tip relative to the port."""

    def __init__(
        self,
        *,
        rate: float | str,
        latency: float | str = ...,
        noise: float | str = ...,
        noise_per_range: float | str = ...,
        bias: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        angle_noise: float | str = ...,
        angle_noise_per_range: float | str = ...,
        angle_bias: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        field_of_view: float | str = ...,
        drop_out: float | str = ...,
    ) -> None: ...

class Prismatic(_Prismatic):
    """Slides along one axis."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        axis: Literal['x', 'y', 'z', '-x', '-y', '-z'] | tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        position: float | str = ...,
        speed: float | str = ...,
    ) -> None: ...

class Pulse(_Pulse):
    """A time span in which a load acts."""

    def __init__(
        self,
        *,
        start: float | str,
        duration: float | str,
        scale: float | str = ...,
    ) -> None: ...

class ReactionWheel(_ReactionWheel):
    """A body on a revolute joint of the controlled body, with a motor that the controller commands."""

    def __init__(
        self,
        *,
        body: str,
        max_torque: float | str,
        max_momentum: float | str,
    ) -> None: ...

class Record(_Record):
    """Recording of the history."""

    def __init__(
        self,
        *,
        rate: float | str = ...,
        contact_steps: bool = ...,
        all: bool = ...,
        also: Sequence[str] = ...,
        peaks: bool = ...,
        loads: bool = ...,
        max_rows: int = ...,
    ) -> None: ...

class Reel(_Reel):
    """Reel of a tether: winds its free length to a target; its clutch slips where the tension reaches a limit."""

    def __init__(
        self,
        *,
        speed: float | str,
        force_limit: float | str,
        target: float | str | None = ...,
        response: float | str = ...,
    ) -> None: ...

class Requirement(_Requirement):
    """A requirement on a run; it has exactly one of `metric`, `outcome` and `conditions`."""

    def __init__(
        self,
        *,
        text: str = ...,
        source: str = ...,
        metric: str | _Metric | None = ...,
        at_most: Any | None = ...,
        at_least: Any | None = ...,
        within: tuple[Any, Any] | Sequence[Any] | None = ...,
        outcome: Sequence[str] | None = ...,
        conditions: str | _ContactBox | Mapping[str, Any] | None = ...,
        factor: float | str = ...,
        probability: float | str | None = ...,
        confidence: float | str = ...,
    ) -> None: ...

class Revolute(_Revolute):
    """Turns about one axis."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        axis: Literal['x', 'y', 'z', '-x', '-y', '-z'] | tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        angle: float | str = ...,
        rate: float | str = ...,
    ) -> None: ...

class Revolution(_Revolution):
    """The solid that a profile sweeps around the z axis."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        profile: Sequence[tuple[float | str, float | str] | Sequence[Any] | _Corner | Mapping[str, Any] | _Curve],
    ) -> None: ...

class RollPitchYaw(_RollPitchYaw):
    """An attitude as turns about x, then y, then z of the fixed frame."""

    def __init__(
        self,
        *,
        roll: float | str = ...,
        pitch: float | str = ...,
        yaw: float | str = ...,
    ) -> None: ...

class SolidShape(_SolidShape):
    """A solid of one kind, by its name; in Python a solid itself may be given instead."""

    def __init__(
        self,
        *,
        box: _Box | Mapping[str, Any] | None = ...,
        cylinder: _Cylinder | Mapping[str, Any] | None = ...,
        sphere: _Sphere | Mapping[str, Any] | None = ...,
        capsule: _Capsule | Mapping[str, Any] | None = ...,
        torus: _Torus | Mapping[str, Any] | None = ...,
        revolution: _Revolution | Mapping[str, Any] | None = ...,
        extrusion: _Extrusion | Mapping[str, Any] | None = ...,
        union: _Union | Mapping[str, Any] | None = ...,
    ) -> None: ...

class Sphere(_Sphere):
    """A ball about its origin."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        radius: float | str,
    ) -> None: ...

class Spherical(_Spherical):
    """Turns freely about a point; springs and stops on it support deflections up to half a turn."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        turned: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        rate: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
    ) -> None: ...

class Spring(_Spring):
    """Spring and damper along a joint. On a joint of several axes it acts on the whole deflection."""

    def __init__(
        self,
        *,
        joint: str,
        axis: int | None = ...,
        stiffness: float | str = ...,
        exponential: _Exponential | Mapping[str, Any] | None = ...,
        rest: float | str = ...,
        preload: float | str = ...,
        damping: float | str = ...,
        friction: float | str = ...,
        static_friction: float | str | None = ...,
        friction_law: Literal['stick', 'smooth'] = ...,
        friction_speed: float | str = ...,
        active: bool = ...,
    ) -> None: ...

class Stop(_Stop):
    """End stop that pushes back outside its limits and never pulls; on a spherical joint within half a turn only."""

    def __init__(
        self,
        *,
        joint: str,
        axis: int | None = ...,
        lower: float | str | None = ...,
        upper: float | str | None = ...,
        limit: float | str | None = ...,
        stiffness: float | str,
        damping: float | str = ...,
        active: bool = ...,
    ) -> None: ...

class StopRule(_StopRule):
    """Ends a campaign early, once the success rate is known accurately enough."""

    def __init__(
        self,
        *,
        metric: Literal['success'] = ...,
        half_width: float,
        confidence: float = ...,
        minimum: int = ...,
        every: int = ...,
    ) -> None: ...

class Strut(_Strut):
    """Spring and damper along the line between two points."""

    def __init__(
        self,
        *,
        a: _Anchor | Mapping[str, Any],
        b: _Anchor | Mapping[str, Any],
        stiffness: float | str = ...,
        damping: float | str = ...,
        length: float | str = ...,
        preload: float | str = ...,
        active: bool = ...,
    ) -> None: ...

class Subset(_Subset):
    """Settings of subset simulation."""

    def __init__(
        self,
        *,
        level_runs: int = ...,
        level_probability: float = ...,
        levels: int = ...,
        confidence: float = ...,
    ) -> None: ...

class Surface(_Surface):
    """A surface on a body: of revolution, or that of a solid of any shape; from a CAD file or given here."""

    def __init__(
        self,
        *,
        body: str,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        file: str | None = ...,
        solid: _SolidShape | Mapping[str, Any] | None = ...,
        profile: Sequence[tuple[float | str, float | str] | Sequence[Any] | _Corner | Mapping[str, Any] | _Curve] | None = ...,
        shape: Literal['automatic', 'revolution', 'general'] = ...,
        side: Literal['outside', 'inside'] | None = ...,
        part: str | int | None = ...,
        unit: str | None = ...,
        z_range: tuple[float | str, float | str] | Sequence[Any] | None = ...,
        ignore: Sequence[int | Any | Mapping[str, Any]] = ...,
        zones: Mapping[str, tuple[float | str, float | str] | Sequence[Any] | _Zone | Mapping[str, Any]] = ...,
    ) -> None: ...

class System(_System):
    """Bodies, elements, structures, contacts and loads of a multibody system; gravity is in m/s^2."""

    def __init__(
        self,
        *,
        bodies: Mapping[str, _Body | Mapping[str, Any]],
        springs: Mapping[str, _Spring | Mapping[str, Any]] = ...,
        stops: Mapping[str, _Stop | Mapping[str, Any]] = ...,
        drives: Mapping[str, _Drive | Mapping[str, Any]] = ...,
        struts: Mapping[str, _Strut | Mapping[str, Any]] = ...,
        crushables: Mapping[str, _Crushable | Mapping[str, Any]] = ...,
        tethers: Mapping[str, _Tether | Mapping[str, Any]] = ...,
        welds: Mapping[str, _Weld | Mapping[str, Any]] = ...,
        locks: Mapping[str, _Lock | Mapping[str, Any]] = ...,
        couplings: Mapping[str, _Coupling | Mapping[str, Any]] = ...,
        loads: Mapping[str, _Load | Mapping[str, Any]] = ...,
        structures: Mapping[str, _Flexible | Mapping[str, Any]] = ...,
        surfaces: Mapping[str, _Surface | Mapping[str, Any]] = ...,
        contacts: Mapping[str, _Contact | Mapping[str, Any]] = ...,
        interfaces: Mapping[str, _Interface | Mapping[str, Any]] = ...,
        reactions: Mapping[str, _Anchor | Mapping[str, Any]] = ...,
        gravity: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        orbit: _SystemOrbit | Mapping[str, Any] | None = ...,
        gnc: Mapping[str, _Controller | Mapping[str, Any]] = ...,
    ) -> None: ...

class SystemOrbit(_SystemOrbit):
    """Orbit of the origin of the world frame."""

    def __init__(
        self,
        *,
        altitude: float | str,
        eccentricity: float | str = ...,
        inclination: float | str = ...,
        ascending_node: float | str = ...,
        perigee: float | str = ...,
        anomaly: float | str = ...,
        j2: bool = ...,
        start: Literal['hill', 'world'] = ...,
        density: float | str = ...,
        sun: tuple[float | str, float | str, float | str] | Sequence[Any] | None = ...,
        eclipse: Literal['conical', 'cylindrical', 'none'] = ...,
        plates: Mapping[str, Any | Mapping[str, Any]] = ...,
    ) -> None: ...

class Tether(_Tether):
    """Cable between two points: pulls beyond its free length and never pushes; with a reel its length changes."""

    def __init__(
        self,
        *,
        a: _Anchor | Mapping[str, Any],
        b: _Anchor | Mapping[str, Any],
        stiffness: float | str,
        damping: float | str = ...,
        length: float | str,
        reel: _Reel | Mapping[str, Any] | None = ...,
        active: bool = ...,
    ) -> None: ...

class Thruster(_Thruster):
    """A thruster of a controlled body."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any],
        direction: tuple[float | str, float | str, float | str] | Sequence[Any],
        thrust: float | str,
        specific_impulse: float | str = ...,
        minimum_on_time: float | str = ...,
        delay: float | str = ...,
        thrust_error: float | str = ...,
        misalignment: tuple[float | str, float | str] | Sequence[Any] = ...,
        noise: float | str = ...,
    ) -> None: ...

class Torus(_Torus):
    """A ring about z, centred at its origin."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        radius: float | str,
        tube: float | str,
    ) -> None: ...

class Transfer(_Transfer):
    """Motion of the tip to a point, where it is then held."""

    def __init__(
        self,
        *,
        to: tuple[float | str, float | str, float | str] | Sequence[Any],
        duration: float | str,
        path: Literal['orbital', 'straight'] = ...,
    ) -> None: ...

class TranslationLaw(_TranslationLaw):
    """Control of the position of the tip relative to the port."""

    def __init__(
        self,
        *,
        bandwidth: float | str | None = ...,
        damping: float | str = ...,
        regulator: _TranslationRegulator | Mapping[str, Any] | None = ...,
        dead_band: float | str = ...,
    ) -> None: ...

class TranslationRegulator(_TranslationRegulator):
    """Weights of a linear-quadratic regulator: deviations that count as much as each other."""

    def __init__(
        self,
        *,
        position: float | str,
        speed: float | str,
        acceleration: float | str,
    ) -> None: ...

class Union(_Union):
    """Solids that overlap and make one."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        parts: Sequence[_SolidShape | Mapping[str, Any]],
    ) -> None: ...

class Universal(_Universal):
    """Turns about a first axis fixed in the parent, then about a second one fixed in the body."""

    def __init__(
        self,
        *,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        axes: tuple[Literal['x', 'y', 'z', '-x', '-y', '-z'] | tuple[float | str, float | str, float | str] | Sequence[Any], Literal['x', 'y', 'z', '-x', '-y', '-z'] | tuple[float | str, float | str, float | str] | Sequence[Any]] | Sequence[Any] = ...,
        angles: tuple[float | str, float | str] | Sequence[Any] = ...,
        rates: tuple[float | str, float | str] | Sequence[Any] = ...,
    ) -> None: ...

class Weld(_Weld):
    """Compliant connection of two frames that keeps the relative pose they have when it is switched on."""

    def __init__(
        self,
        *,
        a: _Anchor | Mapping[str, Any],
        b: _Anchor | Mapping[str, Any],
        stiffness: float | str,
        angular_stiffness: float | str,
        damping: float | str = ...,
        angular_damping: float | str = ...,
        active: bool = ...,
        window: _EngagementWindow | Mapping[str, Any] | None = ...,
    ) -> None: ...

class Zone(_Zone):
    """A part of the surface of a solid: what lies in a box, of all or of some faces."""

    def __init__(
        self,
        *,
        box: tuple[tuple[float | str, float | str, float | str] | Sequence[Any], tuple[float | str, float | str, float | str] | Sequence[Any]] | Sequence[Any] | None = ...,
        faces: Sequence[int | str] | None = ...,
    ) -> None: ...
