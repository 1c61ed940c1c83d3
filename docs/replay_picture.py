"""Takes docs/images/replay.png, arm-berthing.png and v-groove-mount.png: the player in a browser.

The first shows the soft docking when the bumper hits the bottom, the second the arm with the captured client, the third
a plate at rest in its mount.

Run from the root of the repository: python -m docs.replay_picture
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import softdock
from softdock.bench.browser import FLAGS, NARROW
from softdock.replay.page import player_html
from softdock.replay.scene_builder import scene
from softdock.report.pdf import find_browser

IMAGES = Path(__file__).parent / "images"


def main() -> None:
    """Simulate both scenarios and save a picture of each replay at its instant."""
    docking = softdock.simulate("assist-soft-docking")
    force = docking.history["bumper-drogue.force"]
    hardest_hit = float(docking.history.time[force.argmax()])
    take_picture(docking, hardest_hit, "section", IMAGES / "replay.png")
    berthing = softdock.simulate("assist-arm-berthing", with_prediction=False)
    take_picture(berthing, 30.0, "overview", IMAGES / "arm-berthing.png")
    mount = softdock.simulate("v-groove-mount", with_prediction=False)
    take_picture(mount, 0.5, "overview", IMAGES / "v-groove-mount.png")


def take_picture(result: softdock.Result, moment: float, view: str, path: Path) -> None:
    """Write a picture of the player at a moment [s] of a run."""
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        page_file = Path(folder) / "replay.html"
        page_file.write_text(player_html(scene(result), theme="light"), encoding="utf-8")
        browser = driver.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        page = browser.new_page(viewport=NARROW)
        page.goto(page_file.as_uri())
        page.evaluate("softdock.ready")
        page.evaluate("([t, view]) => { softdock.seek(t); softdock.setView(view); }", [moment, view])
        page.wait_for_timeout(1000)
        page.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    main()
