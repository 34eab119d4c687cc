"""Exports of many families are read, with the same result as a decode row by row; others are refused."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import onnx
import pytest
from onnx_exports import EXPORTS, HEIGHT, UNIT, WIDTH, Export, Row, centred, logit, scores, write_model

from openral_core.detectors import LifecycleState
from openral_core.rskills import DetectorManifest
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines import EngineError, EngineFrame, LoadOptions, engine_loader
from openral_perception_ros.engines.onnx.layouts import DecodeKind
from openral_perception_ros.inference.ipc import Load, Ready, SharedFrameBuffer
from openral_perception_ros.inference.worker import RequestServer

SOURCE = (160, 120)
THRESHOLD = 0.3


def manifest_of(export: Export) -> DetectorManifest:
    content = {
        "kind": "detector",
        "id": "tiny",
        "description": "d",
        "engine": "onnx",
        "mode": "continuous",
        "vocabulary": {"kind": "closed", "labels": export.labels},
        "input_size": (WIDTH, HEIGHT),
        "threshold": THRESHOLD,
        "weights": {"uri": "file://weights"},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
        "options": export.options,
    }
    return DetectorManifest.model_validate(content)


def written(folder: Path, export: Export) -> Path:
    (folder / "weights").mkdir()
    write_model(
        folder / "weights" / "model.onnx",
        export.outputs,
        export.types,
        export.image,
        export.size_input,
        export.dynamic,
    )
    return folder


def in_source(fit: str, x: float, y: float) -> tuple[float, float]:
    """Map a point of the input to the source, clipped to it."""
    if fit == "stretch":
        x, y = x * SOURCE[0] / WIDTH, y * SOURCE[1] / HEIGHT
    else:
        scale = min(WIDTH / SOURCE[0], HEIGHT / SOURCE[1])
        content = round(SOURCE[0] * scale), round(SOURCE[1] * scale)
        left, top = (
            ((WIDTH - content[0]) // 2, (HEIGHT - content[1]) // 2) if fit == "letterbox_centred" else (0, 0)
        )
        x, y = (x - left) * SOURCE[0] / content[0], (y - top) * SOURCE[1] / content[1]
    return min(max(x, 0.0), SOURCE[0]), min(max(y, 0.0), SOURCE[1])


def overlap(a: Row, b: Row) -> float:
    width = min(a[4], b[4]) - max(a[2], b[2])
    height = min(a[5], b[5]) - max(a[3], b[3])
    shared = max(0.0, width) * max(0.0, height)
    areas = [(row[4] - row[2]) * (row[5] - row[3]) for row in (a, b)]
    return shared / (sum(areas) - shared)


def expected(export: Export) -> list[tuple[str, float, list[float]]]:
    """Name what a decode row by row keeps: suppressed greedily per class, mapped to the source."""
    labels = export.labels if isinstance(export.labels, dict) else dict(enumerate(export.labels))
    kept: list[Row] = []
    for row in sorted(export.rows, key=lambda row: -row[0]):
        if row[0] <= THRESHOLD or row[1] not in labels:
            continue
        if export.overlap is None or all(
            row[1] != better[1] or overlap(row, better) <= export.overlap for better in kept
        ):
            kept.append(row)
    found = []
    for score, number, *edges in kept[:100]:
        fit = str(export.options.get("fit", "stretch"))
        corners = [*in_source(fit, *edges[:2]), *in_source(fit, *edges[2:])]
        if corners[2] > corners[0] and corners[3] > corners[1]:
            found.append((labels[number], score, corners))
    return found


def test_enough_families_are_among_them() -> None:
    kinds = [export.kind for export in EXPORTS.values()]
    assert len(kinds) >= 45
    assert set(kinds) == set(DecodeKind)
    assert all(
        kinds.count(kind) >= 3 for kind in ("yolov5", "yolov8", "end_to_end", "yolox", "nanodet", "boxes")
    )


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_as_row_by_row(name: str, tmp_path: Path) -> None:
    export = EXPORTS[name]
    engine = engine_loader("onnx")(manifest_of(export), written(tmp_path, export), LoadOptions())
    how = "stated" if "decode" in export.options else "inferred"
    assert engine.summary == f"{export.kind} ({how})"
    image = np.random.default_rng(3).integers(0, 255, (SOURCE[1], SOURCE[0], 3), np.uint8)
    detections = engine.detect(EngineFrame({"rgb": image}, "head", 0), None)
    wanted = expected(export)
    assert len(wanted) >= 5
    tolerance = 0.01 if "half" not in export.types.values() else 0.5
    # Scores that are equal but for rounding may change places.
    unmatched = list(wanted)
    for item in detections:
        edges = [item.box.x_min, item.box.y_min, item.box.x_max, item.box.y_max]
        match = next(
            (
                each
                for each in unmatched
                if each[0] == item.label
                and abs(each[1] - item.score) < 1e-3
                and np.allclose(each[2], edges, atol=tolerance)
            ),
            None,
        )
        assert match is not None, (item, wanted[:3])
        unmatched.remove(match)
    assert unmatched == []


GOOD = EXPORTS["yolov8"]
DETR = EXPORTS["rtdetr_hf"]


def changed(
    export: Export, change: Callable[[np.ndarray], np.ndarray], output: str, **more: object
) -> Export:
    outputs = {**export.outputs, output: change(np.array(export.outputs[output], float))}
    return Export(
        export.kind, outputs, export.rows, **{"options": export.options, "labels": export.labels, **more}
    )


def of_scores(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """Change the scores of a yolov8 table, leaving its boxes."""

    def changed_table(table: np.ndarray) -> np.ndarray:
        return np.concatenate([table[:, :4], change(table[:, 4:])], axis=1)

    return changed_table


def sigmoid(values: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-values))


REFUSALS = {
    "scores all zero": (
        changed(GOOD, of_scores(np.zeros_like), "output0"),
        "every one of 126 predictions has the score",
    ),
    "scores all one": (changed(GOOD, of_scores(np.ones_like), "output0"), "has the score 1 whatever"),
    "a second sigmoid": (changed(GOOD, of_scores(sigmoid), "output0"), "as after a second sigmoid"),
    "logits for scores": (
        changed(GOOD, of_scores(lambda s: logit(s.clip(1e-6, 1 - 1e-6))), "output0"),
        "'activation: sigmoid'",
    ),
    "scores for logits": (changed(DETR, sigmoid, "logits"), "'activation: none'"),
    "no numbers": (changed(GOOD, of_scores(lambda s: s * np.nan), "output0"), "not finite"),
    "fractions for pixels": (EXPORTS["yolov8_tflite"], "'unit: relative'"),
    "pixels for fractions": (changed(DETR, lambda b: b * UNIT, "pred_boxes"), "'unit: pixel'"),
    "corners for centres": (
        changed(
            DETR,
            lambda b: np.concatenate([b[..., :2] - b[..., 2:] / 2, b[..., :2] + b[..., 2:] / 2], -1),
            "pred_boxes",
        ),
        "'boxes: xyxy'",
    ),
    "centres for corners": (
        changed(EXPORTS["yolov10"], lambda t: np.concatenate([centred(30)[None], t[..., 4:]], -1), "output0"),
        "'boxes: cxcywh'",
    ),
    "YOLOX decoded already": (EXPORTS["yolov6_or_decoded_yolox"], "'decode: yolov5' if decoded already"),
    "other labels": (
        changed(GOOD, lambda t: t, "output0", labels=("mug", "bread")),
        "has 3 classes, but .* 2 labels",
    ),
    "labels past the classes": (
        changed(DETR, lambda t: t, "logits", labels={1: "mug", 9: "bread"}),
        "names class 9: valid are 0 to 2",
    ),
    "masks beside boxes": (
        Export("", {"output0": np.zeros((1, 39, 126)), "protos": np.zeros((1, 32, 16, 24))}, []),
        r"the outputs output0 float \[1, 39, 126\], protos .* 3 labels: no kind describes them.* 'yolov5'",
    ),
    "a classifier": (Export("", {"probabilities": scores(1)}, []), "no kind describes them"),
    "two kinds at once": (
        Export("", {"a": scores(40)[None], "b": centred(40)[None]}, []),
        "no kind describes them",
    ),
    "another kind than stated": (
        changed(GOOD, lambda t: t, "output0", options={"decode": "nanodet"}),
        "not of the stated kind 'nanodet'",
    ),
    "a batch of four": (
        changed(GOOD, lambda t: t, "output0", image=("float", [4, 3, HEIGHT, WIDTH])),
        "a batch is not 1",
    ),
    "a grey image": (
        changed(GOOD, lambda t: t, "output0", image=("float", [1, 1, HEIGHT, WIDTH])),
        "has 1 channels",
    ),
    "another size": (
        changed(GOOD, lambda t: t, "output0", image=("float", [1, 3, 32, 32])),
        r"is \[1, 3, 32, 32\], but",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_would_be_active_and_wrong_is_refused(name: str, tmp_path: Path) -> None:
    export, words = REFUSALS[name]
    options = {} if name in ("fractions for pixels", "YOLOX decoded already") else export.options
    manifest = manifest_of(export).model_copy(update={"options": options})
    with pytest.raises(EngineError) as refusal:
        engine_loader("onnx")(manifest, written(tmp_path, export), LoadOptions())
    assert re.search(words, str(refusal.value)), refusal.value
    assert len(str(refusal.value)) < 2000


def test_the_stated_option_is_what_the_refusal_names(tmp_path: Path) -> None:
    export, _ = REFUSALS["scores for logits"]
    manifest = manifest_of(export).model_copy(update={"options": {"activation": "none"}})
    engine = engine_loader("onnx")(manifest, written(tmp_path, export), LoadOptions())
    assert len(engine.detect(EngineFrame({"rgb": np.zeros((9, 9, 3), np.uint8)}, "head", 0), None)) >= 5


def test_an_export_that_sees_nothing_says_that_its_boxes_are_unchecked(tmp_path: Path) -> None:
    export = Export("end_to_end", {"output0": np.zeros((1, 300, 6))}, [])
    engine = engine_loader("onnx")(manifest_of(export), written(tmp_path, export), LoadOptions())
    assert "unchecked" in engine.summary


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 80911234\n", "Git LFS pointer"),
        (b"<!DOCTYPE html><html>Sign in</html>", "web page"),
        (b"\x08\x07 no protobuf", "it is no ONNX file, or it is cut off|web page|ONNX Runtime"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_words(content: bytes, words: str, tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    (tmp_path / "weights" / "model.onnx").write_bytes(content)
    with pytest.raises(EngineError, match=words):
        engine_loader("onnx")(manifest_of(GOOD), tmp_path, LoadOptions())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda model: setattr(model, "ir_version", 99),
            "model IR version: 99.*export it with an older ONNX",
        ),
        (lambda model: setattr(model.opset_import[0], "version", 90), "export it with an older opset"),
    ],
)
def test_a_file_newer_than_the_runtime_is_refused_in_words(
    change: Callable[[onnx.ModelProto], None], words: str, tmp_path: Path
) -> None:
    file = written(tmp_path, GOOD) / "weights" / "model.onnx"
    model = onnx.load(file)
    change(model)
    file.write_bytes(model.SerializeToString())
    with pytest.raises(EngineError, match=words):
        engine_loader("onnx")(manifest_of(GOOD), tmp_path, LoadOptions())


def test_missing_external_data_are_named(tmp_path: Path) -> None:
    file = written(tmp_path, GOOD) / "weights" / "model.onnx"
    onnx.save(onnx.load(file), file, save_as_external_data=True, location="model.onnx.data", size_threshold=0)
    (file.parent / "model.onnx.data").unlink()
    with pytest.raises(EngineError, match=r"model\.onnx\.data.*copy that file beside it"):
        engine_loader("onnx")(manifest_of(GOOD), tmp_path, LoadOptions())


def test_the_worker_says_how_it_reads_the_model(tmp_path: Path) -> None:
    server = RequestServer(cast(SharedFrameBuffer, None), engine_loader)
    reply = server.handle(Load(manifest_of(GOOD), str(written(tmp_path, GOOD)), LoadOptions()))
    assert isinstance(reply, Ready)
    assert reply.summary == "yolov8 (inferred)"
    detector = Detector(manifest_of(GOOD), tmp_path, None, ("head",), is_default=False)
    assert (
        detector.info(LifecycleState.ACTIVE, 1.0, 0.1, summary=reply.summary).engine
        == "onnx: yolov8 (inferred)"
    )
    assert detector.info(LifecycleState.INACTIVE, 0.0, 0.0).engine == "onnx"
