"""A map made anew: what was remembered in the old one has no place in it until it is seen again."""

from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import (
    EditOperation,
    MemoryEdit,
    NodeKind,
    Presence,
    RecallQuery,
    ResolveQuery,
    ResolveStatus,
    SceneGraph,
    SceneNode,
)
from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.world.open_world import import_graph, open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
ROBOT = Pose.planar(2.0, 3.0, 1.57)
ON_THE_COUNTER = Pose((2.3, 4.15, 0.95))


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A memory of map 0: a mug on the counter, and where a visitor spoke."""
    path = str(tmp_path / "memory.sqlite")
    world = open_world(MAP, path, WorldModelSettings(), Thesaurus.load())
    world.memory.touch(ObjectRecord("mug_1", "mug", ON_THE_COUNTER, (0.08, 0.08, 0.1), votes={"mug": 1.0}))
    world.agent_poses.record_message("visitor", ROBOT)
    # Written before landmarks were kept: nothing tells how the maps lie to each other.
    world.memory.put_fact("landmarks", "[]")
    world.memory.close()
    return path


def opened(path: str, map_epoch: int) -> WorldModel:
    return open_world(MAP, path, WorldModelSettings(map_epoch=map_epoch), Thesaurus.load())


@pytest.mark.parametrize(("epoch", "status"), [(0, ResolveStatus.FOUND), (1, ResolveStatus.NOT_FOUND)])
@pytest.mark.parametrize("reference", ["mug", "mug_1", "where I was standing"])
def test_resolve_place_leads_only_to_what_is_in_this_map(
    path: str, reference: str, epoch: int, status: ResolveStatus
) -> None:
    answer = opened(path, epoch).resolve(ResolveQuery(reference, requester="visitor"))
    assert answer.status is status
    assert (answer.goal_pose is None) is (status is ResolveStatus.NOT_FOUND)
    assert (answer.target_pose is None) is (status is ResolveStatus.NOT_FOUND)


def test_an_id_of_the_old_map_is_told_to_be_of_it(path: str) -> None:
    answer = opened(path, 1).resolve(ResolveQuery("mug_1"))
    assert "'mug_1' is unknown; it was last seen in map epoch 0, and the current one is 1" in answer.message


def test_an_id_of_what_is_gone_leads_nowhere(path: str) -> None:
    world = opened(path, 0)
    world.memory.get("mug_1").presence = Presence.GONE
    answer = world.resolve(ResolveQuery("mug_1"))
    assert (answer.status, answer.goal_pose, answer.target_pose) == (ResolveStatus.NOT_FOUND, None, None)
    assert "is gone: its last known place was seen empty" in answer.message


@pytest.mark.parametrize(("epoch", "edges"), [(0, True), (1, False)])
def test_the_graph_places_only_what_is_in_this_map(path: str, epoch: int, edges: bool) -> None:
    graph = opened(path, epoch).graph()
    assert any("mug_1" in (edge.source, edge.target) for edge in graph.edges) is edges
    assert "mug_1" in graph.by_id


@pytest.mark.parametrize("query", ["mug", "red mug", "glass"])
def test_no_hint_leads_to_a_place_of_the_old_map(path: str, query: str) -> None:
    answer = opened(path, 1).recall(RecallQuery(query), 1.0)
    assert not answer.matches
    assert not answer.near_misses


def test_the_operators_word_is_of_this_map(path: str) -> None:
    world = opened(path, 1)
    world.edit(MemoryEdit(EditOperation.MOVE, "mug_1", position=(2.0, 4.15, 0.95)))
    answer = world.resolve(ResolveQuery("mug"))
    assert (answer.status, answer.node_id) == (ResolveStatus.FOUND, "mug_1")


def test_what_the_gripper_brings_is_in_this_map(path: str) -> None:
    before = opened(path, 0)
    before.update_held_object("mug", Pose((2.3, 4.1, 0.95)), 1.0)
    assert before.held_object.held == "mug_1"
    before.memory.put_fact("landmarks", "[]")
    before.memory.close()
    world = opened(path, 1)
    assert world.resolve(ResolveQuery("mug_1")).status is ResolveStatus.NOT_FOUND
    world.update_held_object("", Pose((2.0, 4.15, 0.95)), 2.0)
    assert world.resolve(ResolveQuery("mug_1")).status is ResolveStatus.FOUND


def test_a_remembered_home_of_the_old_map_is_none(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    room = SceneNode(
        id="hall", kind=NodeKind.ROOM, label="hall", pose=Pose(), size=(4.0, 4.0, 2.5), source="map"
    )
    world = open_world(None, path, WorldModelSettings(), Thesaurus.load())
    import_graph(world.memory, SceneGraph((room,)))
    world.memory.close()
    for epoch, rooms in ((0, ["hall"]), (1, [])):
        again = open_world(None, path, WorldModelSettings(map_epoch=epoch), Thesaurus.load())
        assert list(again.home.nodes) == rooms
        again.memory.close()
