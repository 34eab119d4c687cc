"""Hashes of the sources that figures depend on, so that two tables can be compared."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

DIGITS = 16
"""Digits of a hash that are kept: enough to tell the versions of one project apart."""
SOURCES = (".py", ".yaml")
"""Endings of the files of a package that decide its behaviour."""


def digest(texts: Iterable[str]) -> str:
    """Return the first digits of the SHA-256 of some texts in their order."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:DIGITS]


@cache
def hash_of_packages(*packages: str) -> str:
    """Return the hash of the names and contents of the sources of some packages.

    Raises:
        ModuleNotFoundError: If a package is not installed.
    """
    return digest(
        f"{path}:{hashlib.sha256(file.read_bytes()).hexdigest()}"
        for package in packages
        for path, file in _sources(files(package), package)
    )


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda item: item.name):
        if each.is_dir() and each.name != "__pycache__":
            yield from _sources(each, f"{path}/{each.name}")
        elif each.name.endswith(SOURCES):
            yield f"{path}/{each.name}", each
