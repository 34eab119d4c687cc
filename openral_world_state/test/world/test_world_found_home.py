"""A home that is found while the robot runs: the map changes, what was remembered stays."""

from pathlib import Path

import numpy as np

from openral_core.detectors import Detection
from openral_core.home_map import HomeMap, load_map
from openral_core.spatial_memory import NodeKind, Opening, RecallQuery, ResolveQuery, ResolveStatus
from openral_core.text import Thesaurus
from openral_testing.synthetic_depth import Block, Plane, Solid, look_at_pose, render_depth
from openral_world_state.static_map import static_map_from_home
from openral_world_state.world.open_world import keep_home, open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
THESAURUS = Thesaurus.load()
NOBODY = MAP.model_copy(update={"agents": ()})
FLOOR: dict[str, Solid] = {"_floor": Plane((0.0, 0.0, 1.0), 0.0), "_wall": Plane((0.0, 1.0, 0.0), 4.5)}


def opened(path: str = "", home: HomeMap | None = None) -> WorldModel:
    world = open_world(home, path, WorldModelSettings(), THESAURUS)
    world.vocabularies.set("eyes", ("person", "mug"))
    return world


def see(world: WorldModel, x: float, label: str, stamps: range) -> None:
    """Look at something that stands at x from 1.5 m away."""
    body = Block((x, 4.0, 0.85), (0.4, 0.3, 1.7))
    T = look_at_pose((x, 2.2, 1.3), (x, 4.0, 0.9))
    for stamp in stamps:
        shot = render_depth({"body": body, **FLOOR}, T, size=(320, 240), stamp=float(stamp))
        world.integrate(shot.view, [Detection(shot.boxes["body"], label, 0.9)], "eyes")


def test_objects_and_states_stay_when_the_map_comes() -> None:
    world = opened()
    see(world, 2.0, "mug", range(1, 6))
    assert world.graph().of_kind(NodeKind.ROOM) == ()
    world.change_home(static_map_from_home(NOBODY))
    assert {node.id for node in world.graph().of_kind(NodeKind.ROOM)} == {room.id for room in MAP.rooms}
    assert world.recall(RecallQuery("mug"), now=10.0).matches
    world.container_states.set("fridge", Opening.OPEN)
    world.change_home(static_map_from_home(NOBODY))
    assert world.container_states.openings["fridge"] is Opening.OPEN


def test_a_home_that_was_found_is_there_again_after_a_restart(tmp_path: Path) -> None:
    file = str(tmp_path / "memory.sqlite")
    world = opened(file)
    world.change_home(static_map_from_home(NOBODY))
    keep_home(world)
    before = {node.id: node for node in world.graph().of_kind(NodeKind.PLACE)}
    world.memory.close()
    again = opened(file)
    after = {node.id: node for node in again.graph().of_kind(NodeKind.PLACE)}
    assert after.keys() == before.keys()
    assert np.allclose(after["fridge"].pose.position, before["fridge"].pose.position)
    again.memory.close()


def test_me_is_the_person_seen_most_often_if_nobody_was_introduced() -> None:
    world = opened(home=NOBODY)
    assert world.resolve(ResolveQuery("me")).status is ResolveStatus.NOT_FOUND
    see(world, 2.0, "person", range(1, 12))
    see(world, 3.2, "person", range(20, 24))
    often, seldom = world.seen_people
    found = world.resolve(ResolveQuery("me"))
    assert (found.status, found.node_id, found.kind) == (ResolveStatus.FOUND, often.id, "agent")
    assert often.observations > seldom.observations
    agents = world.graph().of_kind(NodeKind.AGENT)
    assert {agent.id for agent in agents} == {often.id, seldom.id}


def test_me_stays_the_same_person_when_another_one_is_seen_more_often() -> None:
    world = opened(home=NOBODY)
    see(world, 2.0, "person", range(1, 5))
    mine = world.resolve(ResolveQuery("me")).node_id
    see(world, 3.2, "person", range(20, 40))
    assert world.resolve(ResolveQuery("me")).node_id == mine
    assert world.default_agent == mine


def test_me_before_anybody_was_seen_says_to_search() -> None:
    answer = opened(home=NOBODY).resolve(ResolveQuery("me"))
    assert answer.status is ResolveStatus.NOT_FOUND
    assert "search for a 'person'" in answer.message


def test_people_of_the_map_are_the_only_ones_if_it_has_any() -> None:
    world = opened(home=MAP)
    see(world, 2.0, "person", range(1, 12))
    assert world.seen_people == []
    assert world.resolve(ResolveQuery("me")).node_id == MAP.agents[0].id


def test_a_person_is_met_from_the_open_side_of_the_room() -> None:
    world = opened(home=NOBODY)
    see(world, 2.6, "person", range(1, 12))
    goal = world.resolve(ResolveQuery("me")).goal_pose
    assert goal is not None
    assert goal.position[1] < 4.0, "the wall is behind the person"
    assert 0.5 < float(np.hypot(goal.position[0] - 2.6, goal.position[1] - 4.0)) < 1.4


def test_furniture_whose_id_an_object_has_leaves_that_object_another(tmp_path: Path) -> None:
    file = str(tmp_path / "memory.sqlite")
    world = opened(file)
    see(world, 2.0, "mug", range(1, 6))
    (mug,) = world.memory
    fixtures = (MAP.fixtures[0].model_copy(update={"id": mug.id}), *MAP.fixtures[1:])
    changed = NOBODY.model_copy(update={"fixtures": fixtures, "places": (), "doorways": ()})
    before, taken = mug.pose, mug.id
    world.change_home(static_map_from_home(changed))
    (mug,) = world.memory
    assert (mug.label, mug.pose) == ("mug", before)
    assert mug.id != taken
    assert world.graph().by_id[taken].label == MAP.fixtures[0].name
    see(world, 3.5, "mug", range(20, 24))
    assert len({node.id for node in world.graph().nodes}) == len(world.graph().nodes)
    keep_home(world)
    world.memory.close()
    again = opened(file)
    assert {taken, mug.id} <= again.graph().by_id.keys()
    again.memory.close()
