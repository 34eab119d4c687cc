"""Engine `onnx` on published detectors: time of one image beside ONNX Runtime alone, and AP50 on photographs.

Both are timed in alternate rounds on one core, as CPU time of one thread, so that what else the machine does
costs both alike; the image of 640x480 is decoded before. `make real-data` fetches files and photographs.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import onnxruntime

from openral_core.rskills import MANIFEST_FILE, DetectorManifest, load_manifest
from openral_perception_ros.engines import EngineFrame, LoadOptions, engine_loader
from openral_perception_ros.engines.vocabulary import load_labels
from openral_testing.real_data import real_data
from openral_training.detect.adding import AddRequest, add_detector
from openral_training.detect.precision import average_precision

ROUNDS, TURNS = 10, 12  # Rounds, and images of each in a round [count].
SIZE = (640, 480)  # Width and height [px].
LEAST = 0.01  # Score from which detections count for average precision [1].
Row = dict[str, object]


def run() -> list[Row]:
    """One row per file."""
    cv2.setNumThreads(1)
    data = real_data(Path(__file__).parents[2])
    with TemporaryDirectory() as folder:
        return [
            row(file, data / "photos", Path(folder)) for file in sorted((data / "weights").glob("*.onnx"))
        ]


def row(file: Path, photos: Path, rskills: Path) -> Row:
    """Precision and times of one file."""
    added = add_detector(AddRequest(file, rskills, file.stem, "coco80"))
    manifest = load_manifest(added.folder / MANIFEST_FILE)
    assert isinstance(manifest, DetectorManifest)
    patient = manifest.model_copy(update={"threshold": LEAST})
    engine = engine_loader("onnx")(patient, added.folder, LoadOptions())
    detections = {
        each.name: engine.detect(frame(each), None) for each in sorted((photos / "images").iterdir())
    }
    labels = load_labels(manifest, added.folder)
    precision = average_precision(photos / "annotations.json", detections, labels)
    alone, whole = times(file, manifest, added.folder, frame(next((photos / "images").iterdir()), SIZE))
    return {
        "file": file.stem,
        "outputs": added.outputs,
        "AP50": round(precision.mean, 3),
        "ONNX Runtime [ms]": round(1e3 * statistics.median(alone), 2),
        "engine [ms]": round(1e3 * statistics.median(whole), 2),
        "ratio": round(statistics.median(whole) / statistics.median(alone), 3),
    }


def times(
    file: Path, manifest: DetectorManifest, folder: Path, picture: EngineFrame
) -> tuple[list[float], list[float]]:
    """CPU times of the runtime alone and of the engine [s], in turn."""
    engine = engine_loader("onnx")(manifest, folder, LoadOptions())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    (image,) = session.get_inputs()
    pixels = np.random.default_rng(0).random(image.shape, np.float32)
    alone: list[float] = []
    whole: list[float] = []
    for _ in range(ROUNDS):
        alone += [seconds(lambda: session.run(None, {image.name: pixels})) for _ in range(TURNS)]
        whole += [seconds(lambda: engine.detect(picture, None)) for _ in range(TURNS)]
    return alone, whole


def seconds(action: Callable[[], object]) -> float:
    """CPU time of one call [s]."""
    begun = time.thread_time()
    action()
    return time.thread_time() - begun


def frame(file: Path, size: tuple[int, int] | None = None) -> EngineFrame:
    """An image as the engine gets it."""
    rgb = cv2.cvtColor(cv2.imread(str(file), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    return EngineFrame({"rgb": rgb if size is None else cv2.resize(rgb, size)}, "head", 0)
