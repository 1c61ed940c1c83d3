"""Takes the pictures of the studio in docs/images: gallery, a run with its replay, a campaign.

Run from the root of the repository: python -m docs.studio_pictures
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright
from tests.studio.conftest import CAMPAIGN, start, stop

from softdock.bench.browser import FLAGS, NARROW
from softdock.report.pdf import find_browser

IMAGES = Path(__file__).parent / "images"
LONG = 300_000.0  # ms


def main() -> None:
    """Start a studio, follow the steps of its manual and save pictures of the pages."""
    with TemporaryDirectory() as place, sync_playwright() as driver:
        folder = Path(place) / "engineer" / "dockings"  # what the page shows of it
        folder.mkdir(parents=True)
        (folder / "latch-campaign.yaml").write_text(CAMPAIGN)
        studio = start(folder)
        browser = driver.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        page = browser.new_page(viewport=NARROW)
        page.set_default_timeout(LONG)
        try:
            _gallery(page, studio.address)
            _run(page, studio.address)
            _campaign(page, studio.address)
        finally:
            browser.close()
            stop(studio)


def _gallery(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("a.tile img").first.wait_for()
    # Thumbnails below the window are loaded when they are scrolled to.
    in_window = "[...document.images].filter(i => i.getBoundingClientRect().top < innerHeight)"
    page.wait_for_function(f"{in_window}.every(i => i.complete && i.naturalWidth)")
    page.screenshot(path=IMAGES / "studio-gallery.png")


def _run(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 1000})  # outcome, requirements and the whole replay
    page.goto(f"{address}scenario?name=assist-soft-docking")
    page.get_by_label("speed", exact=True).fill("0.04 m/s")
    page.get_by_label("speed", exact=True).press("Enter")
    page.get_by_role("button", name="Run", disabled=False).click()
    frame = page.wait_for_selector("iframe.replay").content_frame()  # type: ignore[union-attr]
    assert frame is not None
    frame.get_by_role("button", name="Section").click()
    for _ in range(3):
        page.wait_for_timeout(500)
        frame.locator("body").press("n")  # on to the next event: first touch, throat, bottom
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / "studio-run.png")


def _campaign(page: Page, address: str) -> None:
    page.goto(f"{address}campaigns")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/campaign/*")
    page.get_by_text("All 200 runs are complete.").wait_for()
    page.wait_for_timeout(2000)
    page.screenshot(path=IMAGES / "studio-campaign.png")


if __name__ == "__main__":
    main()
