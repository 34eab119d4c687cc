"""Whatever a model writes is a checked call or is sent back."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import status
from missions_by_endpoint import GIVE_UP, GO, HANDED_OVER, RECALL, Robot, Says

from openral_reasoner.budget import SearchBudget
from openral_reasoner.context import RawCall
from openral_reasoner.events import ModelAnswered
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.queries import RecallObjectTool
from openral_reasoner.tools.registry import MalformedCall, parse_call

OFFERED = ToolPalette(spatial_memory_available=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5
)


def test_a_good_call_is_its_tool() -> None:
    call = parse_call(RawCall(tool="recall_object", arguments='{"query": "mug"}'), OFFERED)
    assert call == RecallObjectTool(query="mug")


@given(
    st.text(max_size=20), st.one_of(st.text(max_size=60), st.dictionaries(st.text(), JSON).map(json.dumps))
)
def test_any_words_are_a_call_or_sent_back(tool: str, arguments: str) -> None:
    for name in (tool, "recall_object", "done"):
        with suppress(InvalidCall, MalformedCall):
            assert parse_call(RawCall(tool=name, arguments=arguments), OFFERED).tool == name


@pytest.mark.parametrize(
    "arguments",
    [
        "{",
        "[]",
        "null",
        '{"query": ""}',
        '{"query": "mug", "pose": [1, 2]}',
        '{"query": "\\ud800"}',
        "[" * 100_000,
    ],
)
def test_malformed_arguments_are_sent_back(arguments: str) -> None:
    with pytest.raises(MalformedCall, match="recall_object"):
        parse_call(RawCall(tool="recall_object", arguments=arguments), OFFERED)


def test_a_tool_that_is_not_offered_names_those_that_are() -> None:
    with pytest.raises(InvalidCall, match="'recall_object', 'resolve_place'") as refused:
        parse_call(RawCall(tool="locate_in_view", arguments='{"query": "mug"}'), OFFERED)
    assert "locate_in_view" not in refused.value.valid


pytest.importorskip("anthropic")
pytest.importorskip("openai")


WRONG: dict[str, tuple[Says, str, str]] = {
    "nothing": (
        lambda api: api.answer(stop="end_turn" if api.named else "stop"),
        "returned an empty answer 3 times; choose a model with tool calling",
        "your answer was empty",
    ),
    "prose": (
        lambda api: api.answer(text="I would rather talk.", stop="end_turn" if api.named else "stop"),
        "instead of a tool call 3 times (last: 'I would rather talk.'); choose a model with tool calling",
        "text answers are ignored",
    ),
    "a call in prose": (
        lambda api: api.answer(text='I might call {"name": "recall_object"} for the mug.', stop="stop"),
        "the model wrote its tool call as text 3 times",
        "a tool call written as text is not executed",
    ),
    "words cut by their length": (
        lambda api: api.answer(text="Let me think about", stop="length"),
        "reached the length limit before its tool call was complete 3 times (last: 'Let me think",
        "your answer reached the length limit",
    ),
    "a call cut by its length": (
        lambda api: api.answer(("recall_object", '{"query": "m'), stop="length"),
        "before its tool call was complete 3 times (last: recall_object)",
        "your answer reached the length limit",
    ),
    "two calls at once": (
        lambda api: api.answer(RECALL, GIVE_UP),
        "the model made several tool calls at once 3 times (last: recall_object and done); choose a model",
        "you made 2 tool calls: make exactly one per turn",
    ),
    "a tool that is not there": (
        lambda api: api.answer(("teleport_robot", "{}")),
        "the model called an unavailable tool 3 times (last: teleport_robot {})",
        "this tool is not available now",
    ),
    "a wrong type": (
        lambda api: api.answer(("recall_object", '{"query": 5}')),
        "made a malformed tool call 3 times (last: malformed call of 'recall_object': query: Input should be",
        "the call is malformed",
    ),
    "a place that is not there": (
        lambda api: api.answer(("execute_rskill", '{"rskill_id": "navigate", "target": "narnia"}')),
        "the model called a tool with an invalid target 3 times (last: execute_rskill",
        "this target is not available now",
    ),
    "a parameter that no skill has": (
        lambda api: api.answer((GO[0], GO[1][:-1] + ', "parameters": {"speed": 99}}')),
        "the model called a tool with an invalid parameter 3 times",
        "navigate takes no parameters",
    ),
}


@pytest.mark.parametrize(("says", "reason", "told"), WRONG.values(), ids=WRONG)
def test_a_model_that_never_calls_properly_is_named_for_what_it_does(
    says: Says, reason: str, told: str, robot: Robot
) -> None:
    end = robot.mission(says(robot.api))
    assert end.state is HANDED_OVER
    assert reason in end.reason
    assert len(robot.script.requests) == 3
    assert told in robot.told()
    robot.works()


@pytest.mark.parametrize("says", [item[0] for item in WRONG.values()], ids=WRONG)
def test_a_wrong_call_goes_back_once_and_the_mission_goes_on(says: Says, robot: Robot) -> None:
    end = robot.mission(says(robot.api), robot.api.answer(GO), robot.api.answer(GIVE_UP))
    assert end.reason == "as I was told"
    assert len(robot.script.requests) == 3


UNREADABLE: dict[str, tuple[str, str]] = {
    "cut": ('{"query": "mug"', "Expecting"),
    "no JSON": ("None", "Expecting value"),
    "a list": ('["mug"]', "it is a list, not an object"),
    "null": ("null", "it is a NoneType, not an object"),
    "NaN": ('{"query": NaN}', "NaN is not a JSON number"),
    "1e999": ('{"query": 1e999}', "'1e999' is too large"),
    "minus infinity": ('{"query": -Infinity}', "-Infinity is not a JSON number"),
    "a key twice": ('{"query": "mug", "query": "cup"}', "duplicate key 'query'"),
    "NUL": ('{"query": "m\\u0000ug"}', "contains a control character or lone surrogate"),
    "half a pair": ('{"query": "mug \\ud83d"}', "contains half a surrogate"),
    "half a pair in a key": ('{"query": "mug", "\\udc00": 1}', "contains half a surrogate"),
    "33 levels": ('{"query": ' + "[" * 33 + "]" * 33 + "}", "nested deeper"),
    "9,000 levels": ('{"query": ' + "[" * 9000 + "]" * 9000 + "}", ""),
    "100,000 levels": ("[" * 100_000, ""),
    "900 kB": (json.dumps({"query": "x" * 900_000}), "Unterminated string"),
    "4,301 digits": ('{"query": ' + "9" * 4301 + "}", "an integer of 4301 characters"),
}


@pytest.mark.parametrize(("arguments", "problem"), UNREADABLE.values(), ids=UNREADABLE)
def test_arguments_that_are_no_json_go_back_once_and_poison_nothing(
    arguments: str, problem: str, robot: Robot
) -> None:
    wrong = robot.api.answer(("recall_object", arguments))
    end = robot.mission(wrong, robot.api.answer(GO), robot.api.answer(GIVE_UP))
    assert end.reason == "as I was told"
    assert problem in robot.told()
    end = robot.mission(wrong)
    assert end.state is HANDED_OVER
    assert "the model made a malformed tool call 3 times" in end.reason
    robot.works()


def test_lone_surrogates_and_control_characters_reach_no_wire_and_no_file(robot: Robot) -> None:
    robot.mission(
        robot.api.answer(RECALL, text="hm \ud83d \x1b[2J", model="m \udc00"),
        robot.api.answer(("recall_\ud800", "{}")),
        robot.api.answer(("recall_object", '{"query": "mug \ud800"}')),
        robot.api.answer(GIVE_UP),
        robot.api.answer(GIVE_UP),
    )
    heard = [m.event for m in robot.line.moments if isinstance(m.event, ModelAnswered)]
    assert heard[0].text == "hm ? ?[2J"
    assert heard[0].model == "m ?"
    assert heard[1].calls[0].tool == "recall_\\ud800"
    assert "contains half a surrogate" in robot.told()
    robot.works()


def test_an_error_that_no_wire_can_hold_is_told_without_it(robot: Robot) -> None:
    end = robot.mission(status(400, "invalid_request_error", "no \ud800 \x00"))
    assert end.state is HANDED_OVER
    assert end.reason.count("BAD_REQUEST") == 1
    end.reason.encode()
    robot.works()


@pytest.mark.parametrize("call", [RECALL, GO], ids=["a look-up", "a step"])
def test_a_call_that_gets_the_same_answer_again_is_named_with_it(call: tuple[str, str], robot: Robot) -> None:
    robot.home.places["fridge_1"].reachable = False
    end = robot.mission(robot.api.answer(call))
    assert end.state is HANDED_OVER
    answer = {"recall_object": "FOUND", "execute_rskill": "NOT_REACHABLE"}[call[0]]
    assert f"{call[0]} was called 3 times and returned the same answer each time: {answer}" in end.reason
    robot.home.places["fridge_1"].reachable = True
    robot.works()


def test_look_ups_in_turn_end_as_a_circle_and_with_ever_new_words_with_their_budget(robot: Robot) -> None:
    look = ("locate_in_view", '{"query": "unicorn"}')
    resolve = ("resolve_place", '{"reference": "table"}')
    end = robot.mission(*[robot.api.answer(call) for call in (look, resolve) * 3])
    assert end.state is HANDED_OVER
    assert (
        "locate_in_view was called 3 times and returned the same answer each time: NOT_IN_VIEW" in end.reason
    )
    robot.line.core.settings = robot.settings.model_copy(update={"budget": SearchBudget(locates=4)})
    ever_new = [("locate_in_view", json.dumps({"query": f"unicorn {n}"})) for n in range(9)]
    end = robot.mission(*[robot.api.answer(call) for call in ever_new])
    assert (end.state, end.reason) == (HANDED_OVER, "the budget of 4 locates is used up")
    robot.works()


def test_fifteen_wrong_calls_each_followed_by_a_right_one_are_all_told_and_forgiven(robot: Robot) -> None:
    wrong = robot.api.answer(("execute_rskill", '{"rskill_id": "fly", "target": "table_1"}'))
    right = [robot.api.answer(("emit_prompt", json.dumps({"text": f"{n}"}))) for n in range(15)]
    end = robot.mission(*(item for pair in right for item in (wrong, pair)), robot.api.answer(GIVE_UP))
    assert end.reason == "as I was told"
    assert robot.told().count("this rskill_id is not available now") == 15
    robot.works()


def test_a_model_that_only_talks_to_the_operator_ends_with_its_budget(robot: Robot) -> None:
    robot.line.core.settings = robot.settings.model_copy(update={"budget": SearchBudget(model_calls=9)})
    says = [robot.api.answer(("emit_prompt", json.dumps({"text": f"still here {n}"}))) for n in range(9)]
    end = robot.mission(*says)
    assert end.state is HANDED_OVER
    assert end.reason == "the budget of 9 model_calls is used up"
    robot.works()


def test_a_model_that_asks_at_once_hands_over_its_own_question(robot: Robot) -> None:
    end = robot.mission(robot.api.answer(("ask_human", '{"question": "Which fridge?"}')))
    assert (end.state, end.reason) == (HANDED_OVER, "Which fridge?")
    robot.works()
