"""Goals and answers come from the operator alone; a stop is taken from a source without a name too."""

import pytest

from openral_core.prompts import NAME_CHARACTERS, OPERATOR, PROMPT_CHARACTERS, STOP_SOURCES, prompt_refusal


def test_the_operators_words_are_taken() -> None:
    assert prompt_refusal(OPERATOR, "yes", id="1", in_reply_to="consent-1") == ""


@pytest.mark.parametrize("source", ["", "reasoner", "Operator", "operator ", "\u043eperator", "x" * 10_000])
def test_no_other_source_answers(source: str) -> None:
    assert "need frame_id 'operator'" in prompt_refusal(source, "yes")
    assert len(prompt_refusal(source, "yes")) < 2000


@pytest.mark.parametrize(
    ("text", "name"), [("", ""), (" \n", ""), ("x" * (PROMPT_CHARACTERS + 1), ""), ("yes", "x" * 201)]
)
def test_what_is_empty_or_too_long_is_refused(text: str, name: str) -> None:
    assert prompt_refusal(OPERATOR, text, id=name)
    assert len(name) <= NAME_CHARACTERS or "id is too long" in prompt_refusal(OPERATOR, text, id=name)


def test_a_stop_may_come_from_a_source_without_a_name() -> None:
    assert set(STOP_SOURCES) == {OPERATOR, ""}
