"""The real node on real DDS, with small fake peers."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_msgs.msg import FailureTrigger, MissionStatus
from openral_reasoner.context import Decision, RawCall
from openral_ros.qos import RELIABLE

SpinUntil = Callable[..., None]
OTHER = Path(__file__).parent / "locator_process.py"
SILENCE_NOTICED = 15.0
"""Bound that only silence can meet [s]: DDS forgets a killed participant after 20 s."""


def mission(graph: Any, operator: Any, reasoner: Any, spin_until: SpinUntil, goal: str) -> Any:
    """One mission from its prompt to its end."""
    nodes = [graph, operator, reasoner]
    spin_until(nodes, lambda: operator.heard)
    operator.say(goal)
    spin_until(nodes, lambda: operator.ended, 30.0)
    return operator.statuses[-1]


def test_brings_the_baguette_over_real_services_and_actions(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    last = mission(graph, operator, make_reasoner(), spin_until, "bring me the baguette")
    assert last.state == MissionStatus.STATE_SUCCEEDED, last.reason
    assert graph.home.delivered == [("bread_1", "ana")]
    assert last.brain == "scripted"
    assert {call.tool for call in last.calls} >= {
        "recall_object",
        "locate_in_view",
        "observe",
        "execute_rskill",
    }
    assert all(call.status != "pending" for call in last.calls)


def test_hands_over_when_the_unicorn_is_nowhere(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    last = mission(graph, operator, make_reasoner(), spin_until, "bring me the unicorn")
    assert last.state == MissionStatus.STATE_HANDED_OVER
    assert len(operator.handoffs) == 1
    assert "kitchen counter: NOT_IN_VIEW" in last.searched
    ranked = max((frontier.values for frontier in operator.frontiers), key=len)
    assert len({place.key for place in ranked}) == len(ranked) > 1
    assert all(place.value for place in ranked)


def test_shows_the_exact_palette_of_the_live_graph(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    nodes = [graph, operator, make_reasoner()]

    def complete() -> bool:
        shown = json.loads(operator.palettes[-1])["palette"] if operator.palettes else {}
        return bool(shown.get("detector_available") and shown.get("skills") and shown.get("places"))

    spin_until(nodes, complete)
    shown = json.loads(operator.palettes[-1])
    locate = next(tool for tool in shown["tools"] if tool["name"] == "locate_in_view")
    assert [each["id"] for each in shown["palette"]["locators"]] == ["sim-groundtruth-locator"]
    assert set(locate["parameters"]["properties"]) == {"query"}, "one camera and one locator leave no choice"


def test_a_detector_that_dies_leaves_the_palette(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    nodes = [graph, operator, make_reasoner()]

    def offered(expected: bool) -> bool:
        return bool(operator.palettes) and (
            json.loads(operator.palettes[-1])["palette"]["detector_available"] is expected
        )

    spin_until(nodes, lambda: offered(True))
    graph.remove_locator()
    spin_until(nodes, lambda: offered(False))


def test_stop_cancels_the_running_skill_and_ends_the_mission(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    graph.hold_skills = True
    nodes = [graph, operator, make_reasoner()]
    spin_until(nodes, lambda: operator.heard)
    operator.say("go to the dining table")

    def stopped() -> bool:
        if graph.held is not None and not graph.held.done():
            if graph.cancel_asked:
                graph.held.set_result(None)
            else:
                operator.say("stop")
        return bool(operator.ended)

    spin_until(nodes, stopped, 20.0)
    assert operator.statuses[-1].state == MissionStatus.STATE_CANCELLED
    spin_until(nodes, lambda: graph.cancelled == 1)


def test_one_trace_runs_through_every_request(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    trace.set_tracer_provider(TracerProvider())
    last = mission(graph, operator, make_reasoner(), spin_until, "find the mug")
    assert last.state == MissionStatus.STATE_SUCCEEDED, last.reason
    assert graph.traceparents
    assert len({parent.split("-")[1] for parent in graph.traceparents}) == 1


def test_waits_for_memory_and_skills_and_says_what_is_missing(
    operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    nodes = [operator, make_reasoner(palette_wait=0.5, locator_wait=0.0)]
    spin_until(nodes, lambda: operator.heard)
    operator.say("bring me the mug")
    spin_until(nodes, lambda: operator.ended)
    assert operator.statuses[-1].state == MissionStatus.STATE_FAILED
    assert "no spatial memory, skill server or detector is available" in operator.statuses[-1].reason


def test_the_executor_stays_free_while_the_model_thinks(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinking, release, thought = threading.Event(), threading.Event(), threading.Event()

    def slow(context: Any) -> Decision:
        thinking.set()
        release.wait(60.0)
        thought.set()
        return Decision(calls=())

    monkeypatch.setattr("openral_reasoner_ros.node.make_model", lambda parameters: slow)
    reasoner = make_reasoner(second_goal="refuse", handoffs=0, poll_period=5.0)
    nodes = [graph, operator, reasoner]
    spin_until(nodes, lambda: operator.heard)
    reasoner.get_logger().set_level(40)
    operator.say("bring me the mug")
    spin_until(nodes, thinking.is_set, 20.0)
    for count in range(1, 21):
        operator.say("find the mug")
        spin_until(nodes, lambda count=count: len(operator.replies) >= count, 20.0)
    assert not thought.is_set(), "twenty prompts were answered only after the model had answered"
    release.set()


@pytest.mark.parametrize("home", ["wine"], indirect=True)
def test_a_cup_of_wine_is_poured_and_brought_to_the_requester(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    last = mission(graph, operator, make_reasoner(), spin_until, "bring me a cup of wine")
    assert last.state == MissionStatus.STATE_SUCCEEDED, last.reason
    assert graph.home.filled == {"glass_1": "wine_1"}
    assert graph.home.delivered == [("glass_1", "ana")]
    assert "cabinet: FOUND" in last.searched
    opened = [c.arguments_json for c in last.calls if "OPEN" in c.arguments_json and c.status == "SUCCEEDED"]
    assert any("fridge" in words for words in opened)
    assert any("cabinet" in words for words in opened)


def test_a_killed_detector_leaves_the_palette_by_its_silence_and_comes_back(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil, ros_domain: int
) -> None:
    nodes = [graph, operator, make_reasoner(poll_period=0.4)]

    def offers(expected: bool) -> bool:
        shown = json.loads(operator.palettes[-1])["palette"] if operator.palettes else {"locators": []}
        return ("other-locator" in [item["id"] for item in shown["locators"]]) is expected

    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-P", str(OTHER)])
        try:
            spin_until(nodes, lambda: offers(True), 20.0)
            spin_until(nodes, lambda: "other-locator" in peers(operator))
            process.kill()
            spin_until(nodes, lambda: offers(False), SILENCE_NOTICED)
        finally:
            process.kill()
            process.wait()


def peers(operator: Any) -> list[str]:
    return list(json.loads(operator.palettes[-1])["palette"]["peers"])


def test_a_reported_failure_is_told_with_the_next_decision(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts: list[Any] = []
    release = threading.Event()

    def watching(context: Any) -> Decision:
        contexts.append(context)
        release.wait(10.0)
        return Decision(calls=(RawCall(tool="emit_prompt", arguments='{"text": "hm"}'),))

    monkeypatch.setattr("openral_reasoner_ros.node.make_model", lambda parameters: watching)
    failures = graph.create_publisher(FailureTrigger, "/openral/failure/sim_groundtruth", RELIABLE)
    nodes = [graph, operator, make_reasoner()]
    spin_until(nodes, lambda: operator.heard and failures.get_subscription_count() > 0)
    operator.say("find the mug")
    spin_until(nodes, lambda: bool(contexts))
    failures.publish(FailureTrigger(source="sim-groundtruth", kind="worker_crashed", message="it broke"))
    spin_until(nodes, failures.wait_for_all_acked)
    release.set()
    spin_until(nodes, lambda: any("worker_crashed" in line for c in contexts for line in c.news))


def test_a_defect_in_the_core_ends_the_mission_failed_and_the_node_goes_on(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    reasoner = make_reasoner()
    with monkeypatch.context() as patched:
        patched.setattr("openral_reasoner.mission.Mission.spend", broken)
        last = mission(graph, operator, reasoner, spin_until, "find the mug")
    assert last.state == MissionStatus.STATE_FAILED
    assert "ZeroDivisionError: a defect" in last.reason
    operator.say("find the mug")
    succeeded = MissionStatus.STATE_SUCCEEDED
    spin_until([graph, operator, reasoner], lambda: operator.statuses[-1].state == succeeded, 60.0)
