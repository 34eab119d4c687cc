"""Teachers of a lesson: an on-demand locator asked for the new names, and annotations in COCO format."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.errors import OpenRALError, format_choices, quoted
from openral_training.detector.coco import CocoFile, CocoImage, read_coco
from openral_training.detector.layouts import GENERIC_FOLDERS, is_turned, path_parts
from openral_training.teach.lesson import FRAMES, BoxVerdict, Lesson, LessonFrame, TaughtBox

ANSWERS = (LocateStatus.FOUND, LocateStatus.NOT_IN_VIEW)
"""Outcomes after which a frame is labelled."""


class TeacherFailed(OpenRALError):
    """A locator that cannot teach these names."""

    def __init__(self, teacher: str, frame: LessonFrame, answer: LocateResult) -> None:
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


class AnotherPicture(OpenRALError):
    """An annotated image that cannot be told to be one frame of the lesson, pixel by pixel."""

    def __init__(self, file: Path, image: CocoImage, problem: str) -> None:
        name = f"image {quoted(image.file_name)} (id {quoted(image.id)})"
        super().__init__(f"{file}: {name} {problem}; nothing was labelled")


class NotAnnotated(OpenRALError):
    """Names that a file does not annotate."""

    def __init__(self, file: Path, names: Sequence[str], valid: Sequence[str]) -> None:
        super().__init__(f"{file} has no category {format_choices(names)}: it has {format_choices(valid)}")


def boxes_of(answer: LocateResult, frame: LessonFrame, teacher: str) -> Iterator[TaughtBox]:
    """Convert the answer of a locator."""
    for detection in answer.detections:
        box = detection.box
        yield TaughtBox(
            frame=frame.file,
            label=detection.label,
            x=round(box.x_min, 1),
            y=round(box.y_min, 1),
            width=round(box.width, 1),
            height=round(box.height, 1),
            score=round(detection.score, 3),
            teacher=teacher,
        )


def _frame_of(image: CocoImage, lesson: Lesson, file: Path) -> LessonFrame | None:
    """Find the frame that an image is, or was taken from, by the longest common end of their paths.

    Raises:
        AnotherPicture: If several frames fit, or the one that fits has other pixels.
    """
    parts = path_parts(image.file_name)
    shared: dict[str, int] = {}
    for frame in lesson.frames:
        for path in (frame.origin, f"{lesson.folder.resolve().name}/{FRAMES}/{frame.file}"):
            shared[frame.file] = max(shared.get(frame.file, 0), _common_end(parts, path_parts(path)))
    best = max(shared.values(), default=0)
    fitting = [frame for frame in lesson.frames if best and shared[frame.file] == best]
    if not fitting:
        return None
    same_size = [frame for frame in fitting if (frame.width, frame.height) == (image.width, image.height)]
    if not same_size:
        other = f"frame {fitting[0].file} is {fitting[0].width}x{fitting[0].height}"
        size = f"{image.width}x{image.height}" if image.width and image.height else "of unknown size"
        problem = f"is {size}, but {other}: annotate the frame or its origin, as it is"
        raise AnotherPicture(file, image, problem)
    if len(same_size) > 1:
        paths = [f"{frame.file} of {frame.origin}" for frame in same_size[:3]]
        advice = f"write {FRAMES}/NAME for a frame of the lesson, or more of the path of its origin"
        raise AnotherPicture(file, image, f"may be any of {format_choices(paths)}: {advice}")
    (frame,) = same_size
    if path_parts(frame.origin)[-1] == parts[-1] and is_turned(Path(frame.origin)):
        raise AnotherPicture(
            file, image, f"is turned by its EXIF tag, which tools may ignore: annotate {FRAMES}/{frame.file}"
        )
    return frame


def _common_end(parts: Sequence[str], path: Sequence[str]) -> int:
    """Count the last parts that two paths share; 0 if names or telling folders differ."""
    pairs = zip(reversed(parts), reversed(path), strict=False)
    common = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(parts), len(path)))
    differing = parts[len(parts) - common - 1 : len(parts) - common]
    telling = common < len(path) and any(part.lower() not in GENERIC_FOLDERS for part in differing)
    return 0 if common == 1 and telling else common


def label_by_coco(lesson: Lesson, file: Path, names: Sequence[str]) -> Lesson:
    """Add the annotations of a COCO file for images that are frames of the lesson, or their origins.

    Args:
        lesson: The lesson.
        file: Annotation file.
        names: Categories to take; all if empty.

    Raises:
        NotCoco: If the file is none.
        NotAnnotated: If it lacks a name.
        NoSuchFrames: If it annotates other images.
        AnotherPicture: If an image may be of several frames, or has another size than its frame.
    """
    content: CocoFile = read_coco(file)
    categories = {category.id: category.name for category in content.categories}
    if unknown := [name for name in names if name not in categories.values()]:
        raise NotAnnotated(file, unknown, sorted(categories.values()))
    frames = {image.id: _frame_of(image, lesson, file) for image in content.images}
    taught = {number: frame for number, frame in frames.items() if frame is not None}
    if not taught:
        raise NoSuchFrames(file, lesson)
    labels = set(names or categories.values())
    return lesson.with_boxes(
        TaughtBox(
            frame=taught[each.image_id].file,
            label=categories[each.category_id],
            x=box[0],
            y=box[1],
            width=box[2],
            height=box[3],
            teacher=file.name,
            verdict=BoxVerdict.IGNORE if each.iscrowd or each.ignore else BoxVerdict.UNREVIEWED,
        )
        for each in content.annotations
        if each.image_id in taught and categories.get(each.category_id) in labels
        if (box := each.extent) is not None and min(box[2:]) > 0.0
    )
