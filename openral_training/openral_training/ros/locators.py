"""An on-demand locator as the teacher of a lesson."""

from collections.abc import Callable, Sequence
from pathlib import Path

from openral_core.rskills import Mode, Sensor
from openral_perception_ros.parameters import DetectorParameters
from openral_ros.conversions.images import image_message
from openral_training.perceive.ros.recorded_images import RecordedImageDetector
from openral_training.teach.lesson import Lesson
from openral_training.teach.teachers import ANSWERS, TeacherFailed, boxes_of

CAMERA = "lesson"
SAVED_EVERY = 10
"""Frames after which the boxes are saved [count]."""


def label_by_locator(
    lesson: Lesson,
    teacher: str,
    names: Sequence[str],
    folders: list[Path],
    options: DetectorParameters,
    report: Callable[[int, int], None],
) -> Lesson:
    """Ask a locator for the names in every frame; frames that it labelled before are left out.

    Raises:
        TeacherFailed: If it cannot search a frame; the boxes of the frames before are saved.
        OpenRALError: If there is no such locator, or its model does not load.
    """
    detector = RecordedImageDetector(teacher, Mode.ON_DEMAND, (CAMERA,), (Sensor.RGB,), folders, options)
    labelled = {box.frame for box in lesson.boxes if box.teacher == detector.id}
    try:
        for number, frame in enumerate(lesson.frames, start=1):
            if frame.file in labelled:
                continue
            image = image_message(lesson.image(frame), "rgb8", 0.0, CAMERA)
            answer = detector.locate(", ".join(names), CAMERA, image)
            if answer.status not in ANSWERS:
                lesson.save()
                raise TeacherFailed(detector.id, frame, answer)
            lesson = lesson.with_boxes(boxes_of(answer, frame, detector.id))
            if number % SAVED_EVERY == 0:
                lesson.save()
            report(number, len(lesson.frames))
    finally:
        detector.close()
    lesson.save()
    return lesson
