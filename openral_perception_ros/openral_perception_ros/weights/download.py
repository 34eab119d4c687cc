"""Downloads over HTTP: resumable, bounded, and verified against a pinned sha256."""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from httpx2 import BaseTransport, Client, HTTPError, Request
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

from openral_core.errors import OpenRALError
from openral_core.rskills import Weights
from openral_perception_ros.engines.weights_record import problem_of_file, sha256_of

CHUNK = 1 << 18
"""Write size [bytes]: progress is updated about 40 times a second on a fast line."""
RANGE_NOT_SATISFIABLE = 416
"""HTTP status (RFC 9110) if the file is already complete."""
PARTIAL_CONTENT = 206
"""HTTP status (RFC 9110) if the server resumes at the requested byte."""
MAX_FILE = 1 << 33
"""Largest file whose size the manifest does not declare [bytes]."""
MAX_REDIRECTS = 5
"""Redirects of one request [count]."""
SILENCE = 30.0
"""Longest wait for a connection and for the next bytes [s]."""
PARTS = ".parts"
COLUMNS = (
    TextColumn("{task.description}", markup=False),
    BarColumn(),
    DownloadColumn(),
    TransferSpeedColumn(),
)
MIRROR_VARIABLE = "OPENRAL_MIRROR"


@dataclass(frozen=True, slots=True)
class Fetched:
    """Result of a download: the full commit, and git's blob ids of files outside LFS."""

    revision: str
    blobs: Mapping[str, str] = field(default_factory=dict)


class DownloadFailed(OpenRALError):
    """The server is unreachable, lacks the files, or sent invalid data."""

    def __init__(self, source: str, reason: object) -> None:
        super().__init__(f"{source} could not be fetched: {reason}; fetch again to resume")


class FileTooLarge(OpenRALError):
    """A server that sends more than the file may have."""

    def __init__(self, url: str, limit: int) -> None:
        super().__init__(f"{url} sends more than {limit} bytes, the size that is declared: nothing was kept")


class UnsafeRedirect(OpenRALError):
    """A redirect from https to an unencrypted address."""

    def __init__(self, url: str) -> None:
        super().__init__(f"the server redirects to {url[:200]!r}, which is not https: nothing was fetched")


class UnexpectedContent(OpenRALError):
    """A file that is not the one whose sha256 is pinned."""

    def __init__(self, url: str, pinned: str, file: Path) -> None:
        size = file.stat().st_size
        reason = (
            problem_of_file(file)
            or f"{size} bytes with sha256 {sha256_of(file)[:12]}… instead of {pinned[:12]}…"
        )
        super().__init__(f"{url} is not the pinned file: {reason}; nothing was kept")


def download_file(
    session: Client,
    url: str,
    target: Path,
    part: Path,
    on_bytes: Callable[[int], None],
    headers: Mapping[str, str] | None = None,
    limit: int = MAX_FILE,
) -> None:
    """Download ``url`` to ``target``, resuming from ``part`` if it exists.

    Args:
        url: Source; redirects are followed, secrets stay with the first host.
        target: Replaced once the download is complete.
        part: Partial download; belongs to exactly this file of this revision.
        on_bytes: Called with the number of bytes so far.
        limit: Largest size of the file [bytes].

    Raises:
        httpx2.HTTPError: If the connection breaks or the server rejects the request.
        FileTooLarge: If the server sends more; the partial download is removed.
    """
    have = part.stat().st_size if part.exists() else 0
    range_headers = {"Range": f"bytes={have}-"} if have else {}
    request_headers = {**(headers or {}), **range_headers}
    with session.stream("GET", url, headers=request_headers, follow_redirects=True) as response:
        if response.status_code != RANGE_NOT_SATISFIABLE:
            response.raise_for_status()
            start = have if response.status_code == PARTIAL_CONTENT else 0
            if not _append(response.iter_raw(CHUNK), part, start, limit, on_bytes):
                part.unlink()
                raise FileTooLarge(url, limit)
    part.replace(target)


def _append(
    chunks: Iterable[bytes], part: Path, have: int, limit: int, on_bytes: Callable[[int], None]
) -> bool:
    """Append chunks to the part; False if they exceed the limit."""
    with part.open("ab" if have else "wb") as file:
        for chunk in chunks:
            if file.tell() + len(chunk) > limit:
                return False
            file.write(chunk)
            on_bytes(file.tell())
    return True


def progress_bar() -> Progress:
    """Return a display of downloads on standard error."""
    return Progress(*COLUMNS, console=Console(stderr=True))


def mirrored(url: str, mirror: str = "") -> str:
    """Return the address of an ``https://host/path`` at a mirror, which has it as ``<mirror>/host/path``.

    The mirror is ``mirror``, else the environment variable ``OPENRAL_MIRROR``; without one, ``url`` stays.
    """
    base = mirror or os.environ.get(MIRROR_VARIABLE, "")
    return f"{base.rstrip('/')}/{url.partition('://')[2]}" if base else url


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One public file: where it lies, its sha256, and its size if that is declared [bytes]."""

    url: str
    sha256: str
    size: int = MAX_FILE


def fetch_pinned(files: Mapping[Path, PinnedFile], parts: Path, mirror: str = "") -> None:
    """Bring files up to date; those that exist and match their sha256 are not downloaded again.

    Args:
        files: Source of each target.
        parts: Folder of partial downloads.
        mirror: See `mirrored`.

    Raises:
        DownloadFailed: If the server is unreachable, rejects the request or breaks off.
        FileTooLarge: If it sends more than the declared size.
        UnsafeRedirect: If it redirects to an unencrypted address.
        UnexpectedContent: If a file does not match its sha256.
    """
    parts.mkdir(parents=True, exist_ok=True)
    plain = mirrored("https://", mirror).startswith("http://")
    with open_session(plain) as session, progress_bar() as progress:
        for target, source in files.items():
            if target.is_file() and sha256_of(target) == source.sha256:
                continue
            total = source.size if source.size != MAX_FILE else None
            task = progress.add_task(target.name, total=total)
            on_bytes = partial(advance, progress, task)
            url = mirrored(source.url, mirror)
            try:
                _fetch_one(session, url, target, source, parts, on_bytes)
            except (HTTPError, OSError) as error:
                raise DownloadFailed(url, str(error) or type(error).__name__) from error
            progress.remove_task(task)
    shutil.rmtree(parts, ignore_errors=True)


def advance(progress: Progress, task: TaskID, have: int) -> None:
    """Show the number of bytes so far."""
    progress.update(task, completed=have)


def open_session(plain: bool, transport: BaseTransport | None = None) -> Client:
    """Return a client that follows redirects; without ``plain``, to encrypted addresses alone."""

    def check(request: Request) -> None:
        if request.url.scheme != "https" and not plain:
            raise UnsafeRedirect(str(request.url))

    hooks = {"request": [check]}
    return Client(timeout=SILENCE, max_redirects=MAX_REDIRECTS, event_hooks=hooks, transport=transport)


def _fetch_one(
    session: Client, url: str, target: Path, source: PinnedFile, parts: Path, on_bytes: Callable[[int], None]
) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = parts / f"{target.name}.{source.sha256[:12]}"
    fresh = parts / f"{part.name}.whole"
    identity = {"Accept-Encoding": "identity"}
    download_file(session, url, fresh, part, on_bytes, identity, source.size)
    if sha256_of(fresh) != source.sha256:
        error = UnexpectedContent(url, source.sha256, fresh)
        fresh.unlink()
        raise error
    fresh.replace(target)


def download_https(weights: Weights, folder: Path, mirror: str = "") -> Fetched:
    """Download the pinned files of weights below an ``https://`` address; errors as in `fetch_pinned`."""
    base = weights.uri.rstrip("/")
    files = {
        folder / name: PinnedFile(f"{base}/{name}", digest, weights.sizes.get(name, MAX_FILE))
        for name, digest in weights.files.items()
    }
    fetch_pinned(files, folder / PARTS, mirror)
    return Fetched("")
