"""Digests of stored results and campaigns, which show that something was changed after it was stored.

A digest is no signature: a person who changes a result on purpose can also compute its digest, see SECURITY.md.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

DIGEST = "digest"
"""Key of the digest in `result.json`."""
NO_DIGEST = "It has no digest: it was written by an older version, or its digest was removed."
CHANGED = "It does not agree with its digest: it was changed after it was saved."


def data_digest(data: Any) -> str:
    """Return the SHA-256 of plain data as JSON with sorted keys; white space and order of keys in a file do not matter.

    Raises ValueError for numbers that are not finite, which Softdock does not write.
    """
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text_digest(text)


def text_digest(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def with_digest(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of plain data with the digest of all its entries."""
    return {**document, DIGEST: data_digest(document)}


def digest_discrepancy(document: Mapping[str, Any]) -> str:
    """Return the sentence about a document that was read and does not agree with its digest; empty where it does."""
    if DIGEST not in document:
        return NO_DIGEST
    try:
        digest = data_digest({key: value for key, value in document.items() if key != DIGEST})
    except (ValueError, RecursionError):
        return CHANGED
    return "" if digest == document[DIGEST] else CHANGED
