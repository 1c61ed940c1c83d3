"""Run a scenario of kind `robot`: an experiment drives a simulated arm through a link."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly
from softdock.assembly.reactions import transmits_reaction
from softdock.dynamics.link_poses import link_pose
from softdock.dynamics.session import Session
from softdock.errors import InputError
from softdock.model.phases import phase_order
from softdock.result import Result
from softdock.robot.arm import Arm, build_arm
from softdock.robot.bodies import body_name, joint_limits
from softdock.robot.experiment import Experiment
from softdock.robot.force_sensor import SensorProperties, ToolCompensation
from softdock.robot.impedance import Compensation, check_sampling, check_task_sampling
from softdock.robot.link import CartesianImpedance, JointLimits, RobotState
from softdock.robot.link_local import LocalLink
from softdock.robot.plan import Impedance, Move, Pace, Planner, Setpoint, out_of_reach
from softdock.robot.simulated_robot import (
    Drives,
    JointFriction,
    SensorPlace,
    SimulatedRobot,
    design_cartesian,
)
from softdock.robot.trajectory import Bounds, Interpolation
from softdock.robot.triggered_moves import TriggeredMoves
from softdock.robot.urdf import Description
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.robot import RobotScenario, spread
from softdock.scenario.robot_control import CartesianModel
from softdock.scenario.robot_moves import MoveModel
from softdock.simulation.multibody import PreparedMultibody, with_frames
from softdock.simulation.phases import START, completion_of
from softdock.simulation.real_time import FRAME, Pacing, RealTime
from softdock.simulation.robot_log import add_log, add_readings
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_quaternion
from softdock.tree.joints import pose_at, quaternion


def move_triggers(scenario: RobotScenario) -> list[tuple[str, ...]]:
    """Return the events that start each move, with the events that phases become; empty where none does so."""
    phases = [scenario.phases[i] for i in phase_order(scenario.phases)]
    beginnings = [START, *(completion_of(phase.name) for phase in phases)]
    starts: dict[str, list[str]] = {}
    for name, event in scenario.events.items():
        for action in event.then:
            starts.setdefault(action.move or "", []).append(name)
    for beginning, phase in zip(beginnings, phases):
        for action in phase.do:
            starts.setdefault(action.move or "", []).append(beginning)
    found, known = [], {**scenario.events, **scenario.grip_events}
    for move in scenario.moves:
        after = [] if move.after is None else [move.after]
        own = [name if name in known else completion_of(name) for name in after]
        found.append((*own, *(starts.get(move.name, []) if move.name else [])))
    return found


class SimulatedSurroundings:
    """The surroundings of a simulated arm, known exactly; implements `softdock.robot.triggered_moves.Surroundings`."""

    def __init__(self, robot: SimulatedRobot, assembly: Assembly, base: str, events: Sequence[str]) -> None:
        self._robot, self._session = robot, robot.session
        self._placed, self._base, self._events = assembly.placed, base, events
        self._times: dict[str, float] = {}
        self._rows = 0

    @property
    def time(self) -> float:
        """Present time [s]."""
        return self._session.time

    def event_time(self, events: Sequence[str]) -> float | None:
        """Return when the first of some events happened [s]; None if none has happened."""
        log = self._session.log
        for t, i in log[self._rows :]:
            self._times.setdefault(self._events[int(i)], float(t))
        self._rows = len(log)
        return min((self._times[name] for name in events if name in self._times), default=None)

    def locate(self, body: str, at: Pose) -> Pose:
        """Return the present pose X_BF of a frame on a body, in the base of the arm."""
        return self._pose(self._base).relative(self._pose(body) @ at)

    def measured_force(self) -> float:
        """Return the force that the force-torque sensor measured last [N]; 0 without one."""
        wrench = self._robot.state().wrench
        return 0.0 if wrench is None else float(np.linalg.norm(wrench[:3]))

    def _pose(self, body: str) -> Pose:
        """Return a body in the world, as the last evaluation left it."""
        placed, system = self._placed[body], self._session.system
        return link_pose(system.links, system.motions, placed.link) @ placed.X_LB


Floats = NDArray[np.float64]
MAX_DURATION = 86400.0  # [s], one day; of a robot without an experiment


class PreparedRobot:
    """An experiment with a robot, prepared to run."""

    def __init__(self, scenario: RobotScenario) -> None:
        self.scenario = scenario
        self.setup = Setup(scenario)

    def simulate(
        self,
        real_time: RealTime | None = None,
        *,
        for_prediction: bool = False,
        adjust: Callable[[Setpoint, RobotState | None], Setpoint] | None = None,
    ) -> Result:
        """Run the experiment and return what happened.

        `adjust` changes targets and stiffness while it runs: it returns what is commanded in a cycle instead of the
        setpoint of the moves, given the last state of the robot.
        """
        real_time = self._frames(real_time)
        prepared, robot, experiment = self.begin(real_time)
        # A simulated arm may be as soft as its scenario says; a robot behind a link may not.
        experiment = replace(
            experiment,
            low_impedance=True,
            on_move_end=self.setup.grips(prepared, robot.session),
            adjust=adjust,
        )
        pacing = None if real_time is None else Pacing(real_time)
        with LocalLink(robot, self.scenario.control.period) as link:
            log = experiment.run(link, None if pacing is None else lambda _: pacing.end_frame())
        result = prepared.result(robot.session.finish())
        if pacing is not None:
            result = replace(result, timing=with_frames(result.timing, pacing.frames))
        result = add_log(result, self.setup, log, robot.torque_log(), experiment.plan)
        return add_readings(result, self.setup, robot.torque_log().t, robot.sensor_log())

    def _frames(self, real_time: RealTime | None) -> RealTime | None:
        """Return the settings of a run in real time, whose frames are the cycles of the control."""
        period = self.scenario.control.period
        if real_time is None or real_time.frame == period:
            return real_time
        if real_time.frame != FRAME:
            raise InputError(
                f"The frames of an arm are the cycles of its control, control.period of {period * 1e3:g} ms.",
                field="frame",
                given=f"{real_time.frame:g} s",
            )
        return replace(real_time, frame=period)

    def begin(
        self, real_time: RealTime | None = None
    ) -> tuple[PreparedMultibody, SimulatedRobot, Experiment]:
        """Return the system and the robot at the start, and its moves; raises InputError where these are impossible."""
        setup = self.setup
        if self.scenario.planned_during_run:
            prepared = setup.prepare(self.scenario.duration or 0.0, real_time=real_time)
            robot = setup.robot(prepared, planned=True)
            return prepared, robot, setup.triggered_experiment(robot, prepared)
        experiment = setup.experiment()
        prepared = setup.prepare(experiment.plan.cycles * experiment.plan.period, real_time=real_time)
        return prepared, setup.robot(prepared, planned=True), experiment

    def predict(self) -> None:
        """Return None: no theory covers experiments with robots."""
        return


def simulated_robot(scenario: RobotScenario) -> SimulatedRobot:
    """Return the robot of a scenario at its start, without an experiment, to be commanded through a link."""
    setup = Setup(scenario)
    return setup.robot(setup.prepare(MAX_DURATION, record=False))


class Setup:
    """Model of the arm, its limits and the whole system of a scenario."""

    def __init__(self, scenario: RobotScenario) -> None:
        self.scenario = scenario
        self.whole: MultibodyScenario = scenario.whole()
        self.description: Description = scenario.read_arm()
        moving = [body_name(joint.child) for joint in self.description.moving]
        self.arm: Arm = build_arm(self.whole.at_start().bodies, body_name(self.description.root), moving)
        # The arm's order of joints is that of the simulation; the file's may differ where the tree has branches.
        self.order = [moving.index(name) for name in self.arm.bodies]
        self.joints = [body_name(self.description.moving[i].name) for i in self.order]
        n = self.arm.joints
        self.stiffness = spread(scenario.control.stiffness, n)[self.order]
        self.damping_ratio = spread(scenario.control.damping_ratio, n)[self.order]
        self.impedances: tuple[Impedance, ...] = tuple(self._impedance(move) for move in scenario.moves)
        self.start = self._ordered(scenario.arm.start or (0.0,) * n)
        self.limits = self._limits()

    def _impedance(self, move: MoveModel) -> Impedance:
        """Return the impedance of a move: its own, or that of `control`."""
        n, chosen = self.arm.joints, [self.stiffness, self.damping_ratio]
        for k, values in enumerate((move.stiffness, move.damping_ratio)):
            if values is not None:
                chosen[k] = spread(values, n)[self.order]
        of_joints = move.stiffness is not None or move.damping_ratio is not None
        cartesian = move.cartesian or (None if of_joints else self.scenario.control.cartesian)
        return Impedance(
            stiffness=chosen[0],
            damping_ratio=chosen[1],
            cartesian=None if cartesian is None else self._cartesian(cartesian),
        )

    def _cartesian(self, model: CartesianModel) -> CartesianImpedance:
        """Return the Cartesian impedance of a task frame on the tool."""
        n, (body, X_T) = self.arm.joints, self.tool
        placed = self.arm.assembly.placed[body]
        if placed.link < 2:
            raise InputError(
                "A Cartesian impedance needs a tool on a link that a joint of the arm moves.",
                field="tool.body",
                given=body,
            )
        X_LT = placed.X_LB @ X_T @ pose_at(model.at, model.attitude)
        along, about = np.ones(3) * model.stiffness, np.ones(3) * model.angular_stiffness
        ratio = np.ones(6) * model.damping_ratio
        return CartesianImpedance(
            link=placed.link - 1,
            frame=np.concatenate([X_LT.R.ravel(), X_LT.p]),
            stiffness=np.concatenate([about, along]),
            damping_ratio=np.concatenate([ratio[3:], ratio[:3]]),
            null_stiffness=spread(model.null_stiffness, n)[self.order],
            null_damping_ratio=spread(model.null_damping_ratio, n)[self.order],
            in_base_axes=model.axes == "base",
        )

    def _ordered(self, values: tuple[float, ...]) -> Floats:
        return np.asarray(values, float)[self.order]

    def _limits(self) -> JointLimits:
        limits = joint_limits(self.description)
        chosen = {
            key: getattr(limits, key)[self.order]
            for key in ("q_min", "q_max", "speed", "torque", "stiffness")
        }
        for stiffness in (self.stiffness, *(impedance.stiffness for impedance in self.impedances)):
            chosen["stiffness"] = np.maximum(chosen["stiffness"], stiffness)
        return JointLimits(**chosen, hold_stiffness=self.stiffness, cartesian=True)

    @property
    def tool(self) -> tuple[str, Pose]:
        """Frame whose origin follows straight lines: a body and the pose of the frame on it."""
        tool = self.scenario.tool
        if tool is None:
            return body_name(self.description.ordered()[-1].child), Pose.identity()
        if tool.body not in self.arm.assembly.placed:
            raise InputError(
                "The tool must be a link of the arm or be fixed to one.", field="tool.body", given=tool.body
            )
        return tool.body, tool.pose()

    def experiment(self) -> Experiment:
        """Plan the moves; raises InputError for unreachable goals, unstable control and moves that events start."""
        s = self.scenario
        self._refuse_triggers()
        for i in range(len(s.moves)):
            self._check_sampling(self.start, i)
        plan = self._planner().plan(self._moves())
        for i, (_, end, _) in enumerate(plan.moves):
            self._check_sampling(plan.q[max(0, round(end / plan.period) - 1)], i)
        cycles = round((s.duration or plan.duration) / plan.period)
        final = np.repeat(plan.q[-1:], max(0, cycles - len(plan.q)), axis=0)
        plan = replace(plan, q=np.concatenate([plan.q, final])[:cycles], impedance=self.impedances)
        return Experiment(plan=plan)

    def triggered_experiment(self, robot: SimulatedRobot, prepared: PreparedMultibody) -> Experiment:
        """Return moves that are planned during the run; raises InputError for goals that cannot be reached."""
        surroundings = SimulatedSurroundings(
            robot, prepared.assembly, self.arm.base, list(prepared.topology.event_index)
        )
        moves = self._moves()
        self._check_goals(moves, surroundings)
        duration = self.scenario.duration or 0.0
        return Experiment(
            plan=TriggeredMoves(self._planner(), moves, self.impedances, surroundings, duration)
        )

    def grips(self, prepared: PreparedMultibody, session: Session) -> Callable[[int], None]:
        """Return a function that performs the grip or release at the end of the motion of a move, by its event."""
        index = prepared.topology.event_index

        def perform(i: int) -> None:
            move = self.scenario.moves[i]
            for name, verb in ((move.release, "release"), (move.grip, "grip")):
                if name is not None:
                    session.arm_event(index[f"{name}-{verb}"])

        return perform

    def _planner(self) -> Planner:
        period = self.scenario.control.period
        return Planner(self.arm, self.tool, self.limits, self._pace(), period, self.start)

    def _refuse_triggers(self) -> None:
        """Raise InputError for moves that need the simulation."""
        for i, move in enumerate(self.scenario.moves):
            if self.scenario.needs_surroundings(i):
                field = "after" if move.after else "frame" if move.frame else "name"
                raise InputError(
                    "A robot behind a link reports no events and no poses, which this move needs.",
                    field=f"moves.{i}.{field}",
                    hint="Run the scenario with the simulated robot.",
                )

    def _check_goals(self, moves: Sequence[Move], surroundings: SimulatedSurroundings) -> None:
        """Raise InputError for goals that are known at the start and out of reach, and for unstable control.

        Goals in frames of other bodies are known before the first event only.
        """
        planner, q, triggered = self._planner(), self.start, False
        for i, move in enumerate(moves):
            triggered = triggered or bool(move.after)
            self._check_sampling(q, i)
            carried = move.frame is None or move.frame[0] == self.arm.base
            if triggered and (move.by is not None or not carried):
                continue
            X_BF = None if move.frame is None else surroundings.locate(*move.frame)
            path = planner.path(i, move, q, X_BF)
            if path is None:
                continue
            solution = path.solve(1.0, q, X_BF if move.tracked else None)
            if not solution.converged:
                raise out_of_reach(i, move, solution, 1.0)
            q = solution.q
            self._check_sampling(q, i)

    def _check_sampling(self, q: Floats, move: int) -> None:
        """Raise InputError for the stiffness of a move that sampled control cannot damp in this posture."""
        impedance, control, M = (
            self.impedances[move],
            self.scenario.control,
            self.arm.effective_mass_matrix(q),
        )
        own = self.scenario.moves[move]
        try:
            if impedance.cartesian is not None:
                design = design_cartesian(self.arm, impedance.cartesian, M, q)
                check_task_sampling(M, design, control.torque_period, tuple(self.joints))
            else:
                check_sampling(
                    M, impedance.stiffness, impedance.damping_ratio, control.torque_period, tuple(self.joints)
                )
        except InputError as error:
            key = "cartesian" if impedance.cartesian is not None else "stiffness"
            if getattr(own, key) is None:
                raise
            raise InputError(replace(error.problems[0], field=f"moves.{move}.{key}")) from None

    def prepare(
        self, duration: float, record: bool = True, real_time: RealTime | None = None
    ) -> PreparedMultibody:
        """Return the whole system, prepared for a run of a duration [s]."""
        whole = self.whole.model_copy(update={"duration": duration})
        if not record:
            whole = whole.model_copy(update={"record": whole.record.model_copy(update={"rate": 0.0})})
        prepared = PreparedMultibody(whole)
        if real_time is not None:
            settings = real_time.settings(prepared.simulation.settings)
            prepared.simulation = replace(prepared.simulation, settings=settings)
        prepared.check_start()
        return prepared

    def robot(self, prepared: PreparedMultibody, planned: bool = False) -> SimulatedRobot:
        """Return the simulated robot at its start; `planned`: for the moves of the scenario, whose torques it logs.

        Without a plan it holds commands, as a robot behind a link does, unless the scenario asks for interpolation.
        """
        default = Interpolation.CUBIC if planned else Interpolation.HOLD
        chosen = self.scenario.control.interpolation
        drives = Drives(
            limits=self.limits,
            torque_period=self.scenario.control.torque_period,
            compensation=Compensation(self.scenario.control.compensation),
            gravity=self.scenario.gravity,
            friction=self._friction(),
            interpolation=default if chosen is None else Interpolation(chosen),
            log_torques=planned,
            sensor=self._sensor(prepared),
        )
        return SimulatedRobot(prepared.simulation, self.arm, drives)

    def _sensor(self, prepared: PreparedMultibody) -> SensorPlace | None:
        """Return the force-torque sensor; raises InputError where nothing with mass lies beyond its mount."""
        model = self.scenario.force_sensor
        if model is None:
            return None
        row = prepared.assembly.reaction_index.get(model.mount)
        if row is None or not transmits_reaction(self.whole, model.mount):
            message = "Nothing with mass lies beyond this mount: a sensor there would measure nothing."
            raise InputError(message, field="force_sensor.mount", given=model.mount)
        X_FS = pose_at(model.at, model.attitude)
        properties = SensorProperties(
            bias=np.array([*model.bias_force, *model.bias_torque]),
            drift=np.repeat([model.drift_force, model.drift_torque], 3),
            noise=np.repeat([model.noise_force, model.noise_torque], 3),
            bandwidth=model.bandwidth,
            compensation=ToolCompensation(model.compensation),
            mass_ratio=model.mass_ratio,
            seed=model.seed,
        )
        frame = np.concatenate([X_FS.R.ravel(), X_FS.p])
        return SensorPlace(reaction=row, frame=frame, properties=properties)

    def _friction(self) -> JointFriction | None:
        joints = [self.description.moving[i] for i in self.order]
        viscous, coulomb = (np.array([getattr(j, key) for j in joints]) for key in ("damping", "friction"))
        if not viscous.any() and not coulomb.any():
            return None
        return JointFriction(viscous=viscous, coulomb=coulomb, speed=self.scenario.friction_speed)

    def _pace(self) -> Pace:
        p = self.scenario.pace
        return Pace(
            line=Bounds(speed=p.speed, acceleration=p.acceleration, jerk=p.jerk),
            attitude=Bounds(speed=p.turn_rate, acceleration=p.turn_acceleration, jerk=p.turn_jerk),
            joint=Bounds(speed=p.joint_speed, acceleration=p.joint_acceleration, jerk=p.joint_jerk),
        )

    def _moves(self) -> list[Move]:
        return [
            Move(
                joints=None if m.joints is None else self._ordered(m.joints),
                to=None if m.to is None else np.asarray(m.to, float),
                by=None if m.by is None else np.asarray(m.by, float),
                R=None if m.attitude is None else matrix_from_quaternion(quaternion(m.attitude)),
                frame=None if m.frame is None else (m.frame.body, m.frame.pose()),
                tracked=m.track,
                after=after,
                at_once=m.at_once,
                until_force=m.until_force,
                start=m.start,
                duration=m.duration,
                wait=m.wait,
            )
            for m, after in zip(self.scenario.moves, move_triggers(self.scenario))
        ]
