"""Opening of the studio in the browser of its user, without a secret in a command line.

Other users of the machine see the command lines of all processes. The browser therefore opens a page in a file that
only its user can read. The page leads to the studio with a code that is accepted once and for a short time.
"""

import hmac
import html
import os
import secrets
import tempfile
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path

from softdock.files.atomic import PRIVATE, write_new
from softdock.files.cache import is_own

CODE_LIFETIME = 120.0
"""Time in which the browser must open the page [s]; a browser needs seconds to start."""
PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={address}">
<title>Softdock studio</title>
<p><a href="{address}" rel="noreferrer">Open the studio</a></p>
"""


def new_secret() -> str:
    """Return a new random text that nobody can guess."""
    return secrets.token_urlsafe(24)


class BrowserEntry:
    """A code that lets one browser in once, and the page that holds it."""

    def __init__(self) -> None:
        self._code = ""
        self._page: Path | None = None
        self._expiry: threading.Timer | None = None
        self._changing = threading.RLock()

    def write_page(self, address: str) -> Path:
        """Write the page, in a folder that only this user can enter, with a new code; raises OSError."""
        with self._changing:
            self.close()
            code = new_secret()
            self._page = (
                Path(tempfile.mkdtemp(prefix="softdock-studio-", dir=_runtime_folder())) / "open.html"
            )
            with_code = html.escape(f"{address}?code={code}")
            write_new(self._page, PAGE.format(address=with_code), mode=PRIVATE)
            self._code = code
            self._expiry = threading.Timer(CODE_LIFETIME, self._expire, [code])
            self._expiry.daemon = True
            self._expiry.start()
            return self._page

    def redeem(self, given: str) -> bool:
        """Return whether this is the code; it is accepted once, and the page is deleted."""
        with self._changing:
            accepted = bool(self._code) and hmac.compare_digest(
                given.encode("utf-8", "replace"), self._code.encode()
            )
            if accepted:
                self.close()
            return accepted

    def _expire(self, code: str) -> None:
        """Delete the page of a code, unless it is that of a newer one."""
        with self._changing:
            if code == self._code:
                self.close()

    def close(self) -> None:
        """Delete the page; its code is not accepted any more."""
        with self._changing:
            self._code = ""
            if self._expiry is not None:
                self._expiry.cancel()
            if self._page is not None:
                with suppress(OSError):
                    self._page.unlink(missing_ok=True)
                    self._page.parent.rmdir()
            self._page = self._expiry = None


def start_browser(address: str) -> bool:
    """Open an address in the browser of the user; return False where there is none."""
    try:
        return webbrowser.open(address)
    except Exception:  # of a platform, or of a program that the user has chosen
        return False


def _runtime_folder() -> str | None:
    """Return the folder of the system for files of this user's session; None where there is none that is private."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    with suppress(OSError, ValueError):
        if folder and Path(folder).is_absolute() and is_own(Path(folder).lstat()) and Path(folder).is_dir():
            return folder
    return None
