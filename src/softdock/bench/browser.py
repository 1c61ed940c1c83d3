"""The browser of this machine, for benchmarks and tests of pages: Chromium, its graphics in software."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_BROWSER = "no browser here: install Chromium (Debian: apt-get install chromium) to drive the pages"
NO_DRIVER = "no driver for the browser here: pip install playwright to drive the pages"
FLAGS = (
    "--no-sandbox",  # tests may run as root, in a container
    "--disable-dev-shm-usage",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
NARROW, WIDE = {"width": 1280, "height": 720}, {"width": 1920, "height": 1080}


def find_browser() -> str | None:
    """Return the path of the browser, `SOFTDOCK_CHROMIUM` first."""
    names = [os.environ.get("SOFTDOCK_CHROMIUM", ""), *NAMES]
    return next((path for name in names if name and (path := shutil.which(name))), None)


def missing() -> str:
    """Return in a sentence what is missing to drive a browser; empty where nothing is."""
    from importlib.util import find_spec

    if find_browser() is None:
        return NO_BROWSER
    return "" if find_spec("playwright") else NO_DRIVER
