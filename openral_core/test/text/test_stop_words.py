"""Words of an emergency are told from those that only end a mission."""

import pytest

from openral_core.text.stop_words import contains_emergency_word, contains_stop_word, is_stop_phrase


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
