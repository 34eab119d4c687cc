"""Read-only tool list_objects."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_reasoner.commands import Command, ReadScene
from openral_reasoner.context import ToolResult
from openral_reasoner.events import Event, SceneRead
from openral_reasoner.evidence import Listed
from openral_reasoner.likely_places import belief
from openral_reasoner.mission import Mission
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.belongings import ListObjectsTool
from openral_reasoner.tools.exploration import seen_ago
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Peers, run_procedure
from openral_testing.reasoner.symbolic_home import HomeObject, SymbolicHome


def listed(mission: Mission, peers: Peers, within: str = "") -> ToolResult:
    reply, _ = run_procedure(mission, ListObjectsTool(within=within).perform(mission), peers)
    assert isinstance(reply, ToolResult)
    return reply


def test_lists_what_is_out_of_place_first_with_where_it_belongs(mission: Mission, home: SymbolicHome) -> None:
    home.objects["milk_1"] = HomeObject("milk_1", "milk", "shelf_1", "milk")
    reply = listed(mission, HomePeers(home).answer)
    flags = [each.misplaced for each in reply.found]
    assert flags == sorted(flags, reverse=True)
    first = next(each for each in reply.found if each.id == "milk_1")
    assert (first.place, first.belongs_at, first.misplaced) == ("shelf_1", ("fridge_1",), True)
    assert first.closed == ("fridge_1",)
    assert "milk_1" in mission.objects
    assert not mission.objects["milk_1"].hint


def test_lists_one_room_and_the_places_left_to_look_at(mission: Mission, home: SymbolicHome) -> None:
    reply = listed(mission, HomePeers(home).answer, "living_room")
    assert {each.id for each in reply.found} == {"bread_1", "mug_1"}
    assert {each.id for each in reply.frontier} == {"table_1", "shelf_1"}
    facts = [fact for fact in mission.evidence.facts if isinstance(fact, Listed)]
    assert [fact.within for fact in facts] == ["living_room"]


def test_tells_where_the_held_object_belongs(mission: Mission, home: SymbolicHome) -> None:
    mission.palette = mission.palette.model_copy(update={"holding": "milk"})
    held = listed(mission, HomePeers(home).answer).found[0]
    assert held.held
    assert held.label == "milk"
    assert held.belongs_at == ("fridge_1",)


def test_leaves_out_furniture_and_what_was_not_at_its_place(mission: Mission, home: SymbolicHome) -> None:
    home.objects["door_1"] = HomeObject("door_1", "door", "table_1", "door")
    home.places["table_1"].label = "console"
    home.objects["console_2"] = HomeObject("console_2", "console", "shelf_1", "console")
    peers = HomePeers(home).answer
    listed(mission, peers)
    mission.disprove(mission.objects["mug_1"])
    ids = {each.id for each in listed(mission, peers).found}
    assert not ids & {"door_1", "mug_1", "console_2"}


def with_graph(peers: Peers, change: Callable[[SceneGraph], SceneGraph]) -> Peers:
    """Return the peers with another scene graph."""

    def answer(command: Command) -> Event | None:
        event = peers(command)
        if not isinstance(event, SceneRead):
            return event
        return event.model_copy(update={"graph": change(event.graph)})

    return answer


def test_a_control_of_an_appliance_is_no_object_to_put_away(mission: Mission, home: SymbolicHome) -> None:
    honest = HomePeers(home).answer

    def with_switch(graph: SceneGraph) -> SceneGraph:
        nodes = (replace(n, affordance="switch") if n.id == "mug_1" else n for n in graph.nodes)
        return SceneGraph(tuple(nodes), graph.edges)

    assert "mug_1" in {each.id for each in listed(mission, honest).found}
    assert "mug_1" not in {each.id for each in listed(mission, with_graph(honest, with_switch)).found}


def test_what_lies_on_the_floor_beside_furniture_is_in_its_room_and_not_on_it(
    mission: Mission, home: SymbolicHome
) -> None:
    place = home.objects["mug_1"].place
    honest = HomePeers(home).answer

    def on_the_floor(graph: SceneGraph) -> SceneGraph:
        on = SceneEdge("mug_1", Relation.ON, place)
        assert on in graph.edges
        return SceneGraph(graph.nodes, tuple(edge for edge in graph.edges if edge != on))

    assert "mug_1" in {each.id for each in listed(mission, honest, place).found}
    beside = with_graph(honest, on_the_floor)
    assert "mug_1" not in {each.id for each in listed(mission, beside, place).found}
    assert "mug_1" in {each.id for each in listed(mission, beside, home.places[place].room).found}


def test_what_looks_like_a_plant_of_the_map_is_no_object_to_put_away(
    mission: Mission, home: SymbolicHome
) -> None:
    home.objects["plant_7"] = HomeObject("plant_7", "plant", "table_1", "plant")
    honest = HomePeers(home).answer

    def beside_the_plant(graph: SceneGraph) -> SceneGraph:
        plant = SceneNode("big_plant", NodeKind.OBJECT, "plant", Pose((0.0, 0.0, 0.6)))
        edges = (e for e in graph.edges if e.source != "plant_7")
        return SceneGraph(
            (*graph.nodes, plant), (*edges, SceneEdge("plant_7", Relation.AT_PLACE, "big_plant"))
        )

    assert "plant_7" in {each.id for each in listed(mission, honest).found}
    assert "plant_7" not in {each.id for each in listed(mission, with_graph(honest, beside_the_plant)).found}


def test_an_area_that_is_not_listed_is_refused_with_the_valid_ones(mission: Mission) -> None:
    with pytest.raises(InvalidCall, match="place or room 'attic'") as refused:
        ListObjectsTool(within="attic").check(mission)
    assert "kitchen" in refused.value.valid
    assert "ana" not in refused.value.valid


def test_a_memory_that_does_not_answer_is_no_empty_home(mission: Mission) -> None:
    def silent(command: Command) -> Event | None:
        return (
            SceneRead(call_id=command.call_id, graph=SceneGraph()) if isinstance(command, ReadScene) else None
        )

    assert listed(mission, silent).status == "UNAVAILABLE"
    assert not any(isinstance(fact, Listed) for fact in mission.evidence.facts)


def test_of_equally_good_places_those_in_the_same_room_come_first(
    mission: Mission, home: SymbolicHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(belief, "KEPT", 0.01)
    home.objects = {"can_1": HomeObject("can_1", "can", "shelf_1", "can")}
    (can,) = listed(mission, HomePeers(home).answer).found
    rooms = [home.places[place].room for place in can.belongs_at]
    assert rooms == ["living_room"] * rooms.count("living_room") + ["kitchen"] * rooms.count("kitchen")
    assert {"living_room", "kitchen"} == set(rooms)
    assert next(p for p in can.belongs_at if home.places[p].room == "kitchen") == "fridge_1"


@pytest.mark.parametrize(("now", "words"), [(30.0, "seen 20 s ago"), (7210.0, "seen 2 h ago"), (None, "")])
def test_an_object_is_listed_with_the_time_since_it_was_seen(now: float | None, words: str) -> None:
    mug = SceneNode("mug_1", NodeKind.OBJECT, "mug", Pose((0.0, 0.0, 0.0)), last_seen=10.0)
    assert seen_ago(mug, now) == words
