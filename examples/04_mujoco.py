"""04: Softdock's contact forces inside another simulator.

A probe flies into a fixed drogue that was read from a STEP file. MuJoCo moves the probe; the force of the contact comes
from `ContactPair.forces`, which returns two wrenches for two motion states, and is applied in every step. The same
scene in Softdock alone must give the same path: the difference is small and falls in proportion to MuJoCo's step.
"""

from importlib.resources import files
from pathlib import Path

import numpy as np

import softdock
from softdock import Scenario
from softdock.contact import ContactPair, CoulombFriction, CutCells, ElasticLayer, MotionState
from softdock.geometry.cad import read_surface
from softdock.geometry.vertices import profile_from_list

DROGUE = Path(str(files("softdock"))) / "scenario" / "bundled" / "cad" / "drogue.step"
OUTLINE = [
    [-0.03, 0.0],
    {"at": [-0.03, 0.009], "fillet": 0.0015},
    [0.021, 0.009],
    {"arc_to": [0.03, 0.0], "radius": 0.009, "turn": "right"},
]
MASS, INERTIA = 4.0, (4e-3, 4e-3, 1e-3)  # kg, kg m2
START, VELOCITY = (0.015, 0.003, -0.035), (0.0, 0.0, 0.05)  # m, m/s
STIFFNESS, DAMPING, DAMPING_DEPTH = 2e9, 1.6e6, 1e-4  # N/m3, N s/m3, m
FRICTION, THRESHOLD = 0.1, 5e-3  # and m/s
RESOLVED_FORCE = 0.01  # N: cells so fine that the paths differ by the coupling alone
DURATION = 3.0  # s


def in_softdock() -> softdock.Result:
    scenario = Scenario(
        {
            "kind": "multibody",
            "duration": DURATION,
            "record": {"rate": 2000.0},  # paths are compared between samples
            "bodies": {
                "probe": {
                    "mass": MASS,
                    "inertia": list(INERTIA),
                    "joint": {"type": "free", "position": list(START), "velocity": list(VELOCITY)},
                }
            },
            "surfaces": {
                "cavity": {"body": "world", "file": str(DROGUE), "side": "inside"},
                "outline": {"body": "probe", "profile": OUTLINE},
            },
            "contacts": {
                "touch": {
                    "a": "cavity",
                    "b": "outline",
                    "layer": {"stiffness": STIFFNESS, "damping": DAMPING, "damping_depth": DAMPING_DEPTH},
                    "friction": {"coefficient": FRICTION, "speed": THRESHOLD, "law": "smooth"},
                    "resolved_force": RESOLVED_FORCE,
                }
            },
        }
    )
    return softdock.simulate(scenario)


def in_mujoco(mujoco, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return times and positions of the probe."""
    cavity = read_surface(DROGUE, side="inside")
    pair = ContactPair(
        surface_A=cavity.profile,
        surface_B=profile_from_list(OUTLINE),
        layer=ElasticLayer(areal_stiffness=STIFFNESS, damping=DAMPING, damping_depth=DAMPING_DEPTH),
        friction=CoulombFriction(coefficient=FRICTION, threshold_speed=THRESHOLD),
        quadrature=CutCells(resolved_force=RESOLVED_FORCE),
    )
    drogue = MotionState(r=cavity.frame.p_FS, v=np.zeros(3), omega=np.zeros(3), A=cavity.frame.R_FS)
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco><option timestep="{step}" gravity="0 0 0"/><worldbody>
          <body name="probe" pos="{" ".join(map(str, START))}"><freejoint/>
            <inertial pos="0 0 0" mass="{MASS}" diaginertia="{" ".join(map(str, INERTIA))}"/></body>
        </worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qvel[:3] = VELOCITY
    steps = round(DURATION / step)
    path, A = np.empty((steps, 3)), np.empty(9)
    for i in range(steps):
        path[i] = data.qpos[:3]
        mujoco.mju_quat2Mat(A, data.qpos[3:7])
        R_NB = A.reshape(3, 3)
        # MuJoCo keeps the rate of a free joint in body axes.
        probe = MotionState(r=data.qpos[:3], v=data.qvel[:3], omega=R_NB @ data.qvel[3:6], A=R_NB)
        _, wrench = pair.forces(drogue, probe)
        data.xfrc_applied[1, :3], data.xfrc_applied[1, 3:] = wrench.F, wrench.T
        mujoco.mj_step(model, data)
    return step * np.arange(steps), path


def main() -> None:
    try:
        import mujoco
    except ImportError:
        print("Skipped: MuJoCo is not installed (pip install mujoco).")
        return
    ours = in_softdock()
    print(f"Softdock: largest force {ours.metrics['peak_contact_force']:.3f} N")
    errors = []
    for step in (2e-3, 1e-3):
        time, path = in_mujoco(mujoco, step)
        same = np.stack(
            [np.interp(time, ours.history.time, ours.history[f"probe.{k}"]) for k in "xyz"], axis=1
        )
        errors.append(float(np.abs(path - same).max()))
        print(
            f"MuJoCo with steps of {1e3 * step:g} ms: the paths differ by at most {1e3 * errors[-1]:.4f} mm"
        )
    travelled = DURATION * VELOCITY[2]
    assert errors[-1] < 1e-3 * travelled
    assert 1.5 < errors[0] / errors[1] < 2.5  # first order: a force that is held over the step


if __name__ == "__main__":
    main()
