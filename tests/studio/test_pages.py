"""The studio in a real browser: typical tasks of a user, and messages about wrong input."""

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.studio.conftest import Served
from tests.studio.test_workers import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page
    from tests.browser import Tab

LONG = 120_000.0  # ms; the machine may be busy


def open_scenario(tab: "Tab", served: Served, name: str) -> "Page":
    tab.page.goto(served.address)
    tab.page.get_by_placeholder("Search").fill(name)
    tab.page.locator("a.tile:visible", has_text=name).first.click()
    tab.page.get_by_label("speed", exact=True).wait_for(timeout=LONG)
    return tab.page


def find_replay(page: "Page") -> "Frame":
    """Return the frame of the replay after it has loaded and drawn its first picture."""
    frame = page.wait_for_selector("iframe.replay", timeout=LONG).content_frame()  # type: ignore[union-attr]
    assert frame is not None
    frame.wait_for_selector("#canvas", timeout=LONG)
    wait_for_clock(frame, 0.0)
    return frame


def wait_for_clock(frame: "Frame", least: float) -> None:
    """Wait until the clock of the replay shows at least so many seconds.

    The content security policy of the page forbids waiting inside it.
    """
    end = time.monotonic() + LONG / 1000.0
    while True:
        shown = frame.locator("#clock").inner_text()
        if shown and float(shown.split()[0]) >= least:
            return
        assert time.monotonic() < end, f"the clock shows '{shown}'"
        time.sleep(0.1)


def assert_replay_runs(frame: "Frame") -> None:
    """Assert that the clock advances and the picture changes."""
    before = frame.locator("#canvas").screenshot()
    frame.locator("#play").click()
    wait_for_clock(frame, 0.001)
    assert frame.locator("#canvas").screenshot() != before


def assert_whole_charts(frame: "Frame") -> None:
    """Assert that each chart of the replay is either fully visible or below the visible area."""
    charts = frame.locator("#charts").bounding_box()
    assert charts is not None
    bottom, seen = charts["y"] + charts["height"], []
    for box in (one.bounding_box() for one in frame.locator("figure").all()):
        assert box is not None
        whole, below = box["y"] + box["height"] <= bottom + 1, box["y"] >= bottom - 8
        seen.append("whole" if whole else "below" if below else "cut")
    assert "cut" not in seen
    assert seen.count("whole") >= 2


def assert_no_overlap(page: "Page") -> None:
    """Assert that the page is not wider than the window and that cards do not overlap."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    over = page.evaluate(
        """() => {
          const boxes = [...document.querySelectorAll('.card, a.tile, .head')].filter(e => e.offsetParent)
            .filter(e => !e.parentElement.closest('.card')).map(e => e.getBoundingClientRect());
          return boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1
            && a.top < b.bottom - 1 && b.top < a.bottom - 1 && a.height > 60 && b.height > 60));
        }"""
    )
    assert not over


def test_a_scenario_is_opened_changed_and_run(tab: "Tab", served: Served) -> None:
    tab.page.goto(served.address)
    tab.page.locator("a.tile img").first.wait_for(timeout=LONG)
    for image in tab.page.locator("a.tile img:visible").all():
        image.scroll_into_view_if_needed()  # thumbnails are loaded when they come near the window
    tab.page.wait_for_function("[...document.images].every(i => i.complete && i.naturalWidth)", timeout=LONG)
    tab.page.evaluate("window.scrollTo(0, 0)")
    assert tab.page.locator("a.tile").count() >= 13
    assert_no_overlap(tab.page)
    tab.save_screenshot("studio-gallery")

    page = open_scenario(tab, served, "latch-slow")
    speed = page.get_by_label("speed", exact=True)
    speed.fill("-3 kg")
    speed.press("Enter")
    page.get_by_text(
        "Is a mass [kg], but a speed is needed, for example '0.05 m/s'. Given: -3 kg."
    ).wait_for()
    assert page.get_by_role("button", name="Run").is_disabled()
    tab.save_screenshot("studio-wrong-value")
    speed.fill("0.2 m/s")
    speed.press("Enter")
    page.get_by_role("button", name="Run", disabled=False).click()
    page.get_by_text("latched", exact=True).wait_for(timeout=LONG)
    assert page.get_by_text("Conservation check passed").first.is_visible()
    assert page.get_by_text("Valid: yes").is_visible()
    frame = find_replay(page)
    assert page.locator("iframe.replay").get_attribute("sandbox") == "allow-scripts"
    page.keyboard.press("n")  # the focus is still on the button
    wait_for_clock(frame, 0.001)
    page.keyboard.press("Home")
    frame.locator("#clock", has_text=re.compile("^0[.]0* s$")).wait_for()
    assert_whole_charts(frame)
    assert_replay_runs(frame)
    tab.save_screenshot("studio-run")

    page.get_by_role("tab", name="Changes").click()
    page.get_by_role("cell", name="0.2 m/s").wait_for()
    page.get_by_role("tab", name="Charts").click()
    page.locator(".nicegui-echart canvas").first.wait_for()
    tab.save_screenshot("studio-charts")
    page.get_by_role("tab", name="Metrics").click()
    page.get_by_text("minimum speed", exact=True).wait_for()
    page.get_by_role("tab", name="Downloads").click()
    for kind, start in (
        ("History", b"PAR1"),
        ("Figure", b"\x89PNG"),
        ("GLB", b"glTF"),
        ("Replay, HTML", b"<!doctype html>"),
        ("Report", b"<!doctype html>"),
    ):
        with page.expect_download() as download:
            page.get_by_role("link", name=kind).click()
        assert download.value.path().read_bytes().startswith(start)

    page.get_by_role("link", name="Runs").click()
    page.get_by_role("link", name=re.compile("latch-slow-")).first.click()
    page.get_by_text("The probe tip has passed").or_(page.get_by_text("latched", exact=True)).first.wait_for()


def test_an_earlier_run_is_compared_in_charts_and_metrics(tab: "Tab", served: Served) -> None:
    page = open_scenario(tab, served, "latch-slow")
    for speed in ("0.07 m/s", "0.09 m/s"):
        field = page.get_by_label("speed", exact=True)
        field.fill(speed)
        field.press("Enter")
        kept = len(list(served.folder.glob("runs/*/replay.scene")))
        page.get_by_role("button", name="Run", disabled=False).click()
        wait_until(lambda kept=kept: len(list(served.folder.glob("runs/*/replay.scene"))) > kept)  # type: ignore[misc]
    page.get_by_text("Conservation check passed").first.wait_for(timeout=LONG)
    page.get_by_role("tab", name="Charts").click()
    page.locator(".nicegui-echart canvas").first.wait_for(timeout=LONG)
    assert not any(name.endswith(", earlier") for name in series(page))
    page.get_by_label("Compare with an earlier run").click()
    page.get_by_role("option", name="latch-slow-").first.click()
    page.get_by_role("tab", name="Metrics").click()
    head = page.get_by_role("columnheader", name="latch-slow, earlier")
    head.wait_for()
    row = page.locator(
        "table.plain tr", has=page.get_by_role("cell", name="relative velocity before", exact=True)
    )
    present, _, earlier = row.locator("td.number").all_inner_texts()
    assert (float(present), float(earlier)) == (90.0, 70.0)  # mm/s
    page.get_by_role("tab", name="Charts").click()
    wait_until(lambda: len(series(page)) > 1)
    names = series(page)
    assert {f"{name}, earlier" for name in names if not name.endswith(", earlier")} <= set(names)
    tab.save_screenshot("studio-compare")


OWN = """softdock: 1
base: latch-slow
speed: 0.09 m/s
requirements:
  R-1: {text: Latched, outcome: [latched]}
  R-2: {text: Latch load <b>, metric: peak_contact_force, at_most: 1 N, factor: 1.25}
"""


def test_a_run_shows_requirements_and_limits_in_chosen_units_and_theme(tab: "Tab", served: Served) -> None:
    (served.folder / "required.yaml").write_text(OWN)
    tab.page.goto(served.address)
    names = tab.page.locator("a.tile b").all_inner_texts()
    assert names.index("required.yaml") < names.index("impact-a")  # own files first
    page = open_scenario(tab, served, "required.yaml")
    page.get_by_role("button", name="Run", disabled=False).click()
    tiles = page.get_by_role("list", name="Requirements").locator("li")
    tiles.first.wait_for(timeout=LONG)
    assert "Latch load <b>" in tiles.nth(1).inner_text()
    assert tiles.nth(1).locator(".status.failed").count() == 1
    assert page.get_by_text(re.compile("^Largest force [0-9.]+ m?N in ")).count() == 1
    frame = find_replay(page)
    assert " mm/s" in frame.locator("body").inner_text()

    page.get_by_label("Units", exact=True).select_option("imperial")
    page.get_by_text(re.compile("^Largest force [0-9.]+ lbf in ")).wait_for()
    page.frame_locator("iframe.replay").get_by_text(re.compile(r"[0-9.]+ in/s$")).first.wait_for(timeout=LONG)
    page.get_by_role("tab", name="Charts").click()
    wait_until(lambda: any(name.startswith("R-2: at most") and "lbf" in name for name in all_series(page)))
    assert page.get_by_text(re.compile(r"^Limits: R-2: at most 0[.]22\d* lbf")).count() == 1
    tab.save_screenshot("studio-limits")
    page.get_by_role("tab", name="Metrics").click()
    page.get_by_role("cell", name="in/s", exact=True).first.wait_for()

    page.get_by_role("tab", name="Replay").click()
    page.emulate_media(color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = find_replay(page).locator("body").evaluate(f"() => {background}")
    page.locator("button.theme").click()  # from the theme of the system to the dark one
    wait_until(lambda: find_replay(page).locator("body").evaluate(f"() => {background}") != light)
    tab.save_screenshot("studio-requirements-dark")


def all_series(page: "Page") -> list[str]:
    """Return the names of the curves of all charts."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll('.nicegui-echart')].flatMap(box => {
              const chart = getElement(box.id.replace('c', '')).chart;
              return chart && chart.getOption() ? chart.getOption().series.map(one => one.name) : [];
            })"""
        )
    )


def series(page: "Page") -> list[str]:
    """Return the names of the curves of the first chart."""
    return list(
        page.evaluate(
            """() => {
              const box = document.querySelector('.nicegui-echart');
              const chart = box && getElement(box.id.replace('c', '')).chart;
              return chart && chart.getOption() ? chart.getOption().series.map(one => one.name) : [];
            }"""
        )
    )


def test_files_are_added_in_the_gallery(tab: "Tab", served: Served, tmp_path: Path) -> None:
    mine = tmp_path / "sent.yaml"
    mine.write_text("softdock: 1\nbase: impact-b\ntitle: Sent from the page\n")
    tab.page.goto(served.address)
    tab.page.get_by_text("Add files to the folder").click()
    tab.page.locator("#files").set_input_files(mine)
    tab.page.locator("a.tile", has_text="Sent from the page").wait_for()
    assert (served.folder / "sent.yaml").read_text() == mine.read_text()
    tab.page.get_by_text("Add files to the folder").click()
    tab.page.locator("#files").set_input_files(mine)
    tab.page.get_by_text("A file 'sent.yaml' exists already; rename yours.").wait_for()
    tab.errors[:] = [text for text in tab.errors if "400" not in text]  # the response of the refusal


def test_a_campaign_is_composed_saved_and_run(tab: "Tab", served: Served) -> None:
    page = tab.page
    page.goto(f"{served.address}campaigns")
    page.get_by_role("link", name="Compose a campaign").click()
    choose(page, "Scenario", "latch-paper")
    page.get_by_text("scenario: latch-paper").wait_for()
    page.get_by_label("Title").fill("Latches")
    page.get_by_label("to", exact=True).fill("3 kg")
    wrong = page.get_by_text("Is a mass [kg], but a speed is needed, for example '0.05 m/s'. Given: 3 kg.")
    wrong.wait_for()
    assert page.get_by_role("button", name="Save").is_disabled()
    tab.save_screenshot("studio-compose")
    page.get_by_label("from", exact=True).fill("0.02 m/s")
    page.get_by_label("to", exact=True).fill("16 cm/s")
    wrong.wait_for(
        state="hidden"
    )  # the button below the message moves; a click at that instant would miss it
    page.get_by_role("button", name="Add a field").click()
    # Until the second field appears, `last` is the first one.
    page.get_by_role("combobox", name="Field").nth(1).wait_for()
    page.get_by_role("combobox", name="Distribution").last.click()
    page.get_by_role("option", name="normal").click()
    page.get_by_label("mean").fill("50 kg")
    page.get_by_text("Choose the field that these values are for, or take the line away.").wait_for()
    assert page.get_by_role("button", name="Save").is_disabled()
    choose(page, "Field", "chaser.masses.0", last=True)
    replace_suggestion(page, "mean", "15 kg", "50 kg")
    replace_suggestion(page, "deviation", "0.75 kg", "5 kg")
    page.get_by_label("Runs", exact=True).fill("20")
    page.get_by_text("A campaign of 20 runs.").wait_for()  # all that was typed has been checked
    page.get_by_label("Successful outcomes").click()
    page.get_by_role("option", name="latched", exact=True).click()
    page.keyboard.press("Escape")
    page.get_by_text("success: [latched]").wait_for()
    assert_no_overlap(page)
    page.get_by_label("File").fill("latch-campaign.yaml")
    page.get_by_role("button", name="Save", disabled=False).click()
    page.get_by_text("There is a file of that name already; choose another name.").wait_for()
    page.get_by_label("File").fill("deep/composed.yaml")
    page.get_by_text("A campaign of 20 runs.").wait_for()
    page.get_by_role("button", name="Save", disabled=False).click()
    page.wait_for_url("**/campaigns?name=deep/composed.yaml")
    assert (served.folder / "deep" / "composed.yaml").read_text() == (
        "softdock: 1\nkind: campaign\ntitle: Latches\nscenario: latch-paper\nruns: 20\nseed: 1\n"
        "sampling: latin-hypercube\ndispersions:\n  speed: {uniform: [0.02 m/s, 16 cm/s]}\n"
        "  chaser.masses.0: {normal: {mean: 50 kg, deviation: 5 kg}}\nsuccess: [latched]\n"
    )
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/campaign/composed-*", timeout=LONG)
    page.get_by_text("All 20 runs are complete.").wait_for(timeout=LONG)


def replace_suggestion(page: "Page", label: str, before: str, after: str) -> None:
    """Replace a value after the page has filled in its suggestion."""
    from playwright.sync_api import expect

    expect(page.get_by_label(label)).to_have_value(before, timeout=LONG)
    page.get_by_label(label).fill(after)


def choose(page: "Page", field: str, name: str, *, last: bool = False) -> None:
    """Choose an entry of a list by typing its name."""
    fields = page.get_by_role("combobox", name=field)
    box = fields.last if last else fields.first
    box.click()
    box.fill(name)
    page.get_by_role("option", name=re.compile(f"^{re.escape(name)}:")).click()


def test_the_text_editor_marks_wrong_lines_and_saves_changes(tab: "Tab", served: Served) -> None:
    page = open_scenario(tab, served, "impact-a")
    page.get_by_role("tab", name="Text").click()
    editor = page.locator(".cm-content")
    page.locator(".cm-line", has_text="softdock").first.wait_for(timeout=LONG)  # the text is loaded
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nspede: 3")
    page.get_by_text("The key 'spede' is not known here.").first.wait_for(timeout=LONG)
    page.locator(".cm-line.wrong", has_text="spede").wait_for()
    tab.save_screenshot("studio-text")
    for _ in range(9):
        page.keyboard.press("Backspace")
    page.get_by_text("The key 'spede' is not known here.").first.wait_for(state="hidden")
    page.get_by_role("button", name="Run", disabled=False).wait_for()
    page.get_by_role("tab", name="Form").click()
    gap = page.get_by_label("gap", exact=True)
    gap.fill("2 mm")
    gap.press("Enter")
    page.get_by_role("tab", name="Changes").click()
    page.get_by_role("cell", name="2 mm").wait_for()
    page.get_by_role("button", name="Save as").click()
    page.get_by_label("File").fill("../outside.yaml")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Only files below the studio's folder").or_(
        page.get_by_text("A name ends with")
    ).first.wait_for()
    page.get_by_label("File").fill("wider.yaml")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url("**/scenario?name=wider.yaml")
    assert (served.folder / "wider.yaml").read_text() == "softdock: 1\nbase: impact-a\ngap: 2 mm\n"
    assert not (served.folder.parent / "outside.yaml").exists()


def test_a_campaign_runs_and_a_failed_run_is_replayed(tab: "Tab", served: Served) -> None:
    page = tab.page
    page.goto(f"{served.address}campaigns")
    page.get_by_label("Runs", exact=True).fill("many")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Must be an integer.").wait_for()
    page.get_by_label("Runs", exact=True).fill("200")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/campaign/*", timeout=LONG)
    page.get_by_text("All 200 runs are complete.").wait_for(timeout=LONG)
    page.get_by_text(re.compile("^not latched [0-9]+$")).first.wait_for()
    failed = int(page.get_by_text(re.compile("^not latched [0-9]+$")).first.inner_text().split()[-1])
    figures = page.get_by_role("list", name="Summary").locator("strong")
    # Success rate of 200 runs, and number of remaining runs.
    wait_until(lambda: figures.all_inner_texts() == [f"{100 - failed / 2:.1f}%", "0"])
    page.locator(".nicegui-echart canvas").first.wait_for()
    page.wait_for_timeout(500)
    tab.save_screenshot("studio-campaign")
    assert_no_overlap(page)

    x, y = failed_point(page)
    page.mouse.click(x, y)
    page.get_by_text(re.compile("^Run [0-9]+ of latch-campaign")).wait_for()
    page.get_by_text("not latched", exact=True).last.wait_for(timeout=LONG)
    assert_replay_runs(find_replay(page))
    tab.save_screenshot("studio-failed-run")
    page.get_by_role("button", name="Close").click()

    page.get_by_role("tab", name="Table").click()
    page.get_by_role("button", name="Open run 24").wait_for()
    page.get_by_role("columnheader", name="speed [mm/s]", exact=True).wait_for()
    page.get_by_label("from", exact=True).fill("slow")
    page.get_by_text("Must be a number.").wait_for()
    tab.save_screenshot("studio-table")
    page.get_by_role("tab", name="Envelope").click()
    page.wait_for_timeout(500)
    tab.save_screenshot("studio-envelope")
    assert_springs(page)
    tab.save_screenshot("studio-springs")
    with page.expect_download(timeout=LONG) as download:
        page.get_by_role("link", name="Report").click()
    assert "A latch at many speeds" in download.value.path().read_text(encoding="utf-8")


def assert_springs(page: "Page") -> None:
    """Assert that the stiffness in the panel stores the energy in the panel within the stroke: k = 2 E / s^2."""
    page.get_by_role("tab", name="Springs").click()
    page.get_by_label("Stroke").fill("3 kg")
    page.get_by_text("The stroke must be a length or an angle, for example '12.7 mm' or '5 deg'.").wait_for()
    page.get_by_label("Stroke").fill("20 mm")
    page.get_by_label("Units", exact=True).select_option("SI")
    page.get_by_role("columnheader", name="energy [J]").wait_for()
    rows = page.locator("table.plain:visible tr")
    for row in rows.all()[1:]:
        energy, stiffness = (float(one) for one in row.locator("td.number").all_inner_texts()[:2])
        assert stiffness == pytest.approx(2.0 * energy / 0.02**2, rel=1e-3)


def failed_point(page: "Page") -> tuple[float, float]:
    """Return where a failed run is drawn on the page."""
    found = page.evaluate(
        """() => {
          const box = document.querySelector('.nicegui-echart');
          const chart = getElement(box.id.replace('c', '')).chart;
          const series = chart.getOption().series;
          const at = series.findIndex(one => one.name === 'not latched');
          const [x, y] = chart.convertToPixel({seriesIndex: at}, series[at].data[0]);
          const corner = box.getBoundingClientRect();
          return [corner.left + x, corner.top + y];
        }"""
    )
    return float(found[0]), float(found[1])


def test_predictions_are_updated_at_once_and_typed_values_are_checked(tab: "Tab", served: Served) -> None:
    page = tab.page
    page.goto(f"{served.address}predict")
    page.get_by_text("After this impact alone the chaser keeps closing on the target").wait_for()
    page.get_by_role("cell", name="0.097061").wait_for()  # Table 1 of the impact paper, case A
    field = page.get_by_label("m2, contacting mass of the chaser, value")
    field.fill("-1")
    field.press("Enter")
    page.get_by_text("Must be above 0 kg.").wait_for()
    field.fill("20 kg")
    field.press("Enter")
    page.get_by_role("cell", name="0.097061").wait_for(state="detached")
    page.wait_for_timeout(300)
    assert_no_overlap(page)
    tab.save_screenshot("studio-predict")


@pytest.mark.parametrize("place", ["", "predict", "campaigns", "runs", "scenario?name=mine.yaml"])
def test_pages_have_a_dark_theme_a_wide_layout_and_keyboard_focus(
    tab: "Tab", served: Served, place: str
) -> None:
    tab.page.set_viewport_size({"width": 1920, "height": 1080})
    tab.page.emulate_media(color_scheme="dark")
    tab.page.goto(f"{served.address}{place}")
    tab.page.locator(".head").wait_for()
    tab.page.wait_for_function("document.body.classList.contains('body--dark')")
    tab.page.wait_for_timeout(600)
    assert_no_overlap(tab.page)
    tab.save_screenshot(f"studio-dark-{re.sub('[^a-z]+', '-', place) or 'gallery'}")
    for _ in range(2):
        tab.page.keyboard.press("Tab")
    assert tab.page.evaluate("document.activeElement.tagName") == "A"


@pytest.mark.parametrize("place", ["", "campaigns"])
def test_header_fits_the_screen_of_a_phone(tab: "Tab", served: Served, place: str) -> None:
    tab.page.set_viewport_size({"width": 390, "height": 800})
    tab.page.goto(f"{served.address}{place}")
    tab.page.locator(".head").wait_for()
    for part in ("nav a:last-child", "select.units", "button.theme"):
        box = tab.page.locator(f".head {part}").bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390.0
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_missing_scenarios_runs_and_campaigns_are_reported(tab: "Tab", served: Served) -> None:
    for place, message in (
        ("scenario?name=../../etc/passwd", "Only files below the studio's folder are used."),
        ("run/nothing", "There is no such run."),
        ("campaign/nothing", "There is no campaign 'nothing'."),
    ):
        tab.page.goto(f"{served.address}{place}")
        tab.page.get_by_text(message).first.wait_for()
