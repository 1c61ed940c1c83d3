"""Loading of logs as results, and error messages with file and line."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import softdock
from softdock.errors import InputError
from softdock.recording import load, load_run
from softdock.result import Result

MAPPING = """\
softdock: 1
kind: recording
title: bench 3
file: log.csv
time: {column: t, unit: ms, offset: 0.5 s}
columns:
  A1: {channel: a1.position, unit: deg}
  T1: {channel: a1.torque, unit: N*m, scale: -1, offset: 2}
  n: {channel: count}
"""
LOG = "# made by hand\nt, A1, T1, other, n\n0, 0, 1, x, 1\n10, 90, 3, y, 2\n20, , 5, z, 3\n"


def write(folder: Path, mapping: str = MAPPING, log: str = LOG, name: str = "log.csv") -> Path:
    (folder / name).write_text(log, encoding="utf-8")
    path = folder / "map.yaml"
    path.write_text(mapping, encoding="utf-8")
    return path


def test_a_csv_log_is_converted_to_si(tmp_path: Path) -> None:
    result = load(write(tmp_path))
    assert result.scenario == "bench 3"
    assert result.outcome == "recorded"
    assert result.message == "A recording of 0.02 s: 3 channels, 3 rows."
    np.testing.assert_allclose(result.history.time, [0.5, 0.51, 0.52])
    np.testing.assert_allclose(result.history["a1.position"], [0.0, np.pi / 2, np.nan])
    np.testing.assert_allclose(result.history["a1.torque"], [1.0, -1.0, -3.0])
    units = {name: channel.unit for name, channel in result.history.channels.items()}
    assert units == {"a1.position": "rad", "a1.torque": "N*m", "count": "1"}


def test_a_recording_can_be_plotted_and_saved(tmp_path: Path) -> None:
    result = load(write(tmp_path))
    result.save(tmp_path / "kept")
    again = load_run(tmp_path / "kept")
    assert isinstance(again, Result)
    np.testing.assert_array_equal(again.history["a1.position"], result.history["a1.position"])
    assert again.definition["columns"]["A1"]["unit"] == "deg"
    assert "recorded" in result.summary()
    result.plot(tmp_path / "picture.png")


def test_a_parquet_log_is_loaded(tmp_path: Path) -> None:
    columns = {"t": [0, 1, 2], "A1": [0.0, None, 180.0], "T1": [0.0, 0.0, 0.0], "n": [1, 2, 3]}
    pq.write_table(pa.table(columns), tmp_path / "log.parquet")
    path = write(tmp_path, MAPPING.replace("log.csv", "log.parquet"))
    np.testing.assert_allclose(load(path).history["a1.position"], [0.0, np.nan, np.pi])


def test_semicolons_decimal_commas_and_clock_origins_are_supported(tmp_path: Path) -> None:
    mapping = MAPPING.replace("unit: ms, offset: 0.5 s", "unit: s, from_first: true")
    path = write(
        tmp_path, mapping + 'delimiter: ";"\ndecimal: ","\n', LOG.replace(", ", ";").replace("90", "1,5e1")
    )
    result = load(path)
    assert result.history.time[0] == 0.0
    assert result.history["a1.position"][1] == pytest.approx(np.radians(15.0))


@pytest.mark.parametrize(
    ("change", "log", "message"),
    [
        (("A1:", "A2:"), LOG, r"log.csv:2: The log has no column 'A2'. It has: t, A1, T1, other, n."),
        (("deg", "dgr"), LOG, r"map.yaml:7: columns.A1.unit: The unit has the unknown unit 'dgr'"),
        (("unit: ms", "unit: mm"), LOG, r"map.yaml:5: time.unit: Must be a unit of time"),
        (("kind: recording", "kind: chain"), LOG, r"map.yaml:2: kind: Must be 'recording'. Given: chain."),
        (("count", "a1.torque"), LOG, r"columns: Must have different channels; 'a1.torque' is given twice"),
        (("count", "time"), LOG, r"columns.n.channel: Must not be 'time'"),
        (("title", "titel"), LOG, r"map.yaml:3: titel: The key 'titel' is not known here. Did you mean 'title'\?"),
        (("log.csv", "gone.csv"), LOG, r"gone.csv: Cannot read it: it does not exist."),
        (("log.csv", "log.xls"), LOG, r"The file name of a log must end in .parquet"),
        (("", ""), LOG.replace("90", "ninety"), r"log.csv:4: The column 'A1' needs a number. Given: ninety."),
        (("", ""), LOG.replace("10, 90, 3, y, 2", "10, 90, 3"), r"log.csv:4: The line has 3 columns; 'n' is number 5."),
        (("", ""), LOG.replace("\n20", "\n5"), r"log.csv:5: The time .* decreases in row 3. Given: 5 after 10."),
        (("", ""), LOG.replace("\n20", "\n"), r"log.csv:5: The time in column 't' is missing or not finite in row 3."),
        (("", ""), LOG.replace("other", "A1"), r"log.csv:2: The log has several columns called 'A1'."),
        (("", ""), LOG.replace("10, 90, 3", "10, inf, 3"), r"log.csv:4: The column 'A1' is infinite in row 2"),
        (("", ""), "", r"log.csv: The log is empty"),
        (("", ""), "t,A1,T1,n\n0,1,2,3\n", r"log.csv: The log has fewer than two rows."),
    ],
    ids=range(17),
)  # fmt: skip
def test_errors_are_reported(tmp_path: Path, change: tuple[str, str], log: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(write(tmp_path, MAPPING.replace(*change) if change[0] else MAPPING, log))


def test_an_invalid_parquet_file_is_rejected(tmp_path: Path) -> None:
    path = write(tmp_path, MAPPING.replace("log.csv", "log.parquet"), LOG, "log.parquet")
    with pytest.raises(InputError, match="not a Parquet file"):
        load(path)


def test_text_instead_of_numbers_in_parquet_is_rejected(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"t": [0, 1], "A1": ["a", "b"], "T1": [0, 0], "n": [0, 0]}), tmp_path / "log.parquet"
    )
    with pytest.raises(InputError, match="column 'A1' holds string, not numbers"):
        load(write(tmp_path, MAPPING.replace("log.csv", "log.parquet")))


def test_a_log_without_a_mapping_file_is_rejected(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(InputError, match="needs a mapping file"):
        load_run(tmp_path / "log.csv")


def test_a_mapping_file_is_not_accepted_as_scenario(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="A recording is compared by: softdock compare RUN FILE"):
        softdock.load(write(tmp_path))
