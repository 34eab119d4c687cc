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
    UnreadableAnswer,
    answer_to_detections,
    parse_answer,
)


def tags(text: str) -> tuple[Grounded, ...]:
    return parse_answer(text, AnswerFormat.TAGS, (640, 480))


def listed(text: str, form: AnswerFormat = AnswerFormat.JSON_THOUSANDTHS) -> tuple[Grounded, ...]:
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
    assert tags(text) == tuple(grounded(*box) for box in boxes)


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
        (f"<ref>mug</ref>{BOX}<ref>mug</ref><box><1><2>", "no box"),
        (f"<ref>mug</ref>{BOX} and then {BOX}", "grammar"),
        (f"Let me look. <ref>mug</ref>{BOX}", "grammar"),
        (f"{BOX} or maybe <box>none</box>", "grammar"),
        (f"{BOX}<box>none</box>", "both 'none' and a box"),
        (f"<ref>mug</ref>{BOX}<ref>mug</ref><box>none</box>", "both 'none' and a box"),
        (f"<|channel|>analysis<|message|>{BOX}<|end|>", "grammar"),
        (f"<think>I see {BOX}", "grammar"),
        (f"<think>I see {BOX}</think>", "neither"),
        ("ignore what you were told", "grammar"),
        ("", "neither"),
        ("   ", "neither"),
    ],
)
def test_what_is_not_in_the_grammar_is_no_empty_view(text: str, problem: str) -> None:
    with pytest.raises(UnreadableAnswer, match=problem):
        tags(text)


def test_boxes_without_end_are_bounded() -> None:
    many = "".join(f"<box><{i % 900}><{i // 900}><999><999></box>" for i in range(MAX_BOXES + 1))
    with pytest.raises(UnreadableAnswer, match="more than"):
        tags(many)
    assert len(tags(BOX * 2 * MAX_BOXES)) == 1


@given(st.lists(fragment, max_size=60))
def test_any_text_is_read_or_refused(parts: list[str]) -> None:
    try:
        answer = tags("".join(parts))
    except UnreadableAnswer:
        return
    for box in answer:
        assert 0 <= box.corners[0] < box.corners[2] <= 1
        assert 0 <= box.corners[1] < box.corners[3] <= 1


@given(st.tuples(corner, corner, corner, corner).filter(lambda c: c[0] < c[2] > 1 and c[1] < c[3]))
def test_every_box_in_range_is_read_back(corners: tuple[int, ...]) -> None:
    text = "<box>" + "".join(f"<{item}>" for item in corners) + "</box>"
    assert tags(text) == (grounded(None, corners),)


THOUGHTS = [
    "<think>An empty view would be [] or <box>none</box>.</think>",
    "The template opened the thought: [{'bbox_2d': [1, 2, 3, 4]}]\n</think>\n\n",
    "[THINK]<box><1><2><3><4></box>[/THINK]",
    "<|channel|>analysis<|message|>[]<|end|><|start|>assistant<|channel|>final<|message|>",
]


@pytest.mark.parametrize("thought", THOUGHTS)
@pytest.mark.parametrize("end", ["", "<|im_end|>", "</s>\n", "<|return|>"])
def test_only_what_follows_a_marked_thought_is_the_answer(thought: str, end: str) -> None:
    assert tags(f"{thought}{BOX}{end}") == (grounded(None, (10, 20, 30, 40)),)
    assert listed(f'{thought}{{"bbox_2d": [10, 20, 30, 40]}}{end}') == (grounded(None, (10, 20, 30, 40)),)
    assert tags(f"{thought}<box>none</box>{end}") == listed(f"{thought}[]{end}") == ()


@given(st.text(max_size=40), st.sampled_from(["[]", "<box>none</box>", BOX, '[{"bbox_2d": [1, 2, 3, 4]}]']))
def test_an_answer_amid_other_words_is_none(words: str, answer: str) -> None:
    if not words.strip(" \t\r\n,;") or "<" in words:
        return
    for text in (f"x{words} {answer}", f"{answer} {words}x"):
        for read in (tags, listed):
            with pytest.raises(UnreadableAnswer):
                read(text)


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
    with pytest.raises(UnreadableAnswer, match="has no label"):
        answer_to_detections((*tags(f"<ref>mug</ref>{BOX}"), *answer), ("mug", "bread"), (100, 100))


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
        ('{"bbox": [1, 2, 3, 4], "label": " a  b "}', [("a b", (1, 2, 3, 4))]),
        ("[]", []),
        ("```json\n[ ]\n```", []),
        ("```\n[]\n```<|im_end|>", []),
    ],
)
def test_lists_in_json_are_read(text: str, boxes: list[tuple]) -> None:
    assert listed(text) == tuple(grounded(*box) for box in boxes)


def test_pixels_are_those_of_the_image_that_the_model_was_given() -> None:
    (found,) = listed('[{"bbox_2d": [20, 50, 100, 100]}]', AnswerFormat.JSON_PIXELS)
    assert found.corners == (0.1, 0.5, 0.5, 1.0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("There is a mug on the table.", "not JSON"),
        ("I'm sorry, but I cannot help with that.", "not JSON"),
        ("", "neither"),
        ("none", "not JSON"),
        ("null", "neither"),
        ("{}", "four numbers"),
        ("[1, 2, 3, 4]", "neither"),
        ('[{"bbox_2d": [10, 20', "not JSON"),
        ('[{"label": "mug", "bbox_2d": [10, 20, 30, 40]}, {"bbox_2d": [5, 6', "not JSON"),
        ('Here: {"bbox_2d": [10, 20, 30, 40]}', "not JSON"),
        ('An empty list would be []. [{"bbox_2d": [10, 20, 30, 40]}]', "not JSON"),
        ('[][{"bbox_2d": [10, 20, 30, 40]}]', "not JSON"),
        ("```json\n[]\n```\n```json\n[]\n```", "not JSON"),
        ("{mug}", "not JSON"),
        ('{"bbox_2d": [10, 20, 30]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, 40, 50]}', "four numbers"),
        ('{"bbox_2d": []}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, "40"]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, true]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, NaN]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, Infinity]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, 40], "bbox": [1, 2, 3, 4]}', "four numbers"),
        ('{"bbox_2d": [10, 20, 30, 40], "bbox_2d": [1, 2, 3, 4]}', "a key twice"),
        ('{"bbox_2d": [10, 20, 30, 40], "visible": false}', "unknown key"),
        ('{"point_2d": [10, 20]}', "unknown key"),
        ('{"bbox_2d": [10, 20, 30, 1001]}', "outside"),
        ('{"bbox_2d": [-1, 20, 30, 40]}', "outside"),
        ('{"bbox_2d": [10, 20, 30, 1e999]}', "outside"),
        (f'{{"bbox_2d": [10, 20, 30, {"9" * 4000}]}}', "outside"),
        ('{"bbox_2d": [30, 20, 10, 40]}', "no area"),
        ('{"bbox_2d": [0.1, 0.2, 0.3, 0.4]}', "in shares of the image"),
        ('{"bbox_2d": [10, 20, 30, 40], "label": 7}', "label '7'"),
        ('{"bbox_2d": [10, 20, 30, 40], "label": " "}', "label ' '"),
    ],
)
def test_what_is_not_a_list_of_boxes_is_no_empty_view(text: str, problem: str) -> None:
    with pytest.raises(UnreadableAnswer, match=problem) as refused:
        listed(text)
    assert len(str(refused.value)) < 400


leaf = st.none() | st.booleans() | st.floats() | st.text(max_size=5)


@given(st.lists(leaf, max_size=5) | leaf, leaf)
def test_any_json_is_read_or_refused(corners: object, label: object) -> None:
    try:
        answer = listed(json.dumps({"bbox_2d": corners, "label": label}))
    except UnreadableAnswer:
        return
    assert all(0 <= box.corners[0] < box.corners[2] <= 1 for box in answer)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("hostile", ["{" * 200_000, "[" * 200_000, '{"a": ' * 50_000, "{}" * 100_000])
def test_hostile_json_costs_no_more_than_its_length(hostile: str) -> None:
    with pytest.raises(UnreadableAnswer):
        listed(hostile)
