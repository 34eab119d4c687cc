"""Approach of objects and containers, against a home that obeys."""

import pytest

from openral_core.obstructions import ObstacleKind, Obstruction
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_reasoner.behaviors.approach import (
    IN_SIGHT,
    approach,
    close_container,
    open_container,
    refine_pose,
    resolve_object,
)
from openral_reasoner.behaviors.skill_execution import run_with_recovery
from openral_reasoner.behaviors.skill_goal import SkillStep
from openral_reasoner.commands import Command, SendSkill
from openral_reasoner.events import Event, SkillEnded
from openral_reasoner.mission import Mission
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import SkillEntry, ToolPalette
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Peers, run_procedure
from openral_testing.reasoner.symbolic_home import SymbolicHome


def failing(home: SymbolicHome, status: SkillStatus) -> Peers:
    """Return the peers of a home in which every skill ends with this status."""
    peers = HomePeers(home)

    def answer(command: Command) -> Event | None:
        if isinstance(command, SendSkill):
            return SkillEnded(call_id=command.call_id, result=SkillResult(status, ""))
        return peers.answer(command)

    return answer


def sent(commands: list[Command]) -> list[str]:
    return [command.goal.rskill_id for command in commands if isinstance(command, SendSkill)]


def table(mission: Mission, home: SymbolicHome) -> MissionObject:
    target, _ = run_procedure(mission, resolve_object(mission, "table_1"), HomePeers(home).answer)
    assert target is not None
    return target


def test_the_robot_drives_to_a_target_once(mission: Mission, home: SymbolicHome) -> None:
    target = table(mission, home)
    first, commands = run_procedure(mission, approach(mission, target), HomePeers(home).answer)
    assert (first.status, sent(commands)) == (SkillStatus.SUCCEEDED, ["navigate"])
    again, commands = run_procedure(mission, approach(mission, target), HomePeers(home).answer)
    assert (again.message, sent(commands)) == ("already there", [])


@pytest.mark.parametrize(("status", "drives"), [(SkillStatus.BLOCKED, 2), (SkillStatus.NOT_REACHABLE, 1)])
def test_only_a_passing_failure_to_drive_is_retried_once(
    status: SkillStatus, drives: int, mission: Mission, home: SymbolicHome
) -> None:
    target = table(mission, home)
    result, commands = run_procedure(mission, approach(mission, target), failing(home, status))
    assert (result.status, len(sent(commands))) == (status, drives)
    assert mission.base.at_target == ""


def test_an_object_without_a_known_pose_is_not_driven_to(mission: Mission, home: SymbolicHome) -> None:
    lost = MissionObject("ghost_1", "ghost", "object", None)
    result, commands = run_procedure(mission, approach(mission, lost), HomePeers(home).answer)
    assert (result.status, sent(commands)) == (SkillStatus.NOT_REACHABLE, [])


def test_a_container_is_opened_once_and_closed_again(mission: Mission, home: SymbolicHome) -> None:
    answer = HomePeers(home).answer
    _, commands = run_procedure(mission, open_container(mission, "fridge_1"), answer)
    assert sent(commands) == ["navigate", "open"]
    assert home.places["fridge_1"].is_open
    again, commands = run_procedure(mission, open_container(mission, "fridge_1"), answer)
    assert (again.message, sent(commands)) == ("already open", [])
    run_procedure(mission, close_container(mission, "fridge_1"), answer)
    assert home.places["fridge_1"].hides
    assert mission.hand.open_containers == set()


def test_a_container_that_stays_open_is_news(mission: Mission, home: SymbolicHome) -> None:
    run_procedure(mission, open_container(mission, "fridge_1"), HomePeers(home).answer)
    run_procedure(mission, close_container(mission, "fridge_1"), failing(home, SkillStatus.BLOCKED))
    assert mission.decisions.news == ["fridge_1 was left open: CLOSE ended BLOCKED ()"]
    assert mission.hand.open_containers == {"fridge_1"}


def test_a_container_that_this_mission_did_not_open_is_left_alone(
    mission: Mission, home: SymbolicHome
) -> None:
    _, commands = run_procedure(mission, close_container(mission, "fridge_1"), HomePeers(home).answer)
    assert commands == []


def test_without_a_skill_to_open_it_a_container_is_not_driven_to(
    mission: Mission, home: SymbolicHome
) -> None:
    skills = tuple(skill for skill in mission.palette.skills if skill.verb is not Verb.OPEN)
    mission.palette = mission.palette.model_copy(update={"skills": skills})
    result, commands = run_procedure(mission, open_container(mission, "fridge_1"), HomePeers(home).answer)
    assert (result.status, sent(commands)) == (SkillStatus.UNSUPPORTED, [])


def shut_in(home: SymbolicHome, **floor: str) -> Peers:
    """Return the peers of a home in which a door is shut on every way."""
    door = Obstruction(ObstacleKind.SHUT_DOOR, (1.0, 2.0), "d", rooms=("kitchen", "bedroom"))
    result = SkillResult(SkillStatus.NOT_REACHABLE, f"no way: {door.sentence}", {**floor, **door.evidence()})
    peers = HomePeers(home)

    def answer(command: Command) -> Event | None:
        if isinstance(command, SendSkill):
            return SkillEnded(call_id=command.call_id, result=result)
        return peers.answer(command)

    return answer


def test_what_blocks_a_way_is_kept_and_told_until_the_robot_drives_there(
    mission: Mission, home: SymbolicHome
) -> None:
    target = table(mission, home)
    run_procedure(mission, approach(mission, target), shut_in(home))
    told = "I couldn't go there. (The door from the kitchen to the bedroom is shut.)"
    assert mission.with_caveats("I couldn't go there.") == told
    assert mission.with_caveats(told) == told
    run_procedure(mission, approach(mission, target), HomePeers(home).answer)
    assert mission.with_caveats("Done.") == "Done."


def test_no_exploration_looks_for_a_way_through_a_shut_door(
    mission: Mission, home: SymbolicHome, palette: ToolPalette
) -> None:
    mission.palette = palette.model_copy(update={"skills": (*palette.skills, exploring(palette))})
    _, commands = run_procedure(
        mission, approach(mission, table(mission, home)), shut_in(home, floor="no_way")
    )
    assert sent(commands) == ["navigate"]


def exploring(palette: ToolPalette) -> SkillEntry:
    """Return an entry of a skill that explores."""
    drive = palette.with_verb(Verb.NAVIGATE)[0]
    return drive.model_copy(update={"id": "explore", "verb": Verb.EXPLORE, "parameters": ()})


@pytest.mark.parametrize(
    ("status", "placed"), [(SkillStatus.LOST_OBJECT, 1), (SkillStatus.NOT_REACHABLE, 2)], ids=["lost", "held"]
)
def test_an_object_that_fell_is_not_put_down_again(
    status: SkillStatus, placed: int, mission: Mission, home: SymbolicHome
) -> None:
    peers = HomePeers(home)

    def dropped(command: Command) -> Event | None:
        if isinstance(command, SendSkill) and command.goal.rskill_id == "place":
            return SkillEnded(call_id=command.call_id, result=SkillResult(status, ""))
        return peers.answer(command)

    step = SkillStep(mission.palette.with_verb(Verb.PLACE)[0], table(mission, home))
    done, commands = run_procedure(mission, run_with_recovery(mission, step, near=False), dropped)
    assert (done.result.status, sent(commands).count("place")) == (status, placed)


@pytest.mark.parametrize(("visible", "lost"), [(0.5, False), (1.0, True)])
def test_a_look_at_a_place_that_is_partly_hidden_does_not_show_that_an_object_has_moved(
    visible: float, lost: bool, mission: Mission, home: SymbolicHome
) -> None:
    target, _ = run_procedure(mission, resolve_object(mission, "mug_1"), HomePeers(home).answer)
    assert target is not None
    del home.objects["mug_1"]
    peers = HomePeers(home)

    def answer(command: Command) -> Event | None:
        if isinstance(command, SendSkill):
            result = SkillResult(SkillStatus.SUCCEEDED, "looking at it", {IN_SIGHT: visible})
            return SkillEnded(call_id=command.call_id, result=result)
        return peers.answer(command)

    refined, _ = run_procedure(mission, refine_pose(mission, target), answer)
    assert refined.lost is lost
