"""The one place that talks to the model hub: resumes, shows progress, honours HF_HUB_OFFLINE."""

from pathlib import Path

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

from openral_perception_ros.weights.fetching import DownloadFailed

PATTERNS = ["*.json", "*.safetensors", "*.txt", "*.model", "*.py", "*.jinja", "LICENSE*", "README.md"]


def download(repository: str, revision: str, folder: Path) -> str:
    """Bring one revision ("" = the newest) into a folder; its full commit.

    Raises:
        DownloadFailed: If the hub cannot be reached, does not have it, or is forbidden by offline mode.
    """
    try:
        commit = revision or str(HfApi().model_info(repository).sha)
        snapshot_download(repository, revision=commit, local_dir=folder, allow_patterns=PATTERNS)
    except (HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled, OSError) as error:
        raise DownloadFailed(repository, error) from error
    return commit
