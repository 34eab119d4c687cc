"""The rSkill of an ONNX file: what the file says of itself, its family's preparation, and measurements."""

import ast
import hashlib
import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import yaml

from openral_core.arrays import Image
from openral_core.detectors import Detection
from openral_core.documents import parse_document
from openral_core.errors import OpenRALError, format_choices
from openral_core.rskills import ID_PATTERN, MANIFEST_FILE, DetectorManifest, InvalidName, Mode, Sensor
from openral_perception_ros.engines import EngineFrame, LoadOptions
from openral_perception_ros.engines.onnx.checks import test_pictures
from openral_perception_ros.engines.onnx.engine import MODEL_FILE, OnnxEngine, OnnxOptions, load
from openral_perception_ros.engines.onnx.layouts import DecodeKind
from openral_perception_ros.engines.onnx.session import open_session
from openral_training.detect.preparations import Options, mirror_consistency, options_of, usual

WEIGHTS, LABELS_FILE = "weights", "labels.yaml"
SHIPPED_LABELS = ("coco80", "coco91")
FREE_LICENCES = re.compile(r"apache|mit|bsd|cc0|cc-by-[0-9]", re.IGNORECASE)
"""Licences that are known to allow commercial use."""
MEMORY_MB = 400.0
"""Declared memory of the worker beside the file [MB]: ONNX Runtime, OpenCV and activations of an input."""
LATENCY_FACTOR = 2.0
"""Declared over measured latency [1]: the robot's cores have other work."""
TIMED = 5
"""Detections whose median time is the latency [count]."""
PICTURE_SIZE = (640, 480)
"""(width, height) of the picture on which latency is measured [px]: VGA."""
TRIAL_THRESHOLD = 0.3
"""Score from which objects count in a trial of preparations [1]."""


class LabelsUnknown(OpenRALError):
    """A model that does not name its classes, without a list of them."""

    def __init__(self, file: Path, problem: str = "it does not name them itself") -> None:
        super().__init__(
            f"the classes of {file} are not known ({problem}): give --labels coco80, coco91 or a file of "
            "names, one a line"
        )


class UnknownKind(OpenRALError):
    """A decode kind that does not exist."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown decode kind {name!r}: expected one of {format_choices(DecodeKind)}")


class FolderExists(OpenRALError):
    """A folder that is there already."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} exists: remove it, or choose another --id")


@dataclass(frozen=True, slots=True)
class AddRequest:
    """A file to add, and facts that the user states; the rest is found out.

    ``labels`` is the name of a shipped list or a file; ``images`` are of the kind the robot sees.
    """

    file: Path
    rskills: Path
    id: str
    labels: str = ""
    decode: DecodeKind | None = None
    preparation: str = ""
    threshold: float = 0.3
    licence: str = ""
    mode: Mode = Mode.CONTINUOUS
    images: Sequence[Image] = ()


@dataclass(frozen=True, slots=True)
class AddedDetector:
    """The written folder, how the engine reads the model, and how its images are prepared."""

    folder: Path
    outputs: str
    preparation: str
    consistencies: dict[str, float]


def decode_kind(name: str) -> DecodeKind | None:
    """Return the kind of this name; None without a name.

    Raises:
        UnknownKind: If there is none.
    """
    if name and name not in list(DecodeKind):
        raise UnknownKind(name)
    return DecodeKind(name) if name else None


def id_of(file: Path) -> str:
    """Return the id that a file's name suggests."""
    return re.sub(r"[^a-z0-9._-]+", "-", file.stem.lower()).strip("-._")[:64]


def add_detector(request: AddRequest) -> AddedDetector:
    """Write the rSkill of an ONNX file; nothing is left if the engine refuses it.

    Raises:
        LabelsUnknown: If neither file nor request names the classes.
        FolderExists: If there is such a folder.
        EngineError: If the engine cannot read the model; see `load`.
    """
    if not re.fullmatch(ID_PATTERN, request.id):
        raise InvalidName("rSkill id", request.id)
    folder, staged = request.rskills / request.id, request.rskills / f".{request.id}.adding"
    if folder.exists():
        raise FolderExists(folder)
    shutil.rmtree(staged, ignore_errors=True)
    try:
        added = _write(request, staged)
        staged.rename(folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return AddedDetector(folder, *added)


def _write(request: AddRequest, folder: Path) -> tuple[str, str, dict[str, float]]:
    facts = open_session(request.file, "cpu", 1).get_modelmeta().custom_metadata_map
    (folder / WEIGHTS).mkdir(parents=True)
    shutil.copyfile(request.file, folder / WEIGHTS / MODEL_FILE)
    for data in request.file.parent.glob(f"{request.file.name}*data"):
        shutil.copyfile(data, folder / WEIGHTS / data.name)
    vocabulary = _vocabulary(request, folder, facts.get("names", ""))
    manifest = partial(_manifest, request, folder, vocabulary, facts)
    decode: Options = {"decode": request.decode.value} if request.decode else {}
    engine = _engine(manifest(decode), folder)
    summary = engine.summary
    names = [request.preparation] if request.preparation else usual(engine.layout)
    images = request.images or test_pictures(PICTURE_SIZE)
    consistencies = {}
    for name in names if len(names) > 1 else ():
        trial = _engine(manifest({**decode, **options_of(name)}), folder)
        consistencies[name] = mirror_consistency(partial(_detect, trial), images)
    chosen = max(consistencies, key=lambda name: consistencies[name], default=names[0])
    options = {"decode": engine.layout.kind.value, **options_of(chosen)}
    engine = _engine(manifest(options), folder)
    final = manifest(options).model_copy(update={"threshold": request.threshold, "latency": _latency(engine)})
    (folder / MANIFEST_FILE).write_text(manifest_text(final, engine, chosen), encoding="utf-8")
    return summary, chosen, consistencies


def _vocabulary(request: AddRequest, folder: Path, names: str) -> dict[str, object]:
    """Return the vocabulary of the manifest: a shipped list, or a file that is written here."""
    if request.labels in SHIPPED_LABELS:
        return {"kind": "closed", "labels": request.labels}
    if request.labels:
        try:
            lines = Path(request.labels).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise LabelsUnknown(request.file, f"--labels {request.labels}: {error}") from error
        listed = [line.strip() for line in lines if line.strip()]
    else:
        listed = _embedded(names)
    if not listed:
        raise LabelsUnknown(request.file)
    content: dict[str, dict[str, list[str]]] = {"labels": {label: [] for label in listed}}
    (folder / LABELS_FILE).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return {"kind": "closed", "file": LABELS_FILE}


def _embedded(names: str) -> list[str]:
    """Return the names that exports of Ultralytics carry: the text of a dictionary by class number."""
    try:
        content = ast.literal_eval(names) if names else {}
    except (SyntaxError, ValueError):
        return []
    numbered = dict(enumerate(content)) if isinstance(content, list | tuple) else content
    if not isinstance(numbered, dict):
        return []
    return [str(numbered[number]) for number in sorted(numbered)]


def _manifest(
    request: AddRequest,
    folder: Path,
    vocabulary: dict[str, object],
    facts: dict[str, str],
    options: Options,
) -> DetectorManifest:
    licence = request.licence or facts.get("license", "").partition(" (")[0] or "unknown"
    files = sorted((folder / WEIGHTS).iterdir())
    content = {
        "kind": "detector",
        "id": request.id,
        "description": f"Names what it was trained on; from {request.file.name}.",
        "engine": "onnx",
        "mode": request.mode,
        "vocabulary": vocabulary,
        "threshold": TRIAL_THRESHOLD,
        "weights": {
            "uri": f"file://{WEIGHTS}",
            "files": {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in files},
        },
        "licence": {"name": licence, "commercial_use": bool(FREE_LICENCES.match(licence))},
        "memory_mb": round(MEMORY_MB + request.file.stat().st_size / 1e6),
        "latency": 1.0,
        "options": {**options, "threads": 1},
    }
    return parse_document(DetectorManifest, content, folder / MANIFEST_FILE)


def _engine(manifest: DetectorManifest, folder: Path) -> OnnxEngine:
    return load(manifest, folder, LoadOptions())


def _detect(engine: OnnxEngine, rgb: Image) -> Sequence[Detection]:
    return engine.detect(EngineFrame({Sensor.RGB.value: rgb}, "", 0), None)


def _latency(engine: OnnxEngine) -> float:
    """Return twice the median time of a detection on one core [s]."""
    picture, times = cv2.resize(test_pictures(PICTURE_SIZE)[1], PICTURE_SIZE), []
    for _ in range(TIMED):
        begun = time.thread_time()
        _detect(engine, np.asarray(picture, np.uint8))
        times.append(time.thread_time() - begun)
    return round(max(0.001, LATENCY_FACTOR * float(np.median(times))), 3)


def manifest_text(manifest: DetectorManifest, engine: OnnxEngine, preparation: str) -> str:
    """Return the manifest as YAML in which a comment explains each field."""
    options = OnnxOptions.model_validate(manifest.options)
    layout, weights = engine.layout, manifest.weights
    width, height = engine.input_size
    pins = "".join(f"\n    {name}: {digest}" for name, digest in (weights.files if weights else {}).items())
    vocabulary = manifest.vocabulary.model_dump(mode="json", exclude_defaults=True)
    use = str(manifest.licence.commercial_use).lower()
    rows = [
        ("kind: detector", ""),
        (f"id: {manifest.id}", "equals the name of this folder"),
        (f"description: {_flow(manifest.description)}", "what a reader, and the reasoner, is told about it"),
        ("engine: onnx", ""),
        (
            f"mode: {manifest.mode.value}",
            "continuous: streams `objects`; on_demand: answers `locate_in_view`",
        ),
        (f"vocabulary: {_flow(vocabulary)}", "labels in the order of the model's classes"),
        (f"input_size: [{width}, {height}]", "(width, height) of the model's input [px]"),
        (
            f"threshold: {manifest.threshold:g}",
            "score from which objects are reported; raise it for fewer errors",
        ),
        (f'weights:\n  uri: "{weights.uri if weights else ""}"\n  files:{pins}', "sha256 of each file"),
        (
            f"licence: {{name: {_flow(manifest.licence.name)}, commercial_use: {use}}}",
            "of the weights: check it; AGPL-3.0 binds those who offer the robot's services too",
        ),
        (f"memory_mb: {manifest.memory_mb:g}", "declared memory of an active worker [MB]"),
        (f"latency: {manifest.latency:g}", "twice the CPU time of one image here, on one core [s]"),
        ("options:", f"preparation {preparation!r}"),
        (f"  decode: {layout.kind.value}", "how outputs become boxes"),
        (f"  fit: {options.fit.value}", "stretch, letterbox (top left) or letterbox_centred"),
        (f"  pad: {options.pad}", "level of a letterbox's border [0 to 255]"),
        (f"  colour: {options.colour.value}", "order of the channels: rgb or bgr"),
        (f"  range: {1 if options.range is None else options.range:g}", "input of a white pixel: 1 or 255"),
        (f"  mean: {list(options.mean or (0, 0, 0))}", "subtracted from each channel, in the unit of range"),
        (f"  std: {list(options.std or (1, 1, 1))}", "divides each channel, in the unit of range"),
        (f"  boxes: {layout.box_format.value}", "cxcywh, xyxy or yxyx"),
        (f"  unit: {layout.unit.value}", "of boxes: pixel (of the input) or relative"),
        (f"  activation: {layout.activation.value}", "that the scores still need: none, sigmoid or softmax"),
        (
            f"  nms_overlap: {engine.nms_overlap:g}",
            "overlap of two boxes of a class, of which one goes; 1: none goes",
        ),
        (f"  top_k: {options.top_k}", "most objects of one image"),
        ("  threads: 1", "cores of one inference; 0: all"),
    ]
    return "".join(_commented(text, comment) for text, comment in rows)


def _commented(text: str, comment: str) -> str:
    head, newline, rest = text.partition("\n")
    return f"{head}  # {comment}{newline}{rest}\n" if comment else f"{text}\n"


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...").strip()
