"""Control of a mission by an operator over DDS: allow, refuse, answer, add and replace."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from openral_msgs.msg import MissionStatus, PromptReceipt, PromptStamped
from openral_reasoner_ros.topics import OPERATOR_PROMPTS
from openral_ros.qos import LATCHED_HISTORY

SpinUntil = Callable[..., None]
SUCCEEDED, CANCELLED = MissionStatus.STATE_SUCCEEDED, MissionStatus.STATE_CANCELLED
WAITING = MissionStatus.STATE_WAITING_FOR_HUMAN


def ends(operator: Any) -> list[tuple[str, int]]:
    """Goal and state of every mission that has ended, in order."""
    reported = [(s.goal, s.state) for s in operator.statuses if s.state >= SUCCEEDED]
    return list(dict.fromkeys(reported))


def answering(operator: Any, words: str) -> Callable[[], bool]:
    """Answers every question once with these words; whether a mission has ended."""
    answered: set[str] = set()

    def ended() -> bool:
        for question in operator.handoffs:
            if question.id not in answered:
                answered.add(question.id)
                operator.say(words, in_reply_to=question.id)
        return bool(ends(operator))

    return ended


@pytest.mark.parametrize(("answer", "moved"), [("yes", True), ("no", False)])
def test_nothing_moves_without_approval(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil, answer: str, moved: bool
) -> None:
    nodes = [graph, operator, make_reasoner(require_approval=True)]
    spin_until(nodes, lambda: operator.heard, 10.0)
    operator.say("go to the dining table")
    spin_until(nodes, lambda: bool(operator.handoffs), 20.0)
    spin_until(nodes, lambda: operator.statuses[-1].state == WAITING)
    assert graph.home.travelled == 0.0
    assert operator.handoffs[0].question == "May I NAVIGATE table_1?"
    spin_until(nodes, answering(operator, answer), 20.0)
    assert (ends(operator)[0][1] == SUCCEEDED) is moved
    assert (graph.home.travelled > 0.0) is moved


def test_an_answer_to_a_handoff_goes_on_with_the_same_mission_and_what_is_left_of_its_budget(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    nodes = [graph, operator, make_reasoner(handoff_timeout=20.0, candidates=1)]
    graph.home.objects["mug_1"].remembered = ""
    spin_until(nodes, lambda: operator.heard, 10.0)
    operator.say("find the cup")
    spin_until(nodes, lambda: bool(operator.handoffs), 20.0)
    graph.home.objects["mug_1"].synonyms = ("cup",)
    spin_until(nodes, answering(operator, "on the kitchen counter"), 30.0)
    last = operator.statuses[-1]
    assert last.state == SUCCEEDED, last.reason
    assert len({status.mission_id for status in operator.statuses if status.goal}) == 1
    used = {line.name: (line.used, line.limit) for line in last.budget}
    assert used["candidates"] == (1.0, 1.0)
    assert used["handoffs"] == (1.0, 1.0)


@pytest.mark.parametrize(
    ("policy", "states"), [("queue", [SUCCEEDED, SUCCEEDED]), ("replace", [CANCELLED, SUCCEEDED])]
)
def test_a_second_goal_waits_for_the_first_or_replaces_it(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil, policy: str, states: list[int]
) -> None:
    graph.hold_skills = True
    nodes = [graph, operator, make_reasoner(second_goal=policy)]
    spin_until(nodes, lambda: operator.heard, 10.0)
    operator.say("go to the dining table")

    def over() -> bool:
        """Says the second goal while the first one's skill runs, then lets that skill end."""
        if graph.hold_skills and graph.held is not None:
            graph.hold_skills = False
            operator.say("go to the kitchen counter")
        held = graph.held is not None and not graph.held.done()
        if held and (graph.cancel_asked or (policy == "queue" and not graph.hold_skills)):
            graph.held.set_result(None)
        return len(ends(operator)) == 2

    spin_until(nodes, over, 30.0)
    assert ends(operator) == [
        ("go to the dining table", states[0]),
        ("go to the kitchen counter", states[1]),
    ]
    assert graph.home.at == "counter_1"


def test_every_prompt_of_an_operator_gets_a_receipt_and_words_of_peers_get_none(
    graph: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    graph.hold_skills = True
    nodes = [graph, operator, make_reasoner()]
    spin_until(nodes, lambda: operator.heard, 10.0)
    given = operator.receipts
    prompts = iter(
        [
            ("one", "go to the dining table", "operator"),
            ("one", "go to the dining table", "operator"),
            ("two", "go to the kitchen counter", "operator"),
            ("three", "", "operator"),
            ("four", "find the mug", ""),
            ("five", "emergency stop", ""),
        ]
    )
    operator.say("stop", "detector", id="ignored")
    said = []

    def over() -> bool:
        """Says the next prompt when the last one has its receipt, from the second on while a skill runs."""
        if len(given) == len(said) and (graph.held is not None or not said):
            for name, words, source in prompts:
                said.append(name)
                operator.say(words, source, id=name)
                break
        if graph.cancel_asked and not graph.held.done():
            graph.held.set_result(None)
        return len(ends(operator)) == 2

    spin_until(nodes, over, 30.0)
    assert given[0].mission_id == given[1].mission_id == given[-1].mission_id != ""
    assert ends(operator) == [("go to the kitchen counter", CANCELLED), ("go to the dining table", CANCELLED)]
    assert {status.prompt_id for status in operator.statuses if status.goal} == {"one", "two"}
    assert [(item.prompt_id, item.outcome) for item in given] == [
        ("one", PromptReceipt.OUTCOME_STARTED),
        ("one", PromptReceipt.OUTCOME_STARTED),
        ("two", PromptReceipt.OUTCOME_QUEUED),
        ("three", PromptReceipt.OUTCOME_REFUSED),
        ("four", PromptReceipt.OUTCOME_REFUSED),
        ("five", PromptReceipt.OUTCOME_STOPPED),
    ]


def test_a_prompt_of_ten_megabytes_is_refused_and_a_stop_at_its_end_is_heard(
    operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    nodes = [operator, make_reasoner(palette_wait=300.0)]
    spin_until(nodes, lambda: operator.heard, 10.0)
    long = "bread " * 1_700_000
    for number, words in enumerate(("find the mug", long, long + "stop"), start=1):
        operator.say(words, id=f"{number}")
        spin_until(nodes, lambda heard=number: len(operator.receipts) == heard, 20.0)
    assert [receipt.outcome for receipt in operator.receipts] == [
        PromptReceipt.OUTCOME_STARTED,
        PromptReceipt.OUTCOME_REFUSED,
        PromptReceipt.OUTCOME_STOPPED,
    ]


def test_every_prompt_of_the_operator_is_published_once_with_an_id_also_for_those_who_come_late(
    ros_context: Any, operator: Any, make_reasoner: Any, spin_until: SpinUntil
) -> None:
    nodes = [operator, make_reasoner(palette_wait=300.0)]
    spin_until(nodes, lambda: operator.heard, 10.0)
    prompts = [("find the mug", "a"), ("find the mug", "a"), ("", "b"), ("stop", ""), ("stop", "")]
    for count, (words, name) in enumerate(prompts, start=1):
        operator.say(words, id=name)
        spin_until(nodes, lambda heard=count: len(operator.receipts) == heard, 20.0)
    operator.say("stop", "detector")
    published: list[PromptStamped] = []
    operator.create_subscription(PromptStamped, OPERATOR_PROMPTS, published.append, LATCHED_HISTORY)
    spin_until(nodes, lambda: len(published) >= 4, 10.0)
    assert [(each.text, each.header.frame_id) for each in published] == [
        ("find the mug", "operator"),
        ("", "operator"),
        ("stop", "operator"),
        ("stop", "operator"),
    ]
    assert [each.id for each in published[:2]] == ["a", "b"]
    assert len({each.id for each in published}) == 4
    assert {each.prompt_id for each in operator.receipts} == {each.id for each in published}
    assert all(each.header.stamp.sec > 0 for each in published)
