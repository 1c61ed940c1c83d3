"""Reading of YAML and JSON files: values, lines, and files that are refused."""

import json
import os
import textwrap
from pathlib import Path

import pytest
from toy_scenario import VALID

from softdock.errors import InputError
from softdock.scenario.source import DEEPEST, LARGEST_FILE, parse, read_file


def problem(text, **options):
    with pytest.raises(InputError) as refusal:
        parse(textwrap.dedent(text), file="f.yaml", **options)
    (only,) = refusal.value.problems
    return only


def file_problem(path):
    with pytest.raises(InputError) as refusal:
        read_file(path)
    (only,) = refusal.value.problems
    return only


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000.0), ("no", "no"), ("on", "on"), ("yes", "yes"), ("true", True), ("False", False),
        ("~", None), ("", None), ("null", None), ("0x1F", 31), ("0o17", 15), ("017", 17), ("-5", -5),
        ("+.5", 0.5), ("5.", 5.0), ("1_000", "1_000"), ("12:30", "12:30"), ("2026-01-01", "2026-01-01"),
        (".inf", float("inf")), ("-.INF", -float("inf")), ("'5'", "5"), ('"true"', "true"),
        ("12.7 mm", "12.7 mm"), ("=", "="), ("1e", "1e"),
    ],
)  # fmt: skip
def test_scalars_follow_the_core_schema(text, value):
    data = parse(f"key: {text}\n").data["key"]
    assert data == value
    assert type(data) is type(value)


def test_very_long_numbers_are_read():
    assert parse("9" * 5000).data == float("inf")
    assert isinstance(parse("0x" + "F" * 5000).data, str)


def test_every_value_has_its_line():
    source = parse("a:\n  b: 1\n  c:\n    - 2\n    - d: 3\n      e: {f: 4}\n", file="f.yaml")
    lines = {
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "c"): 3,
        ("a", "c", 0): 4,
        ("a", "c", 1, "d"): 5,
        ("a", "c", 1, "e", "f"): 6,
    }
    assert {place: source.where(place).line for place in lines} == lines
    assert source.where(("a", "c", 0)).text == "2"
    assert source.where(("a", "nothing", "here")).line == 1


def test_json_is_read():
    assert parse('{"a": [1, 2.5, "x", true, null], "b": {"c": 1e-3}}').data == {
        "a": [1, 2.5, "x", True, None],
        "b": {"c": 0.001},
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"a"\n: 1, "b" \r\n\n\t: {"c": "\\n\\":", "d": "e"}}',
        '{"a": [1, {"b": null}], "c": "\\/"}',
        "[[], {}]\n",
    ],
)
def test_json_gives_the_same_data_as_the_json_module(text):
    assert parse(text).data == json.loads(text)


def test_a_key_has_its_line_if_its_colon_is_in_the_next_one():
    lines = parse('{"a"\n: 1,\n"b": 2}').locations
    assert [lines[key,].line for key in "ab"] == [1, 3]


def test_aliases_are_copies_with_lines_of_their_own():
    source = parse("a: &side {mass: 5}\nb: *side\n")
    assert source.data["a"] == source.data["b"]
    assert source.data["a"] is not source.data["b"]
    assert source.where(("b",)).line == 2


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "given twice, in lines 1 and 3"),
        ("a: {x: 1, x: 2}\n", 1, "given twice"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", 3, "Merge keys"),
        ("a: &x\n  b: *x\n", 2, "inside its own anchor"),
        ("a: *x\n", 1, "no anchor"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, "tag"),
        ("a: 1\nb: !thing 5\n", 2, "tag"),
        ("? [1, 2]\n: 3\n", 1, "key must be a text"),
        ("a: 1\n---\nb: 2\n", 2, "more than one document"),
        ("a: [1, 2\n", 2, "ends too early"),
        ("a: 1\nb: 'open\n", 3, "ends too early"),
        ("a: 1\n  b: 2\n", 2, "not YAML"),
        ("a:\n\t- 1\n", 2, "There is a tab in column 1: indent and separate with spaces."),
        ("a:\n  b: 1\n \tc: 2\n", 3, "There is a tab in column 2"),
        ("a: 1\nb: \x07\n", 2, "U+0007"),
        ('a: "\\UFFFFFFFF"\n', 1, "not YAML"),
        ("a: " + "[" * (DEEPEST + 1), 1, "nested deeper"),
    ],
)  # fmt: skip
def test_text_that_is_not_plain_yaml_is_refused_with_its_line(text, line, part):
    found = problem(text)
    assert part in found.message
    assert (found.file, found.line) == ("f.yaml", line)


def test_aliases_have_the_same_limit_of_depth_as_text():
    text = "a0: &a0 [[[[[[[[[[1]]]]]]]]]]\n"
    text += "".join(f"a{i}: &a{i} [[[[[[[[[[*a{i - 1}]]]]]]]]]]\n" for i in range(1, 6))
    assert "nested deeper" in problem(text).message


def test_aliases_that_expand_exponentially_are_refused():
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10))
    assert "aliases" in problem(bomb).message


def test_a_missing_file_is_refused(tmp_path):
    assert file_problem(tmp_path / "none.yaml").message == "There is no such file."


def test_a_directory_is_refused(tmp_path):
    assert "directory" in file_problem(tmp_path).message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX")
def test_a_named_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "named pipe" in file_problem(tmp_path / "pipe.yaml").message


@pytest.mark.parametrize("path", ["x" * 5000 + ".yaml", "null\0byte.yaml"])
def test_invalid_file_names_are_refused(path):
    assert "cannot be read" in file_problem(Path(path)).message


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_file_without_permission_is_refused(write):
    path = write(VALID)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert "no permission" in file_problem(path).message


def test_a_permission_error_is_reported_for_any_user(write, monkeypatch):
    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied")

    path = write(VALID)
    monkeypatch.setattr(Path, "open", refuse)
    assert "no permission" in file_problem(path).message


def test_a_file_above_the_size_limit_is_refused(write):
    found = file_problem(write(VALID + "# " + "x" * 10_000_000))
    assert f"larger than {LARGEST_FILE / 1e6:g} MB" in found.message


def test_a_file_that_is_not_utf_8_is_refused(write):
    found = file_problem(write(VALID.encode() + b"description: caf\xe9\n"))
    assert "UTF-8" in found.message
    assert found.line == VALID.count("\n") + 1
    assert "UTF-8" in file_problem(write(VALID.encode("utf-16"))).message


def test_a_byte_order_mark_is_accepted(write):
    assert read_file(write(b"\xef\xbb\xbf" + VALID.encode())).data["kind"] == "toy"


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("", None, "empty"),
        ("# only a comment\n", None, "empty"),
        ("- 1\n- 2\n", 1, "not a mapping"),
        ("just a text\n", 1, "not a mapping"),
        ("{}\n", 1, "'softdock: 1'"),
        ("\nkind: toy\nsoftdock: 1\n", 2, "first key"),
        ("softdock: 2\nkind: toy\n", 1, "newer Softdock"),
        ("softdock: 0\n", 1, "Must be 1"),
        ("softdock: true\n", 1, "Must be 1"),
        ("softdock: '1'\n", 1, "Must be 1"),
        ("softdock: 1.0\n", 1, "Must be 1"),
    ],
)
def test_files_that_are_not_scenarios_are_refused(write, text, line, part):
    found = file_problem(write(text))
    assert part in found.message
    assert found.line == line


def test_escaped_characters_of_json_are_decoded_or_refused() -> None:
    assert parse(r'{"softdock": 1, "title": "\ud83d\ude00"}').data["title"] == "\N{GRINNING FACE}"
    for escaped, words in ((r"\ud83d", r"one half of a character \(\\ud83d"), (r"\u0000", "null character")):
        with pytest.raises(InputError, match=words) as caught:
            parse('{"softdock": 1,\n"base": "' + escaped + '"}', file="a.json")
        assert (caught.value.problems[0].file, caught.value.problems[0].line) == ("a.json", 2)
