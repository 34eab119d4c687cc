"""Teachers of a lesson: an on-demand locator asked for the new names, and annotations in COCO format."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.errors import OpenRALError, format_choices
from openral_training.coco import CocoFile, read_coco
from openral_training.teach.lesson import Frame, Lesson, TaughtBox, Verdict

ANSWERS = (LocateStatus.FOUND, LocateStatus.NOT_IN_VIEW)
"""Outcomes after which a frame is labelled."""


class TeacherFailed(OpenRALError):
    """A locator that cannot teach these names."""

    def __init__(self, teacher: str, frame: Frame, answer: LocateResult) -> None:
        super().__init__(
            f"{teacher} did not label frame {frame.file} ({answer.status.name}): {answer.message}; "
            "the boxes of the frames before it are saved"
        )


class NoSuchFrames(OpenRALError):
    """Annotations of other images than the lesson's."""

    def __init__(self, file: Path, lesson: Lesson) -> None:
        origins = [Path(frame.origin).name for frame in lesson.frames[:3]]
        super().__init__(
            f"{file} annotates none of the images from which the {len(lesson.frames)} frames of "
            f"{lesson.folder} come: {format_choices(origins)}, ..."
        )


class NotAnnotated(OpenRALError):
    """Names that a file does not annotate."""

    def __init__(self, file: Path, asked: Sequence[str], known: Sequence[str]) -> None:
        super().__init__(f"{file} has no category {format_choices(asked)}: it has {format_choices(known)}")


def boxes_of(answer: LocateResult, frame: Frame, teacher: str) -> Iterator[TaughtBox]:
    """Convert the answer of a locator."""
    for found in answer.detections:
        box = found.box
        yield TaughtBox(
            frame=frame.file,
            label=found.label,
            x=round(box.x_min, 1),
            y=round(box.y_min, 1),
            width=round(box.width, 1),
            height=round(box.height, 1),
            score=round(found.score, 3),
            teacher=teacher,
        )


def label_by_coco(lesson: Lesson, file: Path, names: Sequence[str]) -> Lesson:
    """Add the annotations of a COCO file for images that are frames of the lesson, by file name.

    Args:
        lesson: The lesson.
        file: Annotation file.
        names: Categories to take; all if empty.

    Raises:
        NotCoco: If the file is none.
        NotAnnotated: If it lacks a name.
        NoSuchFrames: If it annotates other images.
    """
    content: CocoFile = read_coco(file)
    categories = {category.id: category.name for category in content.categories}
    if unknown := [name for name in names if name not in categories.values()]:
        raise NotAnnotated(file, unknown, sorted(categories.values()))
    frames = {Path(frame.origin).name: frame for frame in lesson.frames}
    taught = {
        image.id: frames[Path(image.file_name).name]
        for image in content.images
        if Path(image.file_name).name in frames
    }
    if not taught:
        raise NoSuchFrames(file, lesson)
    return lesson.with_boxes(
        TaughtBox(
            frame=taught[each.image_id].file,
            label=categories[each.category_id],
            x=each.bbox[0],
            y=each.bbox[1],
            width=each.bbox[2],
            height=each.bbox[3],
            teacher=file.name,
            verdict=Verdict.IGNORE if each.iscrowd else Verdict.UNREVIEWED,
        )
        for each in content.annotations
        if each.image_id in taught
        and categories.get(each.category_id) in (names or categories.values())
        and min(each.bbox[2:]) > 0.0
    )
