"""Tools execute_rskill and lifecycle_transition: checks before anything moves, and replies."""

import pytest
from pydantic import ValidationError

from openral_core.detectors import LifecycleState
from openral_core.geometry import Pose
from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import ResolveStatus
from openral_reasoner.commands import ChangeState, Command, PublishHandoff, SendSkill
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event, PromptReceived, SkillEnded, StateChanged
from openral_reasoner.mission import Mission
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.request.goals import GoTo
from openral_reasoner.settings import MissionSettings
from openral_reasoner.tools.actions import ExecuteRskillTool, LifecycleTransitionTool
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.listing import listing
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Peers, run_procedure
from openral_testing.reasoner.symbolic_home import SymbolicHome

SIMILAR = MissionObject("bowl_1", "bowl", "object", Pose.planar(6.0, 0.0, 0.0), words="mug", hint=True)


def act(mission: Mission, tool: ExecuteRskillTool, peers: Peers) -> tuple[ToolResult, list[str]]:
    """Return the reply and the skills that were sent."""
    tool.check(mission)
    reply, commands = run_procedure(mission, tool.perform(mission), peers)
    assert isinstance(reply, ToolResult)
    return reply, [c.goal.rskill_id for c in commands if isinstance(c, SendSkill)]


def test_is_offered_only_with_a_skill(palette: ToolPalette) -> None:
    assert ExecuteRskillTool.offered(palette)
    assert not ExecuteRskillTool.offered(palette.model_copy(update={"skills": ()}))


def test_an_unknown_skill_is_rejected_with_the_skills(mission: Mission) -> None:
    with pytest.raises(InvalidCall) as caught:
        ExecuteRskillTool(rskill_id="dance", target="me").check(mission)
    assert caught.value.valid == tuple(skill.id for skill in mission.palette.skills)


def test_an_unknown_target_is_rejected_with_known_objects_and_places(mission: Mission) -> None:
    mission.learn(MissionObject("mug_1", "mug", "object", None))
    mission.learn(MissionObject("bread_1", "bread", "object", None, disproved=True))
    mission.learn(SIMILAR)
    with pytest.raises(InvalidCall) as caught:
        ExecuteRskillTool(rskill_id="grasp", target="narnia").check(mission)
    assert {"me", "mug_1", "table_1"} <= set(caught.value.valid)
    assert not {"bread_1", "bowl_1"} & set(caught.value.valid)


@pytest.mark.parametrize("verb", [Verb.GRASP, Verb.POUR, Verb.CLOSE])
def test_a_near_miss_of_memory_may_be_searched_but_not_acted_on(verb: Verb, mission: Mission) -> None:
    mission.learn(SIMILAR)
    ExecuteRskillTool(rskill_id="navigate", target="bowl_1", search_for="mug").check(mission)
    with pytest.raises(InvalidCall, match="bowl_1") as caught:
        ExecuteRskillTool(rskill_id=verb.value, target="bowl_1").check(mission)
    assert "only similar to the query" in caught.value.advice


def test_a_step_succeeds_at_a_listed_place(mission: Mission, home: SymbolicHome) -> None:
    tool = ExecuteRskillTool(rskill_id="navigate", target="table")
    reply, sent = act(mission, tool, HomePeers(home).answer)
    assert (reply.status, reply.text) == ("SUCCEEDED", "NAVIGATE succeeded")
    assert sent == ["navigate"]
    assert mission.base.at_target == home.at == "table_1"


def test_a_step_without_an_open_search_says_that_nothing_was_searched(
    mission: Mission, home: SymbolicHome
) -> None:
    tool = ExecuteRskillTool(rskill_id="navigate", target="table_1", search_for="mug")
    reply, _ = act(mission, tool, HomePeers(home).answer)
    assert reply.status == "SUCCEEDED"
    assert "nothing was searched" in reply.text


def test_a_target_without_a_known_location_moves_nothing(mission: Mission) -> None:
    tool = ExecuteRskillTool(rskill_id="navigate", target="table_1")
    reply, sent = act(mission, tool, lambda command: None)
    assert reply.status == ResolveStatus.NOT_FOUND.name
    assert sent == []


@pytest.mark.parametrize("answer", ["no", "", None])
def test_a_step_that_is_not_approved_moves_nothing(answer: str | None, palette: ToolPalette) -> None:
    careful = MissionSettings(require_approval=True, default_requester="ana")
    mission = Mission("m1", PromptReceived(id="p1", text="go to the table"), careful, palette)
    mission.request = GoTo("table")

    def operator(command: Command) -> Event | None:
        if answer is None or not isinstance(command, PublishHandoff):
            return None
        return PromptReceived(id="p2", text=answer, in_reply_to=command.question.id)

    reply, sent = act(mission, ExecuteRskillTool(rskill_id="navigate", target="table_1"), operator)
    assert (reply.status, sent) == ("NOT_APPROVED", [])


DEACTIVATE = LifecycleTransitionTool(peer="sim-locator", transition="deactivate")


def peer(command: Command, *, success: bool, message: str = "") -> Event | None:
    if isinstance(command, ChangeState):
        return StateChanged(call_id=command.call_id, success=success, message=message)
    return None


def test_is_offered_only_with_a_lifecycle_peer(palette: ToolPalette) -> None:
    assert LifecycleTransitionTool.offered(palette)
    assert not LifecycleTransitionTool.offered(palette.model_copy(update={"peers": ()}))


def test_only_lifecycle_peers_are_listed(palette: ToolPalette) -> None:
    assert list(listing(palette)["peers"]) == ["sim-locator"]


def test_a_detector_that_is_no_peer_is_rejected_with_the_peers(mission: Mission) -> None:
    with pytest.raises(InvalidCall) as caught:
        LifecycleTransitionTool(peer="other-locator", transition="activate").check(mission)
    assert caught.value.valid == ("sim-locator",)


def test_a_transition_is_requested_once(mission: Mission) -> None:
    DEACTIVATE.check(mission)
    reply, commands = run_procedure(mission, DEACTIVATE.perform(mission), lambda c: peer(c, success=True))
    assert isinstance(reply, ToolResult)
    assert reply.status == "SUCCEEDED"
    requested = [(c.peer, c.transition) for c in commands if isinstance(c, ChangeState)]
    assert requested == [("sim-locator", "deactivate")]


def test_a_refusal_carries_the_peers_reason(mission: Mission) -> None:
    reply, _ = run_procedure(
        mission, DEACTIVATE.perform(mission), lambda c: peer(c, success=False, message="a request is running")
    )
    assert isinstance(reply, ToolResult)
    assert reply.status == "REFUSED"
    assert "a request is running" in reply.peer_words[0]


@pytest.mark.parametrize("transition", ["configure", "shutdown", ""])
def test_other_transitions_are_rejected(transition: str) -> None:
    with pytest.raises(ValidationError, match="transition"):
        LifecycleTransitionTool.model_validate({"peer": "sim-locator", "transition": transition})


def test_an_inactive_peer_is_listed_with_its_state(palette: ToolPalette) -> None:
    sleeping = palette.with_state("sim-locator", LifecycleState.INACTIVE)
    assert listing(sleeping)["peers"]["sim-locator"].startswith(" (INACTIVE; ")


def test_the_model_reads_what_blocks_the_way_and_names_only_as_data(
    mission: Mission, home: SymbolicHome
) -> None:
    anna = Obstruction(ObstacleKind.PERSON, (1.0, 2.0), "p1", "Anna", ("kitchen", "hallway"))
    peers = HomePeers(home)

    def blocked(command: Command) -> Event | None:
        if isinstance(command, SendSkill):
            result = SkillResult(SkillStatus.BLOCKED, f"blocked: {anna.sentence}", anna.evidence())
            return SkillEnded(call_id=command.call_id, result=result)
        return peers.answer(command)

    reply, _ = act(mission, ExecuteRskillTool(rskill_id="navigate", target="table_1"), blocked)
    assert reply.status == "BLOCKED"
    assert reply.text.startswith("NAVIGATE failed: a person stands in the way")
    assert "Anna" not in reply.text
    assert reply.peer_words == ("blocked: Anna stands in the doorway between the kitchen and the hallway",)
