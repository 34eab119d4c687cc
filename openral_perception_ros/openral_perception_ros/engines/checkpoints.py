"""Where a detector's weights lie on this machine; nothing here downloads."""

import os
from pathlib import Path

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.errors import MissingWeights
from openral_perception_ros.engines.provenance import HUB, verify

CONFIG_FILE = "config.json"
PREPROCESSOR_FILE = "preprocessor_config.json"
FILE = "file://"


def default_weights_folder() -> Path:
    """Where exported and converted weights are kept unless told otherwise."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "openral" / "weights"


def hub_cache() -> Path:
    """The standard cache of the model hub, from its own environment variables."""
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    return Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser() / "hub"


def candidate_folders(manifest: DetectorManifest, folder: Path, weights_folder: str) -> tuple[Path, ...]:
    """Folders that may hold the weights, in the order they are looked at."""
    own = Path(weights_folder).expanduser() if weights_folder else default_weights_folder()
    uri = manifest.weights.uri if manifest.weights else ""
    if uri.startswith(FILE):
        return (folder / uri.removeprefix(FILE),)
    if uri.startswith(HUB):
        return own / manifest.id, _snapshot(uri.removeprefix(HUB), manifest)
    return (own / manifest.id,)


def checkpoint_folder(
    manifest: DetectorManifest,
    folder: Path,
    weights_folder: str,
    needed: tuple[str, ...],
    brings_code: bool = False,
) -> Path:
    """The first folder that has every needed file, checked; see `verify`.

    Raises:
        MissingWeights: Naming where it looked and the command to run.
        WeightsRefused: If they are not those that the manifest means; no other folder is taken instead.
    """
    looked = candidate_folders(manifest, folder, weights_folder)
    for each in looked:
        if all((each / name).is_file() for name in needed):
            verify(manifest, each, needed, brings_code)
            return each
    has_checkpoint = any((each / CONFIG_FILE).is_file() for each in looked)
    raise MissingWeights(manifest.id, looked, "export" if has_checkpoint else "fetch")


def _snapshot(repository: str, manifest: DetectorManifest) -> Path:
    """The pinned revision in the hub cache; without a pin, the one fetched last."""
    folder = hub_cache() / f"models--{repository.replace('/', '--')}"
    pinned = manifest.weights.revision if manifest.weights else ""
    fetched = folder / "refs" / "main"
    return folder / "snapshots" / (pinned or (fetched.read_text().strip() if fetched.is_file() else "main"))
