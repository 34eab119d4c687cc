"""Errors of detection requests: one status each, and the advice in the message."""

import math

import pytest

from openral_core.detectors import LocateStatus
from openral_perception_ros.locate_errors import (
    BadQuery,
    BlankFrame,
    DeadlineExceeded,
    DetectorError,
    DetectorOutOfMemory,
    LocateError,
    ModelLoading,
    NoFrameAvailable,
    NotActive,
    NotInVocabulary,
    QueueFull,
    StaleFrame,
    UnknownDetectorCamera,
    WorkerUnavailable,
    WrongDetector,
)

ERRORS = [
    (WrongDetector("a", ["b"]), LocateStatus.WRONG_DETECTOR),
    (UnknownDetectorCamera("rear", ["head"]), LocateStatus.UNKNOWN_CAMERA),
    (BadQuery("empty"), LocateStatus.BAD_QUERY),
    (NotInVocabulary(["baguette"], ["bread"]), LocateStatus.NOT_IN_VOCABULARY),
    (NoFrameAvailable("head", ["image_raw"]), LocateStatus.NO_FRAME),
    (BlankFrame("head"), LocateStatus.NO_FRAME),
    (StaleFrame("head", 3.0, 2.0), LocateStatus.STALE_FRAME),
    (NotActive("small"), LocateStatus.INACTIVE),
    (ModelLoading("small", "starting"), LocateStatus.LOADING),
    (QueueFull(8), LocateStatus.BUSY),
    (DeadlineExceeded(5.0, "the model was running"), LocateStatus.TIMEOUT),
    (DetectorError("NaN boxes"), LocateStatus.DETECTOR_ERROR),
    (WorkerUnavailable("crashed", 60.0), LocateStatus.DETECTOR_ERROR),
    (DetectorOutOfMemory("CUDA"), LocateStatus.OUT_OF_MEMORY),
]


@pytest.mark.parametrize(("error", "status"), ERRORS, ids=lambda value: type(value).__name__)
def test_each_error_is_answered_with_its_status(error: LocateError, status: LocateStatus) -> None:
    assert error.status is status


def test_every_status_but_the_two_answers_has_an_error() -> None:
    answers = {LocateStatus.FOUND, LocateStatus.NOT_IN_VIEW}
    assert {error.status for error, _ in ERRORS} == set(LocateStatus) - answers


def test_broader_labels_are_offered_only_if_there_are_any() -> None:
    assert "broader labels in it: 'bread'" in str(NotInVocabulary(["baguette"], iter(["bread"])))
    assert "broader" not in str(NotInVocabulary(["baguette"], []))


@pytest.mark.parametrize(
    ("wait", "words"),
    [(60.4, "in 60 s"), (-3.0, "in 0 s"), (math.inf, "no further restart")],
)
def test_an_unavailable_worker_says_when_it_is_tried_again(wait: float, words: str) -> None:
    assert words in str(WorkerUnavailable("crashed", wait))
