"""Joint reactions: closed forms, other engines, and the balance of momentum of every body."""

import numpy as np
import pytest

from dynamics.flexible_systems import bent_boom
from dynamics.systems import JOINTS, assemble, evaluate, joint, solid
from softdock.assembly.channels.records import channel_records
from softdock.assembly.reactions import rigidly_beyond
from softdock.dynamics.kernels.channels.channels import read_channels
from softdock.dynamics.kernels.forces.reactions import frame_acceleration
from softdock.dynamics.link_poses import link_pose
from softdock.elements.load.model import Load
from softdock.elements.lock.model import Lock
from softdock.elements.spring.model import Spring
from softdock.elements.strut.model import Strut
from softdock.elements.weld.model import Weld
from softdock.model.observations import Observation, parse_observation
from softdock.model.orbit import SystemOrbit
from softdock.model.structures import Flexible
from softdock.model.system import Body, System
from softdock.spatial.rotations import quaternion_from_matrix
from softdock.tree import joints as j
from softdock.tree.frames import Anchor

FIELDS = ("joint_fx", "joint_fy", "joint_fz", "joint_tx", "joint_ty", "joint_tz")


def values_of_channels(system, assembly, names, y=None):
    """Return values of channels at a state, evaluated by plain Python kernels."""
    _, records = evaluate(assembly, y)
    state = assembly.y if y is None else y
    channels = channel_records(system, assembly, [parse_observation(name) for name in names])
    out = np.zeros(len(names))
    read_channels(channels, len(names), records, 0.0, state, out)
    return out


def reaction(system, assembly, body):
    """Return force [N] and moment [N m] of the joint of a body at its frame."""
    return values_of_channels(system, assembly, [f"{body}.{field}" for field in FIELDS])


def test_joint_of_a_spinning_arm_carries_the_centripetal_force():
    """A mass on an arm of length r at w: force m w^2 r towards the axis, and its moment about the mount."""
    m, r, w = 2.0, 0.7, 3.0
    bodies = {
        "hub": Body(mass=5.0, inertia=(1.0, 1.0, 1.0), joint=j.Revolute(axis="z", rate=w)),
        "arm": Body(mass=m, inertia=(0.1, 0.2, 0.2), parent="hub", joint=j.Fixed(at=(r, 0.0, 0.0))),
    }
    system = System(bodies=bodies)
    assembly = assemble(system)
    force = np.array([-m * w**2 * r, 0.0, 0.0])
    np.testing.assert_allclose(reaction(system, assembly, "arm"), [*force, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(reaction(system, assembly, "hub")[:3], force, atol=1e-12)


def test_hanging_chain_carries_the_weight_below_each_joint():
    """The joint of link i of n carries the weight of all links below it, at rest in uniform gravity."""
    n, m, g = 5, 1.5, 9.81
    bodies = {}
    for i in range(n):
        bodies[f"b{i}"] = Body(
            mass=m,
            centre_of_mass=(0, 0, -0.5),
            inertia=(0.1, 0.1, 0.01),
            parent=f"b{i - 1}" if i else "world",
            joint=j.Universal(at=(0, 0, -1.0)) if i % 2 else j.Revolute(axis="x", at=(0, 0, -1.0)),
        )
    system = System(bodies=bodies, gravity=(0, 0, -g))
    assembly = assemble(system)
    for i in range(n):
        expected = [0, 0, (n - i) * m * g, 0, 0, 0]
        np.testing.assert_allclose(reaction(system, assembly, f"b{i}"), expected, atol=1e-12)


def test_decelerated_mass_on_a_slide_transmits_the_force_of_its_brake():
    """A payload fixed beside the axis of a braked carriage: its mount transmits m a and the moment of its offset."""
    M, m, x, F = 8.0, 2.0, 0.3, 50.0
    bodies = {
        "carriage": Body(mass=M, inertia=(1, 1, 1), joint=j.Prismatic(axis="z", speed=1.0)),
        "payload": Body(mass=m, inertia=(0.1,) * 3, parent="carriage", joint=j.Fixed()),
    }
    bodies["payload"] = bodies["payload"].model_copy(update={"centre_of_mass": (x, 0.0, 0.0)})
    brake = Spring(joint="carriage", stiffness=0.0, preload=F)
    system = System(bodies=bodies, springs={"brake": brake})
    assembly = assemble(system)
    a = -F / (M + m)
    np.testing.assert_allclose(
        reaction(system, assembly, "payload"), [0, 0, m * a, 0, -x * m * a, 0], atol=1e-12
    )
    # The axial force of the brake passes through the joint of the carriage as well.
    np.testing.assert_allclose(reaction(system, assembly, "carriage")[:3], [0, 0, -F], atol=1e-12)
    assert values_of_channels(system, assembly, ["payload.az"])[0] == pytest.approx(a, rel=1e-14)


def loaded_system(seed: int, *, gravity: bool = True, connections: bool = True) -> System:
    """Return 4 to 12 bodies with all kinds of joints, fixed mounts, struts, welds, locks and loads."""
    rng = np.random.default_rng(seed)
    bodies: dict[str, Body] = {}
    for i in range(rng.integers(4, 13)):
        parent = "world" if not bodies or rng.random() < 0.2 else str(rng.choice(list(bodies)))
        kinds = ("free", "free", *JOINTS) if parent == "world" else (*JOINTS, "fixed", "fixed")
        bodies[f"b{i}"] = Body(**solid(rng), parent=parent, joint=joint(str(rng.choice(kinds)), rng))
    names = list(bodies)
    frame = lambda name: Anchor(body=name, at=tuple(rng.uniform(-1, 1, 3)))  # noqa: E731
    pairs = [tuple(map(str, rng.choice(names, 2, replace=False))) for _ in range(4)]
    loads = {
        f"l{i}": Load(
            body=str(rng.choice(names)),
            force=tuple(rng.uniform(-5, 5, 3)),
            torque=tuple(rng.uniform(-5, 5, 3)),
        )
        for i in range(3)
    }
    extra = {}
    if connections:
        a, b = pairs[2]
        extra = {
            "struts": {"s": Strut(a=frame(pairs[0][0]), b=frame(pairs[0][1]), stiffness=40.0, damping=3.0, length=0.5)},
            "welds": {
                "w": Weld(
                    a=frame(pairs[1][0]), b=frame(pairs[1][1]), stiffness=90.0, damping=2.0, angular_stiffness=5.0,
                    angular_damping=1.0,
                )
            },
            "locks": {"k": Lock(a=frame(a), b=frame(b))},
        }  # fmt: skip
    g = tuple(rng.uniform(-9, 9, 3)) if gravity else (0.0, 0.0, 0.0)
    return System(bodies=bodies, loads=loads, gravity=g, **extra)


def world_pose(records, assembly, name):
    placed = assembly.placed[name]
    return link_pose(records.links, records.motions, placed.link) @ placed.X_LB


def momentum_rate(system, assembly, records, name):
    """Return the rate of momentum of one body in N about the origin: torque, force."""
    body = system.bodies[name]
    X = world_pose(records, assembly, name)
    observed = [f"{name}.{f}" for f in ("wx", "wy", "wz", "alphax", "alphay", "alphaz")]
    values = np.zeros(6)
    channels = channel_records(system, assembly, [parse_observation(one) for one in observed])
    read_channels(channels, 6, records, 0.0, assembly.y, values)
    w, alpha = values[:3], values[3:]
    centre = channel_records(system, assembly, [Observation(name=name, field="ax")])[0]
    centre.p_iF[:] = assembly.placed[name].X_LB.point(np.asarray(body.centre_of_mass))
    a = np.array(frame_acceleration(centre, records, False)[:3])
    J = X.R @ body.inertia_matrix() @ X.R.T
    force = body.mass * a
    torque = J @ alpha + np.cross(w, J @ w) + np.cross(X.point(np.asarray(body.centre_of_mass)), force)
    return np.concatenate([torque, force])


def reaction_in_world(system, assembly, records, name):
    """Return the wrench that the parent of a body transmits to it, in N about the origin: torque, force."""
    W = reaction(system, assembly, name)
    parent = system.bodies[name].parent
    X = world_pose(records, assembly, parent) @ j.pose_at(
        system.bodies[name].joint.at, system.bodies[name].joint.attitude
    )
    force = X.R @ W[:3]
    return np.concatenate([X.R @ W[3:] + np.cross(X.p, force), force])


@pytest.mark.parametrize("seed", range(12))
def test_reactions_and_loads_on_every_body_give_its_rate_of_momentum(seed):
    """Newton's and Euler's law of each body alone, with gravity, struts, welds, locks and loads, to rounding."""
    system = loaded_system(seed)
    assembly = assemble(system)
    _, records = evaluate(assembly)
    total = {name: np.zeros(6) for name in system.bodies}
    scale = 1.0
    for name, body in system.bodies.items():
        weight = body.mass * np.asarray(system.gravity)
        centre = world_pose(records, assembly, name).point(np.asarray(body.centre_of_mass))
        total[name] += [*np.cross(centre, weight), *weight]
        if body.joint.type != "free":
            W = reaction_in_world(system, assembly, records, name)
            total[name] += W
            if body.parent != "world":
                total[body.parent] -= W
            scale = max(scale, np.abs(W).max())
    for name, element in system.elements().items():
        T = records.element_data[assembly.element_index[name]].total
        sides = (
            [("b", element.b.body), ("a", element.a.body)]
            if not isinstance(element, Load)
            else [("b", element.body)]
        )
        for side, body in sides:
            total[body] += T if side == "b" else -T
    for name in system.bodies:
        rate = momentum_rate(system, assembly, records, name)
        assert np.abs(total[name] - rate).max() <= 1e-9 * scale, (name, total[name], rate)


@pytest.mark.parametrize("seed", range(20))
def test_reactions_of_random_trees_equal_those_of_pinocchio(seed):
    """Recursive Newton-Euler of Pinocchio at the accelerations of its own forward dynamics."""
    pin = pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    from dynamics.trees import pinocchio_model, random_system

    system = random_system(seed)
    assembly = assemble(system)
    model, q, v, made = pinocchio_model(system)
    data = model.createData()
    _, records = evaluate(assembly)
    tau = np.zeros(model.nv)
    for name, joints in made.items():
        if joints and not isinstance(system.bodies[name].joint, j.Free):
            place, at = assembly.joints[name], model.joints[joints[0]].idx_v
            tau[at : at + place.rows] = records.axes.tau[place.at_u : place.at_u + place.rows]
    a = pin.aba(model, model.createData(), q, v, tau)
    pin.rnea(model, data, q, v, a)
    pin.forwardKinematics(model, data, q)
    for name, joints in made.items():
        if not joints or isinstance(system.bodies[name].joint, j.Free):
            continue
        # Pinocchio: wrench on the first link of the joint, at that link's frame.
        wrench, placement = data.f[joints[0]], data.oMi[joints[0]]
        force = placement.rotation @ wrench.linear
        torque = placement.rotation @ wrench.angular + np.cross(placement.translation, force)
        ours = reaction_in_world(system, assembly, records, name)
        size = max(1.0, np.abs(ours).max())
        np.testing.assert_allclose(ours, [*torque, *force], atol=1e-9 * size)


def test_frame_of_the_user_has_the_same_wrench_about_another_point():
    """`reactions` moves the reaction to a frame on the body: same force turned, moment shifted."""
    rng = np.random.default_rng(4)
    bodies = {
        "base": Body(**solid(rng), joint=joint("free", rng)),
        "arm": Body(**solid(rng), parent="base", joint=joint("universal", rng)),
        "tool": Body(**solid(rng), parent="arm", joint=joint("fixed", rng)),
    }
    frame = Anchor(body="tool", at=(0.1, -0.2, 0.3), attitude={"axis": (1.0, 2.0, 3.0), "angle": 0.7})
    system = System(bodies=bodies, reactions={"bolt": frame})
    assembly = assemble(system)
    _, records = evaluate(assembly)
    expected = reaction_in_world(system, assembly, records, "tool")
    names = ("fx", "fy", "fz", "tx", "ty", "tz", "force", "moment")
    W = values_of_channels(system, assembly, [f"bolt.{name}" for name in names])
    X = world_pose(records, assembly, "tool") @ frame.pose()
    force = X.R @ W[:3]
    np.testing.assert_allclose(
        [*(X.R @ W[3:6] + np.cross(X.p, force)), *force], expected, rtol=1e-10, atol=1e-11
    )
    assert W[6] == pytest.approx(np.linalg.norm(W[:3]))
    assert W[7] == pytest.approx(np.linalg.norm(W[3:6]))


def test_bodies_beyond_a_mount_include_those_on_further_mounts():
    bodies = {
        "a": Body(mass=1.0, inertia=(1, 1, 1)),
        "b": Body(mass=1.0, parent="a", joint=j.Fixed()),
        "c": Body(mass=1.0, parent="b", joint=j.Fixed()),
        "d": Body(mass=1.0, inertia=(1, 1, 1), parent="c", joint=j.Revolute(axis="z")),
    }
    assert rigidly_beyond(System(bodies=bodies), "b") == ["b", "c"]


def mounted_and_locked(seed: int, structure: bool, **surroundings) -> tuple[System, System]:
    """Return a tool on a moving arm of a free base, once on a mount and once held by a lock, in the same motion."""
    rng = np.random.default_rng(seed)
    base, arm, tool = (solid(rng) for _ in range(3))
    hinge = joint("revolute", rng)
    mount = joint("fixed", rng)
    bodies = {
        "base": Body(**base, joint=joint("free", rng)),
        "arm": Body(**arm, parent="base", joint=hinge),
        "tool": Body(**tool, parent="arm", joint=mount),
    }
    structures = {}
    if structure:
        structures = {
            "boom": Flexible(body="tool", base="root", members=bent_boom(rng), damping=0.02, modes=4)
        }
    mounted = System(bodies=bodies, structures=structures, **surroundings)
    assembly = assemble(mounted)
    _, records = evaluate(assembly)
    X = world_pose(records, assembly, "tool")
    names = [f"tool.{field}" for field in ("vx", "vy", "vz", "wx", "wy", "wz")]
    motion = values_of_channels(mounted, assembly, names)
    start = j.Free(
        position=tuple(X.p),
        attitude=tuple(quaternion_from_matrix(X.R)),
        velocity=tuple(motion[:3]),
        rate=tuple(X.R.T @ motion[3:]),
    )
    lock = Lock(a=Anchor(body="arm", at=mount.at), b=Anchor(body="tool"), active=True)
    held = System(
        bodies=bodies | {"tool": Body(**tool, joint=start)},
        structures=structures,
        locks={"lock": lock},
        **surroundings,
    )
    return mounted, held


@pytest.mark.parametrize("structure", [False, True], ids=["rigid", "flexible"])
@pytest.mark.parametrize(
    "surroundings",
    [{}, {"gravity": (1.0, -2.0, -9.0)}, {"orbit": SystemOrbit(altitude=500e3, start="world")}],
    ids=["free-space", "gravity", "orbit"],
)
def test_mount_transmits_the_wrench_of_a_lock_that_replaces_it(surroundings, structure):
    """The load follows from the momentum beyond the mount, or from the constraint of the lock."""
    mounted, held = mounted_and_locked(5, structure, **surroundings)
    assembly = assemble(mounted)
    _, records = evaluate(assembly)
    ours = reaction_in_world(mounted, assembly, records, "tool")
    other = assemble(held)
    _, records = evaluate(other)
    wrench = records.element_data[other.element_index["lock"]].total
    np.testing.assert_allclose(ours, wrench, atol=1e-8 * np.abs(wrench).max())
