"""Guidance, feedback and feed-forward of an approach in orbit, in NumPy and independent of the kernels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.gnc.chasers import box_of_thrusters

from softdock.orbit.kepler import MU, RADIUS
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.control import Actuation, ControlInterface, Measurement, UserController, Wrench
from softdock.spatial.rotations import matrix_from_quaternion, rotation_vector_from_matrix

Floats = NDArray[np.float64]
CHASER_MASS, CHASER_INERTIA, TARGET_MASS, TARGET_INERTIA = 1000.0, 600.0, 2000.0, 1500.0  # kg, kg m2
ALTITUDE = 500e3  # m
START, OFFSET, END = 5.0, (0.3, -0.2), 2.0  # m: distance of the tip, its offset, the end of the approach
TILT = 0.05  # rad
TIP, PORT = (
    (0.0, 0.0, 1.2),
    (0.0, 0.0, -1.0),
)  # m, in body axes; z axes of both bodies are those of tip and port
TIME_CONSTANT, SLOWEST, FASTEST, ACCELERATION = 25.0, 0.02, 0.08, 0.005  # s, m/s, m/s, m/s2
BANDWIDTH, DAMPING, ATTITUDE_BANDWIDTH = 0.2, 0.9, 0.3  # rad/s
PERIOD, DURATION = 0.25, 100.0  # s
V_BAR = {"axis": (0, 1, 0), "angle": np.pi / 2}
"""Attitude of both bodies at the start: z along the orbit."""


def scenario(*, gnc: bool, period: float = PERIOD, duration: float = DURATION) -> MultibodyScenario:
    """Return the approach on V-bar, with the controller of the scenario or without one."""
    turn = matrix_from_quaternion(np.array([np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0]))
    centre = turn @ np.array([*OFFSET, PORT[2] - START - TIP[2]])
    tilted = quaternion_with_tilt()
    free = {"type": "free", "attitude": V_BAR}
    data: dict[str, Any] = {
        "duration": duration,
        "orbit": {"altitude": ALTITUDE},
        "record": {"rate": 4.0, "peaks": False, "loads": False},
        "bodies": {
            "chaser": {
                "mass": CHASER_MASS, "inertia": (CHASER_INERTIA,) * 3,
                "joint": free | {"position": centre.tolist(), "attitude": tilted.tolist()},
            },
            "target": {"mass": TARGET_MASS, "inertia": (TARGET_INERTIA,) * 3, "joint": free},
        },
        "integrator": {"accuracy": {"length": 1e-9, "angle": 1e-9, "speed": 1e-10, "rate": 1e-10}},
    }  # fmt: skip
    if gnc:
        data["gnc"] = {
            "chaser": {
                "rate": 1.0 / period, "tip": {"body": "chaser", "at": TIP}, "target": {"body": "target", "at": PORT},
                "guidance": {
                    "time_constant": TIME_CONSTANT, "min_speed": SLOWEST, "max_speed": FASTEST,
                    "acceleration": ACCELERATION, "end": END,
                },
                "translation": {"bandwidth": BANDWIDTH, "damping": DAMPING},
                "attitude": {"bandwidth": ATTITUDE_BANDWIDTH, "damping": DAMPING},
                "thrusters": box_of_thrusters(),
            }
        }  # fmt: skip
    return MultibodyScenario.model_validate(data)


def quaternion_with_tilt() -> Floats:
    """Return the attitude of the chaser at the start: that of the target, tilted about its x axis."""
    c, s = np.cos(np.pi / 4), np.sin(np.pi / 4)
    a, b = np.cos(TILT / 2), np.sin(TILT / 2)
    return np.array([c * a, c * b, s * a, -s * b])


def orbit_of_origin(t: float) -> tuple[Floats, Floats]:
    """Return position and velocity of the origin of the world relative to the Earth, in world axes."""
    r = RADIUS + ALTITUDE
    n = np.sqrt(MU / r**3)
    c, s = np.cos(n * t), np.sin(n * t)
    return r * np.array([s, 0.0, -c]), r * n * np.array([c, 0.0, s])


def gravity(r: Floats) -> Floats:
    return -MU * r / np.linalg.norm(r) ** 3


class Approach(UserController):
    """Glide slope and proportional-derivative feedback of the tip in the port, with feed-forward of the orbit."""

    interface = ControlInterface(bodies=("chaser",), observed=("target",))

    def __init__(self, period: float = PERIOD) -> None:
        self.period = period
        self.distance: float | None = None
        self.closing = 0.0

    def sample(self, measurement: Measurement) -> Actuation:
        chaser, target = measurement.bodies["chaser"], measurement.bodies["target"]
        R_C, R_T = matrix_from_quaternion(chaser.wxyz), matrix_from_quaternion(target.wxyz)
        w_C, w_T = R_C @ chaser.w, R_T @ target.w
        arm = R_C @ np.array(TIP)
        tip, tip_speed = chaser.p + arm, chaser.v + np.cross(w_C, arm)
        port = target.p + R_T @ np.array(PORT)
        p = R_T.T @ (tip - port)
        v = R_T.T @ (tip_speed - target.v - np.cross(w_T, tip - target.p))
        a = self._feedback(p, v)
        # Accelerations of the tip that keep it at rest in the port: rotation of the target, difference of gravity.
        r, _ = orbit_of_origin(measurement.t)
        spin, x = R_T.T @ w_T, R_T.T @ (tip - target.p)
        a += np.cross(spin, np.cross(spin, x) + 2.0 * v)
        a -= R_T.T @ (gravity(r + chaser.p) - gravity(r + target.p))
        turn = rotation_vector_from_matrix(R_T.T @ R_C)
        rate = R_C.T @ (w_C - w_T)
        alpha = -(ATTITUDE_BANDWIDTH**2) * turn - 2.0 * DAMPING * ATTITUDE_BANDWIDTH * rate
        alpha -= np.cross(rate, R_C.T @ w_T)
        lever = np.array(TIP)
        body = R_C.T @ (R_T @ a) - np.cross(alpha, lever) - np.cross(chaser.w, np.cross(chaser.w, lever))
        wrench = Wrench(force=CHASER_MASS * body, torque=CHASER_INERTIA * alpha)
        return Actuation(wrenches={"chaser": wrench})

    def _feedback(self, p: Floats, v: Floats) -> Floats:
        """Move the reference over one period and return the acceleration of the tip in the port."""
        if self.distance is None:
            self.distance, self.closing = -p[2], v[2]
        before, gap = self.closing, self.distance - END
        wanted = np.clip(gap / TIME_CONSTANT, SLOWEST, FASTEST)
        self.closing = np.clip(
            wanted, before - ACCELERATION * self.period, before + ACCELERATION * self.period
        )
        if gap <= self.closing * self.period:
            self.distance, self.closing = END, 0.0
        else:
            self.distance -= self.closing * self.period
        e_p, e_v = p - [0.0, 0.0, -self.distance], v - [0.0, 0.0, self.closing]
        return (
            -(BANDWIDTH**2) * e_p
            - 2.0 * DAMPING * BANDWIDTH * e_v
            + np.array([0.0, 0.0, (self.closing - before) / self.period])
        )


def path_of_tip(channels: Any) -> Floats:
    """Return the path of the tip in the port [m], shape (samples, 3), from channels of both bodies."""
    motion = {}
    for name in ("chaser", "target"):
        p = np.stack([channels[f"{name}.{k}"] for k in "xyz"], axis=1)
        q = np.stack([channels[f"{name}.q{k}"] for k in "wxyz"])
        motion[name] = p, np.moveaxis(matrix_from_quaternion(q), -1, 0)
    (p_C, R_C), (p_T, R_T) = motion["chaser"], motion["target"]
    apart = p_C + R_C @ np.array(TIP) - p_T - R_T @ np.array(PORT)
    return np.einsum("nji,nj->ni", R_T, apart)
