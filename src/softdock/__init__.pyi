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
from softdock.simulation.control import UserController
from softdock.simulation.real_time import RealTime

from softdock.campaign.model import Dispersion as _Dispersion
from softdock.campaign.model import Normal as _Normal
from softdock.model.couplings import Coupling as _Coupling
from softdock.model.elements import Drive as _Drive
from softdock.model.elements import Exponential as _Exponential
from softdock.model.elements import Load as _Load
from softdock.model.elements import Lock as _Lock
from softdock.model.elements import Pulse as _Pulse
from softdock.model.elements import Spring as _Spring
from softdock.model.elements import Stop as _Stop
from softdock.model.elements import Strut as _Strut
from softdock.model.elements import Weld as _Weld
from softdock.model.events import Action as _Action
from softdock.model.events import Event as _Event
from softdock.model.events import Outcome as _Outcome
from softdock.model.frames import Anchor as _Anchor
from softdock.model.gnc import Controller as _Controller
from softdock.model.interfaces import Interface as _Interface
from softdock.model.joints import AxisAngle as _AxisAngle
from softdock.model.joints import Fixed as _Fixed
from softdock.model.joints import Free as _Free
from softdock.model.joints import Planar as _Planar
from softdock.model.joints import Prismatic as _Prismatic
from softdock.model.joints import Revolute as _Revolute
from softdock.model.joints import RollPitchYaw as _RollPitchYaw
from softdock.model.joints import Spherical as _Spherical
from softdock.model.joints import Universal as _Universal
from softdock.model.orbit import SystemOrbit as _SystemOrbit
from softdock.model.phases import Phase as _Phase
from softdock.model.requirements import Requirement as _Requirement
from softdock.model.structures import Flexible as _Flexible
from softdock.model.surfaces import Contact as _Contact
from softdock.model.surfaces import Corner as _Corner
from softdock.model.surfaces import Curve as _Curve
from softdock.model.surfaces import Friction as _Friction
from softdock.model.surfaces import Layer as _Layer
from softdock.model.surfaces import Surface as _Surface
from softdock.model.system import Body as _Body
from softdock.model.system import FullInertia as _FullInertia
from softdock.model.system import System as _System
from softdock.scenario.multibody import Accuracy as _Accuracy
from softdock.scenario.multibody import Approach as _Approach
from softdock.scenario.multibody import Impact as _Impact
from softdock.scenario.multibody import Integrator as _Integrator
from softdock.scenario.multibody import Record as _Record

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
    ) -> None: ...

class Action(_Action):
    """One action of an event or phase; exactly one key, except for `drive` with `target` and `control` with `mode`."""

    def __init__(
        self,
        *,
        enable: str | None = ...,
        disable: str | None = ...,
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
        joint: _Free | Mapping[str, Any] | _Fixed | _Revolute | _Prismatic | _Universal | _Spherical | _Planar = ...,
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
        navigation: Any | Mapping[str, Any] | None = ...,
        guidance: Any | Mapping[str, Any] | None = ...,
        transfer: Any | Mapping[str, Any] | None = ...,
        translation: Any | Mapping[str, Any] | None = ...,
        attitude: Any | Mapping[str, Any] | None = ...,
        feed_forward: bool = ...,
        thrust: float | str = ...,
        thrusters: Mapping[str, Any | Mapping[str, Any]] = ...,
        wheels: Mapping[str, Any | Mapping[str, Any]] = ...,
        propellant: float | str | None = ...,
        assumed: Any | Mapping[str, Any] = ...,
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

class Coupling(_Coupling):
    """A plug that is guided into a socket."""

    def __init__(
        self,
        *,
        plug: _Anchor | Mapping[str, Any],
        socket: _Anchor | Mapping[str, Any],
        stroke: float | str,
        limits: Any | Mapping[str, Any],
        spring: Any | Mapping[str, Any] = ...,
        seal: Any | Mapping[str, Any] | None = ...,
        latch: Any | Mapping[str, Any] | None = ...,
        guidance: Any | Mapping[str, Any] | None = ...,
        end_stop: Any | Mapping[str, Any],
        lead_in: float | str = ...,
        tolerance: float | str = ...,
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
        viscous_friction: float | str = ...,
        friction_speed: float | str = ...,
        efficiency: float | str = ...,
        self_locking: bool = ...,
        stall_speed: float | str | None = ...,
        active: bool = ...,
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
        nastran: Any | Mapping[str, Any] | None = ...,
        damping: float | str | Sequence[float | str] = ...,
        settled: bool = ...,
        modes: int | Literal['all'] | Any | Mapping[str, Any] = ...,
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
    """Regularised Coulomb friction."""

    def __init__(
        self,
        *,
        coefficient: float | str = ...,
        speed: float | str = ...,
        law: Literal['smooth', 'ramp'] = ...,
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
        pins: Any | Mapping[str, Any],
        holes: Any | Mapping[str, Any],
        layout: Any | Mapping[str, Any],
        pin: Any | Mapping[str, Any],
        hole: Any | Mapping[str, Any],
        misalignment: Any | Mapping[str, Any] = ...,
        contact: Any | Mapping[str, Any],
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

class Record(_Record):
    """Recording of the history."""

    def __init__(
        self,
        *,
        rate: float | str = ...,
        contact_steps: bool = ...,
        also: Sequence[str] = ...,
        peaks: bool = ...,
        loads: bool = ...,
        max_rows: int = ...,
    ) -> None: ...

class Requirement(_Requirement):
    """A requirement on a run; it has exactly one of `metric`, `outcome` and `conditions`."""

    def __init__(
        self,
        *,
        text: str = ...,
        source: str = ...,
        metric: str | None = ...,
        at_most: Any | None = ...,
        at_least: Any | None = ...,
        within: tuple[Any, Any] | Sequence[Any] | None = ...,
        outcome: Sequence[str] | None = ...,
        conditions: str | Any | Mapping[str, Any] | None = ...,
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

class RollPitchYaw(_RollPitchYaw):
    """An attitude as turns about x, then y, then z of the fixed frame."""

    def __init__(
        self,
        *,
        roll: float | str = ...,
        pitch: float | str = ...,
        yaw: float | str = ...,
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

class Surface(_Surface):
    """A surface of revolution on a body, from a CAD file or from a profile in the scenario."""

    def __init__(
        self,
        *,
        body: str,
        at: tuple[float | str, float | str, float | str] | Sequence[Any] = ...,
        attitude: tuple[float | str, float | str, float | str, float | str] | Sequence[Any] | _RollPitchYaw | Mapping[str, Any] | _AxisAngle = ...,
        file: str | None = ...,
        side: Literal['outside', 'inside'] | None = ...,
        part: str | int | None = ...,
        unit: str | None = ...,
        z_range: tuple[float | str, float | str] | Sequence[Any] | None = ...,
        profile: Sequence[tuple[float | str, float | str] | Sequence[Any] | _Corner | Mapping[str, Any] | _Curve] | None = ...,
        zones: Mapping[str, tuple[float | str, float | str] | Sequence[Any]] = ...,
    ) -> None: ...

class System(_System):
    """Bodies, elements, structures, contacts and loads of a multibody system."""

    def __init__(
        self,
        *,
        bodies: Mapping[str, _Body | Mapping[str, Any]],
        springs: Mapping[str, _Spring | Mapping[str, Any]] = ...,
        stops: Mapping[str, _Stop | Mapping[str, Any]] = ...,
        drives: Mapping[str, _Drive | Mapping[str, Any]] = ...,
        struts: Mapping[str, _Strut | Mapping[str, Any]] = ...,
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
    ) -> None: ...
