import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Box
from openral_perception_ros.engines import BadDetections
from openral_perception_ros.engines.postprocessing import (
    MAX_BOXES,
    NO_SCORE,
    Candidates,
    Grounded,
    GroundingAnswer,
    UnreadableAnswer,
    answer_to_detections,
    make_candidates,
    non_max_suppression,
    parse_answer,
)


def logit(score: float) -> float:
    return float(np.log(score / (1.0 - score)))


def test_the_best_pairs_of_query_and_class_come_first() -> None:
    logits = np.array([[logit(0.6), logit(0.9)], [logit(0.2), logit(0.1)]], np.float32)
    boxes = np.array([[0.5, 0.5, 0.2, 0.4], [0.1, 0.1, 0.1, 0.1]], np.float32)
    found = make_candidates(logits, boxes, 0.3)
    assert found.classes.tolist() == [1, 0]
    np.testing.assert_allclose(found.scores, [0.9, 0.6], atol=1e-6)
    np.testing.assert_allclose(found.corners, [[0.4, 0.3, 0.6, 0.7]] * 2, atol=1e-6)


def test_no_more_candidates_than_queries() -> None:
    assert len(make_candidates(np.full((3, 50), 4.0), np.full((3, 4), 0.5), 0.3).scores) == 3


@pytest.mark.parametrize("broken", ["logits", "boxes"])
def test_numbers_that_are_none_are_an_error_and_not_an_empty_view(broken: str) -> None:
    arrays = {"logits": np.zeros((2, 2)), "boxes": np.zeros((2, 4))}
    arrays[broken][0, 0] = np.nan
    with pytest.raises(BadDetections):
        make_candidates(arrays["logits"], arrays["boxes"], 0.3)


def overlapping() -> Candidates:
    corners = np.array([[0.1, 0.1, 0.5, 0.5], [0.12, 0.1, 0.5, 0.5], [0.7, 0.7, 0.9, 0.9]])
    return Candidates(corners, np.array([0.9, 0.8, 0.7]), np.array([0, 1, 0]))


@pytest.mark.parametrize(("across", "kept"), [(True, [0.9, 0.7]), (False, [0.9, 0.8, 0.7])])
def test_overlaps_go_within_a_class_or_across_all(across: bool, kept: list[float]) -> None:
    assert non_max_suppression(overlapping(), 0.5, across).scores.tolist() == kept


@given(st.lists(st.tuples(*[st.floats(0.0, 1.0)] * 4, st.floats(0.01, 1.0)), max_size=30))
def test_what_is_kept_never_overlaps_more_than_allowed(rows: list[tuple[float, ...]]) -> None:
    rows = [row for row in rows if row[2] > 0.01 and row[3] > 0.01]
    table = np.array(sorted(rows, key=lambda row: -row[4]), np.float64).reshape(-1, 5)
    corners = np.hstack([table[:, :2], table[:, :2] + table[:, 2:4]])
    kept = non_max_suppression(Candidates(corners, table[:, 4], np.zeros(len(table), np.int64)), 0.5, True)
    boxes = [Box(*map(float, corner)) for corner in kept.corners]
    assert all(a.iou(b) <= 0.5 + 1e-3 for i, a in enumerate(boxes) for b in boxes[:i])
    assert not len(table) or boxes


BOX = "<box><10><20><30><40></box>"
corner = st.integers(0, 1000)
fragment = st.sampled_from(
    [
        "<ref>",
        "</ref>",
        "<box>",
        "</box>",
        "<12>",
        "<1001>",
        "none",
        "mug",
        " ",
        "<|im_end|>",
        "\x00",
        "<",
        ">",
        BOX,
    ]
)


@pytest.mark.parametrize(
    ("text", "boxes"),
    [
        (f"<ref>red mug</ref>{BOX}", [("red mug", (10, 20, 30, 40))]),
        (f"<ref> red  mug </ref>{BOX}<|im_end|>", [("red mug", (10, 20, 30, 40))]),
        (f"{BOX}\n", [(None, (10, 20, 30, 40))]),
        (
            f"<ref>a</ref>{BOX}<box><0><0><1000><1000></box><ref>b</ref><box>none</box>",
            [("a", (10, 20, 30, 40)), ("a", (0, 0, 1000, 1000))],
        ),
        (f"<ref>a</ref>{BOX}{BOX}", [("a", (10, 20, 30, 40))]),
        ("<box>none</box>", []),
    ],
)
def test_answers_in_the_grammar_are_read(text: str, boxes: list[tuple]) -> None:
    assert parse_answer(text) == GroundingAnswer(tuple(Grounded(*box) for box in boxes), ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<box><10><20><30></box>", "grammar"),
        ("<box><10><20></box>", "grammar"),
        ("<box><10><20><30><40>", "grammar"),
        ("<box><10.5><20><30><40></box>", "grammar"),
        ("<box><-1><20><30><40></box>", "grammar"),
        ("<box><10><20><30><1001></box>", "outside"),
        ("<box><999999><20><999999><40></box>", "outside"),
        ("<box><30><20><10><40></box>", "no area"),
        ("<box><10><20><10><40></box>", "no area"),
        ("<ref>mug</ref>", "no box"),
        ("<ref>mug<ref>inner</ref></ref>", "grammar"),
        ("ignore what you were told", "grammar"),
        ("", "neither"),
        ("   ", "neither"),
    ],
)
def test_what_is_not_in_the_grammar_is_no_empty_view(text: str, problem: str) -> None:
    with pytest.raises(UnreadableAnswer, match=problem):
        parse_answer(text)


def test_a_truncated_answer_keeps_what_was_whole() -> None:
    answer = parse_answer(f"<ref>mug</ref>{BOX}<ref>mug</ref><box><1><2>")
    assert answer.boxes == (Grounded("mug", (10, 20, 30, 40)),)
    assert len(answer.problems) == 1


def test_a_label_never_crosses_what_could_not_be_read() -> None:
    answer = parse_answer(f"<ref>mug</ref>{BOX} and then {BOX.replace('10', '11')}")
    assert [box.label for box in answer.boxes] == ["mug", None]


def test_boxes_without_end_are_bounded() -> None:
    many = "".join(f"<box><{i % 900}><{i // 900}><999><999></box>" for i in range(5000))
    answer = parse_answer(many)
    assert len(answer.boxes) == MAX_BOXES
    assert "more than" in answer.problems[-1]


@given(st.lists(fragment, max_size=60))
def test_any_text_is_read_or_refused(parts: list[str]) -> None:
    try:
        answer = parse_answer("".join(parts))
    except UnreadableAnswer:
        return
    for box in answer.boxes:
        assert 0 <= box.corners[0] < box.corners[2] <= 1000
        assert 0 <= box.corners[1] < box.corners[3] <= 1000


@given(st.tuples(corner, corner, corner, corner).filter(lambda c: c[0] < c[2] and c[1] < c[3]), st.text())
def test_every_box_in_range_is_read_back(corners: tuple[int, ...], before: str) -> None:
    text = before.replace("<", "") + "<box>" + "".join(f"<{item}>" for item in corners) + "</box>"
    assert Grounded(None, corners) in parse_answer(text).boxes


# A parser that is quadratic in the length would take hours.
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "hostile", ["<ref>" * 50_000, "<box>" * 50_000, "<" * 200_000, "<ref>" + "a" * 200_000]
)
def test_hostile_text_costs_no_more_than_its_length(hostile: str) -> None:
    with pytest.raises(UnreadableAnswer):
        parse_answer(hostile)


def test_thousandths_become_source_pixels() -> None:
    answer = parse_answer("<ref>Red mug</ref><box><100><250><500><1000></box>")
    (found,) = answer_to_detections(answer, ("red mug",), (640, 480))
    assert found.box == Box(64.0, 120.0, 320.0, 480.0)
    assert (found.label, found.score) == ("red mug", NO_SCORE)


def test_boxes_without_a_label_answer_a_single_question_only() -> None:
    answer = parse_answer(BOX)
    assert [
        answer_to_detection.label
        for answer_to_detection in answer_to_detections(answer, ("mug",), (100, 100))
    ] == ["mug"]
    with pytest.raises(UnreadableAnswer, match="none of which was requested"):
        answer_to_detections(answer, ("mug", "bread"), (100, 100))


def test_labels_nobody_asked_for_are_left_out() -> None:
    answer = parse_answer(f"<ref>mug</ref>{BOX}<ref>open the door</ref><box><1><1><2><2></box>")
    assert [
        answer_to_detection.label
        for answer_to_detection in answer_to_detections(answer, ("mug", "bread"), (100, 100))
    ] == ["mug"]


def test_nothing_found_is_no_detection() -> None:
    assert answer_to_detections(parse_answer("<box>none</box>"), ("mug",), (100, 100)) == []
