"""Random trees, and their accelerations in MuJoCo and Pinocchio."""

import mujoco
import numpy as np
import pinocchio as pin

from dynamics.systems import JOINTS, evaluate, joint, solid
from softdock.assembly.arrays import Assembly
from softdock.elements.spring.model import Spring
from softdock.model.mjcf import to_mjcf
from softdock.model.system import Body, System
from softdock.spatial.rotations import matrix_from_quaternion
from softdock.tree import joints as j
from softdock.tree.kernels.dynamics import link_accelerations


def random_system(seed: int) -> System:
    """Return 4 to 20 bodies in one or more trees, floating and grounded, with all joints, springs and gravity."""
    rng = np.random.default_rng(seed)
    bodies: dict[str, Body] = {}
    for i in range(rng.integers(4, 21)):
        parent = "world" if not bodies or rng.random() < 0.15 else str(rng.choice(list(bodies)))
        kinds = ("free", "free", *JOINTS) if parent == "world" else JOINTS
        kind = str(rng.choice(kinds))
        bodies[f"b{i}"] = Body(**solid(rng), parent=parent, joint=joint(kind, rng))
    springs = {
        f"s{name}": Spring(joint=name, stiffness=rng.uniform(0, 9), damping=rng.uniform(0, 2))
        for name, body in bodies.items()
        if body.joint.type in ("revolute", "prismatic", "universal", "spherical") and rng.random() < 0.5
    }
    return System(bodies=bodies, springs=springs, gravity=tuple(rng.uniform(-9, 9, 3)))


def accelerations(system: System, assembly: Assembly, y=None) -> dict[str, np.ndarray]:
    """Return accelerations by body in MuJoCo's order; of a free body: origin in world axes, rotation in body axes."""
    _, records = evaluate(assembly, y)
    link_accelerations(records, 0)  # the derivative omits the bases
    out = {}
    for name, body in system.bodies.items():
        place = assembly.joints[name]
        if isinstance(body.joint, j.Free):
            motion = records.motions[assembly.placed[name].link]
            A, V = motion.acceleration_change, motion.V
            R = motion.R_NB.reshape(3, 3)
            out[name] = np.concatenate([R @ (A[3:] + np.cross(V[:3], V[3:])) + system.gravity, A[:3]])
        else:
            out[name] = records.axes.udot[place.at_u : place.at_u + place.rows].copy()
    return out


def mujoco_at_start(system: System) -> tuple["mujoco.MjModel", "mujoco.MjData"]:
    model = mujoco.MjModel.from_xml_string(to_mjcf(system).text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def mujoco_accelerations(system: System) -> dict[str, np.ndarray]:
    model, data = mujoco_at_start(system)
    mujoco.mj_forward(model, data)
    out = {}
    for name, body in system.bodies.items():
        rows = 6 if isinstance(body.joint, j.Free) else len(body.joint.motions)
        at = model.joint(name).dofadr[0] if rows else 0
        out[name] = data.qacc[at : at + rows].copy()
    return out


def pose(joint: j.Joint) -> pin.SE3:
    return pin.SE3(matrix_from_quaternion(j.quaternion(joint.attitude)), np.array(joint.at, float))


def axes_of(joint: j.Joint) -> list[tuple[type, np.ndarray, float, float]]:
    """Return the single axes of a joint as Pinocchio's joint, direction, position and speed."""
    slide, turn = pin.JointModelPrismaticUnaligned, pin.JointModelRevoluteUnaligned
    match joint:
        case j.Revolute():
            return [(turn, j.direction(joint.axis), joint.angle, joint.rate)]
        case j.Prismatic():
            return [(slide, j.direction(joint.axis), joint.position, joint.speed)]
        case j.Cylindrical():
            axis = j.direction(joint.axis)
            return [(slide, axis, joint.position, joint.speed), (turn, axis, joint.angle, joint.rate)]
        case j.Universal():
            return [(turn, j.direction(joint.axes[i]), joint.angles[i], joint.rates[i]) for i in range(2)]
        case j.Planar():
            slides = [(slide, np.eye(3)[i], joint.position[i], joint.velocity[i]) for i in range(2)]
            return [*slides, (turn, np.eye(3)[2], joint.angle, joint.rate)]
    return []


def pinocchio_model(system: System):
    """Return the model, the state (q, v) and for every body its joint's first and last index, in file order."""
    model = pin.Model()
    model.gravity = pin.Motion(np.array(system.gravity), np.zeros(3))
    q: dict[int, list[float]] = {}
    v: dict[int, list[float]] = {}
    at = {"world": (0, pin.SE3.Identity())}
    joints: dict[str, list[int]] = {}
    for name, body in system.bodies.items():
        parent, X = at[body.parent]
        made = []
        if isinstance(body.joint, j.Free):
            made.append(model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), name))
            w, x, y, z = j.quaternion(body.joint.attitude)
            R = matrix_from_quaternion(np.array([w, x, y, z]))
            q[made[0]] = [*body.joint.position, x, y, z, w]
            v[made[0]] = [*(R.T @ body.joint.velocity), *body.joint.rate]
            X = pin.SE3.Identity()
        else:
            X = X * pose(body.joint)
            if isinstance(body.joint, j.Spherical):
                made.append(model.addJoint(parent, pin.JointModelSpherical(), X, name))
                w, x, y, z = j.quaternion(body.joint.turned)
                q[made[0]], v[made[0]] = [x, y, z, w], list(body.joint.rate)
            for i, (kind, axis, position, speed) in enumerate(axes_of(body.joint)):
                made.append(model.addJoint(made[-1] if made else parent, kind(axis), X, f"{name}.{i}"))
                q[made[-1]], v[made[-1]] = [position], [speed]
                X = pin.SE3.Identity()
            if made:
                X = pin.SE3.Identity()
        last = made[-1] if made else parent
        at[name], joints[name] = (last, X), made
        inertia = pin.Inertia(body.mass, np.array(body.centre_of_mass), body.inertia_matrix())
        if last:
            model.appendBodyToJoint(last, inertia, X)
    order = range(1, model.njoints)
    return model, np.concatenate([q[i] for i in order]), np.concatenate([v[i] for i in order]), joints


def pinocchio_accelerations(system: System, assembly: Assembly) -> dict[str, np.ndarray]:
    """Return the accelerations of Pinocchio's `aba` with the joint forces of our springs."""
    model, q, v, joints = pinocchio_model(system)
    _, records = evaluate(assembly)
    tau = np.zeros(model.nv)
    for name, made in joints.items():
        if made and not isinstance(system.bodies[name].joint, j.Free):
            place, at = assembly.joints[name], model.joints[made[0]].idx_v
            tau[at : at + place.rows] = records.axes.tau[place.at_u : place.at_u + place.rows]
    a = pin.aba(model, model.createData(), q, v, tau)
    out = {}
    for name, body in system.bodies.items():
        if not joints[name]:
            out[name] = np.zeros(0)
            continue
        at = model.joints[joints[name][0]].idx_v
        if isinstance(body.joint, j.Free):
            # Spatial acceleration in body axes, gravity included; MuJoCo's is that of the origin.
            R = matrix_from_quaternion(j.quaternion(body.joint.attitude))
            out[name] = np.concatenate(
                [R @ (a[at : at + 3] + np.cross(v[at + 3 : at + 6], v[at : at + 3])), a[at + 3 : at + 6]]
            )
        else:
            out[name] = a[at : at + assembly.joints[name].rows]
    return out
