"""Review of a lesson: pages of its frames with numbered boxes, and verdicts in the terminal."""

from collections.abc import Callable, Iterator
from dataclasses import astuple
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_training.teach.lesson import BoxVerdict, Lesson, LessonFrame, LessonNotWritten, TaughtBox

TILE = (480, 360)
"""Width and height of a frame on a page [px]."""
COLUMNS, ROWS = 3, 3
"""Frames of a page [count]."""
COLOURS = {
    BoxVerdict.UNREVIEWED: (240, 190, 40),
    BoxVerdict.ACCEPT: (60, 220, 90),
    BoxVerdict.REJECT: (230, 60, 60),
    BoxVerdict.IGNORE: (150, 150, 150),
}
"""Colours of boxes by verdict, RGB."""
KEYS = {"a": BoxVerdict.ACCEPT, "r": BoxVerdict.REJECT, "i": BoxVerdict.IGNORE}


def write_pages(lesson: Lesson) -> list[Path]:
    """Draw the frames that have boxes, and return the files of the pages.

    Raises:
        LessonNotWritten: If the disk is full or read-only.
    """
    shown = [frame for frame in lesson.frames if any(box.frame == frame.file for box in lesson.boxes)]
    folder, files = lesson.folder / "review", []
    for number in range(0, len(shown), COLUMNS * ROWS):
        page = np.full((ROWS * TILE[1], COLUMNS * TILE[0], 3), 255, np.uint8)
        for place, frame in enumerate(shown[number : number + COLUMNS * ROWS]):
            row, column = divmod(place, COLUMNS)
            tile = drawn(lesson, frame)
            page[row * TILE[1] :, column * TILE[0] :][: tile.shape[0], : tile.shape[1]] = tile
        file = folder / f"page_{number // (COLUMNS * ROWS) + 1:02d}.jpg"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            data = cv2.imencode(".jpg", cv2.cvtColor(page, cv2.COLOR_RGB2BGR))[1]
            file.write_bytes(data.tobytes())
        except OSError as error:
            raise LessonNotWritten(file, error) from error
        files.append(file)
    return files


def drawn(lesson: Lesson, frame: LessonFrame) -> NDArray[np.uint8]:
    """Draw a frame with the numbers and labels of its boxes, fitted into a tile."""
    scale = min(TILE[0] / frame.width, TILE[1] / frame.height)
    size = (round(scale * frame.width), round(scale * frame.height))
    tile = np.ascontiguousarray(cv2.resize(lesson.image(frame), size, interpolation=cv2.INTER_AREA))
    for box in (each for each in lesson.boxes if each.frame == frame.file):
        colour, corners = COLOURS[box.verdict], [round(scale * value) for value in astuple(box.extent)]
        cv2.rectangle(tile, corners[:2], corners[2:], colour, 1)
        place = (corners[0], max(10, corners[1] - 3))
        cv2.putText(
            tile, f"{box.id} {box.label}", place, cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, 1, cv2.LINE_AA
        )
    cv2.putText(
        tile, frame.file, (4, size[1] - 6), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (255, 255, 255), 1, cv2.LINE_AA
    )
    return np.asarray(tile, np.uint8)


def review_in_terminal(lesson: Lesson, ask: Callable[[str], str]) -> Lesson:
    """Ask for the verdict of every box that has none, and save each; the next review goes on.

    Args:
        lesson: The lesson.
        ask: Shows a question and returns the answer.
    """
    for box in list(unreviewed(lesson)):
        answer = ask(
            f"{box.id}: {box.label!r} ({box.score:.2f}) in {box.frame} at {box.x:.0f},{box.y:.0f}, "
            f"{box.width:.0f}x{box.height:.0f} px; a accept, r reject, i ignore, q quit, or another label"
        ).strip()
        if answer == "q":
            return lesson
        if answer:
            verdict = KEYS.get(answer, BoxVerdict.ACCEPT)
            lesson = lesson.judged(box.id, verdict, "" if answer in KEYS else answer)
            lesson.save()
    return lesson


def unreviewed(lesson: Lesson) -> Iterator[TaughtBox]:
    """Yield the boxes without a verdict."""
    yield from (box for box in lesson.boxes if box.verdict is BoxVerdict.UNREVIEWED)
