"""A home of another system's map: imported, annotated, checked, drawn, and used."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from typer.testing import CliRunner

from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import ResolveQuery, ResolveStatus
from openral_core.text import Thesaurus
from openral_training.maps.cli import NotOverwritten, app
from openral_training.maps.from_memory import NoHomeInMemory
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import static_map_from_home
from openral_world_state.world.open_world import keep_home, open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

NOTES = """
rooms:
  - {at: [5.0, 2.0], name: lounge, aliases: [living room]}
furniture:
  - {at: [-0.4, 3.6], kind: counter, name: kitchen counter, height: 0.9, surfaces: [0.9]}
  - {at: [-1.1, -0.2], kind: fridge, height: 1.7, surfaces: [0.5, 1.0], container: {opens: hinge}}
places:
  - {name: charger, at: [7.0, 3.0], yaw: 3.14}
people:
  - {name: requester, at: [5.0, 2.5]}
no_go:
  - {name: cat tray, polygon: [[2.0, 3.0], [2.8, 3.0], [2.8, 3.8], [2.0, 3.8]]}
"""


@pytest.fixture
def nav2_map(tmp_path: Path) -> Path:
    """Two rooms with a door, a counter, a fridge and a sofa, as a paint program draws them."""
    image = Image.new("L", (210, 110), 205)
    pen = ImageDraw.Draw(image)
    for box, shade in (
        ((9, 9, 200, 100), 0),
        ((11, 11, 100, 98), 254),
        ((103, 11, 198, 98), 254),
        ((101, 50, 102, 68), 254),
        ((11, 11, 55, 22), 0),
        ((12, 80, 25, 95), 0),
        ((130, 80, 170, 97), 0),
    ):
        pen.rectangle(box, fill=shade)
    image.save(tmp_path / "flat.pgm")
    (tmp_path / "notes.yaml").write_text(NOTES)
    path = tmp_path / "map.yaml"
    path.write_text("image: flat.pgm\nresolution: 0.05\norigin: [-2.0, -1.0, 0.0]\nnegate: 0\n")
    return path


def run(*arguments: str | Path, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def home(nav2_map: Path) -> Path:
    """The annotated map."""
    path = nav2_map.with_name("home.yaml")
    run("import", nav2_map, "--out", path)
    run("annotate", path, nav2_map.with_name("notes.yaml"))
    return path


def test_a_map_of_nav2_is_imported_and_annotated_without_problems(home: Path) -> None:
    found = load_map(home)
    assert sorted(room.name for room in found.rooms) == ["kitchen", "lounge"]
    assert found.doorways[0].width == pytest.approx(0.95, abs=0.1)
    assert "0 problems" in run("check", home)


@pytest.mark.parametrize(
    ("reference", "node_id"),
    [
        ("kitchen", "room_2"),
        ("living room", "room_1"),
        ("fridge", "fridge"),
        ("charger", "charger"),
        ("in front of the kitchen counter", "kitchen_counter"),
        ("requester", "requester"),
    ],
)
def test_the_places_of_the_imported_map_resolve(home: Path, reference: str, node_id: str) -> None:
    thesaurus = Thesaurus.load()
    known = static_map_from_home(load_map(home))
    world = WorldModel(SpatialMemory(None, thesaurus), known, WorldModelSettings(), thesaurus)
    found = world.resolve(ResolveQuery(reference, start=(6.5, 2.0, 0.0)))
    assert (found.status, found.node_id) == (ResolveStatus.FOUND, node_id)
    assert np.isfinite(found.path_length)


def test_a_second_import_keeps_what_people_wrote_and_is_asked_for(home: Path, nav2_map: Path) -> None:
    before = load_map(home)
    done = CliRunner().invoke(app, ["import", str(nav2_map), "--out", str(home)])
    assert isinstance(done.exception, NotOverwritten)
    run("import", nav2_map, "--out", home, "--update")
    after = load_map(home)
    assert [(room.id, room.name) for room in after.rooms] == [(room.id, room.name) for room in before.rooms]
    assert after.agents == before.agents
    assert {item.name for item in before.fixtures} == {item.name for item in after.fixtures}


def test_problems_end_with_code_1_and_a_picture_is_drawn(home: Path, nav2_map: Path) -> None:
    notes = nav2_map.with_name("bad.yaml")
    notes.write_text("places: [{name: nook, at: [-1.1, -0.2]}]\n")
    run("annotate", home, notes)
    assert "does not fit at place 'nook'" in run("check", home, code=1)
    picture = nav2_map.with_name("map.png")
    run("show", home, "--out", picture, "--floor", nav2_map)
    with Image.open(picture) as drawn:
        assert drawn.size[0] > 600


def memory_of_a_home(path: Path) -> None:
    """Write the memory of a robot that found the home by itself and met a person."""
    found = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
    found = found.model_copy(update={"agents": ()})
    world = open_world(None, str(path), WorldModelSettings(), Thesaurus.load())
    world.change_home(static_map_from_home(found))
    person = ObjectRecord(
        "person_1", "person", Pose((7.9, 1.0, 0.85)), (0.5, 0.5, 1.7), votes={"person": 1.0}
    )
    world.memory.touch(person)
    keep_home(world)
    world.memory.close()


def test_a_file_of_memory_becomes_a_map(tmp_path: Path) -> None:
    memory, out = tmp_path / "home.sqlite", tmp_path / "home.yaml"
    memory_of_a_home(memory)
    before = memory.read_bytes()
    assert "kitchen: kitchen" in run("import", memory, "--out", out)
    home, drawn = load_map(out), load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
    assert {room.name for room in home.rooms} == {room.name for room in drawn.rooms}
    for fixture in drawn.fixtures:
        kept = home.fixture(fixture.id)
        assert (kept.kind, kept.room) == (fixture.kind, fixture.room)
        assert (kept.container is None) is (fixture.container is None)
        assert (kept.pose.x, kept.pose.y) == pytest.approx((fixture.pose.x, fixture.pose.y))
    assert [(each.id, each.room) for each in home.agents] == [("person_1", "living_room")]
    assert memory.read_bytes() == before


def test_a_memory_without_rooms_is_told_to_be_one(tmp_path: Path) -> None:
    memory = tmp_path / "home.sqlite"
    open_world(None, str(memory), WorldModelSettings(), Thesaurus.load()).memory.close()
    failed = CliRunner().invoke(app, ["import", str(memory), "--out", str(tmp_path / "home.yaml")])
    assert isinstance(failed.exception, NoHomeInMemory)
    assert "has no room" in str(failed.exception)
