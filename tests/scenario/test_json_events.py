"""JSON text gives the same data, lines and messages as the YAML parser."""

import pytest

from softdock.errors import InputError
from softdock.scenario import source
from softdock.scenario.json_events import NotJsonError, json_events
from softdock.scenario.loading import bundled_text

TEXTS = (
    "{}", "[]", '[1, -0, 1E5, 1.5e+3, true, null, "a"]', '{"a": [1, {"b": null}],\n\n "c": "\\ud83d\\ude00\\n\\/"}',
    '[[], {}]\n', '{"a": NaN, "b": -Infinity}', '{"a": "é"\n, "b": ""}', f"[{'9' * 500}]", '{"<<": 1}',
    # refused by the checks of files
    '{"a": 1, "a": 2}', '["\\ud83d"]', '["\\u0000"]', "[" * 45 + "]" * 45, "[" + "1," * 41_000 + "1]",
    # not JSON
    "", "1", "{", '{"a"', '{"a": 1', "[1,]", '{"a": 1,}', "[1 2]", '{"a" 1}', '{"a": 1} x', "[01]", "[-]", "[1.]",
    "{1: 2}", '{"a": 1]', '["\\x41"]', "[truex]", "[}", '{"a": }', "{,}", "[,]", '{:1}', '["a\nb"]', '["\x7f"]',
    '["\u2028"]', '{"a": 1}}', "[yes, ~, 'a', &b c, *b]", f'{{"{"k" * 1100}": 1}}',
)  # fmt: skip


def _read(text: str) -> object:
    source._compose.cache_clear()
    try:
        found = source.parse(text, file="a.json")
    except InputError as error:
        return str(error)
    return repr(found.data), found.locations


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_json_gives_the_same_result_as_the_yaml_parser(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> list[object]:
        raise NotJsonError

    found = _read(text)
    monkeypatch.setattr(source, "json_events", refuse)
    assert found == _read(text)


def test_text_that_is_not_json_is_rejected() -> None:
    for text in ("a: 1", bundled_text("impact-a")[0], "[1,]", '["a\tb"]', "'a'"):
        with pytest.raises(NotJsonError):
            list(json_events(text))


def test_a_line_break_before_a_colon_is_accepted() -> None:
    assert source.parse('{"a"\n: 1}').data == {"a": 1}
