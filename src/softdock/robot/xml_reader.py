"""XML reader that keeps the line of every element, for untrusted files.

Document types are refused: entity expansion and access to other files depend on them, and robots do not need them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from softdock.errors import InputError
from softdock.files.regular_file import read_regular_file

MAX_BYTES = 10_000_000
"""Largest file size; robot descriptions have about 10 kB, meshes are separate files."""
MAX_LEVELS = 60
"""Deepest nesting of elements."""


@dataclass
class Element:
    """An element of the file, with the line of its start tag."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list["Element"] = field(default_factory=list)

    def all(self, tag: str) -> Iterator["Element"]:
        """Return the children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> "Element | None":
        """Return the first child with this tag, or None."""
        return next(self.all(tag), None)

    def problem(self, message: str, given: str = "", hint: str = "") -> InputError:
        """Return an error that refers to this element."""
        return InputError(
            message, field=f"<{self.tag}>", file=self.file, line=self.line, given=given, hint=hint
        )


def read_xml(path: Path) -> Element:
    """Return the root element of a file."""
    return parse_xml(read_regular_file(path, largest=MAX_BYTES), str(path))


def parse_xml(content: bytes, file: str) -> Element:
    """Return the root element of a document; `file` is the file name in messages."""
    if len(content) > MAX_BYTES:
        raise InputError(
            f"The file is larger than {MAX_BYTES // 10**6} MB, the limit for XML files.", file=file
        )
    return _XmlReader(file).read(content)


class _XmlReader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.open: list[Element] = []
        self.root: Element | None = None
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def read(self, content: bytes) -> Element:
        try:
            self.parser.Parse(content, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise self._problem(f"This is not well-formed XML: {reason}.", error.lineno) from None
        except (LookupError, ValueError) as error:  # unknown encoding
            raise self._problem(f"The text cannot be read: {error}.", 1) from None
        assert self.root is not None
        return self.root

    def _problem(self, message: str, line: int) -> InputError:
        return InputError(message, file=self.file, line=line)

    def _refuse(self, *_: object) -> None:
        raise self._problem(
            "A document type (<!DOCTYPE ...>) and entities are refused: remove them.",
            self.parser.CurrentLineNumber,
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self.open) >= MAX_LEVELS:
            raise self._problem(f"Elements are nested more than {MAX_LEVELS} deep.", line)
        element = Element(tag, attributes, self.file, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, _: str) -> None:
        self.open.pop()
