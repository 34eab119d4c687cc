"""Verification of weights before they are loaded: pinned revision, unchanged files, known code."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from openral_core.files import read_bytes
from openral_core.parsing import MAX_JSON, InvalidText, parse_json
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines.errors import WeightsRefused
from openral_perception_ros.engines.weights_record import (
    InvalidRecord,
    KnownDigests,
    WeightsRecord,
    blob_id_of,
    default_weights_folder,
    files_of,
    problem_of_file,
    problems_of,
)

SNAPSHOTS = "snapshots"
_GIT, _SHA256 = re.compile(r"[0-9a-f]{40}"), re.compile(r"[0-9a-f]{64}")


class ModelCode(StrEnum):
    """Code that runs a vision-language model: that of its checkpoint, or that of transformers."""

    CHECKPOINT = "checkpoint"
    TRANSFORMERS = "transformers"


def brings_code(manifest: DetectorManifest) -> bool:
    """Test if the engine executes code shipped with the weights."""
    code = manifest.options.get("model_code", ModelCode.CHECKPOINT)
    return manifest.engine == "vlm_grounding" and code != ModelCode.TRANSFORMERS


def verify(manifest: DetectorManifest, folder: Path, needed: Sequence[str] = ()) -> None:
    """Verify that weights are the ones the manifest names.

    Weights from a server need a record of revision and files, as ``openral weights fetch`` writes it, or the
    content-addressed names of the hub's own cache. Weights beside the manifest need only its pins. If code in
    this folder will run, every file must be known, and code also by its blob in the pinned commit.

    Args:
        manifest: Its pins take precedence over every record.
        needed: Files that will be read.

    Raises:
        WeightsRefused: Naming every problem and the command that fetches the right weights.
    """
    problems = list(problems_of_weights(manifest, folder, needed))
    if problems:
        raise WeightsRefused(manifest, folder, problems)


def problems_of_weights(manifest: DetectorManifest, folder: Path, needed: Sequence[str]) -> Iterator[str]:
    """Yield why the weights are not the ones the manifest names; arguments as in `verify`."""
    weights = manifest.weights
    if weights is None:
        return
    pins, code = dict(weights.files), set(weights.files)
    yield from (f"{name}: {content}" for name, content in _foreign_files(folder, needed) if name not in pins)
    if not weights.remote:
        yield from problems_of(folder, pins)
        names = set(pins)
    elif folder.parent.name == SNAPSHOTS:
        yield from _cache_problems(folder, pins)
        names = code = set(files_of(folder))
    else:
        try:
            record = WeightsRecord.read(folder)
        except InvalidRecord as error:
            yield str(error)
            return
        if record is None:
            yield "no record of the origin of these files"
            return
        yield from _record_problems(manifest, record, folder)
        names, code = set(record.files), code | set(record.blobs)
        yield from (f"{name} is not in the record" for name in needed if name not in names)
    if brings_code(manifest):
        yield from _code_problems(folder, names, code)


def _foreign_files(folder: Path, needed: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in needed:
        if (folder / name).is_file() and (content := problem_of_file(folder / name)):
            yield name, content


def _record_problems(manifest: DetectorManifest, record: WeightsRecord, folder: Path) -> Iterator[str]:
    weights = manifest.weights
    if weights is None:
        return
    if record.uri != weights.uri:
        yield f"fetched from {record.uri}, but the manifest names {weights.uri}"
    if weights.revision and record.revision != weights.revision:
        yield f"revision {record.revision[:12]}, but the manifest pins {weights.revision[:12]}"
    pinned = {name: digest for name, digest in weights.files.items() if (folder / name).exists()}
    digests = KnownDigests(folder)
    yield from problems_of(folder, {**record.files, **pinned}, digests.digest)
    digests.save()


def _cache_problems(folder: Path, pins: Mapping[str, str]) -> Iterator[str]:
    """Check a snapshot in the hub's cache: links to files named by their git blob id or sha256.

    Source: huggingface_hub, "Understand caching".
    """
    repository, revision = folder.parents[1].name, folder.name
    digests = KnownDigests(folder, default_weights_folder() / ".hub" / f"{repository}--{revision}.json")
    for name, file in files_of(folder).items():
        blob = file.resolve().name if file.is_symlink() else ""
        digest = digests.digest(file) if file.is_file() else ""
        if name in pins and digest != pins[name]:
            yield f"{name} has sha256 {digest[:12]}…, expected {pins[name][:12]}…"
        elif name in pins or (_SHA256.fullmatch(blob) and digest == blob):
            continue
        elif not (_GIT.fullmatch(blob) and file.is_file() and blob_id_of(file) == blob):
            yield f"{name} does not match its digest in the hub's cache"
    digests.save()


def _code_problems(folder: Path, names: set[str], code: set[str]) -> Iterator[str]:
    for name, file in files_of(folder).items():
        if name not in names:
            yield f"{name} is neither recorded nor pinned"
        elif file.suffix == ".py" and name not in code:
            yield f"{name} is code without a recorded blob"
        elif file.suffix == ".json" and (foreign := _foreign_code(file)):
            yield f"{name} loads code from {foreign}, which is not pinned"


def _foreign_code(file: Path) -> str:
    """Return another repository a configuration loads code from: ``auto_map`` names it before ``--``."""
    try:
        content = parse_json(read_bytes(file, MAX_JSON))
    except InvalidText:
        return ""
    return next((name.partition("--")[0] for name in _mapped(content) if "--" in name), "")


def _mapped(content: object) -> Iterator[str]:
    """Yield every string below an ``auto_map``, at any depth."""
    stack: list[tuple[object, bool]] = [(content, False)]
    while stack:
        value, inside = stack.pop()
        if isinstance(value, dict):
            stack += [(each, inside or key == "auto_map") for key, each in value.items()]
        elif isinstance(value, list):
            stack += [(each, inside) for each in value]
        elif inside and isinstance(value, str):
            yield value
