"""The player in a real browser: motion, network access, keys and escaping of text."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.browser import Tab
from tests.replay import runs
from tests.replay.test_page import NASTY

from softdock.replay.page import player_html
from softdock.replay.scene_builder import scene
from softdock.scenario.loading import load
from softdock.simulation import simulate


def open_page(tab: Tab, page: str, folder: Path) -> Any:
    path = folder / "replay.html"
    path.write_text(page)
    tab.page.goto(path.as_uri())
    tab.page.evaluate("softdock.ready")
    return tab.page


def wait_for(page: Any, expression: str) -> None:
    """Poll until an expression is true; the page's security policy forbids waiting inside it."""
    for _ in range(400):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


def pixels(page: Any) -> list[int]:
    """Return every 97th byte of the drawn pixels."""
    script = """() => {
      softdock.view.render();
      const gl = softdock.view.renderer.gl, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
      const all = new Uint8Array(4 * w * h);
      gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, all);
      return Array.from(all.filter((v, i) => i % 97 == 0));
    }"""
    return list(page.evaluate(script))


def test_the_docking_is_played(tab: Tab, tmp_path: Path) -> None:
    page = open_page(tab, player_html(scene(runs.nominal())), tmp_path)
    assert page.locator("#outcome").inner_text() == "captured"
    before, image = page.evaluate("softdock.view.positionOf('bumper')"), pixels(page)
    page.keyboard.press("Space")
    wait_for(page, "softdock.time > 0.6")
    page.keyboard.press("Space")
    after, later = page.evaluate("softdock.view.positionOf('bumper')"), pixels(page)
    moved = sum((a - b) ** 2 for a, b in zip(after, before)) ** 0.5
    assert moved == pytest.approx(0.03 * page.evaluate("softdock.time"), rel=0.02), "0.03 m/s"
    assert sum(a != b for a, b in zip(image, later)) > 100
    assert sum(value != 0 for value in image) > 100
    page.keyboard.press("n")
    contact = runs.nominal().events[0]
    assert page.evaluate("softdock.time") == pytest.approx(contact.time)
    wait_for(page, f"document.getElementById('latest').textContent === {json.dumps(contact.message)}")
    for key, view in (("1", "overview"), ("2", "mechanism"), ("3", "axis"), ("4", "section")):
        page.keyboard.press(key)
        assert page.evaluate("softdock.view.preset") == view
        page.wait_for_timeout(100)
        tab.save_screenshot(f"replay-{view}")
    assert page.locator(".mark").count() == len(runs.nominal().events)
    assert all(address.startswith(("file:", "blob:", "data:")) for address in tab.requests)


def test_the_camera_follows_port_and_probe_from_far_to_near(tab: Tab, tmp_path: Path) -> None:
    start = {
        "approach.distance": "3 m",
        "approach.speed": "1 m/s",
        "duration": "2.5 s",
        "events.away.armed": False,
    }
    result = simulate(load("assist-soft-docking", start), with_prediction=False)
    page = open_page(tab, player_html(scene(result)), tmp_path)
    assert page.evaluate("softdock.view.preset") == "follow", "the probe is too far away for the close views"
    distance = "softdock.view.camera.distance"
    seen = []
    for time in (0.0, 2.5):
        page.evaluate(f"softdock.seek({time})")
        wait_for(page, f"softdock.time === {time} && !softdock.isPaintRequested")
        seen.append((page.evaluate(distance), page.evaluate("softdock.view.followed.radius")))
    (far, wide), (near, narrow) = seen
    assert near < 0.4 * far
    assert far / wide == pytest.approx(near / narrow, rel=1e-6), "the mechanism keeps its size in the picture"


def test_page_fits_and_nothing_overlaps(tab: Tab, tmp_path: Path) -> None:
    page = open_page(tab, player_html(scene(runs.run("latch-multibody"))), tmp_path)
    for width, height in ((1280, 720), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(150)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        boxes = page.evaluate(
            "[...document.querySelectorAll('header,#stage,#side,footer')].map(e => e.getBoundingClientRect().toJSON())"
        )
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                apart = a["right"] <= b["left"] + 1 or b["right"] <= a["left"] + 1
                assert apart or a["bottom"] <= b["top"] + 1 or b["bottom"] <= a["top"] + 1
    page.keyboard.press("t")
    page.wait_for_timeout(100)
    tab.save_screenshot("replay-latch-dark")


@pytest.mark.parametrize(("width", "height"), [(820, 430), (1280, 720), (1920, 1080)])
def test_the_view_does_not_overlap_the_readout(tab: Tab, tmp_path: Path, width: int, height: int) -> None:
    """The drogue, to which the view is fitted, is drawn beside or below the readout."""
    tab.page.set_viewport_size({"width": width, "height": height})
    page = open_page(tab, player_html(scene(runs.nominal())), tmp_path)
    page.wait_for_timeout(200)
    shown = page.evaluate(
        """() => {
          const { camera, canvas, focus } = softdock.view;
          const { centre } = softdock.view.focusInWorld();
          const up = camera.axes[1];
          const edge = centre.map((x, k) => x + focus.radius * up[k]);
          const pixel = ([x, y]) => [(x + 1) / 2 * canvas.clientWidth, (1 - y) / 2 * canvas.clientHeight];
          const [x, y] = pixel(camera.project(centre)), [, top] = pixel(camera.project(edge));
          const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = document.getElementById("corner");
          return { x, y, radius: Math.abs(y - top), right: offsetLeft + offsetWidth, bottom: offsetTop + offsetHeight };
        }"""
    )
    beside = shown["x"] - shown["radius"] > shown["right"]
    below = shown["y"] - shown["radius"] > shown["bottom"]
    assert beside or below, shown
    assert shown["radius"] > 60.0


def test_the_view_is_fitted_initially_and_after_resizing(tab: Tab, tmp_path: Path) -> None:
    """The initial view, and that after resizing, equal the view when it is selected again."""
    page = open_page(tab, player_html(scene(runs.boom())), tmp_path)

    def distance(choose: str = "") -> float:
        page.wait_for_timeout(200)
        return float(page.evaluate(f"{choose}; softdock.view.camera.distance"))

    first = distance()
    assert first == pytest.approx(distance("softdock.setView(softdock.view.preset)"), rel=1e-6)
    page.set_viewport_size({"width": 420, "height": 800})
    small = distance()
    assert small != pytest.approx(first, rel=0.02)
    assert small == pytest.approx(distance("softdock.setView(softdock.view.preset)"), rel=1e-6)
    page.locator("#canvas").hover()
    page.mouse.wheel(0, 300)
    turned = distance()
    assert turned != pytest.approx(small, rel=0.02)
    page.set_viewport_size({"width": 1280, "height": 720})
    assert distance() == pytest.approx(turned, rel=1e-6)  # chosen by hand


def test_a_replay_that_is_loaded_while_hidden_is_fitted_when_it_is_shown(tab: Tab, tmp_path: Path) -> None:
    """A studio tab may be left before its replay has loaded; the replay then has no size."""
    (tmp_path / "replay.html").write_text(player_html(scene(runs.boom())))
    around = tmp_path / "around.html"
    around.write_text(
        '<iframe src="replay.html" style="display: none; width: 900px; height: 600px"></iframe>'
    )
    tab.page.goto(around.as_uri())
    frame = tab.page.frames[1]
    frame.wait_for_load_state()
    frame.evaluate("softdock.ready")
    assert frame.evaluate("document.getElementById('stage').clientHeight") == 0
    tab.page.evaluate("document.querySelector('iframe').style.display = 'block'")
    wait_for(frame, "softdock.view.freeRectangle !== undefined")

    def distance(choose: str = "") -> float:
        tab.page.wait_for_timeout(200)
        return float(frame.evaluate(f"{choose}; softdock.view.camera.distance"))

    first = distance()
    assert first == pytest.approx(distance("softdock.setView(softdock.view.preset)"), rel=1e-6)
    assert sum(value != 0 for value in pixels(frame)) > 100
    frame.evaluate("softdock.view.render = () => { softdock.renderings = (softdock.renderings || 0) + 1; }")
    frame.locator("#canvas").hover()
    tab.page.mouse.wheel(0, 300)
    wait_for(frame, "softdock.renderings > 0")  # the camera moved by hand repaints
    assert distance() != pytest.approx(first, rel=0.02)


def test_the_first_view_shows_the_probe(tab: Tab, tmp_path: Path) -> None:
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    page = open_page(tab, player_html(scene(runs.nominal())), tmp_path)
    centres = page.evaluate(
        """() => {
          const view = softdock.view;
          const { centre: focus } = view.focusInWorld();
          const near = box => box.distanceTo(focus) < 1.5 * view.focus.radius;
          return view.probeBoxes().filter(near).map(box => view.camera.project(box.centre));
        }"""
    )
    assert page.evaluate("softdock.view.preset") == "mechanism"
    assert len(centres) >= 4  # nose, waist and fingers
    assert all(abs(x) < 0.9 and abs(y) < 0.9 for x, y in centres)


def test_the_theme_is_set_from_the_page_around(tab: Tab, tmp_path: Path) -> None:
    page = open_page(tab, player_html(scene(runs.nominal())), tmp_path)
    for dark in (True, False):
        page.evaluate(f"postMessage({{ softdock: 'theme', dark: {str(dark).lower()} }}, '*')")
        wait_for(page, f"document.documentElement.dataset.theme === '{'dark' if dark else 'light'}'")


def test_channels_can_be_chosen_and_a_chart_moves_the_time(tab: Tab, tmp_path: Path) -> None:
    result = runs.run("latch-multibody")
    page = open_page(tab, player_html(scene(result)), tmp_path)
    page.keyboard.press("c")
    page.locator("#filter").fill("energy.kinetic")
    page.locator("#channel-list input:visible").check()
    page.keyboard.press("Escape")
    page.locator("#channels").click()
    page.locator("#channels").click()
    assert "energy.kinetic" in page.locator("figcaption").all_inner_texts()[-1]
    box = page.locator("figure canvas").first.bounding_box()
    page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    end = result.history.time[-1]
    assert page.evaluate("softdock.time") == pytest.approx(0.55 * end, rel=0.15)


def test_text_is_escaped(tab: Tab, tmp_path: Path) -> None:
    shown = scene(runs.spinning())
    event = {"time": 0.5, "name": NASTY, "message": NASTY}
    events = (type(runs.nominal().events[0])(**event),)
    curves = (replace(shown.curves[0], name=NASTY), *shown.curves[1:])
    nasty = replace(
        shown,
        name=NASTY,
        title=NASTY,
        message=NASTY,
        outcome=NASTY,
        events=events,
        curves=curves,
        charts=((NASTY,),),
    )
    page = open_page(tab, player_html(nasty), tmp_path)
    page.keyboard.press("End")
    page.wait_for_timeout(150)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#title").inner_text() == NASTY
    assert page.locator("figcaption").inner_text().startswith(NASTY)


def test_without_webgl_charts_still_show(tab: Tab, tmp_path: Path) -> None:
    tab.page.add_init_script(
        "HTMLCanvasElement.prototype.getContext = (original => function (kind, ...rest) {"
        "return kind.startsWith('webgl') ? null : original.call(this, kind, ...rest) })"
        "(HTMLCanvasElement.prototype.getContext)"
    )
    shown = scene(runs.run("latch-multibody"))
    page = open_page(tab, player_html(shown), tmp_path)
    assert "WebGL" in page.locator("#error").inner_text()
    page.keyboard.press("End")
    drawn = page.locator("figure canvas").evaluate_all(
        "all => all.map(one => one.getContext('2d').getImageData(0, 0, one.width, one.height).data"
        ".filter((value, i) => i % 4 == 3 && value > 0).length)"
    )
    assert len(drawn) >= 2
    assert min(drawn) > 100, "pixels that are not transparent"
    tab.save_screenshot("replay-without-webgl")
    tab.errors[:] = [text for text in tab.errors if "WebGL" not in text]  # three.js reports the missing WebGL
    data = json.loads(page.locator("#data").text_content() or "")
    assert data["name"] == shown.name
    assert [curve["name"] for curve in data["curves"]] == [curve.name for curve in shown.curves]


def test_the_camera_is_turned_moved_and_zoomed_by_hand(tab: Tab, tmp_path: Path) -> None:
    page = open_page(tab, player_html(scene(runs.boom())), tmp_path)

    def camera() -> tuple[list[float], list[float], float]:
        position, target, distance = page.evaluate(
            "[softdock.view.camera.position, softdock.view.camera.target, softdock.view.camera.distance]"
        )
        return position, target, distance

    def drag(button: str) -> None:
        box = page.locator("#canvas").bounding_box()
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        page.mouse.down(button=button)
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.6 * box["height"], steps=3)
        page.mouse.up(button=button)

    position, target, distance = camera()
    drag("left")
    turned = camera()
    assert turned[0] != pytest.approx(position)
    assert turned[1] == pytest.approx(target)
    assert turned[2] == pytest.approx(distance)
    drag("right")
    moved = camera()
    shift = [a - b for a, b in zip(moved[1], turned[1])]
    assert max(map(abs, shift)) > 0.01 * distance
    assert [a - b for a, b in zip(moved[0], turned[0])] == pytest.approx(shift)
    page.mouse.wheel(0, -500)
    page.wait_for_timeout(100)
    assert camera()[2] == pytest.approx(moved[2] * 2.718281828 ** (-0.5), rel=1e-6)


def test_a_flexible_structure_bends_by_its_modes(tab: Tab, tmp_path: Path) -> None:
    page = open_page(tab, player_html(scene(runs.boom())), tmp_path)
    displaced = """t => {
      softdock.view.moveTo(t);
      const { morph } = softdock.view.items.find((object) => object.morph);
      let largest = 0;
      morph.moved.forEach((x, i) => (largest = Math.max(largest, Math.abs(
        x - morph.positions[i] - morph.displacements.reduce((sum, d, k) => sum + morph.weights[k] * d[i], 0)))));
      return [largest, Math.max(...morph.weights.map(Math.abs))];
    }"""
    end = page.evaluate("softdock.end - softdock.start")
    found = [page.evaluate(displaced, f * end) for f in (0.3, 0.6, 0.9)]
    assert max(weight for _, weight in found) > 0.0
    assert max(error for error, _ in found) < 1e-5
