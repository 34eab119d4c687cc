"""Alarms stop a running mission; goals, questions and small talk do not."""

import pytest

from openral_reasoner.alarms import is_alarm, stops_mission


@pytest.mark.parametrize(
    "text",
    [
        *(
            "the pan is on fire",
            "you are rolling over my foot",
            "my scarf is in your wheels",
            "watch the baby!",
        ),
        *(
            "THE DOG",
            "gaaaah",
            "phew, that lamp falls",
            "too far too far",
            "not the vase!",
            "Omas Bein blutet",
        ),
        *(
            "la casserole brûle",
            "se cae el vaso",
            "brucia tutto",
            "o copo caiu",
            "de vaas valt",
            "garnek się pali",
        ),
        *(
            "чашка падает",
            "bardak düşüyor",
            "glaset faller",
            "コップが落ちる",
            "杯子要掉下来了",
            "컵이 떨어져",
        ),
    ],
)
def test_what_hurts_burns_falls_is_caught_or_shouted_is_an_alarm(text: str) -> None:
    assert is_alarm(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "bring me the burning candle",
            "is the toast burnt?",
            "tell Tom that dinner is not burnt",
            "where did it fall?",
        ),
        *(
            "thanks!",
            "GOOD JOB",
            "hello Tom!",
            "Tom",
            "the second one",
            "I have no idea what to cook for them tomorrow!",
        ),
        *("BRING ME THE MUG!", "danke schön!", "bravo !", "buenos días!", "ありがとう!", "да, конечно!"),
        "Dad is stuck under the sink and wants the spanner, take it to him",
    ],
)
def test_goals_questions_answers_and_small_talk_are_no_alarm(text: str) -> None:
    assert not is_alarm(text)


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("find the bus stop sign", False),
        ("bring me the wait list", False),
        ("look for the emergency exit plan", False),
        ("take the sponge and hold it", False),
        ("tráeme el vaso para Anna", False),
        ("bring me the mug, no, stop", True),
        ("bring it back and stop", True),
        ("go to the kitchen stop", True),
        ("don't go to the kitchen", True),
        ("stop, bring me the mug", True),
        ("bring me the mug, ouch!", True),
    ],
)
def test_a_stop_word_about_a_thing_is_no_stop_and_any_other_is(text: str, stops: bool) -> None:
    assert stops_mission(text, may_alarm=True) is stops
