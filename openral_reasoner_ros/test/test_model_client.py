"""The real node with a model that hangs, breaks or writes what no wire takes: the next mission works."""

import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from loopback import EVENTS, Api, dripping, endpoint, status, without_proxies

from openral_core.errors import OpenRALError
from openral_msgs.msg import MissionStatus
from openral_reasoner.context import Context, Decision, RawCall
from openral_reasoner.llm.base import ModelUnavailable, Prices
from openral_reasoner.scripted.planner import ScriptedModel
from openral_reasoner_ros.brains import Brain, PromptForm
from openral_reasoner_ros.model_client import MAX_STUCK_CALLS, make_model
from openral_reasoner_ros.parameters import ReasonerParameters

pytest.importorskip("rclpy")


SpinUntil = Callable[..., None]
GIVE_UP = RawCall(tool="done", arguments='{"success": false, "message": "as I was told"}')
SOON = 0.5
"""The shortest deadline of a decision that the node takes [s]."""


@pytest.fixture
def mission(graph: Any, operator: Any, spin_until: SpinUntil) -> Callable[..., Any]:
    """`mission(reasoner, id)`: one mission to its end."""

    def run(reasoner: Any, prompt: str) -> Any:
        nodes = [graph, operator, reasoner]
        spin_until(nodes, lambda: operator.heard and reasoner_sees(operator), 20.0)
        operator.statuses.clear()
        operator.say("find the mug", id=prompt)
        spin_until(
            nodes, lambda: operator.ended and operator.statuses[-1].mission_id.startswith(prompt), 60.0
        )
        return operator.statuses[-1]

    return run


def reasoner_sees(operator: Any) -> bool:
    return bool(operator.palettes) and '"spatial_memory_available": true' in operator.palettes[-1]


def test_calls_that_never_come_back_hold_up_no_later_mission_nor_the_end_of_the_node(
    make_reasoner: Any, mission: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, begun = threading.Event(), list[Context]()

    def model(context: Context) -> Decision:
        begun.append(context)
        if len(begun) <= 3:
            stuck.wait()
        return Decision(calls=(GIVE_UP,))

    monkeypatch.setattr("openral_reasoner_ros.node.make_model", lambda parameters: model)
    reasoner = make_reasoner(model_deadline=SOON)
    last = mission(reasoner, "first")
    assert last.state == MissionStatus.STATE_HANDED_OVER
    assert last.reason == "the model failed 3 times; last failure: no answer in time"
    last = mission(reasoner, "second")
    assert (last.state, last.reason) == (MissionStatus.STATE_FAILED, "as I was told")
    assert len(begun) == 4
    stuck.set()


def test_stuck_calls_are_bounded_and_told(
    make_reasoner: Any, mission: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, begun = threading.Event(), list[Context]()

    def model(context: Context) -> Decision:
        begun.append(context)
        stuck.wait()
        return Decision(calls=(GIVE_UP,))

    monkeypatch.setattr("openral_reasoner_ros.node.make_model", lambda parameters: model)
    reasoner = make_reasoner(model_deadline=SOON)
    mission(reasoner, "first")
    last = mission(reasoner, "second")
    assert last.state == MissionStatus.STATE_HANDED_OVER
    assert f"MODEL_STUCK: {MAX_STUCK_CALLS} earlier model calls have not returned" in last.reason
    assert len(begun) == MAX_STUCK_CALLS
    stuck.set()
    for number in count(3):  # the stuck threads end one by one
        last = mission(reasoner, f"mission {number}")
        if last.reason == "as I was told":
            break
        assert "MODEL_STUCK" in last.reason
        assert number < 50


def test_words_that_no_file_and_no_wire_can_hold_end_neither_recording_nor_node(
    make_reasoner: Any, mission: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Context] = []

    def model(context: Context) -> Decision:
        asked.append(context)
        if len(asked) == 1:
            return Decision(
                calls=(RawCall(tool="\ud800", arguments="\ud800"),), text="nice \ud83d", model="\udfff"
            )
        if len(asked) == 2:
            raise ModelUnavailable("SERVER_ERROR", "\ud800")
        return Decision(calls=(GIVE_UP,))

    monkeypatch.setattr("openral_reasoner_ros.node.make_model", lambda parameters: model)
    last = mission(make_reasoner(record=str(tmp_path / "recording")), "first")
    assert last.reason == "as I was told"
    assert "nice ?" in (tmp_path / "recording" / "reasoner.jsonl").read_text()


@pytest.mark.parametrize("vendor", ["anthropic", "openai"])
def test_an_endpoint_that_drips_for_ever_is_left_and_the_next_mission_works(
    vendor: str, make_reasoner: Any, mission: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(vendor)
    without_proxies(monkeypatch)
    api = Api(vendor)
    good = api.answer((GIVE_UP.tool, GIVE_UP.arguments))
    with endpoint() as (url, script):
        script.play(dripping(script, EVENTS, b": PROCESSING\n\n", good))
        base = url if api.named else f"{url}/v1"
        # The model's own deadline is 2 s below the core's.
        reasoner = make_reasoner(
            brain=vendor, model="m-x", base_url=base, model_deadline=2.5, prompt=PromptForm.FULL.value
        )
        last = mission(reasoner, "first")
        assert last.reason == "the model failed 3 times; last failure: TIMEOUT: no answer in time"
        script.play(good)
        assert mission(reasoner, "second").reason == "as I was told"
        assert script.requests, "the second mission asked the endpoint anew"
        script.play(status(401, "authentication_error"))
        last = mission(reasoner, "third")
        assert "answered 401: no: ***" in last.reason


pytest.importorskip("rclpy")


def test_the_scripted_brain_needs_nothing() -> None:
    assert isinstance(make_model(ReasonerParameters(rskill_folders=())), ScriptedModel)


@pytest.mark.parametrize("brain", [Brain.ANTHROPIC, Brain.OPENAI])
def test_a_vendor_without_a_key_names_the_variable_and_the_ways_out(
    brain: Brain, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(brain.value)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(OpenRALError, match=r"_API_KEY.*base_url.*scripted"):
        make_model(ReasonerParameters(rskill_folders=(), brain=brain, model="m"))


@pytest.mark.parametrize("brain", [Brain.ANTHROPIC, Brain.OPENAI])
def test_a_vendor_without_a_model_says_so(brain: Brain) -> None:
    with pytest.raises(OpenRALError, match="parameter 'model'"):
        make_model(ReasonerParameters(rskill_folders=(), brain=brain))


@pytest.mark.parametrize(
    ("prompt", "base_url", "name", "of_mission"),
    [
        (PromptForm.FULL, "http://127.0.0.1:1/v1", "OpenAIModel", "full"),
        (PromptForm.COMPACT, "http://127.0.0.1:1/v1", "CompactOpenAIModel", "compact"),
        (PromptForm.AUTO, "http://127.0.0.1:1/v1", "AdaptiveOpenAIModel", "auto"),
        (PromptForm.AUTO, "", "OpenAIModel", "full"),
    ],
)
def test_the_prompt_decides_which_model_of_an_endpoint_is_made(
    prompt: PromptForm, base_url: str, name: str, of_mission: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    monkeypatch.setattr(Prices, "priced", lambda self, model: model)
    parameters = ReasonerParameters(
        rskill_folders=(), brain=Brain.OPENAI, model="m", base_url=base_url, prompt=prompt
    )
    assert type(make_model(parameters)).__name__ == name
    assert parameters.settings().prompt == of_mission


def test_a_brain_without_a_compact_prompt_says_which_has_one() -> None:
    parameters = ReasonerParameters(
        rskill_folders=(), brain=Brain.ANTHROPIC, model="m", prompt=PromptForm.COMPACT
    )
    with pytest.raises(OpenRALError, match=r"no compact prompt: .*'full'.*'openai'"):
        make_model(parameters)
