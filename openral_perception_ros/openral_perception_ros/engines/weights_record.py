"""Record of the weights in a folder (one JSON file beside them) and digests of their files."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from openral_core.documents import InvalidDocument, read_json
from openral_core.errors import OpenRALError
from openral_core.files import read_bytes, replace_file
from openral_core.parsing import MAX_JSON

RECORD_FILE = "openral-weights.json"


class InvalidRecord(InvalidDocument):
    """A record that is corrupt."""


class WeightsRecord(BaseModel):
    """Origin of an rSkill's weights and the digest of every file."""

    model_config = ConfigDict(frozen=True)

    rskill: str
    uri: str
    revision: str  # Full commit of the repository.
    licence: str
    accepted: str = ""
    files: dict[str, str]  # sha256 of each file.
    # Git's blob id of each file that the repository holds itself (code, configuration), checked when fetched:
    # together with the commit they identify the code.
    blobs: dict[str, str] = {}
    exported: tuple[str, ...] = ()  # Files generated on this machine from the others.

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Read the record of a folder, None if there is none.

        Raises:
            InvalidRecord: If it is corrupt.
        """
        path = folder / RECORD_FILE
        if not path.is_file():
            return None
        try:
            return cls.model_validate_json(read_bytes(path, MAX_JSON))
        except ValidationError as error:
            problems = [
                f"{'.'.join(map(str, each['loc'])) or RECORD_FILE}: {each['msg']}" for each in error.errors()
            ]
            raise InvalidRecord(path, problems) from error
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRecord(path, [str(error)]) from error

    def write(self, folder: Path) -> None:
        """Write the record beside the weights, atomically."""
        replace_file(folder / RECORD_FILE, json.dumps(self.model_dump(mode="json"), indent=2) + "\n")


def default_weights_folder() -> Path:
    """Return the default folder of exported and converted weights."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "openral" / "weights"


DIGEST_CACHE_FILE = "openral-checked.json"
SMALL = 1 << 20
"""Files up to this size [bytes] are hashed every time: code and configuration."""
Digest = Callable[[Path], str]
Fingerprint = list[int]


class ChecksumDiffers(OpenRALError):
    """Files that do not match their digests."""

    def __init__(self, folder: Path, problems: list[str]) -> None:
        super().__init__(f"{folder}: " + "; ".join(problems) + ": fetch it again")


def sha256_of(file: Path) -> str:
    """Return the sha256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def blob_id_of(file: Path) -> str:
    """Return git's blob id of a file.

    Source: git-hash-object(1); it identifies content and is no protection: git still uses SHA-1.
    """
    digest = hashlib.sha1(b"blob %d\0" % file.stat().st_size, usedforsecurity=False)
    with file.open("rb") as stream:
        while block := stream.read(SMALL):
            digest.update(block)
    return digest.hexdigest()


def files_of(folder: Path) -> dict[str, Path]:
    """Return every file of a folder of weights by relative name, without our own records."""
    paths = sorted(each for each in folder.rglob("*") if each.is_file() or each.is_symlink())
    names = {each.relative_to(folder).as_posix(): each for each in paths}
    ours = (f".{RECORD_FILE}.", f".{DIGEST_CACHE_FILE}.")
    return {
        name: file
        for name, file in names.items()
        if name.split("/", 1)[0] not in (RECORD_FILE, DIGEST_CACHE_FILE, ".cache")
        and not name.startswith(ours)
    }


def digests_of(folder: Path) -> dict[str, str]:
    """Return the sha256 of every file of a folder of weights."""
    return {name: sha256_of(file) for name, file in files_of(folder).items()}


POINTER = b"version https://git-lfs.github.com/spec"
"""Beginning of a Git LFS pointer, as of the specification's version 1."""
PAGES = (b"<!doctype", b"<html", b"<head", b"<?xml")


def problem_of_file(file: Path) -> str:
    """Return why a file of weights cannot hold any, as its first bytes show; empty if it can."""
    with file.open("rb") as stream:
        head = stream.read(len(POINTER))
    if not head:
        return "it is empty: copy or fetch it again"
    if head == POINTER:
        return "it is a Git LFS pointer, not the file itself: run `git lfs pull` where it comes from"
    if head.lstrip().lower().startswith(PAGES):
        return "it is a web page, not the file: the download ended at a sign-in or error page"
    return ""


def problems_of(folder: Path, expected: Mapping[str, str], digest: Digest = sha256_of) -> list[str]:
    """Describe every file that is missing or differs from its sha256."""
    problems = []
    for name, pin in sorted(expected.items()):
        file = folder / name
        if not file.is_file():
            problems.append(f"{name} is missing")
        elif (actual := digest(file)) != pin:
            content = problem_of_file(file)
            problems.append(
                f"{name}: {content}" if content else f"{name} has sha256 {actual[:12]}…, expected {pin[:12]}…"
            )
    return problems


def check(folder: Path, expected: Mapping[str, str]) -> int:
    """Compare files with their sha256 and return how many were compared.

    Raises:
        ChecksumDiffers: Naming every file that is missing or differs.
    """
    if problems := problems_of(folder, expected):
        raise ChecksumDiffers(folder, problems)
    return len(expected)


class KnownDigests:
    """Cached sha256 of large files, recomputed when size or time stamps change.

    They include the change time which, unlike the modification time, cannot be set back. The cache lies in
    the folder, or in the file ``cache``.
    """

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self._folder, self._cache = folder, cache or folder / DIGEST_CACHE_FILE
        self._digests: dict[str, tuple[Fingerprint, str]] = {}
        with suppress(InvalidDocument, TypeError, LookupError):
            content: dict[str, Any] = dict(read_json(self._cache))
            self._digests = {name: (list(each[0]), str(each[1])) for name, each in content.items()}
        self._before = dict(self._digests)

    def digest(self, file: Path) -> str:
        """Return the sha256 of a file of the folder."""
        status = file.stat()
        if status.st_size <= SMALL:
            return sha256_of(file)
        name = file.relative_to(self._folder).as_posix()
        fingerprint = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
        entry = self._digests.get(name)
        if entry is None or entry[0] != fingerprint:
            self._digests[name] = (fingerprint, sha256_of(file))
        return self._digests[name][1]

    def save(self) -> None:
        """Save the cache; in a read-only folder the files are hashed again next time."""
        if self._digests != self._before:
            with suppress(OSError):
                self._cache.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._cache, json.dumps(self._digests))
