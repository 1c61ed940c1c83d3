"""Saving, loading and plotting of results; a failed save leaves no incomplete files."""

import errno
import hashlib
import io
import json
import math
import os
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softdock.errors import InputError
from softdock.presentation.colours import SERIES
from softdock.result import Audit, Channel, History, Result, RunEvent, Timing, plain_data


def make_result(channels: int = 3, scenario: str = "example", **changes: object) -> Result:
    time = np.linspace(0.0, 2.0, 101)
    units = ("m/s", "m", "N", "1", "rad/s")
    recorded = {
        f"body{i}.quantity": Channel(values=np.sin(time + i), unit=units[i % len(units)])
        for i in range(channels)
    }
    arguments = {
        "scenario": scenario,
        "outcome": "separated",
        "message": "The two systems separated after one impact.",
        "metrics": {"relative_velocity_after": 0.0402, "impacts": np.int64(1), "regime": "bounce"},
        "units": {"relative_velocity_after": "m/s"},
        "audit": Audit(linear_momentum_drift=1e-16, angular_momentum_drift=None, energy_residual=2e-15),
        "timing": Timing(simulated_s=2.0, wall_s=0.001, steps=7, evaluations=40),
        "history": History(time=time, channels=recorded),
        "events": (
            RunEvent(time=0.5, name="contact_begin"),
            RunEvent(time=0.7, name="contact_end", message="It let go."),
        ),
        "prediction": {"relative_velocity_after": 0.041},
        "definition": {"softdock": 1, "name": scenario},
    }
    return Result(**(arguments | changes))  # type: ignore[arg-type]


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_loaded_result_equals_the_saved_one(tmp_path: Path) -> None:
    result = make_result()
    result.save(tmp_path / "new" / "folder")
    loaded = Result.load(tmp_path / "new" / "folder")
    assert loaded.to_json() == result.to_json()
    assert loaded.events == result.events
    assert loaded.definition == result.definition
    assert np.array_equal(loaded.history.time, result.history.time)
    for name, channel in result.history.channels.items():
        assert np.array_equal(loaded.history[name], channel.values)
        assert loaded.history.channels[name].unit == channel.unit


def test_saving_leaves_two_files_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        make_result().save(tmp_path / folder)
        assert files_in(tmp_path / folder) == ["history.parquet", "result.json"]
    for file in ("history.parquet", "result.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_history_is_a_plain_parquet_table_with_units(tmp_path: Path) -> None:
    make_result().save(tmp_path)
    file = pq.ParquetFile(tmp_path / "history.parquet")
    assert file.schema_arrow.names == ["time", "body0.quantity", "body1.quantity", "body2.quantity"]
    assert file.schema_arrow.field("time").metadata[b"unit"] == b"s"
    assert file.schema_arrow.field("body0.quantity").metadata[b"unit"] == b"m/s"
    column = file.metadata.row_group(0).column(1)
    assert column.compression == "ZSTD"
    assert "BYTE_STREAM_SPLIT" in column.encodings


def test_numbers_that_are_not_finite_become_null(tmp_path: Path) -> None:
    metrics = {"nan": float("nan"), "list": [np.float64(np.inf), 1.0], "array": np.array([1.0, -np.inf])}
    make_result(metrics=metrics).save(tmp_path)
    text = (tmp_path / "result.json").read_text(encoding="utf-8")
    saved = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert saved["metrics"] == {"nan": None, "list": [None, 1.0], "array": [1.0, None]}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_plain_data_is_always_json(value: object) -> None:
    json.dumps(plain_data(value), allow_nan=False)


def test_saving_replaces_an_earlier_run_in_the_folder(tmp_path: Path) -> None:
    make_result(scenario="first").save(tmp_path)
    make_result(scenario="second", channels=5).save(tmp_path)
    loaded = Result.load(tmp_path)
    assert loaded.scenario == "second"
    assert len(loaded.history.channels) == 5


@pytest.mark.parametrize("broken", [(os, "open"), (os, "fsync")], ids=["open", "fsync"])
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EROFS, "the file system is read-only"),
        (errno.EACCES, "permission is denied"),
    ],
)
def test_a_failed_save_keeps_the_old_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: tuple[object, str], code: int, reason: str
) -> None:
    make_result(scenario="first").save(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(*broken, refuse)
    with pytest.raises(InputError, match=f"Cannot write it: {reason}"):
        make_result(scenario="second").save(tmp_path)
    monkeypatch.undo()
    assert Result.load(tmp_path).scenario == "first"
    assert files_in(tmp_path) == ["history.parquet", "result.json"]


def test_files_of_different_saves_are_refused(tmp_path: Path) -> None:
    make_result(scenario="first").save(tmp_path / "a")
    make_result(scenario="second", channels=1).save(tmp_path / "b")
    (tmp_path / "b" / "history.parquet").replace(tmp_path / "a" / "history.parquet")
    with pytest.raises(InputError, match="does not belong"):
        Result.load(tmp_path / "a")


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(InputError, match="taken: Cannot write it"):
        make_result().save(tmp_path / "taken")
    with pytest.raises(InputError, match="a part of the path is a file"):
        make_result().save(tmp_path / "taken" / "below")
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("result.json", None, "Cannot read it: it does not exist"),
        ("history.parquet", None, "Cannot read it: it does not exist"),
        ("result.json", b"", "not the JSON that Softdock writes"),
        ("result.json", b'{"softdock_result": 1, "scen', "not the JSON that Softdock writes"),
        ("result.json", b"\xff\xfe\x00", "not the JSON that Softdock writes"),
        ("result.json", b"[" * 100_000, "not the JSON that Softdock writes"),
        ("result.json", b"[1, 2]", "not a result of Softdock"),
        ("result.json", b"{}", "not a result of Softdock"),
        ("result.json", b'{"softdock_result": 999}', "newer Softdock"),
        ("history.parquet", b"PAR1", "does not belong"),
    ],
)
def test_missing_damaged_and_newer_files_are_named(
    tmp_path: Path, file: str, content: bytes | None, message: str
) -> None:
    make_result().save(tmp_path)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        Result.load(tmp_path)
    assert str(tmp_path / file) in str(caught.value)


def parquet(columns: dict[str, list[object]]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("history", "message"),
    [
        (b"PAR1", "damaged, or it is not a Parquet file"),
        (
            parquet({"time": [0.0, 1.0]})[:-20] + b"x" * 12 + b"PAR1" * 2,
            "damaged, or it is not a Parquet file",
        ),
        (parquet({"x": [0.0, 1.0]}), "needs a column 'time'"),
        (parquet({"time": [0.0, math.nan]}), "needs a column 'time' of finite numbers"),
        (parquet({"time": [0.0, 1.0], "x": ["a", "b"]}), "column 'x' holds string, not numbers"),
    ],
)
def test_a_damaged_history_with_the_right_digest_is_named(
    tmp_path: Path, history: bytes, message: str
) -> None:
    make_result().save(tmp_path)
    (tmp_path / "history.parquet").write_bytes(history)
    path = tmp_path / "result.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["history_sha256"] = hashlib.sha256(history).hexdigest()
    path.write_text(json.dumps(document), encoding="utf-8")
    for _ in range(2):  # in a child process, and with the entry of the cache
        with pytest.raises(InputError, match=message) as caught:
            Result.load(tmp_path)
        assert caught.value.problems[0].file == str(tmp_path / "history.parquet")


@pytest.mark.parametrize("key", ["scenario", "outcome", "audit", "timing", "events", "definition", "metrics"])
def test_a_result_with_parts_missing_is_refused(tmp_path: Path, key: str) -> None:
    make_result().save(tmp_path)
    path = tmp_path / "result.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    del document[key]
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match="Parts of the result are missing"):
        Result.load(tmp_path)


def test_plot_has_four_panels_with_labels_and_events() -> None:
    result = make_result(channels=30)
    figure = result.plot()
    panels = figure.axes
    assert len(panels) == 4
    assert sum(len(ax.get_legend().get_texts()) for ax in panels) == 24
    assert all("[" in ax.get_ylabel() for ax in panels)
    assert panels[-1].get_xlabel() == "time [s]"
    assert result.message in " ".join(figure.get_suptitle().split())
    marked = {line.get_xdata()[0] for line in panels[0].lines[6:]}
    assert marked == {event.time for event in result.events}


def test_lines_of_one_panel_have_different_styles() -> None:
    time = np.linspace(0.0, 1.0, 5)
    channels = {f"joint{i}.angle": Channel(values=time + i, unit="rad") for i in range(24)}
    result = make_result(history=History(time=time, channels=channels), events=())
    drawn = io.StringIO()
    result.plot(channels=list(channels)).savefig(drawn, format="svg")
    styles = re.findall(r'style="(fill: none; [^"]*stroke: (#\w{6})[^"]*)"', drawn.getvalue())
    assert len({style for style, colour in styles if colour.upper() in SERIES}) == 24


def test_a_panel_with_many_channels_shows_those_that_change_most() -> None:
    time = np.linspace(0.0, 1.0, 5)
    channels = {f"joint{i}.angle": Channel(values=i % 7 * time, unit="rad") for i in range(200)}
    panel = make_result(history=History(time=time, channels=channels), events=()).plot().axes[0]
    assert len(panel.lines) <= 12
    # 29 of the 200 channels are constant.
    assert panel.get_legend().get_title().get_text() == f"{len(panel.lines)} of 171"
    assert all(np.ptp(line.get_ydata()) == pytest.approx(np.degrees(6.0)) for line in panel.lines)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "PNG"])
def test_plot_saves_by_suffix(tmp_path: Path, suffix: str) -> None:
    make_result().plot(tmp_path / f"plot.{suffix}")
    assert files_in(tmp_path) == [f"plot.{suffix}"]


def test_plot_of_chosen_channels() -> None:
    figure = make_result(channels=12).plot(channels=["body1", "body11.quantity"])
    names = {text.get_text() for ax in figure.axes for text in ax.get_legend().get_texts()}
    assert names == {"body1.quantity", "body11.quantity"}


def test_plot_refuses_what_it_cannot_draw(tmp_path: Path) -> None:
    result = make_result()
    with pytest.raises(InputError, match=r"no such channel. Given: body0.quantty. .*body0.quantity"):
        result.plot(channels=["body0.quantty"])
    with pytest.raises(InputError, match=r"ends in \.png, \.svg, \.pdf"):
        result.plot(tmp_path / "plot.docx")
    with pytest.raises(InputError, match="no recorded channels"):
        make_result(channels=0).plot()
    assert not list(tmp_path.iterdir())


def test_summary_shows_simulation_beside_prediction() -> None:
    lines = make_result().summary().splitlines()
    assert lines[:2] == ["example: separated", "The two systems separated after one impact."]
    assert "relative velocity after 40.2 41 mm/s" in [" ".join(line.split()) for line in lines]
    assert (
        "Conservation check passed (largest relative errors: linear momentum 1.0e-16, energy 2.0e-15)"
        in lines
    )
    assert lines[-1].startswith("Timing: 2 s simulated in 1 ms, 2000 times faster than real time; 7 steps")
    assert "nan" not in make_result(metrics={"unknown": float("nan")}).summary()
