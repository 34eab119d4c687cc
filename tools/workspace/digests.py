"""Content digests: has anything changed since the last time."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digest(facts: Iterable[str | bytes]) -> str:
    """One hexadecimal digest of facts in their order."""
    state = hashlib.sha256()
    for fact in facts:
        data = fact.encode() if isinstance(fact, str) else fact
        state.update(len(data).to_bytes(8, "big") + data)
    return state.hexdigest()


def digest_of_files(files: Iterable[Path]) -> str:
    """One digest of files' names and contents."""
    return digest(part for file in files for part in (file.name, file.read_bytes()))
