"""A step that needs a yes is asked about once, and nothing but that yes lets the mission go on."""

import json

import pytest

from openral_core.consent.decisions import QUESTION, STEP, Consent, is_yes
from openral_core.consent.identities import Identity
from openral_core.consent.policy import Permission, Policy, Rule, Subject
from openral_core.missions import MissionState
from openral_core.skill_errors import SkillFailed
from openral_core.skill_requests import ValidatedGoal
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_reasoner.behaviors.human import consent_to, is_approval
from openral_reasoner.commands import Command, PublishHandoff, SendSkill
from openral_reasoner.context import Context, RawCall, ToolResult
from openral_reasoner.events import Event, PromptReceived, SkillEnded
from openral_reasoner.mission import Mission
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import MissionRun, run_mission_in_home
from openral_testing.reasoner.symbolic_home import SymbolicHome

CALLS = (
    RawCall(tool="recall_object", arguments='{"query": "mug"}'),
    RawCall(tool="execute_rskill", arguments=json.dumps({"rskill_id": "GRASP", "target": "mug_1"})),
)
FAIL = RawCall(tool="done", arguments='{"success": false, "message": "enough"}')


class Guarded:
    """Peers whose skill server has a policy, and an operator with one answer, "" for silence."""

    def __init__(self, home: SymbolicHome, policy: Policy, answer: str, heard: bool = True) -> None:
        self._home, self._consent, self._answer = HomePeers(home), Consent(policy, "s"), answer
        self._heard = heard
        self.questions: list[PublishHandoff] = []
        self.refused: list[SkillStatus] = []

    def answer(self, command: Command) -> Event | None:
        if isinstance(command, PublishHandoff):
            return self._operator(command)
        if isinstance(command, SendSkill):
            verb = Verb(command.goal.rskill_id.replace("-", "_").upper())
            goal = ValidatedGoal(command.goal.rskill_id, verb, command.goal.params, 60.0)
            try:
                self._consent.decide(Subject.of(goal, Identity(), None), 0.0).permitted()
            except SkillFailed as error:
                self.refused.append(error.status)
                result = SkillResult(error.status, str(error), error.evidence)
                return SkillEnded(call_id=command.call_id, result=result)
        return self._home.answer(command)

    def _operator(self, command: PublishHandoff) -> Event | None:
        self.questions.append(command)
        question = command.question
        if not (self._answer and is_approval(question.question, question.choices)):
            return None
        if self._heard or len(self.questions) > 1:
            self._consent.answer(question.id, yes=is_yes(self._answer), now=0.0)
        return PromptReceived(id=f"p{len(self.questions)}", text=self._answer, in_reply_to=question.id)


@pytest.fixture
def ask_to_grasp() -> Policy:
    return Policy(rules=(Rule(permit=Permission.ASK_EACH_TIME, verbs=(Verb.GRASP,)),))


def play(
    peers: Guarded, palette: ToolPalette, settings: MissionSettings
) -> tuple[MissionRun, list[ToolResult]]:
    told: list[ToolResult] = []

    def model(context: Context) -> RawCall:
        told[:] = [turn.reply for turn in context.turns]
        return [*CALLS, FAIL, FAIL][min(len(context.turns), len(CALLS) + 1)]

    return run_mission_in_home("bring me the mug", palette, peers.answer, model, settings), told


def test_a_yes_lets_the_skill_server_carry_the_step_out(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, ask_to_grasp: Policy
) -> None:
    peers = Guarded(home, ask_to_grasp, "yes")
    _, told = play(peers, palette, settings)
    (question,) = [asked.question for asked in peers.questions if asked.question.choices]
    assert (question.question, question.id) == ("May I take the red mug?", "consent-s-1")
    assert told[1].status == "SUCCEEDED"


def test_an_answer_that_the_skill_server_missed_is_asked_for_again(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings, ask_to_grasp: Policy
) -> None:
    peers = Guarded(home, ask_to_grasp, "yes", heard=False)
    _, told = play(peers, palette, settings)
    assert [asked.question.id for asked in peers.questions[:2]] == ["consent-s-1", "consent-s-1"]
    assert told[1].status == "SUCCEEDED"


@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        ("no", MissionState.FAILED, "not permitted to take the red mug: the operator said 'no'"),
        ("maybe", MissionState.FAILED, "the operator said 'maybe'"),
        ("", MissionState.HANDED_OVER, "not permitted to take the red mug: no answer in time"),
    ],
)
def test_without_a_yes_the_mission_ends_and_nothing_is_grasped(
    home: SymbolicHome,
    palette: ToolPalette,
    settings: MissionSettings,
    ask_to_grasp: Policy,
    answer: str,
    state: MissionState,
    said: str,
) -> None:
    played, _ = play(Guarded(home, ask_to_grasp, answer), palette, settings)
    assert played.end is not None
    assert (played.end.state, said in played.end.reason) == (state, True)
    assert played.skills.count("grasp") == 1


@pytest.mark.parametrize("question", ["", "m1", "skill-1", "consent-m", 3.0])
def test_an_id_that_no_question_can_have_is_not_asked(
    question: str | float, palette: ToolPalette, settings: MissionSettings
) -> None:
    mission = Mission("consent-m", PromptReceived(id="p", text="bring me the mug"), settings, palette)
    result = SkillResult(SkillStatus.INACTIVE, "", {QUESTION: question, STEP: "open the fridge"})
    with pytest.raises(StopIteration) as end:
        next(consent_to(mission, result))
    assert (end.value.value, mission.drain()) == (False, ())


def test_the_model_is_told_what_is_never_permitted(
    home: SymbolicHome, palette: ToolPalette, settings: MissionSettings
) -> None:
    rule = Rule(permit=Permission.NEVER, objects=("mug",), reason="fragile")
    peers = Guarded(home, Policy(rules=(rule,)), "yes")
    _, told = play(peers, palette, settings)
    assert (told[1].status, peers.refused) == ("BAD_REQUEST", [SkillStatus.BAD_REQUEST])
    assert told[1].peer_words == ("not permitted to take the red mug: rule 1 (fragile)",)
    assert not any(asked.question.choices for asked in peers.questions)
