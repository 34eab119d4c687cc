"""Interface of decision models: the event of an answer, and API keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.context import RawCall
from openral_reasoner.events import ModelAnswered, ModelFailed
from openral_reasoner.llm.base import (
    KEY_VARIABLES,
    Decision,
    MissingKey,
    ModelUnavailable,
    answer_of,
    api_key_for,
    redacted,
)


@pytest.mark.parametrize(("tokens", "cost"), [(0, 0.0), (120, None)])
def test_tokens_spent_on_a_failure_have_no_known_cost(tokens: int, cost: float | None) -> None:
    event = answer_of("c1", ModelUnavailable("SERVER_ERROR", "down", tokens))
    assert isinstance(event, ModelFailed)
    assert (event.call_id, event.condition, event.message) == ("c1", "SERVER_ERROR", "down")
    assert (event.tokens, event.cost) == (tokens, cost)


def test_the_event_of_a_decision_carries_its_calls_and_its_cost() -> None:
    call = RawCall(tool="done", arguments="{}")
    event = answer_of("c1", Decision((call,), "thinking", tokens=3, read=2, written=1, cost=0.5, cut=True))
    assert isinstance(event, ModelAnswered)
    assert (event.calls, event.text, event.cost, event.cut) == ((call,), "thinking", 0.5, True)
    assert (event.tokens, event.read, event.written) == (3, 2, 1)


@pytest.mark.parametrize("vendor", KEY_VARIABLES)
def test_a_missing_key_names_the_variable_to_set(vendor: str) -> None:
    with pytest.raises(MissingKey, match=KEY_VARIABLES[vendor]):
        api_key_for(vendor, "", {})


@pytest.mark.parametrize("vendor", KEY_VARIABLES)
def test_an_endpoint_of_ones_own_needs_no_key_but_is_given_one_that_is_set(vendor: str) -> None:
    assert api_key_for(vendor, "http://127.0.0.1:1", {}) == "none"
    assert api_key_for(vendor, "http://127.0.0.1:1", {KEY_VARIABLES[vendor]: "secret"}) == "secret"


@given(st.text(max_size=20), st.text(max_size=20), st.from_regex(r"[a-z0-9-]{5,20}", fullmatch=True))
def test_a_key_remains_nowhere_in_a_redacted_text(before: str, after: str, key: str) -> None:
    assert key not in redacted(f"{before}{key}{after}", key)


def test_a_placeholder_too_short_to_be_a_key_is_left_in_a_text() -> None:
    assert redacted("none of these", "none") == "none of these"
