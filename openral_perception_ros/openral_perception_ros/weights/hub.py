"""The one place that talks to the model hub; honours its cache, its token and HF_HUB_OFFLINE."""

import shutil
from pathlib import Path

from httpx2 import HTTPError
from huggingface_hub import HfApi, hf_hub_url, try_to_load_from_cache
from huggingface_hub.errors import OfflineModeIsEnabled
from huggingface_hub.hf_api import RepoSibling
from huggingface_hub.utils import build_hf_headers, filter_repo_objects
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from openral_perception_ros.weights.checksums import sha256_of
from openral_perception_ros.weights.fetching import DownloadFailed
from openral_perception_ros.weights.transfers import bring

PATTERNS = ["*.json", "*.safetensors", "*.txt", "*.model", "*.py", "*.jinja", "LICENSE*", "README.md"]
COLUMNS = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
PARTS = ".parts"


def download(repository: str, revision: str, folder: Path) -> str:
    """Bring one revision ("" = the newest) into a folder; its full commit.

    Files that are there already, or in the hub's own cache, are not fetched again; one that was broken off
    goes on where it ended.

    Raises:
        DownloadFailed: If the hub cannot be reached, does not have it, or is forbidden by offline mode; also
            if a file is not what the hub says it is.
    """
    try:
        info = HfApi().model_info(repository, revision=revision or None, files_metadata=True)
        commit, siblings = str(info.sha), {each.rfilename: each for each in info.siblings or []}
        with Progress(*COLUMNS, console=Console(stderr=True)) as progress:
            for name in filter_repo_objects(siblings, allow_patterns=PATTERNS):
                _get(repository, commit, siblings[name], folder, progress)
    except (HTTPError, OfflineModeIsEnabled, OSError) as error:
        raise DownloadFailed(repository, error) from error
    shutil.rmtree(folder / PARTS, ignore_errors=True)
    return commit


def _get(repository: str, commit: str, told: RepoSibling, folder: Path, progress: Progress) -> None:
    """One file, whole."""
    target = folder / told.rfilename
    task = progress.add_task(told.rfilename, total=told.size)
    if not _difference(target, told):
        progress.update(task, completed=told.size)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    cached = try_to_load_from_cache(repository, told.rfilename, revision=commit)
    if isinstance(cached, str):
        shutil.copyfile(cached, target)
    else:
        part = folder / PARTS / f"{told.rfilename.replace('/', '--')}.{commit[:12]}"
        part.parent.mkdir(exist_ok=True)
        url = hf_hub_url(repository, told.rfilename, revision=commit)
        bring(url, _headers(), target, part, lambda have: progress.update(task, completed=have))
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
    if told.lfs is not None and sha256_of(file) != told.lfs.sha256:
        return f"has another sha256 than the hub says ({told.lfs.sha256[:12]}…)"
    return ""
