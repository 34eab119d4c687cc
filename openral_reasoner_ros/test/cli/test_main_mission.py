"""Commands for missions: exit codes, what is waited for, the status as text."""

import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from typer.testing import CliRunner

from openral_core.missions import MissionState
from openral_msgs.msg import Budget, MissionStatus, PromptReceipt, PromptStamped, ToolCallRecord
from openral_reasoner_ros import mission_client
from openral_reasoner_ros.cli.main import app, format_status
from openral_reasoner_ros.mission_client import MissionLost
from openral_reasoner_ros.topics import MISSION, PROMPT, RECEIPT
from openral_ros.prompt_client import NotAcknowledged
from openral_ros.qos import LATCHED_HISTORY, RELIABLE
from openral_testing.ros.executor_thread import ExecutorThread

MODULE = import_module("openral_reasoner_ros.cli.main")  # the package re-exports a function of this name
STARTED, REFUSED = PromptReceipt.OUTCOME_STARTED, PromptReceipt.OUTCOME_REFUSED
ANSWERED, STOPPED = PromptReceipt.OUTCOME_ANSWERED, PromptReceipt.OUTCOME_STOPPED


class Reasoner(Node):
    """Hears prompts as a reasoner does, but for the first ``deaf`` publications of each."""

    def __init__(self, context: Any, outcome: int = STARTED, deaf: int = 0) -> None:
        super().__init__("reasoner", context=context)
        self.outcome, self.deaf = outcome, deaf
        self.heard: list[PromptStamped] = []
        self.then: Callable[[str], None] = lambda mission: None
        self.receipts = self.create_publisher(PromptReceipt, RECEIPT, RELIABLE)
        self.missions = self.create_publisher(MissionStatus, MISSION, LATCHED_HISTORY)
        self.create_subscription(PromptStamped, PROMPT, self._hear, RELIABLE)

    def _hear(self, prompt: PromptStamped) -> None:
        self.heard.append(prompt)
        if len(self.heard) > self.deaf:
            mission = f"mission of {prompt.text}"
            message = "not today" if self.outcome == REFUSED else ""
            self.receipts.publish(PromptReceipt(prompt_id="another's", outcome=REFUSED))
            self.receipts.publish(
                PromptReceipt(prompt_id=prompt.id, outcome=self.outcome, mission_id=mission, message=message)
            )
            self.then(mission)

    def tell(self, mission: str, state: MissionState, reason: str = "") -> None:
        self.missions.publish(MissionStatus(mission_id=mission, state=int(state), goal="same", reason=reason))


Make = Callable[..., Reasoner]


@pytest.fixture
def reasoner(ros_context: Any) -> Iterator[Make]:
    """Makes the reasoner and spins it on a thread of its own, as another process would."""
    executor = SingleThreadedExecutor(context=ros_context)
    made: list[Reasoner] = []

    def make(**options: int) -> Reasoner:
        made.append(Reasoner(ros_context, **options))
        executor.add_node(made[-1])
        return made[-1]

    with ExecutorThread(executor):
        yield make
    for item in made:
        item.destroy_node()


def invoke(*words: str) -> Any:
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize("deaf", [0, 3])
def test_words_that_were_not_heard_are_said_again_as_the_same_ones(reasoner: Make, deaf: int) -> None:
    listening = reasoner(outcome=STOPPED, deaf=deaf)
    done = invoke("mission", "cancel")
    assert (done.exit_code, done.output) == (0, "stopped mission of stop\n")
    assert len(listening.heard) > deaf
    assert len({prompt.id for prompt in listening.heard}) == 1


def test_another_subscriber_of_prompts_does_not_pass_for_the_reasoner(ros_context: Any) -> None:
    world_state = Node("world_state", context=ros_context)
    world_state.create_subscription(PromptStamped, PROMPT, lambda prompt: None, RELIABLE)
    done = invoke("mission", "cancel", "--timeout", "1.5")
    world_state.destroy_node()
    assert isinstance(done.exception, NotAcknowledged)
    assert done.exception.exit_code == 4


@pytest.mark.parametrize(
    ("words", "outcome", "code"),
    [
        (("prompt", "a"), STARTED, 0),
        (("prompt", "a"), PromptReceipt.OUTCOME_QUEUED, 0),
        (("prompt", "stop"), STOPPED, 0),
        (("prompt", "stop", "--wait"), STOPPED, 0),
        (("prompt", "a"), REFUSED, 1),
        (("prompt", "a", "--wait"), REFUSED, 1),
        (("mission", "cancel"), STOPPED, 0),
        (("mission", "cancel"), STARTED, 1),
        (("mission", "cancel"), REFUSED, 1),
        (("mission", "answer", "h1", "yes"), ANSWERED, 0),
        (("mission", "answer", "h1", "stop"), STOPPED, 0),
        (("mission", "answer", "h1", "yes"), STARTED, 1),
        (("mission", "answer", "h1", "yes"), REFUSED, 1),
    ],
)
def test_the_exit_code_is_what_the_reasoner_acknowledged(
    reasoner: Make, words: tuple[str, ...], outcome: int, code: int
) -> None:
    listening = reasoner(outcome=outcome)
    done = invoke(*words)
    assert done.exit_code == code, done.output
    assert ("not today" in done.output) is (outcome == REFUSED)
    assert listening.heard[0].in_reply_to == ("h1" if "answer" in words else "")


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (MissionState.SUCCEEDED, 0),
        (MissionState.FAILED, 1),
        (MissionState.CANCELLED, 1),
        (MissionState.HANDED_OVER, 3),
        (MissionState.CLAIMED, 5),
    ],
)
def test_waiting_follows_the_mission_that_the_words_began(
    reasoner: Make, state: MissionState, code: int
) -> None:
    listening = reasoner()

    def run(mission: str) -> None:
        listening.tell("one before it with the same goal", MissionState.FAILED)
        listening.tell(mission, MissionState.ACTIVE)
        listening.tell(mission, MissionState.WAITING_FOR_HUMAN, "which mug?")
        listening.tell(mission, state, "for this reason")

    listening.then = run
    done = invoke("prompt", "same", "--wait")
    assert done.exit_code == code, done.output
    assert f"{state.name}: for this reason" in done.output


def test_waiting_ends_when_the_reasoner_that_took_the_goal_is_gone(
    reasoner: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "PUBLISHER_TIMEOUT", 2.0)
    listening = reasoner()

    def die(mission: str) -> None:
        listening.tell(mission, MissionState.ACTIVE)
        threading.Timer(1.0, listening.destroy_publisher, [listening.missions]).start()

    listening.then = die
    done = invoke("prompt", "a", "--wait")
    assert isinstance(done.exception, MissionLost)
    assert done.exception.exit_code == 4
    assert "has ended or was deactivated" in str(done.exception)


def test_waiting_goes_on_with_the_mission_of_a_restarted_reasoner(
    reasoner: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "PUBLISHER_TIMEOUT", 6.0)
    first, second = reasoner(), list[Reasoner]()

    def restart(mission: str) -> None:
        second.append(reasoner())
        second[0].tell(mission, MissionState.ACTIVE)
        threading.Timer(8.0, second[0].tell, [mission, MissionState.SUCCEEDED, "resumed"]).start()

    def die(mission: str) -> None:
        first.then = lambda mission: None  # a prompt may be repeated
        first.tell(mission, MissionState.ACTIVE)
        threading.Timer(0.5, first.destroy_publisher, [first.missions]).start()
        threading.Timer(1.0, restart, [mission]).start()

    first.then = die
    done = invoke("prompt", "a", "--wait")
    assert done.exit_code == 0, done.output
    assert "SUCCEEDED: resumed" in done.output


def test_waiting_ends_when_the_reasoner_is_silent(reasoner: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mission_client, "SILENCE_TIMEOUT", 1.0)
    reasoner()
    done = invoke("prompt", "a", "--wait")
    assert isinstance(done.exception, MissionLost)
    assert "silent for 1 s" in str(done.exception)


def test_the_status_is_the_latest_of_many_that_are_kept(reasoner: Make) -> None:
    told = reasoner()
    for number in range(40):
        told.tell(f"m{number}", MissionState.SUCCEEDED, reason=f"the reason of {number}")
    shown = invoke("mission", "status")
    assert shown.exit_code == 0, shown.output
    assert "the reason of 39" in shown.output


def test_a_status_lists_state_budget_calls_places_and_evidence() -> None:
    message = MissionStatus(
        state=int(MissionState.ACTIVE),
        goal="find the mug",
        step="locate_in_view",
        budget=[Budget(name="locates", used=2.0, limit=60.0)],
        calls=[ToolCallRecord(tool="recall_object", arguments_json="{}", status="FOUND")],
        searched=["table_1"],
        evidence=["mug seen"],
    )
    assert format_status(message).splitlines() == [
        "ACTIVE  find the mug",
        "  now: locate_in_view",
        "  locates: 2 of 60",
        "  cost: nothing",
        "  recall_object {} -> FOUND",
        "  looked at table_1",
        "  evidence: mug seen",
    ]


@pytest.mark.parametrize(("reason", "shown"), [("", False), ("budget spent", True)])
def test_a_reason_has_a_line_only_if_there_is_one(reason: str, shown: bool) -> None:
    message = MissionStatus(state=int(MissionState.FAILED), goal="g", reason=reason)
    assert ("\n  reason: " in format_status(message)) is shown
