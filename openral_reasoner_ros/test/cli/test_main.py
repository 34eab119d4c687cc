"""The `openral` command against a live graph and against recordings."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("rclpy")
import pytest
from rclpy.executors import SingleThreadedExecutor
from typer.testing import CliRunner

from openral_msgs.msg import PromptStamped
from openral_reasoner.context import Decision, RawCall
from openral_reasoner.system_prompt import SYSTEM_PROMPT
from openral_reasoner_ros.cli.main import app
from openral_reasoner_ros.topics import PROMPT
from openral_ros.qos import RELIABLE
from openral_testing.ros.executor_thread import ExecutorThread

Invoke = Callable[..., Any]


@pytest.fixture
def invoke() -> Invoke:
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def live(graph: Any, make_reasoner: Any) -> Iterator[Any]:
    """The graph spinning on a thread of its own, as another process would."""
    executor = SingleThreadedExecutor(context=graph.context)
    reasoner = make_reasoner(handoff_timeout=30.0)
    for node in (graph, reasoner):
        executor.add_node(node)
    with ExecutorThread(executor):
        yield graph


def test_a_goal_is_given_and_waited_for(live: Any, invoke: Invoke) -> None:
    done = invoke("prompt", "bring me the baguette", "--wait")
    assert done.exit_code == 0, done.output
    assert "SUCCEEDED" in done.output
    assert live.home.delivered == [("bread_1", "ana")]
    shown = invoke("mission", "status")
    assert "bring me the baguette" in shown.output
    assert "recalls: " in shown.output


def test_what_a_goal_points_at_is_named_by_its_id(live: Any, invoke: Invoke) -> None:
    done = invoke("prompt", "bring me this", "--object", "bread_1", "--wait")
    assert done.exit_code == 0, done.output
    assert live.home.delivered == [("bread_1", "ana")]
    gone = invoke("prompt", "bring me this", "--object", "bread_9", "--wait")
    assert gone.exit_code == 1, gone.output
    assert "bread_9, which you point at, is gone" in gone.output


def test_a_claim_without_proof_has_an_exit_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, invoke: Invoke
) -> None:
    lie = RawCall(tool="done", arguments='{"success": true, "message": "I brought it."}')
    monkeypatch.setattr(
        "openral_reasoner_ros.node.make_model", lambda _: lambda context: Decision(calls=(lie,))
    )
    live = request.getfixturevalue("live")
    claimed = invoke("prompt", "bring me the baguette", "--wait")
    assert claimed.exit_code == 5, claimed.output
    assert "CLAIMED: I brought it. (claimed, not proven: no successful HANDOVER or PLACE" in claimed.output
    assert live.home.delivered == []
    assert (
        "evidence: missing: no successful HANDOVER or PLACE of 'baguette'"
        in invoke("mission", "status").output
    )


def test_a_handoff_is_answered_and_the_mission_goes_on(live: Any, invoke: Invoke, operator: Any) -> None:
    assert invoke("prompt", "open the portcullis").exit_code == 0
    executor = SingleThreadedExecutor(context=operator.context)
    executor.add_node(operator)
    while not operator.handoffs:
        executor.spin_once(timeout_sec=0.05)
    assert invoke("mission", "answer", operator.handoffs[0].id, "no").exit_code == 0
    while not operator.ended:
        executor.spin_once(timeout_sec=0.05)
    executor.shutdown()
    assert "the answer was 'no'" in operator.statuses[-1].reason


def test_every_goal_and_every_stop_is_acknowledged_beside_another_listener(live: Any, invoke: Invoke) -> None:
    live.create_subscription(PromptStamped, PROMPT, lambda prompt: None, RELIABLE)
    for number in range(5):
        given = invoke("prompt", f"open portcullis {number}", "--timeout", "30")
        stopped = invoke("mission", "cancel", "--timeout", "30")
        assert (given.exit_code, stopped.exit_code) == (0, 0), given.output + stopped.output
        assert given.output.startswith("started "), given.output
        assert stopped.output.startswith("stopped"), stopped.output


def test_the_palette_is_what_the_model_is_given(live: Any, invoke: Invoke) -> None:
    shown = invoke("palette")
    assert shown.exit_code == 0, shown.output
    content = json.loads(shown.output)
    assert content["system"] == SYSTEM_PROMPT
    assert "done" in {tool["name"] for tool in content["tools"]}
    assert content["listed"]["skills"]


def test_silence_is_told_with_what_to_check(ros_domain: int, invoke: Invoke) -> None:
    silent = invoke("mission", "status", "--timeout", "0.2")
    assert silent.exit_code != 0
    assert "ROS_DOMAIN_ID" in str(silent.exception)
