"""Fetch weights into a fresh folder, verify and install them atomically; status of local weights."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, Weights
from openral_perception_ros.engines.checkpoints import CONFIG_FILE, candidate_folders
from openral_perception_ros.engines.errors import WeightsRefused
from openral_perception_ros.engines.provenance import verify
from openral_perception_ros.engines.weights_record import (
    RECORD_FILE,
    ChecksumDiffers,
    InvalidRecord,
    WeightsRecord,
    check,
    default_weights_folder,
    digests_of,
    files_of,
)
from openral_perception_ros.weights.download import Fetched

MODEL_FILE = "model.onnx"
MODEL_ENGINE = "onnx"
EXPORTED_ENGINE = "rtdetr_onnx"
"""Engine that reads an exported ONNX file instead of the checkpoint."""
CONVERTERS = "openral.converters"
"""Group of entry points, by format: (topology, weights, input size) -> `onnx.ModelProto`."""
FRESH, OLD = ".fetching", ".old"
"""Suffixes of the folders beside an rSkill's, during the download and during replacement."""


Download = Callable[[Weights, Path], Fetched]
"""(source, folder) -> exact content of the folder afterwards."""


class NothingToFetch(OpenRALError):
    """A detector whose weights are not on a server."""

    def __init__(self, manifest: DetectorManifest) -> None:
        uri = manifest.weights.uri if manifest.weights else ""
        reason = f"its weights are {uri!r}, beside its manifest" if uri else "it needs no weights"
        super().__init__(f"{manifest.id!r} has nothing to fetch: {reason}")


class LicenceNotAccepted(OpenRALError):
    """Weights whose licence must be accepted first."""

    def __init__(self, manifest: DetectorManifest) -> None:
        licence = manifest.licence
        super().__init__(
            f"{manifest.id!r} is under {licence.name} ({licence.url}), commercial use "
            f"{'allowed' if licence.commercial_use else 'not allowed'}: "
            f"accept it with --accept-licence {licence.accept}"
        )


class FetchInProgress(OpenRALError):
    """Weights that another process is fetching into the same folder."""

    def __init__(self, rskill_id: str, folder: Path) -> None:
        super().__init__(
            f"the weights of {rskill_id!r} are being fetched into {folder} by another process: "
            "wait until it has ended, then run the command again"
        )


class RevisionDiffers(OpenRALError):
    """The hub returned another commit than requested."""

    def __init__(self, repository: str, pinned: str, received: str) -> None:
        super().__init__(
            f"{repository}: the hub sent revision {received[:12]} instead of the pinned {pinned[:12]}"
        )


class NoConverter(OpenRALError):
    """A network in ncnn's format, in an environment without what converts it."""

    def __init__(self, rskill_id: str) -> None:
        super().__init__(
            f"the network of {rskill_id!r} is converted by the package openral_testing, which is not in this "
            "environment: run `make build`"
        )


class SizeDiffers(OpenRALError):
    """Files that are not as large as the manifest declares."""

    def __init__(self, problems: Iterable[str]) -> None:
        super().__init__(f"{'; '.join(problems)}: correct 'sizes' of the manifest")


def fetch(
    manifest: DetectorManifest, weights_folder: str, accepted: tuple[str, ...], download: Download
) -> WeightsRecord:
    """Fetch a detector's weights, verify and record them, then install them atomically.

    Raises:
        NothingToFetch: If its weights are not on a server.
        LicenceNotAccepted: If its licence must be accepted first.
        FetchInProgress: If another process is fetching them into the same folder.
        RevisionDiffers: If the hub sent another commit than the pinned one.
        ChecksumDiffers: If a file does not match the manifest; the download is removed.
        SizeDiffers: If a file has another size than declared; the download is removed.
    """
    weights, licence = manifest.weights, manifest.licence
    if weights is None or not weights.remote:
        raise NothingToFetch(manifest)
    if licence.accept and licence.accept not in accepted:
        raise LicenceNotAccepted(manifest)
    base = Path(weights_folder).expanduser() if weights_folder else default_weights_folder()
    with staging_folder(base, manifest.id) as fresh:
        return fetch_into(fresh, base / manifest.id, manifest, weights, download)


@contextmanager
def staging_folder(base: Path, rskill_id: str) -> Iterator[Path]:
    """Create the folder of a download and hold its lock, which ends with the process that holds it.

    Raises:
        FetchInProgress: If another process holds it.
    """
    fresh = base / f".{rskill_id}{FRESH}"
    fresh.mkdir(parents=True, exist_ok=True)
    held = os.open(fresh, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(fresh.stat(), os.fstat(held)):  # put in place meanwhile
                raise FetchInProgress(rskill_id, base)
        except (BlockingIOError, FileNotFoundError) as error:
            raise FetchInProgress(rskill_id, base) from error
        yield fresh
    finally:
        os.close(held)


def fetch_into(
    fresh: Path, folder: Path, manifest: DetectorManifest, weights: Weights, download: Download
) -> WeightsRecord:
    """Download into the staging folder ``fresh``, verify and record, and put it in place of ``folder``."""
    restore_folder(folder)
    link_existing(folder, fresh, weights)
    fetched = download(weights, fresh)
    try:
        if weights.revision and fetched.revision != weights.revision:
            raise RevisionDiffers(weights.uri, weights.revision, fetched.revision)
        check(fresh, weights.files)
        check_sizes(fresh, weights.sizes)
    except (ChecksumDiffers, RevisionDiffers, SizeDiffers):
        shutil.rmtree(fresh)
        raise
    exported = convert_network(fresh, manifest) or keep_exported(folder, fresh, fetched.revision)
    record = WeightsRecord(
        rskill=manifest.id,
        uri=weights.uri,
        revision=fetched.revision,
        licence=manifest.licence.name,
        accepted=manifest.licence.accept,
        files=digests_of(fresh),
        blobs=dict(fetched.blobs),
        exported=exported,
    )
    record.write(fresh)
    replace_folder(fresh, folder)
    return record


def convert_network(folder: Path, manifest: DetectorManifest) -> tuple[str, ...]:
    """Convert a network in ncnn's format to the engine's file; return the names of what was made.

    Raises:
        NoConverter: If nothing that converts it is installed.
        UnsupportedNetwork: If it has an operation that is not covered.
    """
    names = manifest.weights.files if manifest.weights else ()
    param = next((folder / name for name in names if name.endswith(".param")), None)
    if param is None or manifest.input_size is None:
        return ()
    for entry in entry_points(group=CONVERTERS, name="ncnn"):
        model = entry.load()(param, param.with_suffix(".bin"), manifest.input_size)
        (folder / MODEL_FILE).write_bytes(model.SerializeToString())
        return (MODEL_FILE,)
    raise NoConverter(manifest.id)


def check_sizes(folder: Path, declared: Mapping[str, int]) -> None:
    """Compare files with the sizes that the manifest declares [bytes].

    Raises:
        SizeDiffers: Naming every file of another size.
    """
    sizes = {name: (folder / name).stat().st_size for name in declared}
    if problems := [
        f"{name} has {size} bytes, the manifest declares {declared[name]}"
        for name, size in sizes.items()
        if size != declared[name]
    ]:
        raise SizeDiffers(problems)


def readable_record(folder: Path) -> WeightsRecord | None:
    """Read the record of a folder; None if it is missing or corrupt."""
    try:
        return WeightsRecord.read(folder)
    except InvalidRecord:
        return None


def link_existing(folder: Path, fresh: Path, weights: Weights) -> None:
    """Link files that exist locally; the download compares all of them with the hub."""
    if folder.is_dir():
        link_files(folder, fresh, files_of(folder))
    for other in sorted(each for each in folder.parent.iterdir() if each.is_dir() and each != fresh):
        record = readable_record(other)
        if record is not None and record.uri == weights.uri:
            link_files(other, fresh, record.files)


def keep_exported(folder: Path, fresh: Path, revision: str) -> tuple[str, ...]:
    """Link exports of the same revision: repeating them needs an environment of its own."""
    record = readable_record(folder)
    if record is None or record.revision != revision:
        return ()
    made = {name: record.files[name] for name in record.exported if name in record.files}
    try:
        check(folder, made)
    except ChecksumDiffers:
        return ()
    link_files(folder, fresh, made)
    return tuple(made)


def link_files(source: Path, target: Path, names: Iterable[str]) -> None:
    """Hard-link those of the files that ``source`` has and ``target`` lacks."""
    for name in names:
        linked = target / name
        if (source / name).is_file() and not linked.exists():
            linked.parent.mkdir(parents=True, exist_ok=True)
            linked.hardlink_to(source / name)


def replace_folder(fresh: Path, folder: Path) -> None:
    """Rename ``fresh`` to ``folder``; at every moment one of the old and the new content is complete."""
    old = folder.with_name(f".{folder.name}{OLD}")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def restore_folder(folder: Path) -> None:
    """Restore the previous folder if an earlier attempt ended between two renames."""
    old = folder.with_name(f".{folder.name}{OLD}")
    if old.exists() and not folder.exists():
        old.rename(folder)


HERE, MISSING, NOT_NEEDED, NOT_EXPORTED = "here", "missing", "needs none", "to be exported"
REFUSED = "to be fetched again"
"""State of weights that fail verification."""


@dataclass(frozen=True, slots=True)
class WeightsStatus:
    """Status of a detector's weights; ``problem`` explains why they cannot be loaded.

    ``size`` [MB] is that of the files on this machine, ``declared`` [MB] what the manifest declares.
    """

    rskill: str
    licence: str
    commercial_use: bool
    revision: str
    state: str
    size: float = 0.0
    problem: str = ""
    declared: float = 0.0


def weights_status(manifest: DetectorManifest, folder: Path, weights_folder: str) -> WeightsStatus:
    """Check a detector's weights as its engine would load them."""
    licence, pinned = manifest.licence, manifest.weights.revision if manifest.weights else ""
    if manifest.weights is None:
        return WeightsStatus(manifest.id, licence.name, licence.commercial_use, "", NOT_NEEDED)
    for each in candidate_folders(manifest, folder, weights_folder):
        if any((each / name).is_file() for name in (CONFIG_FILE, RECORD_FILE, MODEL_FILE)):
            state, problem = loadable_state(manifest, each)
            record = readable_record(each)
            revision = (record.revision if record else "") or pinned or each.name
            size = sum(file.stat().st_size for file in each.rglob("*") if file.is_file()) / 1e6
            return WeightsStatus(
                manifest.id, licence.name, licence.commercial_use, revision, state, size, problem
            )
    declared = sum(manifest.weights.sizes.values()) / 1e6
    return WeightsStatus(
        manifest.id, licence.name, licence.commercial_use, pinned, MISSING, declared=declared
    )


def loadable_state(manifest: DetectorManifest, folder: Path) -> tuple[str, str]:
    """Return the state of the weights in a folder, and why they cannot be loaded."""
    try:
        verify(manifest, folder, (MODEL_FILE,) if manifest.engine == MODEL_ENGINE else ())
    except WeightsRefused as error:
        return REFUSED, "; ".join(error.problems)
    if manifest.engine != EXPORTED_ENGINE:
        return HERE, ""
    if not (folder / MODEL_FILE).is_file():
        return NOT_EXPORTED, ""
    try:
        verify(manifest, folder, (MODEL_FILE,))
    except WeightsRefused as error:
        return NOT_EXPORTED, "; ".join(error.problems)
    return HERE, ""
