"""Checks before weights are loaded: the pinned revision, unchanged files, known code."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.errors import WeightsRefused
from openral_perception_ros.engines.weights_record import (
    InvalidRecord,
    KnownDigests,
    WeightsRecord,
    blob_id_of,
    files_of,
    problems_of,
    sha256_of,
)

HUB = "hf://"
SNAPSHOTS = "snapshots"
_GIT, _SHA256 = re.compile(r"[0-9a-f]{40}"), re.compile(r"[0-9a-f]{64}")


def verify(
    manifest: DetectorManifest, folder: Path, needed: Sequence[str] = (), brings_code: bool = False
) -> None:
    """Refuse weights that are not those which the manifest names.

    From the hub they need a record of their revision and files, as ``openral weights fetch`` writes it, or
    the names that the hub's own cache gives to contents. Weights beside the manifest need its pins alone.

    Args:
        manifest: Its pins count above every record.
        folder: Where the weights lie.
        needed: Files that will be read for certain.
        brings_code: Whether code of this folder will be run: then every file must be known, and of code
            also the blob in the pinned commit.

    Raises:
        WeightsRefused: Naming every reason and the command that brings the right ones.
    """
    problems = list(_problems(manifest, folder, needed, brings_code))
    if problems:
        raise WeightsRefused(manifest.id, folder, problems)


def _problems(
    manifest: DetectorManifest, folder: Path, needed: Sequence[str], brings_code: bool
) -> Iterator[str]:
    weights = manifest.weights
    if weights is None:
        return
    pins, code = dict(weights.files), set(weights.files)
    if not weights.uri.startswith(HUB):
        yield from problems_of(folder, pins)
        known = set(pins)
    elif folder.parent.name == SNAPSHOTS:
        yield from _cache_problems(folder, pins)
        known = code = set(files_of(folder))
    else:
        try:
            record = WeightsRecord.read(folder)
        except InvalidRecord as error:
            yield str(error)
            return
        if record is None:
            yield "there is no record of where these files came from"
            return
        yield from _record_problems(manifest, record, folder)
        known, code = set(record.files), code | set(record.blobs)
        yield from (f"{name} is not in the record" for name in needed if name not in known)
    if brings_code:
        yield from _code_problems(folder, known, code)


def _record_problems(manifest: DetectorManifest, record: WeightsRecord, folder: Path) -> Iterator[str]:
    weights = manifest.weights
    if weights is None:
        return
    if record.uri != weights.uri:
        yield f"they came from {record.uri}, the manifest names {weights.uri}"
    if weights.revision and record.revision != weights.revision:
        yield f"they are of revision {record.revision[:12]}, the manifest pins {weights.revision[:12]}"
    pinned = {name: digest for name, digest in weights.files.items() if (folder / name).exists()}
    known = KnownDigests(folder)
    yield from problems_of(folder, {**record.files, **pinned}, known.digest)
    known.save()


def _cache_problems(folder: Path, pins: Mapping[str, str]) -> Iterator[str]:
    """Of a snapshot in the hub's cache: links to contents named by git's blob id or by sha256.

    Source: huggingface_hub, "Understand caching".
    """
    for name, file in files_of(folder).items():
        blob = file.resolve().name if file.is_symlink() else ""
        digest = sha256_of(file) if file.is_file() else ""
        if name in pins and digest != pins[name]:
            yield f"{name} has sha256 {digest[:12]}…, expected {pins[name][:12]}…"
        elif name in pins or (_SHA256.fullmatch(blob) and digest == blob):
            continue
        elif not (_GIT.fullmatch(blob) and file.is_file() and blob_id_of(file) == blob):
            yield f"{name} is not the content that the hub's cache names"


def _code_problems(folder: Path, known: set[str], code: set[str]) -> Iterator[str]:
    for name, file in files_of(folder).items():
        if name not in known:
            yield f"{name} is in no record and not pinned"
        elif file.suffix == ".py" and name not in code:
            yield f"{name} is code whose blob was not recorded"
        elif file.suffix == ".json" and (foreign := _foreign_code(file)):
            yield f"{name} takes its code from {foreign}, which nothing pins"


def _foreign_code(file: Path) -> str:
    """Another repository that a configuration takes code from: ``auto_map`` names it before ``--``."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return ""
    return next((name.partition("--")[0] for name in _mapped(content) if "--" in name), "")


def _mapped(content: object) -> Iterator[str]:
    """Every string below an ``auto_map``, wherever it stands."""
    waiting: list[tuple[object, bool]] = [(content, False)]
    while waiting:
        value, inside = waiting.pop()
        if isinstance(value, dict):
            waiting += [(each, inside or key == "auto_map") for key, each in value.items()]
        elif isinstance(value, list):
            waiting += [(each, inside) for each in value]
        elif inside and isinstance(value, str):
            yield value
