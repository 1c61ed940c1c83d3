"""Events of JSON text in the form of those of the YAML parser, which takes some five times as long."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ruamel.yaml.events import (
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

_TOKEN = re.compile(
    r"""(?P<space>[ \r\n]*)(?:(?P<mark>[][{},:])"""
    r"""|"(?P<text>(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)\""""
    r"""|(?P<plain>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null|NaN|-?Infinity)"""
    r"""(?=[] \r\n,}]))"""
)
_OTHER_IN_YAML = re.compile(
    "[^\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""Characters that YAML refuses or reads as line breaks."""
_LONGEST_KEY = 1000
"""Characters; YAML has a limit of 1024 with quotes and escapes."""
_CLOSING = {"{": "}", "[": "]"}


class NotJsonError(ValueError):
    """The text is not JSON, or YAML reads it in another way."""


@dataclass(slots=True)
class _Mark:
    """Place of an event."""

    line: int
    """Counted from 0."""


def json_events(text: str) -> Iterator[Event]:
    """Yield the events of an object or a list in JSON; raises NotJsonError, also after some events."""
    if text[:1] not in _CLOSING or _OTHER_IN_YAML.search(text):
        raise NotJsonError
    yield DocumentStartEvent(_Mark(0), _Mark(0))
    yield from _Reader(text).events()


class _Reader:
    """Reads tokens by the grammar of JSON (RFC 8259)."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position, self._mark = 0, _Mark(0)
        self._open: list[str] = []

    def events(self) -> Iterator[Event]:
        """Yield the events of the value and check that nothing follows it."""
        allowed = "value"
        while allowed:
            found = _TOKEN.match(self._text, self._position)
            if found is None:
                raise NotJsonError
            self._position = found.end()
            if breaks := found["space"].count("\n"):
                self._mark = _Mark(self._mark.line + breaks)
            if found["mark"] is None:
                yield self._scalar(found, allowed)
                allowed = "colon" if "key" in allowed else "next"
            elif found["mark"] in _CLOSING:
                yield self._begin(found["mark"], allowed)
                allowed = "first key" if found["mark"] == "{" else "first value"
            elif found["mark"] in "}]":
                yield self._end(found["mark"], allowed)
                allowed = "next" if self._open else ""
            else:
                allowed = self._after(found["mark"], allowed)
        if self._text[self._position :].strip(" \r\n"):
            raise NotJsonError

    def _scalar(self, found: re.Match[str], allowed: str) -> Event:
        text, mark = found["text"], self._mark
        if text is None:
            if "value" not in allowed:
                raise NotJsonError
            return ScalarEvent(None, None, (True, False), found["plain"], mark, mark)
        if "key" not in allowed and "value" not in allowed:
            raise NotJsonError
        if "key" in allowed and len(text) > _LONGEST_KEY:
            raise NotJsonError
        value = json.loads(f'"{text}"') if "\\" in text else text
        return ScalarEvent(None, None, (False, True), value, mark, mark, style='"')

    def _begin(self, opening: str, allowed: str) -> Event:
        if "value" not in allowed:
            raise NotJsonError
        self._open.append(opening)
        kind = MappingStartEvent if opening == "{" else SequenceStartEvent
        return kind(None, None, True, self._mark, self._mark, flow_style=True)

    def _end(self, closing: str, allowed: str) -> Event:
        if not self._open or _CLOSING[self._open.pop()] != closing:
            raise NotJsonError
        if allowed != "next" and allowed != ("first key" if closing == "}" else "first value"):
            raise NotJsonError
        return (MappingEndEvent if closing == "}" else SequenceEndEvent)(self._mark, self._mark)

    def _after(self, mark: str, allowed: str) -> str:
        """Return what may follow a colon or a comma."""
        if mark == ":" and allowed == "colon":
            return "value"
        if mark == "," and allowed == "next":
            return "key" if self._open[-1] == "{" else "value"
        raise NotJsonError
