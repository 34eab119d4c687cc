"""The dispatcher: offers, receipts, reports, leases, takeover, people, and errands that cannot begin."""

from dataclasses import dataclass, field, replace

import pytest

from openral_core.missions import MissionState, PromptOutcome
from openral_core.skills import Verb
from openral_fleet.dispatcher import Dispatcher, renewed
from openral_fleet.errands import parse_errands
from openral_fleet.events import (
    AskHuman,
    Command,
    ErrandDropped,
    Event,
    HumanAnswered,
    MissionReported,
    PromptAnswered,
    RobotLost,
    RobotReported,
    SendPrompt,
    StopHeard,
    StopRobot,
    Ticked,
    WithdrawPrompt,
)
from openral_fleet.records import ErrandRecord, ErrandState, FleetState
from openral_fleet.robots import RememberedObject, RobotState
from openral_fleet.settings import LEASE_STEP, RESEND_PERIOD, RESUMES_WITHIN, FleetSettings

SETTINGS = FleetSettings(mission_seconds=100.0, lease_margin=10.0, patience=30.0, answer=60.0)
MUG = RememberedObject("mug", 1.0, 0.0, ("counter",), 1.0)


@dataclass
class Fleet:
    """A dispatcher with the robots that the test has, reported whenever time passes."""

    dispatcher: Dispatcher
    now: float = 0.0
    robots: dict[str, RobotState] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)

    def add(self, *names: str) -> None:
        for name in names:
            self.robots[name] = RobotState(name, f"{name}-1", frozenset(Verb), objects=(MUG,))
            self.tell(RobotReported(self.robots[name]))
            self.tell(MissionReported(name, "", MissionState.IDLE))

    def change(self, name: str, **changes: object) -> None:
        self.robots[name] = replace(self.robots[name], **changes)  # type: ignore[arg-type]
        self.tell(RobotReported(self.robots[name]))

    def tell(self, event: Event) -> None:
        self.commands += self.dispatcher.handle(event, self.now)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds)):
            self.now += 1.0
            for robot in self.robots.values():
                self.tell(RobotReported(robot))
            self.tell(Ticked())

    def record(self, name: str = "e1") -> ErrandRecord:
        record = self.dispatcher.state.record(name)
        assert record is not None
        return record

    def sent(self) -> list[SendPrompt]:
        return [each for each in self.commands if isinstance(each, SendPrompt)]

    def start(self, name: str = "e1") -> SendPrompt:
        """Have the robot of the last prompt begin its mission."""
        prompt = self.sent()[-1]
        self.tell(PromptAnswered(prompt.robot, prompt.prompt_id, PromptOutcome.STARTED, "m"))
        self.report(prompt, MissionState.ACTIVE, seconds_left=100.0)
        assert self.record(name).state is ErrandState.RUNNING
        return prompt

    def report(self, prompt: SendPrompt, state: MissionState, **more: object) -> None:
        self.tell(MissionReported(prompt.robot, prompt.prompt_id, state, "m", **more))  # type: ignore[arg-type]


def fleet_of(*goals: object, settings: FleetSettings = SETTINGS, robots: tuple[str, ...] = ("/r1",)) -> Fleet:
    errands = parse_errands({"errands": list(goals)}).errands
    fleet = Fleet(Dispatcher(settings, FleetState.of("run", errands, 0.0)))
    fleet.add(*robots)
    return fleet


def test_an_errand_goes_from_offer_to_receipt_to_mission_to_its_end() -> None:
    fleet = fleet_of("bring me the mug")
    (prompt,) = fleet.sent()
    assert (prompt.robot, prompt.prompt_id, prompt.text) == ("/r1", "fleet-run-e1-1", "bring me the mug")
    assert fleet.record().state is ErrandState.OFFERED
    fleet.start()
    fleet.report(prompt, MissionState.SUCCEEDED, reason="handed over", evidence=("HANDOVER SUCCEEDED",))
    assert fleet.record().state is ErrandState.DONE
    assert fleet.record().evidence == ("HANDOVER SUCCEEDED",)
    assert fleet.record().reason == "/r1: handed over"


@pytest.mark.parametrize(
    ("state", "ends"),
    [
        (MissionState.CLAIMED, ErrandState.CLAIMED),
        (MissionState.HANDED_OVER, ErrandState.HANDED_OVER),
        (MissionState.CANCELLED, ErrandState.CANCELLED),
        (MissionState.FAILED, ErrandState.FAILED),
    ],
)
def test_an_errand_ends_as_its_mission_does(state: MissionState, ends: ErrandState) -> None:
    fleet = fleet_of("bring me the mug")
    fleet.report(fleet.start(), state)
    assert fleet.record().state is ends


def test_a_refused_errand_was_not_begun_and_goes_to_another_robot() -> None:
    fleet = fleet_of("bring me the mug", robots=("/r1", "/r2"))
    first = fleet.sent()[0]
    fleet.tell(PromptAnswered(first.robot, first.prompt_id, PromptOutcome.REFUSED, message="busy"))
    assert fleet.sent()[-1].robot == "/r2"
    assert fleet.sent()[-1].prompt_id != first.prompt_id


def test_what_failed_before_it_acted_is_tried_by_another_robot_and_else_has_failed() -> None:
    fleet = fleet_of("bring me the mug", robots=("/r1", "/r2"))
    fleet.report(fleet.start(), MissionState.FAILED, reason="blocked")
    assert fleet.sent()[-1].robot == "/r2"
    fleet.report(fleet.start(), MissionState.FAILED, reason="blocked")
    assert fleet.record().state is ErrandState.FAILED


def test_a_prompt_without_a_receipt_is_sent_again_with_its_id_and_a_longer_lease() -> None:
    fleet = fleet_of("bring me the mug")
    lease = fleet.record().lease
    fleet.wait(RESEND_PERIOD + 1.0)
    assert [each.prompt_id for each in fleet.sent()] == ["fleet-run-e1-1"] * 2
    assert fleet.record().lease > lease


def test_a_silent_robot_keeps_its_errand_until_its_lease_ends() -> None:
    fleet = fleet_of("find the mug", robots=("/r1", "/r2"))
    prompt = fleet.start()
    lease = fleet.record().lease
    fleet.change(prompt.robot, session="")
    fleet.wait(lease - fleet.now - 1.0)
    assert fleet.record().state is ErrandState.SUSPENDED
    assert len(fleet.sent()) == 1
    fleet.wait(2.0)
    assert fleet.sent()[-1].robot != prompt.robot


def test_a_robot_that_is_presumed_off_loses_its_errand_unless_a_skill_still_runs() -> None:
    fleet = fleet_of("find the mug", settings=SETTINGS.model_copy(update={"presumed_off": 5.0}))
    fleet.add("/r2")
    prompt = fleet.start()
    fleet.change(prompt.robot, session="", busy="GRASP")
    fleet.wait(20.0)
    assert len(fleet.sent()) == 1
    fleet.change(prompt.robot, busy="")
    fleet.wait(2.0)
    assert fleet.sent()[-1].robot == "/r2"


def test_a_lost_robot_that_comes_back_with_its_mission_is_stopped() -> None:
    fleet = fleet_of("find the mug", robots=("/r1", "/r2"))
    prompt = fleet.start()
    fleet.change(prompt.robot, session="")
    fleet.tell(RobotLost(prompt.robot))
    fleet.commands.clear()
    fleet.wait(3.0)
    fleet.change(prompt.robot, session="new")
    fleet.report(prompt, MissionState.ACTIVE, seconds_left=50.0)
    assert [each.robot for each in fleet.commands if isinstance(each, StopRobot)] == [prompt.robot]


def test_a_restarted_robot_that_resumes_its_mission_keeps_the_errand() -> None:
    fleet = fleet_of("bring me the mug", robots=("/r1", "/r2"))
    prompt = fleet.start()
    fleet.change(prompt.robot, session="new")
    fleet.report(prompt, MissionState.ACTIVE, seconds_left=50.0)
    fleet.wait(RESUMES_WITHIN + 5.0)
    assert fleet.record().state is ErrandState.RUNNING
    assert len(fleet.sent()) == 1


def test_a_restarted_robot_without_its_mission_leaves_the_errand_to_a_look() -> None:
    fleet = fleet_of("bring me the mug", robots=("/r1", "/r2"))
    prompt = fleet.start()
    fleet.change(prompt.robot, session="new")
    fleet.tell(MissionReported(prompt.robot, "", MissionState.IDLE))
    fleet.wait(RESUMES_WITHIN + 1.0)
    look = fleet.sent()[-1]
    assert (look.text, look.robot) == ("find the mug", "/r2")
    fleet.start()
    fleet.change("/r2", objects=(replace(MUG, last_seen=2.0),))
    fleet.report(look, MissionState.SUCCEEDED, reason="it is on the counter")
    fleet.wait(5.0)
    assert fleet.sent()[-1].text == "bring me the mug"
    fleet.start()
    fleet.report(fleet.sent()[-1], MissionState.SUCCEEDED)
    assert fleet.record().state is ErrandState.DONE


@pytest.mark.parametrize(
    ("answer", "state"),
    [("done", ErrandState.DONE), ("drop", ErrandState.CANCELLED), ("", ErrandState.HANDED_OVER)],
)
def test_what_no_look_can_show_is_asked_of_a_person(answer: str, state: ErrandState) -> None:
    fleet = fleet_of("pour water into the glass")
    prompt = fleet.start()
    fleet.tell(RobotLost(prompt.robot))
    (question,) = [each for each in fleet.commands if isinstance(each, AskHuman)]
    assert "Was it done?" in question.text
    if answer:
        fleet.tell(HumanAnswered(question.question, answer))
    fleet.wait(SETTINGS.answer + 1.0)
    assert fleet.record().state is state


def test_a_success_that_is_reported_late_is_believed() -> None:
    fleet = fleet_of("bring me the mug", robots=("/r1", "/r2"))
    prompt = fleet.start()
    fleet.tell(RobotLost(prompt.robot))
    assert fleet.record().is_check
    fleet.report(prompt, MissionState.SUCCEEDED)
    assert fleet.record().state is ErrandState.DONE


def test_a_reasoner_that_is_shut_down_leaves_its_errand_to_others() -> None:
    fleet = fleet_of("find the mug", robots=("/r1", "/r2"))
    fleet.report(fleet.start(), MissionState.CANCELLED, shutting_down=True)
    assert fleet.record().state is ErrandState.OFFERED
    assert len(fleet.sent()) == 2


def test_a_stop_ends_every_errand_and_stops_every_robot() -> None:
    fleet = fleet_of("bring me the mug", "find the bowl", "find the cup", robots=("/r1", "/r2"))
    fleet.tell(StopHeard("'stop' was said to /r1"))
    assert {each.robot for each in fleet.commands if isinstance(each, StopRobot)} == {"/r1", "/r2"}
    assert {each.state for each in fleet.dispatcher.state.records} == {ErrandState.CANCELLED}
    assert [each for each in fleet.commands if isinstance(each, WithdrawPrompt)]


def test_an_errand_that_is_dropped_stops_the_robot_that_has_it() -> None:
    fleet = fleet_of("bring me the mug")
    fleet.start()
    fleet.tell(ErrandDropped("e1"))
    assert fleet.record().state is ErrandState.CANCELLED
    assert isinstance(fleet.commands[-1], StopRobot)


def test_an_errand_waits_for_those_before_it_and_fails_with_them() -> None:
    fleet = fleet_of("find the mug", {"goal": "find the bowl", "after": ["e1"]}, robots=("/r1", "/r2"))
    assert len(fleet.sent()) == 1
    fleet.report(fleet.start(), MissionState.HANDED_OVER)
    assert fleet.record("e2").state is ErrandState.FAILED
    assert fleet.record("e2").reason == "it needs e1, which ended handed_over"


def test_an_errand_that_is_not_begun_by_its_deadline_has_failed() -> None:
    goals = ({"goal": "find the mug", "priority": 1}, {"goal": "find the bowl", "deadline": 20.0})
    fleet = fleet_of(*goals)
    fleet.start("e1")
    fleet.wait(25.0)
    assert fleet.record("e2").state is ErrandState.FAILED
    assert fleet.record("e1").state is ErrandState.RUNNING


def test_an_errand_that_no_robot_can_do_fails_with_the_obstacle_of_each() -> None:
    fleet = fleet_of({"goal": "find the mug", "robot": "r9"})
    fleet.wait(SETTINGS.patience + 1.0)
    assert fleet.record().state is ErrandState.FAILED
    assert fleet.record().reason == "no robot can do it: /r1 is not r9"


def test_a_dispatcher_made_from_its_state_sends_the_same_prompt_and_asks_the_same_question() -> None:
    fleet = fleet_of("pour water into the glass", "bring me the mug")
    fleet.tell(RobotLost("/r1"))
    state = FleetState.model_validate_json(fleet.dispatcher.state.model_dump_json())
    again = Fleet(Dispatcher(SETTINGS, state), now=fleet.now)
    again.add("/r1")
    assert again.sent() == [fleet.sent()[-1]]
    asked = [each for each in fleet.commands if isinstance(each, AskHuman)]
    assert [each for each in again.commands if isinstance(each, AskHuman)] == asked


def test_a_prompt_is_not_sent_again_to_another_process_of_its_robot() -> None:
    fleet = fleet_of("bring me the mug")
    fleet.change("/r1", session="new")
    fleet.wait(RESEND_PERIOD + 5.0)
    assert {each.session for each in fleet.sent() if each.prompt_id == "fleet-run-e1-1"} == {"/r1-1"}


def test_a_lease_is_never_shorter_than_needed_and_changes_seldom() -> None:
    assert renewed(100.0, 95.0) == 100.0
    assert renewed(100.0, 101.0) == 101.0 + LEASE_STEP
    assert renewed(900.0, 100.0) == 100.0 + LEASE_STEP
