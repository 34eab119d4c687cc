"""The data set of a lesson: taught frames, what the detector knew in them, and a replay of older images.

A frame shows kinds that its teacher was not asked for. Without labels these would be learned as background:
the detector's own confident boxes are taken as labels, and its doubtful ones are ignored. Taught objects, and
known ones of the replay that the detector takes them for, are pasted into every second repetition of a frame
and into all replayed images.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from openral_core.detectors import Box
from openral_core.files import replace_file
from openral_training.detector.checkpoints import Checkpoint
from openral_training.detector.coco import read_split
from openral_training.detector.image_cache import decode, open_cache
from openral_training.detector.prediction import detect_all, predictor
from openral_training.detector.splits import AnnotatedImage, CocoSplit, Objects
from openral_training.teach.copy_paste import Cutout, Cutouts, Row, cut_out, with_pasted
from openral_training.teach.lesson import FRAMES, BoxVerdict, Lesson, TaughtBox, write_frame

KNOWN, DOUBTFUL = 0.4, 0.15
"""Scores from which a box of the old network is a label, and from which it is ignored [1]."""
SAME_OBJECT = 0.5
"""Intersection over union from which a box of the old network is the taught object [1]."""
HELD_OUT = 6
"""Every n-th taught frame validates instead of being learned."""
REPLAYED, REPLAYED_VALIDATION = 800, 60
"""Older images in the training and in the validation split [count]."""
REPEATED = 8
"""Repetitions of each taught frame in an epoch [count]: half as many as the replayed images, about."""
REPLAY = "replay"
"""Split of the replayed validation images alone, on which forgetting shows."""
RESEMBLING = 40
"""Objects of a known kind after which no further replayed image is searched for it [count]."""
LEAST_RESEMBLING = 12
"""Short side of the boxes of these [px]; GrabCut rarely separates smaller ones."""
NOTHING = Objects(np.zeros((0, 4), np.float32), np.zeros(0, np.int64), np.zeros(0, np.bool_))
"""The objects of an image before it is labelled."""
_Image = tuple[Path, tuple[int, int], list[Row]]
"""File, size (width, height) [px] and rows."""


def taught_labels(lesson: Lesson, old_labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of the detector that learns the lesson: the old ones, then the new ones by name."""
    return (*old_labels, *sorted({box.label for box in lesson.accepted()} - set(old_labels)))


def write_data(lesson: Lesson, checkpoint: Checkpoint, replay: Path | None, seed: int) -> Path:
    """Write the splits of a lesson in COCO format: train, val, and the replayed images; return their folder.

    Raises:
        NothingTaught: If no box is accepted.
        NotCoco, ClassesDiffer: If the replayed data are not those of the checkpoint's classes.
    """
    labels = taught_labels(lesson, checkpoint.labels)
    own, resembling = _own_rows(lesson, checkpoint)
    splits = {name: _Split(labels) for name in ("train", "val", REPLAY)}
    replayed = list(_replayed(replay, checkpoint.labels, seed)) if replay is not None else []
    kinds = [_taught_cutouts(lesson, own)]
    kinds.append(_known_cutouts([image for name, image in replayed if name == "train"], resembling))
    pasted = _Pasted(lesson.folder / "data" / "pasted", [kind for kind in kinds if kind.objects], seed)
    for number, frame in enumerate(lesson.frames):
        image = ((lesson.folder / FRAMES / frame.file).resolve(), (frame.width, frame.height), own[number])
        if _is_held_out(number):
            splits["val"].add(image)
            continue
        for repetition in range(REPEATED):
            splits["train"].add(pasted.into(image) if repetition % 2 else image)
    for name, image in replayed:
        splits[name].add(pasted.into(image) if name == "train" else image)
    for name, split in splits.items():
        if replay is not None or name != REPLAY:
            split.write(lesson.folder / "data" / name)
    return lesson.folder / "data"


def _is_held_out(number: int) -> bool:
    return number % HELD_OUT == HELD_OUT - 1


def sampled(split: CocoSplit, count: int, seed: int) -> list[AnnotatedImage]:
    """Choose images at random."""
    order = np.random.default_rng(seed).permutation(len(split.images))[:count]
    return [split.images[index] for index in sorted(order.tolist())]


def _replayed(replay: Path, labels: tuple[str, ...], seed: int) -> Iterator[tuple[str, _Image]]:
    """Yield split and image of the replay."""
    for target, name, count in (
        ("train", "train", REPLAYED),
        ("val", "val", REPLAYED_VALIDATION),
        (REPLAY, "val", REPLAYED_VALIDATION),
    ):
        older = read_split(replay, name).relabelled(labels, "the checkpoint")
        for image in sampled(older, count, seed):
            objects = image.objects
            rows = zip(objects.boxes, objects.classes, objects.ignored, strict=True)
            own: list[Row] = [
                (labels[number], _sides(box.tolist()), bool(crowd)) for box, number, crowd in rows
            ]
            yield target, (image.file.resolve(), image.size, own)


def _sides(corners: Sequence[float]) -> tuple[float, float, float, float]:
    return corners[0], corners[1], corners[2] - corners[0], corners[3] - corners[1]


def _own_rows(lesson: Lesson, checkpoint: Checkpoint) -> tuple[list[list[Row]], dict[str, float]]:
    """Return the rows of every taught frame, and which known kinds the old network sees in taught boxes.

    Rows are accepted and ignored boxes, and those of the old network; the second is the sum of its scores.
    """
    images = [
        AnnotatedImage(lesson.folder / FRAMES / frame.file, (frame.width, frame.height), NOTHING)
        for frame in lesson.frames
    ]
    file = lesson.folder / "data" / "frames.u8"
    cache = open_cache(file, images, checkpoint.size, lambda _decoded, _total: None)
    detections = detect_all(predictor(checkpoint.network(), "cpu"), cache, range(len(cache)))
    accepted = set(lesson.accepted())
    rows, resembling = [], defaultdict[str, float](float)
    for index, (frame, detected) in enumerate(zip(lesson.frames, detections, strict=True)):
        taught = [box for box in lesson.boxes if box.frame == frame.file]
        own = [_taught(box) for box in taught if box in accepted or box.verdict is BoxVerdict.IGNORE]
        scored = zip(detected.boxes / cache.scale(index), detected.scores, detected.classes, strict=True)
        for corners, score, number in scored:
            box, label = Box(*map(float, corners)), checkpoint.labels[number]
            if any(box.iou(each.extent) >= SAME_OBJECT for each in taught if each in accepted):
                resembling[label] += float(score)
            if score >= DOUBTFUL and not _is_taught(box, label, taught):
                own.append((label, (box.x_min, box.y_min, box.width, box.height), bool(score < KNOWN)))
        rows.append(own)
    return rows, resembling


def _taught(box: TaughtBox) -> Row:
    return box.label, (box.x, box.y, box.width, box.height), box.verdict is BoxVerdict.IGNORE


def _is_taught(detected: Box, label: str, taught: Sequence[TaughtBox]) -> bool:
    """Test if the lesson has a better label for a box, or rejects this one."""
    return any(
        detected.iou(box.extent) >= SAME_OBJECT
        for box in taught
        if box.verdict is not BoxVerdict.REJECT or box.label == label
    )


def _taught_cutouts(lesson: Lesson, rows: Sequence[Sequence[Row]]) -> Cutouts:
    """Cut out the taught objects of the frames that are learned; each label is drawn as often."""
    taught = {box.label for box in lesson.accepted()}
    objects: dict[str, list[Cutout]] = {}
    for number, frame in enumerate(lesson.frames):
        for label, box, ignored in () if _is_held_out(number) else rows[number]:
            if label in taught and not ignored and (cutout := cut_out(lesson.image(frame), box)):
                objects.setdefault(label, []).append(cutout)
    return Cutouts(objects, dict.fromkeys(objects, 1.0))


def _known_cutouts(images: Sequence[_Image], resembling: Mapping[str, float]) -> Cutouts:
    """Cut known objects out of replayed images; labels are drawn by how much taught objects resemble them."""
    objects: dict[str, list[Cutout]] = {}
    for file, size, rows in images:
        resembled = [
            (label, box)
            for label, box, ignored in rows
            if not ignored and resembling.get(label) and min(box[2:]) >= LEAST_RESEMBLING
            if len(objects.get(label, ())) < RESEMBLING
        ]
        if not resembled:
            continue
        pixels = decode(AnnotatedImage(file, size, NOTHING), size)
        for label, box in resembled:
            if cutout := cut_out(pixels, box):
                objects.setdefault(label, []).append(cutout)
    return Cutouts(objects, {label: resembling[label] for label in objects})


class _Pasted:
    """Images with objects pasted in, written one after the other."""

    def __init__(self, folder: Path, kinds: Sequence[Cutouts], seed: int) -> None:
        self._folder, self._kinds, self._written = folder, kinds, 0
        self._rng = np.random.default_rng(seed)

    def into(self, image: _Image) -> _Image:
        """Return a copy of an image with objects in it; the image itself if there is nothing to paste."""
        if not self._kinds:
            return image
        file, size, rows = image
        pixels = decode(AnnotatedImage(file, size, NOTHING), size)
        pasted, labelled = with_pasted(pixels, rows, self._kinds, self._rng)
        self._written += 1
        target = self._folder / f"{self._written:06d}.jpg"
        write_frame(target, pasted)
        return target.resolve(), size, labelled


class _Split:
    """One split that is being written; its categories are the labels in their order."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._numbers = {label: number for number, label in enumerate(labels, start=1)}
        self._images: list[dict[str, object]] = []
        self._annotations: list[dict[str, object]] = []

    def add(self, image: _Image) -> None:
        """Add an image with its boxes."""
        file, size, rows = image
        number = len(self._images) + 1
        self._images.append({"id": number, "file_name": str(file), "width": size[0], "height": size[1]})
        for label, bbox, ignored in rows:
            self._annotations.append(
                {
                    "id": len(self._annotations) + 1,
                    "image_id": number,
                    "category_id": self._numbers.get(label, 1),
                    "bbox": list(bbox),
                    "iscrowd": int(ignored or label not in self._numbers),
                }
            )

    def write(self, folder: Path) -> None:
        """Write the annotation file."""
        categories = [{"id": number, "name": label} for label, number in self._numbers.items()]
        content = {"images": self._images, "annotations": self._annotations, "categories": categories}
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / "annotations.json", json.dumps(content))
