"""The folder of a lesson: frames, and a table of boxes that teachers write and people correct.

``frames/NNNNNN.jpg``   the images
``frames.json``         their sizes, and the file, topic or recording that each comes from
``labels.csv``          one row per box; edit label and verdict, add rows, and keep the header
"""

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from openral_core.detectors import Box
from openral_core.documents import Document, InvalidDocument, parse_document
from openral_core.errors import OpenRALError, format_choices
from openral_core.files import read_bytes, replace_file
from openral_core.parsing import MAX_JSON, InvalidText, parse_json

FRAMES_FILE, LABELS_FILE, FRAMES = "frames.json", "labels.csv", "frames"
QUALITY = 95
"""JPEG quality of the stored frames: small objects keep their edges."""
COLUMNS = ("id", "frame", "label", "x", "y", "width", "height", "score", "teacher", "verdict")
SAME_BOX = 0.6
"""Intersection over union from which two boxes with one label are the same."""
LEAST_CHANGE = 2.0
"""Mean difference of two frames of which the second is kept [levels of 255], of images of 32x24 pixels."""


class NotALesson(OpenRALError):
    """A folder without frames."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} is no lesson: it has no {FRAMES_FILE}; begin one with `openral teach collect`"
        )


class LessonNotWritten(OpenRALError):
    """A lesson that could not be written."""

    def __init__(self, file: Path, reason: OSError) -> None:
        super().__init__(
            f"cannot write {file}: {reason.strerror or reason}; what was saved before is unchanged"
        )


class NothingTaught(OpenRALError):
    """A lesson without accepted boxes."""

    def __init__(self, folder: Path, boxes: int) -> None:
        super().__init__(
            f"{folder} teaches nothing: none of its {boxes} boxes is accepted; label it with "
            f"`openral teach label {folder}`, or correct {LABELS_FILE}"
        )


class BoxVerdict(StrEnum):
    """Judgement of a box; one that was not reviewed counts as accepted."""

    UNREVIEWED = ""
    ACCEPT = "accept"
    REJECT = "reject"
    IGNORE = "ignore"


class LessonFrame(Document):
    """One frame: its file in the lesson, its size [px], and where it comes from."""

    file: str = Field(min_length=1)
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    origin: str


class FramesDocument(Document):
    """The list of frames."""

    frames: tuple[LessonFrame, ...]


class TaughtBox(Document):
    """One box: left edge, top edge and sides [px]; ``id`` 0 for a row that a person added."""

    id: int = Field(default=0, ge=0)
    frame: str = Field(min_length=1)
    label: str = Field(min_length=1, max_length=60)
    x: float = Field(allow_inf_nan=False)
    y: float = Field(allow_inf_nan=False)
    width: float = Field(gt=0.0, allow_inf_nan=False)
    height: float = Field(gt=0.0, allow_inf_nan=False)
    score: float = Field(default=1.0, ge=0.0, le=1.0)
    teacher: str = "person"
    verdict: BoxVerdict = BoxVerdict.UNREVIEWED

    @property
    def extent(self) -> Box:
        """Box [px]."""
        return Box(self.x, self.y, self.x + self.width, self.y + self.height)


@dataclass(frozen=True)
class Lesson:
    """The content of a folder; its methods return a changed copy, and `save` writes it."""

    folder: Path
    frames: tuple[LessonFrame, ...] = ()
    boxes: tuple[TaughtBox, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> "Lesson":
        """Read a lesson.

        Raises:
            NotALesson: If the folder has none.
            InvalidDocument: If a file was edited to something invalid; it names line and column.
        """
        try:
            text = read_bytes(folder / FRAMES_FILE, MAX_JSON)
        except OSError as error:
            raise NotALesson(folder) from error
        try:
            content = parse_json(text)
        except InvalidText as error:
            raise InvalidDocument(folder / FRAMES_FILE, [f"no JSON: {error}"]) from error
        frames = parse_document(FramesDocument, content, folder / FRAMES_FILE).frames
        table = folder / LABELS_FILE
        boxes = _read_boxes(table, {frame.file for frame in frames}) if table.is_file() else ()
        return cls(folder, frames, boxes)

    @classmethod
    def opened(cls, folder: Path) -> "Lesson":
        """Read a lesson, or begin one where there is none."""
        return cls.read(folder) if (folder / FRAMES_FILE).is_file() else cls(folder)

    def with_frame(self, rgb: NDArray[np.uint8], origin: str) -> "Lesson":
        """Store an image unless it is there already or hardly differs from the one before.

        Raises:
            LessonNotWritten: If the disk is full or read-only.
        """
        if any(frame.origin == origin for frame in self.frames) or not self._is_new(rgb):
            return self
        number = 1 + max((int(Path(frame.file).stem) for frame in self.frames), default=0)
        frame = LessonFrame(file=f"{number:06d}.jpg", width=rgb.shape[1], height=rgb.shape[0], origin=origin)
        write_frame(self.folder / FRAMES / frame.file, rgb)
        changed = replace(self, frames=(*self.frames, frame))
        changed.save()
        return changed

    def image(self, frame: LessonFrame) -> NDArray[np.uint8]:
        """Read a frame as RGB, shape (H, W, 3).

        Raises:
            InvalidDocument: If its file is missing or damaged.
        """
        bgr = cv2.imread(str(self.folder / FRAMES / frame.file), cv2.IMREAD_COLOR)
        if bgr is None or bgr.shape[:2] != (frame.height, frame.width):
            actual = "no image" if bgr is None else f"{bgr.shape[1]}x{bgr.shape[0]}"
            expected = f"expected an image of {frame.width}x{frame.height}"
            raise InvalidDocument(self.folder / FRAMES / frame.file, [f"{actual}: {expected}"])
        return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), np.uint8)

    def with_boxes(self, proposed: Iterable[TaughtBox]) -> "Lesson":
        """Add boxes that the lesson does not have; none is removed, and verdicts are kept."""
        boxes = list(self.boxes)
        for box in proposed:
            present = (b for b in boxes if b.frame == box.frame and b.label == box.label)
            if not any(b.extent.iou(box.extent) >= SAME_BOX for b in present):
                boxes.append(box)
        return replace(self, boxes=_numbered(boxes))

    def judged(self, number: int, verdict: BoxVerdict, label: str = "") -> "Lesson":
        """Return the lesson with a verdict, and another label if one is given, for one box."""
        changes: dict[str, object] = {"verdict": verdict, **({"label": label} if label else {})}
        boxes = tuple(b.model_copy(update=changes) if b.id == number else b for b in self.boxes)
        return replace(self, boxes=boxes)

    def accepted(self) -> tuple[TaughtBox, ...]:
        """Return the boxes to learn from.

        Raises:
            NothingTaught: If there is none.
        """
        accepted = tuple(b for b in self.boxes if b.verdict in (BoxVerdict.ACCEPT, BoxVerdict.UNREVIEWED))
        if not accepted:
            raise NothingTaught(self.folder, len(self.boxes))
        return accepted

    def save(self) -> None:
        """Write both tables, each atomically.

        Raises:
            LessonNotWritten: If the disk is full or read-only.
        """
        frames = FramesDocument(frames=self.frames).model_dump_json(indent=1)
        table = io.StringIO()
        writer = csv.DictWriter(table, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(box.model_dump(mode="json") for box in self.boxes)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(self.folder / FRAMES_FILE, frames)
            replace_file(self.folder / LABELS_FILE, table.getvalue())
        except OSError as error:
            raise LessonNotWritten(self.folder, error) from error

    def _is_new(self, rgb: NDArray[np.uint8]) -> bool:
        if not self.frames:
            return True
        one, other = (
            cv2.resize(image, (32, 24), interpolation=cv2.INTER_AREA).astype(float)
            for image in (rgb, self.image(self.frames[-1]))
        )
        return bool(np.abs(one - other).mean() >= LEAST_CHANGE)


def _numbered(boxes: Sequence[TaughtBox]) -> tuple[TaughtBox, ...]:
    """Give every box without one a number."""
    last = max((box.id for box in boxes), default=0)
    numbered = []
    for box in boxes:
        last += box.id == 0
        numbered.append(box if box.id else box.model_copy(update={"id": last}))
    return tuple(numbered)


def _read_boxes(file: Path, frames: Collection[str]) -> tuple[TaughtBox, ...]:
    text = file.read_text(encoding="utf-8-sig")
    rows = csv.DictReader(io.StringIO(text))
    missing = [
        column
        for column in ("frame", "label", "x", "y", "width", "height")
        if column not in (rows.fieldnames or ())
    ]
    if missing:
        raise InvalidDocument(
            file, [f"columns {format_choices(missing)} are missing; expected {', '.join(COLUMNS)}"]
        )
    boxes: list[TaughtBox] = []
    for line, row in enumerate(rows, start=2):
        content = {key: value.strip() for key, value in row.items() if key and value and value.strip()}
        box = parse_document(TaughtBox, content, f"{file}: line {line}")
        if box.frame not in frames:
            raise InvalidDocument(f"{file}: line {line}", [f"frame: there is no frame {box.frame!r}"])
        if box.id and any(box.id == other.id for other in boxes):
            raise InvalidDocument(
                f"{file}: line {line}", [f"id: {box.id} is used twice; leave it empty in a new row"]
            )
        boxes.append(box)
    return _numbered(boxes)


def write_frame(file: Path, rgb: NDArray[np.uint8]) -> None:
    """Write an image, shape (H, W, 3), as JPEG.

    Raises:
        LessonNotWritten: If the disk is full or read-only.
    """
    coded, data = cv2.imencode(
        ".jpg", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    )
    assert coded
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.tobytes())
    except OSError as error:
        raise LessonNotWritten(file, error) from error
