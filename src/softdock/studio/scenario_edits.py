"""Text of a scenario parsed once, edits of it that keep comments and layout, and differences between scenarios."""

import copy
import functools
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.tag import Tag

from softdock.errors import InputError, Problem
from softdock.scenario.source import LARGEST_FILE, Source, parse, parse_with_events, resolve

MOST_SHOWN = 200  # differences
_NO_FOLD = re.compile(r"(?<!\S)\a|\a(?! \S)")
"""Marks of line breaks in folded texts that ruamel.yaml cannot write: all but those between two words."""


@dataclass(frozen=True)
class Document:
    """Text of a scenario file, parsed once."""

    source: Source
    """Data of the text without those of its base, with their lines."""
    events: tuple[Event, ...]
    """What the parser has read, with comments and layout: a changed text is written from it.

    Empty where ruamel.yaml cannot keep the comments.
    """

    def with_value(self, path: str, value: str, whole: Any = None) -> str:
        """Return the text with the value at a dotted path replaced or added; an empty value deletes the key.

        `whole` has the data with those of the base. A list that only the base has is copied before one of its entries
        is changed, because merging replaces whole lists.
        """
        if not self.events:
            raise InputError("The text has comments in places where they would be lost; edit it as text.")
        edit = _Edit(self.events)
        keys = path.split(".")
        for key, entries in _lists_of_base(self.source.data, whole, keys):
            edit.put(key, list(_write(entries)))
        edit.put(path, _read_value(value))
        return edit.text()


@functools.lru_cache(maxsize=1)  # an edit starts from the text that was checked last
def parse_document(text: str, file: str = "", directory: Path | None = None) -> Document:
    """Parse the text of a scenario file; raises InputError where it is none."""
    if len(text) > LARGEST_FILE:
        raise InputError("The text is larger than 1 MB.")
    try:
        return Document(*parse_with_events(text, file=file, directory=directory))
    except (
        InputError
    ):  # the parser of comments refuses a few texts, with other messages than `softdock validate`
        return Document(parse(text, file=file, directory=directory), ())


class _Edit:
    """Events of a text while it is changed; a value is the events from its first to its last one."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        self._events: list[Any] = list(_writable(events))

    def text(self) -> str:
        """Return the changed text."""
        yaml = YAML(typ="rt")
        yaml.width = 4096
        yaml.indent(mapping=2, sequence=4, offset=2)
        out = io.StringIO()
        yaml.emit(self._events, out)
        return out.getvalue()

    def put(self, path: str, value: list[Event]) -> None:
        """Replace or add the value at a dotted path; an empty value deletes its key."""
        *above, last = path.split(".")
        here = next((i for i, event in enumerate(self._events) if isinstance(event, NodeEvent)), 0)
        if not isinstance(self._events[here], MappingStartEvent):
            raise InputError("The text is not a mapping of keys to values.")
        for key in above:
            here = self._descend(here, key, path)
        at = self._find(here, last)
        if isinstance(self._events[here], SequenceStartEvent):
            if at is None:
                raise InputError(Problem(message="There is no such entry.", field=path))
            self._replace(at, value or list(_write(None)))
        elif at is None:
            self._insert(here, last, value)
        elif value:
            self._replace(at, value)
        else:
            del self._events[at - 1 : self._release(at)]

    def _descend(self, here: int, key: str, path: str) -> int:
        """Return the start of the collection at a key of another one; add it where it is missing."""
        at = self._find(here, key)
        if at is None:
            if isinstance(self._events[here], SequenceStartEvent):
                raise InputError(Problem(message="There is no such entry.", field=path))
            at = self._insert(here, key, list(_write({})))
        event = self._events[at]
        if isinstance(event, ScalarEvent) and not event.style and resolve(event.value) is None:
            self._replace(at, list(_write({})))
        self._unshare(at)
        if not isinstance(self._events[at], CollectionStartEvent):
            raise InputError(Problem(message="The parent of this field is a single value.", field=path))
        return at

    def _find(self, here: int, key: str) -> int | None:
        """Return the start of the value at a key or index of the collection that starts here."""
        is_list = isinstance(self._events[here], SequenceStartEvent)
        at, count = here + 1, 0
        while not isinstance(self._events[at], CollectionEndEvent):
            value = at if is_list else at + 1
            if key == (str(count) if is_list else self._events[at].value):
                return value
            at, count = self._end(value), count + 1
        return None

    def _end(self, start: int) -> int:
        """Return the index after the last event of the value that starts here."""
        depth, at = 0, start
        while True:
            event = self._events[at]
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            at += 1
            if depth == 0:
                return at

    def _insert(self, here: int, key: str, value: list[Event]) -> int:
        """Add a value, if any, as the last one of the mapping that starts here; return its start."""
        end = self._end(here) - 1
        self._events[end:end] = [*_write(key), *value] if value else []
        return end + 1

    def _replace(self, at: int, value: list[Event]) -> None:
        """Replace a value; a comment beside a single value stays."""
        end, old = self._release(at), self._events[at]
        if isinstance(old, ScalarEvent) and isinstance(value[0], ScalarEvent):
            value[0].comment = old.comment
        self._events[at:end] = value

    def _release(self, start: int) -> int:
        """Make a value and all in it unshared, so that it can be removed; return its end."""
        at = start
        while at < self._end(start):
            self._unshare(at)
            at += 1
        return at

    def _unshare(self, at: int) -> None:
        """Make a value that is shared through an alias one of its own, so that only this one changes."""
        events, shared = self._events, self._events[at]
        if getattr(shared, "anchor", None) is None:
            return
        if isinstance(shared, AliasEvent):
            first = max(i for i in range(at) if _is_anchor(events[i], shared.anchor))
            events[at : at + 1] = _copy(events[first : self._end(first)])
            return
        own = events[at : self._end(at)]
        events[at] = _copy(own[:1])[0]
        events[at].comment = shared.comment
        for i in range(at + len(own), len(events)):
            if _is_anchor(events[i], shared.anchor):
                return
            if isinstance(events[i], AliasEvent) and events[i].anchor == shared.anchor:
                events[i : i + 1] = _copy(own)  # the next of those that share it has the anchor from now on
                events[i].anchor = shared.anchor
                return


def _writable(events: Sequence[Event]) -> Iterator[Event]:
    """Yield copies of the events of a parser that ruamel.yaml can write; it marks comments that it has written."""
    for original in events:
        event = copy.deepcopy(original) if original.comment else copy.copy(original)
        if isinstance(event, ScalarEvent):
            event.implicit = (True, True)  # no tag
            if not event.value:
                event.ctag = Tag(suffix=f"tag:yaml.org,2002:{'str' if event.style else 'null'}")
            elif event.style == ">":
                event.value = _NO_FOLD.sub("", event.value)
        yield event


def _is_anchor(event: Event, name: str) -> bool:
    return not isinstance(event, AliasEvent) and getattr(event, "anchor", None) == name


def _copy(events: Sequence[Event]) -> list[Event]:
    """Return events without comments and anchors; aliases remain."""
    copies = [copy.copy(event) for event in events]
    for event in copies:
        event.comment = None
        if isinstance(event, ScalarEvent | CollectionStartEvent):
            event.anchor = None
    return copies


def _read_value(value: str) -> list[Event]:
    """Return the events of a scalar, flow list or flow mapping; none for an empty text."""
    text = value.strip()
    if text[:1] in ("[", "{"):
        return list(_write(parse(text).data))
    return [ScalarEvent(None, None, (True, True), text)] if text else []


def _write(value: Any) -> Iterator[Event]:
    """Yield the events of plain data; lists are in flow style."""
    if isinstance(value, Mapping):
        yield MappingStartEvent(None, None, True, flow_style=False)
        for key, entry in value.items():
            yield from (*_write(key), *_write(entry))
        yield MappingEndEvent()
    elif isinstance(value, list):
        yield SequenceStartEvent(None, None, True, flow_style=True)
        for entry in value:
            yield from _write(entry)
        yield SequenceEndEvent()
    else:
        is_text = isinstance(value, str)
        quote = "'" if is_text and not isinstance(resolve(value), str) else None
        text = value if is_text else json.dumps(value)
        yield ScalarEvent(None, None, (quote is None, True), text, style=quote)


def _lists_of_base(own: Any, whole: Any, keys: list[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield path and entries of the list above these keys, if only the base has it."""
    for i, key in enumerate(keys[:-1]):
        if isinstance(whole, list):
            return
        whole = whole.get(key) if isinstance(whole, dict) else None
        own = own.get(key) if isinstance(own, dict) else None
        if isinstance(whole, list) and own is None:
            yield ".".join(keys[: i + 1]), whole


def differences(before: Any, after: Any, path: str = "") -> list[tuple[str, str, str]]:
    """Return dotted path, old and new value of differences, at most MOST_SHOWN in a mapping; missing ones are empty."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        changes = []
        for key in dict.fromkeys([*before, *after]):
            here = f"{path}.{key}" if path else str(key)
            if key not in after:
                changes.append((here, _short(before[key]), ""))
            elif key not in before:
                changes.append((here, "", _short(after[key])))
            else:
                changes += differences(before[key], after[key], here)
        return changes[:MOST_SHOWN]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            change
            for i, (old, new) in enumerate(zip(before, after))
            for change in differences(old, new, f"{path}.{i}")
        ]
    return [] if before == after else [(path, _short(before), _short(after))]


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
