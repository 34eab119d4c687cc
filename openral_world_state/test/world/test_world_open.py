"""Worlds opened from files; the home that "bring me a cup of wine" is answerable from."""

import json
from pathlib import Path

import pytest

from openral_core.documents import InvalidDocument
from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import RecallQuery, RecallStatus, Relation, ResolveQuery, ResolveStatus
from openral_core.text import Thesaurus
from openral_world_state.observation import Observation
from openral_world_state.scene_graph import read_graph
from openral_world_state.spatial_memory.errors import UnreadableMemory
from openral_world_state.world.open_world import import_graph, open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

SCENES = Path(__file__).parents[3] / "scenes"
HOME = SCENES / "memory" / "home.json"
MAP = load_map(SCENES / "maps" / "home.yaml")
THESAURUS = Thesaurus.load()


@pytest.fixture(params=["with the map", "without a map"])
def world(request: pytest.FixtureRequest) -> WorldModel:
    return open_world(
        MAP if request.param == "with the map" else None, str(HOME), WorldModelSettings(), THESAURUS
    )


def test_the_wine_is_in_the_fridge_that_must_be_opened(world: WorldModel) -> None:
    found = world.recall(RecallQuery("wine"), now=200.0)
    assert found.status is RecallStatus.FOUND
    match = found.matches[0]
    assert (match.label, match.containers, match.must_open) == ("wine bottle", ("fridge",), "fridge")
    assert match.room == "kitchen"
    assert match.viewpoint is not None


def test_no_glass_is_known_yet_and_the_cabinet_may_hide_one(world: WorldModel) -> None:
    found = world.recall(RecallQuery("glass"), now=200.0)
    assert found.status is RecallStatus.NOT_IN_MEMORY
    assert not found.matches
    cabinet = world.graph().by_id["cabinet"]
    assert cabinet.is_container
    assert cabinet.occludes_contents
    assert "cabinet" in THESAURUS.found("glass")


def test_the_requester_can_be_reached_from_the_fridge(world: WorldModel) -> None:
    there = world.resolve(ResolveQuery("me", start=(1.75, 1.7, 0.0)))
    assert there.status is ResolveStatus.FOUND
    assert there.kind == "agent"
    assert there.path_length > 5.0


def test_the_graph_of_a_loaded_home_is_the_one_that_was_saved() -> None:
    world = open_world(MAP, str(HOME), WorldModelSettings(), THESAURUS)
    saved, again = read_graph(HOME), world.graph()
    assert {node.id: node for node in again.nodes} == {node.id: node for node in saved.nodes}
    assert set(again.edges) == set(saved.edges)
    assert again.targets("wine_bottle_1", Relation.IN) == ("fridge",)


def test_an_imported_home_lives_on_in_the_memory_file(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    first = open_world(None, path, WorldModelSettings(), THESAURUS)
    import_graph(first.memory, read_graph(HOME))
    first.memory.close()
    second = open_world(None, path, WorldModelSettings(), THESAURUS)
    assert second.recall(RecallQuery("milk"), now=0.0).matches[0].must_open == "fridge"
    assert second.resolve(ResolveQuery("kitchen")).status is ResolveStatus.FOUND
    second.memory.close()


def test_objects_of_an_older_map_have_no_pose_until_they_are_seen_again(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    first = open_world(MAP, path, WorldModelSettings(), THESAURUS)
    import_graph(first.memory, read_graph(HOME))
    first.memory.put_fact("landmarks", "[]")  # of a version that kept none
    first.memory.close()
    second = open_world(MAP, path, WorldModelSettings(map_epoch=1), THESAURUS)
    assert second.recall(RecallQuery("mug"), now=0.0).status is RecallStatus.NOT_IN_MEMORY
    covariance = (1e-5, 0.0, 0.0, 0.0, 1e-5, 0.0, 0.0, 0.0, 1e-5)
    seen = Observation("mug", 0.9, Pose((7.4, 4.2, 0.83)), (0.08, 0.08, 0.1), covariance, 200.0, "detector")
    second._associator.associate((seen,), None)
    match = second.recall(RecallQuery("mug"), now=200.0).matches[0]
    assert (match.node_id, match.place) == ("mug_4", "sideboard")
    second.memory.close()


def test_a_document_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "home.json"
    path.write_text(json.dumps({"nodes": []}))
    with pytest.raises(InvalidDocument, match="missing key 'graph'"):
        open_world(None, str(path), WorldModelSettings(), THESAURUS)


def test_a_file_that_is_no_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk, bread\n" * 100)
    with pytest.raises(UnreadableMemory, match="left untouched"):
        open_world(None, str(path), WorldModelSettings(), THESAURUS)
