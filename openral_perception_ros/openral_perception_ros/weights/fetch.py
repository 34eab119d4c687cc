"""Weights from the model hub: brought into a fresh folder, checked, and put in place whole."""
# MERGED What there is of each detector on this machine.

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, Weights
from openral_perception_ros.engines.base import BRINGS_CODE
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, candidate_folders, default_weights_folder
from openral_perception_ros.engines.errors import WeightsRefused
from openral_perception_ros.engines.provenance import HUB, verify
from openral_perception_ros.engines.weights_record import (
    FILE,
    ChecksumDiffers,
    InvalidRecord,
    WeightsRecord,
    check,
    digests_of,
    files_of,
)
from openral_perception_ros.weights.export import ENGINE

FRESH, OLD = ".fetching", ".old"
"""Beside the folder of an rSkill, while its weights are being fetched and while they take its place."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a download left in its folder: the full commit, and git's blob ids of files that are not LFS."""

    revision: str
    blobs: Mapping[str, str] = field(default_factory=dict)


Download = Callable[[str, str, Path], Fetched]
"""(repository, revision or "", folder) -> what lies in the folder now: this and nothing else."""


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
    """The hub could not be reached, does not have it, or sent something else."""

    def __init__(self, repository: str, reason: object) -> None:
        super().__init__(f"{repository} could not be fetched: {reason}; what arrived is kept, fetch again")


class RevisionDiffers(OpenRALError):
    """A hub that answered with another commit than the one asked for."""

    def __init__(self, repository: str, pinned: str, found: str) -> None:
        super().__init__(
            f"{repository}: the hub sent revision {found[:12]} in place of the pinned {pinned[:12]}"
        )


def fetch(
    manifest: DetectorManifest, weights_folder: str, accepted: tuple[str, ...], download: Download
) -> WeightsRecord:
    """Fetch one detector's weights, check them, record what they are, and only then put them in place.

    Raises:
        NothingToFetch: If they do not come from the hub.
        LicenceNotAccepted: If its licence asks for a word that was not given.
        RevisionDiffers: If the hub sent another commit than the pinned one.
        ChecksumDiffers: If a file is not what the manifest says; what was fetched is removed.
    """
    weights, licence = manifest.weights, manifest.licence
    if weights is None or not weights.uri.startswith(HUB):
        raise NothingToFetch(manifest)
    if licence.accept and licence.accept not in accepted:
        raise LicenceNotAccepted(manifest)
    base = Path(weights_folder).expanduser() if weights_folder else default_weights_folder()
    folder, fresh = base / manifest.id, base / f".{manifest.id}{FRESH}"
    _restore(folder)
    fresh.mkdir(parents=True, exist_ok=True)
    _borrow(base, folder, fresh, weights)
    repository = weights.uri.removeprefix(HUB)
    fetched = download(repository, weights.revision, fresh)
    try:
        if weights.revision and fetched.revision != weights.revision:
            raise RevisionDiffers(repository, weights.revision, fetched.revision)
        check(fresh, weights.files)
    except (ChecksumDiffers, RevisionDiffers):
        shutil.rmtree(fresh)
        raise
    exported = _keep_exported(folder, fresh, fetched.revision)
    record = WeightsRecord(
        rskill=manifest.id,
        uri=weights.uri,
        revision=fetched.revision,
        licence=licence.name,
        accepted=licence.accept,
        files=digests_of(fresh),
        blobs=dict(fetched.blobs),
        exported=exported,
    )
    record.write(fresh)
    _put_in_place(fresh, folder)
    return record


def _known(folder: Path) -> WeightsRecord | None:
    """The record of a folder as far as it can be read; one that is torn tells nothing."""
    try:
        return WeightsRecord.read(folder)
    except InvalidRecord:
        return None


def _borrow(base: Path, folder: Path, fresh: Path, weights: Weights) -> None:
    """Link to what lies here already; the download compares all of it with the hub."""
    if folder.is_dir():
        _link(folder, fresh, files_of(folder))
    for other in sorted(each for each in base.iterdir() if each.is_dir() and each != fresh):
        record = _known(other)
        if record is not None and record.uri == weights.uri:
            _link(other, fresh, record.files)


def _keep_exported(folder: Path, fresh: Path, revision: str) -> tuple[str, ...]:
    """Link to what was made here from the same revision: an export needs an environment of its own."""
    record = _known(folder)
    if record is None or record.revision != revision:
        return ()
    made = {name: record.files[name] for name in record.exported if name in record.files}
    try:
        check(folder, made)
    except ChecksumDiffers:
        return ()
    _link(folder, fresh, made)
    return tuple(made)


def _link(source: Path, target: Path, names: Iterable[str]) -> None:
    for name in names:
        linked = target / name
        if (source / name).is_file() and not linked.exists():
            linked.parent.mkdir(parents=True, exist_ok=True)
            linked.hardlink_to(source / name)


def _put_in_place(fresh: Path, folder: Path) -> None:
    old = folder.with_name(f".{folder.name}{OLD}")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _restore(folder: Path) -> None:
    """Put back what an attempt left beside its place when it was ended between two renames."""
    old = folder.with_name(f".{folder.name}{OLD}")
    if old.exists() and not folder.exists():
        old.rename(folder)


MODEL_FILE = "model.onnx"
HERE, MISSING, NOT_NEEDED, NOT_EXPORTED = "here", "missing", "needs none", "to be exported"
REFUSED = "to be fetched again"
"""Something lies there that no engine loads."""


@dataclass(frozen=True, slots=True)
class WeightsStatus:
    """One row of the list; ``size`` in [MB], ``problem`` why weights that lie there are not loaded."""

    rskill: str
    licence: str
    commercial_use: bool
    revision: str
    state: str
    size: float = 0.0
    problem: str = ""


def weights_status(manifest: DetectorManifest, folder: Path, weights_folder: str) -> WeightsStatus:
    """Whether a detector's weights are here as an engine would load them, and under which licence."""
    licence, pinned = manifest.licence, manifest.weights.revision if manifest.weights else ""
    if manifest.weights is None:
        return WeightsStatus(manifest.id, licence.name, licence.commercial_use, "", NOT_NEEDED)
    for each in candidate_folders(manifest, folder, weights_folder):
        if any((each / name).is_file() for name in (CONFIG_FILE, FILE, MODEL_FILE)):
            state, problem = _state(manifest, each)
            revision, size = _revision(each) or pinned or each.name, _size(each)
            return WeightsStatus(
                manifest.id, licence.name, licence.commercial_use, revision, state, size, problem
            )
    return WeightsStatus(manifest.id, licence.name, licence.commercial_use, pinned, MISSING)


def _state(manifest: DetectorManifest, folder: Path) -> tuple[str, str]:
    try:
        verify(manifest, folder, (), manifest.engine in BRINGS_CODE)
    except WeightsRefused as error:
        return REFUSED, "; ".join(error.problems)
    if manifest.engine != ENGINE:
        return HERE, ""
    if not (folder / MODEL_FILE).is_file():
        return NOT_EXPORTED, ""
    try:
        verify(manifest, folder, (MODEL_FILE,))
    except WeightsRefused as error:
        return NOT_EXPORTED, "; ".join(error.problems)
    return HERE, ""


def _revision(folder: Path) -> str:
    try:
        record = WeightsRecord.read(folder)
    except InvalidRecord:
        return ""
    return record.revision if record else ""


def _size(folder: Path) -> float:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) / 1e6
