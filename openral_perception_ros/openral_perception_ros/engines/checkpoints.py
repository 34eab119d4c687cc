"""Location of a detector's weights on this machine; never downloads."""

import os
from pathlib import Path

from openral_core.rskills import HUB, DetectorManifest
from openral_perception_ros.engines.errors import MissingWeights
from openral_perception_ros.engines.provenance import verify
from openral_perception_ros.engines.weights_record import default_weights_folder

CONFIG_FILE = "config.json"
PREPROCESSOR_FILE = "preprocessor_config.json"
FILE_SCHEME = "file://"


def hub_cache() -> Path:
    """Return the standard cache folder of the model hub, honouring its environment variables."""
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    return Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser() / "hub"


def candidate_folders(manifest: DetectorManifest, folder: Path, weights_folder: str) -> tuple[Path, ...]:
    """Return the folders that may hold the weights, in search order."""
    own = Path(weights_folder).expanduser() if weights_folder else default_weights_folder()
    uri = manifest.weights.uri if manifest.weights else ""
    if uri.startswith(FILE_SCHEME):
        return (folder / uri.removeprefix(FILE_SCHEME),)
    if uri.startswith(HUB):
        return own / manifest.id, hub_snapshot(uri.removeprefix(HUB), manifest)
    return (own / manifest.id,)


def checkpoint_folder(
    manifest: DetectorManifest, folder: Path, weights_folder: str, needed: tuple[str, ...]
) -> Path:
    """Return the first folder with all needed files after verifying it; see `verify`.

    Raises:
        MissingWeights: Naming the searched folders and the command to run.
        WeightsRefused: If its files do not match the manifest; no other folder is tried.
    """
    searched = candidate_folders(manifest, folder, weights_folder)
    for candidate in searched:
        if all((candidate / name).is_file() for name in needed):
            verify(manifest, candidate, needed)
            return candidate
    has_checkpoint = any((candidate / CONFIG_FILE).is_file() for candidate in searched)
    raise MissingWeights(manifest, searched, "export" if has_checkpoint else "fetch", needed)


def hub_snapshot(repository: str, manifest: DetectorManifest) -> Path:
    """Return the pinned revision in the hub cache, or the latest fetched one without a pin."""
    folder = hub_cache() / f"models--{repository.replace('/', '--')}"
    pinned = manifest.weights.revision if manifest.weights else ""
    fetched = folder / "refs" / "main"
    return folder / "snapshots" / (pinned or (fetched.read_text().strip() if fetched.is_file() else "main"))
