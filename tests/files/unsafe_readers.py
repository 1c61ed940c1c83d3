"""Readers that fail as a library may fail with a damaged file."""

import ctypes
import os
import sys
import time


def reverse(data: bytes) -> bytes:
    print("printed by Python")
    os.write(1, b"printed by C\n")
    os.write(2, b"a warning of C\n")
    return data[::-1]


def refuse(data: bytes, reason: str) -> bytes:
    raise ValueError(reason)


def crash(data: bytes) -> bytes:
    return ctypes.string_at(0)


def stop(data: bytes) -> bytes:
    sys.exit(3)


def sleep(data: bytes) -> bytes:
    time.sleep(60)
    return b""


def allocate(data: bytes) -> bytes:
    return bytes(8 << 30)


def flood(data: bytes) -> bytes:
    while True:
        os.write(1, b"x" * 65536)


def answer_much(data: bytes) -> bytes:
    return bytes(2_000_000)
