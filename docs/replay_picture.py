"""Makes docs/images/replay.png: the player in a browser, at the moment when the bumper hits the bottom.

Run from the root of the repository: python -m docs.replay_picture
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import softdock
from softdock.bench.browser import FLAGS, NARROW
from softdock.replay import player_html, scene
from softdock.report.pdf import find_browser

PICTURE = Path(__file__).parent / "images" / "replay.png"


def main() -> None:
    """Simulate the nominal docking, play it to the hardest hit and keep what the browser shows."""
    result = softdock.simulate("assist-soft-docking")
    force = result.history["bumper-drogue.force"]
    moment = float(result.history.time[force.argmax()])
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        page_file = Path(folder) / "replay.html"
        page_file.write_text(player_html(scene(result), theme="light"), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        page = browser.new_page(viewport=NARROW)
        page.goto(page_file.as_uri())
        page.evaluate("softdock.ready")
        page.evaluate("t => { softdock.seek(t); softdock.setView('section'); }", moment)
        page.wait_for_timeout(1000)
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
