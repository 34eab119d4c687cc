from pathlib import Path

import pytest

from openral_core.detections import Box, Detection
from openral_core.detectors import LocateStatus
from openral_perception_ros.detector import load_detector
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.locate.errors import (
    BadQuery,
    NotInVocabulary,
    UnknownDetectorCamera,
    WrongDetector,
)
from openral_perception_ros.locate.queue import DetectionResult
from openral_perception_ros.locate.request import RequestValidator

SHOT = ImageSet("head", 0, "optical", 0.0, {})


def reception_of(rskills: Path, name: str) -> RequestValidator:
    return RequestValidator(load_detector(name, [rskills], ("head", "wrist"), False), 5.0)


@pytest.fixture
def open_words(rskills: Path) -> RequestValidator:
    return reception_of(rskills, "sim-groundtruth-locator")


@pytest.fixture
def own_words(rskills: Path) -> RequestValidator:
    return reception_of(rskills, "sim-groundtruth")


def seen(*labels: str) -> DetectionResult:
    boxes = (Box(i, i, i + 1.0, i + 1.0) for i in range(len(labels)))
    detections = tuple(Detection(box, label, 0.5) for box, label in zip(boxes, labels, strict=True))
    return DetectionResult(SHOT, detections, 0.1, 0.2)


@pytest.mark.parametrize("name", ["", "sim-groundtruth-locator", "sim_groundtruth_locator", "sim-locator"])
def test_it_answers_to_its_id_alias_and_slug(open_words: RequestValidator, name: str) -> None:
    assert open_words.parse("mug", "", name, 0.0).terms == ("mug",)


def test_a_request_for_another_detector_names_this_one(open_words: RequestValidator) -> None:
    with pytest.raises(WrongDetector, match="sim-locator"):
        open_words.parse("mug", "", "omdet-turbo-locator", 0.0)


def test_an_unknown_camera_names_the_valid_ones(open_words: RequestValidator) -> None:
    with pytest.raises(UnknownDetectorCamera, match="'head', 'wrist'"):
        open_words.parse("mug", "rear", "", 0.0)


@pytest.mark.parametrize(("asked", "camera"), [("", "head"), ("wrist", "wrist")])
def test_no_camera_means_the_primary_one(open_words: RequestValidator, asked: str, camera: str) -> None:
    assert open_words.parse("mug", asked, "", 0.0).camera == camera


@pytest.mark.parametrize(("asked", "deadline"), [(0.0, 5.0), (1.5, 1.5)])
def test_no_deadline_means_the_default(open_words: RequestValidator, asked: float, deadline: float) -> None:
    assert open_words.parse("mug", "", "", asked).deadline == deadline


@pytest.mark.parametrize("deadline", [-1.0, float("nan"), float("inf")])
def test_a_deadline_that_never_comes_is_refused(open_words: RequestValidator, deadline: float) -> None:
    with pytest.raises(BadQuery, match="deadline"):
        open_words.parse("mug", "", "", deadline)


@pytest.mark.parametrize("query", ["baguette", "red mug", "unicorn"])
def test_closed_words_say_what_they_cannot_name(own_words: RequestValidator, query: str) -> None:
    with pytest.raises(NotInVocabulary, match=query):
        own_words.parse(query, "", "", 0.0)


def test_a_broader_word_is_a_hint_and_no_hit(own_words: RequestValidator) -> None:
    with pytest.raises(NotInVocabulary, match="broader labels in it: 'bread'"):
        own_words.parse("baguette", "", "", 0.0)


def test_closed_words_answer_under_the_term_asked(own_words: RequestValidator) -> None:
    question = own_words.parse("cup, apple, baguette", "", "", 0.0)
    result = own_words.build_response(question, seen("mug", "lemon", "mug"), 0.3)
    assert result.status is LocateStatus.FOUND
    assert [each.label for each in result.detections] == ["cup", "cup"]
    assert "2 x 'cup' in view" in result.message
    assert "not in view: 'apple'" in result.message
    assert "not in the vocabulary: 'baguette'" in result.message


def test_nothing_seen_is_not_in_view(open_words: RequestValidator) -> None:
    result = open_words.build_response(open_words.parse("mug", "wrist", "", 0.0), seen(), 0.3)
    assert result.status is LocateStatus.NOT_IN_VIEW
    assert result.detections == ()
    assert (result.camera, result.frame_age, result.queue_time, result.inference_time) == (
        "wrist",
        0.3,
        0.1,
        0.2,
    )


def test_labels_nobody_asked_for_are_left_out(open_words: RequestValidator) -> None:
    result = open_words.build_response(open_words.parse("mug", "", "", 0.0), seen("mug", "invented"), 0.0)
    assert [each.label for each in result.detections] == ["mug"]


def test_a_refusal_is_an_answer_with_its_status(open_words: RequestValidator) -> None:
    result = open_words.build_error("mug", "rear", UnknownDetectorCamera("rear", ["head"]))
    assert (result.status, result.camera) == (LocateStatus.UNKNOWN_CAMERA, "rear")
    assert "'head'" in result.message
