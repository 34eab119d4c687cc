"""ONNX files as the exporters of many families write them, and what they say, decoded row by row."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEIGHT = 96, 64
CLASSES = 3
CELLS = {
    strides: [(x, y, s) for s in strides for y in range(-(-HEIGHT // s)) for x in range(-(-WIDTH // s))]
    for strides in ((8, 16, 32), (8, 16, 32, 64))
}
P5, P6 = CELLS
TYPES = {
    "float": TensorProto.FLOAT,
    "half": TensorProto.FLOAT16,
    "byte": TensorProto.UINT8,
    "long": TensorProto.INT64,
    "int": TensorProto.INT32,
}
Row = tuple[float, int, float, float, float, float]
"""Score, class, and corners in pixels of the input."""
Arrays = dict[str, np.ndarray]


def write_model(
    path: Path,
    outputs: Arrays,
    types: dict[str, str],
    image: tuple[str, list[object]] = ("float", [1, 3, HEIGHT, WIDTH]),
    size_input: bool = False,
    dynamic: bool = False,
) -> None:
    """Write a model whose outputs are constants, to which a billionth of the image is added."""
    kind, shape = image
    nodes = [
        helper.make_node("Cast", ["images"], ["x32"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["x32"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "tiny"], ["trace"]),
    ]
    constants = [numpy_helper.from_array(np.float32(1e-12), "tiny")]
    inputs = [helper.make_tensor_value_info("images", TYPES[kind], shape)]
    if size_input:
        inputs.append(helper.make_tensor_value_info("orig_target_sizes", TensorProto.INT64, [1, 2]))
        nodes += [
            helper.make_node("Cast", ["orig_target_sizes"], ["sizes"], to=TensorProto.FLOAT),
            helper.make_node("Concat", ["sizes", "sizes"], ["box_scale"], axis=1),
        ]
    for name, value in outputs.items():
        constants.append(numpy_helper.from_array(np.asarray(value, np.float32), f"c_{name}"))
        nodes.append(helper.make_node("Add", [f"c_{name}", "trace"], [f"t_{name}"]))
        last = f"t_{name}"
        if size_input and name == "boxes":
            nodes.append(helper.make_node("Mul", [last, "box_scale"], ["scaled"]))
            last = "scaled"
        nodes.append(helper.make_node("Cast", [last], [name], to=TYPES[types.get(name, "float")]))
    described = [
        helper.make_tensor_value_info(
            name, TYPES[types.get(name, "float")], [None] * v.ndim if dynamic else v.shape
        )
        for name, v in outputs.items()
    ]
    graph = helper.make_graph(nodes, "g", inputs, described, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


@dataclass(frozen=True)
class Export:
    """One export: the outputs, what they say, and what the manifest has to state.

    ``overlap`` is the suppression that the engine has to do; None for a family that has done it.
    """

    kind: str
    outputs: Arrays
    rows: Sequence[Row]
    overlap: float | None = 0.6
    options: dict[str, object] = field(default_factory=dict)
    labels: object = ("mug", "bread", "lemon")
    types: dict[str, str] = field(default_factory=dict)
    image: tuple[str, list[object]] = ("float", [1, 3, HEIGHT, WIDTH])
    size_input: bool = False
    dynamic: bool = False


RANDOM = np.random.default_rng(7)


def scores(rows: int, classes: int = CLASSES) -> np.ndarray:
    """Few high scores among many low ones."""
    return RANDOM.random((rows, classes)) ** 16


def centred(rows: int) -> np.ndarray:
    """Boxes of centre and size all over the input [px]."""
    return np.hstack([RANDOM.random((rows, 2)) * (WIDTH, HEIGHT), 6.0 + 30.0 * RANDOM.random((rows, 2))])


def cornered(rows: int) -> np.ndarray:
    """The same as corners."""
    boxes = centred(rows)
    return np.hstack([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2])


def corners(box: Sequence[float]) -> tuple[float, float, float, float]:
    x, y, w, h = box
    return x - w / 2, y - h / 2, x + w / 2, y + h / 2


def logit(values: np.ndarray) -> np.ndarray:
    return np.log(values / (1.0 - values))


def yolov5(rows: int, classes: int = CLASSES) -> tuple[np.ndarray, list[Row]]:
    table = np.hstack([centred(rows), RANDOM.random((rows, 1)), scores(rows, classes) ** 0.5])
    return table, [(row[4] * row[5 + k], k, *corners(row[:4])) for row in table for k in range(classes)]


def yolov8(rows: int, classes: int = CLASSES) -> tuple[np.ndarray, list[Row]]:
    table = np.hstack([centred(rows), scores(rows, classes)])
    return table, [(row[4 + k], k, *corners(row[:4])) for row in table for k in range(classes)]


def yolox(strides: tuple[int, ...], classes: int = CLASSES) -> tuple[np.ndarray, list[Row]]:
    cells = CELLS[strides]
    n = len(cells)
    table = np.hstack(
        [
            RANDOM.normal(0.3, 0.5, (n, 2)),
            RANDOM.normal(0.2, 0.4, (n, 2)),
            RANDOM.random((n, 1)),
            scores(n, classes) ** 0.5,
        ]
    )
    rows = []
    for row, (x, y, s) in zip(table, cells, strict=True):
        box = corners(((row[0] + x) * s, (row[1] + y) * s, math.exp(row[2]) * s, math.exp(row[3]) * s))
        rows += [(row[4] * row[5 + k], k, *box) for k in range(classes)]
    return table, rows


def final(rows: int) -> tuple[np.ndarray, list[Row]]:
    table = np.hstack([cornered(rows), RANDOM.random((rows, 1)), RANDOM.integers(0, CLASSES, (rows, 1))])
    return table, [(row[4], int(row[5]), *row[:4]) for row in table]


def nanodet(
    strides: tuple[int, ...], offset: float, bins: int = 8
) -> tuple[np.ndarray, np.ndarray, list[Row]]:
    cells = CELLS[strides]
    probabilities, raw = scores(len(cells)), RANDOM.normal(0.0, 2.0, (len(cells), 4 * bins))
    rows = []
    for chances, row, (x, y, s) in zip(probabilities, raw, cells, strict=True):
        sides = []
        for side in range(4):
            weights = [math.exp(value) for value in row[side * bins : (side + 1) * bins]]
            sides.append(s * sum(i * weight for i, weight in enumerate(weights)) / sum(weights))
        cx, cy = (x + offset) * s, (y + offset) * s
        box = (cx - sides[0], cy - sides[1], cx + sides[2], cy + sides[3])
        rows += [(chances[k], k, *box) for k in range(CLASSES)]
    return probabilities, raw, rows


def per_stride(probabilities: np.ndarray, raw: np.ndarray, strides: tuple[int, ...]) -> Arrays:
    """Outputs of each stride, the coarsest first."""
    parts: Arrays = {}
    start = 0
    for stride in strides:
        count = sum(1 for _, _, each in CELLS[strides] if each == stride)
        parts[f"cls_pred_stride_{stride}"] = probabilities[None, start : start + count]
        parts[f"dis_pred_stride_{stride}"] = raw[None, start : start + count]
        start += count
    return dict(reversed(parts.items()))


def fastestdet(classes: int = CLASSES) -> tuple[np.ndarray, list[Row]]:
    high, wide = HEIGHT // 16, WIDTH // 16
    table = np.concatenate(
        [
            RANDOM.random((1, high, wide)),
            RANDOM.normal(0, 0.5, (2, high, wide)),
            RANDOM.normal(-1.5, 0.5, (2, high, wide)),
            RANDOM.random((classes, high, wide)) ** 8,
        ]
    )
    rows = []
    for y in range(high):
        for x in range(wide):
            o, dx, dy, w, h, *chances = (float(value) for value in table[:, y, x])
            centre = ((x + math.tanh(dx)) / wide * WIDTH, (y + math.tanh(dy)) / high * HEIGHT)
            sides = (WIDTH / (1 + math.exp(-w)), HEIGHT / (1 + math.exp(-h)))
            rows += [(o**0.6 * p**0.4, k, *corners((*centre, *sides))) for k, p in enumerate(chances)]
    return table, rows


UNIT = np.array([WIDTH, HEIGHT, WIDTH, HEIGHT])


def detr(queries: int, classes: int = CLASSES) -> tuple[np.ndarray, np.ndarray, list[Row]]:
    chances, boxes = scores(queries, classes) ** 0.5 * 0.98 + 0.01, centred(queries)
    rows = [(chances[q, k], k, *corners(boxes[q])) for q in range(queries) for k in range(classes)]
    return logit(chances), boxes / UNIT, sorted(rows, key=lambda row: -row[0])[:queries]


def ssd(rows: int) -> tuple[np.ndarray, np.ndarray, list[Row]]:
    chances, boxes = scores(rows), cornered(rows)
    return chances, boxes, [(chances[n, k], k, *boxes[n]) for n in range(rows) for k in range(CLASSES)]


def _of_yolo() -> Iterator[tuple[str, Export]]:
    anchors = 3 * len(CELLS[P5])
    table, rows = yolov5(anchors)
    yield "yolov5", Export("yolov5", {"output0": table[None]}, rows)
    yield "yolov5_letterbox", Export("yolov5", {"output": table[None]}, rows, options={"fit": "letterbox"})
    heads = {f"head{s}": np.zeros((1, 3, HEIGHT // s, WIDTH // s, 8)) for s in P5}
    yield "yolov5_with_raw_heads", Export("yolov5", {"output": table[None], **heads}, rows)
    yield "yolov7_transposed", Export("yolov5", {"output": table.T[None]}, rows)
    table, rows = yolov5(3 * len(CELLS[P6]))
    yield "yolov5_p6", Export("yolov5", {"output0": table[None]}, rows)
    table, rows = yolov5(anchors, 1)
    yield "yolov5_one_class", Export("yolov5", {"output0": table[None]}, rows, labels=("mug",))
    table, rows = yolov5(len(CELLS[P5]))
    stated = {"decode": "yolov5"}
    yield "yolov6_or_decoded_yolox", Export("yolov5", {"outputs": table[None]}, rows, options=stated)
    raw = table.copy()
    raw[:, 4:] = logit(raw[:, 4:].clip(1e-4, 1 - 1e-4))
    options = {**stated, "activation": "sigmoid"}
    yield "yolov5_logits", Export("yolov5", {"outputs": raw[None]}, rows, options=options)
    table, rows = yolov8(len(CELLS[P5]))
    yield "yolov8", Export("yolov8", {"output0": table.T[None]}, rows)
    yield (
        "yolov8_centred",
        Export("yolov8", {"output0": table.T[None]}, rows, options={"fit": "letterbox_centred"}),
    )
    yield "yolo11_transposed", Export("yolov8", {"output0": table[None]}, rows)
    yield (
        "yolov8_nhwc",
        Export("yolov8", {"Identity": table.T[None]}, rows, image=("float", [1, HEIGHT, WIDTH, 3])),
    )
    image = ("float", ["batch", 3, "height", "width"])
    yield "yolov8_dynamic", Export("yolov8", {"output0": table.T[None]}, rows, image=image, dynamic=True)
    relative = np.hstack([table[:, :4] / UNIT, table[:, 4:]]).T[None]
    yield "yolov8_tflite", Export("yolov8", {"Identity": relative}, rows, options={"unit": "relative"})
    table, rows = yolov8(len(CELLS[P5]), 2)
    yield "yolov8_two_classes", Export("yolov8", {"output0": table.T[None]}, rows, labels=("mug", "bread"))
    table, rows = yolov8(len(CELLS[P5]), 5)
    numbered = {1: "mug", 4: "lemon"}
    yield "yolov8_some_classes", Export("yolov8", {"output0": table.T[None]}, rows, labels=numbered)
    for strides, name in ((P5, "yolox"), (P6, "yolox_p6")):
        table, rows = yolox(strides)
        yield name, Export("yolox", {"output": table[None]}, rows, options={"fit": "letterbox"})
    table, rows = yolox(P5, 1)
    yield "yolox_one_class", Export("yolox", {"output": table[None]}, rows, labels=("mug",))


def _of_grids() -> Iterator[tuple[str, Export]]:
    for name, strides, offset, bins in (
        ("nanodet_plus", P6, 0.0, 8),
        ("nanodet", P5, 0.5, 8),
        ("nanodet_plus_16_bins", P6, 0.0, 16),
    ):
        probabilities, raw, rows = nanodet(strides, offset, bins)
        yield name, Export("nanodet", {"output": np.hstack([probabilities, raw])[None]}, rows)
        yield f"{name}_per_stride", Export("nanodet", per_stride(probabilities, raw, strides), rows)
    feature_map, rows = fastestdet()
    yield "fastestdet", Export("fastestdet", {"758": feature_map[None]}, rows)
    feature_map, rows = fastestdet(1)
    yield "fastestdet_one_class", Export("fastestdet", {"758": feature_map[None]}, rows, labels=("mug",))
    chances, boxes, rows = ssd(200)
    relative = boxes / UNIT
    yield (
        "ssd_with_background",
        Export(
            "ssd",
            {
                "scores": np.hstack([1.0 - chances.max(1, keepdims=True), chances])[None],
                "boxes": relative[None],
            },
            rows,
        ),
    )
    yield "ssd", Export("ssd", {"bbox": relative[None], "confidences": chances[None]}, rows)
    yield (
        "yolo_nas",
        Export(
            "ssd", {"pred_boxes": boxes[None], "pred_scores": chances[None]}, rows, options={"unit": "pixel"}
        ),
    )


def _of_transformers() -> Iterator[tuple[str, Export]]:
    logits, boxes, rows = detr(40)
    plain = {"logits": logits[None], "pred_boxes": boxes[None]}
    yield "rtdetr_hf", Export("detr", plain, rows, None)
    yield "rtdetr_hf_boxes_first", Export("detr", dict(reversed(plain.items())), rows, None)
    yield "rtdetr_rank_2", Export("detr", {"logits": logits, "pred_boxes": boxes}, rows, None)
    half = {"logits": "half", "pred_boxes": "half"}
    image = ("half", [1, 3, HEIGHT, WIDTH])
    yield "rtdetr_half", Export("detr", plain, rows, None, types=half, image=image)
    yield "rfdetr", Export("detr", {"dets": boxes[None], "labels": logits[None]}, rows, None)
    yield (
        "rfdetr_stated_as_boxes",
        Export(
            "detr", {"dets": boxes[None], "labels": logits[None]}, rows, None, options={"decode": "boxes"}
        ),
    )
    chances = scores(40) * 0.9
    absent = 1.0 - chances.sum(axis=1, keepdims=True).clip(0.0, 0.95)
    shares = np.hstack([chances, absent])
    shares /= shares.sum(axis=1, keepdims=True)
    every = [(shares[q, k], k, *corners(boxes[q] * UNIT)) for q in range(40) for k in range(CLASSES)]
    yield (
        "detr_softmax",
        Export(
            "detr",
            {"logits": np.log(shares)[None], "pred_boxes": boxes[None]},
            sorted(every, key=lambda row: -row[0])[:40],
            None,
            options={"decode": "detr", "activation": "softmax"},
        ),
    )


def _of_final_detections() -> Iterator[tuple[str, Export]]:
    table, rows = final(30)
    yield "yolov10", Export("end_to_end", {"output0": table[None]}, rows, None)
    yield "yolo26_rank_2", Export("end_to_end", {"output0": table}, rows, None)
    yield "yolov8_nms_dynamic", Export("end_to_end", {"output0": table[None]}, rows, None, dynamic=True)
    batched = np.hstack([np.zeros((30, 1)), table[:, :4], table[:, [5, 4]]])
    yield "yolov7_end2end", Export("end_to_end", {"output": batched}, rows, None)
    padded = np.vstack([table, np.zeros((20, 6))])
    yield "yolo_nms_padded", Export("end_to_end", {"output0": padded[None]}, rows, None)
    boxes, chances, classes = table[None, :, :4], table[None, :, 4], table[None, :, 5]
    own = {"labels": classes, "boxes": boxes / UNIT, "scores": chances}
    long = {"labels": "long"}
    yield "rtdetr_original", Export("boxes", own, rows, None, types=long, size_input=True)
    yield (
        "dfine_original",
        Export("boxes", dict(reversed(own.items())), rows, None, types={"labels": "int"}, size_input=True),
    )
    turned = boxes[..., [1, 0, 3, 2]] / UNIT[[1, 0, 3, 2]]
    tensorflow = {
        "detection_boxes:0": turned,
        "detection_classes:0": classes + 1,
        "detection_scores:0": chances,
        "num_detections:0": np.array([20.0]),
    }
    labels = {1: "mug", 2: "bread", 3: "lemon"}
    yield (
        "tensorflow",
        Export(
            "boxes",
            tensorflow,
            [(s, k + 1, *box) for s, k, *box in rows[:20]],
            None,
            labels=labels,
            image=("byte", [1, HEIGHT, WIDTH, 3]),
        ),
    )
    plain = {"boxes": boxes[0], "labels": classes[0], "scores": chances[0]}
    yield "torchvision", Export("boxes", plain, rows, None, types=long)
    dets = np.concatenate([boxes, chances[..., None]], 2)
    yield (
        "mmdetection",
        Export("boxes", {"dets": dets, "labels": classes}, rows, None, types=long),
    )
    counted = {
        "num_dets": np.array([[25.0]]),
        "det_boxes": boxes,
        "det_scores": chances,
        "det_classes": classes,
    }
    types = {"num_dets": "int", "det_classes": "int"}
    yield "efficient_nms", Export("boxes", counted, rows[:25], None, types=types)
    zoo = {"bboxes": boxes / UNIT, "labels": classes, "scores": chances}
    yield "ssd_of_the_zoo", Export("boxes", zoo, rows, None, {"unit": "relative"}, types=long)


EXPORTS: dict[str, Export] = {
    name: export
    for family in (_of_yolo, _of_grids, _of_transformers, _of_final_detections)
    for name, export in family()
}
