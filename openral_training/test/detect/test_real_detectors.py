"""Published detectors on photographs: two commands, and the precision of a decode written plainly here."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import run

import cv2
import numpy as np
import onnxruntime
import pytest

from openral_core.detectors import Box, Detection
from openral_core.rskills import MANIFEST_FILE, DetectorManifest, load_manifest
from openral_perception_ros.engines import EngineFrame, LoadOptions, engine_loader
from openral_perception_ros.engines.vocabulary import load_labels
from openral_training.detect.adding import AddRequest, add_detector
from openral_training.detect.precision import average_precision
from openral_training.ros.cli import KIT

pytestmark = pytest.mark.real
LEAST = 0.01
Decode = Callable[[list[np.ndarray]], tuple[np.ndarray, np.ndarray]]
MEAN, STD = np.array([103.53, 116.28, 123.675]), np.array([57.375, 57.12, 58.395])


def cells(side: int, strides: tuple[int, ...], offset: float) -> np.ndarray:
    rows = []
    for stride in strides:
        count = -(-side // stride)
        rows += [
            ((x + offset) * stride, (y + offset) * stride, stride) for y in range(count) for x in range(count)
        ]
    return np.array(rows, float)


def yolox(outputs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    table, grid = outputs[0][0].astype(float), cells(416, (8, 16, 32), 0.0)
    centres = table[:, :2] * grid[:, 2:] + grid[:, :2]
    half = np.exp(table[:, 2:4]) * grid[:, 2:] / 2
    return np.hstack([centres - half, centres + half]), table[:, 4:5] * table[:, 5:]


def distances(raw: np.ndarray, grid: np.ndarray) -> np.ndarray:
    weights = np.exp(raw.reshape(-1, 4, 8))
    sides = (weights * np.arange(8)).sum(2) / weights.sum(2) * grid[:, 2:]
    return np.hstack([grid[:, :2] - sides[:, :2], grid[:, :2] + sides[:, 2:]])


def nanodet_plus(outputs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    table = outputs[0][0].astype(float)
    return distances(table[:, 80:], cells(416, (8, 16, 32, 64), 0.0)), table[:, :80]


def nanodet(outputs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    scores, raw = (np.concatenate([each[0] for each in outputs[start::2]]).astype(float) for start in (0, 1))
    return distances(raw, cells(320, (8, 16, 32), 0.5)), scores


def fastestdet(outputs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    table = outputs[0][0].reshape(85, -1).T.astype(float)
    grid = cells(352, (16,), 0.0)
    centres = grid[:, :2] + 16 * np.tanh(table[:, 1:3])
    half = 352 / (1 + np.exp(-table[:, 3:5])) / 2
    return np.hstack([centres - half, centres + half]), table[:, :1] ** 0.6 * table[:, 5:] ** 0.4


DETECTORS: dict[str, tuple[int, str, Decode, Callable[[np.ndarray], np.ndarray], str]] = {
    "yolox-nano-416": (
        416,
        "top left",
        yolox,
        lambda bgr: (bgr[:, :, ::-1] - MEAN[::-1]) / STD[::-1],
        "yolox-legacy",
    ),
    "nanodet-plus-m-416": (416, "stretch", nanodet_plus, lambda bgr: (bgr - MEAN) / STD, "nanodet-plus"),
    "nanodet-m-320": (320, "centre", nanodet, lambda bgr: (bgr - MEAN) / STD, "nanodet"),
    "fastestdet-352": (352, "stretch", fastestdet, lambda bgr: bgr / 255.0, "fastestdet"),
}


def plainly(file: Path, name: str, labels: tuple[str, ...]) -> Callable[[np.ndarray], list[Detection]]:
    """Return the detector of a file without the product."""
    side, fit, decode, normalise, _ = DETECTORS[name]
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])

    def detect(bgr: np.ndarray) -> list[Detection]:
        height, width = bgr.shape[:2]
        across, down = (side, side)
        if fit != "stretch":
            scale = min(side / width, side / height)
            across, down = round(width * scale), round(height * scale)
        left, top = ((side - across) // 2, (side - down) // 2) if fit == "centre" else (0, 0)
        canvas = np.full((side, side, 3), 0.0 if fit == "centre" else 114.0)
        canvas[top : top + down, left : left + across] = cv2.resize(bgr, (across, down))
        pixels = normalise(canvas).transpose(2, 0, 1)[None].astype(np.float32)
        boxes, scores = decode(session.run(None, {session.get_inputs()[0].name: pixels}))
        factors = np.array([width / across, height / down] * 2)
        return list(suppressed((boxes - (left, top, left, top)) * factors, scores, (width, height), labels))

    return detect


def suppressed(
    boxes: np.ndarray, scores: np.ndarray, size: tuple[int, int], labels: tuple[str, ...]
) -> Iterator[Detection]:
    """Suppress greedily per class, and yield the best hundred."""
    kept: list[tuple[float, int, np.ndarray]] = []
    rows, classes = np.nonzero(scores > LEAST)
    for place in np.argsort(-scores[rows, classes])[:1000]:
        box, number = boxes[rows[place]], int(classes[place])
        others = np.array([each for _, other, each in kept if other == number]).reshape(-1, 4)
        shared = np.minimum(others[:, 2:], box[2:]) - np.maximum(others[:, :2], box[:2])
        inside = shared.clip(0).prod(1)
        union = (others[:, 2:] - others[:, :2]).prod(1) + (box[2:] - box[:2]).prod() - inside
        if not (inside / union > 0.6).any():
            kept.append((float(scores[rows[place], number]), number, box))
    for score, number, box in kept[:100]:
        clipped = Box(*map(float, box)).clipped(*size)
        if clipped is not None:
            yield Detection(clipped, labels[number], score)


@pytest.fixture(scope="module")
def added(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the rSkill of a shared file, made as `openral detector add FILE --labels coco80` makes it."""
    rskills = tmp_path_factory.mktemp("rskills")

    def folder(name: str) -> Path:
        if not (rskills / name).exists():
            result = add_detector(AddRequest(real_data / "weights" / f"{name}.onnx", rskills, name, "coco80"))
            assert result.preparation == DETECTORS[name][-1]
        return rskills / name

    return folder


@pytest.mark.parametrize("name", DETECTORS)
def test_precision_on_photographs_is_that_of_a_plain_decode(
    name: str, added: Callable[[str], Path], real_data: Path
) -> None:
    manifest = load_manifest(added(name) / MANIFEST_FILE)
    assert isinstance(manifest, DetectorManifest)
    labels = load_labels(manifest, added(name))
    manifest = manifest.model_copy(update={"threshold": LEAST})
    engine = engine_loader("onnx")(manifest, added(name), LoadOptions())
    plain = plainly(real_data / "weights" / f"{name}.onnx", name, labels)
    ours, theirs = {}, {}
    for file in sorted((real_data / "photos/images").iterdir()):
        bgr = cv2.imread(str(file), cv2.IMREAD_COLOR)
        assert bgr is not None
        frame = EngineFrame({"rgb": np.ascontiguousarray(bgr[:, :, ::-1])}, "head", 0)
        ours[file.name], theirs[file.name] = engine.detect(frame, None), plain(bgr)
    truth = real_data / "photos/annotations.json"
    judged, reference = (average_precision(truth, each, labels) for each in (ours, theirs))
    assert judged.images == 47
    assert judged.mean == pytest.approx(reference.mean, abs=0.01)
    assert judged.mean > 0.3


@pytest.mark.parametrize("name", ["nanodet-plus-m-416", "yolox-nano-416"])
@pytest.mark.slow
@pytest.mark.timeout(0)  # the kit bounds its own waits
def test_a_published_detector_conforms(name: str, added: Callable[[str], Path]) -> None:
    command = [sys.executable, *KIT, "--openral-detector", str(added(name)), "--openral-load-cycles", "2"]
    result = run(command, cwd="/", check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-3000:]
