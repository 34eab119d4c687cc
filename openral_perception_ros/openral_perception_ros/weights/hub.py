"""Client of the model hub with resumable downloads; honours its cache, its token and HF_HUB_OFFLINE."""

import shutil
from functools import partial
from pathlib import Path, PurePosixPath

from httpx2 import HTTPError
from huggingface_hub import HfApi, hf_hub_url, try_to_load_from_cache
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.hf_api import RepoSibling
from huggingface_hub.utils import build_hf_headers, filter_repo_objects, get_session
from rich.progress import Progress

from openral_core.errors import OpenRALError
from openral_core.rskills import HTTPS, HUB, Weights
from openral_perception_ros.engines.weights_record import (
    DIGEST_CACHE_FILE,
    RECORD_FILE,
    blob_id_of,
    files_of,
    sha256_of,
)
from openral_perception_ros.weights.download import (
    PARTS,
    DownloadFailed,
    Fetched,
    advance,
    download_file,
    download_https,
    progress_bar,
)

PATTERNS = ["*.json", "*.safetensors", "*.txt", "*.model", "*.py", "*.jinja", "LICENSE*", "README.md"]


class UnsafeName(OpenRALError):
    """A file name that would leave its folder or overwrite our own records."""

    def __init__(self, repository: str, name: str) -> None:
        super().__init__(
            f"{repository} could not be fetched: the hub lists a file with the unsafe name {name!r}"
        )


def download(weights: Weights, folder: Path, mirror: str = "") -> Fetched:
    """Download the weights into a folder, which contains nothing else afterwards.

    Weights at ``https://`` come from there, or from a mirror: see `download_https`. From the hub comes one
    revision, the latest one without a pin.

    Files that exist in the folder or in the hub's cache and match the hub's digests are not downloaded again;
    interrupted downloads resume.

    Raises:
        DownloadFailed: If the server is unreachable or offline mode is on, it lacks the repository, or a
            file does not match the hub's digest.
        FileTooLarge, UnsafeRedirect, UnexpectedContent: See `fetch_pinned`.
        UnsafeName: If a file would be written outside the folder.
    """
    if weights.uri.startswith(HTTPS):
        _remove_others(folder, list(weights.files))
        return download_https(weights, folder, mirror)
    return _download_revision(weights.uri.removeprefix(HUB), weights.revision, folder)


def _download_revision(repository: str, revision: str, folder: Path) -> Fetched:
    try:
        info = HfApi().model_info(repository, revision=revision or None, files_metadata=True)
        commit, siblings = str(info.sha), {item.rfilename: item for item in info.siblings or []}
        names = sorted(filter_repo_objects(siblings, allow_patterns=PATTERNS))
        for name in names:
            _refuse_unsafe(repository, name)
        _remove_others(folder, names)
        with progress_bar() as progress:
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
    if leaves or parts[0] in (RECORD_FILE, DIGEST_CACHE_FILE, PARTS):
        raise UnsafeName(repository, name)


def _remove_others(folder: Path, names: list[str]) -> None:
    """Remove files of another revision that an interrupted attempt left."""
    for name, file in files_of(folder).items():
        if name not in names and not name.startswith(f"{PARTS}/"):
            file.unlink()


def _get(repository: str, commit: str, sibling: RepoSibling, folder: Path, progress: Progress) -> None:
    """Bring one file up to date and verify it."""
    target = folder / sibling.rfilename
    task = progress.add_task(sibling.rfilename, total=sibling.size)
    if not _difference(target, sibling):
        progress.update(task, completed=sibling.size)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)  # it may be a hard link to another rSkill's file
    cached = try_to_load_from_cache(repository, sibling.rfilename, revision=commit)
    if isinstance(cached, str):
        shutil.copyfile(cached, target)
    if not isinstance(cached, str) or _difference(target, sibling):
        part = folder / PARTS / f"{sibling.rfilename.replace('/', '--')}.{commit[:12]}"
        part.parent.mkdir(exist_ok=True)
        url = hf_hub_url(repository, sibling.rfilename, revision=commit)
        on_bytes = partial(advance, progress, task)
        download_file(get_session(), url, target, part, on_bytes, _headers())
    if problem := _difference(target, sibling):
        target.unlink()
        raise DownloadFailed(repository, f"{sibling.rfilename} {problem}")


def _headers() -> dict[str, str]:
    """Build the hub's headers with the user's token; uncompressed, so that bytes can be counted."""
    return {**build_hf_headers(), "Accept-Encoding": "identity"}


def _difference(file: Path, sibling: RepoSibling) -> str:
    """Describe how a file differs from the hub's metadata; "" if it matches."""
    if not file.is_file():
        return "is missing"
    if sibling.size is not None and file.stat().st_size != sibling.size:
        return f"has {file.stat().st_size} of {sibling.size} bytes"
    if sibling.lfs is not None:
        same = sha256_of(file) == sibling.lfs.sha256
        return "" if same else f"does not have the sha256 of the hub ({sibling.lfs.sha256[:12]}…)"
    if sibling.blob_id is None:
        return "has no digest at the hub"
    return (
        ""
        if blob_id_of(file) == sibling.blob_id
        else f"is not the blob {sibling.blob_id[:12]} of its revision"
    )
