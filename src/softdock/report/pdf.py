"""PDF of a page through an installed browser: Chromium, Chrome or Edge, without window, profile or network."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from softdock.errors import InputError, RunError
from softdock.files.atomic import write_atomic

VARIABLE = "SOFTDOCK_CHROMIUM"
"""Environment variable with the name or path of the browser."""
NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
    "microsoft-edge-stable", "msedge",
)  # fmt: skip
_MAC = ("Chromium", "Google Chrome", "Microsoft Edge")
_WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")
TIMEOUT = 120.0  # s
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pdf-header-footer",  # the page has its own
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no network
)
INSTALL = (
    "Install Chromium, Google Chrome or Microsoft Edge (Debian: apt-get install chromium), or set "
    f"{VARIABLE} to its path. Reports as HTML (.html) need no browser; any browser prints them."
)


def find_browser() -> str | None:
    """Return the path of an installed browser that prints PDF, from `SOFTDOCK_CHROMIUM` if set; None without one."""
    names = [os.environ.get(VARIABLE, ""), *NAMES, *_known_places()]
    return next((path for name in names if name and (path := shutil.which(name))), None)


def _known_places() -> list[str]:
    """Return where browsers are installed that are not on the search path."""
    if sys.platform == "darwin":
        return [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in _MAC]
    if sys.platform == "win32":
        roots = [os.environ.get(name, "") for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
        return [str(Path(root) / place) for root in roots if root for place in _WINDOWS]
    return []


def require_browser(option: str, path: Path | str = "") -> str:
    """Return the path of the browser; raise InputError that says what to install."""
    browser = find_browser()
    if browser is None:
        message = "A PDF is printed by a browser, and none was found."
        raise InputError(message, field=option, given=str(path), hint=INSTALL)
    return browser


def print_to_pdf(page: str) -> bytes:
    """Return an HTML page as PDF; raises InputError without a browser and RunError where it fails."""
    browser = require_browser("--report")
    with tempfile.TemporaryDirectory(prefix="softdock-pdf-", ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        write_atomic(source, page)
        command = [browser, *FLAGS, f"--user-data-dir={Path(folder) / 'profile'}", f"--print-to-pdf={target}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # Chromium refuses to run as root with it
        messages = _run([*command, source.as_uri()])
        printed = target.read_bytes() if target.is_file() else b""
        if not printed.startswith(b"%PDF"):
            last = messages.strip().splitlines()[-1:] or ["no message"]
            raise RunError(
                f"the browser {browser} wrote no PDF ({last[0]}). The report can be written as HTML."
            )
        return printed


def _run(command: list[str]) -> str:
    """Run the browser and return its messages; end it with its child processes after `TIMEOUT`."""
    own_group = os.name == "posix"
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=own_group,
        )
    except OSError as error:
        message = f"The browser {command[0]} cannot be started ({error.strerror})."
        raise InputError(message, hint=INSTALL) from error
    try:
        return process.communicate(timeout=TIMEOUT)[1]
    except subprocess.TimeoutExpired:
        raise RunError(f"the browser {command[0]} did not finish the PDF within {TIMEOUT:g} s.") from None
    finally:
        if process.poll() is None:
            with suppress(OSError):
                if own_group:
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
            process.communicate()
