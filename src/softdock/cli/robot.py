"""`softdock robot`: serve, command and check robots over a network link."""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softdock.cli import console, options
from softdock.errors import InputError, RunError

if TYPE_CHECKING:
    from softdock.robot.fri_controller import FriController
    from softdock.robot.fri_link import FriLink
    from softdock.robot.link import Robot
    from softdock.robot.link_remote import RemoteLink
    from softdock.robot.link_server import RobotServer
    from softdock.robot.simulated_network import Conditions

LOOPBACK, PORT = "127.0.0.1", 47810  # those of softdock.robot.udp, which is imported when needed

Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Address of the robot (default: this machine).")]
Port = Annotated[int, typer.Option(metavar="P", help="Port of the robot.")]

Fri = Annotated[
    bool,
    typer.Option("--fri", help="Use the Fast Research Interface of the KUKA LWR (port 49938) instead."),
]
FRI_PORT = 49938

robot = typer.Typer(
    help="Serve a simulated robot to experiments, run experiments and check the link.", no_args_is_help=True
)


@robot.command()
def serve(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[ROBOT]",
            help="Scenario of kind robot, URDF file, bundled robot (lwr4plus), or joints: seven independent joints.",
        ),
    ] = "lwr4plus",
    host: options.ListenAddress = LOOPBACK,
    port: Annotated[int, typer.Option(metavar="P", help="Port; 0 selects a free port.")] = PORT,
    cycle: Annotated[str, typer.Option(metavar="TIME", help="Cycle time of the link, 1 to 100 ms.")] = "1 ms",
    timeout: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Robot stops after this time without commands (default: ten cycles)."
        ),
    ] = None,
    delay: Annotated[
        str, typer.Option(metavar="TIME", help="Delay of each datagram in each direction.")
    ] = "0 s",
    jitter: Annotated[str, typer.Option(metavar="TIME", help="Largest random additional delay.")] = "0 s",
    loss: Annotated[
        str, typer.Option(metavar="SHARE", help="Fraction of datagrams lost, for example 0.05 or '5 %'.")
    ] = "0",
    duplicates: Annotated[
        str, typer.Option(metavar="SHARE", help="Fraction of datagrams received twice.")
    ] = "0",
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the random numbers.")] = 0,
    duration: Annotated[str | None, typer.Option(metavar="TIME", help="Stop after this time.")] = None,
    fri: Fri = False,
    as_json: options.Json = False,
) -> None:
    """Serve a simulated robot over UDP in real time until Ctrl-C, then print the statistics of the link.

    With --fri it plays the controller of a KUKA LWR, which sends measurements to --host and --port.
    """
    from softdock.robot.command_supervisor import check_period
    from softdock.robot.simulated_network import Conditions

    conditions = Conditions(
        delay=options.parse_option("--delay", delay, "s"),
        jitter=options.parse_option("--jitter", jitter, "s"),
        loss=options.parse_option("--loss", loss, "1"),
        duplicates=options.parse_option("--duplicates", duplicates, "1"),
        seed=seed,
    )
    wait = None if timeout is None else options.parse_option("--timeout", timeout, "s")
    period = check_period(options.parse_option("--cycle", cycle, "s"))
    end = _ServiceEnd(None if duration is None else options.parse_option("--duration", duration, "s"))
    if fri and timeout is not None:
        message = "The Fast Research Interface has no timeout to set: it falls back when answers are missing."
        raise InputError(message, field="--timeout", given=timeout)
    serve_robot = _serve_fri if fri else _serve_own
    at, statistics, robot = serve_robot(name, host, port, period, wait, conditions, end)
    if as_json:
        console.print_json({"robot": name, "address": at, **statistics})
    else:
        _print(statistics)
    if getattr(robot, "ended", False):
        raise RunError("the simulation of the robot has failed; the commanded stiffness may be too large")


def _serve_own(
    name: str, host: str, port: int, period: float, timeout: float | None, conditions: "Conditions",
    keep_running: Callable[[], bool],
) -> tuple[str, dict[str, Any], "Robot"]:  # fmt: skip
    """Serve a robot by the own protocol; return address, statistics and robot."""
    from softdock.robot.link_server import RobotServer

    server = RobotServer(_read_robot(name), period, timeout)
    at = _listen(server, name, host, port, conditions, keep_running)
    return at, server.to_json(), server.robot


def _serve_fri(
    name: str, host: str, port: int, period: float, timeout: float | None, conditions: "Conditions",
    keep_running: Callable[[], bool],
) -> tuple[str, dict[str, Any], "Robot"]:  # fmt: skip
    """Play the controller of the Fast Research Interface; return the remote side, statistics and robot."""
    from softdock.robot.fri_controller import FriController
    from softdock.robot.udp import resolve

    remote = resolve(host, FRI_PORT if port == PORT else port)[2]
    controller = FriController(_read_robot(name), period, remote)
    at = _send_measurements(controller, name, remote, conditions, keep_running)
    return at, controller.to_json(), controller.robot


def _listen(
    server: "RobotServer",
    name: str,
    host: str,
    port: int,
    conditions: "Conditions",
    keep_running: Callable[[], bool],
) -> str:
    """Serve a robot over UDP until it ends or `keep_running` returns False; return the address."""
    from softdock.presentation.numbers import format_quantity
    from softdock.robot.udp import UdpServer, is_loopback

    if not is_loopback(host):
        console.print_message(
            f"Every computer that reaches {host} can move this robot: the link has no authentication."
        )
    with UdpServer(server, host, port, conditions) as udp:
        listening = f"{udp.address[0]}:{udp.address[1]}"
        console.print_message(
            f"Robot '{name}' ({server.robot.limits.joints} joints) listens on {listening}, "
            f"cycle {format_quantity(server.period, 's')}{_describe_network(conditions)}. Stop with Ctrl-C."
        )
        udp.run(lambda: keep_running() and not getattr(server.robot, "ended", False))
    return listening


def _send_measurements(
    server: "FriController",
    name: str,
    remote: tuple[str, int],
    conditions: "Conditions",
    keep_running: Callable[[], bool],
) -> str:
    """Play the controller of the Fast Research Interface until `keep_running` returns False; return the remote side."""
    from softdock.presentation.numbers import format_quantity
    from softdock.robot.udp import LOOPBACK as HERE
    from softdock.robot.udp import UdpServer, is_loopback

    own = HERE if is_loopback(remote[0]) else "0.0.0.0"
    with UdpServer(server, own, 0, conditions) as udp:
        console.print_message(
            f"Controller of '{name}' sends measurements to {remote[0]}:{remote[1]} every "
            f"{format_quantity(server.period, 's')}{_describe_network(conditions)}. Stop with Ctrl-C."
        )
        udp.run(lambda: keep_running() and not getattr(server.robot, "ended", False))
    return f"{remote[0]}:{remote[1]}"


def _connection(host: str, port: int, fri: bool) -> "Callable[[], FriLink | RemoteLink]":
    """Return a function that connects to a robot; with the Fast Research Interface one waits for its controller."""
    from softdock.robot.fri_link import FriLink, UdpListener
    from softdock.robot.udp import connect

    if fri:
        return lambda: FriLink(UdpListener(host, FRI_PORT if port == PORT else port))
    return lambda: connect(host, port)


@robot.command()
def run(
    scenario: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Scenario of kind robot.")],
    overrides: options.Overrides = None,
    host: Host = LOOPBACK,
    port: Port = PORT,
    fri: Fri = False,
    out: options.Out = None,
    as_json: options.Json = False,
) -> None:
    """Run the experiment of a scenario on a robot over a link in real time; the robot moves."""
    from softdock.scenario.loading import load
    from softdock.scenario.robot import RobotScenario
    from softdock.simulation.remote import run_on_robot

    chosen = load(scenario, overrides or ())
    if not isinstance(chosen, RobotScenario):
        message = "Only scenarios of kind robot define an experiment for a robot."
        raise InputError(message, field="kind", given=chosen.kind)
    if out is not None:
        console.make_folder(out)
    result = run_on_robot(chosen, _connection(host, port, fri))
    if out is not None:
        result.save(out)
    if as_json:
        console.print_json(result.to_json())
    else:
        console.print_result(result, [] if out is None else [out])
    if not result.completed:
        raise RunError(result.message)


@robot.command()
def check(
    host: Host = LOOPBACK,
    port: Port = PORT,
    duration: Annotated[str, typer.Option(metavar="TIME", help="Duration of the check.")] = "5 s",
    fri: Fri = False,
    as_json: options.Json = False,
) -> None:
    """Monitor a robot without moving it and print latency, jitter and loss of the link."""
    from softdock.result import plain_data
    from softdock.robot.link import monitor

    keep_running = _ServiceEnd(options.parse_option("--duration", duration, "s"))
    with _connection(host, port, fri)() as link:
        state = link.cycle(monitor(link.limits.joints))
        while keep_running():
            state = link.cycle(monitor(link.limits.joints))
        report = {
            "joints": link.limits.joints,
            "cycle_s": link.period,
            "mode": state.mode.name.lower(),
            "q": plain_data(state.q),
            **link.statistics.to_json(),
        }
    if as_json:
        console.print_json(report)
    else:
        _print(report)


def _read_robot(name: str) -> "Robot":
    from softdock.robot.simple_robots import seven_joint_robot

    if name == "joints":
        return seven_joint_robot()
    from softdock.simulation.remote import served_robot

    return served_robot(name)


def _describe_network(conditions: "Conditions") -> str:
    """Return the simulated network conditions as text."""
    from softdock.presentation.numbers import format_quantity, format_share

    times = {"delay": conditions.delay, "jitter": conditions.jitter}
    shares = {"loss": conditions.loss, "duplicates": conditions.duplicates}
    words = [f"{name} {format_quantity(value, 's')}" for name, value in times.items() if value]
    words += [f"{name} {format_share(value)}" for name, value in shares.items() if value]
    return ", " + ", ".join(words) if words else ""


class _ServiceEnd:
    """Returns True until a time [s] has passed or Ctrl-C or SIGTERM is received."""

    def __init__(self, duration: float | None) -> None:
        self._end = None if duration is None else time.monotonic() + duration
        self._stopped = False
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._stop)
            signal.signal(signal.SIGTERM, self._stop)

    def __call__(self) -> bool:
        return not self._stopped and (self._end is None or time.monotonic() < self._end)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopped = True


def _print(statistics: dict[str, Any], indent: str = "") -> None:
    """Print nested statistics as aligned lines; names of times [s] end in `_s`."""
    from softdock.presentation.labels import label
    from softdock.presentation.numbers import format_quantity, format_value

    for name, value in statistics.items():
        title = indent + label(name.removesuffix("_s"))
        if isinstance(value, dict):
            print(title)
            _print(value, indent + "  ")
        elif isinstance(value, float) and name.endswith("_s"):
            print(f"{title:22} {format_quantity(value, 's')}")
        else:
            print(f"{title:22} {format_value(value)}")
