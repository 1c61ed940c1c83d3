"""The command line, one file per command.

Commands import the packages that compute in their functions, so that `softdock --help` starts fast.
"""

import sys
from typing import Annotated, NoReturn

import typer

from softdock import __version__
from softdock.cli import console
from softdock.cli.bench import bench
from softdock.cli.campaign import campaign
from softdock.cli.compare import compare
from softdock.cli.export import export
from softdock.cli.figures import figures
from softdock.cli.inspect import inspect
from softdock.cli.new import new
from softdock.cli.predict import predict
from softdock.cli.replay import replay
from softdock.cli.robot import robot
from softdock.cli.run import run
from softdock.cli.scale import scale
from softdock.cli.scenarios import scenarios
from softdock.cli.show import show
from softdock.cli.studio import studio
from softdock.cli.validate import validate
from softdock.cli.verify import verify

app = typer.Typer(
    name="softdock",
    help="Simulate the contact phase of spacecraft docking, berthing and servicing.",
    epilog="Start with: softdock scenarios, then softdock run impact-a",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (
    scenarios,
    show,
    new,
    predict,
    validate,
    inspect,
    run,
    verify,
    compare,
    replay,
    studio,
    figures,
    scale,
    export,
    bench,
):
    app.command()(command)
app.add_typer(campaign, name="campaign")
app.add_typer(robot, name="robot")


def _print_version(requested: bool) -> None:
    if requested:
        print(f"softdock {__version__}")
        raise typer.Exit


@app.callback()
def global_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Simulate the contact phase of spacecraft docking, berthing and servicing."""


def main() -> NoReturn:
    """Run the command line; report every error as a sentence on stderr and an exit code."""
    try:
        with console.printed_warnings():
            app()
    except SystemExit as end:
        code = end.code
        if code == console.EXIT_INTERRUPTED and not isinstance(end, console.ReportedExit):
            # Typer turns an interrupt into this exit code and prints nothing.
            console.report(KeyboardInterrupt())
    except BaseException as error:
        code = console.report(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = console.report(error)
    sys.exit(code)
