"""The one place that talks to the model hub; honours its cache, its token and HF_HUB_OFFLINE."""
# MERGED One file over a line that may break: what arrived stays and the next attempt goes on from there.

import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

from httpx2 import HTTPError
from huggingface_hub import HfApi, hf_hub_url, try_to_load_from_cache
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.hf_api import RepoSibling
from huggingface_hub.utils import build_hf_headers, filter_repo_objects, get_session
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from openral_core.errors import OpenRALError
from openral_perception_ros.engines.weights_record import CACHE, FILE, blob_id_of, files_of, sha256_of
from openral_perception_ros.weights.fetch import DownloadFailed, Fetched

CHUNK = 1 << 18
NOTHING_MORE = 416
PARTIAL = 206


def download_file(
    url: str, headers: Mapping[str, str], target: Path, part: Path, on_bytes: Callable[[int], None]
) -> None:
    """Fetch ``url`` to ``target`` by way of ``part``, which may hold its beginning already.

    Args:
        url: Where it is; redirections are followed, secrets stay with the first host.
        headers: Of the request.
        target: Replaced when everything arrived.
        part: Grows as bytes come; belongs to exactly this file of this revision.
        on_bytes: Told how many bytes there are by now.

    Raises:
        httpx2.HTTPError: If the line breaks or the server refuses.
    """
    have = part.stat().st_size if part.exists() else 0
    asked = {**headers, "Range": f"bytes={have}-"} if have else dict(headers)
    with get_session().stream("GET", url, headers=asked, follow_redirects=True) as response:
        if response.status_code != NOTHING_MORE:
            response.raise_for_status()
            _append(response.iter_raw(CHUNK), part, have if response.status_code == PARTIAL else 0, on_bytes)
    part.replace(target)


def _append(chunks: Iterable[bytes], part: Path, have: int, on_bytes: Callable[[int], None]) -> None:
    with part.open("ab" if have else "wb") as file:
        for chunk in chunks:
            file.write(chunk)
            on_bytes(file.tell())


PATTERNS = ["*.json", "*.safetensors", "*.txt", "*.model", "*.py", "*.jinja", "LICENSE*", "README.md"]
COLUMNS = (
    TextColumn("{task.description}", markup=False),
    BarColumn(),
    DownloadColumn(),
    TransferSpeedColumn(),
)
PARTS = ".parts"


class UnsafeName(OpenRALError):
    """A file whose name would leave its folder, or take the place of our own notes."""

    def __init__(self, repository: str, name: str) -> None:
        super().__init__(f"{repository} could not be fetched: the hub lists a file named {name!r}")


def download(repository: str, revision: str, folder: Path) -> Fetched:
    """Bring one revision ("" = the newest) into a folder, which holds nothing else afterwards.

    Files that are there already, or in the hub's own cache, are compared with the hub's digests and not
    fetched again; one that was broken off goes on where it ended.

    Raises:
        DownloadFailed: If the hub cannot be reached, does not have it, or is forbidden by offline mode; also
            if a file is not what the hub says it is.
        UnsafeName: If a file would be written outside the folder.
    """
    try:
        info = HfApi().model_info(repository, revision=revision or None, files_metadata=True)
        commit, siblings = str(info.sha), {each.rfilename: each for each in info.siblings or []}
        names = sorted(filter_repo_objects(siblings, allow_patterns=PATTERNS))
        for name in names:
            _refuse_unsafe(repository, name)
        _remove_others(folder, names)
        with Progress(*COLUMNS, console=Console(stderr=True)) as progress:
            for name in names:
                _get(repository, commit, siblings[name], folder, progress)
    except (HTTPError, OfflineModeIsEnabled, OSError) as error:
        raise DownloadFailed(repository, error) from error
    shutil.rmtree(folder / PARTS, ignore_errors=True)
    blobs = {name: str(siblings[name].blob_id) for name in names if siblings[name].lfs is None}
    return Fetched(commit, blobs)


def _refuse_unsafe(repository: str, name: str) -> None:
    path = PurePosixPath(name)
    parts = name.split("/")
    leaves = path.is_absolute() or "\\" in name or "\0" in name or not all(parts) or {".", ".."} & set(parts)
    if leaves or parts[0] in (FILE, CACHE, PARTS):
        raise UnsafeName(repository, name)


def _remove_others(folder: Path, names: list[str]) -> None:
    """Files of another revision, left by an attempt that broke off, would be taken for part of this one."""
    for name, file in files_of(folder).items():
        if name not in names and not name.startswith(f"{PARTS}/"):
            file.unlink()


def _get(repository: str, commit: str, told: RepoSibling, folder: Path, progress: Progress) -> None:
    """One file, whole."""
    target = folder / told.rfilename
    task = progress.add_task(told.rfilename, total=told.size)
    if not _difference(target, told):
        progress.update(task, completed=told.size)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)  # it may be a link to another rSkill's file, which has to stay as it is
    cached = try_to_load_from_cache(repository, told.rfilename, revision=commit)
    if isinstance(cached, str):
        shutil.copyfile(cached, target)
    if not isinstance(cached, str) or _difference(target, told):
        part = folder / PARTS / f"{told.rfilename.replace('/', '--')}.{commit[:12]}"
        part.parent.mkdir(exist_ok=True)
        url = hf_hub_url(repository, told.rfilename, revision=commit)
        download_file(url, _headers(), target, part, lambda have: progress.update(task, completed=have))
    if problem := _difference(target, told):
        target.unlink()
        raise DownloadFailed(repository, f"{told.rfilename} {problem}")


def _headers() -> dict[str, str]:
    """The hub's own, with the user's token if there is one; never squeezed, so that bytes can be counted."""
    return {**build_hf_headers(), "Accept-Encoding": "identity"}


def _difference(file: Path, told: RepoSibling) -> str:
    """What a file is not that the hub says it is; "" if it is."""
    if not file.is_file():
        return "did not arrive"
    if told.size is not None and file.stat().st_size != told.size:
        return f"has {file.stat().st_size} of {told.size} bytes"
    if told.lfs is not None:
        same = sha256_of(file) == told.lfs.sha256
        return "" if same else f"has another sha256 than the hub says ({told.lfs.sha256[:12]}…)"
    if told.blob_id is None:
        return "has no digest at the hub to be compared with"
    return "" if blob_id_of(file) == told.blob_id else f"is not the blob {told.blob_id[:12]} of its revision"
