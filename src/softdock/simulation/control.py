"""User-defined controllers in Python: what they measure, what they command, and the simulated system that they control.

A controller is sampled at a fixed period. Its commands are constant until the next sample (zero-order hold): forces
and torques on free bodies, as of thrusters, and efforts at joints. Their work is part of the conservation check.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.run_results import Ending
from softdock.dynamics.session import Session
from softdock.elements.load.model import Load
from softdock.errors import InputError
from softdock.scenario.base import ScenarioBase
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.multibody import PreparedMultibody
from softdock.spatial.rotations import matrix_from_quaternion
from softdock.tree.joints import Free

Floats = NDArray[np.float64]
ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class BodyMotion:
    """Measured motion of a free body against the world N.

    >>> import numpy as np
    >>> from softdock import BodyMotion
    >>> BodyMotion(p=np.zeros(3), v=np.zeros(3), wxyz=np.array([1.0, 0, 0, 0]), w=np.zeros(3)).R_NB.diagonal()
    array([1., 1., 1.])
    """

    p: Floats
    """Position of the origin of its frame in N [m]."""
    v: Floats
    """Velocity of that point in N [m/s]."""
    wxyz: Floats
    """Attitude: unit quaternion of the rotation from body axes to N."""
    w: Floats
    """Angular velocity in body axes [rad/s]."""

    @property
    def R_NB(self) -> Floats:
        """Rotation matrix from body axes to N: v_N = R_NB v_B."""
        return matrix_from_quaternion(self.wxyz)


@dataclass(frozen=True, kw_only=True, eq=False)
class JointMotion:
    """Measured motion of a joint; one entry per axis.

    >>> import numpy as np
    >>> from softdock import JointMotion
    >>> JointMotion(position=np.array([0.1]), speed=np.zeros(1)).position
    array([0.1])
    """

    position: Floats
    """[rad or m]"""
    speed: Floats
    """[rad/s or m/s]"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Measurement:
    """What a controller is given at a sample.

    Motions are in SI, by the names of bodies and joints.

    >>> from softdock import Measurement
    >>> Measurement(t=0.1).joints
    {}
    """

    t: float
    """Time of the system [s]."""
    bodies: Mapping[str, BodyMotion] = field(default_factory=dict)
    joints: Mapping[str, JointMotion] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Wrench:
    """Force and torque on a free body, in body axes, which rotate with the body.

    >>> from softdock import Wrench
    >>> Wrench(force=(0, 0, 2.5))
    Wrench(force=(0, 0, 2.5), torque=(0.0, 0.0, 0.0))
    """

    force: Sequence[float] | Floats = ZERO
    """At the origin of the frame of the body [N]."""
    torque: Sequence[float] | Floats = ZERO
    """In addition to that of the force [N m]."""


@dataclass(frozen=True, kw_only=True)
class Actuation:
    """What a controller commands until its next sample; nothing where a name is left out.

    >>> from softdock import Actuation, Wrench
    >>> Actuation(wrenches={"chaser": Wrench(force=(0, 0, 2.5))}, efforts={"wheel": 0.1}).efforts
    {'wheel': 0.1}
    """

    wrenches: Mapping[str, Wrench] = field(default_factory=dict)
    """By the name of a body."""
    efforts: Mapping[str, float | Sequence[float] | Floats] = field(default_factory=dict)
    """Torque or force along each axis of a joint [N m or N], by the name of the joint's body."""


@dataclass(frozen=True, kw_only=True)
class ControlInterface:
    """Sensors and actuators between a controller and a system, in the order of the values on a link.

    >>> from softdock import ControlInterface
    >>> ControlInterface(bodies=("chaser",), observed=("target",))
    ControlInterface(bodies=('chaser',), joints=(), observed=('target',))
    """

    bodies: tuple[str, ...] = ()
    """Free bodies that are measured and on which wrenches act."""
    joints: tuple[str, ...] = ()
    """Joints that are measured and driven, by the names of the bodies that they move; not free, not spherical."""
    observed: tuple[str, ...] = ()
    """Free bodies that are only measured."""


class UserController(ABC):
    """A controller in Python: derive from it, set `period` and `interface`, implement `sample`.

    The same object controls a simulated system (`simulate(scenario, controller=...)`) or one behind a robot link
    (`control_over_link`).

    >>> from softdock import Actuation, Body, ControlInterface, Scenario, UserController, Wrench, simulate
    >>> class Push(UserController):
    ...     period = 0.1
    ...     interface = ControlInterface(bodies=("chaser",))
    ...
    ...     def sample(self, measurement):
    ...         return Actuation(wrenches={"chaser": Wrench(force=(0, 0, 2.0))})
    >>> drift = Scenario(duration="2 s", bodies={"chaser": Body(mass="4 kg", inertia=(1, 1, 1))})
    >>> round(float(simulate(drift, controller=Push()).history["chaser.vz"][-1]), 6)
    1.0
    """

    period: float
    """Time between two samples [s]."""
    interface: ControlInterface
    """What it measures and commands."""

    @abstractmethod
    def sample(self, measurement: Measurement) -> Actuation:
        """Return the commands until the next sample."""


class ControlledSystem:
    """A run of a multibody scenario that is measured and actuated through an interface.

    The scenario must have the loads of `with_actuators`.
    """

    def __init__(
        self, prepared: PreparedMultibody, interface: ControlInterface, session: Session | None = None
    ) -> None:
        assembly = prepared.assembly
        self.interface = interface
        self.session = prepared.begin() if session is None else session
        self._n_q = int(assembly.world.view(np.ndarray)["n_q"][0])
        self._links = {name: assembly.placed[name].link for name in (*interface.bodies, *interface.observed)}
        self._joints = {name: assembly.joints[name] for name in interface.joints}

    @property
    def joint_axes(self) -> dict[str, int]:
        """Number of axes of every joint of the interface."""
        return {name: at.rows for name, at in self._joints.items()}

    def measure(self) -> Measurement:
        """Return the present motion of the bodies and joints of the interface."""
        self.session.evaluate()
        y = self.session.state
        joints = {
            name: JointMotion(
                position=y[at.at_q : at.at_q + at.rows].copy(),
                speed=y[self._n_q + at.at_u : self._n_q + at.at_u + at.rows].copy(),
            )
            for name, at in self._joints.items()
        }
        bodies = {name: self._motion(link) for name, link in self._links.items()}
        return Measurement(t=self.session.time, bodies=bodies, joints=joints)

    def _motion(self, link: int) -> BodyMotion:
        system = self.session.system
        motion, at = system.motions.view(np.ndarray)[link], int(system.links.view(np.ndarray)["at_q"][link])
        R, V = motion["R_NB"].reshape(3, 3), motion["V"]
        wxyz = self.session.state[at + 3 : at + 7]
        return BodyMotion(
            p=motion["p_NB"].copy(), v=R @ V[3:], wxyz=wxyz / np.linalg.norm(wxyz), w=V[:3].copy()
        )

    def advance(self, actuation: Actuation, until: float) -> Ending | None:
        """Hold commands until a time [s]; returns how the run ended, None while it continues."""
        check_actuation(self.interface, actuation)
        for name in self.interface.bodies:
            wrench = actuation.wrenches.get(name, Wrench())
            self.session.set_load(_load_name(name), wrench.force, wrench.torque)
        for name, at in self._joints.items():
            values = np.ravel(np.asarray(actuation.efforts.get(name, 0.0), dtype=float))
            if values.size not in (1, at.rows):
                raise _problem(f"efforts of joint {name!r} must be {at.rows}", str(values.size))
            self.session.efforts[at.at_u : at.at_u + at.rows] = values
        return self.session.advance(until)


class PreparedWithController(PreparedMultibody):
    """A multibody scenario under a controller in Python, prepared to run."""

    def __init__(self, scenario: ScenarioBase, controller: UserController) -> None:
        check_controller(controller)
        super().__init__(with_actuators(scenario, controller.interface))
        self._controller = controller

    def advance(self, session: Session) -> None:
        """Sample the controller and hold its commands, until the end of the run."""
        controller, system = self._controller, ControlledSystem(self, self._controller.interface, session)
        ending, samples = None, 0
        while ending is None:
            actuation = controller.sample(system.measure())
            samples += 1
            ending = system.advance(actuation, samples * controller.period)


def check_controller(controller: UserController) -> None:
    """Raise InputError for a controller without period or interface."""
    if not isinstance(getattr(controller, "interface", None), ControlInterface):
        raise _problem("interface must be a ControlInterface", type(controller).__name__)
    period = getattr(controller, "period", None)
    if not isinstance(period, int | float) or not 0.0 < period < np.inf:
        raise _problem("period must be a time above 0 s", str(period))


def check_actuation(interface: ControlInterface, actuation: Actuation) -> None:
    """Raise InputError for commands to something else than the interface, or that are no finite numbers."""
    if not isinstance(actuation, Actuation):
        raise _problem("sample must return an Actuation", type(actuation).__name__)
    for what, given, known in (
        ("body", actuation.wrenches, interface.bodies),
        ("joint", actuation.efforts, interface.joints),
    ):
        unknown = [name for name in given if name not in known]
        if unknown:
            listed = ", ".join(known) or "none"
            raise _problem(f"commands a {what} that is not in its interface; allowed: {listed}", unknown[0])
    for name, wrench in actuation.wrenches.items():
        for key, vector in (("force", wrench.force), ("torque", wrench.torque)):
            values = _numbers(vector)
            if values.shape != (3,) or not np.isfinite(values).all():
                raise _problem(f"{key} on body {name!r} must be three finite numbers", str(vector))
    for name, effort in actuation.efforts.items():
        if not np.isfinite(_numbers(effort)).all():
            raise _problem(f"the effort at joint {name!r} must be finite", str(effort))


def check_interface(scenario: MultibodyScenario, interface: ControlInterface) -> None:
    """Raise InputError for an interface that a scenario does not have."""
    free = [name for name, body in scenario.bodies.items() if isinstance(body.joint, Free)]
    driven = [
        name
        for name, body in scenario.bodies.items()
        if body.joint.type not in ("free", "fixed", "spherical")
    ]
    for field_name, names, known, what in (
        ("bodies", interface.bodies, free, "free body"),
        ("observed", interface.observed, free, "free body"),
        ("joints", interface.joints, driven, "joint with axes"),
    ):
        for name in names:
            if name not in known:
                listed = ", ".join(known) or "none"
                raise _problem(f"interface.{field_name}: is no {what}; allowed: {listed}", name)
    _check_other_controllers(scenario, interface)
    if not (interface.bodies or interface.joints):
        raise _problem("interface: needs a body or a joint", "none")


def _check_other_controllers(scenario: MultibodyScenario, interface: ControlInterface) -> None:
    """Raise InputError for a body or joint of an interface on which a controller of `gnc` acts as well."""
    for name, controller in scenario.gnc.items():
        wheels = {wheel.body for wheel in controller.wheels.values()}
        for field_name, names, own in (
            ("bodies", interface.bodies, {name}),
            ("joints", interface.joints, wheels),
        ):
            for shared in (name for name in names if name in own):
                raise _problem(
                    f"interface.{field_name}: `gnc.{name}` of the scenario acts on {shared!r}, too, "
                    "and two controllers would work against each other; leave one of them out",
                    shared,
                )


def with_actuators(scenario: ScenarioBase, interface: ControlInterface) -> MultibodyScenario:
    """Return a multibody scenario with a load on every body of an interface, zero until it is commanded."""
    if not isinstance(scenario, MultibodyScenario):
        message = "A user-defined controller is for scenarios of kind multibody."
        raise InputError(message, field="kind", given=scenario.kind)
    check_interface(scenario, interface)
    loads = {_load_name(name): Load(body=name) for name in interface.bodies}
    taken = [name for name in loads if name in scenario.elements()]
    if taken:
        raise _problem(
            "needs this name for its force on a body; rename the element of the scenario", taken[0]
        )
    return scenario.model_copy(update={"loads": {**scenario.elements_of(Load), **loads}})


def _numbers(value: object) -> Floats:
    """Return a value as an array; nan where it is no number."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return np.array(np.nan)


def _load_name(body: str) -> str:
    return f"command-{body}"


def _problem(message: str, given: str) -> InputError:
    return InputError(f"{message[0].upper()}{message[1:]}.", field="controller", given=given)
