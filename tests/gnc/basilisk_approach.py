"""The approach of `approach_law` in Basilisk: dynamics, gravity and integrator of Basilisk, our control law."""

from typing import Any

import numpy as np
from Basilisk.architecture import messaging, sysModel
from Basilisk.simulation import extForceTorque, spacecraft
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeGravBody
from numpy.typing import NDArray
from tests.gnc import approach_law as law

from softdock.orbit.kepler import MU
from softdock.simulation.control import BodyMotion, Measurement
from softdock.simulation.multibody import PreparedMultibody

Floats = NDArray[np.float64]


def quaternion_from_mrp(sigma: Floats) -> Floats:
    """Return the unit quaternions wxyz of modified Rodrigues parameters, shape (..., 3)."""
    square = np.sum(sigma**2, axis=-1, keepdims=True)
    return np.concatenate([1.0 - square, 2.0 * sigma], axis=-1) / (1.0 + square)


class Computer(sysModel.SysModel):
    """Samples the law with the messages of both craft and commands force and torque on the chaser."""

    def __init__(self, craft: dict[str, Any]) -> None:
        super().__init__()
        self._craft, self._law = craft, law.Approach()
        self.force, self.torque = messaging.CmdForceBodyMsg(), messaging.CmdTorqueBodyMsg()

    def Reset(self, CurrentSimNanos: int) -> None:
        pass

    def UpdateState(self, CurrentSimNanos: int) -> None:
        t = 1e-9 * CurrentSimNanos
        r, v = law.orbit_of_origin(t)
        bodies = {}
        for name, craft in self._craft.items():
            state = craft.scStateOutMsg.read()
            bodies[name] = BodyMotion(
                p=np.array(state.r_BN_N) - r, v=np.array(state.v_BN_N) - v,
                wxyz=quaternion_from_mrp(np.array(state.sigma_BN)), w=np.array(state.omega_BN_B),
            )  # fmt: skip
        wrench = self._law.sample(Measurement(t=t, bodies=bodies)).wrenches["chaser"]
        force = messaging.CmdForceBodyMsgPayload(forceRequestBody=list(wrench.force))
        torque = messaging.CmdTorqueBodyMsgPayload(torqueRequestBody=list(wrench.torque))
        self.force.write(force, CurrentSimNanos, self.moduleID)
        self.torque.write(torque, CurrentSimNanos, self.moduleID)


def simulate_in_basilisk() -> dict[str, Floats]:
    """Return the motion of both craft at all samples, by the names of Softdock's channels."""
    simulation = SimulationBaseClass.SimBaseClass()
    process, step = simulation.CreateNewProcess("all"), macros.sec2nano(law.PERIOD)
    for task in ("dynamics", "computer"):
        process.addTask(simulation.CreateNewTask(task, step))
    earth = simIncludeGravBody.gravBodyFactory()
    planet = earth.createEarth()
    planet.isCentralBody, planet.mu = True, MU
    craft = {name: _craft(name) for name in ("chaser", "target")}
    for one in craft.values():
        earth.addBodiesTo(one)
        simulation.AddModelToTask("dynamics", one, 10)
    computer, push = Computer(craft), extForceTorque.ExtForceTorque()
    simulation.AddModelToTask("computer", computer)
    push.cmdForceBodyInMsg.subscribeTo(computer.force)
    push.cmdTorqueInMsg.subscribeTo(computer.torque)
    craft["chaser"].addDynamicEffector(push)
    simulation.AddModelToTask("dynamics", push, 11)
    logs = {name: one.scStateOutMsg.recorder() for name, one in craft.items()}
    for log in logs.values():
        simulation.AddModelToTask("dynamics", log, 1)
    simulation.InitializeSimulation()
    simulation.ConfigureStopTime(macros.sec2nano(law.DURATION))
    simulation.ExecuteSimulation()
    return _channels(logs)


def _craft(name: str) -> Any:
    """Return a craft with the initial state of Softdock's scenario, relative to the Earth."""
    prepared = PreparedMultibody(law.scenario(gnc=False))
    session = prepared.begin()
    index, system = prepared.assembly.placed[name].link, session.system
    r, v = law.orbit_of_origin(0.0)
    motion = system.motions[index]
    R = motion.R_NB.reshape(3, 3)
    at = int(system.links[index].at_q)
    q = session.state[at + 3 : at + 7]
    craft = spacecraft.Spacecraft()
    craft.ModelTag = name
    mass, inertia = {
        "chaser": (law.CHASER_MASS, law.CHASER_INERTIA),
        "target": (law.TARGET_MASS, law.TARGET_INERTIA),
    }[name]
    hub = craft.hub
    hub.mHub, hub.r_BcB_B, hub.IHubPntBc_B = mass, [[0.0]] * 3, (inertia * np.eye(3)).tolist()
    hub.r_CN_NInit = (r + motion.p_NB).reshape(3, 1).tolist()
    hub.v_CN_NInit = (v + R @ motion.V[3:]).reshape(3, 1).tolist()
    hub.sigma_BNInit = (q[1:] / (1.0 + q[0])).reshape(3, 1).tolist()
    hub.omega_BN_BInit = motion.V[:3].reshape(3, 1).tolist()
    return craft


def _channels(logs: dict[str, Any]) -> dict[str, Floats]:
    out = {}
    for name, log in logs.items():
        t = 1e-9 * np.asarray(log.times())
        origin = np.array([law.orbit_of_origin(one)[0] for one in t])
        p, q = np.asarray(log.r_BN_N) - origin, quaternion_from_mrp(np.asarray(log.sigma_BN))
        out |= {f"{name}.{k}": p[:, i] for i, k in enumerate("xyz")}
        out |= {f"{name}.q{k}": q[:, i] for i, k in enumerate("wxyz")}
    return out
