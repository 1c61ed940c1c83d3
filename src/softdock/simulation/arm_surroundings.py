"""Events and relative poses of a simulation, as the moves of an arm need them."""

from collections.abc import Sequence

from softdock.assembly.assembler import Assembly
from softdock.dynamics.link_poses import link_pose
from softdock.dynamics.session import Session
from softdock.model.phases import phase_order
from softdock.scenario.robot import RobotScenario
from softdock.simulation.phases import START, completion_of
from softdock.spatial.poses import Pose


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
    triggers = []
    for move in scenario.moves:
        after = [] if move.after is None else [move.after]
        own = [name if name in scenario.events else completion_of(name) for name in after]
        triggers.append((*own, *(starts.get(move.name, []) if move.name else [])))
    return triggers


class SimulatedSurroundings:
    """The surroundings of a simulated arm, known exactly; implements `robot.triggered_moves.ArmSurroundings`."""

    def __init__(self, session: Session, assembly: Assembly, base: str, events: Sequence[str]) -> None:
        self._session, self._placed, self._base, self._events = session, assembly.placed, base, events
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

    def _pose(self, body: str) -> Pose:
        """Return a body in the world, as the last evaluation left it."""
        placed, system = self._placed[body], self._session.system
        return link_pose(system.links, system.motions, placed.link) @ placed.X_LB
