"""Weights from the model hub."""

from collections.abc import Callable
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, Weights
from openral_perception_ros.engines.checkpoints import HUB, default_weights_folder
from openral_perception_ros.weights.checksums import check, digests_of
from openral_perception_ros.weights.records import Record

Download = Callable[[str, str, Path], str]
"""(repository, revision or "", folder) -> the revision that now lies in the folder."""


class NothingToFetch(OpenRALError):
    """A detector whose weights do not come from the hub."""

    def __init__(self, manifest: DetectorManifest) -> None:
        uri = manifest.weights.uri if manifest.weights else "none"
        super().__init__(f"{manifest.id!r} needs nothing fetched: its weights are {uri!r}")


class LicenceNotAccepted(OpenRALError):
    """Weights whose licence asks for the user's word."""

    def __init__(self, manifest: DetectorManifest) -> None:
        licence = manifest.licence
        super().__init__(
            f"{manifest.id!r} is under {licence.name} ({licence.url}), commercial use "
            f"{'allowed' if licence.commercial_use else 'not allowed'}: "
            f"to accept say --accept-licence {licence.accept}"
        )


class DownloadFailed(OpenRALError):
    """The hub could not be reached or does not have it."""

    def __init__(self, repository: str, reason: object) -> None:
        super().__init__(f"{repository} could not be fetched: {reason}; what arrived is kept, fetch again")


def fetch(
    manifest: DetectorManifest, weights_folder: str, accepted: tuple[str, ...], download: Download
) -> Record:
    """Fetch one detector's weights, check them and record what they are.

    Raises:
        NothingToFetch: If they do not come from the hub.
        LicenceNotAccepted: If its licence asks for a word that was not given.
        ChecksumDiffers: If a file is not what the manifest says.
    """
    weights = manifest.weights
    if weights is None or not weights.uri.startswith(HUB):
        raise NothingToFetch(manifest)
    if manifest.licence.accept and manifest.licence.accept not in accepted:
        raise LicenceNotAccepted(manifest)
    base = Path(weights_folder).expanduser() if weights_folder else default_weights_folder()
    folder = base / manifest.id
    folder.mkdir(parents=True, exist_ok=True)
    _borrow(base, folder, weights)
    revision = download(weights.uri.removeprefix(HUB), weights.revision, folder)
    check(folder, weights.files)
    licence = manifest.licence
    record = Record(
        rskill=manifest.id,
        uri=weights.uri,
        revision=revision,
        licence=licence.name,
        accepted=licence.accept,
        files=digests_of(folder),
    )
    record.write(folder)
    return record


def _borrow(base: Path, folder: Path, weights: Weights) -> None:
    """Link to what another rSkill of the same revision brought already."""
    for other in sorted(base.iterdir()):
        record = Record.read(other) if other != folder else None
        if record is None or (record.uri, record.revision) != (weights.uri, weights.revision):
            continue
        for name in record.files:
            target = folder / name
            if (other / name).is_file() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.hardlink_to(other / name)
