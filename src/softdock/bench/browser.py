"""Chromium with software graphics, for benchmarks and tests of web pages."""

from softdock.report.pdf import find_browser

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


def missing() -> str:
    """Return a message if browser or driver is missing, else an empty string."""
    from importlib.util import find_spec

    if find_browser() is None:
        return NO_BROWSER
    return "" if find_spec("playwright") else NO_DRIVER
