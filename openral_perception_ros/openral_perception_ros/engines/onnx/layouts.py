"""Layouts of detector outputs: the decode kind that a manifest states, or that names and shapes imply.

| kind | outputs |
|---|---|
| ``detr`` | logits (1, Q, C), boxes (1, Q, 4) as cx, cy, w, h in [0, 1]; RF-DETR calls them labels and dets |
| ``yolov5`` | (1, N, 5 + C): cx, cy, w, h [px], objectness, scores; also YOLOv6, YOLOv7, decoded YOLOX |
| ``yolov8`` | (1, 4 + C, N): cx, cy, w, h [px], scores; also YOLO11 |
| ``yolox`` | (1, N, 5 + C): offsets in the grid cell, logarithms of sizes, objectness, scores |
| ``end_to_end`` | (1, N, 6): x_min, y_min, x_max, y_max [px], score, class; (N, 7) of YOLOv7 |
| ``nanodet`` | (1, N, C + 4 B): scores, B bins of each side's distance; or scores and bins per stride |
| ``fastestdet`` | (1, 5 + C, H, W): objectness, tanh of offsets, sigmoid of sizes, scores |
| ``ssd`` | scores (1, N, C) or (1, N, 1 + C) with background first, boxes (1, N, 4) as corners in [0, 1] |
| ``boxes`` | boxes, scores and classes per object, in any order; corners [px] |
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from openral_core.errors import format_choices
from openral_perception_ros.engines.errors import EngineError, LabelMismatch


class DecodeKind(StrEnum):
    """Kinds of outputs that are understood."""

    DETR = "detr"
    YOLOV5 = "yolov5"
    YOLOV8 = "yolov8"
    YOLOX = "yolox"
    END_TO_END = "end_to_end"
    NANODET = "nanodet"
    FASTESTDET = "fastestdet"
    SSD = "ssd"
    BOXES = "boxes"


class BoxFormat(StrEnum):
    """Order of a box's four numbers; ``yxyx`` is TensorFlow's."""

    CORNERS = "xyxy"
    CENTRE = "cxcywh"
    TENSORFLOW = "yxyx"


class BoxUnit(StrEnum):
    """Unit of boxes: pixels of the model's input, or fractions of it."""

    PIXEL = "pixel"
    RELATIVE = "relative"


class Activation(StrEnum):
    """Function that turns outputs into scores; ``softmax`` is over all classes, the last being no object."""

    NONE = "none"
    SIGMOID = "sigmoid"
    SOFTMAX = "softmax"


@dataclass(frozen=True, slots=True)
class Tensor:
    """Name, element type and actual shape of an input or output."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.dtype.removeprefix('tensor(').removesuffix(')')} {list(self.shape)}"

    @property
    def matrix(self) -> tuple[int, int] | None:
        """Rows and columns apart from leading ones; None if it has more dimensions or fewer."""
        shape = self.shape
        while len(shape) > 2 and shape[0] == 1:
            shape = shape[1:]
        return (shape[0], shape[1]) if len(shape) == 2 else None

    @property
    def length(self) -> int | None:
        """Elements of a vector, or of one in a batch of 1; None if it is no vector."""
        return self.shape[-1] if self.shape and all(each == 1 for each in self.shape[:-1]) else None

    def is_named(self, *parts: str) -> bool:
        """Test if the name contains one of the parts."""
        return any(part in self.name.lower() for part in parts)


@dataclass(frozen=True, slots=True)
class OutputLayout:
    """Position and meaning of a model's outputs.

    ``outputs`` are indices in the order that the kind's decoder reads; ``rows`` counts predictions,
    ``classes`` the columns of scores (0 where the model outputs class numbers), of which ``background``
    precede the first class. ``strides`` [px] are those of the grid with ``rows`` cells, if there is one.
    """

    kind: DecodeKind
    outputs: tuple[int, ...]
    rows: int
    classes: int
    box_format: BoxFormat = BoxFormat.CENTRE
    unit: BoxUnit = BoxUnit.PIXEL
    activation: Activation = Activation.NONE
    transposed: bool = False
    strides: tuple[int, ...] = ()
    background: int = 0


class UnknownOutputs(EngineError):
    """Outputs that no kind, or not the stated one, describes."""

    def __init__(self, problem: str, outputs: Iterable[Tensor], classes: int | None) -> None:
        labels = f"{classes} labels" if classes else "classes by number"
        super().__init__(
            f"cannot read the outputs {', '.join(map(str, outputs))[:600]} with {labels}: {problem}. "
            f"Option 'decode' is one of {format_choices(DecodeKind)}"
        )


PYRAMIDS = ((8, 16, 32), (8, 16, 32, 64))
"""Strides of the known families [px]."""
ANCHORS = 3
"""Anchors per cell of YOLOv5 and YOLOv7 [count]."""
BINS = range(2, 34)
"""Bins of a distance distribution [count]."""
NANODET_BINS = 8
"""Bins of NanoDet's published models [count]."""
FINAL_COLUMNS = (6, 7)
"""Columns of a table of final detections [count]; with 7, the first is the image's number."""


def cell_counts(size: tuple[int, int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return the grid cells of each stride for an input of (width, height) [px]."""
    return tuple(-(-size[0] // stride) * -(-size[1] // stride) for stride in strides)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Outputs of a model whose layout is sought.

    ``size`` is the input's (width, height) [px]; ``classes`` the number of labels, None if the manifest names
    classes by number. Of a ``stated`` kind the shape decides alone, else also names and numbers of rows.
    """

    tensors: tuple[Tensor, ...]
    size: tuple[int, int]
    classes: int | None
    stated: bool = False

    def strides(self, rows: int) -> tuple[int, ...]:
        """Return the strides of the pyramid with one prediction per cell; empty if there is none."""
        return next((each for each in PYRAMIDS if sum(cell_counts(self.size, each)) == rows), ())

    def has_anchors(self, rows: int) -> bool:
        """Test if there are three predictions per cell of a pyramid."""
        return rows % ANCHORS == 0 and bool(self.strides(rows // ANCHORS))

    def fits(self, columns: int, background: int = 0) -> bool:
        """Test if so many columns of scores fit the labels."""
        return columns > 0 and (self.classes is None or columns in (self.classes, self.classes + background))

    def tables(self, kind: DecodeKind, extra: int) -> Iterable[OutputLayout]:
        """Yield the ways to read the only matrix as ``extra`` numbers and the scores of each prediction."""
        indices = [index for index, each in enumerate(self.tensors) if each.matrix is not None]
        shape = self.tensors[indices[0]].matrix if len(indices) == 1 else None
        if shape is None:
            return
        for rows, columns, transposed in ((*shape, False), (*shape[::-1], True)):
            ordered = rows > columns or (self.stated and self.classes is not None)
            if self.fits(columns - extra) and ordered:
                yield OutputLayout(
                    kind,
                    (indices[0],),
                    rows,
                    columns - extra,
                    transposed=transposed,
                    strides=self.strides(rows),
                )


def yolov5(outputs: Outputs) -> OutputLayout | None:
    """Match a table with objectness, of three predictions per cell."""
    for table in outputs.tables(DecodeKind.YOLOV5, 5):
        is_final = table.classes + 5 in FINAL_COLUMNS or outputs.classes is None
        if outputs.stated or outputs.has_anchors(table.rows) or not (table.strides or is_final):
            return table
    return None


def yolov8(outputs: Outputs) -> OutputLayout | None:
    """Match a table without objectness."""
    for table in outputs.tables(DecodeKind.YOLOV8, 4):
        is_final = table.classes + 4 in FINAL_COLUMNS and not table.strides
        if outputs.stated or table.transposed or not (is_final or outputs.classes is None):
            return table
    return None


def yolox(outputs: Outputs) -> OutputLayout | None:
    """Match a table with objectness, of one prediction per cell."""
    tables = outputs.tables(DecodeKind.YOLOX, 5)
    certain = outputs.stated or outputs.classes is not None
    return next((each for each in tables if each.strides and certain and not each.transposed), None)


def end_to_end(outputs: Outputs) -> OutputLayout | None:
    """Match a table of final detections, which is no grid of a model with one class or two."""
    shape = outputs.tensors[0].matrix if len(outputs.tensors) == 1 else None
    if shape is None or shape[1] not in FINAL_COLUMNS:
        return None
    if not outputs.stated and (yolov5(outputs) or yolov8(outputs) or yolox(outputs)):
        return None
    return OutputLayout(DecodeKind.END_TO_END, (0,), shape[0], 0, BoxFormat.CORNERS)


def nanodet(outputs: Outputs) -> OutputLayout | None:
    """Match scores and distance bins, in one table or in two per stride."""
    shape = outputs.tensors[0].matrix if len(outputs.tensors) == 1 else None
    if shape is not None:
        if outputs.classes is None and not outputs.stated:
            return None
        rows = shape[0]
        classes = shape[1] - 4 * NANODET_BINS if outputs.classes is None else outputs.classes
        positions: tuple[int, ...] = (0,)
        columns = [shape[1] - classes]
    else:
        scores = _by_stride(outputs, "cls", "score")
        distances = _by_stride(outputs, "dis", "reg", "box")
        if not scores or [each[:1] for each in scores] != [each[:1] for each in distances]:
            return None
        rows, classes = sum(each[0] for each in scores), scores[0][1]
        positions = tuple(index for _, _, index in (*scores, *distances))
        columns = [width for _, width, _ in distances]
    strides, bins = outputs.strides(rows), {divmod(width, 4) for width in columns}
    regular = len(bins) == 1 and all(rest == 0 and count in BINS for count, rest in bins)
    if not strides or not regular or not outputs.fits(classes):
        return None
    return OutputLayout(DecodeKind.NANODET, positions, rows, classes, BoxFormat.CORNERS, strides=strides)


def _by_stride(outputs: Outputs, *names: str) -> list[tuple[int, int, int]]:
    """Return rows, columns and index of the matrices with such names, the finest grid first."""
    indexed = enumerate(outputs.tensors)
    named = [(each.matrix, index) for index, each in indexed if each.matrix and each.is_named(*names)]
    return sorted(((*shape, index) for shape, index in named if shape), key=lambda each: -each[0])


def fastestdet(outputs: Outputs) -> OutputLayout | None:
    """Match one feature map."""
    shape = outputs.tensors[0].shape
    if len(outputs.tensors) != 1 or len(shape) != 4 or not outputs.fits(shape[1] - 5):
        return None
    rows, classes = shape[2] * shape[3], shape[1] - 5
    return OutputLayout(DecodeKind.FASTESTDET, (0,), rows, classes, unit=BoxUnit.RELATIVE, transposed=True)


def _pair(outputs: Outputs, *names: str) -> tuple[tuple[int, int], int, int] | None:
    """Return the indices of scores and boxes among two matrices, with the shape of the scores."""
    shapes = [each.matrix for each in outputs.tensors]
    if len(shapes) != 2 or shapes[0] is None or shapes[1] is None or shapes[0][0] != shapes[1][0]:
        return None
    orders = [pair for pair in ((0, 1), (1, 0)) if outputs.tensors[pair[1]].matrix == (shapes[0][0], 4)]
    named = [pair for pair in orders if outputs.tensors[pair[0]].is_named(*names)]
    chosen = named if named or not outputs.stated else orders
    shape = outputs.tensors[chosen[0][0]].matrix if len(chosen) == 1 else None
    return (chosen[0], *shape) if shape else None


def detr(outputs: Outputs) -> OutputLayout | None:
    """Match logits and boxes of queries."""
    pair = _pair(outputs, "logit", "label")
    if pair is None or not outputs.fits(pair[2], background=int(outputs.stated)):
        return None
    unit, activation = BoxUnit.RELATIVE, Activation.SIGMOID
    return OutputLayout(DecodeKind.DETR, *pair, unit=unit, activation=activation)


def ssd(outputs: Outputs) -> OutputLayout | None:
    """Match scores and boxes of priors."""
    pair = _pair(outputs, "score", "conf", "prob")
    if pair is None or not outputs.fits(pair[2], background=1):
        return None
    background = 0 if outputs.classes is None else pair[2] - outputs.classes
    return OutputLayout(DecodeKind.SSD, *pair, BoxFormat.CORNERS, BoxUnit.RELATIVE, background=background)


def boxes(outputs: Outputs) -> OutputLayout | None:
    """Match boxes, classes, and scores in an output of their own or beside the boxes."""
    roles = [_role(each) for each in outputs.tensors]
    order = [name for name in ("boxes", "classes", "scores", "count") if name in roles]
    if None in roles or len(order) != len(roles) or not {"boxes", "classes"} <= set(order):
        return detr(outputs) if outputs.stated else None
    positions = tuple(roles.index(name) for name in order)
    box = outputs.tensors[positions[0]]
    if box.matrix is None or ("scores" in roles) != (box.matrix[1] == 4):
        return None
    of_tensorflow = box.is_named("detection_boxes")
    return OutputLayout(
        DecodeKind.BOXES,
        positions,
        box.matrix[0],
        0,
        BoxFormat.TENSORFLOW if of_tensorflow else BoxFormat.CORNERS,
        BoxUnit.RELATIVE if of_tensorflow else BoxUnit.PIXEL,
    )


def _role(tensor: Tensor) -> str | None:
    """Return the role of one output: by its name, else by its type or shape."""
    is_vector = tensor.length is not None
    if is_vector and tensor.is_named("score", "conf"):
        return "scores"
    if is_vector and tensor.is_named("num", "count", "valid"):
        return "count"
    if is_vector and (tensor.is_named("label", "class", "cls") or "int" in tensor.dtype):
        return "classes"
    return "boxes" if tensor.matrix is not None and tensor.matrix[1] in (4, 5) else None


MATCHERS: Mapping[DecodeKind, Callable[[Outputs], OutputLayout | None]] = {
    DecodeKind.DETR: detr,
    DecodeKind.YOLOV5: yolov5,
    DecodeKind.YOLOV8: yolov8,
    DecodeKind.YOLOX: yolox,
    DecodeKind.END_TO_END: end_to_end,
    DecodeKind.NANODET: nanodet,
    DecodeKind.FASTESTDET: fastestdet,
    DecodeKind.SSD: ssd,
    DecodeKind.BOXES: boxes,
}


def find_layout(outputs: Outputs, stated: DecodeKind | None) -> OutputLayout:
    """Return the layout of the stated kind, or of the only kind that fits.

    Raises:
        LabelMismatch: If only the number of labels does not fit.
        UnknownOutputs: If no kind fits, or several do.
    """
    kinds = list(MATCHERS) if stated is None else [stated]
    outputs = replace(outputs, stated=stated is not None)
    fitting = [layout for kind in kinds if (layout := MATCHERS[kind](outputs))]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = format_choices(each.kind.value for each in fitting)
        raise UnknownOutputs(f"they fit {names}", outputs.tensors, outputs.classes)
    loose = replace(outputs, classes=None)
    near = {layout for kind in kinds if (layout := MATCHERS[kind](loose))}
    problem = f"they are not of the stated kind {stated.value!r}" if stated else "no kind describes them"
    if len(near) == 1 and outputs.classes is not None:
        only = near.pop()
        if len(only.outputs) < len(outputs.tensors):
            problem += "; masks and key points beside boxes are not read"
            raise UnknownOutputs(problem, outputs.tensors, outputs.classes)
        raise LabelMismatch(only.classes, f"has {outputs.classes} labels (decode kind {only.kind.value!r})")
    raise UnknownOutputs(problem, outputs.tensors, outputs.classes)
