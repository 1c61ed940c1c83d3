"""Installs the wheel alone into an empty environment and uses it outside the source tree: `make test-wheel`.

Commands run without a home folder and must change nothing in the installation; where the user is root and others may
execute this Python, they run as a user without rights. Prints sizes and times.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

NOBODY = 65534
PORT = 8765
CLUSTER = """
import subprocess, sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        sys.exit(subprocess.run([*sys.argv[1:], "--cluster", cluster.scheduler_address]).returncode)
"""


class Installation:
    """An environment with the wheel, and a folder to work in."""

    def __init__(self, folder: Path, wheel: str) -> None:
        self.bin, self.work = folder / "environment" / "bin", folder / "work"
        subprocess.run([sys.executable, "-m", "venv", str(folder / "environment")], check=True)
        self.output = ""  # of the last command
        self.install(wheel)
        self.work.mkdir()
        folder.chmod(0o755)
        self.user = self._other_user()
        if self.user:
            os.chown(self.work, NOBODY, NOBODY)

    def _other_user(self) -> int | None:
        """Return a user without rights who may execute this Python; None if there is none."""
        if os.getuid() != 0:
            return None
        try:
            subprocess.run([self.bin / "python", "-c", ""], user=NOBODY, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        return NOBODY

    def files(self) -> dict[Path, int]:
        """Return all files of the installation with the time of their last change."""
        return {path: path.stat().st_mtime_ns for path in self.bin.parent.rglob("*") if path.is_file()}

    def install(self, what: str) -> None:
        """Install something with its dependencies."""
        subprocess.run([self.bin / "python", "-m", "pip", "install", "--quiet", what], check=True)

    def environment(self) -> dict[str, str]:
        """Return the environment of a user without a home folder."""
        return {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}

    def run(self, *command: str) -> float:
        """Run a command of the environment; returns its wall time [s]."""
        start = time.perf_counter()
        done = subprocess.run(
            [self.bin / command[0], *command[1:]], cwd=self.work, user=self.user, env=self.environment(),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        self.output = done.stdout
        return time.perf_counter() - start

    def studio_answers(self) -> None:
        """Start the studio and ask for its first page."""
        studio = subprocess.Popen(
            [self.bin / "softdock", "studio", "--no-browser", "--no-token", "--port", str(PORT)],
            cwd=self.work, user=self.user, env=self.environment(), stdout=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            for _ in range(100):
                time.sleep(0.2)
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=5) as page:
                        assert page.status == 200
                        return
                except OSError:
                    assert studio.poll() is None, "the studio ended"
            sys.exit("The studio does not answer.")
        finally:
            studio.terminate()
            studio.wait()


def first_page() -> tuple[str, str]:
    """Return the program on the first page of the README, and what it prints."""
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    program, printed = (
        re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)[0] for kind in ("python", "text")
    )
    return program, printed


def main(wheel: str) -> None:
    """Check a wheel."""
    with tempfile.TemporaryDirectory() as name:
        plain = Installation(Path(name), wheel)
        listed = subprocess.run(
            [plain.bin / "python", "-m", "pip", "list"], capture_output=True, text=True, check=True
        )
        assert not {"numba", "llvmlite", "ziglang"} & {line.split()[0] for line in listed.stdout.splitlines()}
        installed = plain.files()
        size = sum(path.stat().st_size for path in installed)
        docking = ("softdock", "run", "assist-soft-docking", "--out", "docking")
        first = plain.run(*docking)
        second = min(plain.run(*docking) for _ in range(3))
        print(f"plain installation {size / 1e6:.0f} MB; first docking {first:.2f} s, then {second:.2f} s")
        print(f"softdock --help {min(plain.run('softdock', '--help') for _ in range(3)):.2f} s")
        plain.run("softdock", "replay", "docking", "--glb", "docking.glb", "--html", "docking.html")
        program, printed = first_page()
        (plain.work / "first_page.py").write_text(program)
        plain.run("python", "first_page.py")
        assert plain.output == printed, plain.output
        campaign = ("softdock", "campaign", "run", "assist-table2", "--runs", "20", "--out")
        for place in ("threads", "processes"):
            plain.run(*campaign, place, "--in", place)
        assert plain.files() == installed, "a command changed the installation"
        plain.install(f"{wheel}[studio,cluster]")
        (plain.work / "cluster.py").write_text(CLUSTER)
        plain.run("python", "cluster.py", str(plain.bin / campaign[0]), *campaign[1:], "cluster")
        plain.studio_answers()
    print(
        "The wheel works: docking, replay, first page, campaigns in threads, processes and on Dask, studio."
    )


if __name__ == "__main__":
    main(sys.argv[1])
