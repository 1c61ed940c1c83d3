"""The command line: exit codes, standard output and error, and no tracebacks."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest
import typer

from softdock import __version__, cli
from softdock.errors import InputError, Problem, RunError
from softdock.report import figures
from softdock.report.picture import save_picture
from softdock.result import Result


class ExitResult(SimpleNamespace):
    code: int
    out: str
    err: str


Command = Callable[..., ExitResult]


@pytest.fixture
def softdock(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs a command line in this process."""

    def run(*arguments: str) -> ExitResult:
        monkeypatch.setattr(sys, "argv", ["softdock", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsys.readouterr()
        return ExitResult(code=int(end.value.code or 0), out=out, err=err)

    return run


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Return a function that makes the command line raise a given exception."""

    def install(error: BaseException) -> None:
        application = typer.Typer()

        @application.command()
        def fail() -> None:
            raise error

        monkeypatch.setattr(cli, "app", application)

    return install


def test_help_names_every_command_and_loads_no_heavy_package() -> None:
    script = (
        "import sys; from softdock.cli import main; sys.argv = ['softdock', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'numpy', 'scipy', 'matplotlib', 'pydantic', 'pyarrow', 'trimesh'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    for command in ("scenarios", "predict", "validate", "run", "figures", "bench"):
        assert f" {command} " in done.stdout
    assert done.stdout.endswith("HEAVY []\n")


def test_version_is_printed(softdock: Command) -> None:
    assert softdock("--version").out == f"softdock {__version__}\n"


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "softdock", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"softdock {__version__}\n"
    wrong = subprocess.run(
        [sys.executable, "-m", "softdock", "run", "nothing"], capture_output=True, text=True
    )
    assert (wrong.returncode, "Traceback" in wrong.stderr) == (2, False)


@pytest.mark.parametrize(
    "arguments", [("run",), ("rum",), ("run", "impact-a", "--colour"), ("figures", "impact")]
)
def test_wrong_usage_exits_with_2(softdock: Command, arguments: tuple[str, ...]) -> None:
    end = softdock(*arguments)
    assert end.code == 2
    assert end.out == ""
    assert "Usage" in end.err


def test_every_problem_of_the_input_is_reported(softdock: Command, failing: Callable[..., None]) -> None:
    first = Problem(message="Must be positive.", file="a.yaml", line=3, field="chaser.mass", given="-1")
    failing(InputError(first, "The second problem [bold]."))
    end = softdock()
    assert end.code == 2
    assert end.out == ""
    assert end.err.splitlines() == [
        "Error: a.yaml:3: chaser.mass: Must be positive. Given: -1.",
        "Error: The second problem [bold].",
    ]


def test_a_run_that_cannot_be_completed_exits_with_1(softdock: Command, failing: Callable[..., None]) -> None:
    failing(RunError("The state is not finite after 0.3 s; kept in out/."))
    end = softdock()
    assert (end.code, end.out) == (1, "")
    assert end.err == "The run could not be completed: The state is not finite after 0.3 s; kept in out/.\n"


def test_a_result_that_cannot_be_written_is_printed(
    softdock: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def save(self: Result, folder: Path) -> None:
        raise InputError("Cannot write it: the disk is full.")

    monkeypatch.setattr(Result, "save", save)
    end = softdock("run", "impact-a", "--out", str(tmp_path / "out"))
    assert (end.code, end.err) == (2, "Error: Cannot write it: the disk is full.\n")
    assert end.out.startswith("impact-a: separated")
    assert not list(tmp_path.iterdir())


def test_an_interrupt_is_reported_in_one_sentence(softdock: Command, failing: Callable[..., None]) -> None:
    failing(KeyboardInterrupt())
    end = softdock()
    assert (end.code, end.out, end.err) == (130, "", "Interrupted.\n")


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("division\nby zero"), MemoryError(), KeyError("x"), EOFError()]
)
def test_an_internal_error_is_reported_without_traceback(
    softdock: Command, failing: Callable[..., None], error: Exception
) -> None:
    failing(error)
    end = softdock()
    assert (end.code, end.out) == (1, "")
    assert "Traceback" not in end.err
    assert len(end.err.splitlines()) <= 2


def test_an_internal_error_shows_its_traceback_on_request(
    softdock: Command, failing: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOFTDOCK_DEBUG", "1")
    failing(ZeroDivisionError("division by zero"))
    end = softdock()
    assert end.code == 1
    assert "Traceback" in end.err


def test_a_closed_output_pipe_is_not_an_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "from softdock.cli import main; main()", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_to_a_full_disk_is_reported() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", "from softdock.cli import main; main()", "scenarios"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "The output could not be written: the disk is full.\n")


def test_figures_draws_into_a_new_folder(
    softdock: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from matplotlib.figure import Figure

    def draw(out: Path, progress: Callable[[str, float], None]) -> list[Path]:
        progress("the picture", 0.5)
        save_picture(Figure(), out / "picture.png")
        return [out / "picture.png"]

    monkeypatch.setattr(figures, "FIGURES", {"example": "An example"})
    monkeypatch.setitem(sys.modules, "softdock.report.figures.example", SimpleNamespace(draw=draw))
    for name in ("example", "all"):
        end = softdock("figures", name, "--out", str(tmp_path / "new" / name))
        assert (end.code, end.err) == (0, "")
        assert end.out == f"{tmp_path / 'new' / name / 'picture.png'}\n"
    end = softdock("figures", "exmaple", "--out", str(tmp_path / "never"))
    assert end.code == 2
    assert end.err.startswith("Error: 'exmaple' is neither a scenario nor a set of figures.")
    assert "Sets of figures: example, all." in end.err
    assert not (tmp_path / "never").exists()


def test_a_folder_that_cannot_be_created_is_bad_input(softdock: Command, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    end = softdock("figures", "impact", "--out", str(tmp_path / "file" / "below"))
    assert end.code == 2
    assert "a part of the path is a file, not a folder" in end.err


def test_run_prints_a_summary_and_says_where_files_are(softdock: Command, tmp_path: Path) -> None:
    end = softdock(
        "run", "impact-a", "--out", str(tmp_path / "a"), "--plot", str(tmp_path / "b" / "plot.png")
    )
    assert end.code == 0
    assert end.out.startswith("impact-a: separated\n")
    assert end.out.endswith(f"Written to {tmp_path / 'a'}\nWritten to {tmp_path / 'b' / 'plot.png'}\n")
    saved = Result.load(tmp_path / "a")
    assert saved.scenario == "impact-a"
    assert saved.definition["chaser"]["masses"] == [17.0, 2.0]


def test_run_prints_only_json_on_request(softdock: Command) -> None:
    end = softdock("run", "impact-a", "--json")
    data = json.loads(end.out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    keys = {
        "scenario",
        "completed",
        "valid",
        "warnings",
        "outcome",
        "message",
        "metrics",
        "metric_errors",
        "loads",
        "requirements",
        "contact_conditions",
        "units",
        "audit",
        "conservation_check",
        "prediction",
        "timing",
        "events",
        "phases",
        "discrepancies",
        "converged",
    }
    assert set(data) == keys
    errors = {"linear_momentum_drift", "angular_momentum_drift", "energy_residual", "energy_expected"}
    assert set(data["audit"]) == errors
    assert data["conservation_check"]["passed"] is True
    assert "cannot show errors of phase" in data["conservation_check"]["coverage"]
    assert set(data["timing"]) == {"simulated_s", "wall_s", "steps", "evaluations"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("impact-z",),
        ("impact-a", "--set", "speed=5 kg"),
        ("impact-a", "--set", "sped=5"),
        ("impact-a", "--plot", "picture.docx"),
        ("impact-a", "--out", "/dev/null/below"),
    ],
)
@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["text", "json"])
def test_run_refuses_bad_input(
    softdock: Command, arguments: tuple[str, ...], as_json: tuple[str, ...]
) -> None:
    end = softdock("run", *arguments, *as_json)
    assert (end.code, end.out) == (2, "")
    assert end.err.startswith("Error: ")


def test_bench_prints_a_table_or_json(softdock: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    row: dict[str, Any] = {"name": "one run", "value": 1.5e-3, "unit": "s"}
    rows = [row, row | {"peer": "scipy", "peer_value": 0.3, "ratio": 200.0, "aim": 100.0}]
    monkeypatch.setattr("softdock.bench.BENCHMARKS", {"example": "An example"})
    monkeypatch.setitem(sys.modules, "softdock.bench.example", SimpleNamespace(run=lambda progress: rows))
    assert json.loads(softdock("bench", "example", "--json").out) == {"bench": "example", "results": rows}
    assert json.loads(softdock("bench", "--json").out) == [{"bench": "example", "results": rows}]
    longer = SimpleNamespace(
        run=lambda progress: [row], run_long=lambda progress: [row | {"name": "many runs"}]
    )
    monkeypatch.setitem(sys.modules, "softdock.bench.example", longer)
    names = [
        one["name"] for one in json.loads(softdock("bench", "example", "--long", "--json").out)["results"]
    ]
    assert names == ["one run", "many runs"]
    monkeypatch.setitem(sys.modules, "softdock.bench.example", SimpleNamespace(run=lambda progress: rows))
    table = softdock("bench").out
    assert "scipy" in table
    assert "200" in table
    end = softdock("bench", "nothing")
    assert (end.code, end.out) == (2, "")


def test_values_are_printed_in_the_chosen_units(softdock: Command) -> None:
    assert "in/s" in softdock("run", "impact-a", "--units", "imperial").out
    assert "mm/s" in softdock("run", "impact-a", "--set", "units=mm/deg").out
    assert "mm/s" not in softdock("run", "impact-a", "--set", "units=mm/deg", "--units", "SI").out
    plain, imperial = (
        json.loads(softdock("run", "impact-a", "--json", *more).out)["metrics"]
        for more in ((), ("--units", "imperial"))
    )
    assert plain == imperial
    for command in (("run", "impact-a"), ("predict", "impact-a"), ("figures", "impact-a", "--out", "x.png")):
        end = softdock(*command, "--units", "feet")
        assert (end.code, end.out) == (2, "")
        assert end.err.startswith("Error: --units: Must be one of automatic, SI")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--plot", "x.foo", "Error: --plot: The name of a picture ends in .png, .svg, .pdf. Given: x.foo."),
        ("--report", "x.foo", "Error: --report: The name of a report must end in .html, .htm or .pdf."),
        ("--convergence", "", "Error: --convergence: Requires --report."),
    ],
)
def test_wrong_options_of_files_are_refused_before_the_run(
    softdock: Command, option: str, value: str, message: str
) -> None:
    end = softdock("run", "impact-a", *filter(None, (option, value)))
    assert (end.code, end.out) == (2, "")
    assert end.err.startswith(message)


def test_figures_of_a_scenario_are_written(softdock: Command, tmp_path: Path) -> None:
    end = softdock("figures", "impact-a", "--out", str(tmp_path / "one.svg"))
    assert (end.code, end.out) == (0, f"{tmp_path / 'one.svg'}\n")
    end = softdock("figures", "impact-a", "--out", str(tmp_path / "all"), "--format", "pdf")
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == [
        "loads.pdf",
        "motion.pdf",
        "overview.pdf",
    ]
    for wrong in (("one.foo",), ("one.svg", "--format", "png"), ("new", "--format", "bmp")):
        end = softdock("figures", "impact-a", "--out", str(tmp_path / wrong[0]), *wrong[1:])
        assert end.code == 2
    end = softdock("figures", "impact", "--out", str(tmp_path / "new"), "--units", "SI")
    assert (end.code, end.out) == (2, "")
    assert not (tmp_path / "new").exists()


def test_the_report_of_a_run_names_author_and_revision(softdock: Command, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    end = softdock("run", "impact-a", "--report", str(path), "--author", "A<b>", "--revision", "7")
    assert end.code == 0
    page = path.read_text(encoding="utf-8")
    assert "A&lt;b&gt;, revision 7" in page


def test_walls_and_mass_ratios_are_predicted_as_valid_json(softdock: Command) -> None:
    def strict(text: str) -> dict[str, Any]:
        def refuse(name: str) -> NoReturn:
            raise AssertionError(f"{name} is not JSON")

        return cast(dict[str, Any], json.loads(text, parse_constant=refuse)["prediction"])

    masses = ("predict", "--m1", "17", "--m2", "2 kg", "--m3", "1.5", "--speed", "0.05", "--json")
    wall = strict(softdock(*masses, "--m4", "inf").out)
    far = strict(softdock(*masses, "--m4", "1e15").out)
    assert wall["effective_mass_ratio"] == pytest.approx(far["effective_mass_ratio"], rel=1e-12)
    assert wall["target_velocity_after"] == 0.0
    swinging = strict(softdock(*masses, "--m4", "15", "--oscillation", "1 cm/s").out)
    calm = strict(softdock(*masses, "--m4", "15").out)
    e_star = calm["effective_mass_ratio_star"]
    change = swinging["relative_velocity_after"] - calm["relative_velocity_after"]
    assert change == pytest.approx(-0.01 * e_star, rel=1e-12)
    ratios = strict(softdock("predict", "--lambda-i", "0.5", "--lambda-t", "inf", "--json").out)
    assert ratios["mass_ratio_target"] == "inf"
    assert ratios["mass_ratio_chaser"] == pytest.approx(1 / 3, rel=1e-12)
    every = strict(softdock("predict", "--lambda-c", "1", "--lambda-t", "1", "--json").out)
    assert every["mass_ratio_interface"] is None
    assert every["zero_velocity"].startswith("Every mass ratio")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--m1 1 --m2 inf --m3 inf --m4 1 --speed 1", "One of the touching masses m2 and m3 must be finite."),
        (
            "--m1 -inf --m2 1 --m3 1 --m4 1 --speed 1",
            "--m1: must be a finite number, for example '5 kg', or inf.",
        ),
        ("--m1 1 --m2 1 --m3 1 --m4 1 --speed inf", "--speed: must be a finite number"),
        (
            "--m1 1 --m2 1 --m3 1 --m4 1 --speed 1 --oscillation=-1",
            "--oscillation: Must be above minus the speed",
        ),
        (
            "--m1 0 --m2 1 --m3 1 --m4 0 --speed 1 --oscillation 1",
            "--oscillation: needs a finite touching body",
        ),
        ("--lambda-c 2", "Give two or three of the mass ratios --lambda-i, --lambda-c and --lambda-t."),
        ("--lambda-c 2 --lambda-t x", "--lambda-t: is not a number"),
        ("--lambda-c 2 --lambda-t 1 --m1 3", "Mass ratios replace masses and speed; remove --m1."),
        ("impact-a --lambda-c 2", "A scenario defines its own masses and speed; remove --lambda-c."),
    ],
)
def test_wrong_masses_and_ratios_are_refused(softdock: Command, options: str, message: str) -> None:
    end = softdock("predict", *options.split())
    assert (end.code, end.out) == (2, "")
    assert end.err.startswith(f"Error: {message}")
