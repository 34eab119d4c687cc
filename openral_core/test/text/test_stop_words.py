"""Words of an emergency are told from those that only end a mission."""

from pathlib import Path

import pytest

from openral_core.parsing import parse_yaml
from openral_core.text.stop_words import contains_emergency_word, contains_stop_word, is_cry, is_stop_phrase

SENTENCES = parse_yaml(Path(__file__).with_name("sentences.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        *("emergency stop", "E-STOP!", "estop", "e.stop now", "freeze", "Freeeeze!", "hit the kill switch"),
        *(
            "Not-Aus!",
            "Nothalt",
            "Arrêt d'urgence",
            "parada de emergencia",
            "arresto di emergenza",
            "noodstop",
        ),
        *("emergencystop!", "emergency\u200bstop", "not\u00adaus", "killswitch"),
        *("nödstopp", "аварийная остановка", "аварійна зупинка", "緊急停止", "紧急停止", "비상정지"),
    ],
)
def test_an_emergency_word_is_a_stop_word_too(text: str) -> None:
    assert contains_emergency_word(text)
    assert contains_stop_word(text)


@pytest.mark.parametrize("text", ["stop", "stop the robot", "cancel that", "halt", "put it in the freezer"])
def test_other_stops_latch_nothing(text: str) -> None:
    assert not contains_emergency_word(text)


def test_an_errand_about_an_emergency_is_a_goal_for_an_idle_robot() -> None:
    assert not is_stop_phrase("find the emergency stop button")
    assert is_stop_phrase("emergency stop, please")


@pytest.mark.parametrize("text", SENTENCES["stops"])
def test_stops_are_heard_in_any_letters_signs_and_languages(text: str) -> None:
    assert is_stop_phrase(text)
    assert contains_stop_word(text)
    assert not is_cry(text)
    assert not contains_emergency_word(text)


@pytest.mark.parametrize("text", SENTENCES["cries"])
def test_a_call_for_help_is_a_cry_in_any_language(text: str) -> None:
    assert is_cry(text)
    assert contains_stop_word(text)


@pytest.mark.parametrize("text", SENTENCES["goals"])
def test_a_goal_about_such_a_word_is_no_cry(text: str) -> None:
    assert not is_cry(text)
    assert not is_stop_phrase(text)


@pytest.mark.parametrize("text", SENTENCES["answers"])
def test_an_answer_is_no_stop(text: str) -> None:
    assert not contains_stop_word(text)
