"""Content digests that detect changes since the last run."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digest(facts: Iterable[str | bytes]) -> str:
    """Return a hexadecimal digest of facts in their order."""
    state = hashlib.sha256()
    for fact in facts:
        data = fact.encode() if isinstance(fact, str) else fact
        state.update(len(data).to_bytes(8, "big") + data)
    return state.hexdigest()


def digest_of_files(files: Iterable[Path]) -> str:
    """Return a digest of the names and contents of files."""
    return digest(part for file in files for part in (file.name, file.read_bytes()))
