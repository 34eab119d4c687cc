"""Engines on PyTorch, in a Python environment of their own, with checkpoints made on the spot."""

import json
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from pathlib import Path

import numpy as np
import pytest
import yaml
from torch_environments import DETECTION, FOLDER, GROUNDING, PATIENCE, in_environment, needs

from openral_core.detectors import Detection
from openral_core.rskills import DetectorManifest
from openral_perception_ros.engines import EngineFrame, FailureKind, LoadOptions
from openral_perception_ros.engines.weights_record import WeightsRecord, digests_of
from openral_perception_ros.inference.ipc import Detected, EngineFailed, Load, Ready, Reply
from openral_perception_ros.inference.worker_command import worker_command
from openral_perception_ros.inference.worker_supervisor import InferenceWorkerProcess

LABELS = ("mug", "bread", "lemon", "wine glass", "bottle")
needs_grounding = needs(GROUNDING)
pytestmark = [needs(DETECTION), pytest.mark.xdist_group("torch"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small checkpoints of every architecture, written by one process."""
    folder = tmp_path_factory.mktemp("checkpoints")
    module = "openral_testing.detectors.tiny_checkpoints"
    in_environment("-m", module, str(folder), patience=240.0)
    return folder


def manifest_of(engine: str, labels: tuple[str, ...] = LABELS, **changes: object) -> DetectorManifest:
    closed = {"kind": "closed", "labels": labels} if labels else {"kind": "open"}
    content = {
        "kind": "detector",
        "id": "tiny",
        "description": "d",
        "engine": engine,
        "mode": "continuous" if labels else "on_demand",
        "vocabulary": closed,
        "threshold": 0.0,
        "weights": {"uri": "file://weights"},
        "environment": {"name": DETECTION},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
        **changes,
    }
    return DetectorManifest.model_validate(content)


Start = Callable[..., tuple[InferenceWorkerProcess, Reply]]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """Load a detector in the one worker of its environment, in the place of the last one."""
    workers: dict[str, InferenceWorkerProcess] = {}

    def begin(
        manifest: DetectorManifest, folder: Path, options: LoadOptions | None = None
    ) -> tuple[InferenceWorkerProcess, Reply]:
        name = manifest.environment.name
        if name not in workers:
            command = worker_command(manifest, FOLDER)
            workers[name] = InferenceWorkerProcess(command.line, command.variables)
        workers[name].load(Load(manifest, str(folder), options or LoadOptions()))
        return workers[name], answer_of(workers[name])

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield begin
    for worker in workers.values():
        worker.close()


def answer_of(worker: InferenceWorkerProcess) -> Reply:
    while wait([worker.connection], PATIENCE):
        reply = worker.receive()
        if reply is not None:
            return reply
    pytest.fail("no answer")


def photo(width: int = 200, height: int = 120) -> EngineFrame:
    pixels = np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)
    return EngineFrame({"rgb": pixels}, "head", 0)


def look(
    worker: InferenceWorkerProcess, frame: EngineFrame, terms: tuple[str, ...] | None = None
) -> tuple[Detection, ...]:
    worker.detect(frame, terms)
    reply = answer_of(worker)
    assert isinstance(reply, Detected), reply
    return reply.detections


SIGMOID, GROUNDED = ("rtdetr", "rtdetr_v2", "d_fine", "rf_detr"), "mm_grounding_dino"
REFERENCE = """
    import json, sys, numpy as np, torch
    from PIL import Image
    from transformers import AutoModelForObjectDetection, AutoModelForZeroShotObjectDetection, AutoTokenizer
    from transformers import GroundingDinoImageProcessorPil, GroundingDinoProcessor, RTDetrImageProcessor
    *folders, grounded = sys.argv[1:]
    image = Image.fromarray(np.random.default_rng(0).integers(0, 255, (120, 200, 3), np.uint8))
    for folder in folders:
        model = AutoModelForObjectDetection.from_pretrained(folder).eval()
        processor = RTDetrImageProcessor.from_pretrained(folder)
        with torch.inference_mode():
            output = model(**processor(image, return_tensors="pt"))
        found = processor.post_process_object_detection(output, threshold=0.0, target_sizes=[(120, 200)])[0]
        print(json.dumps({key: found[key].tolist() for key in ("scores", "labels", "boxes")}))
    tokenizer = AutoTokenizer.from_pretrained(grounded)
    processor = GroundingDinoProcessor(GroundingDinoImageProcessorPil.from_pretrained(grounded), tokenizer)
    inputs = processor(image, text=[["a red mug", "lemon"]], return_tensors="pt")
    with torch.inference_mode():
        output = AutoModelForZeroShotObjectDetection.from_pretrained(grounded).eval()(**inputs)
    ids, phrases = inputs["input_ids"][0].tolist(), [[]]
    for place, token in enumerate(ids[1:-1], start=1):
        phrases.append([]) if token == 1012 else phrases[-1].append(place)
    tokens = output.logits[0].sigmoid()
    scores = torch.stack([tokens[:, places].mean(1) for places in phrases if places], 1)
    print(json.dumps({"scores": scores.tolist(), "boxes": output.pred_boxes[0].tolist()}))
"""


@pytest.fixture(scope="module")
def references(checkpoints: Path) -> dict[str, dict[str, list]]:
    """Detections of transformers itself, by one process."""
    names = (*SIGMOID, GROUNDED)
    folders = [str(checkpoints / name / "weights") for name in names]
    lines = in_environment("-c", textwrap.dedent(REFERENCE), *folders, patience=240.0).splitlines()
    return dict(zip(names, (json.loads(line) for line in lines[-len(names) :]), strict=True))


def expected(reference: dict[str, list]) -> list[tuple[str, float, np.ndarray]]:
    rows = zip(reference["labels"], reference["scores"], reference["boxes"], strict=True)
    return [(LABELS[label], score, np.clip(box, 0, [200, 120] * 2)) for label, score, box in rows]


def compare(found: tuple[Detection, ...], rows: list[tuple[str, float, np.ndarray]]) -> None:
    assert len(found) == len(rows)
    for mine, (label, score, box) in zip(found, rows, strict=True):
        assert mine.label == label
        assert mine.score == pytest.approx(score, abs=1e-4)
        corners = (mine.box.x_min, mine.box.y_min, mine.box.x_max, mine.box.y_max)
        assert corners == pytest.approx(box, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("architecture", SIGMOID)
def test_a_checkpoint_sees_what_its_own_library_sees(
    checkpoints: Path, references: dict[str, dict[str, list]], start: Start, architecture: str
) -> None:
    worker, ready = start(manifest_of("rtdetr_hf"), checkpoints / architecture)
    assert isinstance(ready, Ready), ready
    assert ready.labels == LABELS
    rows = [row for row in expected(references[architecture]) if (row[2][2:] > row[2][:2]).all()]
    assert rows
    compare(look(worker, photo()), rows)


@pytest.mark.slow
def test_classes_that_a_map_leaves_out_are_not_reported(
    checkpoints: Path, references: dict[str, dict[str, list]], start: Start
) -> None:
    named = {4: "flask", 1: "loaf"}
    mapped = {"kind": "closed", "labels": named}
    worker, ready = start(manifest_of("rtdetr_hf", vocabulary=mapped), checkpoints / "rf_detr")
    assert isinstance(ready, Ready), ready
    assert ready.labels == ("flask", "loaf")
    found = look(worker, photo())
    reference = references["rf_detr"]
    pairs = zip(reference["scores"], reference["labels"], strict=True)
    best = max(score for score, number in pairs if number in named)
    assert found[0].score == pytest.approx(best, abs=1e-4)
    assert {item.label for item in found} <= {"flask", "loaf"}


@pytest.mark.slow
def test_a_frozen_vocabulary_is_asked_without_words(checkpoints: Path, start: Start) -> None:
    worker, ready = start(manifest_of("zeroshot_hf"), checkpoints / "omdet_turbo")
    assert isinstance(ready, Ready), ready
    assert ready.labels == LABELS
    found = look(worker, photo())
    assert found
    assert {item.label for item in found} <= set(LABELS)


def test_free_text_comes_back_as_it_was_asked(checkpoints: Path, start: Start) -> None:
    worker, ready = start(manifest_of("zeroshot_hf", labels=()), checkpoints / "omdet_turbo")
    assert isinstance(ready, Ready), ready
    asked = ("a red mug", "something odd")
    first = look(worker, photo(), asked)
    assert first
    assert {item.label for item in first} <= set(asked)
    look(worker, photo(), ("another",))
    assert look(worker, photo(), asked) == first


PHRASES = ("a Red mug", "lemon.")


@pytest.mark.slow
def test_grounding_dino_scores_phrases_by_the_tokens_of_its_library(
    checkpoints: Path, references: dict[str, dict[str, list]], start: Start
) -> None:
    worker, ready = start(manifest_of("grounding_dino", labels=()), checkpoints / GROUNDED)
    assert isinstance(ready, Ready), ready
    found = look(worker, photo(), PHRASES)
    reference = references[GROUNDED]
    scores, boxes = np.array(reference["scores"]), np.array(reference["boxes"]) * ([200, 120] * 2)
    assert scores.shape == (20, 2)
    best = np.argsort(-scores.reshape(-1), kind="stable")[: len(scores)]
    rows = []
    for place in best:
        (x, y, width, height), phrase = boxes[place // 2], PHRASES[place % 2]
        corners = np.clip([x - width / 2, y - height / 2, x + width / 2, y + height / 2], 0, [200, 120] * 2)
        rows += [(phrase, scores.reshape(-1)[place], corners)]
    compare(found, rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("terms", "words"), [(("mug", "?."), "'?.'"), (("mug " * 90,), "the model takes 256")]
)
def test_phrases_that_it_cannot_take_are_refused(
    checkpoints: Path, start: Start, terms: tuple[str, ...], words: str
) -> None:
    worker, _ = start(manifest_of("grounding_dino", labels=()), checkpoints / "mm_grounding_dino")
    worker.detect(photo(), terms)
    failed = answer_of(worker)
    assert isinstance(failed, EngineFailed), failed
    assert words in failed.message


QWEN = {"precision": "fp32", "quantisation": "none", "model_code": "transformers"}
THOUSANDTHS = {**QWEN, "answer_format": "json_thousandths"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "terms", "answer"),
    [
        (THOUSANDTHS, ("red mug", "baguette"), [("red mug", 20, 30), ("baguette", 120.8, 0)]),
        ({**THOUSANDTHS, "max_new_tokens": 16}, ("red mug", "baguette"), "cut off after 16 tokens"),
        (THOUSANDTHS, ("glass",), [("glass", 6.6, 8.5)]),
        (THOUSANDTHS, ("a", "b"), "a box has no label"),
        ({**QWEN, "answer_format": "json_pixels"}, ("lemon", "mug"), "lies outside"),
        ({**QWEN, "answer_format": "tags"}, ("mug",), "does not match the grammar"),
    ],
)
def test_qwen_answers_in_the_format_of_its_manifest(
    checkpoints: Path, start: Start, options: dict, terms: tuple[str, ...], answer: object
) -> None:
    manifest = manifest_of("vlm_grounding", labels=(), scores_calibrated=False, options=options)
    worker, reply = start(manifest, checkpoints / "qwen3_vl")
    if isinstance(reply, Ready):
        worker.detect(photo(), terms)
        reply = answer_of(worker)
    if isinstance(reply, EngineFailed):
        assert str(answer) in reply.message
    else:
        boxes = [(item.label, item.box.x_min, item.box.y_min) for item in reply.detections]
        assert [(label, round(x, 1), round(y, 1)) for label, x, y in boxes] == answer


def test_half_precision_is_really_applied(checkpoints: Path, start: Start) -> None:
    scores = []
    for precision in ("fp32", "bf16"):
        manifest = manifest_of("rtdetr_hf", options={"precision": precision})
        worker, ready = start(manifest, checkpoints / "rtdetr")
        assert isinstance(ready, Ready), ready
        scores.append([item.score for item in look(worker, photo())])
    assert scores[0] != scores[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labels", "words"), [(["mug"], "has 1 labels"), ({5: "mug"}, "names class 5: valid are 0 to 4")]
)
def test_a_vocabulary_that_does_not_fit_the_classes_is_refused(
    checkpoints: Path, start: Start, labels: object, words: str
) -> None:
    closed = {"kind": "closed", "labels": labels}
    _, failed = start(manifest_of("rtdetr_hf", vocabulary=closed), checkpoints / "rtdetr")
    assert isinstance(failed, EngineFailed)
    assert f"the model has 5 classes, but the vocabulary {words}" in failed.message


def test_a_gpu_that_is_not_here_is_not_replaced(checkpoints: Path, start: Start) -> None:
    _, failed = start(manifest_of("rtdetr_hf"), checkpoints / "rtdetr", LoadOptions(device="cuda:7"))
    assert isinstance(failed, EngineFailed)
    assert "cuda:7" in failed.message


def test_missing_weights_are_not_fetched(start: Start, tmp_path: Path) -> None:
    _, failed = start(manifest_of("rtdetr_hf"), tmp_path)
    assert isinstance(failed, EngineFailed)
    assert failed.kind is FailureKind.MISSING_WEIGHTS


@pytest.mark.slow
def test_an_exported_checkpoint_sees_what_it_saw_before_in_another_library(
    checkpoints: Path, start: Start, tmp_path: Path
) -> None:
    folder = checkpoints / "rtdetr"
    weights = {"uri": "hf://someone/tiny", "revision": "0" * 40}
    exported = manifest_of("rtdetr_onnx", environment={}, weights=weights)
    shutil.copytree(folder / "weights", tmp_path / "tiny")
    files = digests_of(tmp_path / "tiny")
    WeightsRecord(rskill="tiny", licence="Apache-2.0", files=files, **weights).write(tmp_path / "tiny")
    rskills = tmp_path / "rskills"
    (rskills / "tiny").mkdir(parents=True)
    (rskills / "tiny" / "rskill.yaml").write_text(yaml.safe_dump(exported.model_dump(mode="json")))
    program = "from openral_training.weights.cli import weights; weights()"
    command = [sys.executable, "-c", program]
    environments = tmp_path / "environments"
    environments.mkdir()
    (environments / "transformers-5").symlink_to(FOLDER / DETECTION)
    where = ["--rskills", str(rskills), "--environments", str(environments), "--weights-dir", str(tmp_path)]
    output = subprocess.run([*command, "tiny", *where], capture_output=True, text=True, check=False)
    assert output.returncode == 0, output.stderr
    report = json.loads(next(line for line in output.stdout.splitlines() if line.startswith("{")))
    assert report["boxes_compared"] == 60
    assert report["largest_difference"] < 1e-3
    theirs, _ = start(manifest_of("rtdetr_hf"), folder)
    ours, ready = start(exported, rskills / "tiny", LoadOptions(weights_folder=str(tmp_path)))
    assert isinstance(ready, Ready), ready
    for one, other in zip(look(ours, photo()), look(theirs, photo()), strict=True):
        assert one.label == other.label
        assert one.score == pytest.approx(other.score, abs=1e-4)
        assert one.box.x_max == pytest.approx(other.box.x_max, abs=0.05)


def grounding_manifest(folder: Path, **changes: object) -> DetectorManifest:
    revision, files = "0123456789abcdef0123456789abcdef01234567", digests_of(folder / "weights")
    return manifest_of(
        "vlm_grounding",
        labels=(),
        scores_calibrated=False,
        weights={"uri": "file://weights", "revision": revision, "files": files},
        environment={"name": GROUNDING},
        options={"precision": "fp32", "quantisation": "nf4"},
        **changes,
    )


@pytest.fixture(scope="module")
def grounding_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vlm")
    module = "openral_testing.detectors.tiny_vlm"
    in_environment("-m", module, str(folder / "weights"), name=GROUNDING)
    return folder


@needs_grounding
def test_a_grounding_model_in_four_bits_marks_the_phrases_it_is_asked_for(
    grounding_folder: Path, start: Start
) -> None:
    worker, ready = start(
        grounding_manifest(grounding_folder), grounding_folder, LoadOptions(remote_code=True)
    )
    assert isinstance(ready, Ready), ready
    pixels = np.zeros((480, 640, 3), np.uint8)
    pixels[300:360, 480:560] = 255
    found = look(worker, EngineFrame({"rgb": pixels}, "head", 0), ("red mug", "bread"))
    assert [item.label for item in found] == ["red mug", "bread"]
    assert {(b.x_min, b.y_min, b.x_max, b.y_max) for b in (item.box for item in found)} == {
        (480.0, 300.0, 560.0, 360.0)
    }


@needs_grounding
@pytest.mark.slow
@pytest.mark.parametrize(
    ("remote_code", "revision", "words"),
    [
        (False, "0" * 40, "remote_code is false"),
        (True, "", "pins no revision"),
        (True, "0" * 40, "stub_vlm.py is neither recorded nor pinned"),
    ],
)
def test_code_that_comes_with_weights_runs_only_when_allowed_and_pinned(
    grounding_folder: Path, start: Start, remote_code: bool, revision: str, words: str
) -> None:
    weights = {"uri": "file://weights", "revision": revision}
    content = grounding_manifest(grounding_folder).model_dump()
    manifest = DetectorManifest.model_validate({**content, "weights": weights})
    _, failed = start(manifest, grounding_folder, LoadOptions(remote_code=remote_code))
    assert isinstance(failed, EngineFailed)
    assert words in failed.message
