"""Files only below the chosen folder: no way up, no links out, not through a scenario either."""

from pathlib import Path

import pytest

from softdock.campaign import store
from softdock.campaign.runner import history_folder
from softdock.errors import InputError
from softdock.scenario import bundled
from softdock.scenario.source import parse
from softdock.studio import tasks
from softdock.studio.folder import CAMPAIGN_TABLE, Folder, bundled_headers


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "outside.yaml").write_text("softdock: 1\nbase: impact-a\n")
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / "mine.yaml").write_text("softdock: 1\nkind: chain\ntitle: Mine\n")
    (inside / "notes.yaml").write_text("shopping: [bread]\n")
    (inside / "many.yaml").write_text("softdock: 1\nkind: campaign\n")
    (inside / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (inside / "out").symlink_to(tmp_path)
    return Folder(inside)


@pytest.mark.parametrize(
    "name",
    [
        "../outside.yaml",
        "deep/../../outside.yaml",
        "/etc/passwd",
        "link.yaml",
        "out/outside.yaml",
        "",
        ".",
        "a\0b",
    ],
)
def test_paths_that_lead_out_are_refused(folder: Folder, name: str) -> None:
    with pytest.raises(InputError, match="below the studio's folder"):
        folder.inside(name)


@pytest.mark.parametrize("name", ["..", "../runs", "a/b", ".hidden", "a" * 200, "", "x\0"])
def test_names_of_runs_are_names(folder: Folder, name: str) -> None:
    for place in (folder.run, folder.campaign):
        with pytest.raises(InputError):
            place(name)


def test_a_run_with_a_link_out_is_refused(folder: Folder) -> None:
    for kind, place in (("runs", folder.run), ("campaigns", folder.campaign)):
        kept = folder.root / kind / "received"
        kept.mkdir(parents=True)
        (kept / "history.parquet").symlink_to(folder.root / "mine.yaml")
        assert place("received") == kept
        (kept / "result.json").symlink_to("/etc/passwd")
        with pytest.raises(InputError, match="below the studio's folder"):
            place("received")


def test_a_run_of_a_campaign_with_a_link_out_is_refused(folder: Folder) -> None:
    kept = history_folder(folder.root / "campaigns" / "many", 3)
    kept.mkdir(parents=True)
    (kept / "result.json").symlink_to("/etc/passwd")
    for task, asked in (
        (tasks.find_run, {"run": "many/3"}),
        (tasks.rerun, {"campaign": "many", "number": 3}),
    ):
        with pytest.raises(InputError, match="below the studio's folder"):
            task(folder, print, **asked)


def test_only_scenarios_are_listed_and_no_links_out(folder: Folder) -> None:
    assert [path for path, _ in folder.files()] == ["mine.yaml"]
    assert [path for path, _ in folder.files("campaign")] == ["many.yaml"]


@pytest.mark.parametrize(
    "text",
    [
        "surfaces: {title: {body: a, file: ../outside.step}}",
        "surfaces: {a: {body: a, file: /etc/passwd}}",
        "surfaces: {a: {body: a, file: out/outside.yaml}}",
        "base: ../outside.yaml",
        "base: /etc/hosts",
        "base: mine-too.yaml",
        "robots: [{urdf: deep/../../x.urdf}]",
    ],
)
def test_scenarios_that_name_files_outside_are_refused(folder: Folder, text: str) -> None:
    (folder.root / "mine-too.yaml").write_text("softdock: 1\nbase: deep/../../outside.yaml\n")
    source = parse(f"softdock: 1\n{text}\n", file="x.yaml", directory=folder.root)
    with pytest.raises(InputError, match="only files below its folder") as caught:
        folder.check_source(source)
    assert caught.value.problems[0].line == 2


def test_scenarios_that_stay_inside_pass(folder: Folder) -> None:
    text = "softdock: 1\nbase: impact-a\ndescription: See ../README, or /etc.\nspeed: 0.1 m/s\n"
    folder.check_source(parse(text, directory=folder.root))


def test_one_studio_at_a_time(folder: Folder) -> None:
    with folder.lock("http://127.0.0.1:1/"):
        with pytest.raises(InputError, match="Another studio uses this folder") as caught:
            folder.lock("http://127.0.0.1:2/")
        assert "Open http://127.0.0.1:1/ in the browser" in str(caught.value)
    folder.lock("http://127.0.0.1:3/").close()


def test_heads_of_bundled_scenarios_say_what_the_whole_files_say() -> None:
    heads = {name: (head["kind"], head["title"]) for name, head in bundled_headers().items()}
    assert heads == {one.name: (one.kind, one.title) for one in bundled()}


def test_files_of_campaigns_are_called_as_the_store_calls_them() -> None:
    assert CAMPAIGN_TABLE == store.TABLE_FILE
