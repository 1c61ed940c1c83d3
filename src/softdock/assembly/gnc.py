"""Records of controllers for the kernels: mass properties, gains, effects of thrusters, axes of wheels."""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly
from softdock.assembly.initial_motion import motions_at_state
from softdock.dynamics.kernels.control.gnc_records import GncRecords, Mode, allocate_gnc, no_controllers
from softdock.dynamics.link_poses import base_pose, link_pose
from softdock.errors import InputError
from softdock.gnc.design import (
    bandwidth_gains,
    delayed_radius,
    narrowest_band,
    pulse_radius,
    regulator_gains,
    sampled_plant,
)
from softdock.gnc.entry_points import allocate_on_times
from softdock.gnc.kernels.allocation import EXTRA_COLUMNS, ROWS, TABLEAU_ROWS
from softdock.gnc.kernels.control import CLOCK_TICKS, ROUND_UP
from softdock.gnc.kernels.random_numbers import MASK
from softdock.model.control_laws import AttitudeLaw, TranslationLaw
from softdock.model.gnc import Controller, Thruster
from softdock.model.orbit import HILL
from softdock.model.system import System
from softdock.orbit.relative import transfer_impulses
from softdock.quantities.model import FieldError
from softdock.spatial.rotations import (
    matrix_from_quaternion,
    matrix_from_z_to,
    quaternion_from_rotation_vector,
)
from softdock.spatial.vectors import unit_vector
from softdock.tree.frames import Anchor

Floats = NDArray[np.float64]
SEED_INCREMENT = (
    0x9E3779B9  # 2^32 over the golden ratio: seeds of several controllers are far from each other
)
STANDARD_GRAVITY = 9.80665  # [m/s2] by definition, in specific impulses
FORCE_WEIGHT, TORQUE_WEIGHT = (
    1e3,
    1e4,
)  # cost of deviations of commanded axes over that of propellant; Eq. (K8)
WHEEL_WEIGHT = 1e2  # of torque where there are wheels, which take what thrusters cannot avoid
OTHER_WEIGHT = 1.0  # of axes that are not commanded: a couple costs as much as a single thruster
PARALLEL = 1e-6  # component of a torque in other directions that counts as none
LARGEST_RATIO = 1e3  # of assumed and actual mass properties: more is a mistake in a unit
UNREACHED = 1e-6  # part of a commanded force or torque that thrusters may miss


def gnc_records(system: System, assembly: Assembly) -> GncRecords:
    """Return the records of all controllers of a system at its start. Raises FieldError for one that cannot work."""
    if not system.gnc:
        return no_controllers()
    named = system.gnc.values()
    gnc = allocate_gnc(
        len(named),
        sum(controller.navigation is not None for controller in named),
        sum(len(controller.thrusters) for controller in named),
        sum(len(controller.wheels) for controller in named),
        sum(len(controller.guidance.holds) for controller in named if controller.guidance),
        max(len(controller.thrusters) for controller in named),
    )
    motions = motions_at_state(assembly, assembly.y).view(np.ndarray)
    first = [0, 0, 0, 0]
    for i, (name, controller) in enumerate(system.gnc.items()):
        _ControllerWriter(name, controller, system, assembly, motions).write(gnc, i, first)
    return gnc


class _ControllerWriter:
    """Writer of the records of one controller."""

    def __init__(
        self, name: str, controller: Controller, system: System, assembly: Assembly, motions: NDArray[np.void]
    ) -> None:
        self.name, self.controller, self.system = name, controller, system
        self.assembly, self.links, self.motions = assembly, assembly.links.view(np.ndarray), motions
        self.link = assembly.placed[name].link
        self.actual = self._actual_mass_properties()
        self.mass, self.centre, self.inertia = self._assumed_mass_properties()
        self.wheel_axes = self._wheel_axes()
        self._check_propellant()

    def _actual_mass_properties(self) -> tuple[float, Floats, Floats]:
        """Return mass, centre and inertia about it of the whole tree at the start, link axes."""
        total = self.motions[self.link]["total"]
        mass = float(total[0])
        centre = np.array(total[1:4]) / mass
        xx, yy, zz, xy, xz, yz = total[4:]
        about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return mass, centre, about_origin - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))

    def _assumed_mass_properties(self) -> tuple[float, Floats, Floats]:
        """Return mass, centre and inertia about it as the controller assumes them: the actual ones unless given."""
        (mass, centre, inertia), assumed = self.actual, self.controller.assumed
        if assumed.mass is not None:
            self._check_ratio("mass", assumed.mass, mass)
            mass = assumed.mass
        if assumed.centre_of_mass is not None:
            centre = np.array(assumed.centre_of_mass)
        if assumed.inertia is not None:
            for given, actual in zip(assumed.inertia, np.diag(inertia)):
                self._check_ratio("inertia", given, float(actual))
            inertia = np.diag(assumed.inertia)
        return mass, centre, inertia

    def _check_ratio(self, what: str, assumed: float, actual: float) -> None:
        if not 1.0 / LARGEST_RATIO <= assumed / actual <= LARGEST_RATIO:
            raise FieldError(
                f"gnc.{self.name}.assumed.{what}",
                f"is {assumed / actual:.3g} times the actual one ({actual:g} in SI); "
                f"it must be within a factor of {LARGEST_RATIO:g} of it",
            )

    def _check_propellant(self) -> None:
        """Raise FieldError for more propellant than the body and all that it carries weigh."""
        propellant, mass = self.controller.propellant, self.actual[0]
        if propellant is not None and propellant >= mass:
            raise FieldError(
                f"gnc.{self.name}.propellant",
                f"must be below the mass of {self.name!r} with all that it carries, {mass:g} kg: it is part of it",
            )

    def _wheel_axes(self) -> Floats:
        """Return the axes of the wheels in the link of the controller, shape (wheels, 3)."""
        R_NB = base_pose(self.links, self.motions, self.link).R
        wheels = [self.assembly.placed[wheel.body].link for wheel in self.controller.wheels.values()]
        # A revolute link turns about its z axis.
        axes = [R_NB.T @ link_pose(self.links, self.motions, link).R[:, 2] for link in wheels]
        return np.array(axes).reshape(-1, 3)

    def _torques_without_wheels(self) -> Floats:
        """Return the parts of unit torques about the axes of the link that wheels cannot produce, shape (3, 3)."""
        left = np.eye(3) - np.linalg.pinv(self.wheel_axes, rcond=PARALLEL) @ self.wheel_axes
        return np.where(np.abs(left) > PARALLEL, left, 0.0)

    def write(self, gnc: GncRecords, index: int, first: list[int]) -> None:
        """Write the record of the controller and those of its parts, from the indices `first` on."""
        c, model = gnc.controllers[index], self.controller
        c.link, c.period = self.link, 1.0 / model.rate
        c.seed = (int(model.seed) + index * SEED_INCREMENT) & MASK  # controllers with the same seed differ
        c.first_mode = Mode[model.mode.upper()]
        tip, target = model.tip or Anchor(body=self.name), model.target
        for record, anchor in (("LT", tip), ("AP", target)):
            placed = self.assembly.placed[anchor.body]
            X = placed.X_LB @ anchor.pose()
            c[f"R_{record}"], c[f"p_{record}"] = X.R.ravel(), X.p
        c.target = self.assembly.placed[target.body].link
        c.fixed_frame = self.assembly.placed[HILL].link if self.system.orbit is not None else 0
        c.mass, c.centre[:], c.inertia[:] = self.mass, self.centre, self.inertia
        c.translates, c.rotates = int(model.translation is not None), int(model.attitude is not None)
        c.feed_forward, c.thrust, c.roll = int(model.feed_forward), model.thrust, model.roll
        c.capacity = math.inf if model.propellant is None else model.propellant
        c.mean_motion = self.system.orbit.mean_motion if self.system.orbit is not None else 0.0
        self._write_navigation(c, gnc, first)
        self._write_transfer(c)
        self._write_laws(c)
        self._write_guidance(c, gnc, first)
        self._write_thrusters(c, gnc, index, first)
        self._write_wheels(c, gnc, first)

    def _write_navigation(self, c: np.record, gnc: GncRecords, first: list[int]) -> None:
        model = self.controller.navigation
        c.navigation = -1
        if model is None:
            return
        c.navigation = first[3]
        first[3] += 1
        nav, sensor, gyro, assumed = gnc.navigation[c.navigation], model.sensor, model.gyro, model.filter
        nav.period, nav.latency, nav.drop_out = 1.0 / sensor.rate, sensor.latency, sensor.drop_out
        nav.position_noise, nav.position_slope, nav.position_bias[:] = (
            sensor.noise,
            sensor.noise_per_range,
            sensor.bias,
        )
        nav.attitude_noise, nav.attitude_slope = sensor.angle_noise, sensor.angle_noise_per_range
        nav.attitude_bias[:], nav.view_cosine = sensor.angle_bias, math.cos(sensor.field_of_view)
        nav.gyro_white, nav.gyro_walk, nav.gyro_bias[:] = gyro.noise, gyro.random_walk, gyro.bias
        nav.mean_motion = c.mean_motion
        nav.density = assumed.drift
        nav.start[:] = assumed.position, assumed.speed, assumed.angle, assumed.bias

    def _write_laws(self, c: np.record) -> None:
        model, orbit = self.controller, self.system.orbit
        if model.translation is not None:
            n = orbit.mean_motion if orbit is not None else 0.0
            c.position_gains[:] = self._gains("translation", model.translation, n)
            c.bands[0, :] = model.translation.dead_band
        if model.attitude is not None:
            c.attitude_gains[:] = self._gains("attitude", model.attitude, 0.0)
            c.bands[1, :] = model.attitude.dead_band

    def _gains(self, field: str, law: TranslationLaw | AttitudeLaw, mean_motion: float) -> Floats:
        """Return the gains of a law; refuse those with which the sampled loop is unstable.

        Regulators are designed for a double integrator: feed-forward compensates the rest, and without it the
        orbital terms are small at any useful bandwidth. Stability is checked with them.
        """
        period, regulator = 1.0 / self.controller.rate, law.regulator
        gains, radius = np.full((3, 6), np.nan), math.inf
        n = 0.0 if self.controller.feed_forward else mean_motion
        with np.errstate(all="ignore"):  # numbers far beyond any loop give no finite gains
            if regulator is None:
                gains = bandwidth_gains(law.bandwidth or 0.0, law.damping)
            else:
                A, B = sampled_plant(0.0, period)
                x, v, a = (np.float64(getattr(regulator, name)) for name in type(regulator).model_fields)
                try:
                    gains = regulator_gains(A, B, np.diag([x**-2] * 3 + [v**-2] * 3), np.eye(3) * a**-2)
                except InputError:
                    gains[:] = np.nan
            if np.isfinite(gains).all() and math.isfinite(period):
                radius = self._radius(gains, n)
        if not radius < 1.0:
            raise FieldError(
                f"gnc.{self.name}.{field}.{'bandwidth' if regulator is None else 'regulator'}",
                f"is unstable at {self.controller.rate:g} samples per second: errors grow by {radius:.4g} per sample; "
                "lower the bandwidth or raise the rate",
            )
        self._check_assumed(field, gains, n)
        return gains

    def _check_assumed(self, field: str, gains: Floats, mean_motion: float) -> None:
        """Raise FieldError if assumed mass properties multiply the gains of a stable loop until it is unstable."""
        mass, _, inertia = self.actual
        what, factor = "mass", self.mass / mass * np.eye(3)
        if field == "attitude":
            what, factor = "inertia", np.asarray(np.linalg.solve(inertia, self.inertia))
        if getattr(self.controller.assumed, what) is None:
            return
        radius = self._radius(factor @ gains, mean_motion)
        if not radius < 1.0:
            raise FieldError(
                f"gnc.{self.name}.assumed.{what}",
                f"makes the loop of `{field}` unstable: accelerations are up to {np.diag(factor).max():.3g} times the "
                f"commanded ones, and errors grow by {radius:.4g} per sample; correct it or lower the bandwidth",
            )

    def _radius(self, gains: Floats, mean_motion: float) -> float:
        """Return the factor per sample by which errors grow, with short or with long pulses; Eqs. (K42), (K43).

        Wheels have a constant torque, as pulses that last a whole period.
        """
        period, delays = (
            1.0 / self.controller.rate,
            {thruster.delay for thruster in self.controller.thrusters.values()},
        )
        long = [delayed_radius(mean_motion, period, delay, gains) for delay in delays | {0.0}]
        return max(long + [pulse_radius(mean_motion, period, delay, gains) for delay in delays])

    def _write_guidance(self, c: np.record, gnc: GncRecords, first: list[int]) -> None:
        guidance = self.controller.guidance
        c.first_hold, c.corridor_radius, c.retreat = first[2], -1.0, -1.0
        if guidance is None:
            return
        c.time_constant, c.slowest, c.fastest = guidance.time_constant, guidance.min_speed, guidance.max_speed
        c.acceleration, c.end, c.holds = guidance.acceleration, guidance.end, len(guidance.holds)
        if guidance.retreat is not None:
            c.retreat = guidance.retreat
        if guidance.corridor is not None:
            c.corridor_radius = guidance.corridor.radius
            c.corridor_slope = math.tan(guidance.corridor.half_angle)
        for record, hold in zip(gnc.holds[first[2] :], guidance.holds):
            record.distance, record.duration = hold.distance, hold.duration
            record.patience = math.inf if hold.patience is None else hold.patience
            record.gate[:] = hold.gate.limits()
            record.reach = hold.reach
        first[2] += len(guidance.holds)

    def _write_transfer(self, c: np.record) -> None:
        transfer = self.controller.transfer
        if transfer is None:
            return
        c.transfer_to[:], c.transfer_time = transfer.to, transfer.duration
        c.transfer_orbital = int(transfer.path == "orbital" and c.mean_motion > 0.0)
        if c.transfer_orbital:
            try:
                transfer_impulses(c.mean_motion, np.zeros(6), np.ones(3), transfer.duration)
            except InputError as error:
                raise FieldError(f"gnc.{self.name}.transfer.duration", error.problems[0].message) from None

    def _write_thrusters(self, c: np.record, gnc: GncRecords, index: int, first: list[int]) -> None:
        thrusters = list(self.controller.thrusters.values())
        c.first_thruster, c.thrusters = first[0], len(thrusters)
        first[0] += len(thrusters)
        if not thrusters:
            return
        c.force_scale = max(thruster.thrust for thruster in thrusters)
        arms = [float(np.linalg.norm(np.array(thruster.at) - self.centre)) for thruster in thrusters]
        c.arm_scale = max(arms) or 1.0
        c.weights[:] = self._weights()
        if not math.isfinite(c.force_scale * c.arm_scale):
            raise FieldError(
                f"gnc.{self.name}.thrusters", "are too strong or too far from the centre of mass"
            )
        flows = np.array(
            [thruster.thrust / (thruster.specific_impulse * STANDARD_GRAVITY) for thruster in thrusters]
        )
        directions = np.array([unit_vector(thruster.direction) for thruster in thrusters])
        at = [thruster.at for thruster in thrusters]
        records = gnc.thrusters.view(np.ndarray)[first[0] - len(thrusters) : first[0]]
        records["p"], records["flow"] = at, flows
        records["force"] = [
            thruster.thrust * (1.0 + thruster.thrust_error) * _misaligned(thruster, direction)
            for thruster, direction in zip(thrusters, directions)
        ]
        for field in ("delay", "noise"):
            records[field] = [getattr(thruster, field) for thruster in thrusters]
        records["shortest"] = [thruster.minimum_on_time for thruster in thrusters]
        forces = (np.array([thruster.thrust for thruster in thrusters]) / c.force_scale)[:, None] * directions
        torques = np.cross(np.array(at) - self.centre, forces) / c.arm_scale
        gnc.effects[index, :, : len(thrusters)] = np.hstack([torques, forces]).T
        tick = 1.0 / self.controller.rate / CLOCK_TICKS
        shortest = np.array([max(thruster.minimum_on_time, tick) for thruster in thrusters])
        c.least[:] = _carry_limits(gnc.effects[index, :, : len(thrusters)] * shortest)
        gnc.costs[index, : len(thrusters)] = flows / flows.max()
        gnc.longest[index, : len(thrusters)] = 1.0 / self.controller.rate
        effects = gnc.effects[index, :, : len(thrusters)].copy()
        self._check_reach(effects, c.R_LT.reshape(3, 3)[:, 2])
        self._write_steps(c, effects, gnc.costs[index, : len(thrusters)])

    def _write_steps(self, c: np.record, effects: Floats, costs: Floats) -> None:
        """Write what shortest pulses change, the dead bands that they need, and when pulses act; Eqs. (K50), (K51)."""
        R_LT, roll, thrusters = c.R_LT.reshape(3, 3), self.controller.roll, self.controller.thrusters.values()
        R_PT = np.array(
            [[math.cos(roll), -math.sin(roll), 0.0], [math.sin(roll), math.cos(roll), 0.0], [0.0, 0.0, 1.0]]
        )
        forces = self.mass / c.force_scale * (R_LT @ R_PT.T).T
        torques = (self.inertia @ R_LT).T / (c.force_scale * c.arm_scale)
        shortest = np.array([thruster.minimum_on_time for thruster in thrusters])
        weights = np.array(c.weights)
        if c.translates:
            demands = np.hstack([np.zeros((3, 3)), forces])
            c.steps[0] = [shortest_change(effects, costs, weights, shortest, demand) for demand in demands]
        if c.rotates and not len(self.wheel_axes):  # wheels produce any torque
            demands = np.hstack([torques, np.zeros((3, 3))])
            c.steps[1] = [shortest_change(effects, costs, weights, shortest, demand) for demand in demands]
        for kind, gains in enumerate((c.position_gains, c.attitude_gains)):
            for axis in range(3):
                if c.steps[kind, axis] > 0.0 and c.bands[kind, axis] == 0.0:
                    frequency = math.sqrt(gains[axis, axis])
                    c.bands[kind, axis] = narrowest_band(c.steps[kind, axis], frequency)
        c.longest_pulse = c.period / shortest.max() if shortest.any() else math.inf
        c.lead = 0.5 * c.period + max(
            thruster.delay + 0.5 * thruster.minimum_on_time for thruster in thrusters
        )

    def _weights(self) -> list[float]:
        model = self.controller
        torque = TORQUE_WEIGHT if model.attitude is not None else OTHER_WEIGHT
        if not self._torques_without_wheels().any():
            torque = WHEEL_WEIGHT
        force = FORCE_WEIGHT if model.translation is not None or model.thrust else OTHER_WEIGHT
        return [torque] * 3 + [force] * 3

    def _check_reach(self, effects: Floats, tip_axis: Floats) -> None:
        """Raise FieldError if the thrusters cannot produce a commanded axis without the other commanded ones.

        `tip_axis` is the z axis of the tip in the body, along which the mode `thrust` pushes.
        """
        model, n = self.controller, effects.shape[1]
        demands = self._demands(tip_axis)
        weights = np.zeros(6)
        if model.attitude is not None and self._torques_without_wheels().any():
            weights[:3] = 1.0
        if model.translation is not None or model.thrust:
            weights[3:] = 1.0
        out, tableau = np.empty(n), np.empty((TABLEAU_ROWS, n + EXTRA_COLUMNS))
        missing = []
        for what, demand in demands.items():
            allocate_on_times(effects, np.full(n, 1e-9), np.full(n, 1e6), demand, weights, tableau, out)
            if weights @ np.abs(demand - effects @ out) > UNREACHED:
                missing.append(f"a {what}")
        if missing:
            raise FieldError(
                f"gnc.{self.name}.thrusters",
                f"cannot produce {', '.join(missing)} without other forces or torques about the centre of mass; "
                "add thrusters or control fewer axes",
            )

    def _demands(self, tip_axis: Floats) -> dict[str, Floats]:
        """Return what the thrusters must produce, unit forces and torques less the part of wheels, by description."""
        model, unit = self.controller, np.eye(6)
        demands = {}
        if model.translation is not None:
            for i, mark in itertools.product(range(3), "+-"):
                demands[f"force along {mark}{'xyz'[i]} of the body"] = float(f"{mark}1") * unit[3 + i]
        elif model.thrust:
            demands["force along the z axis of the tip, as `thrust` demands,"] = np.array(
                [0.0, 0.0, 0.0, *(math.copysign(1.0, model.thrust) * tip_axis)]
            )
        if model.attitude is not None:
            for (i, torque), mark in itertools.product(enumerate(self._torques_without_wheels()), "+-"):
                demand = float(f"{mark}1") * np.array([*torque, 0.0, 0.0, 0.0])
                demands[f"torque about {mark}{'xyz'[i]} of the body"] = demand
        return demands

    def _write_wheels(self, c: np.record, gnc: GncRecords, first: list[int]) -> None:
        wheels = self.controller.wheels
        c.first_wheel, c.wheels = first[1], len(wheels)
        first[1] += len(wheels)
        if not wheels:
            return
        for record, wheel, axis in zip(gnc.wheels[c.first_wheel :], wheels.values(), self.wheel_axes):
            record.at_u, record.axis[:] = self.assembly.joints[wheel.body].at_u, axis
            own = self.links[self.assembly.placed[wheel.body].link]["own"]
            record.inertia = float(own[6])
            record.max_torque, record.max_momentum = wheel.max_torque, wheel.max_momentum
        share = np.linalg.pinv(self.wheel_axes.T)
        needs_all = self.controller.attitude is not None and not self.controller.thrusters
        if needs_all and self._torques_without_wheels().any():
            message = "must have axes in three independent directions, or add thrusters"
            raise FieldError(f"gnc.{self.name}.wheels", message)
        for record, row in zip(gnc.wheels[c.first_wheel :], share):
            record.share[:] = row


def shortest_change(
    effects: Floats, costs: Floats, weights: Floats, shortest: Floats, demand: Floats
) -> float:
    """Return how much of a demand (6,) the shortest pulses of the thrusters produce, the larger of both signs; (K50).

    `effects` (6, n) are per second, `shortest` (n,) on-times [s]. Thrusters with less than half of the largest share of
    a pulse do not count: what they add is rounded off.
    """
    n = effects.shape[1]
    out, tableau = np.empty(n), np.empty((TABLEAU_ROWS, n + EXTRA_COLUMNS))
    change = 0.0
    for sign in (1.0, -1.0):
        allocate_on_times(effects, costs, np.full(n, 1e12), sign * demand, weights, tableau, out)
        used = out > 0.0
        if used.any() and (shortest[used] > 0.0).all():
            shares = out[used] / shortest[used]
            change = max(change, 1.0 / float(shares[shares >= 0.5 * shares.max()].min()))
    return change


def _carry_limits(pulses: Floats) -> Floats:
    """Return the impulses (6,) above which rounding cannot suppress all pulses; Eq. (K45).

    `pulses` (6, n) are the impulses of the shortest pulses. An allocation has at most six thrusters between their
    bounds; rounding suppresses pulses below `ROUND_UP` of the shortest.
    """
    one_way = [np.sort(np.maximum(sign * pulses, 0.0), axis=1)[:, -ROWS:].sum(axis=1) for sign in (1.0, -1.0)]
    return np.asarray(np.maximum(ROUND_UP * np.maximum(*one_way), np.abs(pulses).max(axis=1)))


def _misaligned(thruster: Thruster, direction: Floats) -> Floats:
    """Return the actual direction of a thruster: its nominal one, turned about two axes across it."""
    R = matrix_from_z_to(direction)
    turn = matrix_from_quaternion(quaternion_from_rotation_vector(np.array([*thruster.misalignment, 0.0])))
    return np.asarray(R @ turn[:, 2])
