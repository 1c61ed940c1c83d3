"""Parser of scenario files: YAML 1.2 or JSON to plain data, with the line of every value.

The events of the YAML parser are processed one by one, to check size, depth, tags, aliases and duplicate keys. The
result contains only dict, list, str, int, float, bool and None. Scalars follow the core schema of YAML 1.2: `1e3` is
a number and `no` a text. JSON is a subset.
"""

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from softdock.errors import InputError, Problem
from softdock.quantities.model import DEEPEST

VERSION = 1
"""The version of the file format that this program reads."""
LARGEST_FILE = 1_000_000
"""Bytes; scenarios with inline profiles need far less."""
MOST_VALUES = 20_000
"""Values of a file with expanded aliases; refuses files that grow exponentially."""

_BREAK_BEFORE_COLON = re.compile(r'"([ \t\r]*\n\s*):')
"""In JSON the quote ends a key: texts have no line breaks."""
_SURROGATE = re.compile("[\ud800-\udfff]")
FieldPath = tuple[str | int, ...]
"""Path of a value in the data: keys and indices from the top."""


def dotted(path: Sequence[str | int]) -> str:
    """Return the path of a value as dotted text, as `--set` takes it."""
    return ".".join(map(str, path))


@dataclass(frozen=True)
class Location:
    """File, line and text of a value."""

    file: str = ""
    line: int | None = None
    """Line of the value, or of its key where it has one; counted from 1."""
    text: str = ""
    """The value as it was written, for scalars."""


@dataclass(frozen=True)
class Source:
    """Plain data with the location of each value."""

    data: Any
    locations: dict[FieldPath, Location]
    file: str = ""
    directory: Path = field(default_factory=Path)
    """Folder of relative paths in the file."""
    base_files: tuple[str, ...] = ()
    """Files of the base and of its bases, the first one first."""

    def where(self, path: FieldPath) -> Location:
        """Return the location of the value at `path`, or of the nearest enclosing value."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.locations:
                location = self.locations[path[:end]]
                return location if end == len(path) else Location(location.file, location.line)
        return Location(self.file)

    def problem(self, path: FieldPath, message: str, hint: str = "") -> Problem:
        """Return a problem of the value at `path`, with its file, line and text."""
        place = self.where(path)
        return Problem(
            message=message, field=dotted(path), file=place.file, line=place.line, given=place.text, hint=hint
        )

    def refusal(self, path: FieldPath, message: str, hint: str = "") -> InputError:
        """Return the error about the value at `path`."""
        return InputError(self.problem(path, message, hint))


@dataclass
class _Node:
    """A parsed value before aliases are expanded."""

    value: Any
    """str for a scalar, a list of nodes, or a dict from key to (line of the key, node)."""
    line: int
    plain: bool = False
    """True for an unquoted scalar, whose type follows from its text."""
    open: bool = False
    """True until its end has been read."""


def read_file(path: Path) -> Source:
    """Read a scenario file; raises InputError where it is not one."""
    name = str(path)
    source = parse(_read_text(path), file=name, directory=path.parent)
    check_head(source)
    return source


def parse(text: str, *, file: str = "", directory: Path | None = None) -> Source:
    """Parse YAML 1.2 or JSON text into plain data with locations."""
    return _convert(_compose(text, file), file, directory)


def parse_with_events(
    text: str, *, file: str = "", directory: Path | None = None
) -> tuple[Source, tuple[Event, ...]]:
    """Parse a text, and return also the events of the parser, from which ruamel.yaml writes it with its comments."""
    builder = _build(text, file, YAML(typ="rt"))
    return _convert(builder.root, file, directory), tuple(builder.events)


def _convert(root: "_Node", file: str, directory: Path | None) -> Source:
    locations: dict[FieldPath, Location] = {}
    data = _Converter(file, locations).convert(root, (), root.line, 0)
    return Source(data, locations, file, directory or Path())


def check_head(source: Source) -> None:
    """Raise InputError for data that does not start with `softdock: 1`."""
    first = f"a scenario file starts with 'softdock: {VERSION}'"
    if source.data is None:
        raise _refusal(source.file, None, f"The file is empty; {first}.")
    if not isinstance(source.data, dict):
        line = source.where(()).line
        raise _refusal(source.file, line, f"The file is not a mapping of keys to values; {first}.")
    if next(iter(source.data), None) != "softdock":
        line = source.where(next(((key,) for key in source.data), ())).line
        raise _refusal(source.file, line, f"The first key is not 'softdock'; {first}.")
    version = source.data["softdock"]
    if type(version) is not int or version != VERSION:
        newer = type(version) is int and version > VERSION
        message = (
            f"This file has version {version} of the format, and this Softdock reads version {VERSION}; "
            "a newer Softdock is needed."
            if newer
            else f"Must be {VERSION}, the version of the file format."
        )
        raise source.refusal(("softdock",), message)


def _refusal(file: str, line: int | None, message: str) -> InputError:
    return InputError(message, file=file, line=line)


def _read_text(path: Path) -> str:
    """Return the text of a file; reads at most the allowed size."""
    name = str(path)
    try:
        if path.is_fifo() and path.parent != Path("/dev/fd"):  # the pipe of a shell's <(command) has a writer
            raise _refusal(name, None, "This is a named pipe; a scenario file is needed.")
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise _refusal(name, None, "There is no such file.") from None
    except IsADirectoryError:
        raise _refusal(name, None, "This is a directory; a scenario file is needed.") from None
    except PermissionError:
        what = "This is a directory" if path.is_dir() else "The file may not be read (no permission)"
        raise _refusal(name, None, f"{what}; a readable scenario file is needed.") from None
    except (OSError, ValueError) as error:
        raise _refusal(name, None, f"The file cannot be read: {error}.") from None
    if len(content) > LARGEST_FILE:
        raise _refusal(name, None, f"The file is larger than {LARGEST_FILE / 1e6:g} MB.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"The file is not UTF-8 text: byte 0x{content[error.start]:02x} cannot be read."
        raise _refusal(name, line, message) from None


@functools.lru_cache(maxsize=32)  # the same text is parsed for header, base and fields
def _compose(text: str, file: str) -> _Node:
    """Return the tree of nodes of a text; cached, so it must not be changed."""
    return _build(text, file, YAML(typ="safe", pure=True)).root


def _build(text: str, file: str, yaml: YAML) -> "_Builder":
    """Build the tree of nodes from the events of a parser."""
    builder = _Builder(file)
    try:
        for event in yaml.parse(_with_colons_beside_keys(text)):
            builder.take(event)
    except InputError:
        raise
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _refusal(file, line, f"The character U+{error.character:04X} is not allowed in YAML.") from None
    except MarkedYAMLError as error:
        raise _refusal(file, *_describe(error)) from None
    except Exception as error:  # any other error of the parser is caused by the text
        raise _refusal(
            file, builder.line, f"The text is not YAML: {error or type(error).__name__}."
        ) from None
    return builder


def _with_colons_beside_keys(text: str) -> str:
    """Return JSON text without line breaks between keys and colons, which the parser of YAML refuses."""
    if _BREAK_BEFORE_COLON.search(text) is None:
        return text
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return _BREAK_BEFORE_COLON.sub(r'":\1', text)


def _describe(error: MarkedYAMLError) -> tuple[int | None, str]:
    """Return line and message of a syntax error."""
    mark = error.problem_mark or error.context_mark
    if mark and "'\\t'" in (error.problem or ""):
        return mark.line + 1, f"There is a tab in column {mark.column + 1}: indent and separate with spaces."
    reason = " ".join(part for part in (error.context, error.problem) if part) or "cannot be read"
    if "stream end" in reason or "end of stream" in reason:
        opened = error.context_mark
        begun = f" What is not finished begins in line {opened.line + 1}." if opened else ""
        return (mark.line + 1 if mark else None), f"The text ends too early: {reason}.{begun}"
    return (mark.line + 1 if mark else None), f"The text is not YAML: {reason}."


class _Builder:
    """Builds nodes from events; open collections are on a stack."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root = _Node("", 1, plain=True)
        self.line = 1
        self.events: list[Event] = []
        self._documents = 0
        self._values = 0
        self._anchors: dict[str, _Node] = {}
        self._stack: list[_Node] = []
        self._keys: list[tuple[str, int] | None] = []

    def take(self, event: Event) -> None:
        """Add one event of the parser."""
        self.line = event.start_mark.line + 1
        self.events.append(event)
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._refuse("The file holds more than one document; a scenario is one.")
        elif isinstance(event, CollectionEndEvent):
            self._stack.pop().open = False
            self._keys.pop()
        elif isinstance(event, NodeEvent):
            self._take_node(event)

    def _take_node(self, event: NodeEvent) -> None:
        self._values += 1
        if self._values > 2 * MOST_VALUES:  # values and keys; stop reading here
            raise self._refuse(f"The file holds more than {MOST_VALUES} values.")
        node = self._node(event)
        if isinstance(event, ScalarEvent) and self._expects_key():
            if event.anchor:
                raise self._refuse("An anchor on a key is not allowed.")
            self._begin_key(node)
            return
        if self._expects_key():
            raise self._refuse("A key must be a text.")
        if not isinstance(event, AliasEvent) and event.anchor:
            self._anchors[event.anchor] = node
        self._attach(node)
        if isinstance(event, SequenceStartEvent | MappingStartEvent):
            if len(self._stack) >= DEEPEST:
                raise self._refuse(f"The file is nested deeper than {DEEPEST} levels.")
            self._stack.append(node)
            self._keys.append(None)

    def _node(self, event: NodeEvent) -> _Node:
        if isinstance(event, AliasEvent):
            node = self._anchors.get(event.anchor)
            if node is None:
                raise self._refuse(f"The alias '*{event.anchor}' has no anchor '&{event.anchor}' before it.")
            if node.open:
                raise self._refuse(f"The alias '*{event.anchor}' stands inside its own anchor.")
            return node
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise self._refuse(f"The tag '{tag}' is not allowed; scenario files hold plain data.")
        if isinstance(event, ScalarEvent):
            return _Node(self._text(event), self.line, plain=event.style is None or event.style == "")
        return _Node({} if isinstance(event, MappingStartEvent) else [], self.line, open=True)

    def _text(self, event: ScalarEvent) -> str:
        """Return the text of a scalar; two escaped surrogates, by which JSON writes an emoji, become one character."""
        text = str(event.value)
        if event.style == ">":
            text = text.replace("\a", "")  # marks of ruamel.yaml where the folded text had line breaks
        if "\0" in text:
            raise self._refuse("A text has a null character (\\0), which no name or path may have.")
        if _SURROGATE.search(text) is None:
            return text
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            lone = ord(_SURROGATE.findall(text)[0])
            message = f"A text has one half of a character (\\u{lone:04x}) without its other half."
            raise self._refuse(message) from None

    def _expects_key(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1].value, dict) and self._keys[-1] is None

    def _begin_key(self, node: _Node) -> None:
        key, known = node.value, self._stack[-1].value
        if key == "<<" and node.plain:
            raise self._refuse("Merge keys ('<<') are not part of YAML 1.2; write the keys out.")
        if key in known:
            raise InputError(
                f"The key '{key}' is given twice, in lines {known[key][0]} and {self.line}.",
                file=self.file,
                line=self.line,
            )
        self._keys[-1] = (key, self.line)

    def _attach(self, node: _Node) -> None:
        if not self._stack:
            self.root = node
        elif isinstance(self._stack[-1].value, list):
            self._stack[-1].value.append(node)
        else:
            pending = self._keys[-1]
            assert pending is not None
            key, line = pending
            self._stack[-1].value[key] = (line, node)
            self._keys[-1] = None

    def _refuse(self, message: str) -> InputError:
        return _refusal(self.file, self.line, message)


class _Converter:
    """Converts nodes to plain data with expanded aliases, and counts values."""

    def __init__(self, file: str, locations: dict[FieldPath, Location]) -> None:
        self._file = file
        self._locations = locations

    def convert(self, node: _Node, path: FieldPath, line: int, depth: int) -> Any:
        """Return the plain data of a node and record the locations of its values."""
        if len(self._locations) >= MOST_VALUES:
            message = f"The file holds more than {MOST_VALUES} values once its aliases are written out."
            raise _refusal(self._file, node.line, message)
        if depth > DEEPEST:
            raise _refusal(self._file, node.line, f"The file is nested deeper than {DEEPEST} levels.")
        text = node.value if isinstance(node.value, str) else ""
        self._locations[path] = Location(self._file, line, text)
        if isinstance(node.value, dict):
            return {
                key: self.convert(child, (*path, key), line, depth + 1)
                for key, (line, child) in node.value.items()
            }
        if isinstance(node.value, list):
            return [
                self.convert(child, (*path, i), child.line, depth + 1) for i, child in enumerate(node.value)
            ]
        return resolve(text) if node.plain else text


_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL_OR_HEXADECIMAL = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_MOST_DIGITS = 400
"""Digits of an integer; more than any float has before the point."""


def resolve(text: str) -> str | int | float | bool | None:
    """Return the value of a plain scalar by the core schema of YAML 1.2 (section 10.3.2)."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= _MOST_DIGITS else float(text)
    if _OCTAL_OR_HEXADECIMAL.fullmatch(text) and len(text) <= _MOST_DIGITS:
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    if infinite := _INFINITE.fullmatch(text):
        return float(f"{infinite[1]}inf")
    return text
