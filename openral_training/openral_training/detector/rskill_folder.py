"""The rSkill of a trained detector: manifest, weights, label map, preprocessing and model card."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from openral_core.errors import OpenRALError
from openral_core.rskills import ID_PATTERN, MANIFEST_FILE, DetectorManifest, InvalidName, load_manifest
from openral_training.detector.evaluation import Evaluation
from openral_training.detector.onnx_export import Parity

MODEL_FILE, PREPROCESSOR_FILE, LABELS_FILE, CARD_FILE = (
    "model.onnx",
    "preprocessor_config.json",
    "vocabulary.yaml",
    "MODEL_CARD.md",
)
WEIGHTS = "weights"
MEMORY_MB = 200.0
"""Declared memory of the worker [MB]: ONNX Runtime with a model of a few MB stays below it."""
LATENCY_FACTOR = 2.0
"""Declared over measured latency [1]: the robot's cores have other work."""


class RskillNotWritten(OpenRALError):
    """A folder that could not be written."""

    def __init__(self, folder: Path, reason: OSError) -> None:
        super().__init__(f"cannot write the rSkill {folder}: {reason.strerror or reason}")


@dataclass(frozen=True, slots=True)
class Exported:
    """An exported detector and what is known of it.

    ``latency`` is that of one image on one core [s]; ``judged`` the evaluation that the card reports, and
    ``split`` the one it was made on.
    """

    labels: tuple[str, ...]
    size: tuple[int, int]
    threshold: float
    latency: float
    parity: Parity
    judged: Evaluation
    split: str
    precision: str
    licence: str
    facts: Mapping[str, object]
    data: Mapping[str, object]


def check_id(folder: Path) -> None:
    """Check that the name of a folder can be an id.

    Raises:
        InvalidName: If it cannot.
    """
    if not re.fullmatch(ID_PATTERN, folder.name):
        raise InvalidName("rSkill id (the name of the folder)", folder.name)


def write_rskill(folder: Path, model: bytes, exported: Exported) -> DetectorManifest:
    """Write the folder and return its manifest, read back.

    Raises:
        RskillNotWritten: If the disk is full or read-only.
    """
    weights = folder / WEIGHTS
    preprocessor = {
        "size": {"width": exported.size[0], "height": exported.size[1]},
        "do_rescale": True,
        "do_normalize": False,
    }
    files = {MODEL_FILE: model, PREPROCESSOR_FILE: json.dumps(preprocessor, indent=1).encode()}
    labels: dict[str, dict[str, list[str]]] = {"labels": {label: [] for label in exported.labels}}
    try:
        weights.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (weights / name).write_bytes(content)
        (folder / LABELS_FILE).write_text(yaml.safe_dump(labels, sort_keys=False), encoding="utf-8")
        (folder / CARD_FILE).write_text(model_card(folder.name, exported), encoding="utf-8")
        manifest = yaml.safe_dump(_manifest(folder.name, files, exported), sort_keys=False)
        (folder / MANIFEST_FILE).write_text(manifest, encoding="utf-8")
    except OSError as error:
        raise RskillNotWritten(folder, error) from error
    written = load_manifest(folder / MANIFEST_FILE)
    assert isinstance(written, DetectorManifest)
    return written


def _manifest(name: str, files: Mapping[str, bytes], exported: Exported) -> dict[str, object]:
    return {
        "kind": "detector",
        "id": name,
        "description": f"Streams {len(exported.labels)} classes; trained by openral train detector.",
        "engine": "rtdetr_onnx",
        "mode": "continuous",
        "vocabulary": {"kind": "closed", "file": LABELS_FILE},
        "input_size": list(exported.size),
        "threshold": round(exported.threshold, 3),
        "scores_calibrated": True,
        "weights": {
            "uri": f"file://{WEIGHTS}",
            "files": {file: hashlib.sha256(content).hexdigest() for file, content in files.items()},
        },
        "licence": {"name": exported.licence, "commercial_use": True},
        "memory_mb": MEMORY_MB,
        "latency": round(max(0.001, LATENCY_FACTOR * exported.latency), 3),
        "options": {"fit": "letterbox", "threads": 1},
    }


def model_card(name: str, exported: Exported) -> str:
    """Return the model card in Markdown."""
    width, height = exported.size
    about = (
        f"A one-stage detector of {len(exported.labels)} classes for {width}x{height} px, trained by "
        f"`openral train detector`. Licence: {exported.licence}."
    )
    parts = [
        f"# {name}",
        about,
        f"## Metrics on split `{exported.split}`",
        *_metrics(exported),
        f"## Training\n\n{_training(exported)}",
        "The data set describes itself as:",
        f"```json\n{json.dumps(dict(exported.data), indent=1, default=str)}\n```",
        f"## Limits\n\n{LIMITS}\n",
    ]
    return "\n\n".join(parts)


LIMITS = (
    "The figures hold for images like those of the split above; on others, and on photographs where the "
    "data were rendered, nothing was measured. It names only the classes of the table and confuses those "
    "with a low AP50; the smallest objects are missed most."
)


def _metrics(exported: Exported) -> list[str]:
    judged = exported.judged
    metrics = [
        ("images", str(judged.images)),
        ("AP50", f"{judged.ap50:.3f}"),
        ("AP", f"{judged.ap:.3f}"),
        ("AP of objects under 32x32 px", f"{judged.ap_small:.3f}"),
        (f"recall at threshold {judged.threshold:.2f}", f"{judged.recall:.3f}"),
        (f"precision at threshold {judged.threshold:.2f}", f"{judged.precision:.3f}"),
        ("expected calibration error", f"{judged.calibration_error:.3f}"),
        ("one image on one core", f"{1000 * exported.latency:.1f} ms"),
    ]
    sizes = [(s.size, f"{s.objects}; {s.recall:.2f}; {s.recall_at_any_score:.2f}") for s in judged.sizes]
    classes = [(c.label, f"{c.objects}; {c.ap50:.2f}; {c.recall:.2f}") for c in judged.classes]
    return [
        _table("metric", "value", metrics),
        _table("short side", "objects; recall; recall at any score", sizes),
        _table("class", "objects; AP50; recall", classes),
    ]


def _training(exported: Exported) -> str:
    facts, parity = exported.facts, exported.parity
    options = facts.get("options")
    hours = facts.get("hours")
    rows = [
        ("architecture", options.get("architecture") if isinstance(options, dict) else "unknown"),
        ("image views", facts.get("views")),
        ("hours", round(hours, 2) if isinstance(hours, float) else hours),
        ("training images", facts.get("images")),
        ("digest of the training data", str(facts.get("data"))[:16]),
        ("weights", exported.precision),
        ("boxes compared with PyTorch", f"{parity.boxes}, at most {parity.largest_difference:.4f} apart"),
    ]
    return _table("fact", "value", [(name, str(value)) for name, value in rows])


def _table(first: str, second: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| {first} | {second} |", "|---|---|", *[f"| {name} | {value} |" for name, value in rows]]
    return "\n".join(lines)
