"""A request is stated once: success is judged by it, and what it forbids is never sent."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext

import pytest

from openral_core.missions import MissionState
from openral_core.skills import Verb
from openral_reasoner.behaviors.preconditions import forbidden_by
from openral_reasoner.commands import PublishHandoff, PublishPrompt, SendSkill
from openral_reasoner.context import Context, RawCall
from openral_reasoner.mission import Mission
from openral_reasoner.mission_objects import HOME, MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import (
    Act,
    AskCompare,
    AskCount,
    Bring,
    BringEvery,
    Forbidden,
    NotUnderstood,
    Restricted,
    restrictions,
)
from openral_reasoner.scripted.planner import decide
from openral_reasoner.sentences.reader import read_sentence
from openral_reasoner.settings import MissionSettings
from openral_reasoner.tools.stating import (
    Ban,
    Step,
    UnfaithfulStatement,
    When,
    check_statement,
    request_of,
)
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, act, call, run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

ODD = "would it be at all thinkable for the mug to find its way into my hands"
"""A sentence that the offline reader asks back."""
Play = Callable[..., MissionRun]


DONE = call("done", success=True, message="Here it is.")
MUG = (call("recall_object", query="mug"), act("grasp", "mug_1"), act("handover", "me"))
BRING = call("state_request", steps=[{"do": "bring", "object": "mug"}])


@pytest.fixture
def play(home: SymbolicHome, palette: ToolPalette, settings: MissionSettings) -> Play:
    """Play calls, or the plan of the offline planner."""

    def played(goal: str, *calls: RawCall) -> MissionRun:
        left: Iterator[RawCall] = iter(calls)

        def model(context: Context) -> RawCall:
            return next(left, DONE) if calls else decide(context)

        return run_mission_in_home(goal, palette, HomePeers(home).answer, model, settings)

    return played


def outcome(played: MissionRun) -> MissionState:
    assert played.end is not None
    return played.end.state


def steps(played: MissionRun) -> list[str]:
    return [command.goal.prompt for command in played.commands if isinstance(command, SendSkill)]


def test_a_statement_and_its_deeds_are_a_success_and_the_operator_reads_it(
    play: Play, home: SymbolicHome
) -> None:
    assert isinstance(read_sentence(ODD), NotUnderstood)
    played = play(ODD, BRING, *MUG)
    assert outcome(played) is MissionState.SUCCEEDED
    assert home.delivered == [("mug_1", "ana")]
    told = [command.text for command in played.commands if isinstance(command, PublishPrompt)]
    assert "Understood: bring the mug to you." in told


def test_nothing_moves_before_the_statement(play: Play) -> None:
    played = play(ODD, act("navigate", "table_1"), call("done", success=False, message="I give up."))
    assert played.skills == []
    assert outcome(played) is MissionState.FAILED


@pytest.mark.parametrize("deeds", [(), MUG[:1], MUG[:2]])
def test_a_statement_without_its_deeds_proves_nothing(deeds: tuple[RawCall, ...], play: Play) -> None:
    assert outcome(play(ODD, BRING, *deeds)) is not MissionState.SUCCEEDED


@pytest.mark.parametrize(
    "stated",
    [
        [{"do": "bring", "object": "baguette"}],
        [{"do": "go_to", "to": "kitchen"}],
        [{"do": "tidy"}],
        [{"do": "bring", "object": "mug", "to": "Bob"}],
        [{"do": "bring"}],
    ],
)
def test_a_statement_of_something_else_is_refused(stated: list[dict[str, str]], play: Play) -> None:
    played = play(ODD, call("state_request", steps=stated), act("navigate", "table_1"))
    assert played.skills == []
    assert outcome(played) is not MissionState.SUCCEEDED


NOT_THE_SPOON = "bring me the mug, not the spoon"
BRINGING = Step(do="bring", object="mug")


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("when Anna comes, bring me the mug", When(arrives="Anna")),
        ("if the milk is in the fridge, bring me the mug", When(found="milk", at="fridge")),
        ("bring me the mug, if you would", When()),
        ("after that, bring me the mug if possible", When()),
    ],
)
def test_a_condition_is_stated_and_kept(text: str, when: When) -> None:
    check_statement(text, (BRINGING,), (), when)
    request = request_of((BRINGING,), (), ordered=False, when=when)
    read = read_sentence(text)
    assert request == read or (when == When() and request == Bring("mug"))


def test_a_condition_that_is_left_out_is_refused() -> None:
    with pytest.raises(UnfaithfulStatement, match="a condition that is not in 'when'"):
        check_statement("when Anna comes, bring me the mug", (BRINGING,), (), When())


def test_all_of_a_kind_and_questions_are_stated() -> None:
    every = Step(do="bring", object="mug", every=True)
    assert request_of((every,), (), ordered=False) == BringEvery("mug")
    compared = Step(do="compare", object="fridge", other="cabinet", state="largest")
    assert request_of((compared,), (), ordered=False) == AskCompare("fridge", "largest", other="cabinet")
    counted = Step(do="ask_count", object="mug", source="table")
    assert request_of((counted,), (), ordered=False) == AskCount("mug", "table")


@pytest.mark.parametrize(
    ("text", "steps", "bans", "problem"),
    [
        ("bring me the mugs", (BRINGING,), (), ""),
        ("bring me the mug", (Step(do="bring", object="mug", to="me"),), (), ""),
        ("bring me the mug and the spoon", (BRINGING,), (), "spoon"),
        ("bring me the mug", (Step(do="bring", object="red mug"),), (), "does not say 'red mug'"),
        (NOT_THE_SPOON, (BRINGING, Step(do="find", object="spoon")), (), "forbids"),
        (NOT_THE_SPOON, (BRINGING,), (Ban(act=Act.TAKE, what="spoon"),), ""),
    ],
)
def test_a_statement_neither_adds_nor_leaves_out(
    text: str, steps: tuple[Step, ...], bans: tuple[Ban, ...], problem: str
) -> None:
    if not problem:
        check_statement(text, steps, bans)
        return
    with pytest.raises(UnfaithfulStatement, match=problem):
        check_statement(text, steps, bans)


def test_a_step_that_lacks_a_slot_is_refused() -> None:
    with pytest.raises(UnfaithfulStatement, match="pour needs contents"):
        request_of((Step(do="pour", object="glass"),), (), ordered=False)


@pytest.mark.parametrize(
    ("goal", "forbidden"),
    [
        ("bring me the milk, but not from the fridge", (Act.TAKE, Act.OPEN)),
        ("bring me the milk, don't open the fridge", (Act.OPEN,)),
        ("Bring me the milk without opening the fridge.", (Act.OPEN,)),
    ],
)
def test_what_is_forbidden_is_understood_and_not_done(
    goal: str, forbidden: tuple[Act, ...], play: Play, home: SymbolicHome
) -> None:
    rules = tuple(Forbidden(each, "fridge") for each in forbidden)
    assert read_sentence(goal) == Restricted(Bring("milk"), rules)
    played = play(goal)
    assert "OPEN fridge" not in steps(played)
    assert home.delivered == []
    assert outcome(played) is MissionState.HANDED_OVER
    assert "As you told me, I did not open the fridge." in played.end.reason
    assert outcome(play("bring me the milk")) is MissionState.SUCCEEDED


def test_a_model_cannot_do_what_the_sentence_forbids(play: Play, home: SymbolicHome) -> None:
    milk = (call("recall_object", query="milk"), act("open", "fridge_1"), act("grasp", "milk_1"))
    played = play("bring me the milk, don't open the fridge", *milk)
    assert not {"open", "grasp"} & set(played.skills)
    assert not home.places["fridge_1"].is_open
    assert outcome(played) is not MissionState.SUCCEEDED


def test_a_forbidden_room_is_not_entered(play: Play, home: SymbolicHome) -> None:
    played = play("find the mug but do not enter the living room")
    assert home.at not in ("table_1", "shelf_1")
    assert outcome(played) is not MissionState.SUCCEEDED


def test_an_exploration_of_everything_would_enter_a_forbidden_room(mission: Mission) -> None:
    mission.request = read_sentence("explore the home but do not enter the living room")
    rule = Forbidden(Act.ENTER, "living room")
    assert forbidden_by(mission, Verb.EXPLORE, HOME) == rule
    kitchen, living_room = (MissionObject(each, each, "room", None) for each in ("kitchen", "living_room"))
    assert forbidden_by(mission, Verb.EXPLORE, living_room) == rule
    assert forbidden_by(mission, Verb.EXPLORE, kitchen) is None


def test_what_a_goal_that_waits_forbids_is_forbidden() -> None:
    request = read_sentence("when Anna comes, bring me the milk but don't open the fridge")
    assert request is not None
    assert restrictions(request) == (Forbidden(Act.OPEN, "fridge"),)


@pytest.mark.parametrize(
    ("text", "step", "problem"),
    [
        (
            "is the lamp in the bedroom on",
            Step(do="ask_state", object="lamp", source="bedroom", state="on"),
            "",
        ),
        (
            "pour the tea from the pot into the cup",
            Step(do="pour", object="cup", contents="tea", source="pot"),
            "pour has no place for 'pot'",
        ),
        ("tidy the bedroom", Step(do="tidy", object="bedroom"), ""),
        (
            "tell me whether the door is open",
            Step(do="tell_state", object="door", state="open"),
            "the sentence asks",
        ),
    ],
)
def test_no_slot_of_a_step_is_lost_and_a_question_is_no_news(text: str, step: Step, problem: str) -> None:
    refused = pytest.raises(UnfaithfulStatement, match=problem) if problem else nullcontext()
    with refused:
        request_of((step,), (), ordered=False)
        check_statement(text, (step,), ())


SHELF = call("state_request", steps=[{"do": "bring", "object": "mug", "to": "shelf"}])


def test_two_readers_that_agree_ask_nothing(play: Play, home: SymbolicHome) -> None:
    played = play("bring me the mug", BRING, *MUG)
    assert outcome(played) is MissionState.SUCCEEDED
    assert not [each for each in played.commands if isinstance(each, PublishHandoff)]


def test_two_readers_that_differ_ask_which_is_meant_before_anything_moves(play: Play) -> None:
    played = play("bring me the mug from the shelf", SHELF, *MUG)
    asked = [each.question for each in played.commands if isinstance(each, PublishHandoff)]
    assert [each.choices for each in asked] == [
        ("bring the mug from the shelf to you", "bring the mug to the shelf")
    ]
    assert outcome(played) is MissionState.HANDED_OVER
    assert played.skills == []


def test_a_goal_that_is_understood_is_stated_before_the_first_call_only(play: Play) -> None:
    played = play("bring me the mug", MUG[0], SHELF, *MUG[1:])
    assert outcome(played) is MissionState.SUCCEEDED
