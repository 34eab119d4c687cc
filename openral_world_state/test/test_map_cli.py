"""A home of another system's map: imported, annotated, checked, drawn, and used."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from typer.testing import CliRunner

from openral_core.home_map import load_map
from openral_core.spatial_memory import ResolveQuery, ResolveStatus
from openral_core.text import Thesaurus
from openral_world_state.map_cli import NotOverwritten, app
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.static_map import static_map_from_home
from openral_world_state.world import WorldModel, WorldModelSettings

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
