"""The grammar of a grounding model, and what becomes of its boxes; no model is needed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Box
from openral_perception_ros.engines.vlm_grammar import (
    MAX_BOXES,
    NO_SCORE,
    Grounded,
    GroundingAnswer,
    UnreadableAnswer,
    answer_to_detections,
    parse_answer,
)

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
