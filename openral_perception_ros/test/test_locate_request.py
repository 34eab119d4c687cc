from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Box, Detection, LocateStatus
from openral_core.text import Thesaurus
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.detector import load_detector
from openral_perception_ros.locate_errors import (
    BadQuery,
    NotInVocabulary,
    UnknownDetectorCamera,
    WrongDetector,
)
from openral_perception_ros.locate_request import (
    MAX_CHARACTERS,
    MAX_TERMS,
    RequestValidator,
    split_query_terms,
)
from openral_perception_ros.scheduler import DetectionResult

SHOT = ImageSet("head", 0, "optical", 0.0, {})
THESAURUS = Thesaurus.load()


def validator_of(rskills: Path, name: str) -> RequestValidator:
    return RequestValidator(load_detector(name, [rskills], ("head", "wrist"), False), 5.0)


@pytest.fixture
def open_words(rskills: Path) -> RequestValidator:
    return validator_of(rskills, "sim-groundtruth-locator")


@pytest.fixture
def own_words(rskills: Path) -> RequestValidator:
    return validator_of(rskills, "sim-groundtruth")


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
    assert [detection.label for detection in result.detections] == ["cup", "cup"]
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
    assert [detection.label for detection in result.detections] == ["mug"]


def test_a_refusal_is_an_answer_with_its_status(open_words: RequestValidator) -> None:
    result = open_words.build_error("mug", "rear", UnknownDetectorCamera("rear", ["head"]))
    assert (result.status, result.camera) == (LocateStatus.UNKNOWN_CAMERA, "rear")
    assert "'head'" in result.message


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("mug", ("mug",)),
        ("  red mug ,bread", ("red mug", "bread")),
        ("mug,,mug, ", ("mug",)),
        ("tasse à café", ("tasse à café",)),
    ],
)
def test_terms_are_split_at_commas_and_kept_as_written(query: str, terms: tuple[str, ...]) -> None:
    assert split_query_terms(query, THESAURUS) == terms


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "empty"),
        (" , ,", "empty"),
        ("mug\x00", "control"),
        ("mug\nbread", "control"),
        ("mug</c>bread", r"< > in 'mug</c>bread': use plain words without markup"),
        ("<image-1> mug", "plain words"),
        ("m" * (MAX_CHARACTERS + 1), "the limit is 256"),
        (",".join(f"mug {i}" for i in range(MAX_TERMS + 1)), "the limit is 16"),
        ("mug, ---", "names no object"),
    ],
)
def test_a_query_that_cannot_be_asked_says_why(query: str, reason: str) -> None:
    with pytest.raises(BadQuery, match=reason):
        split_query_terms(query, THESAURUS)


@given(st.text(max_size=300))
def test_any_text_is_terms_or_a_bad_query(query: str) -> None:
    try:
        terms = split_query_terms(query, THESAURUS)
    except BadQuery:
        return
    assert 1 <= len(terms) <= MAX_TERMS
    assert all(term == term.strip() and term in query for term in terms)


def test_a_closed_vocabulary_that_measures_colours_leaves_them_to_the_worker(rskills: Path) -> None:
    coloured = validator_of(rskills, "rtdetr-coco-locator")
    query = coloured.parse("red cup, unicorn", "", "", 0.0)
    assert (query.phrases, query.labels, query.unknown) == (("red cup",), None, ("unicorn",))
    with pytest.raises(NotInVocabulary, match=r"'wooden chair'.*broader labels in it: 'chair'"):
        coloured.parse("wooden chair", "", "", 0.0)


def placed(**boxes: tuple[float, float, float, float]) -> DetectionResult:
    detections = tuple(Detection(Box(*box), name, 0.8) for name, box in boxes.items())
    return DetectionResult(SHOT, detections, 0.1, 0.2)


@pytest.mark.parametrize(
    ("found", "status", "message"),
    [
        (placed(cup=(0, 0, 20, 20), bowl=(30, 0, 60, 20)), LocateStatus.FOUND, "1 x 'cup next to the bowl'"),
        (placed(cup=(0, 0, 20, 20)), LocateStatus.NOT_IN_VIEW, "in view are 1 x 'cup'"),
        (
            placed(cup=(0, 0, 20, 20), bowl=(50, 0, 80, 20)),
            LocateStatus.BAD_QUERY,
            "unclear: 1 x 'cup' may be next to the bowl, or not",
        ),
    ],
)
def test_a_relation_is_judged_in_the_boxes_of_both_objects(
    rskills: Path, found: DetectionResult, status: LocateStatus, message: str
) -> None:
    related = validator_of(rskills, "rtdetr-coco-locator")
    query = related.parse("cup next to the bowl", "", "", 0.0)
    assert query.phrases == ("cup", "bowl")
    result = related.build_response(query, found, 0.1)
    assert result.status is status
    assert message in result.message
    assert {each.label for each in result.detections} <= {"cup next to the bowl"}


@pytest.mark.parametrize(
    ("cup", "bowl", "status", "message"),
    [
        (0.8, 0.15, LocateStatus.FOUND, "1 x 'mug next to the bowl' in view"),
        (0.8, 0.05, LocateStatus.NOT_IN_VIEW, "in view are 1 x 'mug'"),
        (0.15, 0.8, LocateStatus.NOT_IN_VIEW, "in view are 1 x 'bowl'"),
    ],
)
def test_an_anchor_may_score_lower_than_what_is_asked_for(
    rskills: Path, cup: float, bowl: float, status: LocateStatus, message: str
) -> None:
    related = validator_of(rskills, "home-tiny-locator")
    query = related.parse("mug next to the bowl", "", "", 0.0)
    boxes = ((Box(0, 0, 20, 20), "mug", cup), (Box(30, 0, 60, 20), "bowl", bowl))
    found = tuple(Detection(box, name, score) for box, name, score in boxes)
    result = related.build_response(query, DetectionResult(SHOT, found, 0.1, 0.2), 0.1)
    assert (result.status, message in result.message) == (status, True)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (
            "cup between the bowl and the sink",
            "'between bowl sink' of .* cannot be judged: known are 'next to'",
        ),
        ("nearest cup", "'nearest' of 'nearest cup' needs depth"),
        ("cup next to the unicorn", "it knows person, bicycle"),
    ],
)
def test_a_relation_that_cannot_be_judged_is_not_in_the_vocabulary(
    rskills: Path, query: str, reason: str
) -> None:
    with pytest.raises(NotInVocabulary, match=reason):
        validator_of(rskills, "rtdetr-coco-locator").parse(query, "", "", 0.0)
