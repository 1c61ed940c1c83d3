"""Content of received folders is data: no script of it runs, and it does not choose which files the studio reads."""

import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest
from tests.studio.conftest import Served, start, stop

import softdock
from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.store import TABLE_FILE
from softdock.errors import InputError
from softdock.studio import tasks
from softdock.studio.columns import Columns
from softdock.studio.folder import Folder
from softdock.studio.pages import charts, run_summary, scatter

if TYPE_CHECKING:
    from tests.browser import Tab

LONG = 120_000.0  # ms; the machine may be busy
SCRIPT = "<img src=x onerror=alert(1)>"
CAMPAIGN = (
    "softdock: 1\nkind: campaign\nscenario: latch-paper\nruns: 3\nseed: 3\n"
    "dispersions: {speed: {uniform: [0.02 m/s, 0.16 m/s]}}\nsuccess: [latched]\n"
)


def ignore_progress(stage: str) -> None:
    """Ignore the progress of a task."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stored run."""
    folder = tmp_path_factory.mktemp("run")
    softdock.simulate("latch-slow").save(folder)
    return folder


@pytest.fixture
def received(tmp_path: Path, run: Path) -> Folder:
    """A folder of a studio with a received run."""
    shutil.copytree(run, tmp_path / "studio" / "runs" / "received")
    return Folder(tmp_path / "studio")


def forge(path: Path, text: str) -> None:
    """Write a file that is newer than the result beside it."""
    path.write_text(text)
    later = (path.parent / "result.json").stat().st_mtime + 10.0
    os.utime(path, (later, later))


def test_the_tooltip_of_a_scatter_plot_escapes_outcomes(tab: "Tab") -> None:
    columns = Columns(Path())
    columns._add((0, SCRIPT, '{"a": 1.0, "b": 2.0}', "{}", "{}", 0.1, "{}"))
    options, shown, _ = scatter.scatter_options(columns, "input a", "input b")
    assert shown == 1
    formatter = options["tooltip"][":formatter"]
    text = tab.page.evaluate(f"({formatter})({{value: [1, 2, 3], seriesName: {json.dumps(SCRIPT)}}})")
    assert text == "run 3: &#60;img src=x onerror=alert(1)&#62;<br>1.0000, 2.0000"


def test_strings_of_a_result_are_escaped(received: Folder) -> None:
    summary = tasks.summarise_run(received, ignore_progress, run="received")
    for key in ("valid", "outcome", "message"):
        assert SCRIPT not in run_summary.verdict_html({**summary, key: SCRIPT})
    assert SCRIPT not in run_summary.verdict_html({**summary, "warnings": [SCRIPT]})
    named = {"unit": "N", "points": [[0.0, 1.0], [1.0, 2.0]]}
    code = {":x": "alert(1)"}  # NiceGUI would evaluate it
    with pytest.raises(TypeError):
        charts.over_time({"force": named}, {}, [{"time": code, "name": "a"}])
    drawn = charts.to_echarts(charts.over_time({"force": named}, {}, [{"time": 0.5, "name": code}]))
    assert drawn["series"][0]["markLine"]["data"] == [{"xAxis": 0.5}]


def test_a_forged_replay_is_drawn_again(received: Folder) -> None:
    scene = received.root / "runs" / "received" / "replay.scene"
    genuine = Path(
        tasks.make_run_file(received, ignore_progress, run="received", kind="scene")["path"]
    ).read_text()
    for forged in (
        f"<script>alert(1)</script>{genuine}",
        genuine.replace("</body>", f"{SCRIPT}</body>"),
        "\ud800",
    ):
        scene.write_bytes(forged.encode("utf-8", "surrogatepass"))
        os.utime(scene, (2e9, 2e9))
        tasks.make_run_file(received, ignore_progress, run="received", kind="scene")
        assert scene.read_text() == genuine


def test_a_run_does_not_choose_files_outside_the_folder(received: Folder, tmp_path: Path) -> None:
    (tmp_path / "secret.step").write_text("secret")
    path = received.root / "runs" / "received" / "result.json"
    document = json.loads(path.read_text())
    key = next(key for key in document if isinstance(document[key], dict) and "kind" in document[key])
    document[key]["surface"] = {"file": str(tmp_path / "secret.step")}
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="only files below its folder"):
        tasks.make_run_file(received, ignore_progress, run="received", kind="scene")


def test_a_campaign_does_not_choose_files_outside_the_folder(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "studio")
    outside, inside = tmp_path / "many.yaml", folder.root / "many.yaml"
    folder.root.mkdir()
    for file in (outside, inside):
        file.write_text(CAMPAIGN)
    directory = folder.root / "campaigns" / "received"
    runner.run(read_campaign(inside), directory)
    tasks.rerun(folder, ignore_progress, campaign="received", number=1)
    for origin in (str(outside), "/etc/passwd", None, {"a": 1}):
        with closing(sqlite3.connect(directory / TABLE_FILE)) as database, database:
            (text,) = database.execute("SELECT value FROM manifest WHERE key = 'manifest'").fetchone()
            forged = json.dumps({**json.loads(text), "origin": origin})
            database.execute("UPDATE manifest SET value = ? WHERE key = 'manifest'", (forged,))
        for task in (
            lambda: tasks.rerun(folder, ignore_progress, campaign="received", number=2),
            lambda: tasks.write_campaign_report(folder, ignore_progress, campaign="received"),
        ):
            with pytest.raises(InputError, match="started from is not used"):
                task()


def test_files_of_the_folder_are_served_in_a_sandbox_without_origin(served: Served, run: Path) -> None:
    directory = served.folder / "runs" / "received"
    shutil.copytree(run, directory)
    forge(directory / "report.html", "<script>parent.fetch('/files')</script>")
    for kind in ("report", "replay", "result", "figure"):
        answer = httpx.get(f"{served.address}runs/received/{kind}", timeout=60)
        policy = answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in policy
        assert "sandbox" in policy
        assert "allow-same-origin" not in policy
        assert ("allow-scripts" in policy) == (kind == "replay")


@pytest.mark.parametrize("path", ["", "runs", "nothing", "thumbnail?name=impact-a", "runs/none/report"])
def test_every_response_has_a_content_security_policy(served: Served, path: str) -> None:
    for headers in ({}, {"Host": "evil.org"}, {"X-Long": "x" * 40_000}):
        answer = httpx.get(f"{served.address}{path}", headers=headers, timeout=60)
        assert len(answer.headers.get_list("content-security-policy")) == 1
        assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert (answer.status_code in (403, 431)) == bool(headers)


def test_local_users_need_the_token_and_cannot_read_the_files(tab: "Tab", tmp_path: Path) -> None:
    (tmp_path / "new").mkdir(mode=0o700)
    private = start(tmp_path / "new", token=True)
    try:
        parts = urlsplit(private.address)
        here = f"http://{parts.netloc}"
        assert parts.query.startswith("token=")
        for method, path in (
            ("GET", "/"),
            ("GET", "/runs"),
            ("POST", "/files?name=a.yaml"),
            ("GET", "/_nicegui_ws/"),
        ):
            assert httpx.request(method, f"{here}{path}").status_code == 403
        tab.page.goto(private.address, timeout=LONG)
        tab.page.get_by_placeholder("Search").wait_for(timeout=LONG)
        tab.page.goto(f"{here}/campaigns", timeout=LONG)  # needs the web socket
        tab.page.get_by_role("button", name="Start").wait_for(timeout=LONG)
        assert tab.page.evaluate("document.cookie").count("token") == 0  # HttpOnly
        (cookie,) = [one for one in tab.page.context.cookies() if "token" in one["name"]]
        assert cookie["name"] == f"softdock_token_{parts.port}"
        assert cookie["sameSite"] == "Strict"
        sent = {"Cookie": f"{cookie['name']}={cookie['value']}"}
        added = httpx.post(f"{here}/files?name=a.yaml", content=b"softdock: 1\n", headers=sent)
        assert added.status_code == 201
        for number in range(3):
            assert httpx.get(f"{here}/unknown-{number}", headers=sent).status_code == 404
        tab.page.goto("about:blank")  # an open page would report that the server is gone
    finally:
        stop(private)
    assert private.process.stderr is not None
    assert "unknown" not in private.process.stderr.read()  # no line per request
    for path in (private.folder, *private.folder.rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
