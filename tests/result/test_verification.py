"""Changed results: every change of a stored run is found, marked in every view and listed by `softdock verify`."""

import functools
import hashlib
import json
import operator
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import softdock
from softdock.cli import app
from softdock.errors import InputError
from softdock.presentation.discrepancies import MARK
from softdock.recording.comparison import compare
from softdock.replay.page import player_html
from softdock.replay.scene_builder import scene
from softdock.report.comparison import comparison_figure
from softdock.report.rerun import _close
from softdock.report.run import run_report
from softdock.report.verification import Agreement, verify_run
from softdock.result import Result
from softdock.result.digest import CHANGED, NO_DIGEST, data_digest, digest_discrepancy, with_digest
from softdock.studio import tasks
from softdock.studio.folder import Folder
from softdock.studio.pages import run_summary
from softdock.studio.run_data import summarise_result

Document = dict[str, Any]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stored run with metrics, loads, events, phases and requirements."""
    folder = tmp_path_factory.mktemp("stored") / "run"
    softdock.simulate("assist-passive").save(folder)
    return folder


def read(folder: Path) -> Document:
    document: Document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return document


def write(folder: Path, document: Document) -> None:
    (folder / "result.json").write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def folder(stored: Path, tmp_path: Path) -> Path:
    """A copy of the stored run, which a test may change."""
    return Path(shutil.copytree(stored, tmp_path / "run"))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value, of at most two entries of each list and three of each mapping inside a key."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    most = 2 if isinstance(value, list) else 3
    for key, part in list(inside)[: most if path else None]:
        yield from places(part, (*path, key))


def changed(value: Any) -> Any:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value * 1.0000001 + 1e-9 if isinstance(value, float) else value + 1
        case str():
            return {"yes": "no", "no": "yes", "met": "violated"}.get(value, f"{value}x")
        case list():
            return value[1:] if value else ["x"]
        case dict():
            return dict(list(value.items())[1:]) if value else {"x": 1.0}
        case _:
            return 1.0


def with_value(document: Document, path: tuple[Any, ...], value: Any) -> Document:
    """Return a copy of a document with another value at a path."""
    copy: Document = {**document, path[0]: json.loads(json.dumps(document[path[0]]))}
    inside: Any = copy
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return copy


def is_found(folder: Path) -> bool:
    """Return whether a stored result is refused, or marked."""
    try:
        return bool(Result.load(folder).discrepancies)
    except InputError:
        return True


def test_a_stored_result_agrees_whatever_the_form_of_its_json(folder: Path) -> None:
    assert Result.load(folder).discrepancies == ()
    document = read(folder)
    for text in (json.dumps(document, sort_keys=True), json.dumps(document, indent=8, ensure_ascii=True)):
        (folder / "result.json").write_text(text, encoding="utf-8")
        assert Result.load(folder).discrepancies == ()
    assert {check.agreement for check in verify_run(folder)} == {Agreement.AGREES}


def test_every_change_of_any_value_is_found(folder: Path) -> None:
    document = read(folder)
    tried = [path for path in places(document) if path]
    assert {path[0] for path in tried} == document.keys()
    assert len(tried) > 100
    for path in tried:
        other = with_value(document, path, changed(functools.reduce(operator.getitem, path, document)))
        assert digest_discrepancy(other) == CHANGED, path
    for key in document:  # that what does not agree is marked or refused, for one of each kind
        write(folder, with_value(document, (key,), changed(document[key])))
        assert is_found(folder), key


def test_every_removed_or_added_key_is_found(folder: Path) -> None:
    document = read(folder)
    for key in document:
        rest = {name: value for name, value in document.items() if name != key}
        assert digest_discrepancy(rest) in (CHANGED, NO_DIGEST), key
    for extra in ({"note": "x"}, {"metrics": {**document["metrics"], "new": 1.0}}, {"discrepancies": ["x"]}):
        assert digest_discrepancy({**document, **extra}) == CHANGED


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_found(folder: Path, number: str) -> None:
    document = read(folder)
    name = "peak_contact_force"
    text = json.dumps(with_value(document, ("metrics", name), "HERE")).replace('"HERE"', number)
    (folder / "result.json").write_text(text, encoding="utf-8")
    assert is_found(folder)


def test_a_repeated_key_shows_what_its_digest_covers(folder: Path) -> None:
    text = json.dumps(read(folder))
    (folder / "result.json").write_text('{"valid": "no", ' + text[1:], encoding="utf-8")
    loaded = Result.load(folder)  # the last one counts, in the digest and in what is shown
    assert (loaded.valid, loaded.discrepancies) == (read(folder)["valid"], ())
    (folder / "result.json").write_text(text[:-1] + ', "valid": "no"}', encoding="utf-8")
    assert is_found(folder)


def test_a_result_without_a_digest_is_read_and_marked(folder: Path) -> None:
    document = read(folder)
    del document["digest"]
    write(folder, document)
    assert Result.load(folder).discrepancies == (NO_DIGEST,)
    assert verify_run(folder)[0].agreement is Agreement.NO_DIGEST
    document.pop("discrepancies")  # as an older version has written it
    write(folder, document)
    assert Result.load(folder).discrepancies == (NO_DIGEST,)


def test_saving_a_changed_result_again_keeps_its_mark(folder: Path, tmp_path: Path) -> None:
    write(folder, with_value(read(folder), ("outcome",), "captured"))
    loaded = Result.load(folder)
    loaded.save(tmp_path / "again")
    assert CHANGED in loaded.discrepancies
    assert Result.load(tmp_path / "again").discrepancies == loaded.discrepancies
    assert CliRunner().invoke(app, ["verify", str(tmp_path / "again")]).exit_code == 3


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def scale_history(path: Path) -> None:
    table = pq.read_table(path)
    columns = [pa.array(column.to_numpy() / 100) for column in table.columns]
    pq.write_table(pa.table(columns, schema=table.schema), path)


def of_another_run(path: Path) -> None:
    softdock.simulate("latch-slow").save(path.parent.parent / "other")
    shutil.copy(path.parent.parent / "other" / path.name, path)


@pytest.mark.parametrize("change", [Path.unlink, truncate, scale_history, of_another_run])
def test_another_history_is_refused_and_named(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder / "history.parquet")
    with pytest.raises(InputError):
        Result.load(folder)
    check = verify_run(folder)[1]
    assert (check.name, check.agreement) == ("history.parquet", Agreement.DIFFERS)
    assert CliRunner().invoke(app, ["verify", str(folder)]).exit_code == 3


def divide(document: Document, divisor: float = 100.0) -> Document:
    """Return a document whose metrics and loads are divided by a number."""
    divided = json.loads(json.dumps(document))
    numbers = {
        name: value / divisor if isinstance(value, float) else value
        for name, value in divided["metrics"].items()
    }
    for load in divided["loads"]:
        for key in ("peak_force", "peak_moment"):
            load[key] = load[key] and load[key] / divisor
    return {**divided, "metrics": numbers}


def forge(document: Document) -> Document:
    """Return a document with a digest that agrees with it, as somebody can compute it who knows how."""
    return with_digest(without_digest(document))


def test_peaks_are_computed_again_from_the_history_whatever_the_digest(folder: Path) -> None:
    document = read(folder)
    peaks = sum(check.stored is not None for check in verify_run(folder))
    assert peaks > 60
    write(folder, forge(divide(document)))
    checks = verify_run(folder)
    assert checks[0].agreement is Agreement.AGREES
    different = [
        check for check in checks if check.stored is not None and check.agreement is Agreement.DIFFERS
    ]
    above_zero = [load for load in document["loads"] if (load["peak_force"] or 0.0) > 1e-6]
    assert {f"peak force of {load['name']}" for load in above_zero} <= {check.name for check in different}
    for check in different:
        if check.name.startswith("peak "):
            assert check.stored is not None
            assert check.found == pytest.approx(100 * check.stored)


@pytest.mark.parametrize("key", ["peak_force", "t_peak_force"])
@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_peak_that_is_one_percent_too_small_too_large_or_late_differs(
    folder: Path, key: str, factor: float
) -> None:
    document = read(folder)
    load = max(range(len(document["loads"])), key=lambda i: document["loads"][i]["peak_force"] or 0.0)
    path = ("loads", load, key)
    write(folder, forge(with_value(document, path, factor * document["loads"][load][key])))
    name = f"peak force of {document['loads'][load]['name']}"
    assert {check.name: check.agreement for check in verify_run(folder)}[name] is Agreement.DIFFERS


def test_a_largest_value_that_a_metric_names_is_computed_again(folder: Path) -> None:
    document = read(folder)
    own = [name for name, text in document["definition"]["metrics"].items() if text.startswith("max ")]
    compared = {check.name for check in verify_run(folder)}
    name = next(name for name in own if name in compared and not name.startswith("peak_"))
    write(folder, forge(with_value(document, ("metrics", name), document["metrics"][name] / 100)))
    assert {check.name: check.agreement for check in verify_run(folder)}[name] is Agreement.DIFFERS


def test_verdicts_and_margins_follow_from_the_metrics_that_are_shown(folder: Path) -> None:
    document = read(folder)
    before = Result.load(folder)
    assert before.discrepancies == ()
    at = next(i for i, one in enumerate(document["requirements"]) if one["margin"] is not None)
    name = document["requirements"][at]["id"]
    for key, value in (("margin", 0.9), ("verdict", "violated"), ("value", 1.0), ("limit", 1.0)):
        write(folder, forge(with_value(document, ("requirements", at, key), value)))
        loaded = Result.load(folder)
        assert loaded.requirements == before.requirements
        assert loaded.discrepancies == (f"The stored verdicts do not follow from its metrics: {name}.",)
    write(folder, forge({**document, "requirements": []}))
    assert len(Result.load(folder).requirements) == len(before.requirements)
    limit = ("definition", "requirements", name)
    damaged = with_value(document, limit, {"metric": 5})
    write(folder, forge(damaged))
    assert Result.load(folder).requirements == ()
    assert "damaged" in Result.load(folder).discrepancies[0]


@pytest.fixture
def marked(folder: Path) -> Result:
    """A loaded result that does not agree with its digest."""
    write(folder, divide(read(folder)))
    return Result.load(folder)


def test_every_view_of_a_run_marks_a_change(folder: Path, marked: Result, tmp_path: Path) -> None:
    assert CHANGED in marked.summary()
    assert MARK in repr(marked)
    assert CHANGED in marked._repr_html_()
    assert CHANGED in run_report(marked)
    assert CHANGED in player_html(scene(marked))
    assert CHANGED in run_summary.verdict_html(summarise_result(marked))
    title = marked.plot()._suptitle  # type: ignore[attr-defined]  # missing in its types
    assert MARK in title.get_text().replace("\n", " ")
    invoked = CliRunner().invoke(app, ["replay", str(folder), "--html", str(tmp_path / "replay.html")])
    assert CHANGED in invoked.output


def test_a_comparison_marks_the_run_that_was_changed(folder: Path, stored: Path, marked: Result) -> None:
    found = compare(Result.load(stored), marked, 0.0)
    assert found.to_json()["discrepancies"]["a"] == []
    assert CHANGED in found.to_json()["discrepancies"]["b"]
    name = next(name for name, one in found.channels.items() if one.unit == "N")
    assert MARK in comparison_figure(found, "N", [name])._suptitle.get_text().replace("\n", " ")  # type: ignore[attr-defined]
    printed = CliRunner().invoke(app, ["compare", str(stored), str(folder), "--offset", "0"]).output
    assert f"B: Not verified: {CHANGED}" in printed
    assert "A: Not verified" not in printed


def test_the_list_of_runs_of_the_studio_marks_a_change(stored: Path, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(stored, tmp_path / "studio" / "runs" / "genuine")
    write(folder, divide(read(folder)))
    shutil.copytree(folder, tmp_path / "studio" / "runs" / "changed")
    headers = tasks.read_run_headers(
        Folder(tmp_path / "studio"), lambda stage: None, runs=["genuine", "changed"]
    )
    assert {run: header["digest"] for run, header in headers.items()} == {
        "genuine": "agrees",
        "changed": CHANGED,
    }


def test_a_genuine_run_has_no_marks(stored: Path) -> None:
    result = Result.load(stored)
    for text in (result.summary(), repr(result), run_report(result), player_html(scene(result))):
        assert "ot verified" not in text
    assert run_summary.verdict_html(summarise_result(result)).startswith('<div class="verdict">')


def without_digest(document: Document) -> Document:
    return {key: value for key, value in document.items() if key != "digest"}


@pytest.mark.parametrize(
    ("change", "code"),
    [(dict, 0), (divide, 3), (lambda document: forge(divide(document)), 3), (without_digest, 4)],
)
def test_verify_exits_with_the_code_of_what_it_found(
    folder: Path, change: Callable[[Document], Document], code: int
) -> None:
    write(folder, change(read(folder)))
    assert CliRunner().invoke(app, ["verify", str(folder)]).exit_code == code


def test_verify_prints_its_checks_as_json(folder: Path) -> None:
    found = json.loads(CliRunner().invoke(app, ["verify", str(folder), "--json"]).stdout)
    assert found["kind"] == "run"
    assert found["counts"] == {"agrees": len(found["checks"])}
    assert found["checks"][0].keys() == {"name", "agreement", "stored", "found", "unit", "text"}


def test_a_new_run_reproduces_a_stored_one_and_finds_what_the_history_does_not_show(tmp_path: Path) -> None:
    softdock.simulate("latch-paper").save(tmp_path)
    assert CliRunner().invoke(app, ["verify", str(tmp_path), "--rerun"]).exit_code == 0
    document = read(tmp_path)
    write(tmp_path, forge(with_value(document, ("metrics", "impulse"), document["metrics"]["impulse"] / 100)))
    assert CliRunner().invoke(app, ["verify", str(tmp_path)]).exit_code == 0
    again = CliRunner().invoke(app, ["verify", str(tmp_path), "--rerun"])
    assert again.exit_code == 3
    assert "metrics.impulse" in again.output
    scale_history(tmp_path / "history.parquet")
    digest = hashlib.sha256((tmp_path / "history.parquet").read_bytes()).hexdigest()
    write(tmp_path, forge({**document, "history_sha256": digest}))
    assert "another history" in CliRunner().invoke(app, ["verify", str(tmp_path), "--rerun"]).output


@pytest.mark.parametrize(
    ("name", "old", "new", "agrees"),
    [
        ("outcome", "latch-1", "latch-2", False),
        ("events.0.name", "latch-1", "latch-2", False),
        ("loads.3.name", "port 1", "port 2", False),
        ("events.0.message", "Opens at 1.0001 s.", "Opens at 1.0002 s.", True),
        ("warnings.11", "By 0.12 %.", "By 0.13 %.", True),
        ("requirements.2.value", "axial_speed 0.03 m/s", "axial_speed 0.031 m/s", True),
        ("metrics.force", 100.0, 100.01, True),
        ("metrics.force", "abc", 100.0, False),
        ("metrics.force", 100.0, None, False),
    ],
)
def test_a_new_run_agrees_in_sentences_without_their_numbers_and_in_whole_names(
    name: str, old: Any, new: Any, agrees: bool
) -> None:
    assert _close(name, old, new) is agrees


def test_a_new_run_names_a_text_in_place_of_a_number(tmp_path: Path) -> None:
    softdock.simulate("latch-paper").save(tmp_path)
    write(tmp_path, forge(with_value(read(tmp_path), ("metrics", "impulse"), "abc")))
    invoked = CliRunner().invoke(app, ["verify", str(tmp_path), "--rerun"])
    assert invoked.exit_code == 3, invoked.exception
    assert "metrics.impulse: abc is stored" in invoked.output


def test_a_metric_of_the_scenario_may_have_the_name_of_a_peak(tmp_path: Path) -> None:
    slide = {"mass": 4.0, "inertia": [4.0, 4.0, 4.0], "joint": {"type": "prismatic", "speed": 0.1}}
    data = {
        "softdock": 1, "kind": "multibody", "duration": 0.3, "bodies": {"slide": slide},
        "springs": {"buffer": {"joint": "slide", "stiffness": 500.0}},
        "metrics": {"largest": "max buffer.deflection", "peak_deflection_buffer": "final buffer.deflection"},
    }  # fmt: skip
    result = softdock.simulate(data)
    assert result.metrics["peak_deflection_buffer"] < 0.9 * result.metrics["largest"]
    result.save(tmp_path)
    assert {check.agreement for check in verify_run(tmp_path)} <= {Agreement.AGREES, Agreement.NOT_RECORDED}


def test_a_peak_agrees_with_its_row_where_several_rows_of_one_instant_follow_each_other(folder: Path) -> None:
    """The history has the rows of one instant one after the other, 1.001 us apart."""
    document = read(folder)
    load = max(range(len(document["loads"])), key=lambda i: document["loads"][i]["peak_force"] or 0.0)
    path = ("loads", load, "t_peak_force")
    name = f"peak force of {document['loads'][load]['name']}"
    for shift in (1.001e-6, 3 * 1.001e-6):
        write(folder, forge(with_value(document, path, document["loads"][load]["t_peak_force"] - shift)))
        assert {check.name: check.agreement for check in verify_run(folder)}[name] is Agreement.AGREES


def test_the_digest_is_that_of_json_with_sorted_keys() -> None:
    text = '{"a":[1,2.5,null,"\N{GREEK SMALL LETTER MU}"],"b":{"c":true}}'
    assert (
        data_digest({"b": {"c": True}, "a": [1, 2.5, None, "\N{GREEK SMALL LETTER MU}"]})
        == hashlib.sha256(text.encode()).hexdigest()
    )
