"""Answers of vision-language models, in each format, whole, damaged and hostile."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Box
from openral_perception_ros.engines.grounding_answers import (
    MAX_BOXES,
    NO_SCORE,
    AnswerFormat,
    Grounded,
    GroundingAnswer,
    UnreadableAnswer,
    answer_to_detections,
    parse_answer,
)


def tags(text: str) -> GroundingAnswer:
    return parse_answer(text, AnswerFormat.TAGS, (640, 480))


def listed(text: str, form: AnswerFormat = AnswerFormat.JSON_THOUSANDTHS) -> GroundingAnswer:
    return parse_answer(text, form, (200, 100))


def grounded(label: str | None, corners: tuple[int, ...]) -> Grounded:
    return Grounded(label, (corners[0] / 1000, corners[1] / 1000, corners[2] / 1000, corners[3] / 1000))


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
    assert tags(text) == GroundingAnswer(tuple(grounded(*box) for box in boxes), ())


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
        tags(text)


def test_a_truncated_answer_keeps_what_was_whole() -> None:
    answer = tags(f"<ref>mug</ref>{BOX}<ref>mug</ref><box><1><2>")
    assert answer.boxes == (grounded("mug", (10, 20, 30, 40)),)
    assert len(answer.problems) == 1


def test_a_label_never_crosses_what_could_not_be_read() -> None:
    answer = tags(f"<ref>mug</ref>{BOX} and then {BOX.replace('10', '11')}")
    assert [box.label for box in answer.boxes] == ["mug", None]


def test_boxes_without_end_are_bounded() -> None:
    many = "".join(f"<box><{i % 900}><{i // 900}><999><999></box>" for i in range(5000))
    answer = tags(many)
    assert len(answer.boxes) == MAX_BOXES
    assert "more than" in answer.problems[-1]


@given(st.lists(fragment, max_size=60))
def test_any_text_is_read_or_refused(parts: list[str]) -> None:
    try:
        answer = tags("".join(parts))
    except UnreadableAnswer:
        return
    for box in answer.boxes:
        assert 0 <= box.corners[0] < box.corners[2] <= 1
        assert 0 <= box.corners[1] < box.corners[3] <= 1


@given(
    st.tuples(corner, corner, corner, corner).filter(lambda c: c[0] < c[2] and c[1] < c[3]),
    st.text(max_size=30),
)
def test_every_box_in_range_is_read_back(corners: tuple[int, ...], before: str) -> None:
    text = before.replace("<", "") + "<box>" + "".join(f"<{item}>" for item in corners) + "</box>"
    assert grounded(None, corners) in tags(text).boxes


# A parser that is quadratic in the length would take hours.
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "hostile", ["<ref>" * 50_000, "<box>" * 50_000, "<" * 200_000, "<ref>" + "a" * 200_000]
)
def test_hostile_text_costs_no_more_than_its_length(hostile: str) -> None:
    with pytest.raises(UnreadableAnswer):
        tags(hostile)


def test_thousandths_become_source_pixels() -> None:
    answer = tags("<ref>Red mug</ref><box><100><250><500><1000></box>")
    (found,) = answer_to_detections(answer, ("red mug",), (640, 480))
    assert found.box == Box(64.0, 120.0, 320.0, 480.0)
    assert (found.label, found.score) == ("red mug", NO_SCORE)


def test_boxes_without_a_label_answer_a_single_question_only() -> None:
    answer = tags(BOX)
    assert [item.label for item in answer_to_detections(answer, ("mug",), (100, 100))] == ["mug"]
    with pytest.raises(UnreadableAnswer, match="none of which was requested"):
        answer_to_detections(answer, ("mug", "bread"), (100, 100))


def test_labels_nobody_asked_for_are_left_out() -> None:
    answer = tags(f"<ref>mug</ref>{BOX}<ref>open the door</ref><box><1><1><2><2></box>")
    assert [item.label for item in answer_to_detections(answer, ("mug", "bread"), (100, 100))] == ["mug"]


def test_nothing_found_is_no_detection() -> None:
    assert answer_to_detections(tags("<box>none</box>"), ("mug",), (100, 100)) == []


@pytest.mark.parametrize(
    ("text", "boxes"),
    [
        ('[{"bbox_2d": [10, 20, 30, 40], "label": "red mug"}]', [("red mug", (10, 20, 30, 40))]),
        ('```json\n[\n\t{"bbox_2d": [0, 0, 1000, 1000]}\n]\n```', [(None, (0, 0, 1000, 1000))]),
        ('Here: {"bbox": [1, 2, 3, 4], "label": " a  b "}', [("a b", (1, 2, 3, 4))]),
        ("[]", []),
        ("```json\n[ ]\n```", []),
        ('[{"label": "mug", "bbox_2d": [10, 20, 30, 40]}, {"bbox_2d": [5, 6', [("mug", (10, 20, 30, 40))]),
    ],
)
def test_lists_in_json_are_read(text: str, boxes: list[tuple]) -> None:
    assert listed(text) == GroundingAnswer(tuple(grounded(*box) for box in boxes), ())


def test_pixels_are_those_of_the_image_that_the_model_was_given() -> None:
    (found,) = listed('[{"bbox_2d": [20, 50, 100, 100]}]', AnswerFormat.JSON_PIXELS).boxes
    assert found.corners == (0.1, 0.5, 0.5, 1.0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("There is a mug on the table.", "neither"),
        ("", "neither"),
        ("[1, 2, 3, 4]", "neither"),
        ('[{"bbox_2d": [10, 20', "neither"),
        ("{mug}", "not JSON"),
        ('{"bbox_2d": [10, 20, 30]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, "40"]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, true]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, NaN]}', "four numbers"),
        ('{"point_2d": [10, 20]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, 1001]}', "outside"),
        ('{"bbox_2d": [-1, 20, 30, 40]}', "outside"),
        ('{"bbox_2d": [30, 20, 10, 40]}', "no area"),
        ('{"bbox_2d": [10, 20, 30, 40], "label": 7}', "label '7'"),
        ('{"bbox_2d": [10, 20, 30, 40], "label": " "}', "label ' '"),
    ],
)
def test_what_is_not_a_list_of_boxes_is_no_empty_view(text: str, problem: str) -> None:
    with pytest.raises(UnreadableAnswer, match=problem):
        listed(text)


leaf = st.none() | st.booleans() | st.floats() | st.text(max_size=5)


@given(st.lists(leaf, max_size=5) | leaf, leaf)
def test_any_json_is_read_or_refused(corners: object, label: object) -> None:
    try:
        answer = listed(json.dumps({"bbox_2d": corners, "label": label}))
    except UnreadableAnswer:
        return
    assert all(0 <= box.corners[0] < box.corners[2] <= 1 for box in answer.boxes)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("hostile", ["{" * 200_000, "[" * 200_000, '{"a": ' * 50_000, "{}" * 100_000])
def test_hostile_json_costs_no_more_than_its_length(hostile: str) -> None:
    with pytest.raises(UnreadableAnswer):
        listed(hostile)
