"""Counts of the fuzzer, by format and seed, with the state of package and fuzzer to which they belong."""

import fcntl
import hashlib
import json
import os
from pathlib import Path

from tests.fuzz.run import Tally

ROOT = Path(__file__).parents[2]
NOT_OF_THE_FUZZER = ("test_*.py", "report.py", "faults.py", "isolation_cost.py")
"""Files of this folder that do not affect what the fuzzer reads and checks."""


def source_digest() -> str:
    """Return a short digest of the package and of the fuzzer, so that counts belong to one state of both."""
    digest = hashlib.sha256()
    for folder in (ROOT / "src" / "softdock", Path(__file__).parent):
        for file in sorted((*folder.rglob("*.py"), *folder.rglob("*.yaml"), *folder.rglob("*.js"))):
            if file.parent == Path(__file__).parent and any(map(file.match, NOT_OF_THE_FUZZER)):
                continue
            digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def record(path: Path, name: str, seed: int, tally: Tally, sources: str) -> None:
    """Add the counts of a format to a file, which is replaced as a whole while others wait."""
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        known = json.loads(path.read_text()) if path.exists() else {}
        known.setdefault(name, {})[str(seed)] = {
            "sources": sources,
            "inputs": tally.inputs,
            "accepted": tally.accepted,
            "refused": tally.refused,
            "defects": dict(tally.defects),
        }
        written = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        written.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
        written.replace(path)
    finally:
        os.close(folder)
