"""`softdock robot`: robots behind a link."""

import signal
import threading
import time
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem, RunError

if TYPE_CHECKING:
    from softdock.robot.link import Robot
    from softdock.robot.link_network import Conditions

LOOPBACK, PORT = "127.0.0.1", 47810  # those of softdock.robot.udp, which is imported when needed

Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Address of the robot; this machine by default.")]
Port = Annotated[int, typer.Option(metavar="P", help="Port of the robot.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]

robot = typer.Typer(
    help="Serve a simulated robot to experiments, and look at the link.", no_args_is_help=True
)


@robot.command()
def serve(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[ROBOT]",
            help="Scenario of kind robot, URDF file, bundled robot (lwr4plus), or joints: seven of them on their own.",
        ),
    ] = "lwr4plus",
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Listen there; by default only this machine can reach the robot."
        ),
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(metavar="P", help="Port; 0 takes a free one.")] = PORT,
    cycle: Annotated[str, typer.Option(metavar="TIME", help="Cycle of the link, 1 to 100 ms.")] = "1 ms",
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Silence after which the robot holds; ten cycles.")
    ] = None,
    delay: Annotated[str, typer.Option(metavar="TIME", help="Delay of each datagram, each way.")] = "0 s",
    jitter: Annotated[str, typer.Option(metavar="TIME", help="Up to so much more, at random.")] = "0 s",
    loss: Annotated[
        str, typer.Option(metavar="SHARE", help="Share of datagrams lost, like 0.05 or '5 %'.")
    ] = "0",
    duplicates: Annotated[
        str, typer.Option(metavar="SHARE", help="Share of datagrams that come twice.")
    ] = "0",
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of what is random.")] = 0,
    duration: Annotated[
        str | None, typer.Option(metavar="TIME", help="End by itself after that time.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve a simulated robot over UDP, in real time, until Ctrl-C; then print the statistics of the link."""
    from softdock.robot.link_gate import check_period
    from softdock.robot.link_network import Conditions
    from softdock.robot.link_server import RobotServer
    from softdock.robot.udp import UdpServer, is_loopback

    conditions = Conditions(
        delay=_quantity("--delay", delay, "s"),
        jitter=_quantity("--jitter", jitter, "s"),
        loss=_quantity("--loss", loss, "1"),
        duplicates=_quantity("--duplicates", duplicates, "1"),
        seed=seed,
    )
    wait = None if timeout is None else _quantity("--timeout", timeout, "s")
    period = check_period(_quantity("--cycle", cycle, "s"))
    server = RobotServer(_robot(name), period, wait)
    goes_on = _until_stopped(None if duration is None else _quantity("--duration", duration, "s"))
    if not is_loopback(host):
        console.say(f"Anyone who can reach {host} can move this robot: the link knows no passwords.")
    with UdpServer(server, host, port, conditions) as udp:
        listening = f"{udp.address[0]}:{udp.address[1]}"
        console.say(
            f"Robot '{name}' ({server.robot.limits.joints} joints) listens on {listening}, "
            f"cycle {server.period * 1e3:g} ms{_described(conditions)}. Ctrl-C ends it."
        )
        udp.run(lambda: goes_on() and not getattr(server.robot, "ended", False))
    if as_json:
        console.print_json({"robot": name, "address": listening, **server.to_json()})
    else:
        _print(server.to_json())
    if getattr(server.robot, "ended", False):
        raise RunError("the simulation of the robot has come to its end; was it commanded too stiff?")


@robot.command()
def run(
    scenario: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Scenario of kind robot.")],
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Replace a field; may be repeated."),
    ] = None,
    host: Host = LOOPBACK,
    port: Port = PORT,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Save result and history there.")] = None,
    as_json: Json = False,
) -> None:
    """Carry out the experiment of a scenario on a robot behind a link, in real time; the robot moves."""
    from softdock.robot.udp import connect
    from softdock.scenario import load
    from softdock.scenario.robot import RobotScenario
    from softdock.simulate.remote import run_on

    chosen = load(scenario, overrides or ())
    if not isinstance(chosen, RobotScenario):
        message = "Only scenarios of kind robot have an experiment for a robot."
        raise InputError(Problem(field="kind", message=message, given=chosen.kind))
    if out is not None:
        console.make_folder(out)
    result = run_on(chosen, lambda: connect(host, port))
    if out is not None:
        result.save(out)
    if as_json:
        console.print_json(result.to_json())
    else:
        print(result.summary())
        if out is not None:
            print(f"Written to {out}")
    if not result.completed:
        raise RunError(result.message)


@robot.command()
def check(
    host: Host = LOOPBACK,
    port: Port = PORT,
    duration: Annotated[str, typer.Option(metavar="TIME", help="How long to look.")] = "5 s",
    as_json: Json = False,
) -> None:
    """Look at a robot in monitor mode, without moving it, and print latency, jitter and loss of the link."""
    from softdock.result import plain_data
    from softdock.robot.link import monitor
    from softdock.robot.udp import connect

    goes_on = _until_stopped(_quantity("--duration", duration, "s"))
    with connect(host, port) as link:
        state = link.cycle(monitor(link.limits.joints))
        while goes_on():
            state = link.cycle(monitor(link.limits.joints))
        found = {
            "joints": link.limits.joints,
            "cycle_s": link.period,
            "mode": state.mode.name.lower(),
            "q": plain_data(state.q),
            **link.statistics.to_json(),
        }
    if as_json:
        console.print_json(found)
    else:
        _print(found)


def _robot(name: str) -> "Robot":
    from softdock.robot.independent_joints import seven_joints

    if name == "joints":
        return seven_joints()
    from softdock.simulate.remote import served_robot

    return served_robot(name)


def _quantity(option: str, given: str, unit: str) -> float:
    from softdock.quantities.units import parse_quantity

    try:
        return parse_quantity(given, unit)
    except ValueError as error:
        raise InputError(Problem(field=option, message=f"The value {error}.", given=given)) from None


def _described(conditions: "Conditions") -> str:
    """Return what the network is made to do, in words."""
    times = {"delay": conditions.delay, "jitter": conditions.jitter}
    shares = {"loss": conditions.loss, "duplicates": conditions.duplicates}
    words = [f"{name} {value * 1e3:g} ms" for name, value in times.items() if value]
    words += [f"{name} {value:.3g}" for name, value in shares.items() if value]
    return ", " + ", ".join(words) if words else ""


class _until_stopped:  # noqa: N801 - reads as a phrase
    """Says whether to go on: until a time [s] has passed, or Ctrl-C or SIGTERM came."""

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


def _print(figures: dict[str, Any], indent: str = "") -> None:
    """Print nested figures as aligned lines, times in milliseconds."""
    for name, value in figures.items():
        title = indent + name.removesuffix("_s").replace("_", " ")
        if isinstance(value, dict):
            print(title)
            _print(value, indent + "  ")
        elif isinstance(value, list):
            print(f"{title:22} {'  '.join(f'{number:.4f}' for number in value)}")
        elif isinstance(value, float):
            shown = f"{value * 1e3:.3f} ms" if name.endswith("_s") else f"{value:.4g}"
            print(f"{title:22} {shown}")
        else:
            print(f"{title:22} {'-' if value is None else value}")
