"""The two craft of the controller benchmark in Basilisk, with its own modules of navigation, feedback and wheels."""

import math
import time
from typing import Any

import Basilisk
import numpy as np
from Basilisk.architecture import messaging
from Basilisk.fswAlgorithms import attTrackingError, inertial3D, mrpFeedback, rwMotorTorque
from Basilisk.simulation import extForceTorque, reactionWheelStateEffector, simpleNav, spacecraft
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeRW
from numpy.typing import NDArray

from softdock.bench import gnc

Floats = NDArray[np.float64]
DYNAMICS, FLIGHT_SOFTWARE = "dynamics", "flight software"


def version() -> str:
    """Return the version of Basilisk."""
    return str(Basilisk.__version__)


class TwoCraft:
    """Both craft of `gnc.two_craft`: Runge-Kutta 4 with one step per sample, feedback of modified Rodrigues parameters.

    The feedback torque is K sigma + P omega + gyroscopic torque with sigma = tan(angle / 4) about the axis of
    rotation; with K = 4 J w^2 and P = 2 zeta w J it is that of Softdock up to the third power of the angle.
    """

    def __init__(self, duration: float, *, wheels: bool) -> None:
        self._wheels, self._duration = wheels, duration
        self._modules: list[Any] = []

    def run(self) -> float:
        """Run once and return the wall time without set-up [s]."""
        simulation, _ = self._prepare()
        start = time.perf_counter()
        simulation.ExecuteSimulation()
        return time.perf_counter() - start

    def rotation_vectors(self) -> Floats:
        """Return the rotation vectors of both craft [rad], shape (samples, craft, 3)."""
        simulation, logs = self._prepare()
        simulation.ExecuteSimulation()
        sigma = np.stack([np.asarray(log.sigma_BN) for log in logs], axis=1)
        size = np.linalg.norm(sigma, axis=2, keepdims=True)
        return np.asarray(sigma * (4.0 * np.arctan(size) / np.maximum(size, 1e-300)))

    def _prepare(self) -> tuple[Any, list[Any]]:
        """Return an initialised simulation and the recorders of its craft."""
        self._modules = []  # Basilisk does not keep Python's references alive
        simulation = SimulationBaseClass.SimBaseClass()
        process, step = simulation.CreateNewProcess("all"), macros.sec2nano(1.0 / gnc.SAMPLES)
        for task in (DYNAMICS, FLIGHT_SOFTWARE):
            process.addTask(simulation.CreateNewTask(task, step))
        logs = [self._add_craft(simulation, name) for name in gnc.CRAFT]
        simulation.InitializeSimulation()
        simulation.ConfigureStopTime(macros.sec2nano(self._duration))
        return simulation, logs

    def _add(self, simulation: Any, task: str, module: Any, priority: int = -1) -> Any:
        self._modules.append(module)
        simulation.AddModelToTask(task, module, priority)
        return module

    def _add_craft(self, simulation: Any, name: str) -> Any:
        """Add one craft with navigation, guidance, feedback and actuators; returns the recorder of its motion."""
        craft = self._hub(name)
        self._add(simulation, DYNAMICS, craft, 10)
        navigation = self._add(simulation, DYNAMICS, simpleNav.SimpleNav(), 9)
        navigation.scStateInMsg.subscribeTo(craft.scStateOutMsg)
        reference = self._add(simulation, FLIGHT_SOFTWARE, inertial3D.inertial3D())
        reference.sigma_R0N = [0.0, 0.0, 0.0]
        error = self._add(simulation, FLIGHT_SOFTWARE, attTrackingError.attTrackingError())
        error.attNavInMsg.subscribeTo(navigation.attOutMsg)
        error.attRefInMsg.subscribeTo(reference.attRefOutMsg)
        feedback = self._add(simulation, FLIGHT_SOFTWARE, mrpFeedback.mrpFeedback())
        feedback.K = 4.0 * gnc.INERTIA * gnc.BANDWIDTH**2
        feedback.P = 2.0 * gnc.DAMPING * gnc.BANDWIDTH * gnc.INERTIA
        feedback.Ki = -1.0  # no integral feedback
        feedback.controlLawType = 1  # compensates the gyroscopic torque at the rate of the body
        feedback.guidInMsg.subscribeTo(error.attGuidOutMsg)
        inertia = (gnc.INERTIA * np.eye(3)).ravel().tolist()
        mass = messaging.VehicleConfigMsg().write(messaging.VehicleConfigMsgPayload(ISCPntB_B=inertia))
        self._modules.append(mass)
        feedback.vehConfigInMsg.subscribeTo(mass)
        if self._wheels:
            self._add_wheels(simulation, name, craft, feedback)
        else:
            torque = self._add(simulation, DYNAMICS, extForceTorque.ExtForceTorque(), 11)
            craft.addDynamicEffector(torque)
            torque.cmdTorqueInMsg.subscribeTo(feedback.cmdTorqueOutMsg)
        log = craft.scStateOutMsg.recorder(macros.sec2nano(1.0 / gnc.RECORDS))
        return self._add(simulation, DYNAMICS, log, 1)

    @staticmethod
    def _hub(name: str) -> Any:
        position, axis, angle = gnc.CRAFT[name]
        craft = spacecraft.Spacecraft()
        craft.ModelTag = name
        hub, unit = craft.hub, np.asarray(axis) / np.linalg.norm(axis)
        hub.mHub, hub.r_BcB_B = gnc.MASS, [[0.0]] * 3
        hub.IHubPntBc_B = (gnc.INERTIA * np.eye(3)).tolist()
        hub.r_CN_NInit, hub.v_CN_NInit = [[x] for x in position], [[0.0]] * 3
        hub.sigma_BNInit = [[math.tan(angle / 4.0) * x] for x in unit]
        hub.omega_BN_BInit = [[x] for x in gnc.RATE_AT_START]
        return craft

    def _add_wheels(self, simulation: Any, name: str, craft: Any, feedback: Any) -> None:
        """Add three balanced wheels, whose mass is part of the hub, and the distribution of the torque to them."""
        factory, effector = simIncludeRW.rwFactory(), reactionWheelStateEffector.ReactionWheelStateEffector()
        for axis in np.eye(3):
            factory.create(
                "custom", axis.tolist(), Js=gnc.WHEEL_INERTIA, u_max=gnc.MAX_TORQUE, Omega=0.0,
                Omega_max=60.0 / (2.0 * math.pi) * gnc.MAX_MOMENTUM / gnc.WHEEL_INERTIA,  # rpm
                RWModel=messaging.BalancedWheels,
            )  # fmt: skip
        factory.addToSpacecraft(f"{name} wheels", effector, craft)
        self._add(simulation, DYNAMICS, effector, 11)
        wheels = factory.getConfigMessage()
        feedback.rwParamsInMsg.subscribeTo(wheels)
        feedback.rwSpeedsInMsg.subscribeTo(effector.rwSpeedOutMsg)
        motors = self._add(simulation, FLIGHT_SOFTWARE, rwMotorTorque.rwMotorTorque())
        motors.controlAxes_B = np.eye(3).ravel().tolist()
        motors.vehControlInMsg.subscribeTo(feedback.cmdTorqueOutMsg)
        motors.rwParamsInMsg.subscribeTo(wheels)
        effector.rwMotorCmdInMsg.subscribeTo(motors.rwMotorTorqueOutMsg)
        self._modules += [factory, wheels]
