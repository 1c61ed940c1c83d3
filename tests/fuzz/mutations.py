"""Seeded mutations of bytes, texts and plain data."""

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

NUMBERS = (
    "0", "-0.0", "-1", "1", "1e308", "-1.7e308", "1e309", "5e-324", "1e-310", "nan", "inf", "-inf", ".nan", ".inf",
    "9" * 400, "1e", "0x10", "1_000", "1,5", "1.5.2", "--3", "2147483648", "-9223372036854775809", "1e18", "65536",
    "١٢", "NaN", "null", "true", "1e-9", "1e9", "0.1", "1/0",
)  # fmt: skip
"""Numbers at the ends of their ranges, and texts that resemble numbers."""
TEXTS = (
    "", " ", "\0", "\ufeff", "\u202e", "é" * 300, "\U0001f600", "\\ud83d", "A" * 10_000, "../../etc/passwd",
    "/dev/zero", "<script>alert(1)</script>", "%s%n", "{}", "[]", "&a *a", "!!python/object:os.system", "\r\n",
    "\x1b[31m", "a\tb", "#", "'", '"', ";", ",", "=", "$", "\\", "-", "nan", "~", "null", "CON", ".", "..",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**30, 1e308, -1.7e308, 5e-324, 1e-12, float("nan"), float("inf"), "", "x", "1 m",
    "1e999 kg", [], {}, [[]], [None], {"": 0}, {"a": {"b": 1}}, [1, 2], [1.0, 2.0, 3.0], "-inf m/s", 0.5, 2, 3,
    1e-300, 1e300,
)  # fmt: skip
"""Values that replace values of plain data."""
NUMBER = re.compile(rb"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
REFERENCE = re.compile(rb"#\d+")

Mutation = Callable[[bytes, Random], bytes]


def flip_bits(data: bytes, random: Random) -> bytes:
    """Change one to eight bytes."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 8)) if data else 0):
        at = random.randrange(len(changed))
        changed[at] = (
            random.randrange(256) if random.random() < 0.5 else changed[at] ^ (1 << random.randrange(8))
        )
    return bytes(changed)


def truncate(data: bytes, random: Random) -> bytes:
    """Keep the beginning, rarely the end."""
    at = random.randrange(len(data) + 1)
    return data[:at] if random.random() < 0.9 else data[at:]


def cut(data: bytes, random: Random) -> bytes:
    """Remove a few bytes."""
    at = random.randrange(len(data) + 1)
    return data[:at] + data[at + random.choice((1, 2, 4, 16, 200)) :]


def repeat(data: bytes, random: Random) -> bytes:
    """Insert a copy of a part elsewhere."""
    at, source = random.randrange(len(data) + 1), random.randrange(len(data) + 1)
    return data[:at] + data[source : source + random.choice((1, 4, 30, 300))] + data[at:]


def insert_text(data: bytes, random: Random) -> bytes:
    """Insert an odd text."""
    at = random.randrange(len(data) + 1)
    return data[:at] + random.choice(TEXTS).encode() + data[at:]


def change_number(data: bytes, random: Random) -> bytes:
    """Replace a number."""
    found = list(NUMBER.finditer(data))
    if not found:
        return flip_bits(data, random)
    chosen = random.choice(found)
    return data[: chosen.start()] + random.choice(NUMBERS).encode() + data[chosen.end() :]


def drop_line(data: bytes, random: Random) -> bytes:
    """Delete one line, or a few."""
    lines = data.splitlines(keepends=True)
    at = random.randrange(len(lines) + 1)
    del lines[at : at + random.choice((1, 1, 1, 2, 5))]
    return b"".join(lines)


def repeat_line(data: bytes, random: Random) -> bytes:
    """Insert a copy of a line elsewhere."""
    lines = data.splitlines(keepends=True)
    if lines:
        lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return b"".join(lines)


def swap_lines(data: bytes, random: Random) -> bytes:
    """Exchange two lines."""
    lines = data.splitlines(keepends=True)
    if lines:
        i, j = random.randrange(len(lines)), random.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def redirect_reference(data: bytes, random: Random) -> bytes:
    """Let a reference (#12) point to another entity, or to none."""
    found = list(REFERENCE.finditer(data))
    if not found:
        return change_number(data, random)
    chosen = random.choice(found)
    other = (
        random.choice(found).group()
        if random.random() < 0.6
        else random.choice((b"#99999", b"#0", b"#", b"$"))
    )
    return data[: chosen.start()] + other + data[chosen.end() :]


def swap_words(data: bytes, random: Random) -> bytes:
    """Exchange two words."""
    words = list(re.finditer(rb"[A-Za-z_][\w-]*", data))
    if len(words) < 2:
        return flip_bits(data, random)
    first, second = sorted(random.sample(words, 2), key=lambda word: word.start())
    return (
        data[: first.start()]
        + second.group()
        + data[first.end() : second.start()]
        + first.group()
        + data[second.end() :]
    )


BINARY: tuple[Mutation, ...] = (flip_bits, flip_bits, flip_bits, truncate, cut, repeat, insert_text)
TEXT: tuple[Mutation, ...] = (
    flip_bits, truncate, cut, repeat, insert_text, change_number, change_number, drop_line, repeat_line, swap_lines,
    swap_words,
)  # fmt: skip


def mutate(data: bytes, random: Random, mutations: Sequence[Mutation]) -> bytes:
    """Apply one mutation, sometimes several."""
    for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
        data = random.choice(mutations)(data, random)
    return data


def mutate_data(data: Any, random: Random) -> Any:
    """Return plain data (as of JSON) with one change, sometimes several; the data itself is not changed."""
    for _ in range(random.choice((1, 1, 1, 1, 2, 4))):
        data = _change(data, random)
    return data


def _change(data: Any, random: Random) -> Any:
    if isinstance(data, dict) and data and random.random() < 0.9:
        key = random.choice(list(data))
        if random.random() < 0.75:
            return {**data, key: _change(data[key], random)}
        return _change_key(data, key, random)
    if isinstance(data, list) and data and random.random() < 0.9:
        at = random.randrange(len(data))
        if random.random() < 0.75:
            return [*data[:at], _change(data[at], random), *data[at + 1 :]]
        return random.choice(([*data[:at], *data[at + 1 :]], [*data, data[at]], data[::-1], [data]))
    return _change_value(data, random)


def _change_key(data: dict[str, Any], key: str, random: Random) -> dict[str, Any]:
    rest = {k: v for k, v in data.items() if k != key}
    choice = random.randrange(5)
    if choice == 0:
        return rest
    if choice == 1:
        return {**rest, key + random.choice(("s", "_", "", " ", ".x")): data[key]}
    if choice == 2:
        return {**rest, random.choice(TEXTS): data[key]}
    if choice == 3:
        other = random.choice(list(data))
        return {**data, key: data[other], other: data[key]}
    return {**data, key: nest(data[key], random)}


def _change_value(data: Any, random: Random) -> Any:
    if isinstance(data, bool) or not isinstance(data, int | float | str) or random.random() < 0.3:
        return random.choice(VALUES)
    if isinstance(data, str):
        text = mutate(data.encode(errors="replace"), random, TEXT).decode(errors="replace")
        return text if random.random() < 0.6 else random.choice(TEXTS)
    factor = random.choice((-1, 0, 1e-300, 1e300, 1e6, 1e-6, 0.5, 2, 1.0000001))
    return data * factor if random.random() < 0.7 else random.choice(VALUES)


def nest(data: Any, random: Random) -> Any:
    """Wrap data in many levels."""
    for _ in range(random.choice((1, 3, 30, 200))):
        data = [data] if random.random() < 0.5 else {"a": data}
    return data


def to_json(data: Any, random: Random) -> bytes:
    """Return data as JSON, with or without escaped characters."""
    return json.dumps(data, ensure_ascii=random.random() < 0.5).encode(errors="surrogatepass")
