"""An ONNX file becomes an rSkill, and detections become pages, average precision and disagreements."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save
from typer.testing import CliRunner

from openral_core.detectors import Box, Detection
from openral_core.rskills import MANIFEST_FILE, DetectorManifest, load_manifest
from openral_perception_ros.engines import EngineError, EngineFrame, LoadOptions, engine_loader
from openral_perception_ros.engines.onnx.engine import OnnxOptions
from openral_training.detect.adding import AddRequest, FolderExists, LabelsUnknown, add_detector
from openral_training.detect.pictures import disagreements
from openral_training.detect.precision import average_precision
from openral_training.detector.coco import NotCoco
from openral_training.ros.detect_cli import commands

SIDE = 64
LABELS = "mug\nbread\nlemon\n"


def yolo_file(path: Path, metadata: dict[str, str] | None = None) -> Path:
    """A model whose only detection is a bright red region: class bread where red minus blue is large."""
    cells = (SIDE // 8) ** 2 + (SIDE // 16) ** 2 + (SIDE // 32) ** 2
    table = np.zeros((1, 7, cells), np.float32)
    table[0, :2] = np.linspace(2.0, SIDE - 2.0, cells)
    table[0, 2:4] = 3.0
    table[0, :4, 5] = (32.0, 32.0, 32.0, 16.0)
    mask = np.zeros((1, 7, cells), np.float32)
    mask[0, 5, 5] = 1.0
    nodes = [
        helper.make_node("ReduceMean", ["images", "space"], ["means"], keepdims=0),
        helper.make_node("Split", ["means"], ["r", "g", "b"], axis=1, num_outputs=3),
        helper.make_node("Sub", ["r", "b"], ["redness"]),
        helper.make_node("Clip", ["redness", "low", "high"], ["clipped"]),
        helper.make_node("Mul", ["mask", "clipped"], ["scores"]),
        helper.make_node("Add", ["table", "scores"], ["output0"]),
    ]
    constants = {
        "table": table,
        "mask": mask,
        "space": np.array([2, 3], np.int64),
        "low": np.float32(0.001),
        "high": np.float32(0.9),
    }
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
        [helper.make_tensor_value_info("output0", TensorProto.FLOAT, list(table.shape))],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    helper.set_model_props(model, metadata or {})
    save(model, path)
    return path


@pytest.fixture
def labels(tmp_path: Path) -> str:
    (tmp_path / "names.txt").write_text(LABELS)
    return str(tmp_path / "names.txt")


def red_image() -> np.ndarray:
    return shaded((250, 15, 5))


def shaded(colour: tuple[int, int, int]) -> np.ndarray:
    """An image of one colour with some noise, as a camera's has."""
    noise = np.random.default_rng(1).integers(0, 6, (80, 160, 1))
    return (np.array(colour) + noise).astype(np.uint8)


def test_a_file_becomes_an_rskill_whose_every_option_is_stated(tmp_path: Path, labels: str) -> None:
    file = yolo_file(tmp_path / "My Model.onnx")
    added = add_detector(AddRequest(file, tmp_path / "mine", "my-model", labels))
    text = (added.folder / MANIFEST_FILE).read_text()
    manifest = load_manifest(added.folder / MANIFEST_FILE)
    assert isinstance(manifest, DetectorManifest)
    assert set(manifest.options) == set(OnnxOptions.model_fields)
    assert all(
        "#" in line
        for line in text.splitlines()
        if line.startswith("  ") and "model.onnx" not in line and "uri" not in line and "files" not in line
    )
    assert (added.outputs, manifest.options["decode"]) == ("yolov8 (inferred)", "yolov8")
    (bread,) = engine_loader("onnx")(manifest, added.folder, LoadOptions()).detect(
        EngineFrame({"rgb": red_image()}, "head", 0), None
    )
    # Letterboxed centred: 160x80 fills the middle 64x32 of the input, 2.5 px each.
    assert bread.label == "bread"
    edges = (bread.box.x_min, bread.box.y_min, bread.box.x_max, bread.box.y_max)
    assert edges == pytest.approx((40.0, 20.0, 120.0, 60.0))


def test_names_and_licence_that_the_file_carries_are_used(tmp_path: Path) -> None:
    facts = {"names": "{0: 'mug', 1: 'bread', 2: 'lemon'}", "license": "AGPL-3.0 License (https://x)"}
    added = add_detector(AddRequest(yolo_file(tmp_path / "m.onnx", facts), tmp_path / "mine", "m"))
    manifest = load_manifest(added.folder / MANIFEST_FILE)
    assert isinstance(manifest, DetectorManifest)
    assert (manifest.licence.name, manifest.licence.commercial_use) == ("AGPL-3.0 License", False)
    assert (added.folder / "labels.yaml").read_text() == "labels:\n  mug: []\n  bread: []\n  lemon: []\n"


def test_a_refusal_leaves_nothing_behind(tmp_path: Path) -> None:
    file = yolo_file(tmp_path / "m.onnx")
    with pytest.raises(LabelsUnknown, match="--labels coco80, coco91"):
        add_detector(AddRequest(file, tmp_path / "mine", "m"))
    with pytest.raises(LabelsUnknown, match="No such file"):
        add_detector(AddRequest(file, tmp_path / "mine", "m", str(tmp_path / "none.txt")))
    with pytest.raises(EngineError, match="3 classes, but the vocabulary has 80 labels"):
        add_detector(AddRequest(file, tmp_path / "mine", "m", "coco80"))
    assert list((tmp_path / "mine").iterdir()) == []
    (tmp_path / "mine" / "m").mkdir()
    with pytest.raises(FolderExists):
        add_detector(AddRequest(file, tmp_path / "mine", "m", "coco80"))


def detection(label: str, x: float, score: float = 0.9) -> Detection:
    return Detection(Box(x, 10.0, x + 20.0, 30.0), label, score)


def truth(folder: Path) -> Path:
    categories = [{"id": 7, "name": "mug"}, {"id": 9, "name": "bread"}, {"id": 11, "name": "sofa"}]
    boxes = [("a.png", 7, 0), ("a.png", 7, 50), ("b.png", 9, 0), ("b.png", 11, 70)]
    annotations = [
        {
            "id": number,
            "image_id": name,
            "category_id": kind,
            "bbox": [x, 10, 20, 20],
            "area": 400,
            "iscrowd": 0,
        }
        for number, (name, kind, x) in enumerate(boxes, start=1)
    ]
    images = [
        {"id": name, "file_name": f"images/{name}", "width": 100, "height": 50} for name in ("a.png", "b.png")
    ]
    file = folder / "truth.json"
    file.write_text(json.dumps({"images": images, "annotations": annotations, "categories": categories}))
    return file


def test_average_precision_is_that_of_coco_over_the_classes_in_common(tmp_path: Path) -> None:
    seen = {
        # One of two mugs, and before it one that is none: precision 1/2 up to a recall of 1/2, then 0.
        "a.png": [detection("mug", 75.0, 0.95), detection("mug", 1.0, 0.6)],
        "b.png": [detection("bread", 0.0, 0.3), detection("lemon", 70.0)],
    }
    result = average_precision(truth(tmp_path), seen, ("mug", "bread", "lemon"))
    # COCO samples recall at 101 points, of which 51 are at most 1/2.
    assert result.classes == pytest.approx({"mug": 0.5 * 51 / 101, "bread": 1.0})
    assert result.mean == pytest.approx((0.5 * 51 / 101 + 1.0) / 2)
    assert (result.objects, result.unknown, result.images) == ({"mug": 2, "bread": 1}, ("sofa",), 2)
    assert average_precision(truth(tmp_path), {"a.png": []}, ("mug",)).classes == {"mug": 0.0}
    with pytest.raises(NotCoco, match="none of the 1 images"):
        average_precision(truth(tmp_path), {"c.png": []}, ("mug",))
    with pytest.raises(NotCoco, match="none of the annotated classes"):
        average_precision(truth(tmp_path), {"a.png": []}, ("lemon",))


def test_two_detectors_disagree_where_labels_or_objects_differ() -> None:
    shared = frozenset(("mug", "bread"))
    first = [detection("mug", 0.0), detection("mug", 50.0), detection("sofa", 70.0)]
    second = [detection("mug", 2.0), detection("bread", 51.0), detection("bread", 90.0)]
    assert list(disagreements(first, second, shared)) == [
        "mug 0.90 [50, 10, 70, 30] by the first, bread 0.90 [51, 10, 71, 30] by the second",
        "bread 0.90 [90, 10, 110, 30] by the second alone",
    ]
    assert list(disagreements(first, first, shared)) == []


def test_two_commands_from_a_file_to_boxes_on_photographs(
    tmp_path: Path, labels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    for name, shade in (("red", red_image()), ("grey", shaded((90, 90, 90)))):
        cv2.imwrite(str(tmp_path / "photos" / f"{name}.png"), shade[:, :, ::-1])
    file = yolo_file(tmp_path / "m.onnx")
    added = CliRunner().invoke(commands, ["detector", "add", str(file), "--labels", labels, "--no-check"])
    assert added.exit_code == 0, added.output
    assert "outputs are yolov8 (inferred)" in added.output
    annotation = {
        "id": 1,
        "image_id": 1,
        "category_id": 1,
        "bbox": [40, 20, 80, 40],
        "area": 3200,
        "iscrowd": 0,
    }
    content = {
        "images": [{"id": 1, "file_name": "red.png", "width": 160, "height": 80}],
        "annotations": [annotation],
        "categories": [{"id": 1, "name": "bread"}],
    }
    (tmp_path / "truth.json").write_text(json.dumps(content))
    arguments = ["detect", "photos", "--detector", "m", "--coco", "truth.json"]
    result = CliRunner().invoke(commands, [*arguments, "--rskills", "my_rskills"])
    assert result.exit_code == 0, result.output
    assert "grey.png: nothing" in result.output
    assert "red.png: bread 0.48 [40, 20, 120, 60]" in result.output
    assert "AP50 1.000 over 1 classes of 1 images" in result.output
    page = cv2.imread("detections.png")
    assert page is not None
    assert page.shape[1] == 2 * 480
