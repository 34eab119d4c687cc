"""Poses of people at the time they spoke."""

from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import ResolveQuery, ResolveStatus
from openral_core.text import Thesaurus
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
ROBOT = Pose.planar(2.0, 3.0, 1.57)


def opened(path: str = "") -> WorldModel:
    return open_world(MAP, path, WorldModelSettings(), Thesaurus.load())


@pytest.mark.parametrize("words", ["where I was", "Where I was standing"])
def test_is_where_the_person_was_when_they_asked(words: str) -> None:
    world = opened()
    world.agent_poses.record_message("requester", ROBOT)
    answer = world.resolve(ResolveQuery(words))
    assert answer.status is ResolveStatus.FOUND
    assert answer.target_pose == world.home.nodes["requester"].pose
    assert answer.goal_pose == world.resolve(ResolveQuery("me")).goal_pose


def test_of_someone_unknown_is_where_the_robot_was(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    first = opened(path)
    first.agent_poses.record_message("visitor", ROBOT)
    first.memory.close()
    answer = opened(path).resolve(ResolveQuery("where I was standing", requester="visitor"))
    assert (answer.status, answer.goal_pose, answer.kind) == (ResolveStatus.FOUND, ROBOT, "place")


def test_of_someone_unheard_and_unknown_is_not_known() -> None:
    answer = opened().resolve(ResolveQuery("where I was standing", requester="visitor"))
    assert answer.status is ResolveStatus.NOT_FOUND
    assert answer.goal_pose is None


def test_of_those_who_spoke_only_the_last_thirty_two_are_kept() -> None:
    world = opened()
    for number in range(500):
        world.agent_poses.record_message(f"visitor {number}", ROBOT)
    world.agent_poses.record_message("x" * 10_000, ROBOT)
    assert world.agent_poses.last_pose_of("visitor 467") is None
    assert world.agent_poses.last_pose_of("visitor 468") is not None
    assert world.agent_poses.last_pose_of("x" * 10_000) is None
    assert sum(map(len, world.memory.facts.values())) < 10_000
