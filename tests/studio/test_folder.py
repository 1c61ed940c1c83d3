"""The studio uses only files in its folder: no paths or links to the outside, and none named by a scenario."""

from pathlib import Path

import pytest

from softdock.campaign import store
from softdock.campaign.runner import history_folder
from softdock.errors import InputError
from softdock.scenario.loading import bundled
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
def test_paths_outside_the_folder_are_refused(folder: Folder, name: str) -> None:
    with pytest.raises(InputError, match="below the studio's folder"):
        folder.inside(name)


@pytest.mark.parametrize("name", ["..", "../runs", "a/b", ".hidden", "a" * 200, "", "x\0"])
def test_names_of_runs_that_are_not_plain_names_are_refused(folder: Folder, name: str) -> None:
    for place in (folder.run, folder.campaign):
        with pytest.raises(InputError):
            place(name)


def test_a_run_with_a_link_to_the_outside_is_refused(folder: Folder) -> None:
    for kind, place in (("runs", folder.run), ("campaigns", folder.campaign)):
        stored = folder.root / kind / "received"
        stored.mkdir(parents=True)
        (stored / "history.parquet").symlink_to(folder.root / "mine.yaml")
        assert place("received") == stored
        (stored / "result.json").symlink_to("/etc/passwd")
        with pytest.raises(InputError, match="below the studio's folder"):
            place("received")


def test_a_run_of_a_campaign_with_a_link_to_the_outside_is_refused(folder: Folder) -> None:
    stored = history_folder(folder.root / "campaigns" / "many", 3)
    stored.mkdir(parents=True)
    (stored / "result.json").symlink_to("/etc/passwd")
    for task, arguments in (
        (tasks.find_run, {"run": "many/3"}),
        (tasks.rerun, {"campaign": "many", "number": 3}),
    ):
        with pytest.raises(InputError, match="below the studio's folder"):
            task(folder, print, **arguments)


def test_only_scenarios_and_no_links_to_the_outside_are_listed(folder: Folder) -> None:
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


def test_scenarios_without_files_outside_are_accepted(folder: Folder) -> None:
    text = "softdock: 1\nbase: impact-a\ndescription: See ../README, or /etc.\nspeed: 0.1 m/s\n"
    folder.check_source(parse(text, directory=folder.root))


def test_a_folder_is_locked_by_one_studio(folder: Folder) -> None:
    with folder.lock("http://127.0.0.1:1/"):
        with pytest.raises(InputError, match="Another studio uses this folder") as caught:
            folder.lock("http://127.0.0.1:2/")
        assert "Open http://127.0.0.1:1/ in the browser" in str(caught.value)
    folder.lock("http://127.0.0.1:3/").close()


def test_headers_of_bundled_scenarios_agree_with_the_scenarios() -> None:
    headers = {name: (header["kind"], header["title"]) for name, header in bundled_headers().items()}
    assert headers == {one.name: (one.kind, one.title) for one in bundled()}


def test_the_name_of_the_run_table_is_that_of_the_store() -> None:
    assert CAMPAIGN_TABLE == store.TABLE_FILE
