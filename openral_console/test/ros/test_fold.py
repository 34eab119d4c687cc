"""The conversation of a page holds every prompt once, whichever topics it came over."""

import pytest

pytest.importorskip("rclpy")
from std_msgs.msg import Header

from openral_console.ros.fold import MAX_PROMPTS, OPERATOR_PROMPTS, Fold
from openral_console.sections import Sections
from openral_msgs.msg import PromptReceipt, PromptStamped

PROMPT, RECEIPT = "/r1/openral/prompt", "/r1/openral/prompt_receipt"
NAMED = f"/r1/{OPERATOR_PROMPTS}"


def prompt(text: str, name: str = "", source: str = "operator") -> PromptStamped:
    return PromptStamped(header=Header(frame_id=source), id=name, text=text)


def conversation(*messages: tuple[str, object]) -> list[tuple[str, str, bool]]:
    """Ids and texts, and whether each has its receipt."""
    sections = Sections()
    fold = Fold(sections)
    for topic, message in messages:
        fold.apply(topic, message)
    return [
        (each["prompt"]["id"], each["prompt"]["text"], "receipt" in each)
        for each in sections.get("prompts") or []
    ]


def test_a_prompt_that_was_not_heard_itself_is_shown_as_the_reasoner_heard_it() -> None:
    heard = prompt("find the mug", "p1")
    receipt = PromptReceipt(prompt_id="p1")
    expected = [("p1", "find the mug", True)]
    assert conversation((RECEIPT, receipt), (NAMED, heard)) == expected
    assert conversation((PROMPT, heard), (NAMED, heard), (RECEIPT, receipt)) == expected


def test_prompts_without_an_id_are_each_shown_once() -> None:
    shown = conversation(
        (PROMPT, prompt("stop")),
        (NAMED, prompt("stop", "unnamed-1")),
        (NAMED, prompt("stop", "unnamed-2")),
        (PROMPT, prompt("stop")),
    )
    assert [name for name, _, _ in shown] == ["unnamed-1", "unnamed-2"]


def test_a_recording_of_an_older_robot_shows_what_it_has() -> None:
    assert conversation((PROMPT, prompt("find the mug"))) == [("", "find the mug", False)]


def test_a_long_conversation_keeps_the_latest() -> None:
    shown = conversation(*[(NAMED, prompt("find the mug", f"p{n}")) for n in range(MAX_PROMPTS + 10)])
    assert (len(shown), shown[0][0]) == (MAX_PROMPTS, "p10")
